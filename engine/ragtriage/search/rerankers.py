"""The reranker that a project's configuration names, where it is a program. Nothing is started yet."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ragtriage.project import Project
    from ragtriage.search.command_rerank import CommandReranker

__all__ = ["configured_reranker"]


def configured_reranker(project: Project) -> CommandReranker | None:
    """The program of `retrieval.rerank_command`, which runs once the user has agreed to it; None where none is asked for."""
    retrieval = project.config.retrieval
    if retrieval.rerank != "command":
        return None
    from ragtriage.search.command_rerank import CommandReranker

    def permit() -> None:
        from ragtriage.trust import require

        require(project.agreed_root, project.config, typed=project.typed, tables=("retrieval",), agreed=project.trusted)

    run = project.config.run
    return CommandReranker(
        retrieval.rerank_command, project.agreed_root, timeout_s=run.timeout_s, permit=permit, pass_env=run.pass_env
    )

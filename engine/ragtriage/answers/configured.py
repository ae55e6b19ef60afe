"""What a project's configuration names: the template, what answers, what judges. Nothing is loaded or asked yet."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ragtriage.answers.generators import Generator
    from ragtriage.answers.judge import Judge
    from ragtriage.answers.models.asking import Asker
    from ragtriage.answers.prompt import Template
    from ragtriage.config import ModelConfig
    from ragtriage.project import Project
    from ragtriage.remote.endpoint import Provider

__all__ = ["configured_generator", "configured_judge", "configured_template"]


def configured_template(project: Project) -> Template:
    """The template of `answers.prompt`, or the built-in one. Raises ConfigError."""
    from ragtriage.answers.prompt import BUILT_IN, read_template

    name = project.config.answers.prompt
    return read_template(project.root / name) if name else BUILT_IN


def configured_generator(project: Project) -> Generator:
    """What `answers.generator` names. Raises ConfigError where its template cannot be read."""
    config = project.config.answers
    if config.generator == "extractive":
        from ragtriage.answers.extractive import ExtractiveGenerator
        from ragtriage.answers.generators import Extractive

        return Extractive(ExtractiveGenerator(project.embedded.retriever))
    if config.generator == "system":
        from ragtriage.answers.system_generator import SystemGenerator

        return SystemGenerator(
            project.open_asker,
            by_itself=project.answers_by_itself,
            concurrency=project.config.run.concurrency,
            url=project.config.retrieval.answer_url if project.config.retrieval.system == "http" else "",
        )
    from ragtriage.answers.model_generator import ModelGenerator

    asker = _asker(project, "answers", config.generator, config)
    return ModelGenerator(asker, project.template, headings=_headings(project))


def configured_judge(project: Project) -> Judge | None:
    """What `judge.provider` names, None for "none"."""
    config = project.config.judge
    if config.provider == "none":
        return None
    from ragtriage.answers.judge import ModelJudge

    return ModelJudge(_asker(project, "judge", config.provider, config), headings=_headings(project))


def _headings(project: Project) -> bool:
    """Whether passages stand in the prompt with their title and headings, as they are indexed."""
    return project.config.chunking.heading_prefix


def _asker(project: Project, table: str, provider: Provider, config: ModelConfig) -> Asker:
    """Asks the model of a table, once the user has agreed to that table."""
    from ragtriage.answers.models.asking import Asker
    from ragtriage.answers.models.opening import endpoint_of
    from ragtriage.answers.models.replies import ReplyCache

    root, whole, typed, trusted = project.agreed_root, project.config, project.typed, project.trusted

    def permit() -> None:  # without the project, which holds what asks: it is to go when nobody uses it any more
        from ragtriage.trust import require

        require(root, whole, typed=typed, tables=(table,), agreed=trusted)

    endpoint = endpoint_of(provider, config, project.config.run, project.agreed_root)
    return Asker(endpoint, ReplyCache(project.cache / "replies"), permit=permit)

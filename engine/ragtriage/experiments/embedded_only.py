"""What tries other settings of the embedded engine says nothing of a system that does not have them."""

from __future__ import annotations

from ragtriage.errors import UsageError
from ragtriage.project import Project

__all__ = ["must_be_embedded"]


def must_be_embedded(project: Project, what: str) -> None:
    """Raise UsageError where another system is under test. `what` is the sentence's beginning: `a sweep`."""
    name = project.config.retrieval.system
    if name != "embedded":
        raise UsageError(
            f"{what} tries settings of the embedded engine, and retrieval.system is {name}; for that engine add "
            "--set retrieval.system=embedded"
        )

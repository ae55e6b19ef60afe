"""The run that is meant where none is named: the newest that fits the project as it is today."""

from __future__ import annotations

from ragtriage.errors import StorageError
from ragtriage.measure.results import Run
from ragtriage.project import Project

__all__ = ["newest_run"]


def newest_run(project: Project) -> Run | None:
    """The newest complete run of today's corpus, configuration and golden set; None where nobody has measured that, or where
    its files do not read: a damaged run is measured again, which costs little."""
    info = project.runs.newest(project.fingerprints())
    try:
        return project.runs.load(info.id) if info else None
    except StorageError:
        return None

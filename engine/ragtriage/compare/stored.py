"""Two stored runs of a project, compared as `ragtriage compare` does it."""

from __future__ import annotations

from ragtriage.compare.chunks import chunk_tables
from ragtriage.compare.comparison import Comparison, compare
from ragtriage.compare.document import with_significance
from ragtriage.measure.results import Run
from ragtriage.project import Project

__all__ = ["compare_runs"]


def compare_runs(project: Project, base: str | Run = "latest~1", head: str | Run = "latest") -> Comparison:
    """What differs between two runs, each by its name (an id, its beginning, `latest`, `latest~1`) or as it is.

    Named runs come without their rankings. Questions that are the same in both are compared: `flips` are those that changed,
    `metrics` the means with p-value and interval. Raises UsageError, StorageError.
    """
    before, after = (_loaded(project, one) for one in (base, head))
    tables = chunk_tables(before, after, project.cache)
    return with_significance(compare(before, after, base_chunks=tables[0], head_chunks=tables[1]))


def _loaded(project: Project, run: str | Run) -> Run:
    return project.runs.load(project.runs.find(run).id, rankings=False) if isinstance(run, str) else run

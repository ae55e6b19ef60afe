"""A Qdrant cluster: where it is, how it is cut, and whether it holds this project's chunks."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ragtriage.names import one_line
from ragtriage.setup.findings import Finding, counted, not_agreed

if TYPE_CHECKING:
    from ragtriage.project import Project

__all__ = ["check_cluster"]


def check_cluster(project: Project) -> list[Finding]:
    """Nothing where none is configured. It is asked only where the user has agreed."""
    from ragtriage.errors import RagtriageError
    from ragtriage.search.systems.qdrant import qdrant_asker
    from ragtriage.trust import require

    retrieval = project.config.retrieval
    if not retrieval.urls:
        return []
    cut = f"{counted(retrieval.shards, 'shard')}, {counted(retrieval.replicas, 'replica')} of each"
    found = [Finding("ok", "cluster", f"{one_line(retrieval.collection)} on {', '.join(map(one_line, retrieval.urls))}; {cut}")]
    if retrieval.shards > 1:
        found.append(
            Finding("note", "cluster", "BM25 weighs a word by the shard that it is in: rankings differ from one shard's")
        )
    pending = not_agreed(project, "retrieval", "cluster")
    if retrieval.system != "qdrant" or pending:
        return [*found, *pending]
    root, config, typed, agreed = project.agreed_root, project.config, project.typed, project.trusted
    asker = qdrant_asker(project, lambda: require(root, config, typed=typed, tables=("retrieval",), agreed=agreed))
    try:
        points = len(asker.check().indexes.chunks.units)
        found.append(Finding("ok", "cluster", f"it holds this project's {counted(points, 'point')}, and nothing else"))
    except RagtriageError as error:
        found.append(Finding("wrong", "cluster", one_line(str(error))))
    finally:
        asker.close()
    return found

"""A project's chunks -> a Qdrant collection: what is missing is sent, what is old removed, and what is there looked at again.

An upload that was stopped goes on where it was: each point's id is a function of what it belongs to, and its payload holds a
hash of all that it holds. Old points are removed last, when all new ones are there.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from ragtriage.config import RetrievalConfig
from ragtriage.errors import ConfigError, SystemFailed
from ragtriage.search.systems.qdrant_cluster import Cluster, Shape
from ragtriage.search.systems.qdrant_points import Point, bm25_options, generation_of, ids_of, mean_length, points
from ragtriage.types import Progress, no_progress

if TYPE_CHECKING:
    from ragtriage.project import Project
    from ragtriage.search.indexes import Indexes

__all__ = ["Upload", "upload", "upload_project"]

_AT_ONCE = 200  # points looked up, or written, in one request
_CHARACTERS = 2_000_000  # of text in one request; a server takes 32 MB
_SAMPLE = 100  # points read back
_NEAR = 0.999  # cosine of a vector with what is read back: servers may keep fewer digits


class Upload(NamedTuple):
    """`points` are there now: `sent` were written, the others were there. `removed` are those of other states, `checked`
    those that were read back and compared. `shards` and `replicas` are the collection's."""

    points: int
    sent: int
    removed: int
    checked: int
    shards: int
    replicas: int


def upload_project(project: Project, progress: Progress = no_progress) -> Upload:
    """Upload the chunks of `project` into the collection that it names. What is missing is embedded first.

    Raises Untrusted unless the user has agreed, ConfigError, SystemFailed, and what embedding raises.
    """
    from ragtriage.search.systems.qdrant import configured_cluster
    from ragtriage.search.systems.qdrant_cluster import CREATED_S
    from ragtriage.trust import require

    root, config, typed, agreed = project.agreed_root, project.config, project.typed, project.trusted
    cluster = configured_cluster(
        project,
        lambda: require(root, config, typed=typed, tables=("retrieval",), agreed=agreed),
        each_s=CREATED_S,  # nobody waits for it as for a question, and the server was told that it may take so long
    )
    try:
        return upload(cluster, project.indexes, project.embedder.identity, project.config.retrieval, progress=progress)
    finally:
        cluster.close()


def upload(
    cluster: Cluster, indexes: Indexes, encoder: str, retrieval: RetrievalConfig, *, progress: Progress = no_progress
) -> Upload:
    """Make the collection where it is not there, write what is missing, verify, remove what is old, count."""
    chunks = indexes.chunks
    if not len(chunks):
        raise ConfigError("there are no chunks to upload")
    generation = generation_of(chunks, encoder, retrieval.language)
    shape = cluster.shape()
    if shape is not None:
        _refuse_foreign(cluster, shape, retrieval)  # before an hour of embedding
    dense = indexes.dense(progress)
    dimension = dense.vectors([0]).shape[1]
    if shape is None:
        cluster.create(Shape(retrieval.shards, retrieval.replicas, dimension))
        shape = cluster.shape() or Shape(retrieval.shards, retrieval.replicas, dimension)
    if shape.dimension != dimension:
        raise ConfigError(
            f"the collection {retrieval.collection} has vectors of {shape.dimension} values, and the model's have {dimension};"
            " name another collection"
        )
    cluster.index()
    average = mean_length(chunks.units.indexed_texts(), retrieval.language)
    options = bm25_options(retrieval.language) | {"avg_len": average}
    ids = list(ids_of(chunks, generation))

    def made(rows: Sequence[int]) -> list[Point]:
        return points(chunks, generation, rows, [ids[row] for row in rows], dense.vectors(rows), average)

    sent = 0
    for start in range(0, len(ids), _AT_ONCE):
        progress("uploading", start, len(ids))
        rows = range(start, min(start + _AT_ONCE, len(ids)))
        there = cluster.shas([ids[row] for row in rows])
        missing = [point for point in made(rows) if there.get(point.id) != point.payload["sha"]]
        for some in _in_requests(missing):
            cluster.put(some, options)
        sent += len(missing)
    progress("uploading", len(ids), len(ids))
    checked = _verify(cluster, generation, ids, made, progress)
    removed = cluster.count() - len(ids)
    if removed:
        cluster.keep_only(generation)
        if left := cluster.count() - len(ids):
            raise SystemFailed(f"the collection {retrieval.collection}: {left:,} points of other states are still there")
    return Upload(len(ids), sent, removed, checked, shape.shards, shape.replicas)


def _refuse_foreign(cluster: Cluster, shape: Shape, retrieval: RetrievalConfig) -> None:
    """Raise ConfigError for a collection that is somebody else's, or cut otherwise than configured."""
    name = f"the collection {retrieval.collection}"
    if not shape.dimension:
        raise ConfigError(f"{name} has no vectors named dense and bm25: it is not ragtriage's; name another one")
    if foreign := cluster.count_foreign():
        raise ConfigError(f"{name} holds {foreign:,} points that ragtriage has not written; name another one")
    for key, has, wanted in (
        ("shards", shape.shards, retrieval.shards),
        ("replicas", shape.replicas, retrieval.replicas),
    ):
        if has != wanted:
            raise ConfigError(
                f"{name} has {has} {key}, and retrieval.{key} is {wanted}; set it to {has}, or name another collection"
            )


def _in_requests(some: Sequence[Point]) -> Iterator[list[Point]]:
    """Cut so that no request grows too large."""
    block: list[Point] = []
    size = 0
    for point in some:
        if block and size + len(point.text) > _CHARACTERS:
            yield block
            block, size = [], 0
        block.append(point)
        size += len(point.text)
    if block:
        yield block


def _verify(
    cluster: Cluster, generation: str, ids: Sequence[str], made: Callable[[Sequence[int]], list[Point]], progress: Progress
) -> int:
    """Count what is there, and compare a sample with what was sent. Raises SystemFailed. Returns how many were compared."""
    if (there := cluster.count(generation)) != len(ids):
        raise SystemFailed(f"{len(ids):,} points were sent, and {there:,} are there; upload again")
    rows = sorted(random.Random(generation).sample(range(len(ids)), min(_SAMPLE, len(ids))))
    progress("verifying", 0, len(rows))
    stored = cluster.read([ids[row] for row in rows])
    for point in made(rows):
        found = stored.get(point.id)
        if found is None:
            raise SystemFailed(f"{point.payload['chunk_id']} was sent and is not there; upload again")
        wrong = [name for name, value in point.payload.items() if found.payload.get(name) != value]
        wrong += [] if _alike(found.vector, point.vector) else ["vector"]
        if wrong:
            raise SystemFailed(
                f"{point.payload['chunk_id']} is stored otherwise than it was sent ({', '.join(wrong)}); delete the collection"
            )
    progress("verifying", len(rows), len(rows))
    return len(rows)


def _alike(stored: np.ndarray, sent: np.ndarray) -> bool:
    """Whether two vectors point the same way, or are both zero."""
    ours = sent.astype(np.float32)
    if stored.shape != ours.shape:
        return False
    lengths = float(np.linalg.norm(stored) * np.linalg.norm(ours))
    return bool(float(stored @ ours) >= _NEAR * lengths) if lengths else not stored.any() and not ours.any()

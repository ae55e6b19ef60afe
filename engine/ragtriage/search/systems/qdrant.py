"""A Qdrant cluster as the system under test: one request a question, and what comes back are the ids of our own chunks."""

from __future__ import annotations

import os
import re
import threading
import weakref
from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from ragtriage.config import RetrievalConfig
from ragtriage.errors import ConfigError, EncoderFailed, SystemFailed
from ragtriage.remote.keys import Key
from ragtriage.search.ranking import DECIMALS
from ragtriage.search.systems.foreign import ForeignHit
from ragtriage.search.systems.qdrant_points import bm25_options, generation_of, question_words
from ragtriage.types import Failure, Groups, Progress, no_progress

if TYPE_CHECKING:
    from ragtriage.project import Project
    from ragtriage.search.indexes import Indexes
    from ragtriage.search.systems.qdrant_cluster import Cluster, Found, Wanted

__all__ = ["UPLOAD", "QdrantAsker", "Uploaded", "configured_cluster", "qdrant_asker"]

UPLOAD = "ragtriage index --to qdrant"

_LOST = 3  # questions in a row that no node answered; the next ones are not asked
_MOST_TIMES = 16  # how much deeper is asked at most where chunks are found by small pieces


class Uploaded(NamedTuple):
    """What a collection must hold to be asked: the chunks of `indexes`, in the state that `generation` identifies."""

    indexes: Indexes
    generation: str


class QdrantAsker:
    """Asks a collection that holds our chunks. Safe to use from several threads.

    `wanted` tells what must be there, and is called when it is first asked.
    """

    def __init__(self, cluster: Cluster, retrieval: RetrievalConfig, wanted: Callable[[], Uploaded]) -> None:
        self._cluster = cluster
        self._retrieval = retrieval
        self._wanted = wanted
        self._options = bm25_options(retrieval.language)
        self._generation = ""
        self._indexes: weakref.ref[Indexes] | None = None  # they are their project's to keep or to let go
        self._lost = 0
        self._lock = threading.Lock()

    @property
    def spec(self) -> str:
        wanted = self._retrieval
        return f"qdrant({wanted.collection}, {wanted.mode}, {_shards(wanted.shards)})"

    @property
    def identity(self) -> str:
        """What rankings depend on beside chunks, model and the other keys of retrieval. Which nodes are asked is not part of
        it, nor how often each point is stored."""
        return f"{self.spec} rrf_k={self._retrieval.rrf_k}"

    def check(self) -> Uploaded:
        """What the collection holds. Raises ConfigError, once, where it is anything else than what is wanted."""
        with self._lock:
            indexes = self._indexes() if self._indexes is not None else None
            if indexes is not None:
                return Uploaded(indexes, self._generation)
            wanted = self._wanted()
            if wanted.generation != self._generation:
                refuse_unlike(self._cluster, self._retrieval, wanted.generation, len(wanted.indexes.chunks.units))
            self._generation, self._indexes = wanted.generation, weakref.ref(wanted.indexes)
            return wanted

    def prepare(self, questions: Sequence[str], progress: Progress = no_progress) -> None:
        """See that the collection holds, today, what is to be searched, and embed the questions together. Raises SystemFailed,
        ConfigError, EncoderFailed, StorageError, and what `progress` raises."""
        with self._lock:
            self._generation, self._indexes, self._lost = "", None, 0
        there = self.check()
        if self._retrieval.mode != "bm25":
            there.indexes.question_vectors(questions, progress, wait=True)

    def ask(self, question: str, k: int, groups: Groups) -> Sequence[ForeignHit] | Failure:
        """The chunks that the collection has for `question`, each once. See Asker."""
        there = self.check()
        if self._lost >= _LOST:
            return Failure(f"not asked: no node answered {_LOST} questions in a row")
        try:
            found = self._cluster.search(self._search(there, question, k, groups))
        except EncoderFailed:
            raise
        except SystemFailed as error:
            with self._lock:
                self._lost += 1
            return Failure(str(error))
        self._lost = 0
        return [ForeignHit(id=one.chunk_id, score=one.score) for one in _in_order(found, k)]

    def close(self) -> None:
        """Close the connections. It may be asked again."""
        self._cluster.close()

    def _search(self, there: Uploaded, question: str, k: int, groups: Groups) -> Wanted:
        from ragtriage.search.systems.qdrant_cluster import Wanted

        retrieval, chunks = self._retrieval, there.indexes.chunks
        words, vector, lists = None, None, 0
        if retrieval.mode != "dense":
            words, lists = question_words(question, retrieval.language), 1
        if retrieval.mode != "bm25":
            asked = there.indexes.question_vectors([question], no_progress, wait=True)
            vector, lists = np.asarray(asked[question]), lists + 1
        times = min(_MOST_TIMES, -(-len(chunks.units) // max(1, len(chunks))))  # several points may be one chunk
        depth = max(retrieval.depth, k) * times
        # all of what is fused: where equal scores are cut is then ours to say, and the same each time
        return Wanted(there.generation, groups, words, self._options, vector, retrieval.rrf_k, depth, depth * lists)


def refuse_unlike(cluster: Cluster, retrieval: RetrievalConfig, generation: str, wanted: int) -> None:
    """Raise ConfigError unless the collection holds the `wanted` points of `generation` and nothing else."""
    name = f"the collection {retrieval.collection}"
    shape = cluster.shape()
    if shape is None:
        raise ConfigError(f"{name} is not there; `{UPLOAD}` makes it")
    if not shape.dimension:
        raise ConfigError(f"{name} has no vectors named dense and bm25: it was not made by `{UPLOAD}`; name another collection")
    if shape.shards != retrieval.shards:
        raise ConfigError(
            f"{name} has {_shards(shape.shards)}, and retrieval.shards is {retrieval.shards}: set it to {shape.shards}, since"
            " BM25 weighs words by shard, or upload into another collection"
        )
    there, all_there = cluster.count(generation), cluster.count()
    if there == wanted == all_there:
        return
    if there == wanted:
        says = f"holds {all_there - there:,} points beside this project's, which change how BM25 weighs words"
    elif there:
        says = f"holds {there:,} of {wanted:,} points: an upload was not finished"
    else:
        says = f"does not hold these chunks but {all_there:,} points of another state (documents, chunking or model differ)"
    raise ConfigError(f"{name} {says}; `{UPLOAD}` brings it up to date")


def configured_cluster(project: Project, permit: Callable[[], None], *, each_s: float = 0.0) -> Cluster:
    """The collection that the configuration names; nothing is connected yet. `permit` raises unless the user has agreed.

    A node gets its share of `[run] timeout_s`, and `each_s` where that is more. Raises ConfigError.
    """
    from ragtriage.search.systems.qdrant_cluster import Cluster

    retrieval, run = project.config.retrieval, project.config.run
    if not retrieval.urls or not retrieval.collection:
        raise ConfigError("Qdrant needs retrieval.urls and retrieval.collection")
    return Cluster(
        retrieval.urls,
        retrieval.collection,
        key=partial(_key, retrieval.api_key_env),
        timeout_s=max(run.timeout_s, each_s * len(retrieval.urls)),
        rounds=1 + run.retries,
        connections=max(1, run.concurrency),
        permit=permit,
    )


def qdrant_asker(project: Project, permit: Callable[[], None]) -> QdrantAsker:
    """What asks the configured collection for the project's chunks. Raises ConfigError."""
    retrieval = project.config.retrieval
    owner = weakref.ref(project)  # which holds what asks

    def wanted() -> Uploaded:
        if (found := owner()) is None:
            raise SystemFailed("the project is closed")
        return Uploaded(found.indexes, generation_of(found.chunks, found.embedder.identity, retrieval.language))

    return QdrantAsker(configured_cluster(project, permit), retrieval, wanted)


def _in_order(found: Sequence[Found], limit: int) -> list[Found]:
    """By score, equal ones by chunk id; each chunk once. The server's own order of equal scores differs from time to time."""
    best: dict[str, Found] = {}
    for one in sorted(found, key=lambda each: (-round(each.score, DECIMALS), each.chunk_id)):
        best.setdefault(one.chunk_id, one)
    return list(best.values())[:limit]


def _key(variable: str) -> Key:
    if not variable:
        return Key("")
    value = os.environ.get(variable, "").strip()
    if not value:
        raise ConfigError(f"the key for Qdrant is read from the environment variable {variable}, which is not set")
    if not re.fullmatch("[!-~]+", value):
        raise ConfigError(f"the environment variable {variable} holds what no key does: spaces, line ends or other letters")
    return Key(value)


def _shards(count: int) -> str:
    return f"{count} shard{'' if count == 1 else 's'}"

"""What differs between two sides besides their figures: keys of the configuration, documents, chunks, labels."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from ragtriage.compare.chunks import ChunkTable
from ragtriage.config import Config
from ragtriage.golden.base import GoldenSet
from ragtriage.measure.identity import identity_of, sameness
from ragtriage.measure.results import Run

__all__ = ["ChunkCounts", "Differences", "KeyChange", "LabelChanges", "config_changes", "differences", "label_changes"]


class KeyChange(NamedTuple):
    """One key of the configuration, as `retrieval.k`, with both values; None where a side does not have the key."""

    key: str
    old: Any
    new: Any


class ChunkCounts(NamedTuple):
    """Chunks of both sides. `moved` are the head's of unchanged documents whose boundaries the base does not have, `gone` the
    base's whose boundaries the head does not have."""

    base: int
    head: int
    moved: int
    gone: int


class LabelChanges(NamedTuple):
    """Ids of questions by what became of them in the golden set; renamed ones that say the same are in none of these."""

    added: tuple[str, ...] = ()
    removed: tuple[str, ...] = ()
    edited: tuple[str, ...] = ()
    relabelled: tuple[str, ...] = ()
    regraded: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Differences:
    """`added`, `removed` and `edited` are ids of documents; `known` is False where the cache no longer tells. `labels` is None
    where the base has no golden set."""

    config: tuple[KeyChange, ...]
    added: tuple[str, ...]
    removed: tuple[str, ...]
    edited: tuple[str, ...]
    chunks: ChunkCounts
    labels: LabelChanges | None
    known: bool = True
    notes: tuple[str, ...] = field(default=())

    @property
    def nothing(self) -> bool:
        """Whether the sides are the same in all of this."""
        labels = self.labels is not None and not any(self.labels)
        return not (self.config or self.added or self.removed or self.edited or self.chunks.moved) and labels and self.known


def differences(
    base: Run, head: Run, base_chunks: ChunkTable | None, head_chunks: ChunkTable | None, labels: LabelChanges | None
) -> Differences:
    """What differs between two measured sides, whose tables come from the cache."""
    config = config_changes(base.manifest.get("config", {}), head.manifest.get("config", {}))
    counts = ChunkCounts(int(base.manifest.get("chunks", 0)), int(head.manifest.get("chunks", 0)), 0, 0)
    if base_chunks is None or head_chunks is None:
        return Differences(config, (), (), (), counts, labels, known=False)
    old, new = base_chunks.digests, head_chunks.digests
    same = [doc_id for doc_id, digest in new.items() if old.get(doc_id) == digest]
    places = [_places(table, same) for table in (base_chunks, head_chunks)]
    return Differences(
        config,
        added=tuple(doc_id for doc_id in new if doc_id not in old),
        removed=tuple(doc_id for doc_id in old if doc_id not in new),
        edited=tuple(doc_id for doc_id, digest in new.items() if doc_id in old and old[doc_id] != digest),
        chunks=counts._replace(moved=len(places[1] - places[0]), gone=len(places[0] - places[1])),
        labels=labels,
    )


def config_changes(old: Mapping[str, Mapping[str, Any]], new: Mapping[str, Mapping[str, Any]]) -> tuple[KeyChange, ...]:
    """The keys whose values differ, in the order of the tables. One that a run does not know yet has its default there."""
    defaults = Config().as_dict()
    changes = []
    for table in dict.fromkeys((*new, *old)):
        before, after = ({**defaults.get(table, {}), **config.get(table, {})} for config in (old, new))
        for key in dict.fromkeys((*after, *before)):
            if before.get(key) != after.get(key):
                changes.append(KeyChange(f"{table}.{key}", before.get(key), after.get(key)))
    return tuple(changes)


def label_changes(base: GoldenSet, head: GoldenSet) -> LabelChanges:
    """What became of each question between two golden sets."""
    before = {question.qid: identity_of(question) for question in base.questions}
    after = {question.qid: identity_of(question) for question in head.questions}
    gone = {identity: qid for qid, identity in before.items() if qid not in after}
    come = {identity for qid, identity in after.items() if qid not in before}
    found: dict[str, list[str]] = {name: [] for name in LabelChanges._fields}
    for qid, identity in after.items():
        if qid not in before:
            if identity not in gone:
                found["added"].append(qid)
        elif (how := sameness(before[qid], identity)) in found:
            found[how].append(qid)
    found["removed"] = [qid for identity, qid in gone.items() if identity not in come]
    return LabelChanges(**{name: tuple(qids) for name, qids in found.items()})


def _places(table: ChunkTable, doc_ids: list[str]) -> set[tuple[str, int, int]]:
    return {(doc_id, one.start, one.end) for doc_id in doc_ids for one in table.passages.get(doc_id, ())}

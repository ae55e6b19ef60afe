"""All that the corpus doctor finds, from the passages, the encoder's window and what the questions retrieve."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from ragtriage.chunking.base import Chunks
from ragtriage.diagnose.asking import Asked
from ragtriage.diagnose.duplicates import exact_duplicates, near_duplicates
from ragtriage.diagnose.extraction import Thin, thin_documents
from ragtriage.diagnose.fragments import fragments
from ragtriage.diagnose.lengths import unread
from ragtriage.diagnose.numbers import Contradictions, contradictions
from ragtriage.diagnose.places import Place, Places
from ragtriage.diagnose.reached import hubs, occurrences, skewness
from ragtriage.types import Progress, no_progress

__all__ = [
    "Diagnosis", "DuplicateFound", "FragmentFound", "HubFound", "OrphanDocument", "QuestionsSeen", "UnreadFound", "diagnose",
]  # fmt: skip


class DuplicateFound(NamedTuple):
    """A text and its repetitions. `resemblance` 1.0 and `exact`: to the letter but for white space."""

    places: tuple[Place, ...]
    exact: bool
    resemblance: float


class UnreadFound(NamedTuple):
    """What is embedded as one, a chunk or a piece of it, whose last `lost` of `tokens` are in no vector."""

    place: Place
    tokens: int
    lost: int


class FragmentFound(NamedTuple):
    place: Place
    words: int
    heading: bool


class HubFound(NamedTuple):
    """A passage in the first k of `questions` questions, `evidence` of which have evidence in it."""

    place: Place
    questions: int
    evidence: int


class OrphanDocument(NamedTuple):
    """A document with `orphans` of its `passages` in no question's pool.

    `readers` of the questions may see it by its access list; `hidden` where none may.
    """

    doc_id: str
    passages: int
    orphans: int
    readers: int
    hidden: bool


@dataclass(frozen=True, slots=True)
class QuestionsSeen:
    """What the questions reach. `count` questions of the dev split, `k` and `pool` passages each.

    `reachable` is the most passages that so many pools can hold. `lexical` and `reranked` as in diagnose.asking.
    """

    count: int
    k: int
    pool: int
    reachable: int
    lexical: int
    reranked: bool
    skew: float | None
    hubs: tuple[HubFound, ...]
    orphans: int
    documents: tuple[OrphanDocument, ...]


@dataclass(frozen=True, slots=True)
class Diagnosis:
    """Everything found, each list in the order in which it is worth looking at. `window` 0: no encoder takes part."""

    documents: int
    passages: int
    duplicates: tuple[DuplicateFound, ...]
    numbers: Contradictions
    window: int
    unread: tuple[UnreadFound, ...]
    unread_share: float
    fragments: tuple[FragmentFound, ...]
    thin: tuple[Thin, ...]
    questions: QuestionsSeen | None

    @property
    def counts(self) -> dict[str, int]:
        """How much there is of each; of duplicates, the passages that repeat another one."""
        seen = self.questions
        repeated = [sum(len(found.places) - 1 for found in self.duplicates if found.exact == exact) for exact in (False, True)]
        return {
            "contradictions": sum(not found.dated for found in self.numbers.found),
            "contradictions_by_year": sum(found.dated for found in self.numbers.found),
            "exact_duplicates": repeated[1],
            "near_duplicates": repeated[0],
            "unread": len(self.unread),
            "fragments": len(self.fragments),
            "thin_documents": len(self.thin),
            "hubs": len(seen.hubs) if seen else 0,
            "orphans": seen.orphans if seen else 0,
        }

    def to_dict(self) -> dict[str, Any]:
        """The `passages` of `doctor --json`."""
        seen = self.questions
        return {
            "documents": self.documents,
            "passages": self.passages,
            "counts": self.counts,
            "contradictions": [
                {
                    "dated": found.dated,
                    "sides": [
                        {
                            "numbers": list(side.numbers),
                            "place": side.place._asdict(),
                            "more": side.more,
                            "year": side.year or None,
                        }
                        for side in found.sides
                    ],
                }
                for found in self.numbers.found
            ],
            "series": self.numbers.series,
            "told_apart": self.numbers.told_apart,
            "duplicates": [{**found._asdict(), "places": _dicts(found.places)} for found in self.duplicates],
            "window": self.window or None,
            "unread": [{**found._asdict(), "place": found.place._asdict()} for found in self.unread],
            "unread_share": self.unread_share if self.window else None,
            "fragments": [{**found._asdict(), "place": found.place._asdict()} for found in self.fragments],
            "thin": [found._asdict() for found in self.thin],
            "questions": None
            if seen is None
            else {
                "count": seen.count,
                "k": seen.k,
                "pool": seen.pool,
                "reachable": seen.reachable,
                "bm25_alone": seen.lexical,
                "without_reranker": seen.reranked,
                "skewness": seen.skew,
                "hubs": [{**found._asdict(), "place": found.place._asdict()} for found in seen.hubs],
                "orphans": seen.orphans,
                "documents": [found._asdict() for found in seen.documents],
            },
        }


def diagnose(chunks: Chunks, *, window: int = 0, asked: Asked | None = None, progress: Progress = no_progress) -> Diagnosis:
    """Look at all passages. `window` is how many tokens the encoder reads, 0 where none takes part; `asked` None: no questions.

    Takes time and memory in proportion to the text. Raises what `progress` raises.
    """
    places = Places(chunks)
    exact = exact_duplicates(chunks)
    near = near_duplicates(chunks, exact, progress)
    repeated = [DuplicateFound(tuple(map(places.passage, rows)), True, 1.0) for rows in exact]
    similar = [DuplicateFound(tuple(map(places.passage, rows)), False, likeness) for rows, likeness in near]
    units = chunks.units
    lost = unread(chunks, window) if window else None
    return Diagnosis(
        documents=len(chunks.corpus.documents),
        passages=len(chunks),
        duplicates=(*repeated, *similar),
        numbers=contradictions(chunks, near, places, progress),
        window=window,
        unread=tuple(
            UnreadFound(places.part(int(units.doc_rows[row]), units.span(row)), tokens, gone)
            for row, tokens, gone in (lost.rows if lost else ())
        ),
        unread_share=lost.share if lost else 0.0,
        fragments=tuple(FragmentFound(places.passage(row), words, heading) for row, words, heading in fragments(chunks)),
        thin=tuple(thin_documents(chunks.corpus)),
        questions=_seen(chunks, asked, places) if asked and asked.questions and len(chunks) else None,
    )


def _seen(chunks: Chunks, asked: Asked, places: Places) -> QuestionsSeen:
    count = len(asked.questions)
    first = occurrences([question.pool[: asked.k] for question in asked.questions], len(chunks))
    pooled = occurrences([question.pool for question in asked.questions], len(chunks))
    evidence = occurrences([tuple(question.evidence) for question in asked.questions], len(chunks))
    found = hubs(first, evidence, questions=count, k=asked.k)
    orphan = pooled == 0
    return QuestionsSeen(
        count=count,
        k=asked.k,
        pool=asked.pool,
        reachable=count * asked.pool,
        lexical=asked.lexical,
        reranked=asked.reranked,
        skew=skewness(first),
        hubs=tuple(HubFound(places.passage(row), questions, holding) for row, questions, holding in found),
        orphans=int(orphan.sum()),
        documents=_orphan_documents(chunks, orphan, asked.readers or (count,) * len(chunks.corpus.documents)),
    )


def _orphan_documents(chunks: Chunks, orphan: np.ndarray, readers: tuple[int, ...]) -> tuple[OrphanDocument, ...]:
    """Documents with orphans: those that no question reaches at all first, then by how many passages, then in reading order."""
    documents = chunks.corpus.documents
    passages = np.bincount(chunks.doc_rows, minlength=len(documents))
    orphans = np.bincount(chunks.doc_rows[orphan], minlength=len(documents))
    rows = np.flatnonzero(orphans)
    order = rows[np.lexsort((rows, -orphans[rows], orphans[rows] < passages[rows]))]
    return tuple(
        OrphanDocument(documents[row].doc_id, int(passages[row]), int(orphans[row]), readers[row], readers[row] == 0)
        for row in order.tolist()
    )


def _dicts(places: tuple[Place, ...]) -> list[dict[str, Any]]:
    return [place._asdict() for place in places]

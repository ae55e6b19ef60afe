"""How much of a metric's change between two runs is due to the labels, and how much to the retriever.

The old run's rankings are scored with the labels of today: from the old score to that one only the labels differ, from that one
to the new score only the retriever.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from ragtriage.chunking.chunks import stored_columns
from ragtriage.golden.evidence import ResolvedItem, ResolvedPlace, resolve
from ragtriage.golden.ranks import PromptText, PromptTexts, rank_of
from ragtriage.measure.corpus_then import documents_then
from ragtriage.measure.label_shas import known_label_shas
from ragtriage.measure.results import ItemResult, QuestionResult, Run
from ragtriage.metrics.base import Metric
from ragtriage.project import Project
from ragtriage.types import Hit, Question, Span

__all__ = ["LabelChange", "Unsplit", "split_change"]


@dataclass(frozen=True, slots=True)
class LabelChange:
    """Means of one metric over the `n` questions that both runs measured and that could be split.

    `relabelled` counts those whose labels lie elsewhere than in the old run, `left_out` maps a reason to the questions that
    could not be split, which are in none of the means.
    """

    metric: str
    n: int
    old: float
    old_with_new_labels: float
    new: float
    relabelled: int
    left_out: Mapping[str, tuple[str, ...]]

    @property
    def labels(self) -> float:
        """The part of the change that the labels make."""
        return self.old_with_new_labels - self.old

    @property
    def retriever(self) -> float:
        """The part of the change that corpus, chunking and retrieval make."""
        return self.new - self.old_with_new_labels


class Unsplit(NamedTuple):
    """A change that cannot be split, and why."""

    why: str


def split_change(old: Run, new: Run, project: Project, metric: Metric) -> LabelChange | Unsplit:
    """Split the change of `metric` from `old` to `new`, which has to be of the project's corpus, chunks and golden set.

    A question whose labels did not change has no part in the labels' share. One whose labels did is scored on the old ranking
    where the documents that hold them are as they were, or had no passage in it.
    """
    if why := _not_of_today(new, project):
        return Unsplit(why)
    both = [(before, after) for after in new.questions if after.measured and (before := old.get(after.qid)) and before.measured]
    if not both:
        return Unsplit("no question has a value in both runs")
    if not any(before.hits for before, _ in both):
        return Unsplit("the older run has no rankings")
    then = _Then(old, project)
    known = known_label_shas(project)
    values: list[tuple[float, float, float]] = []
    left_out: dict[str, list[str]] = {}
    relabelled = 0
    for before, after in both:
        middle: tuple[int | None, ...] | str = before.ranks
        gains = before.gains
        if _labels(before) != _labels(after):
            relabelled += 1
            question = project.golden.get(after.qid)
            middle, gains = (then.ranks(question, before, known) if question else "it is not in the golden set"), after.gains
        if isinstance(middle, str):
            left_out.setdefault(middle, []).append(after.qid)
            continue
        values.append((metric.of(before.ranks, before.gains), metric.of(middle, gains), metric.of(after.ranks, after.gains)))
    if not values:
        return Unsplit("; ".join(f"{why} ({', '.join(qids[:5])})" for why, qids in left_out.items()))
    first, second, third = (math.fsum(column) / len(values) for column in zip(*values, strict=True))
    reasons = {why: tuple(qids) for why, qids in left_out.items()}
    return LabelChange(repr(metric), len(values), first, second, third, relabelled, reasons)


def _not_of_today(new: Run, project: Project) -> str:
    fingerprints = new.manifest.get("fingerprints", {})
    if fingerprints.get("golden") != project.golden.fingerprint:
        return "the golden set has changed since the newer run; ragtriage eval measures again"
    if fingerprints.get("corpus") != project.corpus.fingerprint:
        return "the documents have changed since the newer run; ragtriage eval measures again"
    if new.manifest.get("chunk_fingerprint") != project.chunks.fingerprint:
        return "the newer run was chunked otherwise than the project is now"
    return ""


def _labels(result: QuestionResult) -> list[tuple[object, ...]]:
    """What a run keeps of a question's labels. Offsets are left out: they shift with every edit, and mean the same text."""
    return [_label(item) for item in result.items]


def _label(item: ItemResult) -> tuple[object, ...]:
    coarse = () if item.quote or item.kind == "chunk" else item.heading
    return item.kind, item.quote, item.doc_id, item.chunk_id, item.gain, item.label_sha, coarse, item.how in ("stale",)


class _Then:
    """Where the passages of the old run lie, as far as documents and cuts of that time are known."""

    def __init__(self, old: Run, project: Project) -> None:
        self._project = project
        corpus = project.corpus
        fingerprint = old.manifest.get("fingerprints", {}).get("corpus", "")
        chunking = old.manifest.get("chunk_fingerprint", "")
        self._documents = documents_then(project, fingerprint)
        self._now = {document.doc_id: digest for document, digest in zip(corpus.documents, corpus.digests, strict=False)}
        self._spans: Mapping[str, tuple[str, Span]] | None = None
        self._why = ""
        if not chunking:
            self._why = "the older run does not say how it was chunked"
        elif chunking != project.chunks.fingerprint:
            columns = stored_columns(project.cache, chunking)
            if columns is None or self._documents is None:
                self._why = "the older run's chunks are no longer in the cache"
            else:
                self._spans = _spans(
                    columns.doc_rows.tolist(), columns.starts.tolist(), columns.ends.tolist(), list(self._documents)
                )

    def ranks(self, question: Question, before: QuestionResult, known: Mapping[str, str]) -> tuple[int | None, ...] | str:
        """The rank of each of today's labels in the old ranking, or why it cannot be told."""
        if self._why:
            return self._why
        texts = [self._text(hit) for hit in before.hits]
        items = resolve(question, self._project.corpus, self._project.chunks, known)
        if any(text is None for text in texts):
            return "a passage of the older run is no chunk that is known"
        listed = [text for text in texts if text is not None]
        homes = {located.doc_id for item in items for located in item.spans}
        if any(text.doc_id in homes and not self._unchanged(text.doc_id) for text in listed):
            return "a document that holds the evidence has changed since the older run"
        prompt = PromptTexts(listed)
        return tuple(rank_of(_by_span(item, listed), prompt, self._project.corpus) for item in items)

    def _unchanged(self, doc_id: str) -> bool:
        return self._documents is not None and self._documents.get(doc_id) == self._now.get(doc_id, "")

    def _text(self, hit: Hit) -> PromptText | None:
        if self._spans is None:
            chunks = self._project.chunks
            row = chunks.row(hit.chunk_id)
            return None if row is None else PromptText(hit.chunk_id, chunks.document_of(row).doc_id, chunks.span(row))
        found = self._spans.get(hit.chunk_id)
        return None if found is None else PromptText(hit.chunk_id, *found)


def _spans(
    rows: Sequence[int], starts: Sequence[int], ends: Sequence[int], names: Sequence[str]
) -> dict[str, tuple[str, Span]]:
    """Chunk id -> document and span, of columns as they are stored."""
    out: dict[str, tuple[str, Span]] = {}
    ordinal, last = 0, -1
    for row, start, end in zip(rows, starts, ends, strict=True):
        ordinal = ordinal + 1 if row == last else 1
        last = row
        out[f"{names[row]}#{ordinal}"] = names[row], Span(start, end)
    return out


def _by_span(item: ResolvedItem, texts: Sequence[PromptText]) -> ResolvedItem:
    """The item with its chunk labels under the ids that the same text had in the old run."""
    ids = {(text.doc_id, text.span): text.chunk_id for text in reversed(texts)}
    places = tuple(
        ResolvedPlace(place.place, place.spans, place.how, ids.get((place.spans[0].doc_id, place.spans[0].span), ""))
        if place.how == "chunk"
        else place
        for place in item.places
    )
    return ResolvedItem(item.evidence, places)

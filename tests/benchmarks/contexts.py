"""What the extractive generator is asked in the benchmarks of refusals: a set's questions over several contexts each."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from ragtriage.answers.context import live_context, oracle_context
from ragtriage.answers.extractive import ExtractiveGenerator
from ragtriage.golden.evidence import ResolvedItem, resolve
from ragtriage.project import Project
from ragtriage.search.pipeline import Query
from ragtriage.types import Passage, Question, Ranking

__all__ = ["Asked", "asked_of", "selected_sentences", "share_said"]


class Asked(NamedTuple):
    """A question with the first k of its ranking, the same with all evidence left out, and the evidence alone.

    `inside`: evidence is among the first k. `oracle` is None where there is none.
    """

    question: Question
    live: tuple[Passage, ...]
    without: tuple[Passage, ...]
    oracle: tuple[Passage, ...] | None
    inside: bool


def asked_of(project: Project, k: int) -> tuple[ExtractiveGenerator, list[Asked]]:
    """The generator and every question of the project that was retrieved, as `Asked`. Embeds what is not in the cache."""
    rankings = project.system.search([Query(q.sent, project.asked_by(q.access)) for q in project.golden.questions])
    pairs = zip(project.golden.questions, rankings, strict=True)
    asked = [_asked(project, question, ranking, k) for question, ranking in pairs if isinstance(ranking, Ranking)]
    return ExtractiveGenerator(project.system.retriever), asked


def _asked(project: Project, question: Question, ranking: Ranking, k: int) -> Asked:
    chunks, budget = project.chunks, project.config.answers.max_context_tokens
    items = resolve(question, project.corpus, chunks)
    evidence = set(_evidence(project, items))
    kept = [chunk_id for chunk_id in ranking.ids if chunk_id not in evidence]
    return Asked(
        question,
        live_context(ranking.ids, chunks, k, budget),
        live_context(kept, chunks, k, budget),
        oracle_context(items, chunks, budget, needs=question.needs) if question.answerable and items else None,
        any(chunk_id in evidence for chunk_id in ranking.ids[:k]),
    )


def _evidence(project: Project, items: Sequence[ResolvedItem]) -> Iterator[str]:
    """The ids of all chunks that overlap a place of evidence, alternatives and repetitions too."""
    chunks = project.chunks
    for item in items:
        for place in item.places:
            if place.chunk_id:
                yield place.chunk_id
            for doc_id, span in place.spans:
                rows = chunks.rows_of(doc_id)
                yield from (chunks.ids[row] for row in rows if chunks.starts[row] < span.end and chunks.ends[row] > span.start)


def selected_sentences(folder: Path) -> dict[str, list[str]]:
    """The sentences of the evidence that people chose to answer from, by question; only questions with any."""
    found = {}
    for line in (folder / "answers.jsonl").read_text(encoding="utf-8").splitlines():
        row = json.loads(line)
        sentences = {sentence: None for chosen in row.get("selected_sentences", ()) for sentence in chosen if _plain(sentence)}
        if sentences:
            found[row["_id"]] = list(sentences)
    return found


def share_said(answer: str, sentences: list[str]) -> float:
    """The share of `sentences` whose words stand in `answer` one after the other."""
    said = _plain(answer)
    return sum(f" {_plain(sentence)} " in f" {said} " for sentence in sentences) / len(sentences)


def _plain(text: str) -> str:
    return " ".join(re.findall(r"\w+", text.casefold()))

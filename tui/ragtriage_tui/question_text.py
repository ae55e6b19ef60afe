"""One question as text: verdict, what it needs and where that was lost, the ranking, both answers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from ragtriage_tui.plain import clip_text

if TYPE_CHECKING:
    from ragtriage.measure.results import AnswerResult, ItemResult, QuestionResult
    from ragtriage.project import Project
    from ragtriage.triage.verdicts import Verdict
    from ragtriage.types import Question

__all__ = ["evidence_at", "question_lines"]

_RANKS = 10


def question_lines(project: Project, question: Question, result: QuestionResult, verdict: Verdict | None) -> list[str]:
    """Everything the run says about one question."""
    k = project.config.retrieval.k
    lines = [f"{question.qid}  {question.kind or 'no kind'} · {question.split}", question.question, ""]
    lines.append(_verdict_line(result, verdict, k))
    for item in result.items:
        lines += ["", *_item_lines(item, k)]
    lines += ["", *_ranking_lines(project, result)]
    for name, answer in (
        ("oracle answer, given the evidence", result.oracle),
        ("live answer, given ranks 1 to k", result.live),
    ):
        if answer is not None:
            lines += ["", *_answer_lines(name, answer)]
    if result.no_oracle:
        lines += ["", f"no oracle answer: {result.no_oracle}"]
    return lines


def evidence_at(ranks: Sequence[int | None]) -> str:
    """`evidence at 7`, `evidence at 2 and –`, or `evidence in no pool`."""
    if all(rank is None for rank in ranks):
        return "evidence in no pool"
    return "evidence at " + " and ".join("–" if rank is None else str(rank) for rank in ranks)


def _verdict_line(result: QuestionResult, verdict: Verdict | None, k: int) -> str:
    if result.status == "failed":
        return f"! could not be measured: {result.reason}"
    where = f"{evidence_at(result.ranks)}, k = {k}" if result.items else result.status
    if verdict is not None and verdict.category:
        old = "" if verdict.seen == result.seen else ", given on something else: old"
        note = f": {verdict.note}" if verdict.note else ""
        return f"{'✗' if result.suggested else '✓'} {where}   labelled {verdict.category} by {verdict.by}{old}{note}"
    if result.suggested:
        return f"✗ {where}   suggested {result.suggested}"
    return f"{'✓' if result.status in ('found', 'unanswerable') else '·'} {where}"


def _item_lines(item: ItemResult, k: int) -> list[str]:
    place = " › ".join([item.doc_id, *item.heading]) if item.doc_id else "(no document)"
    lines = [f"needs  {place}"]
    if item.quote:
        lines.append(f"       “{clip_text(item.quote, 300)}”")
    if item.how not in ("exact", "chunk", "coarse"):
        lines.append(f"       label: {item.how}")
    if item.rank is not None and item.rank <= k:
        lines.append(f"       ✓ whole at rank {item.rank}")
    marks = {"ok": "✓", "broken": "✗", "absent": "–", "skipped": "·"}
    for rung in item.rungs:
        rank = "" if rung.rank is None else f" {rung.rank}"
        lines.append(f"       {marks[rung.state]} {rung.name}{rank}{'  ' + rung.note if rung.note else ''}")
    return lines


def _ranking_lines(project: Project, result: QuestionResult) -> list[str]:
    chunks, k = project.chunks, project.config.retrieval.k
    spans = [span for item in result.items for span in item.spans]
    deepest = max([k, *(rank for rank in result.ranks if rank is not None)], default=k)
    lines = [f"{'rank':>6}{'bm25':>6}{'dense':>7}  chunk"]
    shown = [place for place in range(1, len(result.hits) + 1) if place <= max(k, _RANKS) or place in result.ranks]
    before = 0
    for place in shown:
        hit = result.hits[place - 1]
        row = chunks.row(hit.chunk_id)
        chunk = chunks[row] if row is not None else None
        holds = chunk is not None and any(
            doc_id == chunk.doc_id and start < chunk.span.end and chunk.span.start < end for doc_id, start, end in spans
        )
        if place > before + 1:
            lines.append(f"     ⋯ {place - before - 1} more")
        text = clip_text(chunks.text(row), 90) if row is not None else ""
        lines.append(
            f"{'●' if holds else ' '}{place:>5}{hit.bm25_rank or '–':>6}{hit.dense_rank or '–':>7}  {hit.chunk_id}  {text}"
        )
        if place == k and place < len(result.hits):
            lines.append(f"───── context ends here, k = {k} ─────")
        before = place
    if deepest > len(result.hits) or not result.hits:
        lines.append(f"       {len(result.hits)} retrieved")
    return lines


def _answer_lines(name: str, answer: AnswerResult) -> list[str]:
    grade = answer.grade
    verdict = {True: "✓ right", False: "✗ wrong", None: "· not judged"}[grade.correct]
    facts = [verdict, *(["refuses"] if grade.refused else [])]
    says = (("lacks", grade.missing), ("says", grade.said_wrong), ("cites nothing that was sent", grade.invalid))
    facts += [f"{what}: {', '.join(map(str, values))}" for what, values in says if values]
    facts += [f"numbers without support: {', '.join(grade.unsupported)}"] if grade.unsupported else []
    return [f"{name}: {' · '.join(facts)}", f"  {clip_text(answer.text, 1000)}"]

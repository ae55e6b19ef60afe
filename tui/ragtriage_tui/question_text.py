"""One question as text: verdict, what it needs and where that was lost, the ranking, both answers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from ragtriage_tui.answer_text import answer_text, unanswered_text
from ragtriage_tui.figures import clip_text
from ragtriage_tui.model_names import is_stand_in
from ragtriage_tui.naming import cause
from ragtriage_tui.text import one_line

if TYPE_CHECKING:
    from ragtriage.chunking.base import Chunks
    from ragtriage.measure.answer_results import Arm
    from ragtriage.measure.results import ItemResult, QuestionResult, Rung
    from ragtriage.project import Project
    from ragtriage.triage.verdicts import Verdict
    from ragtriage.types import Question

__all__ = ["headline", "how_found", "item_place", "question_lines", "where_found"]

_RANKS = 10
_MOST_HIDDEN = 10
_MOST_LOST = 3  # chunks that are shown though they are not in the pool, because they hold the evidence
_LOST = {
    "missing-document": "there is no such document",
    "missing-quote": "the quote is not in the document",
    "missing-anchor": "the document has no such heading or page",
    "missing-chunk": "there is no such chunk",
    "no-text": "there is no text in that place",
}
_FOUND = {
    "folded": "with other spaces, quotes or dashes",
    "fuzzy": "in changed wording",
    "coarse": "",
    "chunk": "by its id",
    "stale": "the chunk is another one now, so any part of its document counts",
}


def question_lines(
    project: Project,
    question: Question,
    result: QuestionResult,
    verdict: Verdict | None,
    *,
    timings: Sequence[Mapping[str, Any]] = (),
    unanswered: Mapping[Arm, str] | None = None,
    calibration: Mapping[str, str] | None = None,
) -> list[str]:
    """Everything a run says about one question.

    `timings` are the lines of timings.jsonl; `unanswered` the arms that failed when they were asked for, with the reason;
    `calibration` is how far the judge agrees with people, by axis.
    """
    k = project.config.retrieval.k
    stand_in = is_stand_in(project.config.as_dict())
    lines = [f"{one_line(question.qid)}  {question.kind or 'no kind'} · {question.split}", one_line(question.question), ""]
    lines.append(_verdict_line(result, verdict, k))
    for item in result.items:
        lines += ["", *_item_lines(item, k, in_answer=result.lost_at == "answer", stand_in=stand_in)]
    if result.lost_at == "answer" and not result.items:
        lines += ["", _answer_line(stand_in)]
    lines += ["", *_ranking_lines(project, result)]
    for arm in ("oracle", "padded", "forced", "live"):
        if answer := result.answers.get(arm):
            rows = [row for row in timings if row.get("qid") == result.qid and row.get("arm") == arm]
            lines += ["", *answer_text(arm, question, answer, timings=rows, calibration=calibration or {})]
        elif reason := (unanswered or result.unanswered).get(arm):
            lines += ["", unanswered_text(arm, reason)]
    if result.no_oracle:
        lines += ["", f"no oracle answer: {result.no_oracle}"]
    return lines


def how_found(how: str) -> str:
    """How a label's place was found in the corpus, or why not, in words."""
    return _LOST.get(how) or _FOUND.get(how, how)


def where_found(items: Sequence[ItemResult]) -> str:
    """`evidence at 7`, `dense 17, not in the fused pool`, `the quote is not in the document`; several are parted by `;`."""
    if items and all(item.rank is not None for item in items):
        return "evidence at " + " and ".join(str(item.rank) for item in items)
    return "; ".join(dict.fromkeys(map(_where, items)))


def headline(result: QuestionResult, k: int) -> str:
    """Where the evidence is, in one line. Of several items: how many are inside k, and what became of the first that is lost;
    where one of them is enough, of the one that is nearest."""
    items = result.items
    if len(items) < 2:
        return f"{where_found(items)}, k = {k}" if items else result.status
    inside = [item.rank for item in items if item.rank is not None and item.rank <= k]
    enough = result.needs == "any"
    said = f"{len(inside)} of {len(items)} inside k = {k}{', one is enough' if enough else ''}"
    if len(inside) == len(items) or (enough and inside):
        return f"{said}, at {' and '.join(map(str, sorted(set(inside))))}"
    lost = [item for item in items if item.rank is None or item.rank > k]
    first = min(lost, key=lambda item: (item.rank is None, item.rank or 0)) if enough else lost[0]
    which = "nearest" if enough else "first lost" if len(lost) > 1 else "lost"
    return f"{said}; {which}: {item_place(first)}, {f'at {first.rank}' if first.rank else _where(first)}"


def item_place(item: ItemResult) -> str:
    """`policy-refunds › Deductions`: the document of an item and the heading above it."""
    if not item.doc_id:
        return one_line(item.chunk_id or "(no document)")
    return one_line(" › ".join([item.doc_id, *item.heading[-1:]]))


_PROBES = {"bm25": "BM25", "dense": "dense"}


def _is_probe(rung: Rung) -> bool:
    return rung.name in _PROBES and rung.rank is not None


def _where(item: ItemResult) -> str:
    if item.rank is not None:
        return f"evidence at {item.rank}"
    if item.how in _LOST:
        return _LOST[item.how]
    if any(rung.name == "system" for rung in item.rungs):
        probes = [f"{_PROBES[rung.name]} here has it at {rung.rank}" for rung in item.rungs if _is_probe(rung)]
        return "; ".join(["your system missed it", *probes])
    had = [f"{rung.name} {rung.rank}" for rung in item.rungs if rung.name in ("bm25", "dense") and rung.rank is not None]
    if not had:
        return "evidence in no retriever's pool"
    fused = any(rung.name == "fused" and rung.state != "skipped" for rung in item.rungs)
    return f"{', '.join(had)}, not in the {'fused ' if fused else ''}pool"


def _verdict_line(result: QuestionResult, verdict: Verdict | None, k: int) -> str:
    if result.status == "failed":
        return f"! could not be measured: {clip_text(result.reason, 1000)}"
    where = headline(result, k)
    if verdict is not None and verdict.category:
        old = "" if verdict.fits(result.seen) else ", old: its ranks, answer or words have changed"
        note = f": {one_line(verdict.note)}" if verdict.note else ""
        by = f"labelled {cause(verdict.category)} by {one_line(verdict.by)}"
        return f"{'✗' if result.suggested else '✓'} {where}   {by}{old}{note}"
    if result.suggested:
        return f"✗ {where}   suggested {cause(result.suggested)}"
    return f"{'✓' if result.status in ('found', 'unanswerable') else '·'} {where}"


def _item_lines(item: ItemResult, k: int, *, in_answer: bool, stand_in: bool = False) -> list[str]:
    place = " › ".join([item.doc_id, *item.heading]) if item.doc_id else item.chunk_id or "(no document)"
    lines = [f"needs  {one_line(place)}"]
    if item.quote:
        lines.append(f"       “{clip_text(item.quote, 300)}”")
    if not item.rungs and item.how not in ("exact", "chunk", "coarse"):  # else the first rung says it
        lines.append(f"       found {how_found(item.how)}" if item.spans else f"       {how_found(item.how)}")
    if item.rank is not None and item.rank <= k:
        how = "in parts, the last of them" if item.in_parts else "whole"
        lines.append(f"       ✓ {how} at rank {item.rank}")
        if in_answer:
            lines.append(_answer_line(stand_in))
    return lines + _ladder(item.rungs)


def _ladder(rungs: Sequence[Rung]) -> list[str]:
    """Every rung; the first broken one with its lever. What comes after it says no more than its ranks."""
    marks = {"ok": "✓", "broken": "✗", "absent": "–", "skipped": "·"}
    lines = []
    broken = False
    for rung in rungs:
        if broken and rung.name == "context":
            continue
        note = how_found(rung.note) if rung.name == "corpus" else rung.note
        text = f"{marks[rung.state]} {rung.name}{'' if rung.rank is None else f' {rung.rank}'}{'  ' + note if note else ''}"
        first = rung.state == "broken" and not broken
        lines.append(_rung_line(text, rung.name if first else ""))
        broken = broken or first
    return lines


def _rung_line(text: str, lost_at: str) -> str:
    """One rung, with what to change where the evidence was lost on it."""
    from ragtriage.measure.ladder import LEVERS

    return f"       {text}   → {LEVERS[lost_at]}" if lost_at else f"       {text}"


def _answer_line(stand_in: bool) -> str:
    return _rung_line("✗ answer", "answer") + (" (here: extractive stand-in)" if stand_in else "")


def _ranking_lines(project: Project, result: QuestionResult) -> list[str]:
    from ragtriage.measure.foreign_passages import passages_of

    chunks, k = passages_of([result], project.chunks), project.config.retrieval.k
    deepest = max([k, *(rank for rank in result.ranks if rank is not None)], default=k)
    ranked = any(hit.bm25_rank or hit.dense_rank for hit in result.hits) or not project.is_foreign
    lines = [f"{'rank':>6}{'bm25':>6}{'dense':>7}  chunk" if ranked else f"{'rank':>6}  chunk"]
    shown = [place for place in range(1, len(result.hits) + 1) if place <= max(k, _RANKS) or place in result.ranks]
    rows = [row for place in shown if (row := chunks.row(result.hits[place - 1].chunk_id)) is not None]
    marks = {row: _mark(chunks, row, result.items) for row in {*_holding(chunks, result.items), *rows}}
    before = 0
    first = {place for place, _ in result.placed}
    for place in shown:
        hit = result.hits[place - 1]
        row = chunks.row(hit.chunk_id)
        if place > before + 1:
            lines.append(f"     ⋯ {place - before - 1} more")
        text = clip_text(chunks.text(row), 90) if row is not None else ""
        by = f"{hit.bm25_rank or '–':>6}{hit.dense_rank or '–':>7}" if ranked else ""
        mark = " " if row is None else marks.get(row, " ")
        if place not in first:
            mark, text = " ", "(again)"
        lines.append(f"{mark}{place:>5}{by}  {one_line(hit.chunk_id)}  {text}")
        if place == k and place < len(result.hits):
            lines.append(f"───── context ends here, k = {k} ─────")
        before = place
    if deepest > len(result.hits) or not result.hits:
        lines.append(f"       {len(result.hits)} retrieved")
    if result.hidden:
        more = f" and {len(result.hidden) - _MOST_HIDDEN} more" if len(result.hidden) > _MOST_HIDDEN else ""
        lines.append(f"! hidden from who asked: {', '.join(map(one_line, result.hidden[:_MOST_HIDDEN]))}{more}")
    there = {chunks.row(hit.chunk_id) for hit in result.hits}
    lost = _holding(chunks, [item for item in result.items if item.rank is None])
    for row in [row for row in lost if row not in there][:_MOST_LOST]:
        lines.append(f"{marks[row]}{'–':>5}{'not in pool':>13}  {one_line(chunks.ids[row])}  {clip_text(chunks.text(row), 90)}")
    return lines


def _mark(chunks: Chunks, row: int, items: Sequence[ItemResult]) -> str:
    """What a passage has of the evidence: all, a part or nothing, by the rule of the app."""
    from ragtriage_tui.bridge.questions import held_by

    return {"whole": "●", "part": "◐", "none": " "}[held_by(chunks, row, items).holds]


def _holding(chunks: Chunks, items: Sequence[ItemResult]) -> list[int]:
    """The rows of the chunks that overlap the evidence."""
    return sorted(
        {
            row
            for item in items
            for doc_id, start, end in item.spans
            for row in chunks.rows_of(doc_id)
            if chunks.starts[row] < end and start < chunks.ends[row]
        }
    )

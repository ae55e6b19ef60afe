"""What a screen shows as text for the pager, where there is more room: a question, a flip, an answer, a report, a label."""

from __future__ import annotations

from collections.abc import Sequence

from ragtriage_tui.answer_views import ARMS, AXES, pager_lines
from ragtriage_tui.inbox_views import LabelDetail, ReportDetail, SafeRow
from ragtriage_tui.judge_views import JudgeDetail, Said
from ragtriage_tui.review_views import FlipView, Side
from ragtriage_tui.views import QuestionView

__all__ = ["flip_text", "judged_text", "label_text", "report_text", "safe_text", "triage_text"]


def triage_text(detail: QuestionView) -> str:
    """The question with all its chunks and answers."""
    parts = [f"{detail.qid}  {detail.text}", f"{detail.proof}{detail.reason}", ""]
    for need in detail.needs:
        rungs = "  ".join(f"{'x ' if rung.state == 'broken' else ''}{rung.text}" for rung in need.rungs)
        parts += [f"needs {need.doc_id} {need.heading}: {need.quote}", f"  {rungs}  {need.lever}", ""]
    for arm in ARMS:
        if answer := detail.answer(arm):
            parts += [f"{arm}, {answer.given}: {answer.text}", *pager_lines(answer), ""]
        elif arm in detail.failed:
            parts += [f"{arm}: {detail.missing(arm)}", ""]
    for chunk in detail.chunks:
        if chunk.rank == detail.k + 1:
            parts += [f"--- context ends here, k = {detail.k} ---", ""]
        parts += [f"{chunk.rank or '-'}  {chunk.chunk_id}", chunk.text, ""]
    return "\n".join(parts)


def flip_text(detail: FlipView) -> str:
    """The flip with both rankings and answers."""
    parts = [f"{detail.qid}  {detail.text}", f"{detail.change}  {detail.proof[0] if detail.proof else detail.reason}"]
    parts += [f"because {detail.because}"] if detail.because else []
    parts += [f"{detail.said}  {detail.note}".rstrip()] if detail.said else []
    sides: tuple[Side, ...] = ("base", "head")
    for side in sides:
        found, k = detail.side(side), detail.k_base if side == "base" else detail.k_head
        parts += ["", f"--- {side}, k = {k} ---", *([found.no_chunks] if found.no_chunks else [])]
        for one in found.chunks:
            word = ("now" if side == "base" else "was") if one.other else ("gone" if side == "base" else "new")
            parts += ["", f"{one.rank}  {one.chunk_id}  {word} {one.other or ''}".rstrip(), one.text]
        if found.answer or found.no_answer:
            parts += ["", f"answer: {found.answer.text if found.answer else found.no_answer}"]
    return "\n".join(parts)


def judged_text(detail: JudgeDetail, said: Sequence[Said]) -> str:
    """An answer with its question, what was said of it, and its passages."""
    lines = [f"{detail.qid}, {detail.arm}  {detail.question}", "", f"expected: {detail.expected}", "", detail.answer, ""]
    lines += [f"  {key} {axis}: {word or '-'}" for key, (axis, word) in enumerate(zip(AXES, said, strict=True), 1)]
    for sent in detail.sent:
        lines += ["", f"[{sent.number}] {sent.chunk_id} {sent.heading}".rstrip(), sent.text]
    return "\n".join([*lines, ""])


def safe_text(row: SafeRow) -> str:
    """The labels that may be mended unread."""
    return "\n\n".join(f"{one.qid}: {one.why}\n  was: {one.old}\n  now in {one.place}" for one in row.labels) + "\n"


def label_text(label: LabelDetail) -> str:
    """A label, what was there, and the places it may have now."""
    lines = [f"{label.qid}  {label.question}", f"{label.state}: {label.why}", "", f"was, in {label.place}: {label.old}"]
    for number, place in enumerate(label.places, start=1):
        lines += ["", f"{number}. {place.doc_id} {place.heading}  ({place.score:g})".rstrip(), place.text]
    return "\n".join([*lines, ""])


def report_text(report: ReportDetail) -> str:
    """A report, what it was answered, and what looks like it."""
    lines = [f"{report.id}  {report.source}  {report.at}".rstrip(), "", report.text, "", f"question: {report.question}"]
    lines += [f"{name}: {text}" for name, text in (("answered", report.answer), ("feedback", report.feedback)) if text]
    for passage in report.passages:
        note = f" ({passage.note})" if passage.note else ""
        lines += ["", f"{passage.rank}. {passage.where}{note}", passage.text]
    lines += ["", report.retrieval, ""]
    lines += [f"{twin.score:.2f}  {twin.qid}  {twin.text}" for twin in report.twins]
    for candidate in report.candidates:
        lines += ["", f"{candidate.chunk.rank}  {candidate.chunk.chunk_id}", candidate.chunk.text]
    return "\n".join([*lines, ""])

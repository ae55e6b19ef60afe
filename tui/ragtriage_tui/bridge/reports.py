"""One report as Inbox shows it, and what became of it as a step that can be undone."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from ragtriage_tui.add_views import Results
from ragtriage_tui.bridge.candidates import candidates
from ragtriage_tui.bridge.journal import Undone
from ragtriage_tui.inbox_views import PassageView, ReportDetail
from ragtriage_tui.text import Extent, one_line, scrub
from ragtriage_tui.views import Progress
from ragtriage_tui.workers import DoorError

if TYPE_CHECKING:
    from pathlib import Path

    from ragtriage.inbox.log import Change, InboxLog, Item, State
    from ragtriage.inbox.reports import Report
    from ragtriage.labelling.production import Aligned, Production
    from ragtriage.project import Project
    from ragtriage.types import Question
    from ragtriage_tui.bridge.door import Door

__all__ = ["ReportStep", "aligned_passages", "origin_of", "production_of", "report_detail"]

_SEARCHED = 4_000  # characters of a text that are searched for
_LONGEST = 40_000  # characters of a report that are shown
_SHORT = 4_000  # of an answer, or of a passage
_TWINS = 3
_ORIGINS = {"question": "as it was asked", "sentence": "a sentence of the report", "text": "the whole report"}
_HOW = {
    "exact": "", "folded": "", "chunk": "", "fuzzy": "reworded since", "document": "only its document is named",
    "missing": "not in the documents of today",
}  # fmt: skip


def origin_of(report: Report) -> str:
    """Where a report comes from: `ticket 8812`, else its id."""
    return scrub(one_line(f"{report.source} {report.ref}".strip())[:60]) or scrub(report.id)


def report_detail(door: Door, item: Item, progress: Progress, *, wait: bool) -> ReportDetail:
    """All about a report. Without `wait` no model runs."""
    from ragtriage.inbox.masking import KINDS
    from ragtriage.labelling.proposals import question_of

    report = item.report
    asked = question_of(report)
    # a sentence that was cut out often says "it" or "she"; what it is about stands around it
    searched = report.text[:_SEARCHED] if asked.origin == "sentence" else asked.question
    results, problem = _results(door, searched, progress, wait=wait)
    with door.held() as project:
        question = project.golden.get(item.qid) if item.qid else None
        aligned = aligned_passages(project, report)
        production = production_of(project, report, question, aligned) if question else None
    if wait:
        door.likeness.embed(asked.question)
    text = _cut(report.text, _LONGEST, report.id)
    places = sorted(Extent(at, at + len(sign)) for sign in KINDS.values() for at in _all(text, sign) if report.masked)
    return ReportDetail(
        id=door.names.shown(report.id), source=origin_of(report), at=scrub(one_line(report.at)), text=text,
        question=scrub(asked.question), origin=_ORIGINS[asked.origin], state=item.state,
        qid=door.names.shown(item.qid) if item.qid else "", masked=tuple(places), synthetic=report.synthetic,
        answer=_cut(report.answer), feedback=_cut(report.feedback), expected=_cut(report.expected),
        passages=_passages(door, aligned, production), retrieval=scrub(_retrieval(report, question, production)),
        twins=door.likeness.twins(asked.question, limit=_TWINS), results=results, problem=scrub(problem),
    )  # fmt: skip


def _cut(text: str, most: int = _SHORT, report_id: str = "") -> str:
    """A text that a screen can wrap at each key; where it is longer, who shows all of it."""
    if len(text) <= most:
        return scrub(text)
    where = f": ragtriage inbox show {report_id}" if report_id else ""
    return scrub(f"{text[:most]}… and {len(text) - most:,} characters more{where}")


def _results(door: Door, searched: str, progress: Progress, *, wait: bool) -> tuple[Results | None, str]:
    try:
        found = candidates(door, searched, progress, wait=wait)
    except DoorError as error:  # without chunks the report can be read all the same
        return None, str(error)
    return found, found.problem if not found.candidates else ""


def _all(text: str, sign: str) -> Sequence[int]:
    out, at = [], text.find(sign)
    while at >= 0:
        out.append(at)
        at = text.find(sign, at + len(sign))
    return out


def aligned_passages(project: Project, report: Report) -> tuple[Aligned, ...]:
    """What the production system had, in today's documents."""
    from ragtriage.labelling.production import align
    from ragtriage_tui.bridge.document import chunks_of

    return align(report.passages, project.corpus, chunks_of(project).chunks)


def production_of(project: Project, report: Report, question: Question, aligned: Sequence[Aligned]) -> Production:
    """Where production had the evidence of a question."""
    from ragtriage.golden.evidence import resolve
    from ragtriage.labelling.production import production_rank
    from ragtriage.measure.label_shas import known_label_shas
    from ragtriage_tui.bridge.document import chunks_of

    items = resolve(question, project.corpus, chunks_of(project).chunks, known_label_shas(project))
    return production_rank(report, items, project.corpus, needs=question.needs, passages=aligned)


def _passages(door: Door, aligned: Sequence[Aligned], production: Production | None) -> tuple[PassageView, ...]:
    holding = {rank for rank in production.ranks if rank is not None} if production else set()
    ordered = production.passages if production else sorted(aligned, key=lambda one: one.passage.rank or 0)
    out = []
    for rank, one in enumerate(ordered, start=1):
        where = door.names.shown(one.doc_id) if one.doc_id else scrub(one_line(one.passage.doc or one.passage.id)) or "–"
        text = _cut(one.passage.text) or scrub(one.passage.id)
        out.append(PassageView(rank, where, text, _HOW[one.how], rank in holding))
    return tuple(out)


def _retrieval(report: Report, question: Question | None, production: Production | None) -> str:
    """Was it retrieval at the time?"""
    if not report.passages:
        return "the report carries no passages"
    if question is None or production is None:
        return "retrieval or not? its evidence will tell"
    return production.why


class ReportStep:
    """A report is in another state. `log` has recorded this change and no other, so that it undoes exactly this one."""

    def __init__(self, door: Door, log: InboxLog, report_id: str, name: str, said: str) -> None:
        self._door = door
        self._log = log
        self._report = report_id
        self._name = name
        self.said = said

    @classmethod
    def set(cls, door: Door, log: InboxLog, item: Item, state: State, qid: str) -> ReportStep:
        """Write it down; on disk when this returns."""
        log.set(item.report.id, state, qid)
        name = origin_of(item.report)
        return cls(door, log, item.report.id, name, _state_words(door, name, state, qid))

    @classmethod
    def of(cls, door: Door, log: InboxLog, change: Change) -> ReportStep:
        """A change of an earlier session, which `log` has just taken back."""
        item = log.get(change.report)
        name = origin_of(item.report) if item else scrub(change.report)
        return cls(door, log, change.report, name, _state_words(door, name, change.state, change.qid))

    @property
    def path(self) -> Path:
        return self._log.path

    def undo(self) -> Undone:
        self._log.undo()
        return self.undone()

    def undone(self) -> Undone:
        """What it is now that it was taken back."""
        item = self._log.get(self._report)
        words = _state_words(self._door, self._name, item.state if item else "open", item.qid if item else "")
        return self._told(f"{words} again")

    def redo(self) -> Undone:
        self._log.redo()
        return self._told(self.said)

    def _told(self, message: str) -> Undone:
        self._door.inbox.wrote(self._log.path)
        return Undone(message, row=self._door.names.shown(self._report))


def _state_words(door: Door, name: str, state: State, qid: str) -> str:
    shown = door.names.shown(qid) if qid else ""
    return {
        "open": f"{name} is open", "done": f"{name} is done" + (f": {shown}" if shown else ""),
        "dismissed": f"{name} is dismissed", "duplicate": f"{name} is a duplicate of {shown}",
    }[state]  # fmt: skip

"""Where one gets from a row of Inbox: a document, a question in Triage, the evidence of a question in Add."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ragtriage_tui.inbox_views import LabelRow, ReportDetail, ReportRow, SafeRow
from ragtriage_tui.screens.under import triage_under

if TYPE_CHECKING:
    from ragtriage_tui.screens.inbox import InboxScreen

__all__ = ["fix_row", "open_row"]


def open_row(screen: InboxScreen) -> None:
    """Enter: what the cursor of the active pane is on, else the next pane that has more of it."""
    row, state = screen.state.current, screen.state
    if isinstance(row, LabelRow):
        place = state.chosen_place
        if place is None:
            screen.say("There is no place to open: f fixes it by hand", "plain")
        else:
            screen.owner.go("Document", doc_id=place.doc_id, at=place.span.start, qid=row.qid)
    elif isinstance(row, ReportRow) and state.report is not None:
        _open_of(screen, row, state.report)
    elif row is not None:
        state.active = "report"


def _open_of(screen: InboxScreen, row: ReportRow, report: ReportDetail) -> None:
    state = screen.state
    twin, candidate = state.chosen_twin, state.candidate
    if state.active == "candidates" and candidate is not None:
        draft = screen.target.draft
        at = candidate.best.span.start if candidate.best.span else None
        screen.owner.go(
            "Document", doc_id=candidate.chunk.doc_id, chunk_id=candidate.chunk.chunk_id, at=at, draft=draft,
            qid="" if draft else report.qid,
        )  # fmt: skip
    elif state.active == "similar" and twin is not None:
        _see(screen, twin.qid)
    elif row.qid and row.state in ("done", "duplicate"):
        _see(screen, row.qid)
    else:
        state.active = "candidates" if state.active != "list" and state.candidates else "report"


def _see(screen: InboxScreen, qid: str) -> None:
    triage = triage_under(screen)
    screen.owner.do_go_triage()
    triage.reload(qid)


def fix_row(screen: InboxScreen) -> None:
    """The evidence of the row's question by hand; why not, where there is no such question."""
    row = screen.state.current
    qid = row.qid if isinstance(row, ReportRow | LabelRow) else ""
    if qid:
        screen.owner.go("Add", qid=qid)
    elif isinstance(row, SafeRow):
        screen.say("s mends these: nothing is left to fix by hand", "plain")
    else:
        screen.say("a makes a question of it, with its evidence", "plain")

"""The rows of Inbox as a list: what is open, then labels, what is done with only where a filter asks for it. No Textual."""

from __future__ import annotations

from dataclasses import dataclass

from ragtriage_tui.inbox_views import InboxRow, InboxView, LabelRow, ReportRow, SafeRow
from ragtriage_tui.listing import Listing, from_the_end

__all__ = ["InboxRows"]


@dataclass
class InboxRows(Listing[InboxRow]):
    """The cursor stays on its row, or where that was. `rows` are all, `visible` those that the filter lets through."""

    def id_of(self, row: InboxRow) -> str:
        return row.id

    def update(self, view: InboxView) -> None:
        """Take new rows, or a new filter."""
        labels: list[InboxRow] = [SafeRow(view.safe)] if view.safe else []
        labels += view.labels
        open_: list[InboxRow] = [row for row in view.reports if row.state == "open"]
        closed: list[InboxRow] = [row for row in view.reports if row.state != "open"]
        self.rows = [*open_, *labels, *closed]
        shown = self.rows if self.text else [*open_, *labels]
        self.show(row for row in shown if _matches(row, self.text))

    def go_to(self, row_id: str) -> bool:
        """To a row by its id; False where it is not in view, and then it may come to be."""
        there = super().go_to(row_id)
        self.wanted = row_id
        return there

    def step(self, step: int) -> str:
        """To the next (1) or previous (-1) thing to do; wraps."""
        todo = [at for at, row in enumerate(self.visible) if not isinstance(row, ReportRow) or row.state == "open"]
        if not todo:
            return "Nothing is to be done here"
        if self.step_among(todo, step):
            return ""
        return "The only one left" if len(todo) == 1 else from_the_end(step)


def _matches(row: InboxRow, text: str) -> bool:
    """Words that must all occur; `is:open|done|dismissed|duplicate|label` and `from:` besides."""
    for word in text.casefold().split():
        key, colon, value = word.partition(":")
        if colon and value and key == "is":
            if not _state(row).startswith(value):
                return False
        elif colon and value and key == "from":
            if not (isinstance(row, ReportRow) and row.source.casefold().startswith(value)):
                return False
        elif word not in _words(row):
            return False
    return True


def _state(row: InboxRow) -> str:
    return row.state if isinstance(row, ReportRow) else "label"


def _words(row: InboxRow) -> str:
    if isinstance(row, ReportRow):
        return f"{row.id} {row.source} {row.qid} {row.text}".casefold()
    if isinstance(row, LabelRow):
        return f"{row.qid} {row.state} {row.text}".casefold()
    return " ".join(f"{one.qid} {one.old}" for one in row.labels).casefold()

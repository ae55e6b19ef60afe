"""The questions of Triage as a list: failures first, what a filter means, where the cursor goes. No Textual in here."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ragtriage_tui.listing import Listing, from_the_end
from ragtriage_tui.views import Overview, QuestionRow

__all__ = ["HOLES", "Questions", "matches", "ordered"]

HOLES = "is:holes"
"""The filter for questions with passages to judge; their order is that in which judging tells most."""

_ORDER = {"fails": 0, "unmeasured": 1, "waiting": 2, "unasked": 3, "nothing": 4, "passes": 5}


def ordered(rows: Sequence[QuestionRow]) -> list[QuestionRow]:
    """Failures first, then what could not be measured, then what waits for an answer, then
    nothing to measure, then passing; file order inside."""
    return sorted(rows, key=lambda row: _ORDER[row.state])


def matches(row: QuestionRow, text: str, overview: Overview) -> bool:
    """Whether a question passes a filter: words that must all occur, `is:open|failing|passing|labelled|old|unasked|holes`,
    `kind:`, `tag:`, `split:`, `cause:2`, `set:1` (the questions of the first sentence of advice)."""
    for word in text.casefold().split():
        key, colon, value = word.partition(":")
        if colon and key in _TESTS and value:
            if not _TESTS[key](row, value, overview):
                return False
        elif word not in f"{row.qid} {row.text}".casefold():
            return False
    return True


def _is(row: QuestionRow, value: str, overview: Overview) -> bool:
    open_ = row.state in ("fails", "unmeasured") and (not row.label or row.old)
    known = {
        "open": open_, "failing": row.state == "fails", "passing": row.state == "passes",
        "labelled": bool(row.label) and not row.old, "old": row.old, "unasked": row.state == "unasked",
        "holes": row.look > 0,
    }  # fmt: skip
    return known.get(value, False)


def _cause(row: QuestionRow, value: str, overview: Overview) -> bool:
    cause = row.label if row.label and not row.old else row.suggested
    return any(
        value == str(category.key) or value in category.slug for category in overview.categories if category.key == cause
    )


def _set(row: QuestionRow, value: str, overview: Overview) -> bool:
    place = int(value) - 1 if value.isascii() and value.isdigit() else -1
    return 0 <= place < len(overview.advice) and row.qid in overview.advice[place].qids


_TESTS = {
    "is": _is,
    "kind": lambda row, value, _: value in row.kind,
    "tag": lambda row, value, _: any(value in tag.casefold() for tag in row.tags),
    "split": lambda row, value, _: value in row.split,
    "cause": _cause,
    "set": _set,
}


@dataclass
class Questions(Listing[QuestionRow]):
    """As long as nobody went anywhere `wanted` is empty and the cursor on the first row, whatever comes to stand there."""

    def id_of(self, row: QuestionRow) -> str:
        return row.qid

    def update(self, overview: Overview) -> None:
        """Take new rows, or a new filter; the cursor stays on its id."""
        place = self._place() if self.wanted else 0
        first = not self.rows
        self.rows = ordered(overview.questions)
        if first and self.row_of(self.wanted) is None:  # where one was is gone since
            self.wanted = ""
        self.visible = [row for row in self.rows if matches(row, self.text, overview)] if self.text else self.rows
        if HOLES in self.text.casefold().split():
            self.visible.sort(key=lambda row: row.look)
        self._settle(place)

    def _place(self) -> int:
        return next((index for index, row in enumerate(self.rows) if row.qid == self.wanted), self.cursor)

    def _settle(self, place: int) -> None:
        if not self.visible:
            self.cursor = 0
            return
        at = self.place_of(self.wanted)
        if at is not None:
            self.cursor = at
            return
        # gone or filtered away: the next one in list order takes its place, and it comes back with the filter
        known = self.row_of(self.wanted) is not None
        after = {row.qid for row in self.rows[self._place() :]} if known else set()
        following = [index for index, row in enumerate(self.visible) if row.qid in after]
        self.cursor = following[0] if following else min(place, len(self.visible) - 1)
        if self.wanted and not known:
            self.wanted = self.here

    def step(self, step: int) -> str:
        """To the next (1) or previous (-1) failure in list order; wraps."""
        failing = [index for index, row in enumerate(self.visible) if row.state == "fails"]
        if not failing:
            return "Nothing fails here"
        if self.step_among(failing, step):
            return ""
        return from_the_end(step, "failure") if len(failing) > 1 else "The only failure"

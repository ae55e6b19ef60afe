"""Order, filter and cursor of a list whose rows have ids; the cursor stays on its id. No Textual in here."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from ragtriage_tui.views import Overview, QuestionRow

__all__ = ["Listing", "Window", "matches", "ordered"]

_ORDER = {"fails": 0, "unmeasured": 1, "waiting": 2, "unasked": 3, "nothing": 4, "passes": 5}


def ordered(rows: Sequence[QuestionRow]) -> list[QuestionRow]:
    """Failures first, then what could not be measured, then what waits for an answer, then
    nothing to measure, then passing; file order inside."""
    return sorted(rows, key=lambda row: _ORDER[row.state])


def matches(row: QuestionRow, text: str, overview: Overview) -> bool:
    """Whether a question passes a filter: words that must all occur, `is:open|failing|passing|labelled|old`, `kind:`,
    `tag:`, `split:`, `cause:2`, `set:1` (the questions of the first sentence of advice)."""
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
        "labelled": bool(row.label) and not row.old, "old": row.old,
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
class Window:
    """Which rows of a list are in view; moves no further than it must."""

    top: int = 0

    def show(self, cursor: int, total: int, height: int) -> range:
        """The rows in view when `cursor` must be among them."""
        if height <= 0:
            return range(0)
        self.top = min(max(self.top, cursor - height + 1), max(cursor, 0), max(total - height, 0))
        self.top = max(self.top, 0)
        return range(self.top, min(self.top + height, total))


@dataclass
class Listing:
    """The questions in their order. `wanted` is the id the user went to; `cursor` is where that is, or the nearest in view.

    As long as nobody went anywhere `wanted` is empty and the cursor on the first row, whatever comes to stand there.
    """

    rows: list[QuestionRow] = field(default_factory=list)
    visible: list[QuestionRow] = field(default_factory=list)
    text: str = ""
    wanted: str = ""
    cursor: int = 0
    window: Window = field(default_factory=Window)

    def update(self, overview: Overview) -> None:
        """Take new rows, or a new filter; the cursor stays on its id."""
        place = self._place(self.wanted) if self.wanted else 0
        first = not self.rows
        self.rows = ordered(overview.questions)
        if first and not self._known(self.wanted):  # where one was is gone since
            self.wanted = ""
        self.visible = [row for row in self.rows if matches(row, self.text, overview)] if self.text else self.rows
        self._settle(place)

    def _place(self, qid: str) -> int:
        return next((index for index, row in enumerate(self.rows) if row.qid == qid), self.cursor)

    def _settle(self, place: int) -> None:
        if not self.visible:
            self.cursor = 0
            return
        for index, row in enumerate(self.visible):
            if row.qid == self.wanted:
                self.cursor = index
                return
        # gone or filtered away: the next one in list order takes its place, and it comes back with the filter
        after = {row.qid for row in self.rows[self._place(self.wanted) :]} if self._known(self.wanted) else set()
        following = [index for index, row in enumerate(self.visible) if row.qid in after]
        self.cursor = following[0] if following else min(place, len(self.visible) - 1)
        if self.wanted and not self._known(self.wanted):
            self.wanted = self.visible[self.cursor].qid

    def _known(self, qid: str) -> bool:
        return any(row.qid == qid for row in self.rows)

    @property
    def current(self) -> QuestionRow | None:
        return self.visible[self.cursor] if self.visible else None

    def stay(self) -> None:
        """The user did something on the row under the cursor: it is where they went."""
        if self.current is not None and not self._known(self.wanted):
            self.wanted = self.current.qid

    def move(self, step: int) -> bool:
        """Move by rows, stopping at the ends; whether it moved."""
        return self.go(self.cursor + step)

    def go(self, index: int) -> bool:
        """Move to a row, stopping at the ends; whether it moved."""
        if not self.visible:
            return False
        index = min(max(index, 0), len(self.visible) - 1)
        moved = index != self.cursor
        self.cursor = index
        self.wanted = self.visible[index].qid
        return moved

    def go_to(self, qid: str) -> bool:
        """Move to a question; False where it is not in view."""
        for index, row in enumerate(self.visible):
            if row.qid == qid:
                self.go(index)
                return True
        return False

    def step_failure(self, step: int) -> str:
        """To the next (1) or previous (-1) failure in list order; wraps. Returns what to say: empty, or why."""
        failing = [index for index, row in enumerate(self.visible) if row.state == "fails"]
        if not failing:
            return "Nothing fails here"
        if step > 0:
            ahead = [index for index in failing if index > self.cursor]
            self.go(ahead[0] if ahead else failing[0])
            return "" if ahead else "From the first failure again" if len(failing) > 1 else "The only failure"
        behind = [index for index in failing if index < self.cursor]
        self.go(behind[-1] if behind else failing[-1])
        return "" if behind else "From the last failure again" if len(failing) > 1 else "The only failure"

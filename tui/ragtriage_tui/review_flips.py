"""The flips of a review as a list: order, groups, filter and cursor, which stays on its id. No Textual in here."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from ragtriage_tui.listing import Window
from ragtriage_tui.review_views import FlipRow, ReviewView
from ragtriage_tui.views import CategoryView

__all__ = ["Entry", "Flips", "entries", "flip_matches"]

_GROUPS = ("broken", "errored", "fixed")


def _group(row: FlipRow) -> tuple[int, str]:
    """Where a row stands: retrieval before answers, what only moved last."""
    if row.moved:
        return 6, "moved"
    place = _GROUPS.index(row.change)
    return (place, row.change) if row.half == "retrieval" else (3 + place, f"answers {row.change}")


class Entry(NamedTuple):
    """A line of the list: a flip by its place among those in view, or a heading."""

    at: int = -1
    heading: str = ""


def entries(rows: Sequence[FlipRow], *, headings: bool) -> list[Entry]:
    """The list's lines. Without headings only the answers keep one: they are apart from retrieval at every size."""
    out: list[Entry] = []
    before = ""
    for index, row in enumerate(rows):
        place, name = _group(row)
        title = name if headings else "answers" if 3 <= place < 6 else "moved" if before == "answers" else ""
        if title and title != before:
            count = sum(_group(other) == (place, name) for other in rows) if headings else 0
            out.append(Entry(heading=f"{title} {count}" if count else title))
        before = title
        out.append(Entry(index))
    return out


def flip_matches(row: FlipRow, text: str, categories: Sequence[CategoryView] = ()) -> bool:
    """Whether a flip passes a filter: words that must all occur, `is:open|reviewed|broken|fixed|errored|moved|answer|intended`,
    `kind:`, `tag:`, `cause:2`."""
    for word in text.casefold().split():
        key, colon, value = word.partition(":")
        if colon and value and key == "is":
            known = {"open": not row.moved and not row.reviewed, "reviewed": row.reviewed, "moved": row.moved,
                     "answer": row.half == "answer" and not row.moved, "intended": row.decided == "intended"}  # fmt: skip
            if not known.get(value, value == row.change):
                return False
        elif colon and value and key == "kind":
            if value not in row.kind.casefold():
                return False
        elif colon and value and key == "tag":
            if not any(value in tag.casefold() for tag in row.tags):
                return False
        elif colon and value and key == "cause":
            cause = row.label or row.suggested
            if not any(value in (str(one.key), one.slug) for one in categories if one.key == cause):
                return False
        elif word not in f"{row.qid} {row.text}".casefold():
            return False
    return True


@dataclass
class Flips:
    """The flips in their order; the cursor stays on its id. `wanted` is the id the user went to."""

    rows: list[FlipRow] = field(default_factory=list)
    visible: list[FlipRow] = field(default_factory=list)
    text: str = ""
    wanted: str = ""
    cursor: int = 0
    window: Window = field(default_factory=Window)

    def update(self, view: ReviewView) -> None:
        """Take new rows, or a new filter."""
        place = next((at for at, row in enumerate(self.rows) if row.qid == self.wanted), self.cursor)
        before = [row.qid for row in self.rows[place:]]
        self.rows = sorted(view.flips, key=lambda row: _group(row)[0])
        self.visible = [row for row in self.rows if flip_matches(row, self.text, view.categories)] if self.text else self.rows
        if not self.visible:
            self.cursor = 0
            return
        here = {row.qid: at for at, row in enumerate(self.visible)}
        following = (here[qid] for qid in [self.wanted, *before] if qid in here)
        if not self.wanted:  # where nobody went anywhere: what is still open comes first
            self.cursor = next((at for at, row in enumerate(self.visible) if not row.moved and not row.reviewed), 0)
            return
        self.cursor = next(following, min(place, len(self.visible) - 1))

    @property
    def current(self) -> FlipRow | None:
        return self.visible[self.cursor] if self.visible else None

    def stay(self) -> None:
        """The user did something on the row under the cursor: it is where they went."""
        if self.current is not None and not any(row.qid == self.wanted for row in self.rows):
            self.wanted = self.current.qid

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
        """Move to a flip; False where it is not in view."""
        at = next((at for at, row in enumerate(self.visible) if row.qid == qid), -1)
        return at >= 0 and (self.go(at) or True)

    def step(self, step: int) -> str:
        """To the next (1) or previous (-1) flip that waits for a verdict, or, where none does, to any that had to be
        reviewed; wraps. Returns what to say: empty, or why."""
        flips = [at for at, row in enumerate(self.visible) if not row.moved]
        waiting = [at for at in flips if not self.visible[at].reviewed]
        places = waiting or flips
        if not places:
            return "Nothing flipped here" if self.text else "Nothing flipped; the rest only moved"
        if places == [self.cursor]:
            return "The only one that is left" if waiting else "The only flip"
        ahead = [at for at in places if (at > self.cursor if step > 0 else at < self.cursor)]
        end = 0 if step > 0 else -1
        self.go(ahead[end] if ahead else places[end])
        if ahead:
            return ""
        return f"From the {'first' if step > 0 else 'last'} flip again" + ("" if waiting else "; all are reviewed")

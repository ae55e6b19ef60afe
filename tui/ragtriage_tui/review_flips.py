"""The flips of a review as a list: order, groups, filter and cursor, which stays on its id. No Textual in here."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from ragtriage_tui.listing import Listing, from_the_end
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
class Flips(Listing[FlipRow]):
    """The flips in their order; as long as nobody went anywhere the cursor is on the first that waits for a verdict."""

    def id_of(self, row: FlipRow) -> str:
        return row.qid

    def update(self, view: ReviewView) -> None:
        """Take new rows, or a new filter."""
        place = next((at for at, row in enumerate(self.rows) if row.qid == self.wanted), self.cursor)
        before = [row.qid for row in self.rows[place:]]
        self.rows = sorted(view.flips, key=lambda row: _group(row)[0])
        self.visible = [row for row in self.rows if flip_matches(row, self.text, view.categories)] if self.text else self.rows
        if not self.visible:
            self.cursor = 0
            return
        if not self.wanted:
            self.cursor = next((at for at, row in enumerate(self.visible) if not row.moved and not row.reviewed), 0)
            return
        here = {row.qid: at for at, row in enumerate(self.visible)}
        following = (here[qid] for qid in [self.wanted, *before] if qid in here)
        self.cursor = next(following, min(place, len(self.visible) - 1))

    def step(self, step: int) -> str:
        """To the next (1) or previous (-1) flip that waits for a verdict, or, where none does, to any that had to be
        reviewed; wraps."""
        flips = [at for at, row in enumerate(self.visible) if not row.moved]
        waiting = [at for at in flips if not self.visible[at].reviewed]
        places = waiting or flips
        if not places:
            return "Nothing flipped here" if self.text else "Nothing flipped; the rest only moved"
        if places == [self.cursor]:
            return "The only one that is left" if waiting else "The only flip"
        if self.step_among(places, step):
            return ""
        return from_the_end(step, "flip") + ("" if waiting else "; all are reviewed")

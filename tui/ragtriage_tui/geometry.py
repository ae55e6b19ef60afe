"""How a screen is divided at each size. No Textual in here."""

from __future__ import annotations

from typing import NamedTuple

__all__ = ["SMALLEST", "Geometry", "geometry", "too_small"]

SMALLEST = (40, 10)


class Geometry(NamedTuple):
    """`left` and `right` are the cells of the two columns (one cell between them is the line); `body` the rows between
    header and footer. `ids`: question ids in lists; `full`: full names of causes; `side`: answers side by side;
    `snippets`: chunk texts beside their ids; `answers`: the answers have their own pane; `single`: one pane at a time."""

    width: int
    height: int
    left: int
    ids: bool
    full: bool
    side: bool
    snippets: bool
    answers: bool
    single: bool

    @property
    def right(self) -> int:
        return self.width - self.left - 1

    @property
    def body(self) -> int:
        return self.height - 2


def geometry(width: int, height: int) -> Geometry:
    """The division of a screen of `width` by `height` cells."""
    if width < 60 or height < 15:
        return Geometry(width, height, width, False, False, False, False, True, True)
    if width < 80:
        return Geometry(width, height, 22, False, False, False, False, False, False)
    if width < 100:
        return Geometry(width, height, 26, False, False, False, True, True, False)
    if width < 116:
        return Geometry(width, height, 32, True, False, True, True, True, False)
    return Geometry(width, height, 39, True, True, True, True, True, False)


def too_small(width: int, height: int) -> str:
    """Why nothing can be drawn, or an empty string."""
    if width < SMALLEST[0] or height < SMALLEST[1]:
        return f"Too small: {width}x{height}, needs {SMALLEST[0]}x{SMALLEST[1]}"
    return ""

"""Charts of text: the marked row and the one under the cursor as lines, or all rows as points. No Textual in here.

plotext draws them. It keeps what it draws in one place, so that one thread may draw.
"""

from __future__ import annotations

import functools
import math
import re
from collections.abc import Sequence
from typing import NamedTuple

from ragtriage_tui.rows import Line, Role, Seg, joined
from ragtriage_tui.sweep_cells import share_text

__all__ = ["Series", "drawn", "ready"]

_CONTROL = re.compile(r"\x1b\[[0-9;]*m")
_DOTS = "".join(map(chr, range(0xE000, 0xE003)))  # what lines are drawn with, until each has its colour
_LEAST = (16, 5)


class Series(NamedTuple):
    """Points (x, y), a mark for them or `·`, and whether a line leads through them."""

    points: tuple[tuple[float, float], ...]
    mark: str
    role: Role
    line: bool = True


def ready() -> None:
    """Import what draws, ahead of time: that takes a tenth of a second, which no key should wait for."""
    import plotext

    plotext.clear_figure()


@functools.lru_cache(maxsize=16)
def drawn(series: tuple[Series, ...], ticks: tuple[tuple[float, str], ...], cells: int, height: int) -> tuple[Line, ...]:
    """The chart in `height` rows of `cells`; `ticks` are those of x. Empty where there is no room, or no point."""
    points = [point for one in series for point in one.points]
    if cells < _LEAST[0] or height < _LEAST[1] or not points:
        return ()
    import plotext

    low, high, step = _scale([y for _, y in points])
    plotext.clear_figure()
    plotext.theme("clear")
    plotext.limit_size(False, False)
    plotext.plot_size(cells, height)
    for number, one in enumerate(series):
        dot = _DOTS[number % len(_DOTS)]
        if one.line and len(one.points) > 1:
            plotext.plot(*zip(*one.points, strict=True), marker=dot)
    for number, one in enumerate(series):
        if one.points:
            mark = _DOTS[number % len(_DOTS)] if one.mark == "·" else one.mark
            plotext.scatter(*zip(*one.points, strict=True), marker=mark)
    plotext.ylim(low, high)
    values = [low + step * number for number in range(round((high - low) / step) + 1)]
    plotext.yticks(values, [_tick(value, step) for value in values])
    plotext.xticks([x for x, _ in ticks], [text for _, text in ticks])
    plotext.xaxes(True, False)
    plotext.yaxes(True, False)
    text = _CONTROL.sub("", plotext.build())
    roles = {one.mark: one.role for one in series if one.mark != "·"}
    roles |= {_DOTS[number % len(_DOTS)]: one.role for number, one in enumerate(series)}
    return tuple(_line(row, roles) for row in text.splitlines()[:height])


def _line(row: str, roles: dict[str, Role]) -> Line:
    return joined(*(Seg("·" if sign in _DOTS else sign, roles.get(sign, "dim")) for sign in row.rstrip()))


def _scale(values: Sequence[float]) -> tuple[float, float, float]:
    """Where the axis begins and ends, and its steps."""
    low, high = min(values), max(values)
    step = next((step for step in (0.01, 0.02, 0.05, 0.1, 0.2) if (high - low) / step <= 4), 0.25)
    bottom, top = math.floor(low / step + 1e-9) * step, math.ceil(high / step - 1e-9) * step
    if top - bottom < step:  # all alike; a share ends at 1
        bottom, top = (top - step, top) if top > 1 - step / 2 else (bottom, bottom + step)
    return round(bottom, 6), round(top, 6), step


def _tick(value: float, step: float) -> str:
    text = share_text(value)
    return text if step < 0.1 or value >= 1 else text.removesuffix("0") if len(text) > 2 else text

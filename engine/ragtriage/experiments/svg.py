"""Recall against tokens of context or search time, as one small SVG file without scripts or fonts of its own."""

from __future__ import annotations

import math
from collections.abc import Sequence
from html import escape
from typing import Literal, NamedTuple

from ragtriage.experiments.table import Row, Table

__all__ = ["Axis", "to_svg"]

Axis = Literal["tokens", "latency"]

_WIDTH, _HEIGHT = 860, 460
_LEFT, _RIGHT, _TOP, _BOTTOM = 60, 320, 30, 50
_COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#555555")
_MOST_NAMED = 18


class _Scale(NamedTuple):
    low: float
    high: float

    def at(self, value: float) -> float:
        return (value - self.low) / (self.high - self.low) if self.high > self.low else 0.5


def to_svg(table: Table, axis: Axis = "tokens") -> str:
    """Evidence recall by tokens of context, a line a configuration; or recall@k by the median search time, a point each."""
    lines = [(row, _points(row, axis, table.budgets)) for row in table.rows]
    lines = [(row, points) for row, points in lines if points]
    xs = [x for _, points in lines for x, _ in points] or [0.0, 1.0]
    ys = [y for _, points in lines for _, y in points] or [0.0, 1.0]
    across = _Scale(min(xs), max(xs))
    up = _up(ys)
    title = "Evidence recall by tokens of context" if axis == "tokens" else f"recall@{table.at} by median search time"
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH} {_HEIGHT}" font-family="sans-serif" font-size="12">',
        f"<title>{title}</title>",
        f'<rect width="{_WIDTH}" height="{_HEIGHT}" fill="#ffffff"/>',
        f'<text x="{_LEFT}" y="18" font-weight="bold">{title}</text>',
        *_frame(across, up, axis, table.budgets),
    ]
    for number, (row, points) in enumerate(lines):
        colour = "#000000" if row is table.current else _COLOURS[number % len(_COLOURS)]
        parts += _line([(_x(across, x), _y(up, y)) for x, y in points], colour, wide=row in (table.current, table.winner))
        if number < _MOST_NAMED:
            mark = "■ " if row is table.current else "▸ " if row is table.winner else ""
            where = f'x="{_WIDTH - _RIGHT + 20}" y="{_TOP + 16 + number * 20}"'
            parts.append(f'<text {where} fill="{colour}">{escape(mark + _shown(row.name))}</text>')
    if len(lines) > _MOST_NAMED:
        where = f'x="{_WIDTH - _RIGHT + 20}" y="{_TOP + 16 + _MOST_NAMED * 20}"'
        parts.append(f"<text {where}>and {len(lines) - _MOST_NAMED} more</text>")
    return "\n".join([*parts, "</svg>", ""])


def _up(values: Sequence[float]) -> _Scale:
    """Steps of 0.05 around shares, which end at 1."""
    low, high = math.floor(min(values) * 20), math.ceil(max(values) * 20)
    if low == high:
        low, high = (low - 1, high) if high >= 20 else (low, high + 1)
    return _Scale(low / 20, high / 20)


def _points(row: Row, axis: Axis, budgets: Sequence[int]) -> list[tuple[float, float]]:
    if axis == "tokens":
        return [(float(tokens), value) for tokens in budgets if (value := row.budget(tokens)) is not None]
    took, value = row.timings.get("query_ms"), row.metric(f"recall@{row.k}")
    return [(took, value)] if took is not None and value is not None else []


def _shown(name: str) -> str:
    """A name without what XML cannot hold."""
    return "".join(character if character.isprintable() else "\ufffd" for character in name[:48])


def _x(scale: _Scale, value: float) -> float:
    return _LEFT + scale.at(value) * (_WIDTH - _LEFT - _RIGHT)


def _y(scale: _Scale, value: float) -> float:
    return _HEIGHT - _BOTTOM - scale.at(value) * (_HEIGHT - _TOP - _BOTTOM)


def _frame(across: _Scale, up: _Scale, axis: Axis, budgets: Sequence[int]) -> list[str]:
    right, bottom = _WIDTH - _RIGHT, _HEIGHT - _BOTTOM
    out = [f'<path d="M{_LEFT} {_TOP}V{bottom}H{right}" fill="none" stroke="#888888"/>']
    steps = max(1, round((up.high - up.low) / 0.05))
    for step in range(0, steps + 1, max(1, steps // 6)):
        value = up.low + (up.high - up.low) * step / steps
        out.append(f'<text x="{_LEFT - 8}" y="{_y(up, value) + 4:.1f}" text-anchor="end">{value:.2f}</text>')
    marks: Sequence[float] = budgets if axis == "tokens" else (across.low, (across.low + across.high) / 2, across.high)
    for value in dict.fromkeys(marks):
        if across.low <= value <= across.high:
            said = f"{value:,.0f}" if axis == "tokens" else f"{value:.1f}"
            out.append(f'<text x="{_x(across, value):.1f}" y="{bottom + 18}" text-anchor="middle">{said}</text>')
    unit = "tokens" if axis == "tokens" else "ms"
    out.append(f'<text x="{(_LEFT + right) / 2:.1f}" y="{bottom + 38}" text-anchor="middle">{unit}</text>')
    return out


def _line(points: Sequence[tuple[float, float]], colour: str, *, wide: bool) -> list[str]:
    out = [f'<circle cx="{x:.1f}" cy="{y:.1f}" r="{4 if wide else 3}" fill="{colour}"/>' for x, y in points]
    if len(points) > 1:
        path = "L".join(f"{x:.1f} {y:.1f}" for x, y in points)
        out.insert(0, f'<path d="M{path}" fill="none" stroke="{colour}" stroke-width="{2.5 if wide else 1.2}"/>')
    return out

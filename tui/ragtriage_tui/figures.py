"""Numbers, counts and short texts as every report writes them. No terminal codes, no engine."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ragtriage_tui.text import one_line, wrap

__all__ = [
    "Marks", "bar", "change_interval", "clip_text", "count", "interval", "number", "p_value", "sent_rows", "signed", "some",
    "wrapped",
]  # fmt: skip

_ASCII = str.maketrans("✗✓●◐■▸·…━─╌│⋯–—›→“”↑↓", 'xy@o#>-~=--|~-->>""^v')
BAR = 20
_COLUMNS = 80


@dataclass(frozen=True, slots=True)
class Marks:
    """Lines for a terminal without Unicode: our own marks by the table in the help. What users wrote stays as it is."""

    ascii: bool = False

    def __call__(self, line: str) -> str:
        return line.translate(_ASCII) if self.ascii else line


def number(value: float | None, *, sign: bool = False) -> str:
    """Three decimals; a dash where there is no value."""
    if value is None:
        return "–"
    return f"{value:+.3f}" if sign else f"{value:.3f}"


def signed(value: float | None) -> str:
    """A change, with three decimals and its sign; a change of nothing has none."""
    return "–" if value is None else "0.000" if round(value, 3) == 0 else number(value, sign=True)


def change_interval(low: float | None, high: float | None) -> str:
    """The 95 % interval of a change; where there is none, nothing changed."""
    return "no change seen" if low is None or high is None else f"{low:+.3f}, {high:+.3f}"


def p_value(p: float) -> str:
    """Three decimals, as far as they say something."""
    return "<0.001" if p < 0.001 else f"{p:.3f}"


def bar(value: float | None, cells: int = BAR) -> str:
    """`value` between 0 and 1 as a bar."""
    full = round(min(max(value or 0.0, 0.0), 1.0) * cells)
    return "━" * full + "╌" * (cells - full)


def clip_text(text: str, length: int) -> str:
    """`text` on one line, at most `length` characters."""
    flat = one_line(text)
    return flat if len(flat) <= length else flat[: length - 1].rstrip() + "…"


def count(number: int, noun: str) -> str:
    """`1 document`, `2 documents`."""
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"


def interval(mean: Mapping[str, Any]) -> str:
    """`0.625–0.875`: the 95 % interval of a mean, a dash where there is none."""
    return "–" if mean["low"] is None or mean["high"] is None else f"{mean['low']:.3f}–{mean['high']:.3f}"


def sent_rows(timings: Sequence[Mapping[str, Any]], stage: str) -> list[Mapping[str, Any]]:
    """The rows of timings.jsonl about replies of a stage that were sent for the run: what was paid for it, each once."""
    return [row for row in timings if row.get("stage") == stage and not row.get("cached") and not row.get("same_as")]


def wrapped(text: str, indent: str = "  ") -> list[str]:
    """`text` in rows of at most 80 cells, all but the first indented."""
    first, *rest = wrap(text, _COLUMNS)
    rows = [text[first.start : first.end]]
    if rest:
        tail = text[rest[0].start :]
        rows += [indent + tail[place.start : place.end] for place in wrap(tail, _COLUMNS - len(indent))]
    return rows


def some(names: Sequence[str], most: int = 8) -> str:
    """`q001, q004 and 12 more`, whatever the names hold."""
    names = [*map(one_line, names[:most]), *names[most:]]
    return ", ".join(names[:most]) + (f" and {len(names) - most} more" if len(names) > most else "")

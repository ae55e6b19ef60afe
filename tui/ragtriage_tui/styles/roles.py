"""Roles of `rows.Role` as Rich styles: `dark` with colours of the xterm-256 cube only, `ansi` with the terminal's own."""

from __future__ import annotations

from collections.abc import Mapping

from rich.style import Style

from ragtriage_tui.rows import Line, Role, Seg

__all__ = ["BACKGROUND", "STYLES", "settle"]

BACKGROUND = {"dark": "#1c1c1c", "ansi": "ansi_default"}

_BLUE, _GREEN, _AMBER, _TEAL = "#87afd7", "#87af87", "#d7af5f", "#005f5f"
_BAR = "#005f87"


def _dark(color: str, *, bold: bool = False, on: str = BACKGROUND["dark"]) -> Style:
    return Style(color=color, bgcolor=on, bold=bold or None)


_DARK: dict[Role, Style] = {
    "text": _dark("#bcbcbc"),
    "strong": _dark("#eeeeee", bold=True),
    "dim": _dark("#8a8a8a"),
    "rule": _dark("#585858"),
    "active": _dark(_BLUE),
    "evidence": _dark("#000000", on=_AMBER),
    "mark": _dark(_AMBER),
    "fail": _dark("#ff8787", bold=True),
    "pass": _dark(_GREEN),
    "warn": _dark(_AMBER),
    "key": _dark("#000000", bold=True, on=_BLUE),
    "bar": _dark("#ffffff", on=_BAR),
    "bar-strong": _dark("#ffffff", bold=True, on=_BAR),
    "bar-fail": _dark("#ffffff", bold=True, on=_BAR),
    "caret": _dark("#1c1c1c", on="#bcbcbc"),
    "select": _dark("#ffffff", on=_TEAL),
    "select-strong": _dark("#ffffff", bold=True, on=_TEAL),
}

_ANSI: dict[Role, Style] = {
    "text": Style(),
    "strong": Style(bold=True),
    "dim": Style(dim=True),
    "rule": Style(dim=True),
    "active": Style(color="cyan"),
    "evidence": Style(color="black", bgcolor="yellow", underline=True),
    "mark": Style(),
    "fail": Style(color="red", bold=True),
    "pass": Style(color="green"),
    "warn": Style(color="yellow"),
    "key": Style(bold=True, reverse=True),
    "bar": Style(reverse=True),
    "bar-strong": Style(bold=True, reverse=True),
    "bar-fail": Style(bold=True, reverse=True),
    "caret": Style(reverse=True),
    "select": Style(reverse=True),
    "select-strong": Style(bold=True, reverse=True),
}

STYLES: Mapping[str, Mapping[Role, Style]] = {"dark": _DARK, "ansi": _ANSI}

# Roles of which a blank shows nothing: no background of their own, no underline.
_PLAIN: frozenset[Role] = frozenset({"text", "strong", "dim", "rule", "active", "mark", "fail", "pass", "warn"})


def settle(line: Line) -> Line:
    """`line` with as few segments as look the same: neighbours of one role joined, blanks in the style before them."""
    out: list[Seg] = []
    for text, role in line:
        if not text:
            continue
        if out:
            before = out[-1]
            if before.role == role or (before.role in _PLAIN and role in _PLAIN and text.isspace()):
                out[-1] = Seg(before.text + text, before.role)
                continue
            if before.text.isspace() and before.role in _PLAIN and role in _PLAIN:
                out[-1] = Seg(before.text + text, role)
                continue
        out.append(Seg(text, role))
    return tuple(out)

"""What the terminal can do, decided before Textual is imported. No Textual in here."""

from __future__ import annotations

import contextlib
from collections.abc import Mapping

__all__ = ["choose_look", "clipboard_sequence", "colours", "draws_marks", "prepare"]

COPY_LIMIT = 100_000
"""Bytes of base64 that terminals take by OSC 52 at least (xterm's and tmux's limits lie above)."""


def colours(environ: Mapping[str, str]) -> int:
    """How many colours the terminal shows: 2^24, 256, 16 or less."""
    if environ.get("COLORTERM", "").casefold() in ("truecolor", "24bit"):
        return 1 << 24
    term = environ.get("TERM", "")
    if term.endswith("-direct"):
        return 1 << 24
    if "256" in term or term in ("xterm-kitty", "xterm-ghostty", "alacritty", "foot", "wezterm"):
        return 256
    with contextlib.suppress(Exception):  # a terminfo entry may be missing or broken in many ways; the name decides then
        import curses

        curses.setupterm(term, fd=2)
        return max(curses.tigetnum("colors"), 0)
    return 16


def choose_look(environ: Mapping[str, str], wanted: str = "") -> str:
    """`dark` or `ansi`: NO_COLOR and 16 colours get the terminal's own."""
    if environ.get("NO_COLOR") is not None or colours(environ) < 256:
        return "ansi"
    return wanted or "dark"


def draws_marks(environ: Mapping[str, str], encoding: str) -> bool:
    """Whether a terminal of this encoding draws the marks and rules: the console of Linux has no font for them."""
    name = encoding.casefold().replace("-", "").replace("_", "")
    return name.startswith("utf") and environ.get("TERM") != "linux"


def prepare(environ: Mapping[str, str]) -> dict[str, str]:
    """Variables to set before Textual is imported. The palette lies inside the xterm-256 cube, so 256 colours give the same
    picture for a fifth fewer bytes."""
    out = {}
    if "TEXTUAL_COLOR_SYSTEM" not in environ:
        shown = colours(environ)
        out["TEXTUAL_COLOR_SYSTEM"] = "256" if shown >= 256 else "standard"
    if "ESCDELAY" not in environ:
        out["ESCDELAY"] = "100"
    return out


def clipboard_sequence(text: str, environ: Mapping[str, str]) -> str | None:
    """OSC 52 that puts `text` on the clipboard, wrapped for tmux and screen; None where it is too long to arrive."""
    import base64

    data = base64.b64encode(text.encode("utf-8", "replace")).decode("ascii")
    if len(data) > COPY_LIMIT:
        return None
    sequence = f"\x1b]52;c;{data}\x07"
    if environ.get("TMUX"):
        return "\x1bPtmux;" + sequence.replace("\x1b", "\x1b\x1b") + "\x1b\\"
    if environ.get("TERM", "").startswith("screen"):
        # GNU screen passes on at most 768 bytes a string
        body = sequence[:-1]
        parts = [body[start : start + 700] for start in range(0, len(body), 700)]
        return "".join(f"\x1bP{part}\x1b\\" for part in parts) + "\x1bP\x07\x1b\\"
    return sequence

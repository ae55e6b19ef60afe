"""What the terminal can do, and what is done about it."""

from __future__ import annotations

import base64
import os
from pathlib import Path

import pytest

from ragtriage_tui.external import editor_command, pager_command
from ragtriage_tui.terminal import choose_look, clipboard_sequence, colours, prepare
from ragtriage_tui.workers import DoorError


@pytest.mark.parametrize(
    ("environ", "count"),
    [
        ({"TERM": "xterm-256color"}, 256), ({"TERM": "tmux-256color"}, 256), ({"TERM": "alacritty"}, 256),
        ({"TERM": "xterm", "COLORTERM": "truecolor"}, 1 << 24), ({"TERM": "xterm-direct"}, 1 << 24),
        ({"TERM": "linux"}, 8),
    ],
)  # fmt: skip
def test_colours(environ: dict[str, str], count: int) -> None:
    assert colours(environ) == count or (count < 256 and colours(environ) == 16)  # 16: no terminfo here


def test_the_look_follows_the_terminal_unless_the_user_chose() -> None:
    many = {"TERM": "xterm-256color"}
    assert choose_look(many) == "dark"
    assert choose_look(many, "ansi") == "ansi"
    assert choose_look({**many, "NO_COLOR": "1"}) == "ansi"
    assert choose_look({**many, "NO_COLOR": ""}) == "ansi"
    assert choose_look({"TERM": "linux"}, "dark") == "ansi"


def test_textual_is_told_of_256_colours_because_the_palette_needs_no_more() -> None:
    assert prepare({"TERM": "xterm-256color", "COLORTERM": "truecolor"})["TEXTUAL_COLOR_SYSTEM"] == "256"
    assert prepare({"TERM": "linux"})["TEXTUAL_COLOR_SYSTEM"] == "standard"
    assert "TEXTUAL_COLOR_SYSTEM" not in prepare({"TERM": "linux", "TEXTUAL_COLOR_SYSTEM": "truecolor"})


def test_the_clipboard_is_reached_through_tmux_and_screen() -> None:
    data = base64.b64encode("30 Tage ✓".encode()).decode()
    assert clipboard_sequence("30 Tage ✓", {}) == f"\x1b]52;c;{data}\x07"
    wrapped = clipboard_sequence("30 Tage ✓", {"TMUX": "/tmp/x", "TERM": "tmux-256color"})
    assert wrapped == f"\x1bPtmux;\x1b\x1b]52;c;{data}\x07\x1b\\"
    parts = clipboard_sequence("x" * 3000, {"TERM": "screen"})
    assert parts is not None
    assert max(map(len, parts.split("\x1bP"))) <= 768
    assert parts.replace("\x1bP", "").replace("\x1b\\", "") == f"\x1b]52;c;{base64.b64encode(b'x' * 3000).decode()}\x07"


def test_too_much_for_a_clipboard_is_not_sent() -> None:
    assert clipboard_sequence("x" * 80_000, {}) is None


def test_editors_get_the_line_where_they_take_one() -> None:
    assert editor_command({"EDITOR": "vim"}, "f", 12) == ["vim", "+12", "f"]
    assert editor_command({"VISUAL": "code --wait", "EDITOR": "vim"}, "f", 12) == ["code", "--wait", "f"]
    assert editor_command({}, "f") == ["vi", "f"]
    assert pager_command({}, "f") == ["less", "f"]
    with pytest.raises(DoorError, match="cannot be read"):
        editor_command({"EDITOR": "vim 'x"}, "f")
    with pytest.raises(DoorError, match="is empty"):
        pager_command({"PAGER": " "}, "f")


def test_what_textual_is_told_is_not_left_to_editors_and_other_tests(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from ragtriage_tui import app, window

    class Silent:
        farewell, return_code = "", 0

        def __init__(self, *words: object, **more: object) -> None:
            seen.append(dict(os.environ))

        def run(self, *, mouse: bool) -> int:
            return 0

    seen: list[dict[str, str]] = []
    monkeypatch.setattr(window, "RagtriageApp", Silent)
    monkeypatch.delenv("TEXTUAL_COLOR_SYSTEM", raising=False)
    before = dict(os.environ)
    assert app.run_app(tmp_path) == 0
    assert seen == [before]

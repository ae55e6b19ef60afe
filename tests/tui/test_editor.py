"""A text field as view state."""

from __future__ import annotations

import random

from tests.soak import rounds
from tests.tui.demo import HOSTILE

from ragtriage_tui.editor import Editor
from ragtriage_tui.rows import length


def typed(keys: list[str], text: str = "", *, lines: int = 1) -> Editor:
    editor = Editor(text, lines=lines)
    for key in keys:
        editor.key(key)
    return editor


def test_letters_are_text_and_other_keys_are_not_ours() -> None:
    editor = typed([*"ab", "space", "c"])
    assert editor.text == "ab c"
    assert not editor.key("enter").mine
    assert not editor.key("ctrl+p").mine
    assert not editor.key("f1").mine
    assert editor.text == "ab c"


def test_moving_and_cutting() -> None:
    assert typed(["backspace"], "abc").text == "ab"
    assert typed(["home", "delete"], "abc").text == "bc"
    assert typed(["ctrl+a", "x"], "abc").text == "xabc"
    assert typed(["left", "x", "ctrl+e", "y"], "abc").text == "abxcy"
    assert typed(["ctrl+w"], "one two ").text == "one "
    assert typed(["ctrl+u"], "one two").text == ""
    assert typed(["ctrl+left", "ctrl+k"], "one two").text == "one "
    assert typed(["home", "ctrl+right", "!"], "one two").text == "one! two"
    assert typed(["backspace", "delete", "left", "right"], "").text == ""


def test_a_paste_keeps_its_lines_only_where_there_are_some() -> None:
    one, many = Editor(), Editor(lines=2)
    one.insert("a\r\nb\rc")
    many.insert("a\r\nb\rc")
    assert one.text == "a b c"
    assert many.text == "a\nb\nc"


def test_a_paste_is_scrubbed_and_bounded() -> None:
    editor = Editor(lines=2)
    editor.insert(HOSTILE)
    assert "\x1b" not in editor.text
    editor.insert("x" * 300_000)
    assert len(editor.text) == 100_000


def test_the_caret_is_always_seen() -> None:
    draw = random.Random(3)
    keys = [*"ab日 ", "left", "right", "home", "end", "backspace", "delete", "ctrl+w", "ctrl+left", "ctrl+right"]
    for _ in range(rounds(60, 3000)):
        editor = Editor(lines=draw.choice((1, 2)))
        cells = draw.randrange(4, 20)
        for _ in range(40):
            editor.key(draw.choice(keys))
            rows = editor.draw(cells, caret=True)
            assert len(rows) == editor.lines
            assert sum(seg.role == "caret" for row in rows for seg in row) == 1
            assert all(length(row) <= cells + 1 for row in rows)


def test_without_the_keys_there_is_no_caret() -> None:
    assert Editor("text").draw(10, caret=False) == [(("text", "strong"),)]
    assert Editor("").draw(10, caret=False, empty="say it")[0] == (("say it", "dim"),)


def test_rows_of_a_longer_field_are_walked() -> None:
    editor = Editor("one two three four", lines=3)
    assert editor.move_row(-1, 9)
    assert editor.text[: editor.caret] == "one two thre"
    assert editor.move_row(-1, 9)
    assert editor.text[: editor.caret] == "one "
    assert not Editor("one").move_row(1, 9)

"""What reaches standard output: text without anything a terminal would obey, and JSON that is only JSON."""

from __future__ import annotations

import io
import json
import os

import pytest

from ragtriage_tui.output import Output, encode_json
from ragtriage_tui.progress import ProgressLine, ProgressLog, duration

HOSTILE = "a\x1b]52;c;cHduZWQ=\x07b\x9b31mc\u202ed\u2066e\x00f\x7fg"


def test_text_holds_nothing_that_a_terminal_obeys(capsys: pytest.CaptureFixture[str]) -> None:
    Output().text(HOSTILE, "\ud800 lone")
    shown = capsys.readouterr().out
    assert not set(shown) & set("\x1b\x07\x9b\u202e\u2066\x00\x7f\ud800")
    assert shown.count("\n") == 2
    assert all(letter in shown for letter in "abcdefg")


@pytest.mark.parametrize(
    "hostile", ["::error::x", "  \t::add-mask::a", "\u3000::stop-commands::t", "a\n::debug::x", "a ##[error]x", "###[group]"]
)
def test_the_log_of_a_github_build_obeys_no_question(
    hostile: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("GITHUB_ACTIONS", "true")
    Output().text(hostile)
    Output().say(hostile)
    Output().document({"question": hostile})
    shown = capsys.readouterr()
    for line in (shown.out + shown.err).splitlines():
        assert not line.lstrip().startswith("::")
        assert "##[" not in line
    assert json.loads(shown.out.splitlines()[-1]) == {"question": hostile}
    Output().commands("::notice::ours")
    assert capsys.readouterr().out == "::notice::ours\n"
    monkeypatch.delenv("GITHUB_ACTIONS")
    Output().text("::error::x ##[y]")  # elsewhere text stays as it is
    assert capsys.readouterr().out == "::error::x ##[y]\n"


def test_json_keeps_every_character_and_escapes_the_dangerous_ones() -> None:
    text = encode_json({"text": HOSTILE})
    assert json.loads(text) == {"text": HOSTILE}
    assert not set(text) & set("\x1b\x07\x9b\u202e\u2066\x00\x7f")


def test_json_survives_lone_surrogates() -> None:
    assert json.loads(encode_json({"text": "a\ud800b", "path": os.fsdecode(b"\xff")})) == {"text": "a\ufffdb", "path": "\ufffd"}


def test_json_is_one_line() -> None:
    assert "\n" not in encode_json({"a": "x\ny\u2028z", "b": [1, 2.5, None, True]})


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_progress_draws_at_most_twice_a_second_and_wipes_itself(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = iter(range(1000, 1011))  # a tenth of a second a call
    monkeypatch.setattr("ragtriage_tui.progress.time.monotonic", lambda: next(clock) / 10)
    stream = Terminal()
    line = ProgressLine(stream)
    for done in range(11):
        line("indexing", done, 10)
    shown = stream.getvalue()
    assert shown.count("indexing") == 2  # at the beginning and after half a second
    assert shown.endswith("\r")
    assert "\n" not in shown


def test_an_estimate_stands_before_a_long_embedding_only() -> None:
    short, long = Terminal(), Terminal()
    ProgressLine(short)("embedding", 0, 20)
    ProgressLine(long)("embedding", 0, 30_000)
    assert "about" not in short.getvalue()
    assert "30,000 texts to embed, about 20 min." in long.getvalue()  # 30,000 / 25 a second = 1,200 s
    side = Terminal()
    ProgressLine(side)("head: embed", 0, 30_000)
    assert side.getvalue().startswith("30,000 texts to embed")


def test_a_stage_that_begins_again_is_counted_anew(monkeypatch: pytest.MonkeyPatch) -> None:
    """First the documents are embedded, then the questions: two counts of one stage, one after the other."""
    clock = iter((1.0, 3.0, 5.0, 6.0, 8.0))
    monkeypatch.setattr("ragtriage_tui.progress.time.monotonic", lambda: next(clock))
    stream = Terminal()
    line = ProgressLine(stream)
    for done, total in ((0, 100), (50, 100), (100, 100), (0, 20), (10, 20)):
        line("embed", done, total)
    assert stream.getvalue().rstrip().endswith("50 %  2 s left")  # 10 in 2 s, 10 to go


def test_a_log_has_a_line_for_the_beginning_and_the_end_of_each_stage() -> None:
    stream = io.StringIO()
    log = ProgressLog(stream)
    for stage in ("reading", "embed"):
        for done in range(101):
            log(stage, done, 100)
    assert [line.split(" after ")[0] for line in stream.getvalue().splitlines()] == [
        "reading 0 of 100", "reading 100 of 100", "embed 0 of 100", "embed 100 of 100",
    ]  # fmt: skip


def test_progress_in_ascii_is_ascii() -> None:
    stream = Terminal()
    ProgressLine(stream, ascii_only=True)("embedding", 1, 30)
    assert stream.getvalue().isascii()


@pytest.mark.parametrize(("seconds", "text"), [(0.2, "1 s"), (40, "40 s"), (180, "3 min"), (9000, "2.5 h")])
def test_durations_read_like_speech(seconds: float, text: str) -> None:
    assert duration(seconds) == text

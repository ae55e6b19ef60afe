from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragtriage.chunking.blocks import scan, sentence_starts


def starts_of(text: str, positions: list[int]) -> list[str]:
    return [text[at:].split("\n")[0] for at in positions]


def test_paragraphs_code_tables_and_lists() -> None:
    text = "one\nmore\n\n```py\na\n\nb\n```\nafter\n\n| a | b |\n|---|---|\n| 1 | 2 |\nend\n\n- x\n- y\n"
    blocks = scan(text)
    assert starts_of(text, blocks.paragraphs) == ["one", "```py", "", "after", "| a | b |", "end", "- x"]
    assert [text[start:end] for start, end in blocks.keep] == ["```py\na\n\nb\n```", "| a | b |\n|---|---|\n| 1 | 2 |\n"]
    assert "- y" in starts_of(text, blocks.lines)


def test_a_longer_fence_holds_a_shorter_one_and_an_open_one_runs_to_the_end() -> None:
    text = "````\n```\nx\n````\ny\n~~~\nz\n"
    assert [text[start:end] for start, end in scan(text).keep] == ["````\n```\nx\n````", "~~~\nz\n"]


def test_code_in_a_line_opens_no_fence_and_one_row_is_no_table() -> None:
    assert scan("``` a `` b\nx ```y```\n").keep == []
    assert scan("either | or\nnext\n").keep == []


@pytest.mark.parametrize(
    ("text", "sentences"),
    [
        ("One. Two! Three? Four", ["One. ", "Two! ", "Three? ", "Four"]),
        ('He said "no." Then left.', ['He said "no." ', "Then left."]),
        ("See Fig. 3 and e.g. this, Dr. No. End", ["See Fig. 3 and e.g. this, Dr. No. End"]),
        ("By J. R. Smith. Next", ["By J. R. Smith. ", "Next"]),
        ("v1.2.3 costs 1.50 now. ok", ["v1.2.3 costs 1.50 now. ", "ok"]),
        ("漢字。仮名！おわり", ["漢字。", "仮名！", "おわり"]),
        ("wait... what", ["wait... ", "what"]),
        ("end .  next .", ["end .  ", "next ."]),
    ],
)
def test_sentences(text: str, sentences: list[str]) -> None:
    cuts = [0, *sentence_starts(text, 0, len(text)), len(text)]
    assert [text[start:end] for start, end in pairwise(cuts)] == sentences


@given(st.text(st.sampled_from("ab.!?\"') \n|-`~#*1。|:"), max_size=300))
def test_positions_ascend_and_start_lines(text: str) -> None:
    blocks = scan(text)
    for positions in (blocks.paragraphs, blocks.lines):
        assert positions == sorted(set(positions))
        assert all(at == 0 or text[at - 1] == "\n" for at in positions)
    ends = [0]
    for start, end in blocks.keep:
        assert ends[-1] <= start < end <= len(text)
        ends.append(end)
    found = sentence_starts(text, 0, len(text))
    assert found == sorted(set(found))

from __future__ import annotations

import os

import pytest
from tests.engine.answers.passages import passages

from ragtriage.answers.prompt import BUILT_IN, Template, fill, numbered, read_template, request_of
from ragtriage.errors import ConfigError

TEMPLATE = Template("mine", "", "{passages}|{question}")


def test_passages_are_numbered_and_carry_their_headings_where_production_sends_them():
    two = passages("First text.", "Second.", title="Refunds", heading=("Refunds", "Time limits"))
    assert numbered(two[0], headings=True) == "[1] Refunds > Time limits\nFirst text."
    assert numbered(two[1], headings=False) == "[2] Second."
    assert request_of(TEMPLATE, "", two, headings=False).user == "[1] First text.\n\n[2] Second.|"
    assert request_of(TEMPLATE, "", (), headings=True).user == "|"


def test_the_built_in_prompt_asks_for_citations_and_for_honesty():
    request = request_of(BUILT_IN, "how long?", passages("30 days."), headings=True)
    assert "cite" in request.system
    assert "do not know" in request.system
    assert request.user == "Passages:\n\n[1] 30 days.\n\nQuestion: how long?"
    assert (request.question, len(request.passages)) == ("how long?", 1)


def test_braces_of_a_passage_are_no_placeholders():
    assert fill("{a} {b} {c}", a="{b}", b="{a}") == "{b} {a} {c}"
    request = request_of(BUILT_IN, "{passages}", passages("{question}"), headings=False)
    assert request.user == "Passages:\n\n[1] {question}\n\nQuestion: {passages}"


def test_half_characters_are_sent_neither_as_text_nor_to_a_program():
    request = request_of(TEMPLATE, "a\udc80", passages("b\ud800", title="c\ud800", heading=("d\ud800",)), headings=True)
    assert request.user == "[1] c\ufffd > d\ufffd\nb\ufffd|a\ufffd"
    assert request.passages[0].heading == ("d\ufffd",)
    assert len(request.key("spec")) == 64


def test_a_template_file_with_and_without_a_system_part(tmp_path):
    file = tmp_path / "prompt.txt"
    file.write_text("Be kind.\r\n---\r\n{question}\n{passages}\n", encoding="utf-8")
    both = read_template(file)
    assert (both.system, both.user) == ("Be kind.", "{question}\n{passages}")
    file.write_text("{question}\n{passages}", encoding="utf-8-sig")
    alone = read_template(file)
    assert (alone.system, alone.user) == ("", "{question}\n{passages}")
    assert both.name.startswith("prompt.txt ")
    assert both.name != alone.name


@pytest.mark.parametrize(
    ("content", "says"),
    [
        (b"no places", "lacks {passages} and {question}"),
        (b"{passages}", "lacks {question}"),
        (b"\xff\xfe\xfa", "not UTF-8"),
        (b"{passages}{question}" + b"x" * (1 << 20), "larger than a prompt"),
        (None, "cannot be read"),
    ],
)
def test_a_bad_template_is_one_clear_message(tmp_path, content, says):
    file = tmp_path / "prompt.txt"
    if content is not None:
        file.write_bytes(content)
    with pytest.raises(ConfigError, match=says):
        read_template(file)


def test_what_would_never_end_is_no_template(tmp_path):
    os.mkfifo(tmp_path / "pipe.txt")
    (tmp_path / "zero.txt").symlink_to("/dev/zero")
    for name in ("pipe.txt", "zero.txt"):
        with pytest.raises(ConfigError, match="not a regular file"):
            read_template(tmp_path / name)
    with open(tmp_path / "large.txt", "wb") as handle:
        handle.truncate(1 << 40)  # with nothing in it
    with pytest.raises(ConfigError, match="larger than a prompt can be"):
        read_template(tmp_path / "large.txt")

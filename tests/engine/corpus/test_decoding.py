from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragtriage.corpus.decoding import NotText, decode, scrub, unify_newlines


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16"])
def test_encodings_that_are_read(encoding: str) -> None:
    assert decode("naïve €5 — 漢字".encode(encoding)) == "naïve €5 — 漢字"


def test_both_byte_orders_of_utf_16() -> None:
    assert decode(b"\xff\xfe" + "é".encode("utf-16-le")) == "é"
    assert decode(b"\xfe\xff" + "é".encode("utf-16-be")) == "é"


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"", "empty"),
        (b"abc\0def", "binary"),
        ("caf\xe9".encode("latin-1"), "encoding"),
        ("text".encode("utf-32"), "encoding"),
        (b"\xff\xfea", "encoding"),
        (b"\xff\xfe\x00\xd8", "encoding"),
    ],
)
def test_what_is_no_text_says_why(data: bytes, reason: str) -> None:
    with pytest.raises(NotText) as caught:
        decode(data)
    assert caught.value.reason == reason


def test_line_ends_become_one_kind() -> None:
    assert unify_newlines("a\r\nb\rc\n") == "a\nb\nc\n"


@given(st.text(st.characters(codec=None)))  # lone surrogates included
def test_scrubbing_keeps_offsets_and_makes_text_that_can_be_encoded(text: str) -> None:
    scrubbed = scrub(text)
    assert len(scrubbed) == len(text)
    scrubbed.encode("utf-8")
    assert all(new in (old, "\ufffd") for new, old in zip(scrubbed, text, strict=True))

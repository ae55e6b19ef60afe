from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
from tests.engine.chunking.cutting import check_pieces, documents, pieces_of, word_offsets

from ragtriage.chunking.fixed import Fixed
from ragtriage.types import Document


def test_windows_and_overlap() -> None:
    assert pieces_of(Fixed(3), "a b c d e f g") == ["a b c", "d e f", "g"]
    assert pieces_of(Fixed(3, 1), "a b c d e f g") == ["a b c", "c d e", "e f g"]
    assert pieces_of(Fixed(3, 2), "a b c d e") == ["a b c", "b c d", "c d e"]
    assert pieces_of(Fixed(10), "a b") == ["a b"]
    assert pieces_of(Fixed(3), " ") == []


def test_words_stay_whole_where_they_fit() -> None:
    assert pieces_of(Fixed(5), "one two v1.2.3 four") == ["one two", "v1.2.3", "four"]
    assert pieces_of(Fixed(2), "a-b-c-d") == ["a-", "b-", "c-", "d"]


def test_text_that_holds_no_token_is_covered() -> None:
    assert pieces_of(Fixed(3), "\u200b")[0] == "\u200b"


def test_spec_leaves_out_defaults() -> None:
    assert Fixed(200).spec == "fixed(size=200)"
    assert Fixed(200, 20).spec == "fixed(size=200,overlap=20)"


@given(documents, st.integers(1, 30), st.data())
def test_any_document(document: Document, size: int, data: st.DataObject) -> None:
    overlap = data.draw(st.integers(0, size - 1))
    pieces = Fixed(size, overlap).cut(document, word_offsets(document.text))
    check_pieces(document, pieces, size, lambda text: 0)

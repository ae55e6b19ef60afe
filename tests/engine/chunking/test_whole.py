from __future__ import annotations

from hypothesis import given
from tests.engine.chunking.cutting import check_pieces, documents, pieces_of, word_offsets

from ragtriage.chunking.whole import Whole
from ragtriage.types import Document


def test_one_piece_without_the_white_space_around_it() -> None:
    assert pieces_of(Whole(), "\n\n# A\n\nb \n") == ["# A\n\nb"]
    assert pieces_of(Whole(), " \n") == []


@given(documents)
def test_any_document(document: Document) -> None:
    offsets = word_offsets(document.text)
    pieces = Whole().cut(document, offsets)
    check_pieces(document, pieces, None, len)
    assert len(pieces) <= 1
    assert sum(piece.tokens for piece in pieces) in (0, len(offsets))

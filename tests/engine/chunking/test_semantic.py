from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from tests.engine.chunking.cutting import check_pieces, document_of, documents, pieces_of, word_offsets

from ragtriage.chunking.semantic import Semantic, drift_limit
from ragtriage.types import Document, Progress


class Topics:
    """A text's vector is the direction of the first of `topics` that it names; the first one's where it names none."""

    identity = "topics"

    def __init__(self, *topics: str) -> None:
        self.topics = topics
        self.embedded: list[str] = []

    def ensure(self, texts: Sequence[str], progress: Progress) -> None:
        self.embedded += texts

    def read(self, texts: Sequence[str]) -> NDArray[np.float16]:
        rows = [next((row for row, topic in enumerate(self.topics) if topic in text), 0) for text in texts]
        return np.eye(max(1, len(self.topics)), dtype=np.float16)[rows]


def semantic(size: int, overlap: int = 0, *topics: str, limit: float = 0.5) -> Semantic:
    return Semantic(size, overlap, break_at="absolute", threshold=limit, vectors=Topics(*topics), limit=limit)


def test_a_piece_ends_where_neighbours_drift_apart() -> None:
    text = "Cats purr. A cat sleeps. Dogs bark. The dog runs. Cats again."
    pieces = pieces_of(semantic(100, 0, "at", "og"), text)
    assert pieces == ["Cats purr. A cat sleeps.", "Dogs bark. The dog runs.", "Cats again."]


def test_at_the_limit_is_not_above_it() -> None:
    text = "Cats purr. Dogs bark."
    assert len(pieces_of(semantic(100, 0, "at", "og", limit=0.999), text)) == 2
    assert len(pieces_of(semantic(100, 0, "at", "og", limit=1.0), text)) == 1


def test_what_is_too_large_is_cut_evenly_between_sentences() -> None:
    text = " ".join(f"Cat number {row} sleeps." for row in range(12))
    pieces = pieces_of(semantic(20, 0, "at"), text)
    assert [len(piece.split()) for piece in pieces] == [16, 16, 16]
    assert all(piece.startswith("Cat") for piece in pieces)


def test_main_parts_stay_apart_and_headings_go_with_what_follows() -> None:
    text = "# T\n\n## A\n\nCats purr.\n\n### A1\n\nCats sleep.\n\n## B\n\nCats eat. Dogs bark."
    pieces = pieces_of(semantic(100, 0, "at", "og"), text)
    assert pieces == ["# T\n\n## A\n\nCats purr.\n\n### A1\n\nCats sleep.", "## B\n\nCats eat.", "Dogs bark."]


def test_code_and_tables_stay_whole_where_they_fit() -> None:
    code = "```\ncat = 1. Dog.\n\nog = 2. Cat.\n```"
    table = "| cat | dog |\n|---|---|\n| og | at |"
    text = f"Dogs bark.\n\n{code}\n\nDogs bark.\n\n{table}\n\nDogs bark."
    pieces = pieces_of(semantic(60, 0, "at", "og"), text)
    assert code in pieces
    assert table in pieces


def test_overlap_repeats_the_end_of_the_piece_before_in_the_same_main_part_only() -> None:
    text = "# T\n\n## A\n\nCats purr a lot. Dogs bark a lot.\n\n## B\n\nCats again."
    assert pieces_of(semantic(50, 3, "at", "og"), text) == [
        "# T\n\n## A\n\nCats purr a lot.",
        "a lot. Dogs bark a lot.",
        "## B\n\nCats again.",
    ]


def test_what_is_embedded_is_the_text_alone() -> None:
    document = document_of("# T\n\nCats  purr.   \n\n- one\n- two\n")
    chunker = semantic(100)
    sentences = chunker.sentences(document, word_offsets(document.text))
    assert chunker.texts(document, sentences) == ["# T\n\nCats  purr.", "- one", "- two"]


def test_distances() -> None:
    document = document_of("# T\n\n## A\n\nCats purr. Dogs bark. Dogs run.\n\n## B\n\nDogs eat.")
    chunker = semantic(100, 0, "at", "og")
    sentences = chunker.sentences(document, word_offsets(document.text))
    assert chunker.distances(document, sentences).tolist() == [1.0, 0.0, float("inf")]
    assert chunker.distances(document, sentences[:1]).tolist() == []


def test_the_limit_is_a_percentile_of_all_distances_rounded_up() -> None:
    columns = [np.array([0.1, np.inf, 0.2]), np.empty(0), np.array([0.3004, 0.4])]
    assert drift_limit(columns, 100) == 0.4
    assert drift_limit(columns, 0) == 0.1
    # between the second and the third of four: 0.2 + (0.3004 - 0.2) / 2 = 0.2502
    assert drift_limit(columns, 50) == 0.251
    assert drift_limit([], 90) == 2.0
    assert drift_limit([np.array([np.inf])], 90) == 2.0


def test_spec_leaves_out_defaults() -> None:
    assert Semantic(200, vectors=Topics()).spec == "semantic(size=200)"
    full = Semantic(200, 20, break_at="absolute", threshold=0.5, vectors=Topics(), language="de", limit=0.5)
    assert full.spec == "semantic(size=200,overlap=20,break_at=absolute,threshold=0.5)"


@settings(deadline=None)
@given(documents, st.integers(1, 60), st.sampled_from([0.0, 0.5, 2.0]), st.data())
def test_any_document(document: Document, size: int, limit: float, data: st.DataObject) -> None:
    overlap = data.draw(st.one_of(st.just(0), st.integers(0, size - 1)))
    tokens = word_offsets(document.text)
    chunker = semantic(size, overlap, "sentence", "item", "x", limit=limit)
    pieces = chunker.cut(document, tokens)
    check_pieces(document, pieces, size, lambda text: 0)
    assert chunker.cut(document, tokens) == pieces
    sentences = chunker.sentences(document, tokens)
    assert all(text for text in chunker.texts(document, sentences))
    assert all(one.end == two.start for one, two in pairwise(sentences))


@pytest.mark.parametrize("text", ["x" * 500_000, "A b. " * 100_000, "漢字。" * 100_000, "| " * 100_000, "# a\n" * 20_000])
def test_hundreds_of_thousands_of_characters(text: str) -> None:
    document = document_of(text)
    check_pieces(document, semantic(200).cut(document, word_offsets(text)), 200, lambda piece: 0)

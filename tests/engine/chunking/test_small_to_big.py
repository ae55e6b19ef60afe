from __future__ import annotations

from itertools import pairwise

from hypothesis import given, settings
from hypothesis import strategies as st
from tests.engine.chunking.cutting import document_of, documents, word_offsets

from ragtriage.chunking.recursive import Recursive
from ragtriage.chunking.small_to_big import SmallToBig
from ragtriage.types import Document, Span


def family(text: str, size: int, child_size: int) -> list[list[str]]:
    document, chunker = document_of(text), SmallToBig(size, child_size)
    tokens = word_offsets(text)
    parents = chunker.cut(document, tokens)
    return [[text[slice(*child.span)] for child in children] for children in chunker.children(document, tokens, parents)]


def test_children_are_cut_at_headings_paragraphs_and_sentences() -> None:
    text = "# T\n\n## A\n\nOne two three. Four five six.\n\n## B\n\nSeven eight nine ten eleven. Twelve."
    assert family(text, 100, 10) == [
        ["# T\n\n## A\n\nOne two three.", "Four five six."],
        ["## B\n\nSeven eight nine ten eleven.", "Twelve."],
    ]


def test_a_heading_right_above_its_text_begins_a_child() -> None:
    text = "# T\n## A\none two three four\n### A1\nfive six seven eight\n### A2\nnine ten"
    assert [child for children in family(text, 100, 9) for child in children] == [
        "# T\n## A\none two three four",
        "### A1\nfive six seven eight",
        "### A2\nnine ten",
    ]


def test_what_fits_is_its_own_child() -> None:
    text = "# T\n\n## A\n\nshort text\n\n## B\n\nanother one"
    assert family(text, 50, 50) == [[piece] for piece in ("# T\n\n## A\n\nshort text", "## B\n\nanother one")]


def test_sentences_know_abbreviations() -> None:
    text = "Dr. Approx. Smith of the U.S. paid $3.50 for it. He went home with it."
    assert family(text, 60, 22)[0][-1] == "He went home with it."


def test_spec() -> None:
    assert SmallToBig(200, 64).spec == "small_to_big(size=200,child_size=64)"
    assert SmallToBig(200, 50, 20, "de").spec == "small_to_big(size=200,child_size=50,overlap=20)"


@settings(deadline=None)
@given(documents, st.integers(1, 60), st.data())
def test_any_document(document: Document, size: int, data: st.DataObject) -> None:
    child_size = data.draw(st.integers(1, size))
    overlap = data.draw(st.one_of(st.just(0), st.integers(0, size - 1)))
    tokens = word_offsets(document.text)
    chunker = SmallToBig(size, child_size, overlap)
    parents = chunker.cut(document, tokens)
    assert parents == Recursive(size, overlap).cut(document, tokens)
    families = chunker.children(document, tokens, parents)
    assert len(families) == len(parents)
    for parent, children in zip(parents, families, strict=True):
        assert children
        assert children[0].span.start == parent.span.start
        assert children[-1].span.end == parent.span.end
        for child in children:
            assert parent.span.start <= child.span.start < child.span.end <= parent.span.end
            assert child.tokens <= child_size
            assert document.text[slice(*child.span)] == document.text[slice(*child.span)].strip()
        gaps = [Span(one.span.end, two.span.start) for one, two in pairwise(children)]
        assert all(gap.start <= gap.end and not document.text[slice(*gap)].strip() for gap in gaps)


def test_a_million_characters_in_one_line() -> None:
    for text in ("x" * 500_000, "A b. " * 100_000, "漢字。" * 100_000, "| " * 100_000):
        document, tokens = document_of(text), word_offsets(text)
        chunker = SmallToBig(200, 50)
        families = chunker.children(document, tokens, chunker.cut(document, tokens))
        assert all(child.tokens <= 50 for children in families for child in children)

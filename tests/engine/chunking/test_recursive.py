from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st
from tests.engine.chunking.cutting import check_pieces, document_of, documents, model_dir, pieces_of, word_offsets

from ragtriage.chunking.recursive import Recursive
from ragtriage.chunking.tokens import ModelTokens
from ragtriage.types import Document


def words(count: int, word: str = "w") -> str:
    return " ".join([word] * count)


def test_main_parts_stay_apart_and_a_short_introduction_goes_with_the_first() -> None:
    text = f"# T\n\nintro\n\n## A\n\n{words(30)}\n\n## B\n\n{words(30)}\n"
    pieces = pieces_of(Recursive(100), text)
    assert [piece.split("\n")[0] for piece in pieces] == ["# T", "## B"]


def test_a_long_introduction_stands_alone() -> None:
    text = f"# T\n\n{words(40)}\n\n## A\n\n{words(30)}\n"
    assert [piece.split("\n")[0] for piece in pieces_of(Recursive(100), text)] == ["# T", "## A"]


def test_small_sections_of_one_part_share_a_piece_while_they_fit() -> None:
    text = f"# T\n\n## A\n\n### A1\n\n{words(20)}\n\n### A2\n\n{words(20)}\n\n### A3\n\n{words(70)}\n\n## B\n\n{words(9)}\n"
    pieces = pieces_of(Recursive(80), text)
    assert [piece.split("\n")[0] for piece in pieces] == ["# T", "### A3", "## B"]
    assert "### A2" in pieces[0]


def test_a_heading_is_never_left_alone() -> None:
    sentence = words(9) + ". "
    text = f"# T\n\n## Empty\n\n## Long\n\n{sentence * 20}\n\n## Last\n"
    pieces = pieces_of(Recursive(50), text)
    assert all("w w" in piece for piece in pieces)
    assert pieces[0].startswith("# T\n\n## Empty\n\n## Long")
    assert pieces[-1].endswith("## Last")


def test_paragraphs_then_sentences_then_words() -> None:
    paragraph = "Alpha beta gamma delta. "
    text = f"{paragraph * 3}\n\n{paragraph * 3}\n\n{words(45)}"
    pieces = pieces_of(Recursive(20), text)
    assert pieces[0] == (paragraph * 3).strip()
    assert pieces[1] == (paragraph * 3).strip()
    assert [len(piece.split()) for piece in pieces[2:]] == [20, 20, 5]


def test_code_and_tables_stay_whole_where_they_fit() -> None:
    code = "```\na b c d\n\ne f g h\n\ni j k l\n```"
    table = "| a | b |\n|---|---|\n| 1 | 2 |\n| 3 | 4 |"
    text = f"{words(30)}\n\n{code}\n\n{words(30)}\n\n{table}\n\n{words(30)}"
    pieces = pieces_of(Recursive(45), text)
    assert sum(code in piece for piece in pieces) == 1
    assert sum(table in piece for piece in pieces) == 1


def test_a_table_too_large_is_cut_between_rows() -> None:
    table = "\n".join(["| a | b |", "|---|---|", *(f"| {row} | x y |" for row in range(30))])
    pieces = pieces_of(Recursive(40), table)
    assert len(pieces) > 3
    assert all(line.startswith("|") and line.endswith("|") for piece in pieces for line in piece.split("\n"))


def test_overlap_repeats_the_end_of_the_piece_before_in_the_same_section_only() -> None:
    text = "## A\n\n" + " ".join(f"Sentence number {row} ends." for row in range(12)) + "\n\n## B\n\nshort"
    plain, overlapping = pieces_of(Recursive(25), text), pieces_of(Recursive(30, 5), text)
    assert len(overlapping) == len(plain)
    assert overlapping[0] == plain[0]
    assert overlapping[-1] == plain[-1] == "## B\n\nshort"
    for one, two, before in zip(overlapping[1:-1], plain[1:-1], plain, strict=False):
        repeated = one.removesuffix(two).strip()
        assert repeated.startswith("Sentence")
        assert before.endswith(repeated)


def test_identifiers_are_not_cut() -> None:
    text = " ".join(f"code ERR-{number}.{number}" for number in range(100))
    for piece in pieces_of(Recursive(23), text):
        assert piece.startswith(("code", "ERR-"))


@settings(deadline=None)
@given(documents, st.integers(1, 60), st.data())
def test_any_document(document: Document, size: int, data: st.DataObject) -> None:
    overlap = data.draw(st.one_of(st.just(0), st.integers(0, size - 1)))
    pieces = Recursive(size, overlap).cut(document, word_offsets(document.text))
    check_pieces(document, pieces, size, lambda text: 0)


@settings(deadline=None, max_examples=40)
@given(documents.filter(lambda document: "x" * 101 not in document.text))  # no model reads such a word
def test_pieces_fit_the_models_own_count(document: Document) -> None:
    tokens = ModelTokens(model_dir())
    (offsets,) = tokens.offsets([document.text])
    pieces = Recursive(40, 0).cut(document, offsets)
    check_pieces(document, pieces, 40, lambda text: 0)
    again = list(tokens.offsets([document.text[piece.span.start : piece.span.end] for piece in pieces]))
    assert all(len(alone) <= piece.tokens + 3 for alone, piece in zip(again, pieces, strict=True))


def test_a_million_characters_in_one_line() -> None:
    for text in ("x" * 1_000_000, "word " * 200_000, "A b. " * 200_000, "漢字。" * 300_000, "." * 300_000, "| " * 300_000):
        document = document_of(text)
        pieces = Recursive(200).cut(document, word_offsets(text))
        check_pieces(document, pieces, 200, lambda piece: 0)

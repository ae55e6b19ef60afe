"""At which rank a ranking has evidence."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.engine.golden.tiny import chunks_of, corpus_of, prompt
from tests.shared_data import shared

from ragtriage.corpus.base import Corpus
from ragtriage.corpus.reader import read_beir_corpus
from ragtriage.golden.beir import read_beir
from ragtriage.golden.evidence import Located, ResolvedItem, ResolvedPlace, resolve, resolve_item
from ragtriage.golden.ranks import PromptText, PromptTexts, enough_of_quote, gaps_after, rank_of
from ragtriage.types import Document, Evidence, Place, Span

REFUNDS = "# Refunds\nSend it back within 30 days of delivery.\n## Fees\nA fee of 15 percent applies.\n# Other\nNothing else."
CORPUS = corpus_of({"refunds": REFUNDS, "faq": "You have 30 days. Really: you have 30 days.", "empty": " \n"})
CHUNKS = chunks_of(CORPUS, {"refunds": [(0, 50), (50, 80), (80, len(REFUNDS))]})


LETTERS = corpus_of({"d": "abcdefghij klmnopqrst 1234", "e": "abcdefghij klmnopqrst 1234"})


def item(start: int, end: int, *also: tuple[str, int, int], how: str = "exact") -> ResolvedItem:
    spans = [("d", start, end), *also]
    places = (ResolvedPlace(Place(doc="d"), tuple(Located(doc, Span(a, b)) for doc, a, b in spans), how),)  # type: ignore[arg-type]
    return ResolvedItem(Evidence(Place(doc="d")), places)


def rank(of: ResolvedItem, *entries: tuple[str, int, int]) -> int | None:
    return rank_of(of, prompt(*entries), LETTERS)


def test_four_fifths_of_a_quote_are_enough_and_less_is_not() -> None:
    assert rank(item(0, 10), ("d", 0, 7), ("d", 0, 8)) == 2  # 7 / 10, then 8 / 10
    assert rank(item(0, 10), ("d", 3, 10)) is None
    assert rank(item(0, 21), ("d", 0, 16)) is None, "15 of 20 letters; the space does not count"
    assert rank(item(0, 21), ("d", 0, 17)) == 1  # 16 / 20


def test_an_answer_over_two_chunks_needs_both_and_a_duplicate_counts_once() -> None:
    assert rank(item(0, 10), ("d", 0, 5), ("e", 5, 10), ("d", 5, 10)) == 3
    assert rank(item(0, 10), ("d", 0, 5), ("d", 0, 5), ("d", 1, 6)) is None
    assert rank(item(0, 21), ("d", 11, 21), ("d", 5, 11), ("d", 0, 2)) == 3  # 10 + 5, then + 2 of 20


def test_every_digit_must_be_there() -> None:
    assert rank(item(0, 26), ("d", 0, 25)) is None
    assert rank(item(0, 26), ("d", 0, 25), ("d", 25, 26)) == 2
    assert rank(item(0, 26), ("d", 4, 26)) == 1  # 20 of 24, all digits


def test_the_right_offsets_in_the_wrong_document_do_not_count() -> None:
    assert rank(item(0, 10), ("e", 0, 10)) is None


def test_touching_spans_do_not_overlap() -> None:
    assert rank(item(5, 10), ("d", 0, 5), ("d", 10, 26)) is None
    assert rank(item(5, 10, how="coarse"), ("d", 0, 5), ("d", 10, 26)) is None


def test_any_place_of_an_ambiguous_quote_will_do_but_halves_of_two_do_not() -> None:
    two = item(0, 10, ("d", 11, 21))
    assert rank(two, ("d", 11, 21)) == 1
    assert rank(two, ("d", 0, 5), ("d", 16, 21)) is None
    assert rank(item(0, 10, ("e", 0, 10)), ("e", 0, 10), ("d", 0, 10)) == 1


def test_the_best_of_all_places_counts() -> None:
    one, two = item(0, 10), item(11, 21)
    both = ResolvedItem(one.evidence, one.places + two.places)
    assert rank(both, ("d", 11, 21), ("d", 0, 10)) == 1
    assert rank(both, ("d", 0, 10), ("d", 11, 21)) == 1


def test_a_coarse_reference_needs_half_of_the_smaller() -> None:
    coarse = item(0, 21, how="coarse")  # 20 letters
    assert rank(coarse, ("d", 0, 4)) == 1, "a text inside it"
    assert rank(coarse, ("d", 0, 26)) == 1, "a text around it"
    assert rank(coarse, ("d", 19, 26), ("d", 17, 26)) == 2  # 2 of 6, then 4 of 8
    assert rank(item(18, 26, how="coarse"), ("d", 0, 19), ("d", 0, 23)) == 2  # 1 of 7, then 4 of 7
    assert rank(coarse, ("d", 10, 11)) is None, "white space is nothing"
    assert rank(item(5, 10, how="stale"), ("d", 0, 26)) == 1


def test_a_text_that_stands_in_several_places_covers_all_of_them_and_counts_as_one() -> None:
    def spread(ink: int, *places: tuple[int, int]) -> list[PromptText]:
        first, *others = (Span(*place) for place in places)
        return [
            PromptText("x", "d", Span(0, 0)),
            PromptText("own", "d", first, tuple(Located("d", one) for one in others), ink),
        ]

    quote, coarse = item(0, 10), item(0, 21, how="coarse")
    assert rank_of(quote, spread(9, (0, 5), (4, 10)), LETTERS) == 2
    assert rank_of(quote, spread(9, (0, 5), (12, 20)), LETTERS) is None
    assert rank_of(item(20, 26), spread(9, (0, 5), (20, 26)), LETTERS) == 2
    assert rank_of(coarse, spread(100, (22, 26), (0, 3)), LETTERS) is None, "3 letters of a hundred"
    assert rank_of(coarse, spread(100, (0, 5), (6, 12)), LETTERS) == 2, "half of the part"
    assert rank_of(coarse, spread(8, (22, 26), (0, 4)), LETTERS) == 2, "half of the text"


def test_a_chunk_is_at_its_first_position() -> None:
    found = resolve_item(Evidence(Place(chunk="refunds#2")), CORPUS, CHUNKS)
    listed = [PromptText(chunk_id, "refunds", Span(0, 5)) for chunk_id in ("refunds#1", "refunds#2", "refunds#3", "refunds#2")]
    assert rank_of(found, listed, CORPUS) == 2
    assert rank_of(found, listed[:1], CORPUS) is None
    assert rank_of(found, [], CORPUS) is None


def test_nothing_found_has_no_rank() -> None:
    lost = ResolvedItem(Evidence(Place(doc="d")), (ResolvedPlace(Place(doc="d"), (), "missing-quote"),))
    assert rank(lost, ("d", 0, 26)) is None
    assert rank(item(10, 11), ("d", 0, 26)) is None, "a quote of white space is covered by nothing"


def _by_definition(text: str, span: Span, entries: list[PromptText], coarse: bool) -> int | None:
    """The definition, one character at a time."""
    ink = {at for at in range(*span) if not text[at].isspace()}
    covered: set[int] = set()
    for number, entry in enumerate(entries, start=1):
        if entry.doc_id != "d":
            continue
        own = {at for at in range(*entry.span) if not text[at].isspace()}
        if coarse:
            if own & ink and len(own & ink) >= min(len(own), len(ink)) / 2:
                return number
            continue
        covered |= own & ink
        digits = {at for at in ink if text[at].isdigit()}
        if ink and len(covered) >= 0.8 * len(ink) - 1e-9 and digits <= covered:
            return number
    return None


@st.composite
def _cases(draw: st.DrawFn) -> tuple[str, Span, list[PromptText], bool]:
    text = draw(st.text(st.sampled_from("ab1 \n²\u00a0é"), min_size=1, max_size=30))
    edges = st.tuples(st.integers(0, len(text)), st.integers(0, len(text))).map(sorted).map(lambda pair: Span(*pair))
    span = draw(edges.filter(lambda span: span.start < span.end))
    entries = draw(st.lists(st.tuples(st.sampled_from("dde"), edges), max_size=8))
    return text, span, [PromptText(f"{doc}{at}", doc, one) for at, (doc, one) in enumerate(entries)], draw(st.booleans())


@settings(max_examples=400, deadline=None)
@given(_cases())
def test_ranks_agree_with_their_definition(case: tuple[str, Span, list[PromptText], bool]) -> None:
    text, span, entries, coarse = case
    corpus = Corpus(CORPUS.root, (Document("d", "d", text), Document("e", "e", text)))
    how = "coarse" if coarse else "exact"
    of = ResolvedItem(Evidence(Place(doc="d")), (ResolvedPlace(Place(doc="d"), (Located("d", span),), how),))  # type: ignore[arg-type]
    found = rank_of(of, entries, corpus)
    assert found == _by_definition(text, span, entries, coarse)
    assert rank_of(of, PromptTexts(entries), corpus) == found
    if found is not None:  # more texts never change a rank that stands
        assert rank_of(of, entries[:found], corpus) == found
        assert rank_of(of, entries[: found - 1], corpus) is None


# a public set of character ranges


def test_all_ranges_of_chunking_eval_are_found_by_exact_text(tmp_path: Path) -> None:
    folder = shared("chunking-eval")
    corpus = read_beir_corpus(folder, cache=tmp_path)
    golden = read_beir(folder)
    items = [(question, one) for question in golden.questions for one in resolve(question, corpus, None)]
    places = [place for _, one in items for place in one.places]
    assert len(places) == 790
    assert all(place.how == "exact" for place in places)
    assert sum(not place.ambiguous for place in places) == 693
    assert sum(place.ambiguous for place in places) == 97
    assert all([one.span.start for one in place.spans] == [place.place.at] for place in places), "the offset settles each"

    fixed = {
        one.doc_id: [(at, min(at + 400, len(one.text))) for at in range(0, len(one.text), 400)] for one in corpus.documents
    }
    everything = [PromptText(f"{doc}@{start}", doc, Span(start, end)) for doc, spans in fixed.items() for start, end in spans]
    for question in golden.questions:
        ranks = [rank_of(one, everything, corpus) for one in resolve(question, corpus, None)]
        assert all(rank is not None for rank in ranks), "the whole corpus holds everything"


@pytest.mark.parametrize(
    ("missing", "enough"),
    [
        ([], True),
        ([(0, 2)], True),  # 2 of 10 characters: a fifth may be missing
        ([(0, 4)], False),
        ([(10, 11)], False),  # a digit may not
        ([(2, 3)], True),  # a blank counts for nothing
        ([(0, 1), (9, 10)], True),
        ([(0, 11)], False),
    ],
)
def test_how_much_of_a_quote_is_enough(missing: list[tuple[int, int]], enough: bool) -> None:
    text = "ab cdefghi7"
    assert len(text.replace(" ", "")) == 10
    assert enough_of_quote(text, Span(0, 11), missing) is enough
    assert not enough_of_quote("   ", Span(0, 3), [])


def test_what_is_left_of_gaps_when_a_span_is_taken_out() -> None:
    assert gaps_after([(0, 10)], Span(3, 5)) == [(0, 3), (5, 10)]
    assert gaps_after([(0, 3), (5, 10)], Span(2, 6)) == [(0, 2), (6, 10)]
    assert gaps_after([(0, 3)], Span(3, 9)) == [(0, 3)]
    assert gaps_after([(0, 3)], Span(0, 9)) == []

"""A foreign passage that stands in several places: joined of them, or the same words in each."""

from __future__ import annotations

import random

import pytest
from tests.engine.search.systems.test_alignment import BILLING, REFUNDS, SENTENCE, corpus

from ragtriage.search.systems.alignment import Aligned, Aligner
from ragtriage.types import Document

GOODS = "Goods may be sent back within 30 days of delivery."
DESK = "Questions go to the help desk."
PAID = "It can be paid within 14 days of its date by card."
VOUCHER = "A voucher is sent within 2 weeks."
PAGES = (REFUNDS, BILLING)


def find(text: str, *pages: str, doc: int | None = None) -> Aligned | None:
    return Aligner(corpus(*(pages or PAGES))).find(text, doc, None)


def held(found: Aligned | None, *pages: str) -> list[tuple[int, str]]:
    """The places of a passage, part 0 first, without the signs at their ends."""
    assert found is not None
    texts = pages or PAGES
    places = [(found.doc_row, found.span), *((one.doc_row, one.span) for one in found.also)]
    return [(row, texts[row][span.start : span.end].strip(" .\n")) for row, span in places]


@pytest.mark.parametrize("between", [" ", " … ", "\n\n", " [...] ", "<br>", "\n---\n"])
def test_joined_of_two_places_of_a_document(between: str) -> None:
    found = find(f"{SENTENCE}{between}{DESK}")
    assert found is not None
    assert found.how == "parts"
    assert found.share == (19 / 20 if between == "<br>" else 1.0)
    assert held(found) == [(0, SENTENCE[:-1]), (0, DESK[:-1])]
    assert [one.part for one in found.also] == [1]


def test_joined_in_another_order_and_of_two_documents() -> None:
    found = find(f"{PAID}\n\n{DESK}\n\n{SENTENCE}")
    assert held(found) == [(0, SENTENCE[:-1]), (1, PAID[:-1]), (0, DESK[:-1])]
    assert find(f"{PAID}\n\n{DESK}\n\n{SENTENCE}", doc=0) == found


def test_no_part_needs_to_be_half_of_it() -> None:
    texts = [" ".join(f"w{page}x{word}" for word in range(10)) for page in range(5)]
    pages = [f"Before it. {text} And after it." for text in texts]
    assert sorted(held(find(" … ".join(texts), *pages), *pages)) == list(enumerate(texts))


def test_a_paragraph_far_below_its_heading() -> None:
    page = f"# How goods are sent back to us\n\n{BILLING * 5}\n\n{GOODS}\n"
    found = find(f"How goods are sent back to us\n\n{GOODS}", page)
    assert held(found, page) == [(0, GOODS[:-1]), (0, "How goods are sent back to us")]


def test_few_words_are_a_part_where_marks_set_them_off() -> None:
    assert (0, "A voucher is sent within 2 weeks") in held(find(f"{VOUCHER} … {PAID} … {SENTENCE}"))
    page = "We go on as if nothing at all had ever been said, and then in the end there is a new day for all of us."
    found = find(f"{SENTENCE} Whoever asks: in the end there is a wait.", REFUNDS, page)
    assert [row for row, _ in held(found, REFUNDS, page)] == [0]


def test_a_changed_number_stays_outside_of_all_parts() -> None:
    found = find("Goods may be sent back within 60 days of delivery. We pay the way back, unless the parcel was damaged")
    assert held(found)[0][1].startswith("days of delivery. We pay")
    assert not any("30" in text for _, text in held(found))


def test_scraps_are_no_passage() -> None:
    assert find(f"{VOUCHER} Nobody at all has ever said anything like that about any of what we do here, or did.") is None


def test_the_same_words_in_two_documents_and_twice_in_one() -> None:
    pages = (REFUNDS, f"Terms. {SENTENCE} Our address. {SENTENCE}", BILLING, SENTENCE.upper().replace(" ", "\n"))
    found = find(SENTENCE, *pages)
    assert found is not None
    places = held(found, *pages)
    assert [row for row, _ in places] == [0, 1, 1, 3]
    assert {text.lower().replace("\n", " ") for _, text in places} == {SENTENCE[:-1].lower()}
    assert {one.part for one in found.also} == {0}
    assert [row for row, _ in held(find(SENTENCE, *pages, doc=1), *pages)] == [1, 1]


def test_copies_of_what_is_in_other_words_and_of_further_parts() -> None:
    pages = (REFUNDS, f"Terms. {SENTENCE}", f"# Desk\n\n{DESK} Bye.")
    reworded = SENTENCE.replace("We pay", "We will pay")
    found = find(f"{reworded} … {DESK}", *pages)
    assert sorted((one.doc_row, one.part) for one in found.also) == [(0, 1), (1, 0), (2, 1)] if found else False


def test_another_number_is_no_copy() -> None:
    pages = (
        "It costs 1.5 euros a day and a room for all the guests.",
        "It costs 1,5 euros a day and a room for all the guests.",
    )
    assert held(find(pages[0], *pages), *pages) == [(0, pages[0][:-1])]


def test_there_is_an_end_to_copies_and_parts() -> None:
    found = find(GOODS, *[f"{GOODS} {GOODS}"] * 100)
    assert found is not None
    assert len(found.also) == 16
    texts = [" ".join(f"w{page}x{word}" for word in range(10)) for page in range(40)]
    assert find(" … ".join(texts), *texts) is None  # twelve parts are less than half of it
    joined = find(" … ".join(texts[:20]), *texts)
    assert joined is not None
    assert {one.part for one in joined.also} == set(range(1, 12))


def test_what_is_found_depends_on_nothing_that_was_looked_for_before() -> None:
    pages = [("x" * 99 + " ") * 100_000, "A short word.", "Another page that says something else of nothing."]
    asked = ["short word", "something else of", "no such", "says something else"] * 3
    texts = [Document(f"d{number}", "", page) for number, page in enumerate(pages)]
    assert len(texts) == 3
    aligner = Aligner(corpus(*pages))
    first = [aligner.find(text, None, None) for text in asked]
    random.Random(3).shuffle(order := list(range(len(asked))))
    again = {number: aligner.find(asked[number], None, None) for number in order}
    assert first == [again[number] for number in range(len(asked))]
    assert [found and found.doc_row for found in first[:4]] == [1, 2, None, 2]


def test_each_part_stands_first_where_it_may_be_seen() -> None:
    pages = (f"{GOODS} {PAID}", f"Terms. {GOODS} Bye.", BILLING)  # the first one alone has both
    aligner = Aligner(corpus(*pages, access=("staff",)))
    for groups, rows in ((None, [2, 0, 1, 0]), (("staff",), [0, 2, 0, 1])):
        found = aligner.find(f"{PAID}\n{GOODS}", None, groups)
        assert found is not None
        assert [found.doc_row, *(one.doc_row for one in found.also)] == rows
        assert not found.hidden
        assert {text for _, text in held(found, *pages)} == {GOODS[:-1], PAID[:-1]}


@pytest.mark.parametrize("text", [f"{PAID} {GOODS}", f"{PAID} {GOODS.upper()}", f"So: {PAID} {GOODS}"])
def test_a_hidden_document_that_has_both_parts_of_a_passage_in_sequence_was_not_read_for_that(text: str) -> None:
    both = f"Notes. {PAID} {GOODS} {VOUCHER}"
    pages = (both, f"Terms. {GOODS} Bye.", BILLING)
    aligner = Aligner(corpus(*pages, access=("staff",)))
    found = aligner.find(text, None, None)
    assert found is not None
    assert (found.hidden, found.how) == (False, "parts")
    assert [(one, said.lower()) for one, said in held(found, *pages)] == [
        (2, PAID[:-1].lower()),
        (0, PAID[:-1].lower()),
        (1, GOODS[:-1].lower()),
        (0, GOODS[:-1].lower()),
    ]
    named = aligner.find(text, 0, None)
    assert named is not None
    assert (named.hidden, named.doc_row) == (True, 0)  # whoever names it has read it


def test_a_hidden_document_was_read_where_others_lack_a_word_of_the_passage() -> None:
    both = f"Notes. {PAID} {GOODS} {VOUCHER}"
    for lacking in (GOODS.replace("30", "60"), GOODS.replace("sent", "given"), "Goods may be sent."):
        aligner = Aligner(corpus(both, f"Terms. {lacking} Bye.", BILLING, access=("staff",)))
        found = aligner.find(f"{PAID} {GOODS}", None, None)
        assert found is not None
        assert (found.hidden, found.doc_row) == (True, 0)


def test_a_hidden_document_was_read_where_what_others_say_between_two_parts_may_be_chance() -> None:
    text = f"{PAID} But never this. {GOODS}"
    found = Aligner(corpus(text, f"But never this. {GOODS} Bye.", BILLING, access=("staff",))).find(text, None, None)
    assert found is not None
    assert not found.hidden  # the second page has all of it
    found = Aligner(corpus(text, f"{GOODS} But never this.", BILLING, access=("staff",))).find(text, None, None)
    assert found is not None
    assert found.hidden

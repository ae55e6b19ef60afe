"""Where a foreign passage stands in the corpus, and where it must not be found."""

from __future__ import annotations

import random
import subprocess
import sys
import zlib
from pathlib import Path

import pytest

from ragtriage.corpus.base import Corpus
from ragtriage.search.systems.alignment import Aligned, Aligner, Stand
from ragtriage.types import Document, Span

REFUNDS = (
    "# Refunds\n\nGoods may be sent back within 30 days of delivery. We pay the way back, unless the parcel was damaged by the"
    " customer. A voucher is sent within 2 weeks.\n\nQuestions go to the help desk.\n"
)
BILLING = "# Billing\n\nAn invoice is sent on the first day of each month. It can be paid within 14 days of its date by card.\n"


def corpus(*texts: str, access: tuple[str, ...] | None = None) -> Corpus:
    documents = [Document(f"d{number}", "", text) for number, text in enumerate(texts, start=1)]
    if access is not None:
        documents[0] = Document("d1", "", texts[0], access=access)
    return Corpus(Path("docs"), tuple(documents))


def find(text: str, *, doc: int | None = None, pages: tuple[str, ...] = (REFUNDS, BILLING)) -> Aligned | None:
    return Aligner(corpus(*pages)).find(text, doc, None)


def held(found: Aligned | None, pages: tuple[str, ...] = (REFUNDS, BILLING)) -> str:
    assert found is not None
    return pages[found.doc_row][found.span.start : found.span.end]


SENTENCE = "We pay the way back, unless the parcel was damaged by the customer."


def test_exactly() -> None:
    found = find(f"  {SENTENCE}\n")
    assert found == Aligned(0, Span(REFUNDS.index("We pay"), REFUNDS.index(" A voucher")), "exact", 1.0)


@pytest.mark.parametrize(
    "text",
    [
        SENTENCE.upper(),
        SENTENCE.replace(" ", "\n  "),
        SENTENCE.replace(",", " ,").replace("unless", "**unless**"),
    ],
)
def test_but_for_typography_white_space_and_case(text: str) -> None:
    found = find(text)
    assert found is not None
    assert (found.how, held(found)) == ("folded", SENTENCE)


def test_accents_however_they_are_composed() -> None:
    page = ("Le café est ouvert dès l’été, et le thé est préparé à l’aube.",)
    found = find("Le cafe\u0301 est ouvert de\u0300s l'e\u0301te\u0301, et le the\u0301", pages=page)
    assert held(found, page) == "Le café est ouvert dès l’été, et le thé"


def test_a_script_without_spaces() -> None:
    page = ("返品は商品到着後三十日以内に限り受け付けます。送料は当社が負担します。",)
    found = find("商品到着後三十日以内に限り 受け付けます", pages=page)
    assert held(found, page) == "商品到着後三十日以内に限り受け付けます"


def test_reworded_here_and_there() -> None:
    found = find("We will pay the way back, unless the parcel had been damaged by the customer.")
    assert found is not None
    assert found.how == "fuzzy"
    assert held(found) == SENTENCE.removeprefix("We ").removesuffix(".")


def test_what_stands_before_it_is_no_part_of_it() -> None:
    found = find(f"Help centre > Refunds > Cost\n\n{SENTENCE}")
    assert (held(found), found and found.how) in ((SENTENCE, "fuzzy"), (SENTENCE.removesuffix("."), "fuzzy"))


def test_a_changed_number_is_not_bridged() -> None:
    found = find("Goods may be sent back within 60 days of delivery. We pay the way back, unless the parcel was damaged")
    assert "30" not in held(found)
    assert held(found).startswith("days of delivery. We pay")
    assert find("It can be paid within 1.4 days", pages=("It can be paid within 1,4 days",)) is None


def test_what_a_passage_leaves_out_is_not_found() -> None:
    before = "Orders can be returned for a refund as long as the parcel carries the label that we sent with it."
    page = f"{before} Sale items are never refunded. Customers pay for the postage themselves."
    found = find(page.replace("Sale items are never refunded.", "[...]"), pages=(page,))
    assert found is not None
    assert held(found, (page,)) == before.removesuffix(".")
    assert (found.how, found.share) == ("parts", 1.0)
    assert [page[one.span.start : one.span.end] for one in found.also] == ["Customers pay for the postage themselves"]


def test_the_address_of_a_link_may_be_left_out() -> None:
    page = "See [how returns work](https://help.example.com/en/orders/how-returns-work.html) before a parcel is sent back."
    text = "See how returns work before a parcel is sent back."
    found = find(text, pages=(page,))
    assert found is not None
    assert found.share == 1.0
    assert held(found, (page,)) == page.removesuffix(".")


def test_words_are_the_same_numbers_in_every_process() -> None:
    program = (
        "from ragtriage.search.systems.alignment_words import words_of; print(words_of('Weiße Ware, 30 days').hashes.tolist())"
    )
    said = {
        subprocess.run(
            [sys.executable, "-c", program], env={"PYTHONHASHSEED": seed}, capture_output=True, text=True, check=True
        ).stdout
        for seed in ("1", "2")
    }
    assert said == {f"{[zlib.crc32(word) for word in (b'weisse', b'ware', b'30', b'days')]}\n"}


def test_what_stands_nowhere() -> None:
    assert find("Nothing of this sentence was ever written into any page of the corpus.") is None
    assert find("") is None
    assert find(" \n") is None
    assert find("?!") is None


def test_its_own_document_goes_before_another_that_says_the_same() -> None:
    pages = (REFUNDS, REFUNDS)
    assert [find(SENTENCE, doc=doc, pages=pages) for doc in (None, 1)] == [
        Aligned(0, Span(62, 129), "exact", 1.0, (Stand(1, Span(62, 128), 0),)),
        Aligned(1, Span(62, 129), "exact", 1.0),
    ]
    moved = find(SENTENCE, doc=1)  # what calls itself billing is in refunds
    assert moved is not None
    assert moved.doc_row == 0


def test_of_equal_places_one_that_may_be_seen() -> None:
    aligner = Aligner(corpus(REFUNDS, REFUNDS, access=("staff",)))
    rows = [found.doc_row for groups in (None, ("staff",)) if (found := aligner.find(SENTENCE, None, groups))]
    assert rows == [1, 0]
    short = aligner.find("A voucher", None, None)
    assert short is not None
    assert short.doc_row == 1


def test_a_few_words_are_found_as_they_stand_alone() -> None:
    assert held(find("30 days")) == "30 days"
    assert find("31 days") is None


def test_a_long_page_is_found_in_a_large_corpus() -> None:
    seeded = random.Random(7)
    words = [f"w{number}" for number in range(3000)]
    pages = tuple(" ".join(seeded.choices(words, k=2000)) for _ in range(60))
    aligner = Aligner(corpus(*pages))
    for row in (0, 31, 59):
        start = pages[row].index(" ", 2000) + 1
        part = pages[row][start : start + 3000].upper().replace(" ", "\t")
        found = aligner.find(part, None, None)
        assert found is not None
        assert (found.doc_row, found.how, found.share > 0.99) == (row, "folded", True) or found.how == "fuzzy"
        assert found.doc_row == row
    whole = aligner.find(pages[5].replace(" ", "  "), None, None)
    assert whole == Aligned(5, Span(0, len(pages[5])), "folded", 1.0)


def test_an_endless_text_takes_no_endless_time() -> None:
    assert find("x " * 1_000_000) is None
    assert find("x" * 2_000_000) is None
    assert find("the way back " * 200_000) is None

"""A hit becomes a passage: of ours by its id, else of its own by its text."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from ragtriage.chunking.passages import Passages, Unplaced
from ragtriage.corpus.base import Corpus
from ragtriage.project import Project
from ragtriage.search.systems.document_names import DocumentNames
from ragtriage.search.systems.foreign import ForeignHit
from ragtriage.search.systems.hits import Paths, hits_of
from ragtriage.search.systems.matching import Matched, Matcher
from ragtriage.types import AlsoAt, Document

Opened = Callable[..., Project]
TEXT = "Goods may be sent back within 30 days of delivery."
PLACE = ("refunds", 11, 61)


@pytest.fixture
def match(opened: Opened) -> Callable[..., Matched]:
    matcher = Matcher(opened(["x"]).chunks)

    def one(id: str = "", text: str = "", doc: str = "") -> Matched:  # noqa: A002  # the field's name
        return matcher.match([ForeignHit(id, text, doc)], None)[0]

    return one


def test_an_id_of_ours(match: Callable[..., Matched]) -> None:
    ours = Matched("refunds#1", None, "id")
    assert match("refunds#1") == ours
    assert match("refunds.md#1") == ours
    assert match("refunds#1", f"# Refunds\n\n{TEXT}") == ours
    assert match("refunds#1", f"Refunds > Cost\n\n# Refunds\n\n{TEXT.upper()}") != ours
    assert match("refunds#1", f"Refunds\n\n# Refunds\n\n{TEXT}") == ours


def test_the_same_id_for_another_text_is_another_passage(match: Callable[..., Matched]) -> None:
    found = match("refunds#1", "Parcels leave on the next working day.")
    assert found.name.startswith("refunds#1~")
    assert (found.place, found.how) == (("shipping", 12, 50), "exact")
    other = match("refunds#1", "We ship to Norway.")
    assert other.name != found.name


def test_ids_of_its_own_and_none(match: Callable[..., Matched]) -> None:
    assert match("77", TEXT) == Matched("77", PLACE, "exact")
    assert match("", TEXT) == Matched("refunds@11-61", PLACE, "exact")
    assert match(TEXT) == Matched("refunds@11-61", PLACE, "exact")  # a list of texts


def test_one_id_for_several_texts_is_several_passages(match: Callable[..., Matched]) -> None:
    first, second = match("refunds", TEXT), match("refunds", "Parcels leave on the next working day.")
    assert (first.name, first.place) == ("refunds", PLACE)
    assert second.name.startswith("refunds~")
    assert second.place == ("shipping", 12, 50)
    assert match("refunds", TEXT) == first
    assert match("0", "Written nowhere in these pages.").name != match("0", "Nor was this one, anywhere at all.").name


def test_a_whole_document(match: Callable[..., Matched]) -> None:
    for found in (match("refunds"), match("refunds.md"), match(doc="refunds")):
        assert (found.place, found.how) == (("refunds", 0, 62), "document")


def test_what_stands_nowhere_keeps_its_name(match: Callable[..., Matched]) -> None:
    assert match("77") == Matched("77", None, "nothing", called="77")
    text = "This was never written anywhere in here at all."
    expected = Matched("78", None, "nothing", Unplaced(text, "old/page"), called="old/page")
    assert match("78", text, "old/page") == expected
    assert match("78", text, "refunds").called == ""
    assert match("", text).name.startswith("text~")
    assert match() == Matched("~", None, "nothing")


@pytest.mark.parametrize(
    ("name", "meant"),
    [
        ("refunds", "refunds"), ("docs/refunds.md", "refunds"), ("docs\\Refunds.MD", "refunds"), ("REFUNDS", "refunds"),
        ("https://help.example.com/en/refunds", "refunds"), ("https://help.example.com/Refunds.html?from=mail#top", "refunds"),
        ("/srv/data/refunds.pdf", "refunds"), ("file:///srv/my%20docs/refunds.md/", "refunds"),
        ("Invoices.pdf", "billing/invoices"),
        ("billing/invoices.txt", "billing/invoices"), ("twice.md", None), ("a/twice", "a/twice"), ("17", None), ("17.md", None),
        ("refund", None), ("", None), ("https://[", None), ("/" * 5000, None),
    ],
)  # fmt: skip
def test_a_document_by_the_names_that_others_have_for_it(name: str, meant: str | None) -> None:
    ids = ("refunds", "billing/invoices", "a/twice", "b/twice", "chapters/17")
    names = DocumentNames(Corpus(Path("docs"), tuple(Document(one, one, "Text.", source=f"{one}.md") for one in ids)))
    row = names.row(name)
    assert (None if row is None else ids[row]) == meant
    assert names.nearest("https://help.example.com/refnds.html") == "refunds"
    assert names.nearest("DOC-4711") == ""


def test_a_passage_that_is_joined_has_all_its_places_and_all_its_text(opened: Opened) -> None:
    chunks = opened(["x"]).chunks
    text = f"{TEXT} … Parcels leave on the next working day."
    found = Matcher(chunks).match([ForeignHit("j", text)], None)[0]
    assert (found.place, found.how) == (("refunds", 11, 60), "parts")
    assert found.also == (AlsoAt("shipping", 12, 49, 1),)
    table = Passages(chunks, {"j": found.place}, also={"j": found.also})
    row = table.row("j")
    assert row is not None
    assert table.text(row) == f"{TEXT[:-1]}\n…\nParcels leave on the next working day"
    shipping = table.also(row)[0]
    alone = Passages(chunks, {"a": found.place, "b": tuple(shipping[:3])})
    assert table.tokens[row] == sum(int(alone.tokens[alone.row(name) or 0]) for name in "ab")
    assert table.also(0) == ()


@pytest.mark.parametrize(
    ("hit", "groups", "hidden"),
    [
        (ForeignHit("vouchers#1"), None, True),
        (ForeignHit("vouchers#1"), ("staff",), False),
        (ForeignHit("docs/vouchers.md"), None, True),
        (ForeignHit("9", "Support may give a voucher of 15 euros to whoever waited."), None, True),
        (ForeignHit("9", "a voucher of"), None, True),
        (ForeignHit("9", f"{TEXT} Support may give a voucher of 15 euros to whoever waited"), None, True),
            (ForeignHit("9", f"{TEXT} Support may give a voucher"), None, False),  # which proves nothing
        (ForeignHit("9", TEXT), None, False),
        (ForeignHit("9", "Of this nobody wrote anything anywhere."), None, False),
    ],
)  # fmt: skip
def test_what_those_who_asked_may_not_see(
    opened: Opened, hit: ForeignHit, groups: tuple[str, ...] | None, hidden: bool
) -> None:
    assert Matcher(opened(["x"]).chunks).match([hit], groups)[0].hidden is hidden


def test_passages_are_rows_beside_the_chunks(opened: Opened) -> None:
    chunks = opened(["x"]).chunks
    places = {"own": PLACE, "gone": ("nowhere", 0, 5), "apart": None, "silent": None, "beyond": ("refunds", 50, 900)}
    table = Passages(chunks, places, {"apart": Unplaced("Written elsewhere.", "old")})
    row, apart, beyond = (table.row(name) for name in ("own", "apart", "beyond"))
    assert row is not None
    assert apart is not None
    assert beyond is not None
    assert [table.row(name) for name in ("gone", "silent", "?")] == [None, None, None]
    assert (table[row].chunk_id, table[row].doc_id, table.text(row)) == ("own", "refunds", TEXT)
    assert 0 < table[row].tokens < chunks[0].tokens
    assert (table.text(apart), table.document_of(apart).doc_id) == ("Written elsewhere.", "old (not in the corpus)")
    assert table.text(beyond) == chunks.corpus.document("refunds").text[50:]
    assert (list(table), table.rows_of("refunds"), list(table.ids)) == (
        list(chunks),
        chunks.rows_of("refunds"),
        list(chunks.ids),
    )
    assert table.in_order([apart, row, 0]) == [0, row, apart]


@pytest.mark.parametrize(
    ("reply", "paths", "expected"),
    [
        (["a", 7], Paths(), [("a", "", "", None), ("7", "", "", None)]),
        ({"results": [{"chunk_id": "a", "score": 1}]}, Paths(), [("a", "", "", 1.0)]),
        ({"documents": [["a", "b"]]}, Paths(), [("a", "", "", None), ("b", "", "", None)]),
        (
            [{"page_content": "t", "metadata": {"source": "s", "id": "i"}}],
            Paths(),
            [("i", "t", "s", None)],
        ),
        (
            [{"node": {"node_id": "n", "text": "t", "metadata": {"file_name": "f"}}, "score": 0.5}],
            Paths(), [("n", "t", "f", 0.5)],
        ),
        ({"a": {"b": [{"x": [{"y": "id"}], "t.u": "text"}]}}, Paths("a.b", "x.0.y", "t\\.u"), [("id", "text", "", None)]),
        ([{"id": "a", "score": float("nan")}, {"id": "b", "score": "9"}, {"id": "c", "score": 10**400}], Paths(),
         [("a", "", "", None), ("b", "", "", None), ("c", "", "", None)]),
        ([{"text": "\ud800x", "id": ["no"]}], Paths(), [("", "\ufffdx", "", None)]),
    ],
)  # fmt: skip
def test_hits_in_many_shapes(reply: Any, paths: Paths, expected: list[tuple[str, str, str, float | None]]) -> None:
    assert [tuple(hit) for hit in hits_of(reply, 10, paths)] == expected

"""Which document of ours a name of somebody else's means."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.engine.golden.tiny import corpus_of

from ragtriage.corpus.base import Corpus
from ragtriage.search.systems.document_names import DocumentNames

IDS = ("billing/refunds", "billing/invoices", "Setup", "de/setup-guide", "en/setup-guide", "chapters/17", "c/a b")


def corpus() -> Corpus:
    return corpus_of(dict.fromkeys(IDS, "A text."))


NAMES = DocumentNames(corpus())


@pytest.mark.parametrize(
    ("name", "meant"),
    [
        ("billing/refunds", "billing/refunds"),
        ("billing/refunds.md", "billing/refunds"),
        ("https://docs.example.com/v2/billing/refunds.md?x=1#fees", "billing/refunds"),
        ("/home/me/docs/billing/refunds.md", "billing/refunds"),
        (r"C:\docs\billing\refunds.md", "billing/refunds"),
        ("  Billing/Refunds.html ", "billing/refunds"),
        ("refunds", "billing/refunds"),
        ("setup", "Setup"),
        ("https://docs.example.com/c/a%20b", "c/a b"),
        ("en/setup-guide", "en/setup-guide"),
    ],
)
def test_a_name_ends_in_a_document_of_ours(name: str, meant: str) -> None:
    row = NAMES.row(name)
    assert row is not None
    assert IDS[row] == meant


@pytest.mark.parametrize(
    "name", ["", " ", "/", "setup-guide", "17", "http://[", "billing", "my-refunds", "x/" * 40 + "refunds"]
)
def test_a_name_of_none_or_of_several(name: str) -> None:
    assert NAMES.row(name) is None


@given(st.text(max_size=60))
def test_any_name_is_answered(name: str) -> None:
    row = NAMES.row(name)
    assert row is None or 0 <= row < len(IDS)
    assert NAMES.nearest(name) in ("", *IDS)


@given(st.sampled_from(IDS), st.lists(st.text("abxyz", min_size=1, max_size=5), max_size=4), st.sampled_from(["", ".md"]))
def test_folders_before_it_and_a_suffix_change_nothing(doc_id: str, folders: list[str], suffix: str) -> None:
    assert NAMES.row("/".join([*folders, doc_id]) + suffix) == IDS.index(doc_id)


def test_the_nearest_is_like_it_or_there_is_none() -> None:
    assert NAMES.nearest("docs/refund.md") == "billing/refunds"
    assert NAMES.nearest("something else") == NAMES.nearest("") == ""
    assert NAMES.some(2) == list(IDS[:2])


def test_no_documents_have_no_names() -> None:
    names = DocumentNames(corpus_of({}))
    assert (names.row("a"), names.nearest("a"), names.some(3)) == (None, "", [])

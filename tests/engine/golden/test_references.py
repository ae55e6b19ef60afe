from __future__ import annotations

import re
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragtriage.golden.references import format_reference, parse_evidence, parse_reference
from ragtriage.types import Evidence, Place


@pytest.mark.parametrize(
    ("written", "place"),
    [
        ("policy-refunds", Place(doc="policy-refunds")),
        ("billing/webhooks", Place(doc="billing/webhooks")),
        ("billing.md", Place(doc="billing.md")),
        ("policy-refunds#3", Place(chunk="policy-refunds#3")),
        ("release-1.2#3", Place(chunk="release-1.2#3")),
        ("a#b#12", Place(chunk="a#b#12")),
        ("billing.md#refunds", Place(doc="billing.md", section="refunds")),
        ("billing.md#3", Place(doc="billing.md", section="3")),
        ("billing#refunds", Place(doc="billing", section="refunds")),
        ("contract-0442/§14.2", Place(doc="contract-0442", section="§14.2")),
        ("legal/contract-0442/§14.2", Place(doc="legal/contract-0442", section="§14.2")),
        ("handbook.pdf#page=12", Place(doc="handbook.pdf", page=12)),
        ("handbook#page=12", Place(doc="handbook", page=12)),
        ("c#", Place(doc="c#")),
        ("#", Place(doc="#")),
    ],
)
def test_strings(written: str, place: Place) -> None:
    assert parse_reference(written) == place


@pytest.mark.parametrize(
    ("written", "place"),
    [
        (
            {"doc": "policy-refunds", "quote": "within 30 days", "prefix": "", "suffix": " of", "at": 12},
            Place(doc="policy-refunds", quote="within 30 days", suffix=" of", at=12),
        ),
        ({"doc": "billing", "section": "refunds"}, Place(doc="billing", section="refunds")),
        ({"doc": "contract-0442", "section": 14}, Place(doc="contract-0442", section="14")),
        ({"doc": "handbook", "page": 12}, Place(doc="handbook", page=12)),
        ({"doc": "policy-refunds"}, Place(doc="policy-refunds")),
        ({"chunk": "policy-refunds#3", "chunk_sha": "9f2c"}, Place(chunk="policy-refunds#3", chunk_sha="9f2c")),
        ({"doc": "finance", "start": 7, "end": 9, "text": "ab"}, Place(doc="finance", quote="ab", at=7)),
        ({"doc_id": "finance", "start": 7, "end": 9, "content": "ab"}, Place(doc="finance", quote="ab", at=7)),
    ],
)
def test_objects(written: dict[str, Any], place: Place) -> None:
    assert parse_reference(written) == place


@pytest.mark.parametrize(
    ("written", "says"),
    [
        ("", "an empty reference"),
        (" ", "an empty reference"),
        (7, "a string or an object, not a number"),
        (None, "not null"),
        ([], "not a list"),
        ({}, '"doc" (or "chunk") is missing'),
        ({"doc": "a", "quote": " "}, "quote: empty"),
        ({"doc": "a", "quote": ["b"]}, "quote: a string is needed, not a list"),
        ({"doc": "a", "start": 1, "end": 2}, 'add "text"'),
        ({"doc": "a", "page": 0}, "pages count from 1"),
        ({"doc": "a", "page": "two"}, "page: a whole number is needed"),
        ({"doc": "a", "page": True}, "page: a whole number is needed"),
        ("a.pdf#page=0", "pages count from 1"),
        ({"doc": "a", "quote": "b", "at": -1}, "at: a whole number is needed"),
        ({"doc": True}, "doc: a string is needed, not true or false"),
    ],
)
def test_what_is_no_reference_says_why(written: Any, says: str) -> None:
    with pytest.raises(ValueError, match=re.escape(says)):
        parse_reference(written)


def test_an_item_may_have_other_places_and_a_gain() -> None:
    written = {"doc": "a", "quote": "b", "also": [{"doc": "faq", "quote": "c"}, "d#2"], "gain": 2}
    assert parse_evidence(written) == Evidence(
        Place(doc="a", quote="b"), (Place(doc="faq", quote="c"), Place(chunk="d#2")), 2.0
    )
    assert parse_evidence({"doc": "a", "also": "b"}) == Evidence(Place(doc="a"), (Place(doc="b"),))
    for bad, says in (
        ({"also": 3}, "also: a list"),
        ({"also": [3]}, "also: a reference"),
        ({"gain": 0}, "gain: "),
        ({"gain": True}, "gain"),
    ):
        with pytest.raises(ValueError, match=says):
            parse_evidence({"doc": "a", **bad})


_names = st.text(min_size=1).filter(str.strip)


@given(
    st.one_of(
        st.builds(Place, doc=_names),
        st.builds(Place, doc=_names, section=_names),
        st.builds(Place, doc=_names, page=st.integers(1, 10**8)),
        st.builds(Place, chunk=_names, chunk_sha=st.text("0123456789abcdef")),
        st.builds(Place, doc=_names, quote=_names, prefix=st.text(), suffix=st.text(), at=st.none() | st.integers(0, 10**9)),
    )
)
def test_what_is_written_back_reads_as_the_same_place(place: Place) -> None:
    assert parse_reference(format_reference(place)) == place

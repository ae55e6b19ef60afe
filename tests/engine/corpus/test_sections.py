from __future__ import annotations

import pytest

from ragtriage.corpus.sections import Heading, Slugs, heading_at, sections_of, slug
from ragtriage.types import Document


@pytest.mark.parametrize(
    ("heading", "anchor"),
    [
        ("Refunds", "refunds"),
        ("What's new in v1.2.3?", "whats-new-in-v123"),
        ("Fees & limits", "fees--limits"),
        ("user_id / ERR_4021", "user_id--err_4021"),
        ("Größe – Übersicht", "größe--übersicht"),
        ("漢字 テスト", "漢字-テスト"),
        ("C++", "c"),
        ("  spaced  ", "spaced"),
        ("🎉 Party", "-party"),
        ("नमस्ते", "नमस्ते"),
        ("m² area", "m-area"),
        ("a-b", "a-b"),
        ("...", ""),
    ],
)
def test_slugs_follow_github(heading: str, anchor: str) -> None:
    assert slug(heading) == anchor


def test_anchors_are_unique_also_where_a_heading_looks_like_a_numbered_one() -> None:
    slugs = Slugs()
    assert [slugs.anchor(text) for text in ("Fees", "Fees", "Fees-1", "Fees", "fees 1")] == [
        "fees",
        "fees-1",
        "fees-1-1",
        "fees-2",
        "fees-1-2",
    ]


def test_a_section_holds_its_sub_sections() -> None:
    found = [Heading(1, "A", 2, "a"), Heading(2, "B", 10, "b"), Heading(4, "C", 20, "c"), Heading(2, "D", 30, "d")]
    sections = sections_of(found, 40)
    assert [section.path for section in sections] == [("A",), ("A", "B"), ("A", "B", "C"), ("A", "D")]
    assert [tuple(section.span) for section in sections] == [(2, 40), (10, 30), (20, 30), (30, 40)]


def test_heading_at_is_the_innermost() -> None:
    found = [Heading(1, "A", 2, "a"), Heading(2, "B", 10, "b")]
    document = Document("d", "t", "x" * 40, sections=sections_of(found, 40))
    assert [heading_at(document, at) for at in (0, 2, 9, 10, 39)] == [(), ("A",), ("A",), ("A", "B"), ("A", "B")]

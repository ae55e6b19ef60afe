from __future__ import annotations

import pytest

from ragtriage.search.access import access_tags, all_public, seen_tags, visible, visible_documents
from ragtriage.types import Document, Groups


@pytest.mark.parametrize(
    ("document", "question", "sees"),
    [
        (None, None, True),
        (None, (), True),
        (None, ("staff",), True),
        (("staff",), None, False),
        (("staff",), (), False),
        (("staff",), ("staff",), True),
        (("staff", "legal"), ("legal", "sales"), True),
        (("staff",), ("sales",), False),
        (("staff",), ("*",), True),
        ((), None, False),
        ((), ("staff",), False),
        ((), ("*",), True),
        (("*",), ("staff",), False),
        (("Staff",), ("staff",), False),
    ],
)
def test_who_sees_what(document: tuple[str, ...] | None, question: Groups, sees: bool) -> None:
    assert visible(document, question) is sees
    if question is None or "*" not in question:
        assert (not set(access_tags(document)).isdisjoint(seen_tags(question))) is sees


def test_documents_of_a_corpus() -> None:
    documents = [Document("a", "a", "x"), Document("b", "b", "x", access=("staff",)), Document("c", "c", "x", access=())]
    assert not all_public(documents)
    assert all_public(documents[:1])
    assert visible_documents(documents, None).tolist() == [True, False, False]
    assert visible_documents(documents, ("staff",)).tolist() == [True, True, False]
    assert visible_documents(documents, ("*",)).tolist() == [True, True, True]


def test_any_group_name_gives_a_tag() -> None:
    for name in ("", "\0", "\ud800", "x" * 100_000, "public"):
        assert len(access_tags((name,))[0]) == 32

from __future__ import annotations

from tests.engine.diagnose.planted import WINGS, chunks_of

from ragtriage.diagnose.fragments import Fragment, fragments


def test_headings_alone_rules_and_tails_are_fragments() -> None:
    chunks = chunks_of({"a": ["# A long heading of many words indeed", "---", "and so on.", ""], "b": [WINGS]})
    assert fragments(chunks) == [
        Fragment(0, 0, True), Fragment(1, 0, False), Fragment(2, 3, False), Fragment(3, 0, False),
    ]  # fmt: skip


def test_a_short_sentence_is_none() -> None:
    assert fragments(chunks_of({"a": ["# Refunds\n\nWithin 30 days of delivery.", "三十日以内に返品できます。"]})) == []

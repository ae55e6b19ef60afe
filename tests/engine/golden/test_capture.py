from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.engine.golden.tiny import chunks_of, corpus_of

from ragtriage.chunking.base import Chunks
from ragtriage.errors import CorpusError, GoldenError
from ragtriage.golden.capture import Mark, grown, label, new_question, suggest_must_mention
from ragtriage.golden.evidence import ResolvedPlace, resolve, resolve_item
from ragtriage.golden.file import append_question, read_golden
from ragtriage.golden.references import parse_evidence
from ragtriage.ids import question_id, text_sha
from ragtriage.types import Span

REFUNDS = (
    "# Refunds\n\nYou have 30 days. After that, e.g. in week six, we say no!\nFees apply.\n\n"
    "- Plan A: 5 days.\n- Plan B: 5 days.\n"
)
TWICE = "Plan A is cheap. Cancel within 5 days.\n\nPlan B is not. Cancel within 5 days.\n"
CORPUS = corpus_of({"refunds": REFUNDS, "twice": TWICE, "same": "Yes.\n\n" * 200})
CHUNKS = chunks_of(CORPUS, {"refunds": [(0, 28), (28, len(REFUNDS))]})


def resolved(saved: dict[str, Any], chunks: Chunks | None) -> ResolvedPlace:
    return resolve_item(parse_evidence(saved), CORPUS, chunks).places[0]


def span(text: str, part: str) -> Span:
    start = text.index(part)
    return Span(start, start + len(part))


@pytest.mark.parametrize(
    ("marked", "quote"),
    [
        ("30", "You have 30 days."),
        ("days. After", "You have 30 days. After that, e.g. in week six, we say no!"),
        ("week", "After that, e.g. in week six, we say no!"),
        ("You have 30 days.", "You have 30 days."),
        (" You have".strip(), "You have 30 days."),
        ("Plan B", "- Plan B: 5 days."),
    ],
)
def test_a_marked_span_grows_to_whole_sentences(marked: str, quote: str) -> None:
    grew = grown(REFUNDS, span(REFUNDS, marked))
    assert REFUNDS[grew.start : grew.end] == quote


def test_white_space_grows_to_nothing() -> None:
    grew = grown(REFUNDS, span(REFUNDS, "\n\n"))
    assert grew.start == grew.end
    with pytest.raises(GoldenError, match="white space"):
        label(Mark("refunds", span(REFUNDS, "\n\n")), CORPUS)


@given(st.text(st.sampled_from("ab. \n-#!1"), max_size=40), st.integers(0, 45), st.integers(0, 45))
def test_growing_covers_what_was_marked_and_adds_no_white_space(text: str, one: int, other: int) -> None:
    marked = Span(min(one, other), max(one, other))
    grew = grown(text, marked)
    got = text[grew.start : grew.end]
    assert got == got.strip()
    assert set(range(*marked)) & {at for at, char in enumerate(text) if not char.isspace()} <= set(range(*grew))
    assert grown(text, grew) == grew or not got


def test_growing_in_a_long_document_finds_the_same_sentence() -> None:
    text = "One two. Three four.\n\n" * 5_000
    start = text.index("Three", 60_000)
    grew = grown(text, Span(start, start + 5))
    assert text[grew.start : grew.end] == "Three four."


def test_a_quote_is_saved_with_its_offset_and_no_more() -> None:
    assert label(Mark("refunds.md", span(REFUNDS, "30 days")), CORPUS) == {
        "doc": "refunds",
        "quote": "You have 30 days.",
        "at": 11,
    }
    assert label(Mark("refunds"), CORPUS) == {"doc": "refunds"}
    with pytest.raises(CorpusError, match="nowhere"):
        label(Mark("nowhere", Span(0, 1)), CORPUS)


def test_an_ambiguous_quote_is_saved_with_what_tells_it_apart() -> None:
    for part in ("A is cheap. Cancel", "B is not. Cancel"):
        at = TWICE.index(part) + len(part)
        saved = label(Mark("twice", Span(at - 1, at)), CORPUS)
        assert saved["quote"] == "Cancel within 5 days."
        saved["at"] += 1000  # the document was edited above it: the words around must tell
        found = resolved(saved, None)
        assert [one.span.start for one in found.spans] == [at - len("Cancel")]


def test_where_nothing_tells_two_places_apart_the_offset_does() -> None:
    middle = Span(6 * 100, 6 * 100 + 4)
    saved = label(Mark("same", middle), CORPUS)
    assert (saved["at"], saved.get("prefix"), saved.get("suffix")) == (600, None, None)


def test_a_whole_chunk_keeps_its_id_its_hash_and_its_text() -> None:
    saved = label(Mark("refunds", None, "refunds#1"), CORPUS, CHUNKS)
    assert saved == {
        "chunk": "refunds#1",
        "chunk_sha": text_sha(REFUNDS[:28])[:16],
        "doc": "refunds",
        "quote": "# Refunds\n\nYou have 30 days.",
        "at": 0,
    }
    assert resolved(saved, CHUNKS).how == "chunk"
    moved = resolved(saved, chunks_of(CORPUS, {}))
    assert (moved.how, moved.stale) == ("exact", True)
    with pytest.raises(GoldenError, match="no such chunk"):
        label(Mark("refunds", None, "refunds#9"), CORPUS, CHUNKS)


def test_the_object_is_ready_to_append(tmp_path: Path) -> None:
    obj = new_question(
        " how long do i have \ud800? ",
        [Mark("refunds", span(REFUNDS, "30 days")), Mark("twice")],
        CORPUS,
        CHUNKS,
        kind="multi-part",
        split="holdout",
        must_mention=["30 days"],
        expected_answer="30 days",
        tags=["returns"],
        access=["staff"],
        source={"from": "ticket", "ref": "8812"},
    )
    assert list(obj) == [
        "qid", "question", "kind", "split", "tags", "access", "evidence", "expected_answer", "answer_must_mention", "source",
    ]  # fmt: skip
    assert obj["qid"] == question_id("how long do i have \ufffd?")
    path = tmp_path / "golden.jsonl"
    append_question(path, obj)
    (question,) = read_golden(path).questions
    assert dict(question.raw) == obj
    assert [item.best.how for item in resolve(question, CORPUS, CHUNKS)] == ["exact", "coarse"]


def test_a_question_without_an_answer_in_the_corpus() -> None:
    for obj in (new_question("q?", [], CORPUS, kind="unanswerable"), new_question("q?", [], CORPUS, answerable=False)):
        assert obj["answerable"] is False
        assert "evidence" not in obj
    with pytest.raises(GoldenError, match="either the corpus has no answer"):
        new_question("q?", [Mark("refunds")], CORPUS, answerable=False)
    with pytest.raises(GoldenError, match="is empty"):
        new_question(" \n", [], CORPUS)


@pytest.mark.parametrize(
    ("quote", "mentions"),
    [
        ("Send it back within 30 days of delivery, else a 15% fee ($12.50) applies.", ("30 days", "15%", "$12.50")),
        ("See ERR_4021 in v1.2.3 or AX-104.", ("ERR_4021", "v1.2.3", "AX-104")),
        ("On 12 March 2026 at 14:30, or 2026-04-01.", ("12 March 2026", "14:30", "2026-04-01")),
        ("March 5, 2024 for 1,000 users and 2 GB; a 30-day trial", ("March 5, 2024", "1,000 users", "2 GB", "30-day")),
        ("between 5 and 10 of them, 30 days or 30 Days", ("5", "10", "30 days")),
        ("No numbers, no codes, well-known words, and/or e.g. user_id.", ()),
        ("", ()),
    ],
)
def test_numbers_dates_amounts_and_codes_are_suggested(quote: str, mentions: tuple[str, ...]) -> None:
    assert suggest_must_mention([quote]) == mentions


@settings(deadline=None)
@given(st.lists(st.text(), max_size=4))
def test_every_suggestion_stands_in_the_evidence(quotes: list[str]) -> None:
    words = [" ".join(quote.split()) for quote in quotes]
    for mention in suggest_must_mention(quotes):
        assert any(mention in quote for quote in words)

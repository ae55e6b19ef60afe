from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.engine.golden.tiny import chunks_of, corpus_of

from ragtriage.chunking.base import Chunks
from ragtriage.corpus.base import Corpus
from ragtriage.errors import GoldenError
from ragtriage.golden.anchoring import anchored, obsoleted, reanchored
from ragtriage.golden.anchors import Anchor, PlaceIndex, anchors
from ragtriage.golden.base import GoldenSet
from ragtriage.golden.dialects import labels_in, read_question
from ragtriage.golden.new_place import NewPlace
from ragtriage.golden.references import parse_evidence
from ragtriage.golden.word_diff import word_diff
from ragtriage.ids import text_sha
from ragtriage.types import Span

REFUNDS = (
    "# Refunds\nGoods may be sent back within 30 days of delivery. We pay the way back.\n# Fees\nA fee of five euros applies.\n"
)
MARS = "# Mars\nThe rover lands on a Tuesday in the small crater.\n"


def golden_of(*objects: Mapping[str, Any]) -> GoldenSet:
    read = [read_question(obj, where="golden", line=line) for line, obj in enumerate(objects, start=1)]
    assert all(one.question for one in read), [one.problems for one in read]
    return GoldenSet(Path("golden"), tuple(one.question for one in read if one.question))


def anchor(label: Any, texts: Mapping[str, str], chunks: Chunks | None = None, **known: str) -> Anchor:
    corpus = chunks.corpus if chunks else corpus_of(texts)
    (found,) = anchors(golden_of({"qid": "q", "question": "?", "evidence": [label]}), corpus, chunks, known)
    return found


def at(place: NewPlace) -> tuple[str, int]:
    return place.doc_id, place.span.start


QUOTE = "Goods may be sent back within 30 days of delivery."


@pytest.mark.parametrize(
    ("text", "state", "safe"),
    [
        (REFUNDS, "exact", False),
        ("New here.\n" + REFUNDS, "exact", False),
        (REFUNDS.replace("back within", "back\n within"), "reworded", True),
        (REFUNDS.replace("Goods", "goods"), "reworded", True),
        (REFUNDS.replace("may be sent", "can be sent"), "reworded", False),
        (REFUNDS.replace("30 days", "30 DAYS"), "reworded", False),  # which may be another unit
        (REFUNDS.replace("30", "14"), "gone", False),
        (REFUNDS.replace("30", "thirty"), "reworded", False),
        (REFUNDS + QUOTE, "ambiguous", False),
        (MARS, "gone", False),
    ],
)
def test_the_state_of_a_quote(text: str, state: str, safe: bool) -> None:
    found = anchor({"doc": "d", "quote": QUOTE}, {"d": text})
    assert (found.state, found.safe, found.open) == (state, safe, state != "exact" and not safe)


@pytest.mark.parametrize(
    ("quote", "text"),
    [
        ("It works from -20 to 50 degrees.", "It works from 20 to 50 degrees."),
        ("The card takes five to ten business days.", "The card takes seven to ten business days."),
        ("It covers an area of 30 m² at most, says the sheet.", "It covers an area of 30 m³ at most, says the sheet."),
        ("20 degrees are too cold for it", "-20 degrees are too cold for it"),
        ("five euros of it are kept", "Twenty-five euros of it are kept"),
        ("five euros of it are kept", "Twenty\u2011five euros of it are kept"),
        ("it takes us about sixty", "it takes us about sixty-two days"),
    ],
)
def test_no_sign_power_or_spelled_number_is_bridged(quote: str, text: str) -> None:
    assert anchor({"doc": "d", "quote": quote}, {"d": text}).state == "gone"


def test_a_changed_number_is_gone_and_its_new_place_is_shown() -> None:
    found = anchor({"doc": "d", "quote": QUOTE}, {"d": REFUNDS.replace("30", "14")})
    (place,) = found.places
    assert (place.text, place.same_numbers) == (QUOTE.replace("30", "14"), False)
    assert [(run.kind, run.text) for run in found.diff if run.kind != "kept"] == [("removed", "30"), ("added", "14")]


def test_a_moved_quote_is_found_in_whatever_document_it_is() -> None:
    found = anchor({"doc": "d", "quote": QUOTE}, {"d": MARS, "m": MARS, "policies/e": "Well.\n" + REFUNDS})
    assert (found.state, found.safe, at(found.places[0])) == ("moved", True, ("policies/e", 6 + REFUNDS.index(QUOTE)))
    assert anchor({"doc": "no", "quote": QUOTE}, {"e": REFUNDS}).state == "moved"
    twice = anchor({"doc": "no", "quote": QUOTE}, {"e": REFUNDS, "f": REFUNDS})
    assert (twice.state, twice.safe, [place.doc_id for place in twice.places]) == ("ambiguous", False, ["e", "f"])


@pytest.mark.parametrize(
    ("old", "new"), [("10 mW", "10 MW"), ("5 GB", "5 Gb"), ("-4 °C", "-4 °c"), ("mW", "MW"), ("8kHz", "8KHz")]
)
def test_the_case_of_a_unit_needs_a_person(old: str, new: str) -> None:
    quote = f"The sensor takes {old} at most when idle."
    found = anchor({"doc": "a", "quote": quote}, {"a": quote.replace(old, new)})
    assert (found.state, found.safe) == ("reworded", False)


def test_a_shared_sentence_that_was_changed_where_it_counts_has_not_moved() -> None:
    label = {"doc": "a", "quote": QUOTE}
    found = anchor(label, {"a": REFUNDS.replace("30", "14"), "b": REFUNDS})
    assert (found.state, found.safe, [place.doc_id for place in found.places]) == ("moved", False, ["b", "a"])
    assert found.why.endswith("it is in b, and text like it in a")
    assert anchor(label, {"a": MARS, "b": REFUNDS}).safe


def test_a_shared_sentence_has_not_moved_when_one_of_its_documents_went_away() -> None:
    golden = golden_of({"qid": "q", "question": "?", "evidence": [{"doc": "a", "quote": QUOTE}]})
    (found,) = anchors(golden, corpus_of({"b": REFUNDS}), stood_before=lambda doc, other: (doc, other) == ("a", "b"))
    assert (found.state, found.safe, found.why) == ("moved", False, "there is no document a; it is in b, where it stood before")


def test_a_few_words_elsewhere_are_never_taken_unread() -> None:
    found = anchor({"doc": "d", "quote": "30 days"}, {"d": MARS, "e": REFUNDS})
    assert (found.state, found.safe, found.open) == ("moved", False, True)


def test_a_quote_that_was_reworded_and_stands_elsewhere_word_for_word_needs_a_person() -> None:
    found = anchor({"doc": "d", "quote": QUOTE}, {"d": REFUNDS.replace("may", "can"), "e": REFUNDS})
    assert (found.state, found.safe, [place.doc_id for place in found.places]) == ("reworded", False, ["e", "d"])


def test_other_text_around_it_is_told() -> None:
    text = "Plan B: cancel within 30 days."
    label = {"doc": "d", "quote": "cancel within 30 days", "prefix": "Plan A: ", "at": 90}
    assert anchor(label, {"d": text}).state == "moved"
    assert anchor({**label, "prefix": "Plan B: "}, {"d": text}).state == "exact"
    assert anchor({"doc": "d", "quote": "legal to import"}, {"d": "It is illegal to import."}).state == "moved"
    assert anchor({"doc": "d", "quote": "legal to import", "at": 8}, {"d": "It is illegal to import."}).state == "exact"


def test_coarse_labels_and_what_they_may_be_called_now() -> None:
    texts = {"policies/refunds": REFUNDS}
    assert anchor({"doc": "policies/refunds", "section": "fees"}, texts).state == "exact"
    found = anchor({"doc": "policies/refunds", "section": "fee"}, texts)
    assert (found.state, found.places[0].section) == ("gone", "fees")
    found = anchor({"doc": "refunds", "section": "fees"}, texts)
    assert (found.state, found.places[0].doc_id) == ("gone", "policies/refunds")
    assert anchor({"doc": "refunds", "page": 2}, texts).places == ()


CORPUS = corpus_of({"refunds": REFUNDS, "mars": MARS})
CHUNKS = chunks_of(CORPUS, {"refunds": [(0, 83), (83, len(REFUNDS))]})
FEES_SHA = text_sha(CHUNKS.text(1))[:16]


def test_chunk_labels() -> None:
    assert anchor("refunds#2", {}, CHUNKS).why == "nothing tells whether this is still the chunk that was labelled"
    assert anchor("refunds#2", {}, CHUNKS, **{"refunds#2": FEES_SHA}).why == ""
    moved = anchor({"chunk": "refunds#1", "chunk_sha": FEES_SHA}, {}, CHUNKS)
    assert (moved.state, moved.safe, moved.places[0].chunk_id) == ("stale-chunk", True, "refunds#2")
    lost = anchor({"chunk": "refunds#1", "chunk_sha": "0" * 16}, {}, CHUNKS)
    assert (lost.state, lost.safe, lost.places) == ("stale-chunk", False, ())
    quoted = anchor({"chunk": "refunds#9", "chunk_sha": "0" * 16, "doc": "refunds", "quote": QUOTE}, {}, CHUNKS)
    assert (quoted.state, quoted.safe, quoted.places[0].text) == ("stale-chunk", True, QUOTE)
    assert anchor({"chunk": "nowhere#1"}, {}, CHUNKS).state == "gone"


def test_obsolete_questions_are_left_alone() -> None:
    question = {"qid": "q", "question": "?", "evidence": [{"doc": "d", "quote": "x y z"}]}
    assert anchors(golden_of(obsoleted(question, "2026-01-01")), CORPUS) == ()
    with pytest.raises(GoldenError, match="why"):
        obsoleted(question, " ")


# labels written anew


def test_a_label_is_given_its_new_place_and_nothing_else_changes() -> None:
    other = {"doc": "mars", "section": "mars"}
    obj = {
        "qid": "q", "question": "?", "note": [1], "evidence": [
            other, {"doc": "old", "quote": "x", "prefix": "y", "start": 3, "end": 4, "mine": {"a": 1}, "also": ["mars", other]},
        ],
    }  # fmt: skip
    start = REFUNDS.index(QUOTE)
    new = NewPlace("refunds", Span(start - 1, start + len(QUOTE) + 1), "", 100.0)
    out = reanchored(obj, PlaceIndex(1), new, CORPUS.document("refunds"))
    fresh = {"doc": "refunds", "quote": QUOTE, "at": start, "mine": {"a": 1}, "also": ["mars", other]}
    assert out == {**obj, "evidence": [other, fresh]}
    out = reanchored(obj, PlaceIndex(1, 1), new, CORPUS.document("refunds"))
    kept = {**obj["evidence"][1], "also": [{"doc": "refunds"}, other]}  # a document it was, a document it is
    assert out == {**obj, "evidence": [other, kept]}
    for index in (PlaceIndex(2), PlaceIndex(0, 1)):
        with pytest.raises(GoldenError, match="no label"):
            reanchored(obj, index, new, CORPUS.document("refunds"))


def test_prefix_and_suffix_are_written_where_the_new_text_stands_twice() -> None:
    corpus = corpus_of({"d": "Plan A: cancel within 30 days. Plan B: cancel within 30 days."})
    obj = {"question": "?", "evidence": {"doc": "d", "quote": "gone"}}
    out = reanchored(obj, PlaceIndex(0), NewPlace("d", Span(39, 60), "", 90.0), corpus.documents[0])
    label = out["evidence"]
    assert (label["at"], "prefix" in label or "suffix" in label) == (39, True)
    assert anchor(label, {"d": corpus.documents[0].text}).state == "exact"


@pytest.mark.parametrize("key", ["evidence", "relevant_chunk_ids", "relevant", "relevant_ids"])
def test_chunk_ids_are_given_quote_and_hash_and_other_tools_keep_theirs(key: str) -> None:
    obj = {"qid": "q", "question": "?", key: ["refunds#2", "mars#1", "refunds.md#fees"], "x": 1}
    if key == "relevant":
        obj["q"] = obj.pop("question")
    out = anchored(obj, CORPUS, CHUNKS)
    assert out is not None
    first, second, third = out["evidence"]
    quote = REFUNDS[83:].strip()
    assert first == {"chunk": "refunds#2", "chunk_sha": FEES_SHA, "doc": "refunds", "quote": quote, "at": REFUNDS.index(quote)}
    assert (second["chunk"], "quote" in second) == ("mars#1", True)
    assert parse_evidence(third).place in (
        parse_evidence("refunds.md#fees").place,
        parse_evidence({"chunk": "refunds.md#fees"}).place,
    )
    assert {name: out[name] for name in obj if name != "evidence"} == {name: obj[name] for name in obj if name != "evidence"}
    assert anchored(out, CORPUS, CHUNKS) is None, "once is enough"
    states = [one.state for one in anchors(golden_of(out), CORPUS, CHUNKS)]
    assert states == ["exact", "exact", "exact"]


def test_a_stale_chunk_is_given_no_quote() -> None:
    stale = {"question": "?", "evidence": [{"chunk": "refunds#1", "chunk_sha": FEES_SHA}]}
    assert anchored(stale, CORPUS, CHUNKS) is None
    assert anchored({"question": "?", "relevant_chunk_ids": ["refunds#1"]}, CORPUS, CHUNKS, {"refunds#1": FEES_SHA}) is None
    (found,) = anchors(golden_of({"qid": "q", **stale}), CORPUS, CHUNKS)
    out = reanchored(stale, found.index, found.places[0], CORPUS.document("refunds"))
    assert (out["evidence"][0]["chunk"], out["evidence"][0]["chunk_sha"]) == ("refunds#2", FEES_SHA)
    assert [one.state for one in anchors(golden_of({"qid": "q", **out}), CORPUS, CHUNKS)] == ["exact"]


@pytest.mark.parametrize(
    ("obj", "key", "count"),
    [
        ({"question": "?", "evidence": ["a"], "relevant": ["b"]}, "evidence", 1),
        ({"question": "?", "evidence": [], "relevant_doc_ids": "b"}, "relevant_doc_ids", 1),
        ({"question": "?", "source": ["a.md", "b.md"]}, "source", 2),
        ({"text": "?", "references": [{"doc_id": "a", "content": "x"}], "relevant": ["b"]}, "references", 1),
        ({"q": "?", "relevant": ["b"], "source": "x"}, "relevant", 1),
        ({"question": "?"}, "", 0),
    ],
)
def test_the_key_that_decides_is_the_one_that_is_read(obj: dict[str, Any], key: str, count: int) -> None:
    written = labels_in(obj)
    assert (written.key, len(written.items)) == (key, count)
    question = read_question(obj, where="", line=1).question
    assert question is not None
    assert [parse_evidence(item, written.read) for item in written.items] == list(question.evidence)


@given(st.text(st.sampled_from("ab .\n-é3"), max_size=30), st.text(st.sampled_from("ab .\n-é3"), max_size=30))
def test_a_diff_spells_both_texts(old: str, new: str) -> None:
    runs = word_diff(old, new)
    assert "".join(run.text for run in runs if run.kind != "added") == old
    assert "".join(run.text for run in runs if run.kind != "removed") == new


def test_a_corpus_of_nothing() -> None:
    nothing = Corpus(Path("docs"), ())
    golden = golden_of({"qid": "q", "question": "?", "evidence": [{"doc": "d", "quote": "x"}, "d", "d#3", "d.md#s"]})
    assert {one.state for one in anchors(golden, nothing)} == {"gone"}

from __future__ import annotations

from typing import Any

from tests.engine.golden.tiny import chunks_of, corpus_of, document, ready_made

from ragtriage.chunking.base import Chunks
from ragtriage.corpus.base import Corpus
from ragtriage.golden.evidence import Located, ResolvedPlace, resolve, resolve_item
from ragtriage.golden.references import parse_evidence
from ragtriage.ids import text_sha
from ragtriage.types import Evidence, Place, Question, Span

REFUNDS = "# Refunds\nSend it back within 30 days of delivery.\n## Fees\nA fee of 15 percent applies.\n# Other\nNothing else."
CORPUS = corpus_of({"refunds": REFUNDS, "faq": "You have 30 days. Really: you have 30 days.", "empty": " \n"})
CHUNKS = chunks_of(CORPUS, {"refunds": [(0, 50), (50, 80), (80, len(REFUNDS))]})


def place(written: Any, corpus: Corpus = CORPUS, chunks: Chunks | None = CHUNKS, **known: str) -> ResolvedPlace:
    (found,) = resolve_item(parse_evidence(written), corpus, chunks, known).places
    return found


def texts(found: ResolvedPlace, corpus: Corpus = CORPUS) -> list[str]:
    return [corpus.document(doc).text[span.start : span.end] for doc, span in found.spans]


# where a label is


def test_a_quote_is_found_in_its_document_alone() -> None:
    found = place({"doc": "refunds", "quote": "within 30 days"})
    assert (found.how, texts(found), found.ambiguous) == ("exact", ["within 30 days"], False)
    assert place({"doc": "faq", "quote": "within 30 days of delivery"}).how == "missing-quote"
    assert place({"doc": "nowhere", "quote": "within 30 days"}).how == "missing-document"
    assert place({"doc": "refunds.md", "quote": "within 30 days"}).spans[0].doc_id == "refunds"


def test_an_ambiguous_quote_counts_anywhere_and_is_told() -> None:
    found = place({"doc": "faq", "quote": "ou have 30 days"})
    assert (len(found.spans), found.ambiguous, found.occurrences) == (2, True, 2)
    settled = place({"doc": "faq", "quote": "ou have 30 days", "prefix": "Really: y"})
    assert ([one.span.start for one in settled.spans], settled.ambiguous) == ([27], True)


def test_coarse_references() -> None:
    assert texts(place({"doc": "refunds", "section": "fees"})) == ["## Fees\nA fee of 15 percent applies.\n"]
    assert texts(place("refunds.md#refunds")) == [REFUNDS[: REFUNDS.index("# Other")]], "sub-sections included"
    assert texts(place("refunds")) == [REFUNDS]
    assert place("refunds#nothing").how == "missing-anchor"
    assert place("nowhere#fees").how == "missing-document"
    assert place("empty").how == "no-text"
    assert place({"doc": "empty", "quote": "x"}).how == "no-text"


def test_a_section_tells_which_of_two_quotes_is_meant() -> None:
    corpus = corpus_of({"d": "# A\nit is 5.\n# B\nit is 5.\n"})
    found = place({"doc": "d", "quote": "it is 5.", "section": "b"}, corpus)
    assert [one.span.start for one in found.spans] == [17]


def test_pages() -> None:
    corpus = corpus_of([document("scan", "one   three", pages=[(0, 3), (3, 6), (6, 11)])])
    assert texts(place("scan#page=3", corpus), corpus) == ["three"]
    assert place("scan#page=2", corpus).how == "no-text"
    assert place("scan#page=4", corpus).how == "missing-anchor"


def test_a_chunk_id_is_its_chunk_while_the_text_is_the_same() -> None:
    sha = text_sha(CHUNKS.text(1))
    for known in ({}, {"refunds#2": sha}, {"other": "0"}):
        found = place("refunds#2", **known)
        assert (found.how, found.chunk_id, found.spans) == ("chunk", "refunds#2", (Located("refunds", Span(50, 80)),))
    assert place({"chunk": "refunds#2", "chunk_sha": sha[:16]}, **{"refunds#2": "changed"}).how == "chunk"


def test_a_stale_chunk_label_falls_back_on_its_quote_then_on_its_document() -> None:
    for written in ({"chunk": "refunds#2", "chunk_sha": "0" * 16}, {"chunk": "refunds#9"}):
        found = place(written)
        assert (found.how, found.stale, texts(found)) == ("stale", True, [REFUNDS])
        quoted = place(written | {"doc": "refunds", "quote": "a fee of 15 percent"})
        assert (quoted.how, quoted.stale, texts(quoted)) == ("fuzzy", True, ["A fee of 15 percent"])
        lost = place(written | {"quote": "a fee of 25 percent"})
        assert (lost.how, lost.stale, lost.spans) == ("missing-quote", True, ())
    assert place("refunds#2", **{"refunds#2": "0" * 64}).how == "stale"


def test_a_chunk_id_that_names_nothing() -> None:
    assert place("nowhere#2").how == "missing-document"
    assert place({"chunk": "c-17"}).how == "missing-chunk"
    assert place("empty#7").how == "no-text"


def test_ready_made_ids_may_look_like_anything() -> None:
    corpus = corpus_of(
        [ready_made("manual", {"c-17": "first", "guide#intro": "second", "x#3": "third"}), document("x", "other")]
    )
    chunks = chunks_of(corpus, {})
    for written in ("c-17", "guide#intro", "x#3", {"chunk": "guide#intro"}):
        found = place(written, corpus, chunks)
        assert (found.how, found.spans[0].doc_id) == ("chunk", "manual"), written


def test_a_list_of_chunk_ids_may_hold_other_references() -> None:
    found = place({"chunk": "refunds.md#fees"})
    assert (found.how, found.stale) == ("coarse", False)
    assert place({"chunk": "faq"}).how == "coarse"


def test_resolving_a_question_takes_its_items_in_order() -> None:
    question = Question("q", "?", (Evidence(Place(doc="faq")), Evidence(Place(doc="no"), (Place(doc="refunds"),))))
    one, two = resolve(question, CORPUS, CHUNKS)
    assert (one.best.place.doc, two.best.place.doc, two.found, len(two.spans)) == ("faq", "refunds", True, 1)
    assert not resolve_item(Evidence(Place(doc="no")), CORPUS, None).found

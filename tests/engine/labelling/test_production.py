"""Was it retrieval at the time?"""

from __future__ import annotations

from tests.engine.golden.tiny import chunks_of, corpus_of

from ragtriage.golden.evidence import resolve_item
from ragtriage.inbox.reports import Report, ReportPassage
from ragtriage.labelling.production import align, production_rank
from ragtriage.types import Evidence, Place

REFUNDS = "# Refunds\n\nSend it back within 30 days of delivery. The way back is free, and we pay within a week.\n"
SHIPPING = "# Shipping\n\nParcels leave on the next working day. “Abroad” means everything outside of the country.\n"
CORPUS = corpus_of({"policy/refunds": REFUNDS, "shipping": SHIPPING})


def item(quote: str, doc: str = "policy/refunds"):  # type: ignore[no-untyped-def]  # ResolvedItem
    return resolve_item(Evidence(Place(doc, quote)), CORPUS, None)


def how(passage: ReportPassage) -> tuple[str, str]:
    (one,) = align([passage], CORPUS, chunks_of(CORPUS, {}))
    assert one.how == "missing" or CORPUS.document(one.doc_id).text[slice(*one.span)].strip()
    return one.how, one.doc_id


def test_passages_are_found_by_their_text() -> None:
    quote = "Send it back within 30 days of delivery."
    assert how(ReportPassage("policy/refunds.md", quote)) == ("exact", "policy/refunds")
    assert how(ReportPassage("", quote)) == ("exact", "policy/refunds")
    assert how(ReportPassage("shipping", quote)) == ("exact", "policy/refunds")
    assert how(ReportPassage("", f"… {quote} ...")) == ("exact", "policy/refunds")
    assert how(ReportPassage("https://help.example/shipping.html?x=1", '"Abroad" means  everything')) == ("folded", "shipping")
    assert how(ReportPassage("", '"Abroad" means  everything outside of the country')) == ("folded", "shipping")
    assert how(ReportPassage("", "The way back is free and we will pay within a week")) == ("fuzzy", "policy/refunds")
    assert how(ReportPassage("", "Send it back within 14 days of delivery.")) == ("missing", "")
    assert how(ReportPassage("", "")) == ("missing", "")


def test_passages_without_text_are_found_by_name() -> None:
    assert how(ReportPassage("kb/policy/refunds.md")) == ("document", "policy/refunds")
    assert how(ReportPassage(id="shipping#1")) == ("chunk", "shipping")
    assert how(ReportPassage("nowhere")) == ("missing", "")


def test_evidence_that_production_had() -> None:
    report = Report(
        "r", "t", passages=(ReportPassage("shipping", SHIPPING, 1), ReportPassage("", "within 30 days of delivery", 2))
    )
    found = production_rank(report, [item("within 30 days of delivery")], CORPUS)
    assert (found.ranks, found.was_retrieval) == ((2,), False)
    assert found.why == "not retrieval: the evidence was there at rank 2 of 2"
    assert [(rung.name, rung.state) for rung in found.rungs[0]] == [
        ("passages", "ok"), ("corpus", "ok"), ("aligned", "ok"), ("retrieved", "ok"),
    ]  # fmt: skip


def test_evidence_that_production_did_not_have() -> None:
    report = Report("r", "t", passages=(ReportPassage("shipping", "Parcels leave on the next working day."),))
    items = [item("Parcels leave on the next working day", "shipping"), item("within 30 days of delivery")]
    found = production_rank(report, items, CORPUS)
    assert (found.ranks, found.was_retrieval) == ((1, None), True)
    assert "1 of 2 items" in found.why
    assert production_rank(report, items, CORPUS, needs="any").was_retrieval is False


def test_the_ranks_of_the_report_decide_the_order() -> None:
    report = Report(
        "r", "t", passages=(ReportPassage("", "within 30 days of delivery", 3), ReportPassage("shipping", SHIPPING, 1))
    )
    assert production_rank(report, [item("within 30 days of delivery")], CORPUS).ranks == (2,)


def test_what_cannot_be_told_is_not() -> None:
    quote = item("within 30 days of delivery")
    assert production_rank(Report("r", "t"), [quote], CORPUS).was_retrieval is None
    gone = Report("r", "t", passages=(ReportPassage("old", "a page that nobody has any more"),))
    assert production_rank(gone, [quote], CORPUS).was_retrieval is None
    assert production_rank(gone, [], CORPUS).why == "the question has no evidence yet"
    # a page that was rewritten, whose old text held it all the same
    old = Report("r", "t", passages=(ReportPassage("old", "Long ago: send it within 30 days of delivery, says the old page."),))
    assert production_rank(old, [quote], CORPUS).ranks == (1,)

"""`golden check`: what is wrong with each label, and what the set as a whole can and cannot tell."""

from __future__ import annotations

import dataclasses
import difflib
from collections import Counter
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Literal, NamedTuple

from ragtriage.errors import CorpusError, Problem
from ragtriage.golden.base import GoldenSet
from ragtriage.golden.dialects import PROVENANCE
from ragtriage.golden.evidence import ResolvedItem, ResolvedPlace, resolve
from ragtriage.golden.file import KEY_ORDER
from ragtriage.golden.gap import Gaps, Terms, evidence_texts, gaps
from ragtriage.golden.similar import Wordings
from ragtriage.golden.synthetic import is_polished, synthetic_signs
from ragtriage.golden.unsaid import unsaid, unsaid_text
from ragtriage.types import KINDS, Place, Question

if TYPE_CHECKING:
    from ragtriage.chunking.base import Chunks
    from ragtriage.corpus.base import Corpus

__all__ = ["GUARD", "Description", "Examined", "check", "describe", "examine"]

GUARD = "guard"
"""`expect` of a question that passed when it was added, and is kept so that it goes on to pass."""

_FEW = 20
_MIN_UNANSWERABLE = 0.1
_POLISHED = 0.95
_OTHER_KEYS = frozenset({"id", "_id", "q", "text", "relevant", "relevant_ids", "references", "metadata", "title"})
_NOTHING: Mapping[str, str] = {}


class Description(NamedTuple):
    """What a set holds. `by_source` counts `source.from`; `point` is what one answerable, labelled dev question is worth, in
    points of 100, of a mean such as hit@k; 0 where there is none. Obsolete questions are counted in `obsolete` alone.
    """

    questions: int
    dev: int
    holdout: int
    answerable: int
    unanswerable: int
    unlabelled: int
    by_kind: dict[str, int]
    by_split: dict[str, int]
    by_source: dict[str, int]
    measured: int
    point: float
    obsolete: int = 0


def describe(golden: GoldenSet) -> Description:
    """Count the questions of a set. Kinds and splits are listed whether or not a question has them."""
    questions = _asked(golden).questions
    splits = Counter(question.split for question in questions)
    kinds: Counter[str] = Counter(question.kind or "(none)" for question in questions)
    measured = sum(question.answerable and question.labelled and question.split == "dev" for question in questions)
    answerable = sum(question.answerable for question in questions)
    return Description(
        questions=len(questions),
        dev=splits["dev"],
        holdout=splits["holdout"],
        answerable=answerable,
        unanswerable=len(questions) - answerable,
        unlabelled=sum(question.answerable and not question.labelled for question in questions),
        by_kind={kind: kinds[kind] for kind in (*KINDS, "(none)") if kinds[kind] or kind != "(none)"},
        by_split={"dev": splits["dev"], "holdout": splits["holdout"]},
        by_source=dict(Counter(_source(question) or "(none)" for question in questions).most_common()),
        measured=measured,
        point=round(100 / measured, 2) if measured else 0.0,
        obsolete=len(golden.questions) - len(questions),
    )


class Examined(NamedTuple):
    """Every problem of a set, by line, advice last; and how much of its questions is said in the words of their evidence."""

    problems: list[Problem]
    gaps: Gaps


def check(
    golden: GoldenSet, corpus: Corpus, chunks: Chunks | None = None, known_shas: Mapping[str, str] = _NOTHING
) -> list[Problem]:
    """Every problem of the file, of each label in this corpus, and advice on the set; by line, advice last."""
    return examine(golden, corpus, chunks, known_shas).problems


def examine(
    golden: GoldenSet,
    corpus: Corpus,
    chunks: Chunks | None = None,
    known_shas: Mapping[str, str] = _NOTHING,
    *,
    terms: Terms | None = None,
) -> Examined:
    """`check` and the vocabulary gaps. `terms` finds content words; without it, English ones."""
    if terms is None:
        from ragtriage.search.lexical import content_terms

        terms = content_terms()
    where = str(golden.path)
    found = list(golden.problems)
    golden = _asked(golden)
    texts = {}
    for question in golden.questions:
        found += _keys(where, question)
        items = resolve(question, corpus, chunks, known_shas)
        texts[question.qid] = evidence_texts(items, corpus)
        for number, item in enumerate(items, start=1):
            key = f"evidence[{number}]" if len(items) > 1 else "evidence"
            found += (_at(where, question, severity, message, key) for severity, message in _labels(item, corpus, chunks))
        found += _agreement(where, question, items, corpus, chunks)
        unsaid_ones = unsaid(question, items, corpus, chunks)
        found += (_at(where, question, "warning", unsaid_text(one), "answer_must_mention") for one in unsaid_ones)
    found.sort(key=lambda problem: problem.line)
    return Examined([*found, *_advice(golden, texts, terms)], gaps(golden.questions, texts, terms))


def _asked(golden: GoldenSet) -> GoldenSet:
    """The set without its obsolete questions, of whose labels nothing is asked any more."""
    return dataclasses.replace(golden, questions=tuple(one for one in golden.questions if not one.obsolete))


_Severity = Literal["error", "warning", "advice"]
_Remark = tuple[_Severity, str]


def _at(where: str, question: Question, severity: _Severity, message: str, key: str) -> Problem:
    return Problem(where, question.line, f"{question.qid}: {message}", key, severity)


def _labels(item: ResolvedItem, corpus: Corpus, chunks: Chunks | None) -> Iterator[_Remark]:
    for place in item.places:
        yield from _place(place, corpus, chunks)


def _place(found: ResolvedPlace, corpus: Corpus, chunks: Chunks | None) -> Iterator[_Remark]:
    place = found.place
    doc = place.doc or place.chunk.rpartition("#")[0]
    if found.stale:
        yield "warning", _stale(found)
    if found.how == "missing-document":
        yield "error", _missing_document(doc, corpus)
    elif found.how == "missing-chunk":
        if chunks is not None:  # without chunks nothing can be said about their ids
            yield "error", f"there is no chunk {place.chunk}"
    elif found.how == "missing-quote":
        yield "error", f"{_short(place.quote)} is not in {doc}, or its numbers have changed"
    elif found.how == "missing-anchor":
        yield "error", _missing_anchor(place, corpus)
    elif found.how == "no-text":
        yield "error", f"{_meant(place)} has no text that could be found (scanned?)"
    elif found.how == "fuzzy":
        yield "warning", f"{_short(place.quote)} was reworded in {doc}; it still counts, look whether it still answers"
    if found.ambiguous:
        yield _ambiguous(found, doc)


def _stale(found: ResolvedPlace) -> str:
    if found.place.quote:
        return f"{found.place.chunk} is not the chunk that was labelled; its quote counts instead"
    return f"{found.place.chunk} is not the chunk that was labelled and has no quote; any part of its document counts"


def _ambiguous(found: ResolvedPlace, doc: str) -> _Remark:
    what = _short(found.place.quote) if found.place.quote else f"section {found.place.section}"
    times = f"{what} occurs {found.occurrences} times in {doc}"
    if len(found.spans) == 1:
        return "advice", f"{times}; the one at {found.spans[0].span.start} counts"
    return "warning", f"{times}; any of them counts: say which with prefix, suffix or at"


def _missing_document(doc: str, corpus: Corpus) -> str:
    try:
        corpus.document(doc)
    except CorpusError as error:
        return str(error)
    return f"there is no document {doc}"


def _missing_anchor(place: Place, corpus: Corpus) -> str:
    document = corpus.get(place.doc)
    if place.page is not None:
        pages = len(document.pages) if document else 0
        return (
            f"{place.doc} has {pages} page{'' if pages == 1 else 's'}, there is no page {place.page}"
            if pages
            else f"{place.doc} has no pages"
        )
    anchors = [section.anchor for section in document.sections] if document else []
    close = difflib.get_close_matches(place.section, anchors, n=1, cutoff=0.5)
    return f"{place.doc} has no section {place.section}" + (f"; did you mean {close[0]}?" if close else "")


def _meant(place: Place) -> str:
    if place.page is not None:
        return f"page {place.page} of {place.doc}"
    return f"section {place.section} of {place.doc}" if place.section else place.doc or place.chunk


def _keys(where: str, question: Question) -> Iterator[Problem]:
    known = (*KEY_ORDER, *sorted(_OTHER_KEYS))
    for key in question.raw:
        close = difflib.get_close_matches(key, known, n=1, cutoff=0.8) if key not in known else []
        if close:
            yield _at(where, question, "warning", f"unknown key; did you mean {close[0]}?", key)
    expect = question.raw.get("expect")
    if expect is not None and expect != GUARD:
        yield _at(where, question, "warning", f'"{GUARD}" is all that can stand here; it means nothing', "expect")
    start = question.source.get("from")
    if start is not None and start not in PROVENANCE:
        yield _at(where, question, "advice", f"source.from is none of {', '.join(PROVENANCE)}", "source")


def _agreement(
    where: str, question: Question, items: tuple[ResolvedItem, ...], corpus: Corpus, chunks: Chunks | None
) -> Iterator[Problem]:
    """`evidence` decides; ids beside it that point elsewhere are a slip of one of the two."""
    if not question.raw.get("evidence") or not all(item.found for item in items):
        return
    spans = [located for item in items for located in item.spans]
    for chunk_id in _ids(question.raw.get("relevant_chunk_ids")):
        row = chunks.row(chunk_id) if chunks is not None else None
        if chunks is None or row is None:
            continue  # ids of another chunking; the evidence is what counts
        doc_id, start, end = chunks.document_of(row).doc_id, int(chunks.starts[row]), int(chunks.ends[row])
        if not any(doc_id == doc and span.start < end and start < span.end for doc, span in spans):
            yield _at(where, question, "warning", f"{chunk_id} holds none of the evidence", "relevant_chunk_ids")
    for name in _ids(question.raw.get("relevant_doc_ids")):
        document = corpus.get(name)
        if document is None or all(document.doc_id != doc for doc, _ in spans):
            yield _at(where, question, "warning", f"{name} holds none of the evidence", "relevant_doc_ids")


def _ids(value: object) -> list[str]:
    return [item for item in value if isinstance(item, str)] if isinstance(value, list) else []


def _advice(golden: GoldenSet, texts: Mapping[str, list[str]], terms: Terms) -> Iterator[Problem]:
    """What the set as a whole lacks. Never an error: a small set is better than none."""
    set_ = describe(golden)
    if not set_.questions:
        return
    for message in _lacks(set_):
        yield Problem(str(golden.path), 0, message, severity="advice")
    by_id = {question.qid: question for question in golden.questions}
    for one, other, score in Wordings(golden.questions).pairs():
        message = f"{one} and {other} are nearly the same question ({score:.2f})"
        yield Problem(str(golden.path), by_id[other].line, message, severity="advice")
    signs = {question.qid: synthetic_signs(question, texts[question.qid], terms) for question in golden.questions}
    for qid, reasons in signs.items():
        if reasons:
            yield _at(str(golden.path), by_id[qid], "advice", f"looks synthetic: {'; '.join(reasons)}", "question")
    for message in _wordings(golden, sum(map(bool, signs.values()))):
        yield Problem(str(golden.path), 0, message, severity="advice")


def _wordings(golden: GoldenSet, suspect: int) -> Iterator[str]:
    """What the wordings of the whole set say about who asked."""
    total = len(golden.questions)
    if suspect > 1:
        yield f"{suspect} of {total} questions look synthetic; retrieval finds them more easily than what users ask"
    polished = sum(is_polished(question.question) for question in golden.questions)
    if total >= _FEW and polished >= _POLISHED * total:
        yield f"{polished} of {total} questions begin with a capital and end with a question mark; users rarely write so"
    nameless = sum(all(not question.raw.get(key) for key in ("qid", "id", "_id")) for question in golden.questions)
    if nameless:
        yield (
            f"{nameless} of {total} questions have no id of their own, and become another with the next edit; "
            "ragtriage golden fmt writes it down"
        )


def _lacks(set_: Description) -> Iterator[str]:
    if set_.questions < _FEW:
        have = "1 question" if set_.questions == 1 else f"{set_.questions} questions"
        yield f"{have}; fewer than {_FEW} cannot tell two configurations apart"
    if set_.unanswerable < _MIN_UNANSWERABLE * set_.questions:
        share = 100 * set_.unanswerable / set_.questions
        yield f"{share:.0f} % of the questions are unanswerable; with fewer than 10 % nothing shows whether answers are made up"
    missing = [kind for kind in KINDS if not set_.by_kind.get(kind) and not (kind == "unanswerable" and set_.unanswerable)]
    if missing:
        yield f"no question is of kind {', '.join(missing)}"
    own = set_.by_source.get("builder", 0) + set_.by_source.get("synthetic", 0)
    if 2 * own > set_.questions:
        yield f"{own} of {set_.questions} questions come from the builder or a machine; users ask in other words"
    if set_.measured:
        yield f"one question is worth {set_.point:.1f} points: {set_.measured} answerable, labelled dev questions"


def _source(question: Question) -> str:
    start = question.source.get("from")
    return start if isinstance(start, str) else ""


def _short(quote: str) -> str:
    quote = " ".join(quote.split())
    return f"“{quote}”" if len(quote) <= 60 else f"“{quote[:57].rstrip()}…”"

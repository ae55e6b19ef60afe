"""A golden set and its corpus as a BEIR folder: documents, queries, and which documents hold the answer.

BEIR judges documents, so that quotes, sections and chunks become the documents they lie in, and any one of them will do.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from ragtriage.errors import GoldenError, Problem
from ragtriage.json_lines import dump_line
from ragtriage.types import Question

if TYPE_CHECKING:
    from ragtriage.corpus.base import Corpus
    from ragtriage.golden.evidence import ResolvedItem

__all__ = ["BeirFiles", "as_beir", "judged_documents"]


class BeirFiles(NamedTuple):
    """The folder's files by name, and the questions whose labels name no document of the corpus: they go out unlabelled."""

    files: dict[str, bytes]
    unlabelled: tuple[str, ...]


def as_beir(questions: Sequence[Question], corpus: Corpus, items: Mapping[str, Sequence[ResolvedItem]]) -> BeirFiles:
    """`items` are the resolved labels by question id. Raises GoldenError where an id cannot stand in a table of judgements."""
    _check_ids(questions, corpus)
    judged = judged_documents(questions, corpus, items)
    rows = ["query-id\tcorpus-id\tscore"]
    rows += [f"{qid}\t{doc}\t{gain:.12g}" for qid, gains in judged.items() for doc, gain in gains.items()]
    files = {
        "corpus.jsonl": _lines(_document(document) for document in corpus.documents),
        "queries.jsonl": _lines(_query(question) for question in questions),
        "qrels/test.tsv": ("\n".join(rows) + "\n").encode(),
    }
    answers = [{"_id": one.qid, "answer": one.expected_answer} for one in questions if one.expected_answer]
    if answers:
        files["answers.jsonl"] = _lines(answers)
    return BeirFiles(files, tuple(one.qid for one in questions if one.evidence and not judged[one.qid]))


def judged_documents(
    questions: Iterable[Question], corpus: Corpus, items: Mapping[str, Sequence[ResolvedItem]]
) -> dict[str, dict[str, float]]:
    """Grades by question and document: what the judgements of `as_beir` say."""
    return {question.qid: _judged(items.get(question.qid, ()), corpus) for question in questions}


def _judged(items: Iterable[ResolvedItem], corpus: Corpus) -> dict[str, float]:
    """Each document with the highest gain of an item that lies in it."""
    out: dict[str, float] = {}
    for item in items:
        for place in item.places:
            for located in place.spans:
                if corpus.get(located.doc_id) is not None:
                    out[located.doc_id] = max(item.evidence.gain, out.get(located.doc_id, 0.0))
    return out


def _document(document: Any) -> dict[str, Any]:
    access = {} if document.access is None else {"access": list(document.access)}
    return {"_id": document.doc_id, "title": document.title, "text": document.text, **access}


def _query(question: Question) -> dict[str, Any]:
    out: dict[str, Any] = {"_id": question.qid, "text": question.question, "answerable": question.answerable}
    if question.kind:
        out["kind"] = question.kind
    if question.split != "dev":
        out["split"] = question.split
    if question.query:
        out["query"] = question.query
    if question.tags:
        out["tags"] = list(question.tags)
    if question.access is not None:
        out["access"] = list(question.access)
    return out


def _check_ids(questions: Iterable[Question], corpus: Corpus) -> None:
    """Tabs and line ends part the cells of judgements, white space around them is not kept."""
    bad = [Problem("queries", question.line, f"{question.qid!r}", "qid") for question in questions if not _fits(question.qid)]
    bad += [
        Problem(document.source, 0, f"{document.doc_id!r}", "id") for document in corpus.documents if not _fits(document.doc_id)
    ]
    if bad:
        named = "; ".join(map(str, bad[:8])) + (f"; and {len(bad) - 8} more" if len(bad) > 8 else "")
        raise GoldenError(f"ids with tabs, line ends or white space around them cannot stand in qrels: {named}", bad)


def _fits(name: str) -> bool:
    return name == name.strip() and not any(sign in name for sign in "\t\n\r") and name.isprintable()


def _lines(values: Iterable[Mapping[str, Any]]) -> bytes:
    return b"".join(dump_line(dict(value)) for value in values)

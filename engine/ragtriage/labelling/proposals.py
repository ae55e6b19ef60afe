"""From a report to a question: what to ask, what the set asks already, and where the answer may stand. A person decides."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from ragtriage.answers.sentences import sentence_spans
from ragtriage.golden.similar import Similar, similar
from ragtriage.inbox.reports import Report
from ragtriage.labelling.production import Aligned, align
from ragtriage.search.stop_words import ENGLISH
from ragtriage.types import Failure

if TYPE_CHECKING:
    from ragtriage.project import Project
    from ragtriage.types import Hit, Span

__all__ = ["Asked", "Candidate", "Proposal", "draft_of", "propose", "question_of", "ready"]

_SHORT = 240  # characters of a text that is one question as a whole
_GREETING = re.compile(
    r"(?:(?:hi|hello|hey|hallo|hullo|dear|good\s(?:morning|afternoon|evening|day)|greetings)\b"
    r"(?:\s(?:all|there|team|everyone|everybody|sir|madam|sirs|folks|support|again|together|(?-i:[A-Z][a-z]+)))*"
    r"(?:\s*[,!.:–—-]+|\s*\n)?\s+)+",
    re.IGNORECASE,
)
_ASKS = re.compile(
    r"(?:(?:and|so|but|or)\s)?(?:who|whom|whose|what|whats|when|where|wheres|why|which|how|hows|is|are|am|was|were|do|does|did|can"
    r"|could|may|might|will|would|should|shall|has|have|had|isn't|aren't|don't|doesn't|can't|won't)\b",
    re.IGNORECASE,
)
_NEXT = re.compile(r"[.!?][\"'”’)]*\s+([^\W\d_])")  # the first letter after what may end a sentence
_WORD = re.compile(r"\w[\w'’-]*")
_SEARCHED = 4_000  # characters of a text that are searched for
_FEW = 2  # words that say something; "Which is it??" has none


class Asked(NamedTuple):
    """A question as the person wrote it, and where it comes from: what the system was asked, a sentence, the whole text."""

    question: str
    origin: Literal["question", "sentence", "text"]


class Candidate(NamedTuple):
    """A chunk that may hold the answer; `rank` from 1."""

    rank: int
    doc_id: str
    span: Span
    text: str
    hit: Hit


@dataclass(frozen=True, slots=True)
class Proposal:
    """What is proposed for a report.

    `twins` are questions of the set, best first. `candidates` come from the project's own retriever, which is asked with the
    whole text where the question is a sentence of it; `complete` is False where that has no vector yet, so that BM25 answered
    alone; `problem` says why there are none. `passages` are what the production system had, `evidence` what the dataset
    names, each looked up in the corpus.
    """

    question: str
    origin: Literal["question", "sentence", "text"]
    twins: tuple[Similar, ...] = ()
    candidates: tuple[Candidate, ...] = ()
    passages: tuple[Aligned, ...] = ()
    evidence: tuple[Aligned, ...] = ()
    complete: bool = True
    problem: str = ""


def question_of(report: Report) -> Asked:
    """The question in a report: nothing is reworded, only a greeting before it is left out."""
    if report.question.strip():
        return Asked(report.question.strip(), "question")
    text = report.text.strip()
    sentences = [_without_greeting(sentence) for sentence in _sentences(text)]
    sentences = [sentence for sentence in sentences if sentence]
    asked = [sentence for sentence in sentences if sentence.rstrip("\"'”’)").endswith("?")]
    asked = asked or [sentence for sentence in sentences if _ASKS.match(sentence)]
    telling = [sentence for sentence in asked if _content(sentence) >= _FEW]
    if telling:
        # the last of those that say most: what comes before is mostly about how it came to this
        return Asked(max(enumerate(telling), key=lambda pair: (min(_content(pair[1]), 4), pair[0]))[1], "sentence")
    whole = _without_greeting(text)
    if len(whole) <= _SHORT or not asked:
        return Asked(whole or text, "text")
    return Asked(asked[-1], "sentence")


def _sentences(text: str) -> list[str]:
    """The sentences of a text, also those that begin with a small letter where its writer mostly begins them so."""
    first = _NEXT.findall(text)
    small = sum(map(str.islower, first)) * 2 > len(first)
    return [text[span.start : span.end] for span in sentence_spans(text, small=small)]


def _without_greeting(sentence: str) -> str:
    match = _GREETING.match(sentence)
    rest = sentence[match.end() :] if match else sentence
    return rest.strip() if any(map(str.isalnum, rest)) else ""


def _content(sentence: str) -> int:
    """How many of its words say something."""
    return len({word.lower() for word in _WORD.findall(sentence)} - ENGLISH)


def propose(report: Report, project: Project, *, vectors: Mapping[str, float] | None = None) -> Proposal:
    """What is proposed for a report. Runs no model and waits for none: with `vectors`, cosines of its question by question
    id, twins are found by them too. Raises CorpusError, GoldenError, StorageError where the project cannot be read.
    """
    from ragtriage.search.pipeline import Query  # brings in numpy, which taking reports in does without

    asked = question_of(report)
    questions = project.golden.questions if project.golden_path.exists() else ()
    twins = tuple(similar(asked.question, questions, vectors=vectors))
    corpus, chunks = project.corpus, project.chunks
    passages = align(report.passages, corpus, chunks)
    evidence = align(report.evidence, corpus, chunks)
    config = project.config.retrieval
    # a sentence that was cut out often says "it" or "she"; what it is about stands around it
    searched = report.text[:_SEARCHED] if asked.origin == "sentence" else asked.question
    found = project.embedded.search([Query(searched, project.asked_by(None))], wait=False)[0]
    if isinstance(found, Failure):
        return Proposal(asked.question, asked.origin, twins, (), passages, evidence, False, found.reason)
    candidates = []
    for rank, hit in enumerate(found.hits, start=1):
        if (row := chunks.row(hit.chunk_id)) is not None:
            chunk = chunks[row]
            candidates.append(Candidate(rank, chunk.doc_id, chunk.span, chunks.text(row), hit))
    complete = config.mode == "bm25" or "dense" in found.stages
    return Proposal(asked.question, asked.origin, twins, tuple(candidates), passages, evidence, complete)


def draft_of(report: Report, proposal: Proposal) -> dict[str, Any]:
    """The question to be as an object of the golden file, without evidence, which a person chooses.

    `source` says where it comes from; its `text` keeps the first wording, whatever is edited afterwards. What a right answer
    must mention is never written unasked, but where the dataset itself says so.
    """
    said = {"from": report.source, "ref": report.ref, "at": report.at, "text": report.wording}
    draft: dict[str, Any] = {"question": proposal.question}
    if report.expected:
        draft["expected_answer"] = report.expected
    if report.mentions:
        draft["answer_must_mention"] = [choice[0] if len(choice) == 1 else list(choice) for choice in report.mentions]
    return {**draft, "source": {name: value for name, value in said.items() if value}}


def ready(report: Report, draft: Mapping[str, Any]) -> str:
    """Why a draft cannot leave the inbox yet; "" where it can.

    A question that a model wrote stays until a person has edited its wording, by more than case and punctuation, and has
    chosen its evidence or said that there is none.
    """
    if not report.synthetic:
        return ""
    wording = _words(str(draft.get("question") or ""))
    if not wording or wording in (_words(report.question), _words(report.text)):
        return "a model wrote this question: put it as a user would"
    labels = ("evidence", "relevant_chunk_ids", "relevant_doc_ids", "relevant")
    if not any(draft.get(key) for key in labels) and draft.get("answerable", True) is not False:
        return "a model wrote this question: choose its evidence, or say that the corpus has no answer"
    return ""


def _words(text: str) -> list[str]:
    return [word.lower() for word in _WORD.findall(text)]

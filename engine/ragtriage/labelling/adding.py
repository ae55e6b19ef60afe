"""A new question of a golden set, of one's own words or of a report's: what `ragtriage add` does before it measures."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from ragtriage.errors import RagtriageError, UsageError
from ragtriage.golden.capture import new_question
from ragtriage.golden.file import append_question
from ragtriage.golden.pointing import place_of, quoted
from ragtriage.golden.similar import Similar, similar
from ragtriage.golden.unsaid import unsaid_in
from ragtriage.labelling.formatting import must_be_written
from ragtriage.labelling.importing import open_inbox
from ragtriage.labelling.proposals import Proposal, draft_of, question_of, ready

if TYPE_CHECKING:
    from ragtriage.inbox.log import Item
    from ragtriage.project import Project
    from ragtriage.types import Groups, Kind, Needs, Question, Split

__all__ = ["KIND", "AddedQuestion", "add_question"]

KIND: Kind = "paraphrase"  # how people ask, as a rule
"""What a question asks for where nobody says."""


class AddedQuestion(NamedTuple):
    """A question that is on disk now. `like` are those of the set that ask nearly the same; `unsaid` says what its answer must
    mention and its evidence does not; `stays` why the report that it was made of could not be marked as done, "" where it was.
    """

    question: Question
    like: tuple[Similar, ...]
    unsaid: tuple[str, ...]
    stays: str = ""


def add_question(
    project: Project,
    text: str | None,
    *,
    quotes: Sequence[tuple[str, str]] = (),
    places: Sequence[str] = (),
    answerable: bool = True,
    kind: Kind = KIND,
    split: Split = "dev",
    needs: Needs | None = None,
    must_mention: Iterable[str] = (),
    access: Groups = None,
    source: Mapping[str, str] | None = None,
    report: Item | None = None,
) -> AddedQuestion:
    """Add a question to the golden set; it is on disk when this returns, and the set is read again when next asked for.

    `quotes` are pairs of a document, or `document:line`, and words of it, which grow to whole sentences; `places` are
    references such as `billing.md#refunds`. Without both, `answerable` has to be False. With `report`, an item of the inbox,
    what is not said here is taken from it (`text` None: its question), `source` is its own, and it is done then.

    `evaluate(project, only=[added.question.qid], store=False)` says whether it passes today. Raises UsageError, GoldenError,
    CorpusError where the question would not hold or is there already, and StorageError; nothing was written then.
    """
    must_be_written(project)
    given: dict[str, Any] = {}
    if report is not None:
        _must_be_free(project, report)
        asked = question_of(report.report)
        given = draft_of(report.report, Proposal(asked.question, asked.origin))
    text = str(given.get("question", "") if text is None else text).strip()
    if not text:
        raise UsageError("the question is empty")
    marks = [quoted(project.corpus, doc, quote) for doc, quote in quotes]
    if answerable and not (marks or places):
        raise UsageError("where is the answer? a quote, a place, or nowhere: then the question is not answerable")
    if not answerable and (marks or places):
        raise UsageError("evidence is named: either the corpus has no answer, or these places are it")
    like = _like(project, text)
    obj = new_question(
        text,
        marks,
        project.corpus,
        project.chunks,
        kind=kind if answerable else "unanswerable",
        split=split,
        answerable=answerable,
        must_mention=list(must_mention) or given.get("answer_must_mention", []),
        expected_answer=given.get("expected_answer", ""),
        access=access,
        source=given.get("source", source),
    )
    if places:
        obj["evidence"] = [*obj.get("evidence", []), *(place_of(one, project.corpus, project.chunks) for one in places)]
    if needs:
        obj["needs"] = needs
    if report is not None and (why := ready(report.report, obj)):
        raise UsageError(f"{report.report.id}: {why}; ragtriage add QUESTION --report {report.report.id} --quote DOC TEXT")
    question = append_question(project.golden_path, obj)
    project.refresh()
    stays = _closed(project, report, question.qid) if report is not None else ""
    return AddedQuestion(question, like, tuple(unsaid_in([question], project.corpus, project.chunks)), stays)


def _must_be_free(project: Project, report: Item) -> None:
    """Raise UsageError where a question of the set was made of the report already."""
    if report.state == "done" and report.qid and project.golden_path.exists() and project.golden.get(report.qid) is not None:
        raise UsageError(f"{report.report.id} is {report.qid} already; ragtriage inbox undo takes that back")


def _like(project: Project, text: str) -> tuple[Similar, ...]:
    """The questions that ask nearly the same. Raises UsageError where one asks the very same."""
    if not project.golden_path.exists():  # this question starts it
        return ()
    questions = project.golden.questions
    for question in questions:
        if " ".join(question.question.lower().split()) == " ".join(text.lower().split()):
            raise UsageError(f"{question.qid} asks the same; nothing was added")
    return tuple(one for one in similar(text, questions) if one.nearly_equal)


def _closed(project: Project, report: Item, qid: str) -> str:
    """The report is done now; else why not. Nothing that goes wrong here undoes the question."""
    try:
        open_inbox(project).set(report.report.id, "done", qid)
    except RagtriageError as error:
        return f"{report.report.id} stays {report.state}: {error}"
    return ""

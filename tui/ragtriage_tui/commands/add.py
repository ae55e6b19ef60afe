"""`ragtriage add QUESTION`: a new line of the golden set, and whether it passes today."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ragtriage_tui.call import Call, clean, parse_groups
from ragtriage_tui.commands.add_evidence import item_of, mark_of
from ragtriage_tui.figures import Marks, clip_text
from ragtriage_tui.model_names import is_stand_in
from ragtriage_tui.naming import cause
from ragtriage_tui.question_text import where_found

if TYPE_CHECKING:
    from ragtriage.inbox.log import Item
    from ragtriage.measure.results import QuestionResult
    from ragtriage.project import Project
    from ragtriage.types import Kind, Progress, Question

__all__ = ["arguments", "run"]

_KIND: Kind = "paraphrase"  # how people ask, as a rule; the app's default, too


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "question",
        nargs="?",
        metavar="QUESTION",
        help="as the user wrote it; - is standard input; left out: standard input too, or $EDITOR in a terminal",
    )
    parser.add_argument(
        "--report",
        metavar="ID",
        help="make it of a report of the inbox, by id or number: its question, where it comes from, its first wording; the "
        "report is done then",
    )
    parser.add_argument(
        "--quote",
        nargs=2,
        action="append",
        default=[],
        metavar=("DOC", "TEXT"),
        help="the words in a document that answer it; grown to whole sentences; may be repeated. Where they stand there more "
        "than once, DOC:LINE says which, as find prints it",
    )
    parser.add_argument(
        "--evidence",
        action="append",
        default=[],
        metavar="REF",
        help="a coarser place: policy-refunds, billing.md#refunds, contract/§14.2, handbook.pdf#page=12, policy-refunds#3",
    )
    parser.add_argument("--unanswerable", action="store_true", help="the documents hold no answer")
    parser.add_argument(
        "--mention", action="append", default=[], metavar="TEXT", help="what a right answer says; may be repeated"
    )
    parser.add_argument(
        "--kind", choices=("paraphrase", "exact", "multi-part", "ambiguous"), help=f"what it asks for (default: {_KIND})"
    )
    parser.add_argument("--split", choices=("dev", "holdout"), default="dev")
    parser.add_argument("--needs", choices=("all", "any"), help="all of its evidence, or any one")
    parser.add_argument("--access", metavar="GROUPS", help="the groups of whoever asks, separated by commas")
    parser.add_argument("--from", dest="source", choices=("log", "ticket", "chat", "owner", "builder", "synthetic"))
    parser.add_argument("--ref", metavar="REF", help="the ticket or log entry it came from")


def run(call: Call) -> int:
    from ragtriage.answers.grading import gradable
    from ragtriage.errors import RagtriageError, UsageError
    from ragtriage.golden.file import append_question

    call.must_write()
    project = call.project()
    try:
        if project.beir:
            raise UsageError(f"{project.root} is a BEIR folder, which is only read; ragtriage init makes a project")
        report = _report(call, project)
        obj = _object(call, project, report)
        question = append_question(project.golden_path, obj)
        project.refresh()
        for unsaid in _unsaid(project, question):
            call.out.say(f"! {unsaid}: no answer passes that keeps to it, --mention or the evidence is to change")
        saved = f"{question.qid} saved on line {question.line} of {project.golden_path}"
        if report is not None:
            saved += f", {_closed(project, report, question.qid)}"
        try:
            result = _measured(call, project, question.qid)
        except RagtriageError as error:  # nobody is to add it again
            raise type(error)(f"{saved}, but it could not be measured: {error}") from error
        k = project.config.retrieval.k
        stand_in = is_stand_in(project.config.as_dict())
        waits = not stand_in and result.live is None and gradable(question)
    finally:
        project.close()
    if call.out.json:
        today = {"status": result.status, "suggested": result.suggested or None, "ranks": list(result.ranks)}
        made_of = {"report": report.report.id} if report is not None else {}
        line = {"format": 1, "qid": question.qid, "line": question.line, **made_of, "question": dict(question.raw)}
        call.out.document({**line, **today})
    else:
        call.out.text(Marks(call.out.ascii)(f"{saved}: {_today(result, k, stand_in=stand_in, waits=waits)}"))
    return 3 if result.status == "failed" else 0


def _measured(call: Call, project: Project, qid: str) -> QuestionResult:
    from ragtriage.measure.evaluate import evaluate

    return evaluate(project, only=[qid], store=False, progress=_embedding_said(call)).questions[0]


def _embedding_said(call: Call) -> Progress:
    """The call's progress, and a line on standard error before the model is started for the question alone."""
    from ragtriage_tui.estimates import duration, embedding_s

    progress = call.progress()
    seen: list[int] = []

    def told(stage: str, done: int, total: int) -> None:
        if stage == "embed" and not seen:
            seen.append(total)
            if total == 1 and done == 0:
                call.out.say(f"embedding the question; the model starts (about {duration(embedding_s(1))})")
        progress(stage, done, total)

    return told


def _unsaid(project: Project, question: Question) -> list[str]:
    """What the question's answer must mention and its evidence does not say."""
    from ragtriage.golden.unsaid import unsaid_in

    return unsaid_in([question], project.corpus, project.chunks)


def _report(call: Call, project: Project) -> Item | None:
    """The report of --report. Raises UsageError where there is none, or a question was made of it already."""
    from ragtriage.errors import UsageError
    from ragtriage.inbox.importing import open_inbox

    args = call.args
    if args.report is None:
        return None
    if args.source or args.ref:
        raise UsageError(f"--report says where it comes from; leave {'--from' if args.source else '--ref'} out")
    item = open_inbox(project).named(clean(args.report))
    if item.state == "done" and item.qid and project.golden_path.exists() and project.golden.get(item.qid) is not None:
        raise UsageError(f"{item.report.id} is {item.qid} already; ragtriage inbox undo takes that back")
    return item


def _closed(project: Project, item: Item, qid: str) -> str:
    """The report is done now; what became of that. Nothing that goes wrong here undoes the question."""
    from ragtriage.errors import RagtriageError
    from ragtriage.inbox.importing import open_inbox

    try:
        open_inbox(project).set(item.report.id, "done", qid)
    except RagtriageError as error:
        return f"but {item.report.id} stays {item.state}: {error}"
    return f"{item.report.id} is done"


def _object(call: Call, project: Project, item: Item | None) -> dict[str, Any]:
    """The line to write. Raises UsageError, GoldenError, CorpusError where it would not hold."""
    from ragtriage.errors import UsageError
    from ragtriage.golden.capture import new_question
    from ragtriage.inbox.proposals import Proposal, draft_of, question_of, ready

    args = call.args
    given: dict[str, Any] = {}
    if item is not None:
        asked = question_of(item.report)
        given = draft_of(item.report, Proposal(asked.question, asked.origin))
    text = clean(_words(args.question, given)).strip()
    if not text:
        raise UsageError("the question is empty")
    marks = [mark_of(project, clean(doc), clean(quote)) for doc, quote in args.quote]
    if args.unanswerable and (marks or args.evidence):
        raise UsageError("--unanswerable: the corpus has no answer, or these places are it; say one of both")
    if args.unanswerable and (args.kind or args.needs):
        raise UsageError(
            f"--unanswerable: that is its kind, and it needs nothing; leave {'--kind' if args.kind else '--needs'} out"
        )
    if not (marks or args.evidence or args.unanswerable):
        raise UsageError(
            "where is the answer? --quote DOC TEXT, --evidence REF, or --unanswerable; ragtriage find helps to look"
        )
    _refuse_twins(call, project, text)
    source = {key: clean(value) for key, value in (("from", args.source), ("ref", args.ref)) if value}
    mentions: list[Any] = [clean(mention) for mention in args.mention] or given.get("answer_must_mention", [])
    obj = new_question(
        text,
        marks,
        project.corpus,
        project.chunks,
        kind="unanswerable" if args.unanswerable else args.kind or _KIND,
        split=args.split,
        answerable=not args.unanswerable,
        must_mention=mentions,
        expected_answer=given.get("expected_answer", ""),
        access=parse_groups(args.access),
        source=given.get("source", source),
    )
    if args.evidence:
        obj["evidence"] = [*obj.get("evidence", []), *(item_of(project, clean(text)) for text in args.evidence)]
    if args.needs:
        obj["needs"] = args.needs
    if item is not None and (why := ready(item.report, obj)):
        raise UsageError(f"{item.report.id}: {why}; ragtriage add QUESTION --report {item.report.id} --quote DOC TEXT")
    return obj


def _words(question: str | None, given: Mapping[str, Any]) -> str:
    """The question as it was given: an argument, standard input, a report's, else what is written in the editor."""
    if question is not None and question != "-":
        return question
    if given and question is None:
        return str(given["question"])
    if sys.stdin is not None and not sys.stdin.isatty():
        return sys.stdin.buffer.read().decode("utf-8-sig", "replace")
    return "" if question == "-" or sys.stdin is None else _from_editor()


def _from_editor() -> str:
    """What somebody writes in $EDITOR. Raises UsageError where that cannot be started, or leaves with an error."""
    import os
    import subprocess
    import tempfile

    from ragtriage.errors import UsageError
    from ragtriage_tui.external import editor_command
    from ragtriage_tui.workers import DoorError

    with tempfile.TemporaryDirectory(prefix="ragtriage-") as folder:
        path = Path(folder) / "question.txt"
        path.write_bytes(b"")
        try:
            command = editor_command(os.environ, str(path))
            code = subprocess.run(command, check=False).returncode
        except (DoorError, OSError) as error:
            raise UsageError(f"the editor cannot be started ({error}); give the question as an argument") from None
        if code != 0:
            raise UsageError("the editor left with an error; nothing was added")
        try:
            return path.read_text(encoding="utf-8", errors="replace")
        except OSError:
            return ""


def _refuse_twins(call: Call, project: Project, text: str) -> None:
    """Raise UsageError where the set asks the very same; say on standard error what is nearly the same."""
    from ragtriage.errors import UsageError
    from ragtriage.golden.similar import similar

    if not project.golden_path.exists():  # this question starts it
        return
    for question in project.golden.questions:
        if " ".join(question.question.lower().split()) == " ".join(text.lower().split()):
            raise UsageError(f"{question.qid} asks the same; nothing was added")
    for one in similar(text, project.golden.questions):
        if one.nearly_equal:
            call.out.say(f"nearly the same: {one.qid} {clip_text(one.question, 100)}")


def _today(result: QuestionResult, k: int, *, stand_in: bool, waits: bool) -> str:
    """`waits`: a model's answer would be graded, and was not asked for yet."""
    where = f" ({where_found(result.items)}, k = {k})" if result.items else ""
    if result.status == "failed":
        return f"could not be measured: {result.reason}"
    if result.suggested:
        who = " by the extractive stand-in, not by a model of yours" if stand_in and result.lost_at == "answer" else ""
        return f"fails today, {cause(result.suggested)}{who}{where}"
    if waits:
        found = f"its evidence is found today{where}; " if result.items else ""
        return f"{found}whether its answer is right is not known yet: ragtriage eval --answers both asks for it"
    return f"passes today{where}"

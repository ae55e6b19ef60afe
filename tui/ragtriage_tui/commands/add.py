"""`ragtriage add QUESTION`: a new line of the golden set, and whether it passes today."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from ragtriage_tui.call import Call, clean, parse_groups
from ragtriage_tui.figures import Marks, clip_text
from ragtriage_tui.model_names import is_stand_in
from ragtriage_tui.naming import cause
from ragtriage_tui.question_text import where_found

if TYPE_CHECKING:
    from ragtriage.inbox.log import Item
    from ragtriage.labelling.adding import AddedQuestion
    from ragtriage.measure.results import QuestionResult
    from ragtriage.project import Project
    from ragtriage.types import Progress

__all__ = ["arguments", "run"]


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
        "--kind", choices=("paraphrase", "exact", "multi-part", "ambiguous"), help="what it asks for (default: paraphrase)"
    )
    parser.add_argument("--split", choices=("dev", "holdout"), default="dev")
    parser.add_argument("--needs", choices=("all", "any"), help="all of its evidence, or any one")
    parser.add_argument("--access", metavar="GROUPS", help="the groups of whoever asks, separated by commas")
    parser.add_argument("--from", dest="source", choices=("log", "ticket", "chat", "owner", "builder", "synthetic"))
    parser.add_argument("--ref", metavar="REF", help="the ticket or log entry it came from")


def run(call: Call) -> int:
    from ragtriage.answers.grading import gradable
    from ragtriage.errors import RagtriageError
    from ragtriage.labelling.formatting import must_be_written

    call.must_write()
    project = call.project()
    try:
        must_be_written(project)
        report = _report(call, project)
        added = _added(call, project, report)
        question = added.question
        for one in added.like:
            call.out.say(f"nearly the same: {one.qid} {clip_text(one.question, 100)}")
        for unsaid in added.unsaid:
            call.out.say(f"! {unsaid}: no answer passes that keeps to it, --mention or the evidence is to change")
        saved = f"{question.qid} saved on line {question.line} of {project.golden_path}"
        if report is not None:
            saved += f", but {added.stays}" if added.stays else f", {report.report.id} is done"
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


def _report(call: Call, project: Project) -> Item | None:
    """The report of --report. Raises UsageError where there is none."""
    from ragtriage.errors import UsageError
    from ragtriage.labelling.importing import open_inbox

    args = call.args
    if args.report is None:
        return None
    if args.source or args.ref:
        raise UsageError(f"--report says where it comes from; leave {'--from' if args.source else '--ref'} out")
    return open_inbox(project).named(clean(args.report))


def _added(call: Call, project: Project, report: Item | None) -> AddedQuestion:
    """The question, written. Raises UsageError, GoldenError, CorpusError where it would not hold."""
    from ragtriage.errors import UsageError
    from ragtriage.labelling.adding import KIND, add_question

    args = call.args
    text = None if report is not None and args.question is None else clean(_words(args.question)).strip()
    if text == "":
        raise UsageError("the question is empty")
    if args.unanswerable and (args.quote or args.evidence):
        raise UsageError("--unanswerable: the corpus has no answer, or these places are it; say one of both")
    if args.unanswerable and (args.kind or args.needs):
        raise UsageError(
            f"--unanswerable: that is its kind, and it needs nothing; leave {'--kind' if args.kind else '--needs'} out"
        )
    if not (args.quote or args.evidence or args.unanswerable):
        raise UsageError(
            "where is the answer? --quote DOC TEXT, --evidence REF, or --unanswerable; ragtriage find helps to look"
        )
    return add_question(
        project,
        text,
        quotes=[(clean(doc), clean(quote)) for doc, quote in args.quote],
        places=[clean(place) for place in args.evidence],
        answerable=not args.unanswerable,
        kind=args.kind or KIND,
        split=args.split,
        needs=args.needs,
        must_mention=[clean(mention) for mention in args.mention],
        access=parse_groups(args.access),
        source={key: clean(value) for key, value in (("from", args.source), ("ref", args.ref)) if value},
        report=report,
    )


def _words(question: str | None) -> str:
    """The question as it was given: an argument, standard input, else what is written in the editor."""
    if question is not None and question != "-":
        return question
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

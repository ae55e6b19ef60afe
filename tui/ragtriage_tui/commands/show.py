"""`ragtriage show ID`: one question (ladder, ranking, answers), one chunk, or one document."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from ragtriage_tui.call import Call, clean
from ragtriage_tui.figures import Marks, count
from ragtriage_tui.newest_run import calibration_at
from ragtriage_tui.problems import say_problems
from ragtriage_tui.question_text import question_lines
from ragtriage_tui.text import one_line

if TYPE_CHECKING:
    from ragtriage.errors import Problem
    from ragtriage.measure.answer_results import Arm
    from ragtriage.measure.results import QuestionResult, Run
    from ragtriage.project import Project
    from ragtriage.types import Document, Question

__all__ = ["arguments", "run"]


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("id", metavar="ID", help="a question, a chunk or a document")
    parser.add_argument("--against", metavar="REF", help="a question as another commit or a stored run has it, beside today's")


def run(call: Call) -> int:
    from ragtriage.errors import UsageError

    project = call.project()
    name = clean(call.args.id)
    try:
        golden = project.golden if project.golden_path.exists() else None
        question = golden.get(name) if golden else None
        if call.args.against is not None:
            return _against(call, project, question, name, golden.why_unused(name) if golden else "")
        if question is not None:
            return _question(call, project, question)
        why = golden.why_unused(name) if golden else ""
        row = project.chunks.row(name)
        if row is not None:
            return _chunk(call, project, row)
        if why and project.corpus.get(name) is None:
            raise UsageError(why)
        return _document(call, project, _called(project, name))
    finally:
        project.close()


def _against(call: Call, project: Project, question: Question | None, name: str, why: str) -> int:
    from ragtriage.errors import UsageError
    from ragtriage_tui.against import show_against

    if question is None:
        raise UsageError(why or f"{name}: no such question in the golden set; --against compares questions")
    return show_against(call, project, question)


def _called(project: Project, name: str) -> Document:
    """The document of that name. Raises an error that says what there is instead."""
    from ragtriage.errors import CorpusError, UsageError

    corpus = project.corpus
    try:
        return corpus.document(name)
    except CorpusError as error:
        if "ambiguous" in str(error):
            raise
        doc, mark, ordinal = name.rpartition("#")
        owner = corpus.get(doc) if mark else None
        if owner is not None:
            chunks = project.chunks.rows_of(owner.doc_id)
            ids = f": {project.chunks.ids[chunks[0]]} to {project.chunks.ids[chunks[-1]]}" if len(chunks) > 1 else ""
            raise UsageError(f"{owner.doc_id} has {count(len(chunks), 'chunk')}{ids}; there is no #{ordinal}") from None
        names = [document.doc_id for document in corpus.documents]
        names += [question.qid for question in project.golden.questions] if project.golden_path.exists() else []
        raise UsageError(f"{name}: neither a question nor a chunk nor a document{_nearest(name, names)}") from None


def _nearest(name: str, names: list[str]) -> str:
    from rapidfuzz import process

    close = process.extractOne(name, names, score_cutoff=70)
    return f"; did you mean {close[0]}?" if close else "; ragtriage find lists the documents"


def _question(call: Call, project: Project, question: Question) -> int:
    from ragtriage.measure.evaluate import evaluate
    from ragtriage.types import AXES

    answered = _answered(project, question.qid)
    modelled = project.generator.endpoint is not None  # then all that is known costs nothing to show
    measured = answered or evaluate(
        project, only=[question.qid], split_tax=modelled, ungraded=modelled, store=False, progress=call.progress()
    )
    result = next(one for one in measured.questions if one.qid == question.qid)
    rows = [row for row in measured.timings if row.get("qid") == question.qid]
    unanswered = _unanswered(project, result)
    problems: list[Problem] = []
    calibration = calibration_at(project, measured, problems)
    verdict = project.verdicts.current().get(question.qid)
    code = 3 if result.status == "failed" or unanswered else 0
    if call.out.json:
        from ragtriage_tui.judge_lines import calibrated_json

        label = None
        if verdict is not None:
            fits = verdict.fits(result.seen)
            label = {"category": verdict.category, "note": verdict.note, "by": verdict.by, "at": verdict.at, "old": not fits}
        shown = {"question": question.question, "query": question.sent, **result.to_dict(), "verdict": label}
        shown |= {"unanswered": unanswered, "timings": rows, "calibration": calibrated_json(measured, calibration)}
        call.out.document({"format": 1, "k": project.config.retrieval.k, **shown})
        return say_problems(call, problems) or code
    states = {}
    if project.judge is not None:
        from ragtriage_tui.judge_lines import axis_state

        states = {str(axis): axis_state(measured, calibration, axis) for axis in AXES}
    lines = question_lines(project, question, result, verdict, timings=rows, unanswered=unanswered, calibration=states)
    if answered is not None:
        lines += ["", f"as run {answered.id} has it; your system was not asked again"]
    call.out.text(*map(Marks(call.out.ascii), lines))
    return say_problems(call, problems) or code


def _answered(project: Project, qid: str) -> Run | None:
    """The newest run, where the user's own system answered the question in it from what it was given: those answers are kept
    nowhere else. What answers by itself answers anew with its hits."""
    from ragtriage.measure.newest_run import newest_run

    if project.config.answers.generator != "system" or project.answers_by_itself:
        return None
    newest = newest_run(project)
    before = newest.get(qid) if newest is not None else None
    return newest if before is not None and (before.answers or before.unanswered) else None


def _unanswered(project: Project, result: QuestionResult) -> dict[Arm, str]:
    """The answers that failed when the newest run asked for them, and that are not known today either."""
    from ragtriage.measure.newest_run import newest_run

    if project.generator.endpoint is None:
        return {}
    newest = newest_run(project)
    before = newest.get(result.qid) if newest is not None else None
    failed = before.unanswered if before is not None else {}
    return {arm: reason for arm, reason in failed.items() if arm not in result.answers}


def _chunk(call: Call, project: Project, row: int) -> int:
    chunk = project.chunks[row]
    document = project.corpus.document(chunk.doc_id)
    text = project.chunks.text(row)
    line = document.text.count("\n", 0, chunk.span.start) + 1
    if call.out.json:
        call.out.document(
            {
                "format": 1,
                "chunk_id": chunk.chunk_id,
                "doc_id": chunk.doc_id,
                "ordinal": chunk.ordinal,
                "heading": list(chunk.heading),
                "start": chunk.span.start,
                "end": chunk.span.end,
                "line": line,
                "tokens": chunk.tokens,
                "text": text,
            }
        )
        return 0
    facts = f"{one_line(document.source or document.doc_id)}:{line} · {count(chunk.tokens, 'token')}"
    call.out.text(
        *map(Marks(call.out.ascii), [f"{one_line(chunk.chunk_id)}  {one_line(' › '.join(chunk.heading))}", facts]), "", text
    )
    return 0


def _document(call: Call, project: Project, document: Document) -> int:
    chunks = project.chunks
    rows = chunks.rows_of(document.doc_id)
    if call.out.json:
        call.out.document(
            {
                "format": 1,
                "doc_id": document.doc_id,
                "title": document.title,
                "source": document.source,
                "access": None if document.access is None else list(document.access),
                "sections": [
                    {
                        "heading": list(section.path),
                        "anchor": section.anchor,
                        "start": section.span.start,
                        "end": section.span.end,
                    }
                    for section in document.sections
                ],
                "chunks": [
                    {"chunk_id": chunk.chunk_id, "start": chunk.span.start, "end": chunk.span.end, "tokens": chunk.tokens}
                    for chunk in (chunks[row] for row in rows)
                ],
                "text": document.text,
            }
        )
        return 0
    mark = Marks(call.out.ascii)
    access = "" if document.access is None else f" · seen by {one_line(', '.join(document.access)) or 'nobody'}"
    call.out.text(
        mark(f"{one_line(document.doc_id)}  {one_line(document.title)}"),
        mark(f"{one_line(document.source)} · {count(len(rows), 'chunk')}{access}"),
    )
    at = 0
    for row in rows:
        chunk = chunks[row]
        call.out.text(*_between(document.text[at : chunk.span.start]))
        call.out.text(
            mark(f"── {one_line(chunk.chunk_id)} · {chunk.tokens} tokens ──"),
            document.text[max(at, chunk.span.start) : chunk.span.end],
        )
        at = max(at, chunk.span.end)
    call.out.text(*_between(document.text[at:]))
    return 0


def _between(text: str) -> list[str]:
    """What no chunk holds is blank as a rule; then there is nothing to show."""
    return [text.strip("\n")] if text.strip() else []

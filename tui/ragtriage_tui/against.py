"""`ragtriage show QID --against REF`: one question on both sides of a change, or beside what a stored run says of it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ragtriage_tui.call import Call, clean, overrides
from ragtriage_tui.figures import Marks
from ragtriage_tui.question_text import question_lines
from ragtriage_tui.text import one_line

if TYPE_CHECKING:
    from ragtriage.compare.comparison import Comparison
    from ragtriage.project import Project
    from ragtriage.types import Question

__all__ = ["show_against"]


def show_against(call: Call, project: Project, question: Question) -> int:
    """Measure the question in the commit that --against names and in the files as they are, and show what became of it.

    Where it names a stored run, that is the base.
    """
    from ragtriage.measure.runs import names_a_run

    if names_a_run(clean(call.args.against)):
        return _against_run(call, project, question)
    from ragtriage.compare.chunks import chunk_table
    from ragtriage.compare.comparison import compare
    from ragtriage.git import Repository
    from ragtriage.measure.corpus_then import remember_documents
    from ragtriage.measure.evaluate import evaluate
    from ragtriage.revisions.naming import named
    from ragtriage.revisions.side import opened

    repository = Repository.of(project.root)
    revision = named(repository, clean(call.args.against))
    typed = (*call.args.set, *overrides(call.args))
    progress = call.progress()
    head = evaluate(project, only=[question.qid], store=False, progress=progress)
    remember_documents(project)
    with opened(project, repository, revision, overrides=typed, golden=project.golden) as side:
        base = evaluate(side.project, only=[question.qid], store=False, progress=progress)
        remember_documents(side.project)
        tables = (chunk_table(run, project.cache) for run in (base, head))
        found = compare(base, head, base_chunks=next(tables), head_chunks=next(tables))
        if call.out.json:
            _document(call, found, question, revision.commit)
        else:
            lines = [f"base  {one_line(revision.label)}", "head  working tree", *(f"! {one_line(note)}" for note in side.notes)]
            lines += [*_became(found, question), "", "── base ──", ""]
            lines += question_lines(side.project, question, base.questions[0], None)
            lines += ["", "── head ──", ""]
            verdict = project.verdicts.current().get(question.qid)
            lines += question_lines(project, question, head.questions[0], verdict)
            call.out.text(*map(Marks(call.out.ascii), lines))
    return 3 if any(run.questions[0].status == "failed" for run in (base, head)) else 0


def _against_run(call: Call, project: Project, question: Question) -> int:
    from ragtriage.compare.chunks import chunk_tables
    from ragtriage.compare.comparison import compare
    from ragtriage.measure.corpus_then import remember_documents
    from ragtriage.measure.evaluate import evaluate
    from ragtriage_tui.against_run import stored_lines, stored_side
    from ragtriage_tui.newest_run import say_passed_over

    base = stored_side(project, clean(call.args.against), question.qid)
    say_passed_over(call, project, clean(call.args.against))
    head = evaluate(project, only=[question.qid], store=False, progress=call.progress())
    remember_documents(project)
    tables = chunk_tables(base, head, project.cache)
    found = compare(base, head, base_chunks=tables[0], head_chunks=tables[1])
    if call.out.json:
        _document(call, found, question, base.id)
    else:
        lines = [f"base  run {one_line(base.id)}", "head  the files as they are", *_became(found, question)]
        lines += ["", "── base ──", "", *stored_lines(base.questions[0], found.k_base), "", "── head ──", ""]
        lines += question_lines(project, question, head.questions[0], project.verdicts.current().get(question.qid))
        call.out.text(*map(Marks(call.out.ascii), lines))
    return 3 if any(run.questions[0].status == "failed" for run in (base, head)) else 0


def _became(found: Comparison, question: Question) -> list[str]:
    from ragtriage_tui.compare_text import flip_lines

    if found.flips:
        flip = found.flips[0]
        return [f"{flip.half}: {flip.change}", *flip_lines(flip, question.question)]
    if not found.pairs:
        return ["! not compared: its words or its labels are others now"]
    return ["= the same on both sides"]


def _document(call: Call, found: Comparison, question: Question, against: str) -> None:
    from ragtriage.compare.document import flip_json

    call.out.document(
        {
            "format": 1,
            "question": question.question,
            "against": against,
            "k": {"base": found.k_base, "head": found.k_head},
            "flip": flip_json(found.flips[0]) if found.flips else None,
            "base": found.base.questions[0].to_dict(),
            "head": found.head.questions[0].to_dict(),
        }
    )

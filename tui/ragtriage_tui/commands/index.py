"""`ragtriage index`: everything that takes time, ahead of time."""

from __future__ import annotations

import argparse

from ragtriage_tui.agreeing import asking_arguments
from ragtriage_tui.call import Call
from ragtriage_tui.figures import Marks, count
from ragtriage_tui.plain import skipped_lines
from ragtriage_tui.problems import say_problems

__all__ = ["arguments", "run"]


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("path", nargs="?", metavar="PATH", help="the project (default: here)")
    asking_arguments(parser)
    parser.add_argument("--rehash", action="store_true", help="read every file again, whatever its time and size say")


def run(call: Call) -> int:
    project = call.project()
    try:
        project.system.prepare(call.progress())
        encoded, documents, chunks = project.system.encoded, len(project.corpus.documents), len(project.chunks)
    finally:
        project.close()
    corpus = project.corpus
    if call.out.json:
        skipped = [item._asdict() for item in corpus.skipped]
        problems = [str(problem) for problem in corpus.problems]
        figures = {"documents": documents, "chunks": chunks, "encoded": encoded}
        call.out.document({"format": 1, **figures, "skipped": skipped, "problems": problems})
    else:
        sizes = f"{count(documents, 'document')} · {count(chunks, 'chunk')} · {count(encoded, 'text')} embedded"
        lines = [sizes, *skipped_lines(corpus.skipped)]
        call.out.text(*map(Marks(call.out.ascii), lines))
    return say_problems(call, [problem for problem in corpus.problems if problem.severity != "advice"])

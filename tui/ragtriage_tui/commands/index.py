"""`ragtriage index`: everything that takes time, ahead of time; with `--to`, into a cluster."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from ragtriage_tui.agreeing import asking_arguments
from ragtriage_tui.call import Call
from ragtriage_tui.estimates import duration, embedding_s
from ragtriage_tui.figures import Marks, count
from ragtriage_tui.plain import skipped_lines
from ragtriage_tui.problems import say_problems

if TYPE_CHECKING:
    from ragtriage.project import Project
    from ragtriage.search.systems.qdrant_upload import Upload

__all__ = ["arguments", "run"]


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("path", nargs="?", metavar="PATH", help="the project (default: here)")
    asking_arguments(parser)
    parser.add_argument("--rehash", action="store_true", help="read every file again, whatever its time and size say")
    parser.add_argument("--to", choices=("qdrant",), help="upload the chunks into the cluster of retrieval.urls")


def run(call: Call) -> int:
    project = call.project()
    uploaded: Upload | None = None
    try:
        if call.args.to:
            uploaded = _upload(call, project)
        else:
            project.embedded.prepare(call.progress())
        encoded, documents, chunks = project.embedded.encoded, len(project.corpus.documents), len(project.chunks)
    finally:
        project.close()
    corpus = project.corpus
    if call.out.json:
        skipped = [item._asdict() for item in corpus.skipped]
        problems = [str(problem) for problem in corpus.problems]
        figures: dict[str, object] = {"documents": documents, "chunks": chunks, "encoded": encoded, "upload": None}
        if uploaded is not None:
            figures["upload"] = {"to": "qdrant", "collection": project.config.retrieval.collection, **uploaded._asdict()}
        call.out.document({"format": 1, **figures, "skipped": skipped, "problems": problems})
    else:
        sizes = f"{count(documents, 'document')} · {count(chunks, 'chunk')} · {count(encoded, 'text')} embedded"
        there = [] if uploaded is None else [_uploaded(project.config.retrieval.collection, uploaded)]
        lines = [sizes, *there, *skipped_lines(corpus.skipped)]
        call.out.text(*map(Marks(call.out.ascii), lines))
    return say_problems(call, [problem for problem in corpus.problems if problem.severity != "advice"])


def _upload(call: Call, project: Project) -> Upload:
    from ragtriage.search.systems.qdrant_upload import upload_project

    if project.config.embedding.provider == "local" and (missing := project.indexes.missing()):  # a server has its own estimate
        call.out.say(f"{count(missing, 'text')} to embed first, about {duration(embedding_s(missing))}")
    return upload_project(project, call.progress())


def _uploaded(collection: str, done: Upload) -> str:
    shards = f"{count(done.shards, 'shard')}, {count(done.replicas, 'replica')} of each"
    parts = [f"{collection}: {count(done.points, 'point')}", f"{done.sent:,} sent", f"{done.checked:,} read back and equal"]
    parts += [f"{done.removed:,} of older states removed"] if done.removed else []
    return " · ".join([*parts, shards])

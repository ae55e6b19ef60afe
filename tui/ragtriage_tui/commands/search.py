"""`ragtriage search`: what retrieval returns for a question, with the rank that each stage gave it."""

from __future__ import annotations

import argparse
from typing import Any

from ragtriage_tui.agreeing import asking_arguments
from ragtriage_tui.call import Call, clean
from ragtriage_tui.figures import Marks, clip_text
from ragtriage_tui.problems import say_problems
from ragtriage_tui.text import one_line

__all__ = ["arguments", "run"]


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("question", metavar="QUESTION")
    parser.add_argument("--mode", choices=("bm25", "dense", "hybrid"), help="retrieval.mode for this search")
    parser.add_argument("--k", metavar="N", help="retrieval.k for this search: passages in the prompt")
    asking_arguments(parser)
    parser.add_argument("--top", type=int, metavar="N", help="how many to show (default: 10, or k where that is more)")


def run(call: Call) -> int:
    from ragtriage.errors import SystemFailed, UsageError
    from ragtriage.search.pipeline import Query
    from ragtriage.types import Failure

    args = call.args
    question = clean(args.question)
    if not question.strip():
        raise UsageError("the question is empty")
    if args.top is not None and args.top < 1:
        raise UsageError("--top: at least 1")
    project = call.project()
    try:
        asked = project.system.ask([Query(question, project.groups)], progress=call.progress())
        ranking = asked.rankings[0]
        if isinstance(ranking, Failure):
            raise SystemFailed(f"the search failed: {ranking.reason}")
        k = project.config.retrieval.k
        chunks = asked.chunks
        hits: list[dict[str, Any]] = []
        for rank, hit in enumerate(ranking.hits[: args.top or max(k, 10)], start=1):
            row = chunks.row(hit.chunk_id)
            hits.append(
                {
                    "rank": rank,
                    "chunk_id": hit.chunk_id,
                    "doc_id": chunks[row].doc_id if row is not None else None,
                    "heading": list(chunks[row].heading) if row is not None else [],
                    "bm25_rank": hit.bm25_rank,
                    "dense_rank": hit.dense_rank,
                    "rerank_rank": hit.rerank_rank,
                    "score": hit.score,
                    "text": chunks.text(row) if row is not None else "",
                }
            )
    finally:
        project.close()
    if call.out.json:
        call.out.document({"format": 1, "question": question, "k": k, "hits": hits})
    else:
        mark = Marks(call.out.ascii)
        call.out.text(*map(mark, _lines(hits, k)))
    return 0 if project.corpus.documents else say_problems(call, list(project.corpus.problems))


def _place(hit: dict[str, Any]) -> str:
    return f"{one_line(hit['chunk_id'])}  {one_line(' › '.join(hit['heading']))}"


def _lines(hits: list[dict[str, Any]], k: int) -> list[str]:
    if not hits:
        return ["Nothing is retrieved for this question. ragtriage find searches the text itself."]
    names = [name for name in ("bm25", "dense", "rerank") if any(hit[f"{name}_rank"] is not None for hit in hits)]
    lines = [f"{'rank':>4}" + "".join(f"{name:>7}" for name in names) + "   score  chunk"]
    for hit in hits:
        ranks = "".join(f"{hit[f'{name}_rank'] or '–':>7}" for name in names)
        lines.append(f"{hit['rank']:>4}{ranks}{hit['score']:>8.4f}  {_place(hit)}")
        lines.append(f"      {clip_text(hit['text'], 150)}")
        if hit["rank"] == k and len(hits) > k:
            lines.append(f"───── context ends here, k = {k} ─────")
    return lines

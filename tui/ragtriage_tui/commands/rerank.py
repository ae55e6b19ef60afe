"""`ragtriage rerank`: what a reranker gains at each size of the pool, what that costs, and when it cannot help."""

from __future__ import annotations

import argparse
import json
import math
from contextlib import closing

from ragtriage_tui.call import Call, clean, listed
from ragtriage_tui.newest_run import need_questions
from ragtriage_tui.problems import exit_code, problems_of, say_problems

__all__ = ["arguments", "run"]

_MOST_POOLS = 20
_LARGEST_POOL = 10_000  # as retrieval.pool


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.description = (
        "Reranks the dev questions that have evidence and accounts for it: recall@k before and after, the most that any "
        "reranker could reach (ceiling), how much of the headroom is used, which evidence came into k and which fell out, and "
        "the time of one question, warm and without the cache. No run is stored."
    )
    parser.add_argument(
        "path", nargs="?", metavar="PATH", help="a project folder, one below it, or a BEIR folder (default: here)"
    )
    parser.add_argument(
        "--model", metavar="NAME", help="retrieval.rerank for this command: a cross-encoder, lexical (no model) or command"
    )
    parser.add_argument(
        "--pools", default="20,30,50,100", metavar="N,…", help="sizes of the pool, none below k (default: 20,30,50,100)"
    )
    parser.add_argument("--budget-ms", metavar="N", help="name the largest pool whose p95 is within these milliseconds")
    parser.add_argument("--qrels", metavar="FILE", help="which judgements of a BEIR folder that has several")


def run(call: Call) -> int:
    from ragtriage.errors import UsageError
    from ragtriage.experiments.accountant import audit
    from ragtriage.experiments.embedded_only import must_be_embedded

    args = call.args
    pools, budget = _pools(args.pools), _budget(args.budget_ms)
    if args.model is not None:
        with closing(call.project()) as configured:  # before a reranker is set beside a system that takes none
            must_be_embedded(configured, "rerank")
        args.set = [*args.set, f"retrieval.rerank={json.dumps(clean(args.model), ensure_ascii=False)}"]
    project = call.project()
    try:
        must_be_embedded(project, "rerank")
        if not project.config.retrieval.rerank:
            raise UsageError("no reranker is configured: --model names one, or retrieval.rerank; lexical needs no model")
        k = project.config.retrieval.k
        if min(pools) < k:
            raise UsageError(f"--pools: {min(pools)} is smaller than k ({k}), and a reranker has to see what is sent")
        need_questions(project)
        found = audit(project, pools, budget_ms=budget, progress=call.progress())
        problems = problems_of(project)
        if call.out.json:
            from ragtriage.experiments.rerank_document import to_json

            call.out.document(to_json(found))
        else:
            from ragtriage_tui.figures import Marks
            from ragtriage_tui.newest_run import texts_of
            from ragtriage_tui.rerank_text import audit_lines

            shown = project.config.retrieval.pool
            lines = audit_lines(found, texts_of(project), config=project.config.as_dict(), pool=shown)
            call.out.text(*map(Marks(call.out.ascii), lines))
        say_problems(call, problems)
        return exit_code((), problems) or (3 if found.failed else 0)
    finally:
        project.close()


def _pools(text: str) -> list[int]:
    from ragtriage.errors import UsageError

    words = listed(text)
    if not words or len(words) > _MOST_POOLS:
        raise UsageError(f"--pools: 1 to {_MOST_POOLS} sizes are needed, separated by commas")
    for word in words:
        if not (word.isascii() and word.isdigit() and len(word) <= 5 and 1 <= int(word) <= _LARGEST_POOL):
            raise UsageError(f"--pools: {word[:40]} is no whole number from 1 to {_LARGEST_POOL}")
    return sorted({int(word) for word in words})


def _budget(text: str | None) -> float | None:
    from ragtriage.errors import UsageError

    if text is None:
        return None
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not (math.isfinite(value) and value > 0):
        raise UsageError(f"--budget-ms: {clean(text)[:40]} is no number of milliseconds above 0")
    return value

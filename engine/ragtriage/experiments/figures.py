"""What a configuration is compared by, beside the metrics of a run: evidence at equal cost, and what it costs.

Nothing in here depends on when or on what machine it was measured.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from ragtriage.answers.context import prompt_texts
from ragtriage.chunking.base import Chunks, TokenOffsets
from ragtriage.chunking.chunks import embedded_to_cut
from ragtriage.chunking.unembedded import unembedded
from ragtriage.experiments.budgets import recall_at_tokens
from ragtriage.golden.evidence import resolve
from ragtriage.measure.label_shas import known_label_shas
from ragtriage.measure.results import QuestionResult, Run
from ragtriage.metrics.tokens import TokenScores, token_scores
from ragtriage.project import Project
from ragtriage.types import Question, Span

__all__ = ["BUDGETS", "FIGURES", "SHOWN_BUDGETS", "VERSION", "budget_name", "budget_values", "figures_of", "texts_of"]

BUDGETS = (250, 500, 1000, 2000, 4000)
"""Tokens of context that may decide. Equal k favours large chunks: k of them hold more."""

SHOWN_BUDGETS = (1000, 2000, 4000)
"""Those that every table shows; a smaller one only where it decides."""

FIGURES = frozenset(("spec", "budgets", "budget_values", "short", "tokens", "coarse", "chunks", "texts", "unembedded"))
"""The keys of what `figures_of` returns."""

VERSION = 4
"""Counts up whenever the same run would have other figures, or its times were taken otherwise."""

_FINE = ("exact", "folded", "fuzzy")
_DIGITS = 6


def budget_name(tokens: int) -> str:
    """A budget as a title has it: `@250`, `@1k`."""
    return f"@{tokens // 1000}k" if tokens % 1000 == 0 else f"@{tokens}"


def figures_of(project: Project, run: Run, questions: Sequence[Question]) -> dict[str, Any]:
    """The figures of a run of `project` over `questions`. JSON values only.

    `budgets` maps a token budget to the mean evidence recall inside it, `budget_values` to each question's; None where it was
    not measured. `short` are the budgets that the pool does not fill, in the mean. `tokens` holds recall, precision and IoU of
    the top k on tokens over the `n` questions whose labels are all quotes. `coarse` counts the measured questions of which
    some label is no quote: what a chunk has of those says little of its size. `texts` are different texts to embed, sentences
    that decide the cuts among them, `unembedded` the share of the chunks' tokens that the encoder does not read.
    """
    chunks = project.chunks
    values = budget_values(project, run, questions)
    measured = [result for result in run.questions if result.measured]
    pooled = [_tokens_of(result, chunks) for result in measured]
    filled = sum(pooled) / len(pooled) if pooled else 0.0
    return {
        "spec": chunks.spec,
        "budgets": {str(budget): _mean(column) for budget, column in values.items()},
        "budget_values": {str(budget): column for budget, column in values.items()},
        "short": [budget for budget in BUDGETS if measured and filled < budget],
        "tokens": _token_figures(project, run, chunks),
        "coarse": sum(any(item.how not in _FINE for item in result.items) for result in measured),
        "chunks": len(chunks),
        **texts_of(project),
    }


def budget_values(project: Project, run: Run, questions: Sequence[Question]) -> dict[int, list[float | None]]:
    """The evidence recall of each question inside each of `BUDGETS`, None for one that was not measured."""
    chunks = project.chunks
    shas = known_label_shas(project)
    out: dict[int, list[float | None]] = {budget: [] for budget in BUDGETS}
    for question, result in zip(questions, run.questions, strict=True):
        if not result.measured:
            for column in out.values():
                column.append(None)
            continue
        items = resolve(question, project.corpus, chunks, shas)
        passages = prompt_texts([hit.chunk_id for hit in result.hits], chunks)
        counts = [_count(chunks, hit.chunk_id) for hit in result.hits]
        for budget, column in out.items():
            column.append(round(recall_at_tokens(items, passages, counts, budget, project.corpus), _DIGITS))
    return out


def texts_of(project: Project) -> dict[str, Any]:
    """How many different texts are embedded, those that decide the cuts among them, and the share of the text that the encoder
    does not read; 0 without vectors."""
    config = project.config
    texts = embedded_to_cut(
        project.corpus,
        config.chunking,
        tokens=project.tokens,
        cache=project.cache,
        vectors=project.embedder if config.chunking.strategy == "semantic" else None,
        language=config.retrieval.language.lower(),
    )
    if config.retrieval.mode == "bm25":
        return {"texts": len(texts), "unembedded": 0.0}
    share = unembedded(project.chunks, project.indexes.encoder.window)
    return {"texts": len(texts.union(project.chunks.units.indexed_texts())), "unembedded": round(share, _DIGITS)}


def _token_figures(project: Project, run: Run, chunks: Chunks) -> dict[str, Any]:
    k = int(run.manifest["k"])
    fine = [result for result in run.questions if result.measured and all(item.how in _FINE for item in result.items)]
    needed = {span[0] for result in fine for item in result.items for span in item.spans}
    rows = {result.qid: [row for hit in result.hits[:k] if (row := chunks.row(hit.chunk_id)) is not None] for result in fine}
    needed |= {chunks.document_of(row).doc_id for some in rows.values() for row in some}
    names = sorted(needed)
    offsets = dict(zip(names, project.tokens.offsets([project.corpus.document(name).text for name in names]), strict=True))
    found = [one for result in fine if (one := _token_scores(result, chunks, rows[result.qid], offsets)) is not None]
    columns = zip(*found, strict=True) if found else ((), (), ())
    return {**{name: _mean(list(column)) for name, column in zip(TokenScores._fields, columns, strict=True)}, "n": len(found)}


def _token_scores(
    result: QuestionResult, chunks: Chunks, rows: Sequence[int], offsets: Mapping[str, TokenOffsets]
) -> TokenScores | None:
    evidence = [(doc_id, Span(start, end)) for item in result.items for doc_id, start, end in item.spans[:1]]
    retrieved = [(chunks.document_of(row).doc_id, chunks.span(row)) for row in rows]
    try:
        return token_scores(evidence, retrieved, offsets)
    except ValueError:  # evidence without a token: a dash
        return None


def _tokens_of(result: QuestionResult, chunks: Chunks) -> int:
    return sum(_count(chunks, hit.chunk_id) for hit in result.hits)


def _count(chunks: Chunks, chunk_id: str) -> int:
    row = chunks.row(chunk_id)
    return 0 if row is None else int(chunks.tokens[row])


def _mean(values: Sequence[float | None]) -> float | None:
    there = [value for value in values if value is not None]
    return round(math.fsum(there) / len(there), _DIGITS) if there else None

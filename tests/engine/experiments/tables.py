"""Trials made by hand: a configuration, the ranks of its questions, and the figures that a table reads."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from tests.engine.compare.comparing import asked, failed, run

from ragtriage.config import Config
from ragtriage.config_file import with_settings
from ragtriage.experiments.figures import BUDGETS
from ragtriage.experiments.grid import Candidate
from ragtriage.measure.results import Run

__all__ = ["Trial", "trial"]

Trial = tuple[Candidate, Run]


def trial(
    name: str,
    ranks: Sequence[int | str | None],
    settings: Mapping[str, Any] = {},
    *,
    k: int = 5,
    budgets: Mapping[int, float | None] | None = None,
    values: Mapping[int, Sequence[float | None]] | None = None,
    mrr: float = 0.5,
    texts: int = 100,
    tokens: float | None = 1000.0,
    accuracy: float | None = None,
    timings: Mapping[str, Any] = {},
    **figures: Any,
) -> Trial:
    """A trial whose questions have one item each at these ranks; "failed" for one that was not measured.

    `values` are what each question finds inside a budget; by default what it finds inside k.
    """
    questions = [
        failed(f"q{place}", None) if rank == "failed" else asked(f"q{place}", rank, k=k)  # type: ignore[arg-type]
        for place, rank in enumerate(ranks)
    ]
    inside = [None if rank == "failed" else float(isinstance(rank, int) and rank <= k) for rank in ranks]
    measured = [rank for rank in ranks if rank != "failed"]
    value = sum(isinstance(rank, int) and rank <= k for rank in measured) / len(measured) if measured else None
    mean = {"value": value, "n": len(measured)}
    found = run(
        *questions,
        k=k,
        name=f"trial-{name}",
        metrics={f"recall@{k}": mean, f"hit@{k}": mean, "mrr": {"value": mrr, "n": len(measured)}},
        failed=len(ranks) - len(measured),
        context_tokens=tokens,
        answers={"live": {"value": accuracy}} if accuracy is not None else None,
        sweep={
            "budgets": {str(budget): (budgets or {}).get(budget, value) for budget in BUDGETS},
            "budget_values": {str(budget): (values or {}).get(budget, inside) for budget in BUDGETS},
            "texts": texts, "unembedded": 0.0, "coarse": 0, "short": [], "chunks": texts,
            "tokens": {"recall": None, "precision": None, "iou": None, "n": 0}, **figures,
        },
    )  # fmt: skip
    made = Run(found.id, found.manifest, found.questions, (dict(timings),))
    return Candidate(with_settings(Config(), settings), dict(settings), name), made

"""The table of a sweep: a row a configuration, compared with the one in use, dominated ones marked, a winner chosen.

Pure: the same trials give the same table.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from ragtriage.config import EmbeddingConfig
from ragtriage.experiments.failures import not_measured
from ragtriage.experiments.figures import BUDGETS, SHOWN_BUDGETS
from ragtriage.experiments.grid import Candidate, Unusable
from ragtriage.experiments.versus import Versus, adjusted, in_tokens, versus
from ragtriage.measure.results import Run

__all__ = ["MOST_UNEMBEDDED", "Comparing", "Row", "Table", "table_of"]

Comparing = Callable[[Run, Run], Versus]

MOST_UNEMBEDDED = 0.05
"""A configuration of which the encoder leaves out a larger share of the tokens never wins."""


@dataclass(frozen=True)
class Row:
    """One configuration and its trial. `versus` is None for the configuration in use.

    `inside` is the same comparison by what rows are chosen by, where that is a budget of tokens; None where it is recall@k.
    `notes` say what a reader must know before trusting the row; `barred` that it never wins. `dominated` names a row that
    costs no more and finds no less, and is better in one of both.
    """

    candidate: Candidate
    run: Run
    versus: Versus | None = None
    dominated: str = ""
    notes: tuple[str, ...] = ()
    barred: bool = False
    inside: Versus | None = None

    @property
    def name(self) -> str:
        return self.candidate.name

    @property
    def deciding(self) -> Versus | None:
        """The comparison by what rows are chosen by."""
        return self.inside or self.versus

    @property
    def figures(self) -> Mapping[str, Any]:
        found: Mapping[str, Any] = self.run.manifest["sweep"]
        return found

    @property
    def timings(self) -> Mapping[str, Any]:
        return self.run.timings[0] if self.run.timings else {}

    @property
    def k(self) -> int:
        return int(self.run.manifest["k"])

    def metric(self, name: str) -> float | None:
        """A mean such as `recall@5` or `mrr`, None where no question has a value."""
        found = self.run.manifest["metrics"].get(name)
        value: float | None = found["value"] if found else None
        return value

    def budget(self, tokens: int) -> float | None:
        """Evidence recall inside that many tokens of context."""
        value: float | None = self.figures["budgets"][str(tokens)]
        return value

    @property
    def accuracy(self) -> float | None:
        """The share of right live answers, None where none were made."""
        live = (self.run.manifest.get("answers") or {}).get("live")
        value: float | None = live.get("value") if live else None
        return value


@dataclass(frozen=True)
class Table:
    """`rows` begin with the configuration in use. `by` says what rows are chosen by, `budget` its tokens, None for recall@k.

    `winners` maps a model to the row that wins among its rows; `winner` is the best of them, None where the configuration in
    use is not beaten.
    """

    rows: tuple[Row, ...]
    by: str
    winner: Row | None
    winners: Mapping[str, Row]
    unusable: tuple[Unusable, ...] = ()
    budget: int | None = None

    @property
    def current(self) -> Row:
        return self.rows[0]

    @property
    def budgets(self) -> tuple[int, ...]:
        """The budgets of tokens that are shown, the one that decides among them."""
        return tuple(sorted({*SHOWN_BUDGETS, *((self.budget,) if self.budget else ())}))

    @property
    def at(self) -> str:
        """What stands for k in a title over all rows: `5`, or `k` where they differ in it."""
        k = self.current.k
        return str(k) if all(row.k == k for row in self.rows) else "k"

    def row(self, name: str) -> Row | None:
        return next((row for row in self.rows if row.name == name), None)


def table_of(
    trials: Sequence[tuple[Candidate, Run]], unusable: Sequence[Unusable] = (), *, against: Comparing = versus
) -> Table:
    """The table of trials, the first of which is the configuration in use. Raises ValueError without any.

    `against` is what compares two runs: one that remembers, where a table is made again with each row that comes.
    """
    if not trials:
        raise ValueError("a table needs the configuration in use")
    (candidate, current), *others = trials
    compared = adjusted([against(current, run) for _, run in others])
    first = Row(candidate, current)
    rows = [first, *(Row(one, run, found) for (one, run), found in zip(others, compared, strict=True))]
    goal = _goal(rows)
    rows = _with_inside(rows, goal)
    rows = [_noted(row, first, goal) for row in rows]
    rows = [_marked(row, rows, goal) for row in rows]
    best: dict[str, Row] = {}
    for row in sorted((row for row in rows if not row.barred), key=goal.order):
        best.setdefault(row.candidate.config.embedding.model, row)
    top = min(best.values(), key=goal.order, default=None)
    beaten = top is not None and top.versus is not None and goal.value(top) > goal.value(rows[0])
    return Table(tuple(rows), goal.name, top if beaten else None, best, tuple(unusable), goal.budget)


class _Goal(NamedTuple):
    """What rows are chosen by: evidence inside a budget of tokens, or recall@k where it is None."""

    budget: int | None
    k: int

    @property
    def name(self) -> str:
        return f"recall@{self.k}" if self.budget is None else f"recall in {self.budget:,} tokens"

    def value(self, row: Row) -> float:
        """Higher is better; -1 where nothing was measured."""
        value = row.metric(f"recall@{row.k}") if self.budget is None else row.budget(self.budget)
        return -1.0 if value is None else value

    def found(self, row: Row) -> tuple[float, float]:
        """What a row finds: its value, and how high it ranks that."""
        mrr = row.metric("mrr")
        return self.value(row), -1.0 if mrr is None else mrr

    def order(self, row: Row) -> tuple[Any, ...]:
        """Smaller is better: found most, the configuration in use before its equals, ranked best, cheapest."""
        value, mrr = self.found(row)
        return -value, row.versus is not None, -mrr, *_cost(row), row.name


def _goal(rows: Sequence[Row]) -> _Goal:
    """Where chunks differ, an equal budget of tokens, the one nearest to what goes into the prompt today: equal k would favour
    large chunks. Else recall@k."""
    current = rows[0]
    cut = current.candidate.config.chunking
    if all(row.candidate.config.chunking == cut and row.k == current.k for row in rows):
        return _Goal(None, current.k)
    tokens = current.run.manifest.get("context_tokens") or 1000.0
    return _Goal(min(BUDGETS, key=lambda budget: (abs(math.log(budget / tokens)), budget)), current.k)


def _with_inside(rows: Sequence[Row], goal: _Goal) -> list[Row]:
    first, *others = rows
    if goal.budget is None:
        return list(rows)
    found = [in_tokens(row.versus, first.run, row.run, goal.budget) for row in others if row.versus is not None]
    return [first, *(dataclasses.replace(row, inside=one) for row, one in zip(others, adjusted(found), strict=True))]


def _cost(row: Row) -> tuple[int, int, float]:
    """What a configuration costs, whatever the machine: texts to embed, pairs to rerank, tokens in the prompt."""
    retrieval = row.candidate.config.retrieval
    return row.figures["texts"], retrieval.pool if retrieval.rerank else 0, row.run.manifest.get("context_tokens") or 0.0


def _marked(row: Row, rows: Sequence[Row], goal: _Goal) -> Row:
    """`row` with the first other one that finds no less, costs no more, and is better in one of both."""
    ours = *goal.found(row), *(-cost for cost in _cost(row))
    for other in rows:
        theirs = *goal.found(other), *(-cost for cost in _cost(other))
        if not other.barred and theirs != ours and all(a >= b for a, b in zip(theirs, ours, strict=True)):
            return dataclasses.replace(row, dominated=other.name)
    return row


def _noted(row: Row, current: Row, goal: _Goal) -> Row:
    notes = []
    barred = False
    if row.figures["unembedded"] > MOST_UNEMBEDDED:
        barred = True
        notes.append(f"{row.figures['unembedded']:.0%} of its tokens are beyond the encoder's window: never wins")
    if failed := not_measured(row.run):
        barred = True
        notes.append(f"{failed}: never wins")
    if goal.budget is not None and (coarse := row.figures["coarse"]):
        notes.append(f"{coarse} with coarse labels: chunk sizes cannot be compared on them")
    if goal.budget in row.figures["short"]:
        notes.append(f"its pool does not fill the {goal.budget:,} tokens that decide: a larger one might find more")
    elif row.figures["short"]:
        notes.append(f"its pool does not fill {row.figures['short'][0]:,} tokens")
    if _counted(row) != _counted(current):
        notes.append("its sizes and budgets are in tokens of another model: not quite as much text")
    if _answers_lost(row, current, goal):
        notes.append("retrieves more and answers worse")
    return dataclasses.replace(row, notes=tuple(notes), barred=barred)


def _counted(row: Row) -> str:
    """The model by whose tokens sizes are counted."""
    embedding = row.candidate.config.embedding
    return embedding.tokenizer or (embedding.model if embedding.provider == "local" else EmbeddingConfig().model)


def _answers_lost(row: Row, current: Row, goal: _Goal) -> bool:
    if row.accuracy is None or current.accuracy is None:
        return False
    return goal.value(row) > goal.value(current) and row.accuracy < current.accuracy

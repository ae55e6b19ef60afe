"""The table of a sweep: a row a configuration, compared with the one in use, dominated ones marked, a winner chosen.

Pure: the same trials give the same table.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from ragtriage.chunking.strategies import spec_of_config
from ragtriage.config import Config, EmbeddingConfig
from ragtriage.experiments.failures import not_measured
from ragtriage.experiments.figures import BUDGETS, SHOWN_BUDGETS
from ragtriage.experiments.grid import Candidate, Unusable
from ragtriage.experiments.versus import Versus, adjusted, in_tokens, is_loss, versus
from ragtriage.measure.results import Run

__all__ = ["MOST_UNEMBEDDED", "Comparing", "Row", "Table", "cut_alike", "not_filled", "table_of"]

Comparing = Callable[[Run, Run], Versus]

MOST_UNEMBEDDED = 0.05
"""A configuration of which the encoder leaves out a larger share of the tokens never wins."""


@dataclass(frozen=True)
class Row:
    """One configuration and its trial. `versus` is None for the configuration in use.

    `inside` is the same comparison by what rows are chosen by, where that is a budget of tokens; None where it is recall@k.
    `notes` say what a reader must know before trusting the row; `barred` that it never wins. `dominated` names a row that
    costs no more and finds no less, and is better in one of both. What it finds is what rows are chosen by and recall at its
    own k, what it costs also the tokens that it sends: of two rows that differ in k alone, neither dominates but where the
    larger k finds nothing.
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

    @property
    def sent(self) -> float | None:
        """Tokens of context that go into a prompt, in the mean; None where nothing was measured."""
        tokens: float | None = self.run.manifest.get("context_tokens")
        return tokens

    @property
    def loses(self) -> bool:
        """Whether it is a loss at its own k against the configuration in use: such a row is never chosen over that."""
        return self.versus is not None and is_loss(self.versus)

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
        return str(self.current.k) if self.one_k else "k"

    @property
    def one_k(self) -> bool:
        """Whether all rows send the same number of passages."""
        return all(row.k == self.current.k for row in self.rows)

    def in_use(self, config: Config) -> Row | None:
        """The row that retrieves as `config` does, None where there is none."""
        identity = Candidate(config, {}, "").identity
        return next((row for row in self.rows if row.candidate.identity == identity), None)

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
    sized = any(_spec(row) != _spec(first) for row in rows)
    rows = [_noted(row, first, goal, sized=sized) for row in rows]
    rows = [_marked(row, rows, goal) for row in rows]
    best: dict[str, Row] = {}
    for row in sorted((row for row in rows if not row.barred), key=goal.order):
        best.setdefault(row.candidate.config.embedding.model, row)
    top = min(best.values(), key=goal.order, default=None)
    beaten = top is not None and top.versus is not None and not top.loses and goal.value(top) > goal.value(rows[0])
    return Table(tuple(rows), goal.name, top if beaten else None, best, tuple(unusable), goal.budget)


def cut_alike(one: Row, other: Row) -> bool:
    """Whether two rows have the same passages, so that their recall at k says the same of both."""
    ours, theirs = one.candidate.config.chunking, other.candidate.config.chunking
    return _spec(one) == _spec(other) and ours.heading_prefix == theirs.heading_prefix


def _spec(row: Row) -> str:
    return spec_of_config(row.candidate.config.chunking)


def not_filled(row: Row, budgets: Sequence[int]) -> str:
    """Which of these budgets the pool of a row does not fill, as a note; empty: none of them."""
    short = [f"{budget:,}" for budget in budgets if budget in row.figures["short"]]
    return f"its pool does not fill {' or '.join(short)} tokens: a larger one might find more" if short else ""


class _Goal(NamedTuple):
    """What rows are chosen by: evidence inside a budget of tokens, or recall at each row's own k where it is None."""

    budget: int | None
    at: str

    @property
    def name(self) -> str:
        return f"recall@{self.at}" if self.budget is None else f"recall in {self.budget:,} tokens"

    def value(self, row: Row) -> float:
        """Higher is better; -1 where nothing was measured."""
        return _known(row.metric(f"recall@{row.k}") if self.budget is None else row.budget(self.budget))

    def found(self, row: Row) -> tuple[float, float, float]:
        """What a row finds: its value, what is in the passages that it sends, and how high it ranks that.

        Inside a budget nothing depends on k; what a row sends does.
        """
        return self.value(row), _known(row.metric(f"recall@{row.k}")), _known(row.metric("mrr"))

    def order(self, row: Row) -> tuple[Any, ...]:
        """Smaller is better: no loss at k, found most, the configuration in use before its equals, ranked best, cheapest."""
        value, *others = self.found(row)
        return row.loses, -value, row.versus is not None, *(-other for other in others), *_cost(row), row.name


def _known(value: float | None) -> float:
    return -1.0 if value is None else value


def _goal(rows: Sequence[Row]) -> _Goal:
    """Where passages differ, an equal budget of tokens, the one nearest to what goes into the prompt today: equal k would
    favour large ones. Else recall at each row's own k: what a budget holds would be the same whatever k is."""
    current = rows[0]
    at = str(current.k) if all(row.k == current.k for row in rows) else "k"
    if all(cut_alike(row, current) for row in rows):
        return _Goal(None, at)
    tokens = current.sent or 1000.0
    return _Goal(min(BUDGETS, key=lambda budget: (abs(math.log(budget / tokens)), budget)), at)


def _with_inside(rows: Sequence[Row], goal: _Goal) -> list[Row]:
    first, *others = rows
    if goal.budget is None:
        return list(rows)
    found = [in_tokens(row.versus, first.run, row.run, goal.budget) for row in others if row.versus is not None]
    return [first, *(dataclasses.replace(row, inside=one) for row, one in zip(others, adjusted(found), strict=True))]


def _cost(row: Row) -> tuple[int, int, float]:
    """What a configuration costs, whatever the machine: texts to embed, pairs to rerank, tokens in the prompt."""
    retrieval = row.candidate.config.retrieval
    return row.figures["texts"], retrieval.pool if retrieval.rerank else 0, row.sent or 0.0


def _marked(row: Row, rows: Sequence[Row], goal: _Goal) -> Row:
    """`row` with the first other one that finds no less, costs no more, and is better in one of both. What is no loss at k is
    not dominated by what is."""
    ours = *goal.found(row), *(-cost for cost in _cost(row))
    for other in rows:
        theirs = *goal.found(other), *(-cost for cost in _cost(other))
        if other.barred or (other.loses and not row.loses):
            continue
        if theirs != ours and all(a >= b for a, b in zip(theirs, ours, strict=True)):
            return dataclasses.replace(row, dominated=other.name)
    return row


def _noted(row: Row, current: Row, goal: _Goal, *, sized: bool) -> Row:
    notes = []
    barred = False
    if row.figures["unembedded"] > MOST_UNEMBEDDED:
        barred = True
        notes.append(f"{row.figures['unembedded']:.0%} of its tokens are beyond the encoder's window: never wins")
    if failed := not_measured(row.run):
        barred = True
        notes.append(f"{failed}: never wins")
    if goal.value(row) > goal.value(current) and row.versus is not None and row.loses:
        flips = f"{len(row.versus.won)} won, {len(row.versus.lost)} lost"
        notes.append(f"finds more by {goal.name} and is a loss at its own k ({flips}): not chosen")
    if sized and (coarse := row.figures["coarse"]):
        notes.append(f"{coarse} with coarse labels: chunk sizes cannot be compared on them")
    if goal.budget in row.figures["short"]:
        notes.append(f"its pool does not fill the {goal.budget:,} tokens that decide: a larger one might find more")
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

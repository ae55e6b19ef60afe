"""The winner of a sweep on the questions that were kept aside: once, and logged.

Of many configurations the best on the dev questions is partly the luckiest. The holdout, which chose nothing, tells how much
of the win is left; looking twice would make it part of the choice.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from ragtriage.experiments.table import Row, Table
from ragtriage.experiments.trial import Trials
from ragtriage.experiments.versus import Versus, in_tokens, versus
from ragtriage.measure.holdout_log import log_look, looks_by
from ragtriage.measure.results import Run
from ragtriage.project import Project
from ragtriage.types import Progress, no_progress

__all__ = ["Confirmed", "confirm", "seen"]


@dataclass(frozen=True, slots=True)
class Confirmed:
    """The configuration in use and the winner on the holdout, compared by what the winner was chosen by: `budget` is that of
    the table. `again`: they had been looked at before. `look` counts the winners that sweeps have looked at, up to this one."""

    current: Run
    winner: Run
    versus: Versus
    again: bool
    budget: int | None = None
    look: int = 1

    @property
    def holds(self) -> bool:
        """Whether the winner finds more there, too. A small holdout says little either way: see the interval."""
        return (self.versus.change or 0.0) > 0

    @property
    def chance(self) -> bool:
        """Whether the interval of the change holds none: then the holdout confirms nothing."""
        low, high = self.versus.low, self.versus.high
        return low is None or high is None or low <= 0 <= high


def confirm(project: Project, table: Table, *, progress: Progress = no_progress) -> Confirmed | None:
    """Measure the winner of `table` and the configuration in use on the holdout; None without a winner or a holdout.

    The same pair on the same questions is measured once and remembered. A look that the log lacks is logged, also where it was
    measured by somebody who was killed before that. Raises what `evaluate` raises.
    """
    if table.winner is None or not _tells(project):
        return None
    logged = _logged(project)
    current = _measured(project, table.current, progress)
    if current.id not in logged.runs:
        log_look(project, current, "sweep")
    winner = _measured(project, table.winner, progress)
    if winner.id not in logged.winners:
        log_look(project, winner, "sweep", against=current.id)
    return _confirmed(table, current, winner, logged)


def seen(project: Project, table: Table) -> Confirmed | None:
    """What `confirm` found when it was asked; None where nobody has looked. Nothing is measured or written."""
    if table.winner is None or not _tells(project):
        return None
    logged = _logged(project)
    current, winner = (_known(project, row) for row in (table.current, table.winner))
    if current is None or winner is None or not {current.id, winner.id} <= logged.runs:
        return None
    return _confirmed(table, current, winner, logged)


class _Logged(NamedTuple):
    """What sweeps have looked at: the ids of all trials, and those of the winners in their order."""

    runs: frozenset[str]
    winners: tuple[str, ...]


def _logged(project: Project) -> _Logged:
    looks = [(str(look.get("rev")), look.get("against")) for look in looks_by(project, "sweep")]
    return _Logged(frozenset(rev for rev, _ in looks), tuple(dict.fromkeys(rev for rev, against in looks if against)))


def _tells(project: Project) -> bool:
    """Whether a question is kept aside that retrieval can be measured on."""
    return any(
        question.split == "holdout" and not question.obsolete and question.answerable and question.labelled
        for question in project.golden.questions
    )


def _known(project: Project, row: Row) -> Run | None:
    variant = project.variant(row.candidate.config)
    try:
        return Trials(project).find(variant, split="holdout")
    finally:
        variant.close()


def _measured(project: Project, row: Row, progress: Progress) -> Run:
    variant = project.variant(row.candidate.config)
    trials = Trials(project)
    try:
        return trials.find(variant, split="holdout") or trials.make(variant, split="holdout", progress=progress)
    finally:
        variant.close()


def _confirmed(table: Table, current: Run, winner: Run, logged: _Logged) -> Confirmed:
    found = versus(current, winner)
    if table.budget is not None:
        found = in_tokens(found, current, winner, table.budget)
    winners = (*logged.winners, winner.id)
    again = {current.id, winner.id} <= logged.runs
    return Confirmed(current, winner, found, again, table.budget, winners.index(winner.id) + 1)

"""The winner of a sweep on the questions that were kept aside: once, and logged.

Of many configurations the best on the dev questions is partly the luckiest. The holdout, which chose nothing, tells how much
of the win is left; looking twice would make it part of the choice.
"""

from __future__ import annotations

from dataclasses import dataclass

from ragtriage.experiments.table import Table
from ragtriage.experiments.trial import Trials
from ragtriage.experiments.versus import Versus, in_tokens, versus
from ragtriage.measure.holdout_log import log_look
from ragtriage.measure.results import Run
from ragtriage.project import Project
from ragtriage.types import Progress, no_progress

__all__ = ["Confirmed", "confirm"]


@dataclass(frozen=True, slots=True)
class Confirmed:
    """The configuration in use and the winner on the holdout, compared by what the winner was chosen by: `budget` is that of
    the table. `again`: they had been looked at before."""

    current: Run
    winner: Run
    versus: Versus
    again: bool
    budget: int | None = None

    @property
    def holds(self) -> bool:
        """Whether the winner finds more there, too. A small holdout says little either way: see the interval."""
        return (self.versus.change or 0.0) > 0


def confirm(project: Project, table: Table, *, progress: Progress = no_progress) -> Confirmed | None:
    """Measure the winner of `table` and the configuration in use on the holdout; None without a winner or a holdout.

    The same pair on the same questions is measured once and remembered. Raises what `evaluate` raises.
    """
    holdout = [question for question in project.golden.questions if question.split == "holdout" and not question.obsolete]
    if table.winner is None or not any(question.answerable and question.labelled for question in holdout):
        return None
    trials = Trials(project)
    runs = []
    seen = []
    for row in (table.current, table.winner):
        variant = project.variant(row.candidate.config)
        try:
            known = trials.find(variant, split="holdout")
            runs.append(known or trials.make(variant, split="holdout", progress=progress))
        finally:
            variant.close()
        seen.append(known is not None)
        if known is None:
            log_look(project, runs[-1], "sweep")
    found = versus(*runs)
    if table.budget is not None:
        found = in_tokens(found, runs[0], runs[1], table.budget)
    return Confirmed(runs[0], runs[1], found, all(seen), table.budget)

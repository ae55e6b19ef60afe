"""Many configurations, one golden set: every trial made once, every text embedded once, the early rows told as they come.

Whatever stops a sweep, what it measured is kept: the same sweep goes on where it was.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import groupby
from typing import NamedTuple

from ragtriage.chunking.tokens import RememberedTokens
from ragtriage.errors import UsageError
from ragtriage.experiments.available import must_be_there
from ragtriage.experiments.embedded_only import must_be_embedded
from ragtriage.experiments.grid import Candidate, Grid, Unusable, candidates, chunked_alike, name_of
from ragtriage.experiments.refine import refined
from ragtriage.experiments.table import Table, table_of
from ragtriage.experiments.trial import Trials
from ragtriage.measure.answering import AnswersMode
from ragtriage.measure.results import Run
from ragtriage.project import Project
from ragtriage.remote.estimate import Agree
from ragtriage.types import Progress, no_progress

__all__ = ["Plan", "Swept", "plan", "sweep"]

Trial = tuple[Candidate, Run]

_TOGETHER = 1024
"""So many texts embed as fast as any number: they are sorted by length in blocks of 512."""


class Plan(NamedTuple):
    """What a sweep will try: the configuration in use first. `unusable` combinations cannot be."""

    candidates: tuple[Candidate, ...]
    unusable: tuple[Unusable, ...]


class Swept(NamedTuple):
    """A trial as it came, the `place`th of `total`. `found`: it had been made before."""

    candidate: Candidate
    run: Run
    place: int
    total: int
    found: bool


def plan(project: Project, grid: Grid) -> Plan:
    """The configurations of a grid. Raises UsageError where there is nothing to compare with the one in use, ConfigError where
    models or rerankers that it names are not there."""
    must_be_embedded(project, "a sweep")
    others, unusable = candidates(project.config, grid)
    if not others:
        why = f": {unusable[0].reason}" if unusable else ""
        raise UsageError(f"no configuration of the grid differs from the one in use{why}")
    own = Candidate(project.config, {}, name_of(project.config, project.config, grid.values))
    must_be_there(project, (one.config for one in (own, *others)))
    return Plan((own, *others), tuple(unusable))


def sweep(
    project: Project,
    grid: Grid,
    *,
    answers: AnswersMode = "none",
    ask: Agree | None = None,
    refine: bool = False,
    told: Callable[[Swept], None] | None = None,
    progress: Progress = no_progress,
) -> Table:
    """Measure every configuration of `grid` on the dev questions, the one in use first. `told` is called with each trial.

    With `refine` the values halfway between the winner's and their neighbours are tried as well, or those of the configuration
    in use where nothing beats it. Raises what `evaluate` raises; trials made until then are kept.
    """
    wanted = plan(project, grid)
    runner = _Runner(project, answers, ask, told, progress)
    try:
        made = runner.run(wanted.candidates, ())
        table = table_of(made, wanted.unusable)
        if refine:
            best = (table.winner or table.current).candidate
            finer = refined(project.config, best, grid, [row.candidate for row in table.rows])
            table = table_of(runner.run(finer, made), wanted.unusable)
        return table
    finally:
        runner.close()


class _Runner:
    """Makes the trials of one sweep."""

    def __init__(
        self,
        project: Project,
        answers: AnswersMode,
        ask: Agree | None,
        told: Callable[[Swept], None] | None,
        progress: Progress,
    ) -> None:
        self._project = project
        self._trials = Trials(project)
        self._answers = answers
        self._ask = ask
        self._told = told
        self._progress = progress
        self._keeps_chunks = project.is_cut
        self._tokens = project.tokens
        self._other: Project | None = None
        self._later: list[list[Candidate]] = []
        project.tokens = RememberedTokens(project.tokens)  # a document is tokenised once, however often it is cut

    def run(self, wanted: Sequence[Candidate], before: Sequence[Trial]) -> list[Trial]:
        """`before` and the trials of `wanted`; those that follow each other and share their chunks share one set of indexes."""
        out = list(before)
        total = len(before) + len(wanted)
        groups = [list(together) for _, together in groupby(wanted, key=lambda one: chunked_alike(one.config))]
        for number, together in enumerate(groups):
            origin: Project | None = None
            self._later = groups[number + 1 :]
            try:
                for candidate in together:
                    variant = (origin or self._base(candidate)).variant(candidate.config)
                    origin = origin or variant
                    out.append((candidate, self._trial(candidate, variant, len(out) + 1, total)))
            finally:
                if origin is not None:
                    origin.close()
                if not self._keeps_chunks:  # those of the configuration in use were borrowed; the next ones take their place
                    self._project.forget_chunks()
                if self._other is not None:
                    self._other.forget_chunks()
        return out

    def close(self) -> None:
        """Let go of what was kept for the next trial; the project is as it was."""
        self._project.tokens = self._tokens
        if self._other is not None:
            self._other.close()
            self._other = None

    def _base(self, candidate: Candidate) -> Project:
        """What a variant shares tokens and model with: the project, or of another model the one of the trial before."""
        embedding = candidate.config.embedding
        if embedding == self._project.config.embedding:
            return self._project
        if self._other is None or self._other.config.embedding != embedding:
            if self._other is not None:
                self._other.close()
            self._other = self._project.variant(candidate.config)
            self._other.tokens = RememberedTokens(self._other.tokens)
        return self._other

    def _trial(self, candidate: Candidate, variant: Project, place: int, total: int) -> Run:
        found = self._trials.find(variant, answers=self._answers)

        def within(stage: str, done: int, of: int) -> None:
            self._progress(f"{place} of {total}  {stage}", done, of)

        run = found
        if run is None:
            ahead = self._ahead(variant) if place > 1 else []  # the first row is there as early as it can be
            run = self._trials.make(variant, answers=self._answers, ask=self._ask, ahead=ahead, progress=within)
        if self._told is not None:
            self._told(Swept(candidate, run, place, total, found is not None))
        return run

    def _ahead(self, variant: Project) -> list[str]:
        """Texts of the configurations that follow, where those of `variant` alone are too few to be embedded fast.

        Only what cuts without a model is looked at. Where the texts of a later one are found now, its cuts are found then.
        """
        if variant.config.retrieval.mode == "bm25" or variant.config.embedding.provider != "local":
            return []
        missing = len(variant.indexes.lacking())
        out: dict[str, None] = {}
        for group in self._later if 0 < missing < _TOGETHER else ():
            config = group[0].config
            if config.embedding != variant.config.embedding or config.chunking.strategy == "semantic":
                continue
            if all(one.config.retrieval.mode == "bm25" for one in group):
                continue
            other = self._base(group[0]).variant(next(one for one in group if one.config.retrieval.mode != "bm25").config)
            try:
                out |= dict.fromkeys(other.indexes.lacking())
            finally:
                other.close()
            if missing + len(out) >= _TOGETHER:
                break
        return list(out)

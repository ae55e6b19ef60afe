"""What would have found it: the rank of a lost question's evidence under each single lever, and what else the lever does.

Every lever is a trial over all dev questions, stored like those of a sweep, so that the second look costs nothing, and that a
lever which mends one question is never shown without those that it breaks.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Sequence
from typing import NamedTuple

from ragtriage.chunking.tokens import RememberedTokens
from ragtriage.errors import ConfigError, EncoderFailed, Untrusted, UsageError
from ragtriage.experiments.embedded_only import must_be_embedded
from ragtriage.experiments.failures import not_measured
from ragtriage.experiments.kept import newest_trials
from ragtriage.experiments.levers import Lever, levers
from ragtriage.experiments.trial import Trials
from ragtriage.experiments.versus import Versus, versus
from ragtriage.measure.results import QuestionResult, Run
from ragtriage.project import Project
from ragtriage.types import Progress, no_progress

__all__ = ["Cost", "Tried", "WhatIf", "cheapest", "in_order_for", "most_mending", "what_if"]


class Cost(NamedTuple):
    """What using a lever costs: `texts` that would have to be embedded now, `all_texts` of its whole index where that is
    another one, and `pairs` that a question has reranked."""

    texts: int
    all_texts: int
    pairs: int


class Tried(NamedTuple):
    """A lever and what it did. `run` is None where it was not tried: `cost.texts` have to be embedded first, or `reason`.
    With a run `reason` says that it lacks questions, none of which count as mended or broken.

    `versus` compares it with the configuration in use over all dev questions.
    """

    lever: Lever
    cost: Cost
    run: Run | None
    versus: Versus | None
    reason: str = ""

    def result(self, qid: str) -> QuestionResult | None:
        return self.run.get(qid) if self.run is not None else None

    def finds(self, qid: str) -> bool:
        """Whether what the question needs is inside k."""
        result = self.result(qid)
        return result is not None and result.status == "found"


class WhatIf(NamedTuple):
    """The configuration in use and every lever beside it, in the order of `levers`."""

    current: Run
    tried: tuple[Tried, ...]

    @property
    def lost(self) -> tuple[QuestionResult, ...]:
        """The questions whose evidence is not inside k today."""
        return tuple(question for question in self.current.questions if question.status in ("partly", "missed"))


def what_if(
    project: Project,
    *,
    embed: bool | Container[str] = False,
    models: Sequence[str] = (),
    rerankers: Sequence[str] = (),
    told: Callable[[Tried, int, int], None] | None = None,
    progress: Progress = no_progress,
) -> WhatIf:
    """Try every lever. Without `embed` those that need the model are only said, with what they would cost; `embed` may also
    name levers for which texts are embedded.

    `told` is called with each, its place and how many there are. Raises what `evaluate` raises of the configuration in use;
    a lever that cannot be tried says why.
    """
    must_be_embedded(project, "what-if")
    trials = Trials(project)
    tokens, project.tokens = project.tokens, RememberedTokens(project.tokens)
    out: list[Tried] = []
    try:
        current = trials.find(project) or trials.make(project, progress=progress)
        wanted = levers(project.config, models=models, rerankers=rerankers)
        for place, lever in enumerate(wanted, 1):
            variant = project.variant(lever.candidate.config)
            try:
                may = embed if isinstance(embed, bool) else lever.name in embed
                tried = _try(lever, variant, project, current, trials, embed=may, progress=progress)
            except (ConfigError, EncoderFailed, Untrusted) as error:
                tried = Tried(lever, Cost(0, 0, 0), None, None, str(error).splitlines()[0])
            finally:
                variant.close()
            out.append(tried)
            if told is not None:
                told(tried, place, len(wanted))
    finally:
        project.tokens = tokens
    made = {current.id, *(tried.run.id for tried in out if tried.run is not None)}
    trials.prune(made | newest_trials(project))
    return WhatIf(current, tuple(out))


def cheapest(found: WhatIf, qid: str) -> Tried | None:
    """The lever that brings a question inside k at the least cost: texts to embed, then pairs to rerank, then fewest broken.

    Raises UsageError for a question that was not measured.
    """
    if found.current.get(qid) is None:
        raise UsageError(f"{qid}: not among the questions that were measured")
    able = [tried for tried in found.tried if tried.finds(qid)]
    return min(able, key=_expense, default=None)


def in_order_for(found: WhatIf, qid: str) -> list[Tried]:
    """All levers: those that bring the question inside k, the cheapest first, then the others as they were tried."""
    able = sorted((tried for tried in found.tried if tried.finds(qid)), key=_expense)
    return [*able, *(tried for tried in found.tried if not tried.finds(qid))]


def most_mending(found: WhatIf) -> list[Tried]:
    """The levers that were tried, the one that mends most first; of equals the one that breaks fewest, then the cheapest."""
    able = [tried for tried in found.tried if tried.versus is not None]
    return sorted(able, key=lambda tried: (-len(_won(tried)), *_expense(tried)))


def _try(
    lever: Lever, variant: Project, project: Project, current: Run, trials: Trials, *, embed: bool, progress: Progress
) -> Tried:
    run = trials.find(variant)
    if run is None:
        recut = variant.config.chunking.strategy == "semantic" and variant.config.embedding != project.config.embedding
        if recut and not embed:  # cutting alone would embed every sentence
            return Tried(lever, Cost(0, 0, 0), None, None, "--embed: its sentences decide the cuts")
        missing = variant.system.missing()
        if missing and not embed:
            return Tried(lever, _cost(variant, project, missing), None, None)
        run = trials.make(variant, progress=progress)
    return Tried(lever, _cost(variant, project, 0), run, versus(current, run), not_measured(run))


def _cost(variant: Project, project: Project, missing: int) -> Cost:
    retrieval = variant.config.retrieval
    recut = variant.config.chunking != project.config.chunking or variant.config.embedding != project.config.embedding
    whole = len(variant.chunks.units) if recut and retrieval.mode != "bm25" else 0
    return Cost(missing, whole, retrieval.pool if retrieval.rerank else 0)


def _won(tried: Tried) -> tuple[str, ...]:
    return tried.versus.won if tried.versus is not None else ()


def _expense(tried: Tried) -> tuple[int, int, int, int]:
    lost = len(tried.versus.lost) if tried.versus is not None else 0
    return tried.cost.all_texts, tried.cost.pairs, lost, len(tried.lever.candidate.settings)

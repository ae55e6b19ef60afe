"""A review: two revisions of a project measured over the head's golden set, and compared."""

from __future__ import annotations

import contextlib
import dataclasses
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from typing import TYPE_CHECKING

from ragtriage.compare.chunks import chunk_table
from ragtriage.compare.comparison import Comparison, Flip, compare
from ragtriage.compare.document import with_significance
from ragtriage.config import Config
from ragtriage.errors import UsageError
from ragtriage.gate.columns import GoldenFacts, gate_inputs
from ragtriage.gate.decision import gate
from ragtriage.gate.gone import with_gone
from ragtriage.gate.results import Gate
from ragtriage.gate.settings import gate_settings
from ragtriage.gate.words import bad_lines
from ragtriage.git import Repository
from ragtriage.measure.evaluate import select
from ragtriage.project import Project
from ragtriage.review.decisions import Decision, decisions_on, needs_review
from ragtriage.review.differences import Differences, differences, label_changes
from ragtriage.revisions.measuring import Asking, measure_revision, measure_side, measure_working_tree
from ragtriage.revisions.naming import Revision, default_base, named, working_tree
from ragtriage.revisions.side import opened
from ragtriage.types import Progress, no_progress

if TYPE_CHECKING:
    from ragtriage.golden.base import GoldenSet

__all__ = ["Review", "decided", "review"]


@dataclass(frozen=True)
class Review:
    """Both sides and what came of them. `encoded` counts the texts that were embedded for it.

    `decisions` are what people said about the flips that need a word, by qid. `notes` are worth knowing, `incomplete` says why
    the figures of a side cannot be relied on. `golden` is the head's golden set, which both sides were measured over; `gate` is
    what the head's `[gate]` comes to for retrieval.
    """

    base: Revision
    head: Revision
    comparison: Comparison
    differences: Differences
    decisions: Mapping[str, Decision]
    golden: GoldenSet
    gate: Gate
    encoded: int
    notes: tuple[str, ...] = ()
    incomplete: tuple[str, ...] = ()

    @property
    def to_review(self) -> tuple[Flip, ...]:
        return tuple(flip for flip in self.comparison.flips if needs_review(flip))

    @property
    def reviewed(self) -> int:
        """How many of `to_review` somebody has spoken about."""
        return sum(decision.reviewed for decision in self.decisions.values())

    @property
    def moved(self) -> tuple[Flip, ...]:
        return tuple(flip for flip in self.comparison.flips if not needs_review(flip))


def review(
    project: Project,
    base: str | None = None,
    head: str | None = None,
    *,
    overrides: Sequence[str] = (),
    asking: Asking | None = None,
    store: bool = True,
    today: date | None = None,
    progress: Progress = no_progress,
) -> Review:
    """Measure both sides and compare them. `base` None is the merge base with the default branch, `head` None the working tree.

    `store` keeps the working tree's run among the project's. Stages of `progress` begin with the side: `head: embed`. Nothing
    else of the repository is written, and nothing that only an older revision asks for is run. Raises the errors of reading,
    UsageError where git does not have what is asked for.
    """
    asking = asking or Asking()
    repository = Repository.of(project.root)
    after = working_tree(repository) if head is None else named(repository, head)
    before = default_base(repository, after) if base is None else named(repository, base)
    with _told_of("head", project, progress) as told:
        if after.working:
            golden, config = project.golden, project.config
            _need_questions(project, golden, str(project.golden_path), asking)
            measured_head = measure_working_tree(project, repository, after, asking, store=store, progress=told)
        else:
            with opened(project, repository, after, overrides=overrides) as side:
                golden, config = side.project.golden, side.project.config
                _need_questions(project, golden, f"{after.label}:{config.golden.path}", asking)
                measured_head = measure_side(side, asking, progress=told)
    with _told_of("base", project, progress) as told:
        measured_base = measure_revision(project, repository, before, asking, golden=golden, overrides=overrides, progress=told)
    labels = label_changes(measured_base.own_golden, golden) if measured_base.own_golden is not None else None
    tables = chunk_table(measured_base.run, project.cache), chunk_table(measured_head.run, project.cache)
    found = compare(measured_base.run, measured_head.run, base_chunks=tables[0], head_chunks=tables[1])
    removed = labels.removed if labels is not None else ()
    comparison = dataclasses.replace(with_significance(found), apart=found.apart._replace(removed=removed))
    notes = [] if labels is not None else ["the base has no golden set of its own: every question is compared"]
    incomplete = tuple(dict.fromkeys(filter(None, (measured_base.incomplete, measured_head.incomplete))))
    made = Review(
        base=before,
        head=after,
        comparison=comparison,
        differences=differences(measured_base.run, measured_head.run, *tables, labels),
        decisions={},
        golden=golden,
        gate=_gated(comparison, config, golden, incomplete),
        encoded=measured_base.encoded + measured_head.encoded,
        notes=tuple(dict.fromkeys([*notes, *measured_base.notes, *measured_head.notes])),
        incomplete=incomplete,
    )
    return decided(made, project, today=today)


def decided(found: Review, project: Project, *, today: date | None = None) -> Review:
    """The review with the decisions that stand now."""
    current = project.verdicts.current()
    return dataclasses.replace(found, decisions=decisions_on(found.comparison.flips, current, today=today or date.today()))


def _need_questions(project: Project, golden: GoldenSet, shown: str, asking: Asking) -> None:
    """Raise UsageError where there is nothing to compare, before anything is measured or stored."""
    if not select(golden.questions, split=asking.split):
        how = "" if project.beir or golden.questions else ': ragtriage add "a question as a user wrote it"'
        raise UsageError(f"{shown}: there is no question to measure{how}")


@contextlib.contextmanager
def _told_of(side: str, project: Project, progress: Progress) -> Iterator[Progress]:
    """A progress whose stages say which side is being measured, as those of the project's own do meanwhile: `head: embed`."""

    def of_side(told: Progress) -> Progress:
        return lambda stage, done, total: told(f"{side}: {stage}", done, total)

    before = project.progress
    project.progress = of_side(before)
    try:
        yield of_side(progress)
    finally:
        project.progress = before


def _gated(comparison: Comparison, config: Config, golden: GoldenSet, incomplete: Sequence[str]) -> Gate:
    facts = GoldenFacts(tags={question.qid: question.tags for question in golden.questions})
    unusable = [*incomplete]
    if bad := sum(problem.severity == "error" for problem in golden.problems):
        unusable.append(bad_lines(config.golden.path, bad))
    return with_gone(gate(gate_inputs(comparison, gate_settings(config.gate), facts=facts, unusable=unusable)), comparison)

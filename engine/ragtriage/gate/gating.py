"""A project's gate from end to end: measure the head, find the base, compare, decide. What commands and pytest call."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, NamedTuple

from ragtriage.answers.calibration import Calibration
from ragtriage.compare.comparison import Comparison, compare
from ragtriage.errors import GoldenError, StorageError, UsageError
from ragtriage.gate.baseline import Baseline, Stamp
from ragtriage.gate.baseline_file import load_baseline, save_baseline
from ragtriage.gate.baseline_update import Proposal, improved, propose
from ragtriage.gate.columns import GoldenFacts, gate_inputs
from ragtriage.gate.decision import gate
from ragtriage.gate.gone import with_gone
from ragtriage.gate.results import Gate
from ragtriage.gate.settings import GateSettings, gate_settings
from ragtriage.gate.words import bad_lines
from ragtriage.measure.evaluate import evaluate, select
from ragtriage.measure.named_runs import BASELINE
from ragtriage.measure.results import Run
from ragtriage.measure.runs import names_a_run
from ragtriage.project import Project
from ragtriage.remote.estimate import Agree
from ragtriage.types import Progress, no_progress

__all__ = ["Gating", "Head", "gate_against", "golden_facts", "measured_head", "ratchet", "set_baseline"]


class Head(NamedTuple):
    """How the head is measured: who is asked before a model is (nobody: known replies alone), whether the run is stored."""

    ask: Agree | None = None
    ask_judge: Agree | None = None
    store: bool = True
    progress: Progress = no_progress


class _Base(NamedTuple):
    run: Run
    name: str
    about: dict[str, Any]
    incomplete: str = ""
    notes: tuple[str, ...] = ()
    baseline: Baseline | None = None


@dataclass(frozen=True)
class Gating:
    """A gate that was held. `base_name` says what it was against, `about` the same for JSON; `baseline` where it is one."""

    gate: Gate
    comparison: Comparison
    base_name: str
    about: dict[str, Any]
    baseline: Baseline | None = None

    @property
    def head(self) -> Run:
        return self.comparison.head


def gate_against(
    project: Project,
    against: str = "baseline",
    *,
    settings: GateSettings | None = None,
    overrides: Sequence[str] = (),
    repeats: Sequence[str] = (),
    head: Head | None = None,
) -> Gating:
    """Measure the project as it is and gate it against `baseline`, a stored run, or a git revision.

    `repeats` are further stored runs of the same head, whose answers a model wrote anew, each another time. `overrides` are
    keys of the command line, which count for a revision too. Raises UsageError, ConfigError, GoldenError, StorageError.
    """
    settings = settings or gate_settings(project.config.gate)
    head = head or Head()
    loaded = _baseline(project) if against == "baseline" else None  # what is wrong with it is said before anything is measured
    again = [project.runs.load(project.runs.find(name).id) for name in repeats]
    measured = project if loaded is not None or names_a_run(against) else _as_committed(project)
    if measured is not project:
        head = head._replace(store=False)  # another corpus than that of `eval`
    run = measured_head(measured, head, answers=settings.answers)
    base = _of_baseline(project, loaded) if loaded is not None else _other(project, against, overrides, settings, head)
    comparison = compare(base.run, run, metrics=())
    left_out = dict.fromkeys([*base.notes, *_absent(project), *_left_out(measured)])
    inputs = gate_inputs(
        comparison,
        settings,
        facts=golden_facts(project),
        calibration=_calibration(project, run) if settings.answers else None,
        repeats=_repeats(again, run),
        unusable=[*_unusable(measured), *([f"the base is not whole: {base.incomplete}."] if base.incomplete else [])],
        notes=[*left_out, *_other_version(base.run, run), *_unread(measured)],
    )
    return Gating(with_gone(gate(inputs), comparison), comparison, base.name, base.about, loaded)


def measured_head(project: Project, head: Head, *, answers: bool = False) -> Run:
    """The run of the project as it is: the newest one of exactly this where nothing in it failed, else measured now."""
    if not select(project.golden.questions):
        how = "" if project.beir or project.golden.questions else ': ragtriage add "a question as a user wrote it"'
        raise UsageError(f"{project.golden_path}: there is no question to measure{how}")
    asks = answers and (project.generator.endpoint is not None or project.judge is not None)
    info = None if asks or project.is_asked_live else project.runs.newest(project.fingerprints())
    if info is not None:
        try:
            run = project.runs.load(info.id)
        except StorageError:  # a damaged run is measured again
            run = None
        if run is not None and all(one.status != "failed" and not one.unanswered and one.identity for one in run.questions):
            return run
    return evaluate(
        project,
        ask=head.ask if answers else None,
        ask_judge=head.ask_judge if answers else None,
        store=head.store,
        progress=head.progress,
    )


def golden_facts(project: Project) -> GoldenFacts:
    """Tags, and which questions are to have a graded answer."""
    from ragtriage.answers.grading import gradable

    judged = project.judge is not None
    questions = project.golden.questions
    return GoldenFacts(
        {question.qid: question.tags for question in questions},
        frozenset(one.qid for one in questions if gradable(one) or (judged and one.expected_answer)),
    )


def set_baseline(project: Project, *, reason: str = "", head: Head | None = None) -> tuple[Proposal, bool]:
    """Set the baseline to the project as it is: what that means, and whether it was written.

    It is not where a gated metric would fall and there is no `reason`, nor where nothing but the date would change. Raises
    UsageError where a line of the golden set cannot be used, StorageError.
    """
    if unusable := _unusable(project):
        raise UsageError(f"{unusable[0]} Nothing was written.")
    old = _baseline(project, must=False)
    run = measured_head(project, head or Head())
    return _propose(project, old, run, reason)


def ratchet(project: Project, gating: Gating) -> tuple[Proposal, bool] | None:
    """Raise the baseline to the head of an *ok* gate that improved beyond noise; None where there is nothing to raise."""
    if gating.baseline is None or gating.gate.outcome != "ok" or not improved(gating.gate):
        return None
    return _propose(project, gating.baseline, gating.head, "")


def _propose(project: Project, old: Baseline | None, run: Run, reason: str) -> tuple[Proposal, bool]:
    settings = [gate_settings(project.config.gate)]
    if project.config.answers.generator != "extractive":  # the stand-in says nothing about a product's answers
        settings.append(gate_settings(project.config.gate, answers=True))
    found = propose(old, run, settings, _stamp(project, reason), facts=golden_facts(project))
    if found.same or (found.needs_reason and not reason):
        return found, False
    save_baseline(project.evals / BASELINE, found.baseline)
    return found, True


def _stamp(project: Project, reason: str) -> Stamp:
    from ragtriage.git import has_changes, run_git

    at = datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
    try:
        commit = run_git(project.root, "rev-parse", "--verify", "--quiet", "HEAD^{commit}")
        changed = has_changes(project.root)
    except UsageError:  # no git
        return Stamp(at, reason=reason)
    if commit.returncode:
        return Stamp(at, reason=reason)
    name = commit.stdout.decode("ascii", "replace").strip()
    return Stamp(at, name, changed, reason)


def _baseline(project: Project, *, must: bool = True) -> Baseline | None:
    path = project.evals / BASELINE
    found = load_baseline(path)
    if found is None and must:
        raise UsageError(f"{path}: there is no baseline yet; `ragtriage baseline update` sets it to what is measured now")
    return found


def _of_baseline(project: Project, baseline: Baseline) -> _Base:
    path = project.evals / BASELINE
    shown = path.relative_to(project.root).as_posix() if path.is_relative_to(project.root) else str(path)
    about = {"baseline": shown, "at": baseline.at, "revision": baseline.revision or None}
    revision = f" at {baseline.revision[:9]}{' and changes' if baseline.modified else ''}" if baseline.revision else ""
    return _Base(baseline.as_run(), f"{shown} of {baseline.at[:10]}{revision}", about, baseline=baseline)


def _other(project: Project, against: str, overrides: Sequence[str], settings: GateSettings, head: Head) -> _Base:
    if names_a_run(against):
        run = project.runs.load(project.runs.find(against).id)
        return _Base(run, f"run {run.id}", {"run": run.id})
    from ragtriage.git import Repository
    from ragtriage.revisions.measuring import Asking, measure_revision
    from ragtriage.revisions.naming import named

    repository = Repository.of(project.root)
    revision = named(repository, against)
    asking = Asking(ask=head.ask if settings.answers else None)
    found = measure_revision(
        project, repository, revision, asking, golden=project.golden, overrides=overrides, progress=head.progress
    )
    about = {"revision": revision.commit, "name": revision.name}
    return _Base(found.run, revision.label, about, found.incomplete, found.notes)


def _repeats(again: Sequence[Run], head: Run) -> list[Run]:
    """Runs of the same documents, configuration and golden set, for each of which a model was asked anew. Raises UsageError."""
    numbers: dict[Any, str] = {}
    for run in again:
        number = run.manifest.get("repeat")
        if run.manifest.get("fingerprints") != head.manifest.get("fingerprints"):
            raise UsageError(f"{run.id}: is no repeat: its documents, configuration or golden set are not those of today")
        if not isinstance(number, int) or number < 1:
            raise UsageError(
                f"{run.id}: is no repeat: eval --answers live --repeat 1 asks the model anew, --repeat 2 once more"
            )
        if number in numbers:
            raise UsageError(
                f"{run.id}: is repeat {number}, as {numbers[number]} is: the answers are the same ones, counted once"
            )
        numbers[number] = run.id
    return list(again)


def _as_committed(project: Project) -> Project:
    """The project without documents that no revision can have, so that both sides of a gate against one are alike."""
    from ragtriage.git import Repository
    from ragtriage.revisions.measuring import in_revisions

    return in_revisions(project, Repository.of(project.root))


def _left_out(project: Project) -> tuple[str, ...]:
    if not project.ignored:
        return ()
    from ragtriage.revisions.measuring import left_out_notes

    return left_out_notes(project)


def _unusable(project: Project) -> list[str]:
    """What keeps golden set or documents from being read whole: a question in a bad line is missing, as is what a pointer of
    Git LFS stands for, and nobody would see it."""
    from ragtriage.revisions.lfs import kept_elsewhere

    bad = sum(problem.severity == "error" for problem in project.golden.problems)
    elsewhere = kept_elsewhere(project.corpus.documents)
    return [*([bad_lines(project.golden_path.name, bad)] if bad else []), *([f"{elsewhere}."] if elsewhere else [])]


def _absent(project: Project) -> list[str]:
    """Documents that a sparse checkout leaves out: what they hold is lost, too."""
    from ragtriage.revisions.sparse import working_tree_note

    return [note] if (note := working_tree_note(project)) else []


def _unread(project: Project) -> list[str]:
    """Documents that are there and cannot be read: what they hold is lost, which the gate sees, and this is why."""
    bad = sum(problem.severity == "error" for problem in project.corpus.problems)
    return [f"{bad} problems with documents; ragtriage doctor lists them."] if bad else []


def _other_version(base: Run, head: Run) -> list[str]:
    prints = [run.manifest.get("fingerprints") for run in (base, head)]
    then, now = (one.get("engine") if isinstance(one, dict) else None for one in prints)
    if then in (None, now):
        return []
    return ["the base was measured by another version of ragtriage, by which the same inputs may come out otherwise."]


def _calibration(project: Project, run: Run) -> Calibration | None:
    if not run.manifest.get("judge"):
        return None
    from ragtriage.answers.calibration_file import load_calibration

    try:
        return load_calibration(project.evals / "calibration.json")
    except GoldenError:  # uncalibrated then, which the gate says
        return None

"""Which questions two runs have in common, and which stand apart: new, edited, relabelled, removed, measured on one side only.

A question is known by its id; one whose id changed and whose words and labels did not is still the same.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

from ragtriage.errors import StorageError
from ragtriage.measure.identity import Sameness, sameness
from ragtriage.measure.results import QuestionResult, Run

__all__ = ["Apart", "Pair", "Paired", "pair_questions"]


class Pair(NamedTuple):
    """A question of both runs. `qid` is the head's.

    `stale`: a chunk label of it no longer fits on one side, so both are scored by document. `answers`: its answers are graded
    by the same expectations.
    """

    qid: str
    base: QuestionResult
    head: QuestionResult
    stale: bool = False
    answers: bool = True


class Apart(NamedTuple):
    """Ids of the questions that decide nothing.

    `only_base` and `only_head` were not measured by the other run, which chose others (--only, --kind, --split). `unknown`: a
    run that was stored by an older version does not say whether it is the same question.
    """

    new: tuple[str, ...] = ()
    edited: tuple[str, ...] = ()
    relabelled: tuple[str, ...] = ()
    removed: tuple[str, ...] = ()
    only_base: tuple[str, ...] = ()
    only_head: tuple[str, ...] = ()
    unknown: tuple[str, ...] = ()


class Paired(NamedTuple):
    """The questions in common, in the head's order, and the others."""

    pairs: tuple[Pair, ...]
    apart: Apart


def pair_questions(base: Run, head: Run) -> Paired:
    """Pair the questions of two runs. Raises StorageError where a run has a question twice."""
    before, after = _by_id(base), _by_id(head)
    renamed = _renamed(before, after)
    same_golden = _same_golden(base, head)
    pairs: list[Pair] = []
    apart: dict[str, list[str]] = {name: [] for name in Apart._fields}
    for qid, new in after.items():
        old = before.get(renamed.get(qid, qid))
        if old is None:
            apart["new" if _chosen(new, base.manifest) else "only_head"].append(qid)
            continue
        how = _how(old, new, same_golden=same_golden)
        if how in ("same", "regraded"):
            pairs.append(_pair(old, new, base, head, answers=how == "same"))
        else:
            apart[how].append(qid)
    known = {renamed.get(qid, qid) for qid in after}
    for qid, old in before.items():
        if qid not in known:
            apart["removed" if _chosen(old, head.manifest) else "only_base"].append(qid)
    return Paired(tuple(pairs), Apart(**{name: tuple(qids) for name, qids in apart.items()}))


def _pair(old: QuestionResult, new: QuestionResult, base: Run, head: Run, *, answers: bool) -> Pair:
    if not any(item.how == "stale" for item in (*old.items, *new.items)):
        return Pair(new.qid, old, new, answers=answers)
    from ragtriage.compare.stale import at_document_level

    old, new = at_document_level(old, int(base.manifest["k"])), at_document_level(new, int(head.manifest["k"]))
    return Pair(new.qid, old, new, stale=True, answers=answers)


def _by_id(run: Run) -> dict[str, QuestionResult]:
    found = {question.qid: question for question in run.questions}
    if len(found) < len(run.questions):
        twice = [qid for qid, times in Counter(question.qid for question in run.questions).items() if times > 1]
        raise StorageError(f"{run.id}: this run has {', '.join(twice[:3])} more than once; `ragtriage eval` measures again")
    return found


def _how(old: QuestionResult, new: QuestionResult, *, same_golden: bool) -> Sameness:
    how = sameness(old.identity, new.identity)
    if how == "unknown" and same_golden and old.needs == new.needs:
        how = "same"
    if how in ("same", "regraded") and len(old.items) != len(new.items):
        return "relabelled"  # no run of ours has that; a file that was edited may
    return how


def _same_golden(base: Run, head: Run) -> bool:
    old, new = (run.manifest.get("fingerprints", {}).get("golden", "") for run in (base, head))
    return bool(old) and old == new


def _renamed(before: Mapping[str, QuestionResult], after: Mapping[str, QuestionResult]) -> dict[str, str]:
    """New id -> old id of the questions that one identity names on each side, and whose id only that side has."""
    gone = _by_identity(question for qid, question in before.items() if qid not in after)
    come = _by_identity(question for qid, question in after.items() if qid not in before)
    return {new: gone[identity] for identity, new in come.items() if identity in gone}


def _by_identity(questions: Iterable[QuestionResult]) -> dict[str, str]:
    found = [(question.identity, question.qid) for question in questions if question.identity]
    times = Counter(identity for identity, _ in found)
    return {identity: qid for identity, qid in found if times[identity] == 1}


def _chosen(question: QuestionResult, manifest: Mapping[str, Any]) -> bool:
    """Whether a run of that manifest would have measured the question, had it been in its golden set."""
    only, kind, split = manifest.get("only"), manifest.get("kind"), manifest.get("split", "dev")
    if only is not None:
        return bool(question.qid in only)
    return kind in (None, question.kind) and split in ("all", question.split)

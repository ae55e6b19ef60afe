"""evals/baseline.json in memory: what every question did when the baseline was last set, and how it came to be what it is.

It holds enough of a run to be compared like one, so that nobody needs the run itself: a build server has the repository alone.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from ragtriage.config import Config
from ragtriage.gate.baseline_kept import Kept, kept
from ragtriage.gate.settings import GateSettings
from ragtriage.measure.results import Run
from ragtriage.metrics.base import Metric, parse_metric

__all__ = ["Baseline", "Stamp", "Update", "baseline_of"]

_DIGITS = 6
_KEPT_TABLES = ("chunking", "embedding", "retrieval", "answers", "judge")
_LEFT_OUT = ("base_url", "command", "api_key_env", "input_price", "output_price", "price", "device", "batch_size", "offline")
"""They change no figure, or say where something runs, which is nobody's business who reads the file."""


class Update(NamedTuple):
    """One line of the history: what each metric was and became, over all questions of then and now.

    `joined` and `left` count questions. `dropped`: a gated metric was lowered, and `reason` says why that is right.
    """

    at: str
    revision: str
    reason: str
    dropped: bool
    joined: int
    left: int
    metrics: Mapping[str, tuple[float | None, float | None]]


class Stamp(NamedTuple):
    """When and on what a baseline is set: UTC, the commit ("" outside of git), whether files differed from it, the reason."""

    at: str
    revision: str = ""
    modified: bool = False
    reason: str = ""


@dataclass(frozen=True, slots=True)
class Baseline:
    """What evals/baseline.json holds. `config` has the keys that were not at their default, as `--set` takes them.

    `metrics` are means with their n. `judge` is the judge's identity, "" without one. `run` may be gone elsewhere.
    """

    at: str
    revision: str
    modified: bool
    run: str
    k: int
    config: Mapping[str, Any]
    fingerprints: Mapping[str, str]
    judge: str
    metrics: Mapping[str, Mapping[str, Any]]
    history: tuple[Update, ...]
    questions: tuple[Kept, ...]

    def as_run(self) -> Run:
        """The baseline as one side of a comparison; rankings and texts are not in it."""
        config = Config().as_dict()
        for key, value in self.config.items():
            table, _, leaf = key.partition(".")
            config.setdefault(table, {})[leaf] = value
        manifest: dict[str, Any] = {
            "format": 1,
            "at": self.at,
            "k": self.k,
            "split": "dev",
            "kind": None,
            "only": None,
            "fingerprints": dict(self.fingerprints),
            "config": config,
            "metrics": {name: dict(value) for name, value in self.metrics.items()},
            **({"judge": {"identity": self.judge}} if self.judge else {}),
        }
        return Run("baseline", manifest, tuple(one.result() for one in self.questions))


def baseline_of(run: Run, settings: Sequence[GateSettings], stamp: Stamp) -> Baseline:
    """A run's dev questions as a baseline, without history."""
    k = int(run.manifest["k"])
    questions = sorted((question for question in run.questions if question.split == "dev"), key=lambda one: one.qid)
    gated = {parse_metric(name, k=k): None for one in settings if not one.answers for name in one.metrics}
    shown = dict.fromkeys((Metric("recall", k), Metric("hit", k), Metric("mrr"), Metric("ndcg", 10))) | gated
    metrics = {repr(metric): _mean([one.value(metric) for one in questions if one.enters]) for metric in shown}
    for axis in dict.fromkeys(axis for one in settings for axis in one.axes):
        said = [question.said(axis) for question in questions]
        if any(value is not None for value in said):
            metrics[axis] = _mean([value for value in said if value is not None])
    defaults = Config().as_dict()
    return Baseline(
        at=stamp.at,
        revision=stamp.revision,
        modified=stamp.modified,
        run=run.id,
        k=k,
        config={
            f"{table}.{key}": value
            for table, keys in run.manifest.get("config", {}).items()
            for key, value in keys.items()
            if table in _KEPT_TABLES and key not in _LEFT_OUT and value != defaults.get(table, {}).get(key)
        },
        fingerprints=dict(run.manifest.get("fingerprints", {})),
        judge=str((run.manifest.get("judge") or {}).get("identity", "")),
        metrics=metrics,
        history=(),
        questions=tuple(map(kept, questions)),
    )


def _mean(values: Sequence[float | None]) -> dict[str, Any]:
    there = [value for value in values if value is not None]
    value = round(math.fsum(there) / len(there), _DIGITS) if there else None
    return {"value": value, "n": len(there), "failed": len(values) - len(there)}

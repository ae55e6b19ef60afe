"""The log of looks at the holdout: it is counted how often somebody looked, so that overfitting to it shows."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ragtriage.log_lines import append_line, read_log
from ragtriage.measure.results import Run
from ragtriage.project import Project

__all__ = ["log_look", "looks_by"]


def log_look(project: Project, run: Run, command: str, *, against: str = "") -> None:
    """Note that `command` measured holdout questions in `run`, to compare it with the run `against`. Raises StorageError."""
    from ragtriage.triage.verdicts import author

    metrics = {name: mean["value"] for name, mean in run.manifest["metrics"].items()}
    event = {"at": run.manifest["at"], "by": author(project.root), "rev": run.id, "command": command, "metrics": metrics}
    append_line(_log(project), {**event, **({"against": against} if against else {})})


def looks_by(project: Project, command: str) -> list[Mapping[str, Any]]:
    """The looks of a command, the oldest first; lines that nobody can read are passed over. Raises StorageError."""
    lines, _ = read_log(_log(project))
    return [line.value for line in lines if line.value.get("command") == command]


def _log(project: Project) -> Path:
    return (project.state / "evals" if project.read_only else project.evals) / "holdout.jsonl"

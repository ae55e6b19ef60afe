"""The log of looks at the holdout: it is counted how often somebody looked, so that overfitting to it shows."""

from __future__ import annotations

from ragtriage.files import append_line
from ragtriage.measure.results import Run
from ragtriage.project import Project

__all__ = ["log_look"]


def log_look(project: Project, run: Run, command: str) -> None:
    """Note that `command` measured holdout questions in `run`. Raises StorageError."""
    from ragtriage.triage.verdicts import author

    metrics = {name: mean["value"] for name, mean in run.manifest["metrics"].items()}
    event = {"at": run.manifest["at"], "by": author(project.root), "rev": run.id, "command": command, "metrics": metrics}
    folder = project.state / "evals" if project.read_only else project.evals
    append_line(folder / "holdout.jsonl", event)

"""Runs that something in the repository names, so that they stay: those of verdicts, and the one a baseline was made of."""

from __future__ import annotations

import re
from pathlib import Path

from ragtriage.files import read_file
from ragtriage.json_lines import load_json
from ragtriage.project import Project

__all__ = ["BASELINE", "named_runs"]

BASELINE = "baseline.json"
_RUN = re.compile(rb'^  "run": ("[^"\\\n]*"),?$', re.MULTILINE)  # as we write it: the whole file need not be read for it


def named_runs(project: Project) -> set[str]:
    """Their ids."""
    runs = {verdict.run for verdict in project.verdicts.current().values() if verdict.run}
    baseline = _baseline_run(project.evals / BASELINE)
    return runs | ({baseline} if baseline else set())


def _baseline_run(path: Path) -> str:
    try:
        data = read_file(path)
        found = _RUN.search(data)
        value = load_json(found[1]) if found else load_json(data)["run"]
    except (OSError, ValueError, KeyError, TypeError):  # whoever wants to use the file says what is wrong with it
        return ""
    return value if isinstance(value, str) else ""

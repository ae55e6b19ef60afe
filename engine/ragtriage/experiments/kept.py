"""The sweeps that were made, so that the app shows the last one and a winner can be taken over later.

A file a sweep: which trials its table is made of. The trials themselves stand beside them, one folder each.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

from ragtriage.config import Config
from ragtriage.config_file import with_settings
from ragtriage.errors import ConfigError, StorageError
from ragtriage.experiments.grid import AXES, Candidate, Grid, Unusable
from ragtriage.experiments.table import Table, table_of
from ragtriage.experiments.trial import Trials
from ragtriage.files import atomic_write, read_file
from ragtriage.json_lines import dump_pretty, load_json
from ragtriage.measure.results import Run
from ragtriage.project import Project

__all__ = ["keep", "newest", "newest_grid", "newest_trials"]

_FORMAT = 1


def keep(project: Project, table: Table, grid: Grid | None = None) -> None:
    """Remember the sweep of `grid` that made `table` as the newest; of the trials that are not in it the oldest go.

    Raises StorageError.
    """
    document = {
        "format": _FORMAT,
        "at": datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%S.%fZ"),
        "rows": [{"trial": row.run.id, "name": row.name, "settings": dict(row.candidate.settings)} for row in table.rows],
        "unusable": [{"settings": dict(one.settings), "reason": one.reason} for one in table.unusable],
        "grid": {key: list(values) for key, values in grid.values.items()} if grid else {},
    }
    atomic_write(project.state / "sweeps" / "newest.json", dump_pretty(document))
    Trials(project).prune({row.run.id for row in table.rows})


def newest_grid(project: Project) -> dict[str, list[Any]]:
    """The values that the newest sweep combined, by their keys; empty where there is none."""
    try:
        found = load_json(read_file(project.state / "sweeps" / "newest.json"))["grid"]
        return {key: list(values) for key, values in found.items() if key in AXES.values() and isinstance(values, list)}
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return {}


def newest_trials(project: Project) -> set[str]:
    """The ids of the trials that the table of the newest sweep is made of; empty where there is none."""
    try:
        rows = load_json(read_file(project.state / "sweeps" / "newest.json"))["rows"]
        return {str(row["trial"]) for row in rows}
    except (OSError, ValueError, KeyError, TypeError):
        return set()


def newest(project: Project) -> Table | None:
    """The table of the sweep that was made last, None where there is none or its trials are gone."""
    try:
        document = load_json(read_file(project.state / "sweeps" / "newest.json"))
        if document["format"] != _FORMAT:
            return None
        store = Trials(project).store
        trials = [_trial(project.config, row, store.load(row["trial"], rankings=False)) for row in document["rows"]]
        unusable = [Unusable(one["settings"], one["reason"]) for one in document["unusable"]]
        return table_of(trials, unusable)
    except (OSError, ValueError, KeyError, TypeError, AttributeError, StorageError, ConfigError):
        return None


def _trial(current: Config, row: Mapping[str, Any], run: Run) -> tuple[Candidate, Run]:
    """The candidate with the configuration that its trial was measured with, whatever is in use today."""
    tables: Mapping[str, Mapping[str, Any]] = run.manifest["config"]
    keys = {
        f"{name}.{item.name}": tables[name][item.name]
        for name in ("chunking", "embedding", "retrieval")
        for item in dataclasses.fields(getattr(current, name))
        if item.name in tables[name]
    }
    return Candidate(with_settings(current, keys), dict(row["settings"]), str(row["name"])), run

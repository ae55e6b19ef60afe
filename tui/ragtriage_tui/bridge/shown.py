"""Which run is shown, and how far it is one of today's files: its numbers, and the texts behind its chunk ids."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from ragtriage_tui.text import one_line

if TYPE_CHECKING:
    from ragtriage.measure.runs import RunInfo
    from ragtriage.project import Project

__all__ = ["Fit", "best_run", "fit_of", "what_changed"]

_RANKS = ("corpus", "config", "engine")
_NAMES = {"corpus": "documents", "config": "configuration", "golden": "golden set", "engine": "version of ragtriage"}
_TABLES = ("chunking", "embedding", "retrieval", "answers")
_NO_RESULT = {
    "embedding.device", "embedding.batch_size", "embedding.offline", "embedding.api_key_env", "embedding.price",
}  # fmt: skip  # they change no vector


class Fit(NamedTuple):
    """`ranks`: documents, configuration and engine are those of today, so that its numbers are today's. `texts`: its chunk ids
    name the chunks as they are cut today. `notice`: what sets it apart, empty where nothing does."""

    ranks: bool
    texts: bool
    notice: str


def best_run(project: Project) -> RunInfo | None:
    """The newest complete run of today's files; else the newest that only the golden set sets apart; else the newest."""
    now = project.fingerprints()
    complete = [info for info in project.runs.all() if not info.manifest.get("partial")]
    for keys in ((*_RANKS, "golden"), _RANKS, ()):
        for info in complete:
            then = _fingerprints(info.manifest)
            if all(then.get(key) == now[key] for key in keys):
                return info
    return None


def fit_of(manifest: Mapping[str, Any], project: Project) -> Fit:
    """How far the run of a manifest is one of the project as it is."""
    then, now = _fingerprints(manifest), project.fingerprints()
    ranks = all(then.get(key) == now[key] for key in _RANKS)
    keys = _different(manifest, project)
    cut = any(key.startswith(("chunking.", "embedding.model")) for key, _, _ in keys)
    # a model in a folder may have been trained again under its name, and its tokenizer with it
    known = then.get("config") == now["config"] or not Path(project.embedding.model).is_dir()
    return Fit(ranks, then.get("corpus") == now["corpus"] and known and not cut, what_changed(then, now, keys))


def what_changed(then: Mapping[str, Any], now: Mapping[str, str], keys: list[tuple[str, str, str]] | tuple[()] = ()) -> str:
    """Which fingerprints differ, as a sentence; empty where none does. `keys` are the settings that differ: name, the run's
    value, today's."""
    changed = [name for key, name in _NAMES.items() if then.get(key) != now.get(key) and not (key == "config" and keys)]
    listed = changed[0] if len(changed) == 1 else f"{', '.join(changed[:-1])} and {changed[-1]}" if changed else ""
    if not keys:
        return f"{listed} changed since this run" if listed else ""
    name, value, today = keys[0]
    more = f" and {len(keys) - 1} more" if len(keys) > 1 else ""
    return f"this run has {name}={value}, not {today}{more}" + (f"; {listed} changed since" if listed else "")


def _fingerprints(manifest: Mapping[str, Any]) -> Mapping[str, Any]:
    found = manifest.get("fingerprints")
    return found if isinstance(found, dict) else {}


def _different(manifest: Mapping[str, Any], project: Project) -> list[tuple[str, str, str]]:
    """The settings that a run has otherwise than the project, as name, the run's value, today's."""
    tables, today = manifest.get("config"), project.config.as_dict()
    out = []
    idle = set() if project.config.retrieval.rerank == "command" else {"retrieval.rerank_command"}
    for table in _TABLES:
        values = tables.get(table) if isinstance(tables, dict) else None
        for key, value in today[table].items():
            name = f"{table}.{key}"
            if name not in _NO_RESULT | idle and isinstance(values, dict) and key in values and values[key] != value:
                out.append((name, _value(values[key]), _value(value)))
    groups = None if project.groups is None else list(project.groups)
    if manifest.get("as") != groups:
        out.append(("--as", _value(manifest.get("as")), _value(groups)))
    return out


def _value(value: Any) -> str:
    from ragtriage_tui.output import encode_json

    if isinstance(value, list):
        return ",".join(map(str, value)) or "''"
    return one_line(value)[:60] or "''" if isinstance(value, str) else "none" if value is None else encode_json(value)

"""Which configurations a sweep tries: every combination of the values that were named, each that means something once."""

from __future__ import annotations

import dataclasses
import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from ragtriage.chunking.strategies import reads_sentences, spec_of_config
from ragtriage.config import Config
from ragtriage.config_file import with_settings
from ragtriage.errors import ConfigError, UsageError
from ragtriage.ids import fingerprint

__all__ = [
    "AXES",
    "MOST",
    "Candidate",
    "Grid",
    "Unusable",
    "candidates",
    "chunked_alike",
    "configured",
    "grid_of",
    "name_of",
    "settings_between",
    "silent_keys",
]

AXES: Mapping[str, str] = {
    "strategy": "chunking.strategy", "size": "chunking.size", "overlap": "chunking.overlap",
    "child-size": "chunking.child_size", "heading-prefix": "chunking.heading_prefix", "model": "embedding.model",
    "dtype": "embedding.dtype", "mode": "retrieval.mode", "k": "retrieval.k", "fusion": "retrieval.fusion",
    "rrf-k": "retrieval.rrf_k", "depth": "retrieval.depth", "pool": "retrieval.pool", "rerank": "retrieval.rerank",
    "language": "retrieval.language",
}  # fmt: skip
"""What can be varied: the name of an axis, which is its option on the command line, and the key of the configuration."""

MOST = 5000
"""More combinations than that are a slip of the hand."""

_TABLES = ("chunking", "embedding", "retrieval")


class Unusable(NamedTuple):
    """A combination that cannot be, such as an overlap as large as the size."""

    settings: Mapping[str, Any]
    reason: str


@dataclass(frozen=True, slots=True)
class Candidate:
    """One configuration to try. `settings` are the keys in which it differs from the one in use; `name` shows it."""

    config: Config
    settings: Mapping[str, Any]
    name: str

    @property
    def identity(self) -> str:
        """Equal for configurations that retrieve alike."""
        return _identity(self.config)


@dataclass(frozen=True, slots=True)
class Grid:
    """`values` of each key that is varied, in the order in which they were named."""

    values: Mapping[str, Sequence[Any]] = field(default_factory=dict)

    @property
    def size(self) -> int:
        """How many combinations there are."""
        count = 1
        for values in self.values.values():
            count *= len(values)
        return count


def grid_of(axes: Mapping[str, Sequence[Any]], config: Config) -> Grid:
    """The grid of named axes (`size`, or a key such as `chunking.size`). Raises UsageError with every problem found."""
    problems = []
    values: dict[str, list[Any]] = {}
    for axis, wanted in axes.items():
        key = AXES.get(axis, axis)
        if key not in AXES.values():
            problems.append(f"{axis}: cannot be varied; what can is {', '.join(AXES)}")
            continue
        if not wanted:
            problems.append(f"{axis}: no value is named")
        for value in dict.fromkeys(wanted):
            try:
                with_settings(config, {key: value}, together=False)
            except ConfigError as error:
                problems.append(f"{axis}: {_first_line(error)}")
            else:
                values.setdefault(key, []).append(value)
    if problems:
        raise UsageError("\n".join(problems))
    grid = Grid(values)
    if grid.size > MOST:
        raise UsageError(f"{grid.size:,} combinations are too many; at most {MOST:,}")
    return grid


def configured(config: Config) -> dict[str, list[Any]]:
    """The values that `[sweep]` of a configuration names, by the names of their axes; the reranker `none` is none."""
    named = {name.replace("_", "-"): values for name, values in config.as_dict()["sweep"].items() if values}
    if "rerank" in named:
        named["rerank"] = ["" if value == "none" else value for value in named["rerank"]]
    return named


def candidates(current: Config, grid: Grid) -> tuple[list[Candidate], list[Unusable]]:
    """What to try beside `current`, the ones that come early first, and the combinations that cannot be.

    Combinations that retrieve alike are tried once: the constant of rrf under zscore, an overlap of whole documents. Small to
    big takes the size for its parents, and for the children a quarter of it where none is named. Vectors that need embedding
    come last, those of one model together, large chunks before small ones: there are fewer of them.
    """
    found: dict[str, Candidate] = {}
    unusable = []
    own = _identity(current)
    for combination in itertools.product(*grid.values.values()):
        settings = dict(zip(grid.values, combination, strict=True))
        try:
            config = with_settings(current, _with_children(settings, current))
        except ConfigError as error:
            unusable.append(Unusable(settings, _first_line(error)))
            continue
        identity = _identity(config)
        if identity != own and identity not in found:
            found[identity] = Candidate(config, settings_between(current, config), "")
    named = [dataclasses.replace(one, name=name_of(one.config, current, grid.values)) for one in found.values()]
    groups: dict[str, int] = {}
    models: dict[str, int] = {fingerprint([_plain(current, ("embedding",))]): 0}
    for one in named:
        groups.setdefault(chunked_alike(one.config), len(groups))
        models.setdefault(fingerprint([_plain(one.config, ("embedding",))]), len(models))

    def early(one: Candidate) -> tuple[bool, int, bool, int, int]:
        chunking = one.config.chunking
        embeds = one.config.retrieval.mode != "bm25" or chunking.strategy == "semantic"
        model = models[fingerprint([_plain(one.config, ("embedding",))])]
        return embeds, model, chunking.strategy != "whole", -chunking.size, groups[chunked_alike(one.config)]

    return sorted(named, key=early), unusable


def chunked_alike(config: Config) -> str:
    """Equal for configurations that can share chunks and vectors."""
    return fingerprint([_plain(config, ("chunking", "embedding"))])


def name_of(config: Config, current: Config, varied: Mapping[str, Any] = {}) -> str:
    """A configuration in one short line: its chunker, then what of embedding and retrieval is varied or not as in `current`."""
    chunker = spec_of_config(config.chunking) + ("" if config.chunking.heading_prefix else " no prefix")
    parts = [chunker]
    for key in AXES.values():
        table, _, leaf = key.partition(".")
        value = getattr(getattr(config, table), leaf)
        if table == "chunking" or (key not in varied and value == getattr(getattr(current, table), leaf)):
            continue
        if leaf in silent_keys(config):
            continue
        if leaf in ("mode", "fusion"):
            parts.append(value)
        elif value != "":
            parts.append(f"{leaf}={value}")
    return " ".join(parts)


def settings_between(current: Config, config: Config) -> dict[str, Any]:
    """The keys of `config` that are not as in `current`, with their values."""
    out = {}
    for table in _TABLES:
        ours, theirs = getattr(current, table), getattr(config, table)
        for item in dataclasses.fields(ours):
            if getattr(ours, item.name) != (value := getattr(theirs, item.name)):
                out[f"{table}.{item.name}"] = list(value) if isinstance(value, tuple) else value
    return out


def _with_children(settings: Mapping[str, Any], current: Config) -> dict[str, Any]:
    strategy = settings.get("chunking.strategy", current.chunking.strategy)
    if strategy != "small_to_big" or "chunking.child_size" in settings or "chunking.size" not in settings:
        return dict(settings)
    return {**settings, "chunking.child_size": max(1, settings["chunking.size"] // 4)}


def silent_keys(config: Config) -> set[str]:
    """The keys, without their tables, that have no say as the others stand."""
    chunking, retrieval = config.chunking, config.retrieval
    out = set()
    if chunking.strategy == "whole":
        out |= {"size", "overlap"}
    if chunking.strategy != "small_to_big":
        out.add("child_size")
    if chunking.strategy != "semantic":
        out |= {"break_at", "threshold"}
    if retrieval.mode != "hybrid":
        out.add("fusion")
    if retrieval.mode != "hybrid" or retrieval.fusion != "rrf":
        out.add("rrf_k")
    if retrieval.mode == "bm25" and chunking.strategy != "semantic":
        out.add("dtype")  # the model itself has: sizes are counted in its tokens
    if retrieval.mode == "dense" and not reads_sentences(chunking):
        out.add("language")
    if retrieval.rerank != "command":
        out.add("rerank_command")
    return out


def _identity(config: Config) -> str:
    silent = silent_keys(config)
    tables = _plain(config, ("chunking", "embedding", "retrieval"))
    return fingerprint([{key: value for key, value in table.items() if key not in silent} for table in tables.values()])


def _plain(config: Config, tables: Sequence[str]) -> dict[str, Any]:
    whole = config.as_dict()
    plain = {table: dict(whole[table]) for table in tables}
    for key in ("batch_size", "device", "offline"):  # how it is computed, not what
        plain.get("embedding", {}).pop(key, None)
    return plain


def _first_line(error: ConfigError) -> str:
    return str(error).splitlines()[0]

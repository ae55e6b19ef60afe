"""ragtriage.toml -> a frozen Config. An unknown key is an error that names the nearest one; all problems come together."""

from __future__ import annotations

import dataclasses
import os
import tomllib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, get_type_hints

from ragtriage.config import Config, tables
from ragtriage.config_findings import Findings
from ragtriage.config_rules import agree
from ragtriage.config_values import checked, nearest
from ragtriage.errors import ConfigError

__all__ = ["FILE_NAME", "config_of", "load_config", "with_settings"]

FILE_NAME = "ragtriage.toml"


def config_of(folder: Path) -> Path | None:
    """The configuration file of a project, None where it has none. Raises ConfigError where something else has its name."""
    path = folder / FILE_NAME
    if not os.path.lexists(path):
        return None
    if not path.is_file():
        says = "a link to nothing" if path.is_symlink() and not path.exists() else "no file"
        raise ConfigError(f"{path}: is {says}; the defaults would be measured instead of what it names: mend or remove it")
    return path


def load_config(path: Path | None, overrides: Sequence[str] = ()) -> Config:
    """Read `path` (None: defaults) and apply `table.key=value` overrides. Raises ConfigError with every problem found."""
    where = str(path) if path else "--set"
    text = ""
    written: dict[str, Any] = {}
    if path is not None:
        try:
            text = path.read_bytes().decode("utf-8-sig")
            written = tomllib.loads(text)
        except OSError as error:
            raise ConfigError(f"{path}: cannot be read: {error.strerror}") from error
        except UnicodeDecodeError:
            raise ConfigError(f"{path}: not UTF-8; save it as UTF-8") from None
        except (ValueError, RecursionError) as error:
            raise ConfigError(f"{path}: not TOML: {error}") from None
    findings = Findings(where, text)
    reader = _Reader(findings)
    values = reader.tables(written)
    for override in overrides:
        reader.override(values, override)
    config = Config(**{name: kind(**values.get(name, {})) for name, kind in tables().items()}, source=path)
    agree(findings, config)
    if findings.problems:
        raise ConfigError("\n".join(map(str, findings.problems)), findings.problems)
    return config


def with_settings(config: Config, settings: Mapping[str, Any], *, together: bool = True) -> Config:
    """`config` with some `table.key` set otherwise. Raises ConfigError with every problem found, as `load_config` does.

    With `together` False each value is looked at alone, and whether it goes together with the others is not.
    """
    findings = Findings("", "")
    reader = _Reader(findings)
    values: dict[str, dict[str, Any]] = {}
    for key, value in settings.items():
        table, _, leaf = key.partition(".")
        findings.overridden.add(key)
        if table not in tables():
            findings.problem(key, f"unknown table{nearest(table, tables())}")
        else:
            reader.set(values, table, leaf, value)
    changed = dataclasses.replace(
        config, **{name: dataclasses.replace(getattr(config, name), **found) for name, found in values.items()}
    )
    if together:
        agree(findings, changed)
    if findings.problems:
        says = "\n".join(f"{problem.key}: {problem.message}" for problem in findings.problems)
        raise ConfigError(says, findings.problems)
    return changed


class _Reader:
    """Turns TOML values into field values."""

    def __init__(self, findings: Findings) -> None:
        self.findings = findings

    def tables(self, written: Mapping[str, Any]) -> dict[str, dict[str, Any]]:
        known = tables()
        out: dict[str, dict[str, Any]] = {}
        for name, table in written.items():
            if name not in known:
                self.findings.problem(name, f"unknown table{nearest(name, known)}")
            elif not isinstance(table, dict):
                self.findings.problem(name, f"a table is needed: [{name}]")
            else:
                for key, value in table.items():
                    self.set(out, name, key, value)
        return out

    def override(self, values: dict[str, dict[str, Any]], text: str) -> None:
        key, equals, raw = text.partition("=")
        name, dot, leaf = key.strip().partition(".")
        if not equals or not dot:
            self.findings.problem(text, "write it as table.key=value, for example retrieval.mode=bm25", override=True)
            return
        known = tables()
        if name not in known:
            self.findings.problem(key, f"unknown table{nearest(name, known)}", override=True)
            return
        try:
            value = tomllib.loads(f"value = {raw.strip()}")["value"]
        except (ValueError, RecursionError):  # also of a number of 5,000 digits
            value = raw.strip()
        self.findings.overridden.add(f"{name}.{leaf}")
        self.set(values, name, leaf, value, override=True)

    def set(self, out: dict[str, dict[str, Any]], name: str, leaf: str, value: Any, *, override: bool = False) -> None:
        key = f"{name}.{leaf}"
        hints = get_type_hints(tables()[name])
        if leaf not in hints:
            self.findings.problem(key, f"unknown key{nearest(leaf, hints)}", override=override)
            return
        try:
            out.setdefault(name, {})[leaf] = checked(key, hints[leaf], value)
        except ValueError as error:
            self.findings.problem(key, str(error), override=override)

"""A configuration that was measured, written into the configuration file: comments, order and all other keys stay as they are.

What is to be written is worked out first and written later, when somebody has agreed; a file that was changed in between is
left alone, also when it is undone.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ragtriage.config import Config
from ragtriage.config_file import FILE_NAME, load_config, with_settings
from ragtriage.errors import StorageError, UsageError
from ragtriage.experiments.grid import settings_between, silent_keys
from ragtriage.files import read_file, rewrite
from ragtriage.project import Project

if TYPE_CHECKING:
    from tomlkit import TOMLDocument
    from tomlkit.items import Table

__all__ = ["Proposal", "proposed", "put_back", "write"]

_HOW = {"embedding.device", "embedding.batch_size", "embedding.offline"}  # on what machine it is computed, not what
_BOM = b"\xef\xbb\xbf"


@dataclass(frozen=True, slots=True)
class Proposal:
    """What makes the file say a configuration. `before` is what it holds now, None where there is no file; `settings` are the
    keys that are written, `was` their values until then. `overridden` are those of them that the command line has set
    otherwise, so that the file has no say here."""

    path: Path
    before: bytes | None
    after: bytes
    settings: Mapping[str, Any]
    was: Mapping[str, Any]
    overridden: tuple[str, ...] = ()


def proposed(project: Project, config: Config) -> Proposal:
    """What is to be written so that `project` is configured as `config` chunks, embeds and retrieves.

    Raises UsageError where the file says all of it already, ConfigError where it does not read, or where the keys do not go
    together with the others of it or with those of the command line, StorageError.
    """
    path = project.config.source or project.root / FILE_NAME
    before = _content(path)
    filed = load_config(path if before is not None else None)
    silent = silent_keys(config)  # what was varied and has no say is nobody's choice
    settings = {
        key: value
        for key, value in settings_between(filed, config).items()
        if key not in _HOW and key.partition(".")[2] not in silent
    }
    if not settings:
        raise UsageError(f"{path.name} says that already: nothing was written")
    with_settings(filed, settings)
    here = {key: value for key, value in settings.items() if key not in project.typed}
    with_settings(project.config, here)
    was = {key: _value(filed, key) for key in settings}
    overridden = tuple(key for key in settings if key in project.typed and _value(project.config, key) != settings[key])
    return Proposal(path, before, _written(path, before, settings), settings, was, overridden)


def write(proposal: Proposal) -> None:
    """Write it, on disk when this returns. Raises StorageError where the file is not what it was, and then changes nothing."""
    _exchange(proposal.path, proposal.before, proposal.after)


def put_back(proposal: Proposal) -> None:
    """Undo it. Raises StorageError where the file was changed since, and then changes nothing."""
    _exchange(proposal.path, proposal.after, proposal.before)


def _exchange(path: Path, expected: bytes | None, wanted: bytes | None) -> None:
    def change(old: bytes) -> bytes:
        if old != (expected or b"") or (expected is None) != (not path.exists()):
            raise StorageError(f"{path.name} was changed meanwhile; nothing was written")
        return wanted or b""

    rewrite(path, change)
    if wanted is None:  # there was none before
        path.unlink(missing_ok=True)


def _content(path: Path) -> bytes | None:
    try:
        return read_file(path)
    except FileNotFoundError:
        return None
    except OSError as error:
        raise StorageError(f"{path}: cannot be read: {error.strerror}") from error


def _value(config: Config, key: str) -> Any:
    table, _, leaf = key.partition(".")
    value = getattr(getattr(config, table), leaf)
    return list(value) if isinstance(value, tuple) else value


def _written(path: Path, before: bytes | None, settings: Mapping[str, Any]) -> bytes:
    import tomlkit
    from tomlkit.exceptions import TOMLKitError

    text = (before or b"").decode("utf-8-sig")
    try:
        document = tomlkit.parse(text if text.endswith("\n") or not text else f"{text}\n")
        for key, value in settings.items():
            table, _, leaf = key.partition(".")
            _set(document, table, leaf, value)
        out = _line_ends(tomlkit.dumps(document), text)
        whole = tomllib.loads(out) == _merged(tomllib.loads(text), settings)
    except (TOMLKitError, ValueError, RecursionError):
        whole = False
    if not whole:  # rather nothing than a file that says something else
        keys = ", ".join(f"{key} = {value}" for key, value in settings.items())
        raise StorageError(f"{path}: is written in a way that cannot be changed safely; write {keys} into it by hand")
    return (_BOM if before is not None and before.startswith(_BOM) else b"") + out.encode()


def _set(document: TOMLDocument, name: str, leaf: str, value: Any) -> None:
    import tomlkit
    from tomlkit.items import Table

    if name not in document:
        others = [item for item in document.values() if isinstance(item, Table)]
        if document.body:
            document.add(tomlkit.nl())
        document.add(name, tomlkit.table())
        if others:
            document[name].trivia.indent = others[-1].trivia.indent
            document[name].append(leaf, value)
            document[name].value.body[-1][1].trivia.indent = _indent(others[-1], others[-1].value.body)
            return
    table = document[name]
    if not isinstance(table, Table) or leaf in table:
        table[leaf] = value  # anything else than a table was refused when the file was read
        return
    # what stands behind the last key is a comment on it, or on the next table: a new key goes before that
    body = table.value.body
    at = _place(body, leaf)
    behind = body[at:]
    indent = _indent(table, body[:at])
    del body[at:]
    table.append(leaf, value)
    body[-1][1].trivia.indent = indent
    body.extend(behind)


def _indent(table: Table, before: list[Any]) -> str:
    """How far a new key of a table is indented, like the last key or comment before it, else like the head."""
    lines = [item.as_string() if key is None else item.trivia.indent for key, item in before]
    for (key, _), line in zip(reversed(before), reversed(lines), strict=True):
        if key is not None:
            return str(line)
        if line.strip():
            return str(line[: len(line) - len(line.lstrip())])
    return str(table.trivia.indent)


def _place(body: list[Any], leaf: str) -> int:
    """Where a new key goes in a table: behind the comment that has it as an example, else behind the last key, else behind the
    comments under the head."""
    last = max((at for at, (key, _) in enumerate(body) if key is not None), default=-1) + 1
    example = re.compile(rf"#\s*{re.escape(leaf)}\s*=")
    for at in range(last, len(body)):
        if example.match(body[at][1].as_string().strip()):
            return at + 1
    if last:
        return last
    return next((at for at, (_, item) in enumerate(body) if not item.as_string().strip()), len(body))


def _line_ends(text: str, like: str) -> str:
    """`text` with the line ends of `like`: a file of Windows stays one."""
    if "\r\n" in like and "\n" not in like.replace("\r\n", ""):
        return text.replace("\r\n", "\n").replace("\n", "\r\n")
    return text


def _merged(tables: Mapping[str, Any], settings: Mapping[str, Any]) -> dict[str, Any]:
    out = {name: dict(table) if isinstance(table, dict) else table for name, table in tables.items()}
    for key, value in settings.items():
        table, _, leaf = key.partition(".")
        out.setdefault(table, {})[leaf] = value
    return out

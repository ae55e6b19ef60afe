"""What the user has agreed to: what a configuration may run or send in which folder.

The user's word is needed once for each content of these settings, and is kept in the user's state folder, never in the project.
"""

from __future__ import annotations

import dataclasses
import json
import os
from collections.abc import Collection, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from ragtriage import paths
from ragtriage.config import Config
from ragtriage.danger_words import escaped, folder_text
from ragtriage.dangers import Danger, settings
from ragtriage.errors import Problem, StorageError, Untrusted
from ragtriage.files import is_writable, rewrite
from ragtriage.inside import is_inside
from ragtriage.json_lines import load_json
from ragtriage.log_lines import LogLine, parse_log, read_log

if TYPE_CHECKING:
    from ragtriage.project import Project

__all__ = [
    "Agreement",
    "Danger",
    "Shown",
    "agree",
    "agreements",
    "is_given",
    "require",
    "revoke",
    "settings",
    "trust_file",
    "untrusted",
    "what_it_would_do",
]

_VARIABLE = "RAGTRIAGE_TRUST"
_SAID = 3  # problems of the trust file that are said one by one
_OWN = "it lies in the project, which could have brought it along"


class Agreement(NamedTuple):
    """What was agreed to before. `root` is the project's folder as text, `at` is UTC as in 2026-11-30T14:02:11Z."""

    root: str
    table: str
    summary: str
    digest: str
    at: str


class Shown(NamedTuple):
    """What a configuration would run or send, all of it, and those of it that nobody has agreed to yet. `agree` takes these."""

    settings: tuple[Danger, ...]
    pending: tuple[Danger, ...]


def what_it_would_do(project: Project) -> Shown:
    """What the project's configuration would run or send, in full, and what of it is not agreed to. Nothing is run for this.

    The program of `rerank_command` counts as in use: `rerank --model command` and a sweep run it whatever `rerank` says.
    """
    config = project.config
    retrieval = config.retrieval
    if "".join(retrieval.rerank_command[:1]).strip() and retrieval.system == "embedded":
        config = dataclasses.replace(config, retrieval=dataclasses.replace(retrieval, rerank="command"))
    found = tuple(settings(project.root, config))
    return Shown(found, untrusted(project.root, config, among=found))


def untrusted(
    project_root: Path,
    config: Config,
    *,
    typed: Collection[str] = (),
    tables: Collection[str] | None = None,
    among: Sequence[Danger] | None = None,
) -> tuple[Danger, ...]:
    """Those of `settings` that the user has not agreed to. `tables` leaves the others out: what is not about to be done needs
    no agreement. `among` are the settings as they were shown, where they were.

    `typed` are the keys set on the command line. That is the user's own word, for these keys: a danger counts as typed only if
    all that makes it up was, or is built in.
    """
    found = settings(project_root, config) if among is None else among
    wanted = [one for one in found if (tables is None or one.table in tables) and not one.keys <= set(typed)]
    if not wanted:
        return ()
    known = _known(project_root)[0]
    return tuple(one for one in wanted if one.obstacle or one.digest not in known)


def require(
    project_root: Path,
    config: Config,
    *,
    typed: Collection[str] = (),
    tables: Collection[str] | None = None,
    agreed: bool = False,
) -> None:
    """Raise Untrusted, with all of it in full, unless the user has agreed to what this configuration would do.

    `agreed` is the user's word for this process (`--trust`), and so is RAGTRIAGE_TRUST when it is "1" or "true"; neither is
    kept. See `untrusted` for `typed` and `tables`.
    """
    said = os.environ.get(_VARIABLE, "")
    if is_given(agreed):
        return
    open_ones = untrusted(project_root, config, typed=typed, tables=tables)
    if not open_ones:
        return
    root = folder_text(os.path.realpath(project_root))
    lines = [f"{root}: its configuration would do what you have not agreed to; nothing was run, read or sent:"]
    lines += [f"  {one.sentence}" for one in open_ones]
    lines += [f"  {one.table}: {one.obstacle}" for one in open_ones if one.obstacle]
    problems = _known(project_root)[1]
    lines += [f"  {problem}; what stood there counts for nothing" for problem in problems[:_SAID]]
    lines += [f"  and {len(problems) - _SAID} more such lines"] if len(problems) > _SAID else []
    if said:
        lines.append(f"  RAGTRIAGE_TRUST is {escaped(said)}, which agrees to nothing; 1 does")
    lines.append("`ragtriage trust` asks once and keeps the answer. For one command: --trust, or RAGTRIAGE_TRUST=1 in a build.")
    raise Untrusted("\n".join(lines))


def is_given(agreed: bool) -> bool:
    """Whether all is agreed to for this process: `agreed` is the word of its command line, else the environment may have it."""
    return agreed or os.environ.get(_VARIABLE, "") in ("1", "true")


def agree(project_root: Path, dangers: Collection[Danger]) -> None:
    """Keep the user's word for `dangers`, which are those that were shown. Raises Untrusted, StorageError."""
    for one in dangers:
        if one.obstacle:
            raise Untrusted(f"{one.table}: {one.obstacle}")
    root, file = os.path.realpath(project_root), trust_file()
    if is_inside(root, os.path.realpath(file)):
        raise StorageError(f"{folder_text(str(file))}: {_OWN}; nothing was kept. RAGTRIAGE_HOME may name another folder.")
    if not is_writable(file.parent):
        raise StorageError(f"{file}: the folder is read-only or not yours to write; nothing was kept.")
    at = datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
    rows = [
        {"digest": one.digest, "root": folder_text(root), "table": one.table, "summary": one.summary, "at": at}
        for one in dangers
    ]

    def change(old: bytes) -> bytes:
        before = _agreements(*parse_log(old, str(file)))[0]
        new = [_line(row) for row in rows if row["digest"] not in before]
        return (old if not new or not old or old.endswith(b"\n") else old + b"\n") + b"".join(new)

    rewrite(file, change)


def revoke(project_root: Path) -> int:
    """Forget all that was agreed to in this folder; how many that were. Raises StorageError."""
    root = folder_text(os.path.realpath(project_root))
    gone = 0

    def change(old: bytes) -> bytes:
        nonlocal gone
        lines = old.splitlines(keepends=True)
        kept = [line for line in lines if _row(line).get("root") != root]
        gone = len(lines) - len(kept)
        return b"".join(kept)

    if trust_file().exists():  # else a folder would be made for nothing
        rewrite(trust_file(), change)
    return gone


def agreements() -> tuple[list[Agreement], list[Problem]]:
    """All that was agreed to on this machine, oldest first, and what is wrong with the file."""
    found, problems = _agreements(*read_log(trust_file()))
    return list(found.values()), problems


def trust_file() -> Path:
    """Where agreements are kept."""
    return paths.state_dir() / "trusted.jsonl"


def _known(project_root: Path) -> tuple[frozenset[str], list[Problem]]:
    """The digests that count, and what is wrong with the file that holds them."""
    if is_inside(os.path.realpath(project_root), os.path.realpath(trust_file())):
        return frozenset(), [Problem(str(trust_file()), 0, _OWN)] if trust_file().exists() else []
    found, problems = agreements()
    return frozenset(one.digest for one in found), problems


def _agreements(lines: list[LogLine], problems: list[Problem]) -> tuple[dict[str, Agreement], list[Problem]]:
    """Each agreement by its digest; `problems` and one for each line that is none."""
    found: dict[str, Agreement] = {}
    wrong = list(problems)
    for number, row in lines:
        values = [row.get(name) for name in Agreement._fields]
        if all(isinstance(value, str) and value for value in values):
            one = Agreement(*map(str, values))
            found.setdefault(one.digest, one)
        else:
            wrong.append(Problem(str(trust_file()), number, "no agreement"))
    return found, sorted(wrong, key=lambda problem: problem.line)


def _row(line: bytes) -> dict[str, Any]:
    """The object on one line; an empty one where there is none."""
    try:
        value = load_json(line)
    except ValueError:
        return {}
    return value if isinstance(value, dict) else {}


def _line(row: Mapping[str, Any]) -> bytes:
    return json.dumps(row).encode("ascii") + b"\n"

"""The files below a root: which ones the patterns take, and which ones nothing took."""

from __future__ import annotations

import os
import re
import unicodedata
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NamedTuple

from ragtriage.corpus.base import Skipped

__all__ = ["Found", "Stat", "matcher", "stat_of", "walk"]


class Stat(NamedTuple):
    """What tells an unchanged file without reading it: bytes, nanoseconds, inode."""

    size: int
    mtime_ns: int
    inode: int


class Found(NamedTuple):
    """A file to read. `source` is its path below the root with `/`, in NFC, fit to be printed and hashed."""

    source: str
    path: str
    stat: Stat


def stat_of(result: os.stat_result) -> Stat:
    """The three fields of a stat result."""
    return Stat(result.st_size, result.st_mtime_ns, result.st_ino)


def matcher(patterns: Sequence[str]) -> Callable[[str], bool]:
    """A test of a `/` path below the root against globs: `**` is any number of folders, case does not count."""
    suffixes = tuple(pattern[4:].lower() for pattern in patterns if _is_suffix(pattern))
    others = "|".join(f"(?:{_regex(pattern)})" for pattern in patterns if not _is_suffix(pattern))
    if not others:  # as a rule; compiling an expression would take a good part of a warm start
        return lambda source: source.lower().endswith(suffixes)
    match = re.compile(others, re.IGNORECASE | re.DOTALL).fullmatch
    return lambda source: source.lower().endswith(suffixes) or match(source) is not None


def _is_suffix(pattern: str) -> bool:
    """Whether a pattern is of the form `**/*.md`."""
    return pattern.startswith("**/*.") and not any(char in pattern[4:] for char in "*?[/")


def _regex(pattern: str) -> str:
    parts = [part for part in pattern.split("/") if part not in ("", ".")]
    out = []
    for number, part in enumerate(parts, start=1):
        if part == "**":
            out.append(".*" if number == len(parts) else "(?:[^/]+/)*")
        else:
            out.append(_segment(part) + ("" if number == len(parts) else "/"))
    return "".join(out)


def _segment(part: str) -> str:
    pieces = re.split(r"(\*+|\?|\[!?[^\]]+\])", part)
    return "".join(_wildcard(piece) if number % 2 else re.escape(piece) for number, piece in enumerate(pieces))


def _wildcard(piece: str) -> str:
    if piece.startswith("*"):
        return "[^/]*"
    if piece == "?":
        return "[^/]"
    inner = piece[1:-1].replace("\\", "\\\\").replace("[", "\\[")
    return f"[^{inner[1:]}]" if inner.startswith("!") else f"[{inner}]"


def walk(root: Path, takes: Callable[[str], bool], exclude: frozenset[str]) -> tuple[list[Found], list[Skipped]]:
    """Files that `takes`, sorted by source, and what was passed over. `exclude` holds real paths.

    Names that start with a dot are left alone, folders that are links are not entered, and a link to a file counts only
    where the file lies below the root.
    """
    real_root = os.path.realpath(root)
    found: list[Found] = []
    skipped: list[Skipped] = []
    waiting = [(str(root), "")]
    while waiting:
        folder, prefix = waiting.pop()
        try:
            with os.scandir(folder) as entries:
                listed = list(entries)
        except OSError as error:
            skipped.append(Skipped(_shown(prefix.rstrip("/")) or ".", "unreadable", error.strerror or "folder"))
            continue
        for entry in listed:
            if entry.name.startswith("."):
                continue
            source = _shown(prefix + entry.name)
            try:
                if entry.is_symlink():
                    if not _inside(entry.path, real_root):
                        skipped.append(Skipped(source, "outside", "a link out of the corpus folder"))
                        continue
                    if entry.is_dir():
                        continue
                elif entry.is_dir():
                    waiting.append((entry.path, prefix + entry.name + "/"))
                    continue
                if exclude and os.path.realpath(entry.path) in exclude:
                    continue
                if not takes(source):
                    skipped.append(Skipped(source, "unmatched"))
                elif entry.is_file():
                    found.append(Found(source, entry.path, stat_of(entry.stat())))
                else:
                    skipped.append(Skipped(source, "unreadable", "not a regular file"))
            except OSError as error:
                skipped.append(Skipped(source, "unreadable", error.strerror or "cannot be read"))
    return sorted(found), sorted(skipped)


def _inside(path: str, real_root: str) -> bool:
    real = os.path.realpath(path)
    return real == real_root or real.startswith(real_root.rstrip("/") + "/")


def _shown(name: str) -> str:
    if name.isascii():
        return name
    return unicodedata.normalize("NFC", os.fsencode(name).decode("utf-8", "replace"))

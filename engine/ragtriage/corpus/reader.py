"""A folder -> a Corpus. Files that have not changed since the last reading are not opened."""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Collection, Sequence
from pathlib import Path

import orjson

from ragtriage.config import CorpusConfig
from ragtriage.corpus import parsers
from ragtriage.corpus.assemble import assemble
from ragtriage.corpus.base import Corpus, ParsedFile, Skipped
from ragtriage.corpus.rows import file_to_rows
from ragtriage.corpus.snapshot import Entry, Snapshot
from ragtriage.corpus.walk import Found, matcher, stat_of, walk
from ragtriage.errors import CorpusError, Problem
from ragtriage.ids import fingerprint
from ragtriage.stored import BlobStore
from ragtriage.types import Progress, no_progress

__all__ = ["read_beir_corpus", "read_corpus"]

_KEPT = ("markdown", "html", "pdf")  # reading the text of the others costs no more than reading it from a cache
_BATCH = 200
_NO_SNAPSHOT = 32 << 20  # bytes of a file of lines: what it gave is not kept, but read again from the file itself


def read_corpus(
    root: Path,
    config: CorpusConfig,
    *,
    cache: Path,
    rehash: bool = False,
    exclude: Collection[Path] = (),
    progress: Progress = no_progress,
) -> Corpus:
    """Every document that `config.include` takes below `root`.

    `cache` is a folder that may be empty or missing. `rehash` reads files again whose size, time and inode are unchanged.
    `exclude` names files that are no documents though a pattern takes them, such as the golden set. Raises CorpusError
    where `root` is no folder; what is wrong with single files is in `problems` and `skipped`.
    """
    if not root.is_dir():
        raise CorpusError(f"{root}: no such folder; set path in [corpus] to the folder that holds the documents")
    hidden = frozenset(os.path.realpath(path) for path in exclude)
    taken_ns = Snapshot.now()
    found, skipped = walk(root, matcher(config.include), hidden)
    problems = [
        Problem("ragtriage.toml", 0, f"{pattern!r} leaves the corpus folder, so it takes nothing", "corpus.include")
        for pattern in config.include
        if ".." in pattern.split("/") or pattern.startswith("/")
    ]
    if not found:
        problems.append(Problem(str(root), 0, f"no file is taken by corpus.include ({', '.join(config.include)})"))
    kinds = [parsers.kind_of(item.source) for item in found]
    reading = _Reading(root, kinds, config.access_key, cache, rehash, taken_ns, progress)
    return assemble(root, reading.entries(found, skipped), problems, skipped)


def read_beir_corpus(folder: Path, *, cache: Path, rehash: bool = False, progress: Progress = no_progress) -> Corpus:
    """The documents of a BEIR folder.

    `documents.jsonl` where the queries refer to it by offsets, else `corpus.jsonl`, each document of which is one ready-made
    chunk. Raises CorpusError where neither is there.
    """
    taken_ns = Snapshot.now()
    whole = (folder / "documents.jsonl").is_file() and _carries_references(folder / "queries.jsonl")
    name, kind = ("documents.jsonl", "jsonl") if whole else ("corpus.jsonl", "beir")
    path = folder / name
    try:
        found = [Found(name, str(path), stat_of(path.stat()))]
    except OSError as error:
        raise CorpusError(f"{path}: cannot be read: {error.strerror}") from None
    skipped: list[Skipped] = []
    reading = _Reading(folder, [kind], "", cache, rehash, taken_ns, progress)
    return assemble(folder, reading.entries(found, skipped), [], skipped)


def _carries_references(queries: Path) -> bool:
    try:
        return re.search(rb'"references"\s*:\s*\[\s*\{', queries.read_bytes()) is not None
    except OSError:
        return False


class _Reading:
    """One pass over the files: unchanged ones from the snapshot, known bytes from the store, the rest parsed."""

    def __init__(
        self, root: Path, kinds: Sequence[str], access_key: str, cache: Path, rehash: bool, taken_ns: int, progress: Progress
    ) -> None:
        place = os.fsencode(os.path.realpath(root)).hex()
        key = fingerprint([place, "beir" in kinds, access_key, parsers.VERSION])
        self.kinds = kinds
        self.access_key = access_key
        self.rehash = rehash
        self.taken_ns = taken_ns
        self.progress = progress
        self.path = cache / "corpus" / f"{key}.snapshot"
        self.store = BlobStore(cache / "corpus" / "parsed.sqlite")

    def entries(self, found: Sequence[Found], skipped: list[Skipped]) -> list[Entry]:
        """One Entry a file that could be opened; the others are added to `skipped`."""
        before = Snapshot.load(self.path)
        entries: list[Entry | None] = [None if self.rehash else before.unchanged(item.source, item.stat) for item in found]
        waiting = [row for row, entry in enumerate(entries) if entry is None]
        for at in range(0, len(waiting), _BATCH):
            self.progress("reading", at, len(waiting))
            self._read(found, waiting[at : at + _BATCH], entries, before, skipped)
        if waiting:
            self.progress("reading", len(waiting), len(waiting))
        done = [entry for entry in entries if entry is not None]
        kept = [entry for entry, kind in zip(entries, self.kinds, strict=True) if entry is not None and _is_kept(entry, kind)]
        if len(kept) != len(before.entries) or any(before.entries.get(entry.source) is not entry for entry in kept):
            Snapshot.save(self.path, self.taken_ns, kept)
        return done

    def _read(
        self, found: Sequence[Found], rows: Sequence[int], entries: list[Entry | None], before: Snapshot, skipped: list[Skipped]
    ) -> None:
        keys: dict[int, str] = {}
        contents: dict[int, bytes] = {}
        for row in rows:
            item = found[row]
            try:
                with open(item.path, "rb") as handle:
                    contents[row] = handle.read()
                    stat = stat_of(os.fstat(handle.fileno()))
            except OSError as error:
                skipped.append(Skipped(item.source, "unreadable", error.strerror or "cannot be read"))
                continue
            sha = hashlib.sha256(contents[row]).hexdigest()
            known = before.entries.get(item.source)
            if known is not None and known.sha == sha:
                entries[row] = known._replace(stat=stat)
                continue
            entries[row] = Entry(item.source, stat, sha, {})
            keys[row] = fingerprint([sha, self.kinds[row], item.source, self.access_key, parsers.VERSION])
        kept = self.store.get_many(key for row, key in keys.items() if self.kinds[row] in _KEPT)
        fresh: dict[str, bytes] = {}
        for row, key in keys.items():
            entry = entries[row]
            if entry is None:
                continue
            if key in kept:
                entries[row] = entry._replace(rows=orjson.loads(kept[key]))
                continue
            parsed: ParsedFile = parsers.parse(self.kinds[row], contents.pop(row), entry.source, self.access_key)
            rows_of_file = file_to_rows(parsed)
            entries[row] = entry._replace(rows=rows_of_file)
            if self.kinds[row] in _KEPT:
                fresh[key] = orjson.dumps(rows_of_file)
        self.store.put_many(fresh)


def _is_kept(entry: Entry, kind: str) -> bool:
    return entry.stat.size <= _NO_SNAPSHOT or kind in _KEPT

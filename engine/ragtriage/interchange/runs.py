"""Runs: which documents a system returned for each question. Read question by question, so that a long run needs no memory."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import groupby
from pathlib import Path
from typing import NamedTuple

from ragtriage.errors import InputError, Problem
from ragtriage.interchange.columns import columns
from ragtriage.interchange.lines import Faults
from ragtriage.interchange.writing import table, text_of

__all__ = ["Retrieved", "RunFile", "read_run", "write_run"]


class Retrieved(NamedTuple):
    """What a run lists for one question, in the file's order. A document may stand there twice."""

    qid: bytes
    docs: list[bytes]
    scores: list[float]

    def best(self, scores: list[float]) -> dict[bytes, float]:
        """Each document with its score of `scores`, one an entry; of one that is listed twice the higher."""
        found = dict(zip(self.docs, scores, strict=True))
        if len(found) < len(scores):
            for doc, score in zip(self.docs, scores, strict=True):
                found[doc] = max(score, found[doc])
        return found


class _Scattered(Exception):
    """The lines of a question do not stand together."""


@dataclass
class RunFile:
    """A run file. `questions` reads it; how it was read and what is wrong with it is known after that."""

    path: Path
    form: str = ""
    lines: int = 0
    unknown: set[bytes] = field(default_factory=set)
    _faults: Faults | None = None

    @property
    def problems(self) -> tuple[Problem, ...]:
        return self._faults.problems if self._faults else ()

    def questions(self, wanted: Collection[bytes] | None = None) -> Iterator[Retrieved]:
        """Each question with what was returned for it; those outside `wanted` are counted in `unknown` and left out.

        One question is held at a time. Where a file mixes its questions, it is read again from the start and held as a whole:
        what was given before is given again, and whoever collects by question replaces it. Raises InputError where nothing
        can be read.
        """
        try:
            yield from self._grouped(wanted)
        except _Scattered:
            yield from self._gathered(wanted)
        if not self.lines:
            raise InputError("\n".join(map(str, self.problems)) or f"{self.path}: holds no line", self.problems)

    def _grouped(self, wanted: Collection[bytes] | None) -> Iterator[Retrieved]:
        done: set[bytes] = set()
        current: Retrieved | None = None
        for part in self._parts(wanted):
            if current is not None and part.qid == current.qid:
                current.docs.extend(part.docs)
                current.scores.extend(part.scores)
                continue
            if current is not None:
                done.add(current.qid)
                yield current
            if part.qid in done:
                raise _Scattered
            current = part
        if current is not None:
            yield current

    def _gathered(self, wanted: Collection[bytes] | None) -> Iterator[Retrieved]:
        held: dict[bytes, Retrieved] = {}
        for part in self._parts(wanted):
            known = held.setdefault(part.qid, part)
            if known is not part:
                known.docs.extend(part.docs)
                known.scores.extend(part.scores)
        yield from held.values()

    def _parts(self, wanted: Collection[bytes] | None) -> Iterator[Retrieved]:
        """Lines of one question that stand together, at most those of one block."""
        faults = self._faults = Faults(str(self.path))
        self.lines = 0
        self.unknown = set()
        for found in columns(self.path, "run", faults):
            self.form = found.form.says
            self.lines += len(found.qids)
            start = 0
            for qid, several in groupby(found.qids):
                end = start + len(list(several))
                if wanted is None or qid in wanted:
                    yield Retrieved(qid, found.docs[start:end], found.values[start:end])
                else:
                    self.unknown.add(qid)
                start = end


def read_run(path: Path) -> dict[str, dict[str, float]]:
    """A run file (also gzipped) as scores by question and document.

    Six columns at white space are TREC's (question, Q0, document, rank, score, tag); the rank is not looked at. Three are
    question, document and score or, where they count 1, 2, 3… or are named so, rank: then the score is minus the rank. Of a
    document that is listed twice the higher score counts. Raises InputError with every line that cannot be used.
    """
    file = RunFile(path)
    out = {text_of(one.qid): {text_of(d): score for d, score in one.best(one.scores).items()} for one in file.questions()}
    if file.problems:
        raise InputError.of(file.problems)
    return out


def write_run(path: Path, run: Mapping[str, Mapping[str, float]], *, tag: str = "ragtriage") -> None:
    """Write scores by question and document: `.csv` with names and commas, anything else in TREC's six columns.

    Documents are written best first, equal scores in the order in which they stand. trec_eval would turn that round by its
    own rule, so an equal score is written as the next lower one that it tells apart. Replaces the file atomically. Raises
    InputError where an id cannot stand in such a file or a score is not finite, StorageError.
    """
    from ragtriage.files import atomic_write

    atomic_write(path, run_bytes(run, path.suffix, str(path), tag))


def run_bytes(run: Mapping[str, Mapping[str, float]], form: str, where: str, tag: str = "ragtriage") -> bytes:
    """What `write_run` writes for a suffix; `where` names it in errors."""
    rows = []
    for qid, scores in run.items():
        ordered = sorted(scores.items(), key=lambda item: -item[1])
        told = _descending([score for _, score in ordered], f"{where}: {qid}")
        rows += [
            (qid, doc, str(rank), f"{score:.9g}") for rank, ((doc, _), score) in enumerate(zip(ordered, told, strict=True), 1)
        ]
    if form == ".csv":
        return table([("qid", "doc", "rank", "score"), *rows], ",", where)
    return table([(qid, "Q0", doc, rank, score, tag) for qid, doc, rank, score in rows], " ", where)


def _descending(scores: list[float], where: str) -> list[float]:
    """The scores, each lower than the one before also as a 32-bit float."""
    import math
    import struct

    out: list[float] = []
    last = math.inf
    for score in scores:
        if not abs(score) < 3e38:
            raise InputError(f"{where}: a score is not a finite 32-bit number")
        (value,) = struct.unpack("<f", struct.pack("<f", score))
        if value >= last:
            (bits,) = struct.unpack("<i", struct.pack("<f", last))
            # floats of one sign are ordered as their bits are; below zero the other way round, and below 0.0 comes -1.4e-45
            bits = -(2**31) + 1 if last == 0 else bits - 1 if bits > 0 else bits + 1
            (value,) = struct.unpack("<f", struct.pack("<i", bits))
        out.append(value)
        last = value
    return out

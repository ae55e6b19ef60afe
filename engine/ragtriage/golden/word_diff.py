"""What changed between two wordings, word by word, as data: who shows it chooses colours and signs."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Literal, NamedTuple

__all__ = ["DiffRun", "word_diff"]

_PIECE = re.compile(r"\s+|\w+|[^\w\s]")
_MOST = 4_000  # pieces of one side that are compared: the time grows with their product


class DiffRun(NamedTuple):
    """A run of text that both have, or only the old (removed) or the new one (added)."""

    kind: Literal["kept", "removed", "added"]
    text: str


def word_diff(old: str, new: str) -> tuple[DiffRun, ...]:
    """The runs that make `new` of `old`, in order: kept and removed ones spell `old`, kept and added ones `new`.

    A longest common subsequence of words, signs and white space; of texts too long for that, all of both.
    """
    return tuple(_joined(_runs(_PIECE.findall(old), _PIECE.findall(new))))


def _runs(old: list[str], new: list[str]) -> Iterator[DiffRun]:
    if max(len(old), len(new)) > _MOST:
        yield from (DiffRun("removed", "".join(old)), DiffRun("added", "".join(new)))
        return
    from rapidfuzz.distance import Indel

    for step in Indel.opcodes(old, new):
        before = "".join(old[int(step.src_start) : int(step.src_end)])
        after = "".join(new[int(step.dest_start) : int(step.dest_end)])
        if step.tag == "equal":
            yield DiffRun("kept", before)
            continue
        yield DiffRun("removed", before)
        yield DiffRun("added", after)


def _joined(runs: Iterator[DiffRun]) -> Iterator[DiffRun]:
    """Without empty runs, a stretch of changes as one removed and one added run; a kept space between two is part of it."""
    removed = added = held = ""
    for run in runs:
        if run.kind == "removed":
            removed, added, held = removed + held + run.text, added + held, ""
        elif run.kind == "added":
            removed, added, held = removed + held, added + held + run.text, ""
        elif (removed or added) and run.text.isspace() and not held:
            held = run.text
        else:
            yield from _changed(removed, added)
            yield DiffRun("kept", held + run.text)
            removed = added = held = ""
    yield from _changed(removed, added)
    if held:
        yield DiffRun("kept", held)


def _changed(removed: str, added: str) -> Iterator[DiffRun]:
    if removed:
        yield DiffRun("removed", removed)
    if added:
        yield DiffRun("added", added)

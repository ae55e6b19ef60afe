"""The golden set in memory, and the rule that an id belongs to one line."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

from ragtriage.errors import Problem
from ragtriage.golden.dialects import Reading, qid_of, read_question
from ragtriage.golden.spelled import repeated_keys
from ragtriage.log_lines import LogLine
from ragtriage.types import Needs, Question

__all__ = ["GoldenSet", "Lines", "read_lines", "repeated_in"]

_NOTHING: Mapping[int, list[str]] = {}
_MOST_TWINS = 8


@dataclass(frozen=True, slots=True)
class GoldenSet:
    """The questions that could be read, in file order, and everything that is wrong with the others.

    `fingerprint` changes with any byte that was read. An id that several lines claim is in none of the questions; `unused`
    has the lines (from 1) of each id that is in the file and in none of the questions.
    """

    path: Path
    questions: tuple[Question, ...]
    problems: tuple[Problem, ...] = ()
    fingerprint: str = ""
    unused: Mapping[str, tuple[int, ...]] = field(default_factory=dict)
    _by_id: dict[str, Question] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "_by_id", {question.qid: question for question in self.questions})

    def get(self, qid: str) -> Question | None:
        """The question of that id."""
        return self._by_id.get(qid)

    def why_unused(self, qid: str) -> str:
        """Why a question that stands in the file is not used, for whoever asks for it; empty where it does not stand there."""
        lines = self.unused.get(qid, ())
        if len(lines) > 1:
            places = f"{', '.join(map(str, lines[:-1]))} and {lines[-1]}"
            return f"{qid} stands on lines {places} of {self.path}; none is used until all but one are removed or renamed"
        if lines:
            causes = [f"{found.key}: {found.message}" if found.key else found.message for found in self._on(lines[0])]
            return f"{qid} stands on line {lines[0]} of {self.path}, which cannot be used: {'; '.join(causes)}"
        return ""

    def _on(self, line: int) -> list[Problem]:
        return [one for one in self.problems if (one.where, one.line, one.severity) == (str(self.path), line, "error")]


class Lines(NamedTuple):
    """What lines of a golden file hold: see GoldenSet."""

    questions: list[Question]
    problems: list[Problem]
    unused: dict[str, tuple[int, ...]]


def repeated_in(data: bytes, lines: Iterable[LogLine]) -> dict[int, list[str]]:
    """The keys that stand twice in one object, by line: JSON readers take one of the two values, and not all the same."""
    raw = data.split(b"\n")
    texts = ((line, raw[line - 1].decode("utf-8-sig", "replace")) for line, _ in lines)
    return {line: keys for line, text in texts if (keys := repeated_keys(text))}


def read_lines(lines: Iterable[LogLine], *, where: str, needs: Needs, repeated: Mapping[int, list[str]] = _NOTHING) -> Lines:
    """The questions of parsed lines; those that share an id are left out, each named with the lines of the others.

    `repeated` are the keys that stand twice, by line: such a line is left out, too.
    """
    readings = []
    claimed: dict[str, list[int]] = {}
    values: dict[int, Mapping[str, Any]] = {}
    for line, value in lines:
        values[line] = value
        reading = read_question(value, where=where, line=line, needs=needs)
        if keys := repeated.get(line):
            twice = (Problem(where, line, "this key stands twice in one object; keep one of them", key) for key in keys)
            reading = Reading(None, (*twice, *reading.problems))
        readings.append(reading)
        if qid := qid_of(value):
            claimed.setdefault(qid, []).append(line)
    problems = [problem for reading in readings for problem in reading.problems]
    for qid, numbers in claimed.items():
        if len(numbers) > 1:
            same = len({repr(sorted(values[number].items())) for number in numbers}) == 1
            problems += (
                Problem(where, number, f"{qid} is also on line {_twins(numbers, number, same)}", "qid") for number in numbers
            )
    questions = [one for reading in readings if (one := reading.question) is not None and len(claimed[one.qid]) == 1]
    used = {question.qid for question in questions}
    return Lines(questions, problems, {qid: tuple(numbers) for qid, numbers in claimed.items() if qid not in used})


def _twins(numbers: Sequence[int], number: int, same: bool) -> str:
    """The other lines of an id, and what to do about them."""
    others = [str(other) for other in numbers[: _MOST_TWINS + 1] if other != number][:_MOST_TWINS]
    more = len(numbers) - 1 - len(others)
    named = ", ".join(others) + (f" and {more} more" if more else "")
    if same:
        return f"{named} and says the same there; ragtriage golden fmt keeps one of them"
    return f"{named}; none is used until all but one are removed or renamed"

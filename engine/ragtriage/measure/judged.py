"""Where judged answers come out: evidence inside k × grounded × correct, and which of them a person should see first."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Literal, NamedTuple, Protocol, TypeVar

from ragtriage.types import Judged

__all__ = [
    "CELLS",
    "Cell",
    "JudgedTable",
    "Kind",
    "Owner",
    "Row",
    "Uncertain",
    "judged_table",
    "least_certain_first",
    "why_first",
]

Owner = Literal["", "retrieval", "prompt or model", "background knowledge", "golden set"]
"""Who has to do something about it; "" where nobody has."""


class Kind(NamedTuple):
    """What one of the eight cells means."""

    name: str
    owner: Owner
    meaning: str


CELLS: Mapping[tuple[bool, bool, bool], Kind] = {
    (True, True, True): Kind("right", "", "The evidence was there, and the answer is right and rests on the passages."),
    (True, True, False): Kind(
        "faithful but wrong", "prompt or model", "The evidence was there; the answer rests on the passages and yet misses it."
    ),
    (True, False, True): Kind(
        "correct but ungrounded",
        "background knowledge",
        "The evidence was there; the answer is right, and says what no passage supports.",
    ),
    (True, False, False): Kind(
        "made up", "prompt or model", "The evidence was there; the answer is wrong, and no passage supports it."
    ),
    (False, True, True): Kind(
        "right from other passages",
        "golden set",
        "The answer rests on passages that the label does not name: it may lack a place.",
    ),
    (False, True, False): Kind(
        "faithful to the wrong passages", "retrieval", "The evidence was not there, and the answer, a refusal too, shows it."
    ),
    (False, False, True): Kind(
        "known by heart", "background knowledge", "The evidence was not there, and the answer is right all the same."
    ),
    (False, False, False): Kind(
        "made up without evidence", "retrieval", "The evidence was not there, and the answer filled the gap."
    ),
}
"""By (evidence inside k, grounded, correct), in the order in which they are shown."""


class Row(NamedTuple):
    """One answered question whose evidence is known; None on an axis where it was not or could not be judged."""

    qid: str
    inside: bool
    grounded: bool | None
    correct: bool | None


class Cell(NamedTuple):
    """One cell of the table with its questions, in the order of the rows."""

    inside: bool
    grounded: bool
    correct: bool
    kind: Kind
    qids: tuple[str, ...]


class JudgedTable(NamedTuple):
    """All eight cells, empty ones too. `undecided` are the questions in none of them; with the cells' they are all rows."""

    cells: tuple[Cell, ...]
    undecided: tuple[str, ...]

    @property
    def n(self) -> int:
        """How many are in a cell."""
        return sum(len(cell.qids) for cell in self.cells)


def judged_table(rows: Iterable[Row]) -> JudgedTable:
    """Each row in its cell."""
    qids: dict[tuple[bool, bool, bool], list[str]] = {key: [] for key in CELLS}
    undecided = []
    for row in rows:
        if row.grounded is None or row.correct is None:
            undecided.append(row.qid)
        else:
            qids[row.inside, row.grounded, row.correct].append(row.qid)
    return JudgedTable(tuple(Cell(*key, kind, tuple(qids[key])) for key, kind in CELLS.items()), tuple(undecided))


class Uncertain(Protocol):
    """An answer in the queue: what the deterministic grade says of its being correct, and what the judge says."""

    @property
    def grade(self) -> bool | None: ...
    @property
    def judged(self) -> Judged | None: ...


_FIRST = ("unscored", "unstable", "disagree", "undecided", "")
U = TypeVar("U", bound=Uncertain)


def why_first(row: Uncertain) -> Literal["unscored", "unstable", "disagree", "undecided", ""]:
    """Why a person should see it before others: the judge's reply could not be used; it came out otherwise in another order; it
    contradicts the grade; nothing says whether the answer is correct, or grounded where there is a judge. "" for the rest."""
    judged = row.judged
    if judged is None:
        return "undecided" if row.grade is None else ""
    if judged.reason:
        return "unscored"
    if judged.unstable:
        return "unstable"
    if row.grade is not None and judged.correct is not None and row.grade != judged.correct:
        return "disagree"
    return "undecided" if judged.grounded is None or (row.grade is None and judged.correct is None) else ""


def least_certain_first(rows: Sequence[U]) -> list[U]:
    """The queue for people, in the order of `why_first`; what is alike stays as it was."""
    return sorted(rows, key=lambda row: _FIRST.index(why_first(row)))

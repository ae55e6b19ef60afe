from __future__ import annotations

import itertools
from typing import NamedTuple

from ragtriage.measure.judged import CELLS, Row, judged_table, least_certain_first, why_first
from ragtriage.types import Judged


def test_each_answer_is_in_its_cell_with_its_owner() -> None:
    rows = [
        Row("a", True, True, True),
        Row("b", True, True, False),
        Row("c", True, False, True),
        Row("d", True, False, False),
        Row("e", False, True, True),
        Row("f", False, True, False),
        Row("g", False, False, True),
        Row("h", False, False, False),
        Row("i", True, True, False),
    ]
    table = judged_table(rows)
    assert [(cell.qids, cell.kind.name, cell.kind.owner) for cell in table.cells] == [
        (("a",), "right", ""),
        (("b", "i"), "faithful but wrong", "prompt or model"),
        (("c",), "correct but ungrounded", "background knowledge"),
        (("d",), "made up", "prompt or model"),
        (("e",), "right from other passages", "golden set"),
        (("f",), "faithful to the wrong passages", "retrieval"),
        (("g",), "known by heart", "background knowledge"),
        (("h",), "made up without evidence", "retrieval"),
    ]
    assert [len(cell.qids) for cell in table.cells] == [1, 2, 1, 1, 1, 1, 1, 1]
    assert (table.n, table.undecided) == (9, ())


def test_what_was_not_judged_is_counted_and_in_no_cell() -> None:
    verdicts = (True, False, None)
    rows = [Row(f"q{number}", *row) for number, row in enumerate(itertools.product((True, False), verdicts, verdicts), start=1)]
    table = judged_table(rows)
    assert [len(cell.qids) for cell in table.cells] == [1] * 8
    assert len(table.undecided) == 2 * 9 - 8
    assert sorted([*table.undecided, *(qid for cell in table.cells for qid in cell.qids)]) == sorted(row.qid for row in rows)


def test_all_eight_cells_are_there_when_nothing_is() -> None:
    table = judged_table([])
    assert [(cell.inside, cell.grounded, cell.correct) for cell in table.cells] == list(CELLS)
    assert len(set(CELLS)) == len({kind.name for kind in CELLS.values()}) == 8
    assert (table.n, table.undecided) == (0, ())


class Waiting(NamedTuple):
    qid: str
    grade: bool | None
    judged: Judged | None


def test_the_least_certain_come_first_and_the_like_stay_in_order() -> None:
    sure = Judged(True, True, True, True, True)
    rows = [
        Waiting("sure", True, sure),
        Waiting("judged alone", None, sure),
        Waiting("no correct", None, Judged(None, True)),
        Waiting("contradicts", False, sure),
        Waiting("unstable", True, Judged(True, None, unstable=("grounded",))),
        Waiting("unscored", True, Judged(reason="timed out")),
        Waiting("unjudged", True, None),
        Waiting("nothing", None, None),
        Waiting("no grounded", True, Judged(True, None)),
        Waiting("unscored too", None, Judged(reason="it is not JSON")),
        Waiting("contradicts too", True, Judged(False, True)),
    ]
    assert [(row.qid, why_first(row)) for row in least_certain_first(rows)] == [
        ("unscored", "unscored"),
        ("unscored too", "unscored"),
        ("unstable", "unstable"),
        ("contradicts", "disagree"),
        ("contradicts too", "disagree"),
        ("no correct", "undecided"),
        ("nothing", "undecided"),
        ("no grounded", "undecided"),
        ("sure", ""),
        ("judged alone", ""),
        ("unjudged", ""),
    ]


def test_without_a_judge_what_the_grade_leaves_open_comes_first() -> None:
    rows = [Waiting("right", True, None), Waiting("open", None, None), Waiting("wrong", False, None)]
    assert [row.qid for row in least_certain_first(rows)] == ["open", "right", "wrong"]

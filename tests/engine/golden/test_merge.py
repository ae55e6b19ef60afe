from __future__ import annotations

import random
from pathlib import Path

import pytest

from ragtriage.golden.file import read_golden
from ragtriage.golden.fmt import format_golden
from ragtriage.golden.merge import is_marker, mend


def line(qid: str, text: str = "a") -> str:
    return f'{{"qid": "{qid}", "question": "{text}"}}'


def mended(*lines: str) -> tuple[list[str], int, int]:
    found = mend([one.encode() for one in lines])
    return [one.decode() for one in found.lines], found.mended, found.left


def conflict(ours: list[str], theirs: list[str], base: list[str] | None = None) -> list[str]:
    middle = ["||||||| 1a2b3c", *base] if base is not None else []
    return ["<<<<<<< HEAD", *ours, *middle, "=======", *theirs, ">>>>>>> branch"]


def test_questions_of_one_branch_are_kept_ours_first() -> None:
    assert mended(line("q0"), *conflict([line("q1")], [line("q2")]), line("q3")) == (
        [line("q0"), line("q1"), line("q2"), line("q3")], 1, 0,
    )  # fmt: skip


def test_the_same_question_on_both_is_kept_once_however_it_is_written() -> None:
    other = '{"question":"a","qid":"q1"}'
    assert mended(*conflict([line("q1")], [other])) == ([line("q1")], 1, 0)


def test_what_both_changed_stays_twice_side_by_side() -> None:
    ours, theirs = [line("q1", "b"), line("q2")], [line("q1", "c"), line("q2")]
    assert mended(*conflict(ours, theirs)) == ([line("q1", "b"), line("q1", "c"), line("q2")], 1, 0)


def test_with_the_version_before_a_change_goes_before_what_was() -> None:
    base = [line("q1", "old"), line("q2", "old"), line("q3", "old")]
    ours = [line("q1", "new"), line("q2", "old"), line("q3", "mine")]
    theirs = [line("q1", "old"), line("q2", "new"), line("q3", "theirs")]
    assert mended(*conflict(ours, theirs, base))[0] == [
        line("q1", "new"),
        line("q2", "new"),
        line("q3", "mine"),
        line("q3", "theirs"),
    ]


def test_a_question_that_one_branch_removed_stays() -> None:
    base = [line("q1"), line("q2")]
    assert mended(*conflict([line("q1", "b")], [line("q1"), line("q2")], base))[0] == [line("q1", "b"), line("q2")]


def test_what_both_left_alone_stays() -> None:
    assert mended(*conflict([line("q1"), line("q2", "b")], [line("q1"), line("q2", "c")], [line("q1"), line("q2")]))[0] == [
        line("q1"), line("q2", "b"), line("q2", "c"),
    ]  # fmt: skip


@pytest.mark.parametrize(
    "lines",
    [
        conflict(["nonsense"], [line("q1")]),
        conflict([line("q1")], ["[1]"]),
        conflict([line("q1")], ['{"mine": 1}']),
        conflict([line("q1")], [line("q2")], ["nonsense"]),
        conflict(['{"qid": "q", "qid": "q", "question": "a"}'], []),
    ],
)
def test_a_conflict_with_a_line_that_is_no_question_is_left(lines: list[str]) -> None:
    assert mended(*lines, line("q9")) == ([*lines, line("q9")], 0, 1)


@pytest.mark.parametrize(
    "lines",
    [
        ["======="],
        [">>>>>>> x"],
        ["<<<<<<< x", line("q1")],
        ["<<<<<<< x", line("q1"), "======="],
        ["<<<<<<< x", line("q1"), ">>>>>>> x"],
        ["<<<<<<< x", "=======", "=======", ">>>>>>> x"],
    ],
)
def test_markers_that_do_not_fit_are_left(lines: list[str]) -> None:
    out, mends, left = mended(*lines)
    assert (out, mends) == (lines, 0)
    assert left


def test_a_whole_conflict_inside_a_broken_one_is_mended() -> None:
    assert mended("<<<<<<< x", line("q0"), *conflict([line("q1")], [line("q2")]))[0] == [
        "<<<<<<< x",
        line("q0"),
        line("q1"),
        line("q2"),
    ]


@pytest.mark.parametrize(("text", "is_one"), [
    ("<<<<<<< HEAD", True), ("<<<<<<<", True), ("=======\r", True), ("||||||| x", True), (">>>>>>> y", True),
    ("<<<<<<<<< x", False), ("======= x", False), ('{"a": "<<<<<<< "}', False), ("", False), ("<<<<<<", False),
])  # fmt: skip
def test_markers(text: str, is_one: bool) -> None:
    assert is_marker(text.encode()) is is_one


def test_carriage_returns_make_no_difference() -> None:
    data = "".join(f"{one}\r\n" for one in conflict([line("q1")], [line("q1"), line("q2")])).encode()
    found = format_golden(data, "g", fix=True)
    assert found.data.decode().splitlines() == [line("q1"), line("q2")]
    assert (found.mended, found.conflicts) == (1, 0)


def test_around_a_conflict_that_is_left_nothing_is_taken_out() -> None:
    lines = [line("q1"), *conflict([line("q1"), "junk"], [line("q1")]), '{"question":"b","qid":"q2"}']
    found = format_golden("\n".join(lines).encode(), "g", fix=True)
    assert found.data.decode().splitlines() == [*lines[:-1], line("q2", "b")]
    assert (found.mended, found.conflicts) == (0, 3)


def test_nothing_is_lost_whatever_the_conflict() -> None:
    rng = random.Random(7)
    for _ in range(500):
        pool = [line(f"q{rng.randrange(4)}", rng.choice("ab")) for _ in range(12)]
        parts = [sorted(rng.sample(pool, rng.randrange(5))) for _ in range(3)]
        base = parts[2] if rng.random() < 0.5 else None
        lines = conflict(parts[0], parts[1], base)
        out, mends, left = mended(*lines)
        assert (mends, left) == (1, 0)
        before = set(base or [])
        for side in parts[:2]:
            for one in side:
                qid = one.split('"')[3]
                assert one in out or (one in before and any(qid in other for other in out))
        assert set(out) <= {*parts[0], *parts[1]}
        assert mended(*out) == (out, 0, 0)


def test_an_id_on_several_lines_is_told_with_what_to_do(tmp_path: Path) -> None:
    path = tmp_path / "golden.jsonl"

    def told(*lines: str) -> list[str]:
        path.write_text("\n".join(lines), encoding="utf-8")
        return [problem.message for problem in read_golden(path).problems]

    assert told(line("q1"), line("q1", "b")) == [
        f"q1 is also on line {other}; none is used until all but one are removed or renamed" for other in (2, 1)
    ]
    assert told(line("q1"), line("q2"), '{"question": "a", "qid": "q1"}')[0].startswith(
        "q1 is also on line 3 and says the same"
    )
    assert told(line("q1"), line("q1")) == [
        f"q1 is also on line {other} and says the same there; ragtriage golden fmt keeps one of them" for other in (2, 1)
    ]
    many = told(*(line("q1", str(number)) for number in range(3000)))
    assert many[0].startswith("q1 is also on line 2, 3, 4, 5, 6, 7, 8, 9 and 2991 more; none is used")
    assert max(map(len, many)) < 120

from __future__ import annotations

from pathlib import Path

import pytest

from ragtriage.errors import InputError
from ragtriage.interchange.runs import RunFile, read_run, write_run

SCORES = {"1": {"a": 2.5, "b": 1.0}, "2": {"a": -3.0}}
RANKS = {"1": {"a": -1.0, "b": -2.0}, "2": {"a": -1.0}}


def at(tmp_path: Path, text: str) -> Path:
    path = tmp_path / "r"
    path.write_bytes(text.encode())
    return path


@pytest.mark.parametrize(
    ("text", "run"),
    [
        ("1 Q0 a 1 2.5 t\n1 Q0 b 2 1 t\n2 Q0 a 1 -3e0 t\n", SCORES),
        ("1\tQ0\t a\t7\t2.5\tt\r\n1\tQ0\tb\tx\t1\tt\r\n2\tQ0\ta\t-\t-3\tt", SCORES),
        ("qid,doc,score\n1,a,2.5\n1,b,1\n2,a,-3\n", SCORES),
        ("1\ta\t2.5\n1\tb\t1\n2\ta\t-3\n", SCORES),
        ("rank;score;doc;qid\n1;2.5;a;1\n9;1;b;1\n1;-3;a;2\n", SCORES),
        ("1\ta\t1\n1\tb\t2\n2\ta\t1\n", RANKS),
        ("query_id,doc_id,rank\n1,a,1\n1,b,2\n2,a,1\n", RANKS),
        ("1 a 1\n1 b 2\n2 a 1\n", RANKS),
    ],
)
def test_every_form_says_the_same(tmp_path: Path, text: str, run: dict[str, dict[str, float]]) -> None:
    assert read_run(at(tmp_path, text)) == run


def test_three_columns_that_do_not_count_up_are_scores(tmp_path: Path) -> None:
    assert read_run(at(tmp_path, "1 a 3\n1 b 2\n1 c 1\n")) == {"1": {"a": 3.0, "b": 2.0, "c": 1.0}}


def test_of_a_document_listed_twice_the_better_counts(tmp_path: Path) -> None:
    assert read_run(at(tmp_path, "1 Q0 a 1 2 t\n1 Q0 b 2 3 t\n1 Q0 a 3 1 t\n")) == {"1": {"a": 2.0, "b": 3.0}}


def test_questions_that_are_mixed_are_put_together(tmp_path: Path) -> None:
    path = at(tmp_path, "1 Q0 a 1 2.5 t\n2 Q0 a 1 -3 t\n1 Q0 b 2 1 t\n")
    assert read_run(path) == SCORES
    file = RunFile(path)
    held = {one.qid: one.docs for one in file.questions()}
    assert (held, file.lines) == ({b"1": [b"a", b"b"], b"2": [b"a"]}, 3)


def test_questions_nobody_wants_are_counted(tmp_path: Path) -> None:
    file = RunFile(at(tmp_path, "1 Q0 a 1 2.5 t\n2 Q0 a 1 -3 t\n3 Q0 b 2 1 t\n2 Q0 b 1 1 t\n"))
    assert [one.qid for one in file.questions({b"1"})] == [b"1"]
    assert file.unknown == {b"2", b"3"}


def test_all_bad_lines_are_named(tmp_path: Path) -> None:
    text = "1 Q0 a 1 2.5 t\n1 Q0 b 2 nan t\n1 Q0 c 3 -inf t\n1 Q0 d 4\n\n1 Q0 e 5 1_0 t\n1 Q0 f 6 ten t\n2 Q0 a 1 -3 t\n"
    with pytest.raises(InputError) as caught:
        read_run(at(tmp_path, text))
    assert [problem.line for problem in caught.value.problems] == [2, 3, 4, 6, 7]
    file = RunFile(at(tmp_path, text))
    assert [one.docs for one in file.questions()] == [[b"a"], [b"a"]]


def test_a_column_too_few_and_one_too_many_do_not_make_it_up(tmp_path: Path) -> None:
    text = "".join(f"1 Q0 a{n} 1 2 t\n" for n in range(5)) + "1 Q0 b 1 2\n1 Q0 c 1 2 t t\n" + "1 Q0 d\0 1 2 t\n"
    file = RunFile(at(tmp_path, text))
    (one,) = file.questions()
    assert one.docs == [b"a0", b"a1", b"a2", b"a3", b"a4", b"d\0"]
    assert [problem.line for problem in file.problems] == [6, 7]


@pytest.mark.parametrize("text", ["", "\n\n", "1 Q0 a 1 nan t\n", "not a run at all\n", "qid,doc,score\n"])
def test_nothing_to_use_is_an_error(tmp_path: Path, text: str) -> None:
    with pytest.raises(InputError, match=str(tmp_path)):
        read_run(at(tmp_path, text))


@pytest.mark.parametrize("name", ["r.run", "r.csv"])
def test_what_is_written_reads_back_in_its_order(tmp_path: Path, name: str) -> None:
    run = {"1": {"b": 2.0, "a": 2.0, "c": 2.0, "d": 0.0, "e": 0.0, "f": -1.5, "g": -1.5, "h": 1e-7}}
    write_run(tmp_path / name, run)
    found = read_run(tmp_path / name)["1"]
    assert sorted(found, key=lambda doc: -found[doc]) == ["b", "a", "c", "h", "d", "e", "f", "g"]
    assert len(set(found.values())) == 8
    assert all(abs(found[doc] - score) < 1e-6 for doc, score in run["1"].items())


@pytest.mark.parametrize("score", [float("nan"), float("inf"), 1e300])
def test_what_is_no_32_bit_score_is_not_written(tmp_path: Path, score: float) -> None:
    with pytest.raises(InputError, match="not a finite"):
        write_run(tmp_path / "r", {"1": {"a": score}})
    assert list(tmp_path.iterdir()) == []

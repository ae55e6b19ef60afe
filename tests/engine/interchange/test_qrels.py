from __future__ import annotations

from pathlib import Path

import pytest

from ragtriage.errors import InputError
from ragtriage.interchange.qrels import read_qrels, write_qrels

GRADES = {"1": {"a": 2.0, "b": 0.0}, "2": {"a": 1.0}}


@pytest.mark.parametrize(
    "text",
    [
        "1 0 a 2\n1 0 b 0\n2 0 a 1\n",
        "1\t0\ta\t2\r\n1\t0\tb\t0\r\n\r\n2\tQ0\ta\t1",
        "query-id\tcorpus-id\tscore\n1\ta\t2\n1\tb\t0\n2\ta\t1\n",
        "1\ta\t2\n1\tb\t0\n2\ta\t1\n",
        "1 a 2\n1 b 0\n2 a 1\n",
        "qid,doc,grade\n1,a,2\n1,b,0\n2,a,1\n",
        'grade;docid;"query"\n2; a ;1\n0;"b";1\n1;a;2\n',
        "1,a,2\n1,b,0\n2,a,1\n",
        "\ufeff1 0 a 2\n1 0 b 0\n2 0 a 1\n",
    ],
)
def test_every_form_says_the_same(tmp_path: Path, text: str) -> None:
    path = tmp_path / "q"
    path.write_text(text, encoding="utf-8", newline="")
    found = read_qrels(path)
    assert found.as_dict() == GRADES
    assert found.problems == ()
    assert found.judgements == 3


def test_all_bad_lines_are_named_and_the_others_used(tmp_path: Path) -> None:
    path = tmp_path / "q"
    path.write_text("1 0 a 1\n1 0 b\n1 0 c nan\n1 0 d 1_0\n1 0 e one\n2 0 a 1\n2 0 a 3\n", encoding="utf-8")
    found = read_qrels(path)
    assert found.as_dict() == {"1": {"a": 1.0}, "2": {"a": 3.0}}
    assert [(one.line, one.severity) for one in found.problems] == [
        (2, "error"), (3, "error"), (4, "error"), (5, "error"), (7, "warning"),
    ]  # fmt: skip


def test_ids_with_spaces_stand_between_tabs(tmp_path: Path) -> None:
    path = tmp_path / "q"
    path.write_text("1\t0\tmy file.md\t1\n1 0 plain 1\n", encoding="utf-8")
    assert read_qrels(path).as_dict() == {"1": {"my file.md": 1.0, "plain": 1.0}}


def test_negative_grades_are_kept(tmp_path: Path) -> None:
    path = tmp_path / "q"
    path.write_text("1 0 a -1\n", encoding="utf-8")
    assert read_qrels(path).as_dict() == {"1": {"a": -1.0}}


def test_a_beir_folder_is_its_judgements(tmp_path: Path) -> None:
    (tmp_path / "qrels").mkdir()
    (tmp_path / "qrels" / "test.tsv").write_text("query-id\tcorpus-id\tscore\n1\ta\t2\n1\tb\t0\n2\ta\t1\n", encoding="utf-8")
    assert read_qrels(tmp_path).as_dict() == GRADES
    with pytest.raises(InputError, match="holds no judgements"):
        read_qrels(tmp_path / "qrels")


@pytest.mark.parametrize("text", ["", "\n \n", "hello world\n", '{"qid": 1}\n', "qid,doc,grade\n", "1 0 a nan\n"])
def test_nothing_to_use_is_an_error(tmp_path: Path, text: str) -> None:
    path = tmp_path / "q"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(InputError, match=str(path)):
        read_qrels(path)


@pytest.mark.parametrize("name", ["q.qrels", "q.tsv", "q.csv"])
def test_what_is_written_reads_back(tmp_path: Path, name: str) -> None:
    grades = {"1": {"a": 2.0, "ü#3": 0.5, "b": -1.0}}
    write_qrels(tmp_path / name, grades)
    assert read_qrels(tmp_path / name).as_dict() == grades


def test_an_id_that_would_be_cut_in_two_is_not_written(tmp_path: Path) -> None:
    spaced = {"1": {"my file.md": 1.0}}
    with pytest.raises(InputError, match=r"'my file\.md'; a \.csv file takes them"):
        write_qrels(tmp_path / "q", spaced)
    for name in ("q.tsv", "q.csv"):
        write_qrels(tmp_path / name, spaced)
        assert read_qrels(tmp_path / name).as_dict() == spaced
    with pytest.raises(InputError):
        write_qrels(tmp_path / "q.tsv", {"1": {"a\tb": 1.0}})
    assert sorted(path.name for path in tmp_path.iterdir()) == ["q.csv", "q.tsv"]

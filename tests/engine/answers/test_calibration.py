from __future__ import annotations

import json
import math
import os
import tempfile
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import spearmanr
from sklearn.metrics import cohen_kappa_score
from statsmodels.stats.inter_rater import cohens_kappa

from ragtriage.answers.calibration import AxisFigures, Calibration, Pair, calibrate, calibration_of
from ragtriage.answers.calibration_file import load_calibration, save_calibration
from ragtriage.errors import GoldenError, StorageError
from ragtriage.triage.reviews import Review
from ragtriage.types import AXES, Judged


def pairs(*rows: tuple[bool | None, bool | None, int]) -> list[Pair]:
    """(judge, person, length) of `correct`, named q1, q2, …"""
    return [
        Pair(f"q{number}", Judged(correct=judge), Review(f"r-{number}", f"q{number}", "sha", correct=person), length)
        for number, (judge, person, length) in enumerate(rows, start=1)
    ]


def figures(*rows: tuple[bool | None, bool | None, int]) -> AxisFigures:
    return calibrate(pairs(*rows))["correct"]


KNOWN = [(True, True, 10)] * 20 + [(True, False, 10)] * 5 + [(False, True, 10)] * 10 + [(False, False, 10)] * 15


def test_a_table_with_a_known_confusion_matrix() -> None:
    found = figures(*KNOWN)
    assert (found.n, found.undecided, found.agreement) == (50, 0, 35 / 50)
    assert found.false_positives == tuple(f"q{number}" for number in range(21, 26))
    assert found.false_negatives == tuple(f"q{number}" for number in range(26, 36))
    scikit = cohen_kappa_score([judge for judge, _, _ in KNOWN], [person for _, person, _ in KNOWN])
    stats = cohens_kappa([[15, 10], [5, 20]])
    assert found.kappa == pytest.approx(scikit, abs=1e-6) == pytest.approx(0.4)
    assert (found.low, found.high) == (pytest.approx(stats.kappa_low, abs=1e-6), pytest.approx(stats.kappa_upp, abs=1e-6))


def test_what_one_side_cannot_tell_is_counted_apart() -> None:
    found = figures((True, True, 1), (None, False, 1), (True, None, 1), (False, False, 1))
    assert (found.n, found.undecided, found.agreement) == (2, 2, 1.0)


def test_each_axis_has_its_own_figures() -> None:
    judged = Judged(True, False, None, True, True)
    person = Review("r-1", "q1", "sha", True, True, True, "unsure", False)
    found = calibrate([Pair("q1", judged, person, 5)])
    assert tuple(found) == AXES
    assert [found[axis].n for axis in AXES] == [1, 1, 0, 0, 1]
    assert found["grounded"].false_negatives == found["addresses"].false_positives == ("q1",)


def test_nothing_reviewed_has_figures_that_say_so() -> None:
    found = calibrate([])["correct"]
    assert (found.n, found.agreement, found.kappa, found.length_bias) == (0, None, None, None)
    assert str(found) == "no kappa (nothing was rated by both), n 0, too few"


def test_a_judge_that_falls_for_length_is_told_by_the_sign() -> None:
    kind_to_long = [(True, False, 900), (True, True, 400), (False, False, 300), (False, True, 20)]
    found = figures(*kind_to_long)
    ranks, differences = [4, 3, 2, 1], [4, 2.5, 2.5, 1]  # of 1, 0, 0, -1
    assert found.length_bias == pytest.approx(
        sum((a - 2.5) * (b - 2.5) for a, b in zip(ranks, differences, strict=True))
        / math.sqrt(sum((a - 2.5) ** 2 for a in ranks) * sum((b - 2.5) ** 2 for b in differences))
    )
    assert found.length_bias > 0.9
    mirrored = figures(*[(person, judge, length) for judge, person, length in kind_to_long])
    assert mirrored.length_bias == pytest.approx(-found.length_bias)


def test_no_difference_or_one_length_has_no_bias() -> None:
    assert figures((True, True, 1), (False, False, 900)).length_bias is None
    assert figures((True, False, 7), (False, True, 7)).length_bias is None


@settings(deadline=None)
@given(st.lists(st.tuples(st.booleans(), st.booleans(), st.integers(0, 5)), min_size=2, max_size=40))
def test_the_bias_is_scipys_rank_correlation(rows: list[tuple[bool, bool, int]]) -> None:
    found = figures(*rows).length_bias
    lengths, differences = [length for _, _, length in rows], [judge - person for judge, person, _ in rows]
    if found is None:
        assert len(set(lengths)) == 1 or len(set(differences)) == 1
    else:
        assert found == pytest.approx(spearmanr(lengths, differences).statistic, abs=1e-9)


def test_too_few_is_said_and_shown_all_the_same() -> None:
    few, enough = figures(*KNOWN[:5], *KNOWN[-5:]), figures(*KNOWN)
    assert (few.few, enough.few) == (True, False)
    assert str(few) == "kappa 1.00 (1.00 to 1.00), n 10, too few"
    assert str(enough) == f"kappa 0.40 ({enough.low:.2f} to {enough.high:.2f}), n 50"
    assert str(figures(*[(True, True, 1)] * 30)).startswith("no kappa (both always say the same one thing")


def test_who_always_says_one_thing_is_named_and_the_numbers_stay() -> None:
    judge = figures(*[(True, True, 1)] * 8, *[(True, False, 1)] * 4)
    assert str(judge) == "the judge always says yes (n 12): kappa says nothing"
    assert (judge.kappa, judge.low, judge.high, judge.says_nothing) == (0.0, 0.0, 0.0, True)
    people = figures(*[(True, False, 1)] * 8, *[(False, False, 1)] * 40)
    assert str(people) == "people always say no (n 48): kappa says nothing"
    assert figures(*[(True, True, 1)] * 30).says_nothing
    assert not figures(*KNOWN).says_nothing


def test_it_is_kept_in_a_file_and_read_back(tmp_path: Path) -> None:
    path = tmp_path / "evals" / "calibration.json"
    assert load_calibration(path) is None
    calibration = Calibration("openai(model=x) rubric=1", "2026-11-30T14:02:11Z", calibrate(pairs(*KNOWN, (None, True, 3))))
    save_calibration(path, calibration)
    assert load_calibration(path) == calibration
    value = json.loads(path.read_text(encoding="utf-8"))
    assert (value["format"], value["judge"], list(value["axes"])) == (1, calibration.judge, list(AXES))
    assert set(value["axes"]["correct"]) == {
        "n", "undecided", "agreement", "kappa", "low", "high", "why", "false_positives", "false_negatives", "length_bias"
    }  # fmt: skip
    save_calibration(path, Calibration("another", "2026-12-01T00:00:00Z", calibrate([])))
    assert [one.name for one in path.parent.iterdir()] == ["calibration.json"]


@settings(deadline=None)
@given(st.lists(st.tuples(st.sampled_from([True, False, None]), st.sampled_from([True, False, None]), st.integers(0, 9))))
def test_whatever_was_found_can_be_read_back(rows: list[tuple[bool | None, bool | None, int]]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        calibration = Calibration("j", "now", calibrate(pairs(*rows)))
        save_calibration(Path(folder) / "c.json", calibration)
        assert load_calibration(Path(folder) / "c.json") == calibration


def test_figures_are_those_of_one_judge_alone() -> None:
    calibration = Calibration("judge one", "now", calibrate(pairs(*KNOWN)))
    assert calibration_of(calibration, "correct", "judge one") == figures(*KNOWN)
    assert calibration_of(calibration, "correct", "judge two") is None
    assert calibration_of(calibration, "grounded", "judge one") is None, "nobody has reviewed that"
    assert calibration_of(None, "correct", "judge one") is None
    assert calibration_of(Calibration("judge one", "now", {}), "correct", "judge one") is None


def with_correct(**fields: Any) -> str:
    axis = {"n": 1, "undecided": 0, "agreement": 1, "kappa": None, "low": None, "high": None, "why": "", "false_positives": [],
            "false_negatives": [], "length_bias": None}  # fmt: skip
    return json.dumps({"format": 1, "judge": "j", "at": "now", "axes": {"correct": {**axis, **fields}}})


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("", "not JSON"),
        ("<<<<<<< ours\n{}", "not JSON"),
        ("[" * 5000, "not JSON"),
        ("[]", "the file: a JSON object is needed"),
        ("{}", "format: 1 is needed"),
        ('{"format": 2, "judge": "j"}', "another version"),
        ('{"format": 1, "judge": "j", "at": "now"}', "axes: a JSON object is needed"),
        ('{"format": 1, "judge": 7, "at": "now", "axes": {}}', "judge: a string"),
        ('{"format": 1, "judge": "j", "at": "now", "axes": {"correct": 1}}', "correct: a JSON object is needed"),
        (with_correct(n=-1), "correct.n: a count"),
        (with_correct(n=True), "correct.n: a count"),
        (with_correct(kappa=float("nan")), "correct.kappa: a number"),
        (with_correct(kappa="0.9"), "correct.kappa: a number"),
        (with_correct(high=10**400), "correct.high: a number"),
        (with_correct(agreement=True), "correct.agreement: a number"),
        (with_correct(false_positives="q1"), "a list of question ids"),
        (with_correct(false_negatives=[1]), "a list of question ids"),
        (with_correct(why=None), "correct.why: a string"),
    ],
)
def test_a_file_that_is_anything_else_is_one_message(text: str, says: str, tmp_path: Path) -> None:
    path = tmp_path / "calibration.json"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(GoldenError, match=says) as raised:
        load_calibration(path)
    assert str(raised.value).startswith(f"{path}: ")
    assert len(raised.value.problems) == 1


def test_a_folder_or_pipe_in_its_place_is_one_message(tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    os.mkfifo(tmp_path / "pipe")
    for name in ("folder", "pipe"):
        with pytest.raises(GoldenError, match="cannot be read"):
            load_calibration(tmp_path / name)
        with pytest.raises(StorageError):
            save_calibration(tmp_path / name, Calibration("j", "now", {}))


def test_an_axis_of_a_later_version_is_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "calibration.json"
    value = json.loads(with_correct())
    value["axes"]["kind"] = {"n": "many"}
    path.write_text(json.dumps(value), encoding="utf-8")
    found = load_calibration(path)
    assert found is not None
    assert list(found.axes) == ["correct"]

from __future__ import annotations

import math
import warnings

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.metrics import cohen_kappa_score
from statsmodels.stats.inter_rater import cohens_kappa as reference

from ragtriage.answers.kappa import Kappa, cohens_kappa

# counts in the thousands with nearly no variance are left out: there the reference's own rounding reaches the sixth decimal
TABLES = st.integers(1, 4).flatmap(
    lambda size: st.lists(
        st.lists(st.sampled_from([0, 0, 1, 2, 3, 7, 40, 200]), min_size=size, max_size=size), min_size=size, max_size=size
    )
)


def test_the_arithmetic_of_a_table_from_the_textbook() -> None:
    found = cohens_kappa([[20, 5], [10, 15]])
    assert (found.n, found.agreement) == (50, 35 / 50)
    expected = (25 / 50) * (30 / 50) + (25 / 50) * (20 / 50)
    assert found.kappa == pytest.approx((35 / 50 - expected) / (1 - expected)) == pytest.approx(0.4)
    assert found.kappa is not None
    assert found.low is not None
    assert found.high is not None
    assert found.high - found.kappa == pytest.approx(found.kappa - found.low)


@pytest.mark.parametrize("table", [[[9, 0], [0, 0]], [[0, 0], [0, 1]]])
def test_one_class_only_has_no_kappa_and_says_why(table: list[list[int]]) -> None:
    found = cohens_kappa(table)
    assert (found.agreement, found.kappa, found.low, found.high) == (1.0, None, None, None)
    assert "always say the same" in found.why


@pytest.mark.parametrize("table", [[], [[0]], [[0, 0], [0, 0]]])
def test_nothing_rated_has_no_figures(table: list[list[int]]) -> None:
    assert cohens_kappa(table) == Kappa(0, None, why="nothing was rated by both")


def test_one_rater_with_one_class_is_chance() -> None:
    people, judge = cohens_kappa([[3, 0], [9, 0]]), cohens_kappa([[0, 0], [4, 8]])
    assert (people.kappa, people.low, people.high, people.one_sided) == (0.0, 0.0, 0.0, ("columns", 0))
    assert (judge.kappa, judge.low, judge.high, judge.one_sided) == (0.0, 0.0, 0.0, ("rows", 1))
    assert judge.why == "the rater of the rows always says the same one thing"
    assert cohens_kappa([[0, 4], [0, 0]]).kappa == 0.0
    assert (cohens_kappa([[1, 4], [0, 0]]).one_sided, cohens_kappa([[1, 4], [1, 0]]).one_sided) == (("rows", 0), None)


def test_perfect_agreement_and_disagreement() -> None:
    assert cohens_kappa([[5, 0], [0, 7]])[2:5] == (1.0, 1.0, 1.0)
    assert cohens_kappa([[0, 5], [5, 0]]).kappa == -1.0


def test_a_variance_of_nothing_is_exactly_nothing() -> None:
    for table in ([[0, 0], [1, 3431]], [[100_000, 0], [0, 1]]):
        found = cohens_kappa(table)
        assert found.low == found.kappa == found.high


@pytest.mark.parametrize("table", [[[1, 2]], [[1, 2], [3]], [[1, -1], [0, 3]]])
def test_what_is_no_table_is_refused(table: list[list[int]]) -> None:
    with pytest.raises(ValueError, match="a square table"):
        cohens_kappa(table)


@settings(deadline=None)
@given(TABLES)
def test_kappa_is_scikit_learns(table: list[list[int]]) -> None:
    found = cohens_kappa(table)
    if found.kappa is None:
        return
    size = len(table)
    cells = [(row, column) for row in range(size) for column in range(size) for _ in range(min(table[row][column], 50))]
    small = [[min(count, 50) for count in row] for row in table]
    expected = cohen_kappa_score([row for row, _ in cells], [column for _, column in cells])
    assert cohens_kappa(small).kappa == pytest.approx(expected, abs=1e-6)


@settings(deadline=None)
@given(TABLES)
def test_the_interval_is_statsmodels(table: list[list[int]]) -> None:
    found = cohens_kappa(table)
    if found.kappa is None or found.low is None or found.high is None:
        return
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)  # the root of a rounding error below 0
        expected = reference(table)
        assert found.kappa == pytest.approx(expected.kappa, abs=1e-6)
        if math.isfinite(expected.kappa_low):
            assert found.low == pytest.approx(expected.kappa_low, abs=1e-6)
            assert found.high == pytest.approx(expected.kappa_upp, abs=1e-6)
        else:
            assert found.high == pytest.approx(found.low, abs=1e-6)
    assert found.agreement == pytest.approx(sum(table[at][at] for at in range(len(table))) / found.n)

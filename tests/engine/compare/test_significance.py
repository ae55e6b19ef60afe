from __future__ import annotations

import itertools
import math
import random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats
from statsmodels.stats.contingency_tables import mcnemar
from tests.soak import rounds

from ragtriage.compare.significance import difference_interval, sign_flip

QUARTERS = st.sampled_from([-1.0, -0.5, -0.25, 0.0, 0.25, 0.5, 1.0, 1 / 3, -1 / 3])


def permuted(differences: list[float], alternative: str, resamples: float) -> float:
    return float(
        stats.permutation_test(
            (np.array(differences),),
            lambda one, axis=-1: np.round(one.sum(axis=axis), 9),
            permutation_type="samples",
            vectorized=True,
            n_resamples=resamples,
            alternative=alternative,
            rng=np.random.default_rng(1),
        ).pvalue
    )


def test_five_lost_and_one_won() -> None:
    found = sign_flip([-1] * 5 + [1] + [0] * 44)
    assert found.p == 2 * (1 + 6) / 2**6
    assert found.p_loss == (1 + 6) / 2**6
    assert (found.changed, found.exact) == (6, True)


def test_nothing_changed() -> None:
    assert sign_flip([]) == sign_flip([0.0, 1e-12]) == (1.0, 1.0, 0, True)


def test_the_order_of_adding_makes_no_tie_a_difference() -> None:
    tenths = [0.1, 0.2, -0.3]
    assert {sign_flip(list(order)).p for order in itertools.permutations(tenths)} == {1.0}


@settings(max_examples=rounds(40, 400), deadline=None)
@given(st.lists(QUARTERS, min_size=2, max_size=12))
def test_p_is_that_of_scipy(differences: list[float]) -> None:
    found = sign_flip(differences)
    assert found.p == pytest.approx(permuted(differences, "two-sided", math.inf), abs=1e-6)
    assert found.p_loss == pytest.approx(permuted(differences, "less", math.inf), abs=1e-6)


@settings(max_examples=rounds(100, 1000), deadline=None)
@given(st.integers(0, 16), st.data())
def test_p_of_hits_is_mcnemars_exact(changed: int, data: st.DataObject) -> None:
    lost = data.draw(st.integers(0, changed))
    found = sign_flip([-1.0] * lost + [1.0] * (changed - lost))
    expected = mcnemar([[0, lost], [changed - lost, 0]], exact=True).pvalue if changed else 1.0
    assert found.p == pytest.approx(expected, abs=1e-6)


@pytest.mark.parametrize("seed", range(rounds(4, 40)))
def test_beyond_sixteen_it_is_mcnemars_within_monte_carlo_error(seed: int) -> None:
    rng = random.Random(seed)
    changed = rng.randint(17, 120)
    lost = rng.randint(changed // 3, changed * 2 // 3)
    found = sign_flip([-1.0] * lost + [1.0] * (changed - lost) + [0.0] * 100)
    assert not found.exact
    expected = mcnemar([[0, lost], [changed - lost, 0]], exact=True).pvalue
    assert found.p == pytest.approx(expected, abs=5 * math.sqrt(expected * (1 - expected) / 19_999) + 1e-4)
    less = stats.binomtest(lost, changed, alternative="greater").pvalue
    assert found.p_loss == pytest.approx(less, abs=5 * math.sqrt(less * (1 - less) / 19_999) + 1e-4)


def test_chance_never_has_p_zero_and_the_seed_is_fixed() -> None:
    found = sign_flip([-1.0] * 200)
    assert found.p == found.p_loss == 1 / 20_000
    rng = random.Random(3)
    many = [rng.uniform(-1, 1) for _ in range(300)]
    assert sign_flip(many) == sign_flip(many)
    assert sign_flip(many) != sign_flip(many, seed=4)
    assert sign_flip(many).p == pytest.approx(permuted(many, "two-sided", 20_000), abs=0.02)


@pytest.mark.parametrize("bad", [math.nan, math.inf])
def test_what_is_not_finite_is_refused(bad: float) -> None:
    with pytest.raises(ValueError, match="finite"):
        sign_flip([0.0, bad])
    with pytest.raises(ValueError, match="finite"):
        difference_interval([0.5], [bad])
    with pytest.raises(ValueError, match="1 and 2"):
        difference_interval([1.0], [1.0, 1.0])


@settings(max_examples=rounds(100, 1000), deadline=None)
@given(st.integers(0, 60), st.integers(0, 60), st.integers(0, 60), st.integers(0, 60))
def test_hits_have_the_adjusted_wald_interval(lost: int, won: int, both: int, none: int) -> None:
    n = lost + won + both + none
    base = [1.0] * lost + [0.0] * won + [1.0] * both + [0.0] * none
    head = [0.0] * lost + [1.0] * won + [1.0] * both + [0.0] * none
    found = difference_interval(base, head)
    assert found.method == "wald"
    if not n:
        assert (found.low, found.high) == (None, None)
        return
    p12, p21 = (won + 1) / (n + 2), (lost + 1) / (n + 2)  # Bonett and Price 2012, equation 6
    half = stats.norm.ppf(0.975) * math.sqrt((p12 + p21 - (p12 - p21) ** 2) / (n + 2))
    assert found.low == pytest.approx(max(-1, p12 - p21 - half), abs=1e-6)
    assert found.high == pytest.approx(min(1, p12 - p21 + half), abs=1e-6)


@pytest.mark.parametrize("seed", range(rounds(3, 20)))
def test_other_values_have_the_bootstrap_of_scipy(seed: int) -> None:
    rng = random.Random(seed)
    base = [rng.choice([0, 0.2, 0.5, 1]) for _ in range(120)]
    head = [rng.choice([one, one, one, rng.random()]) for one in base]
    found = difference_interval(base, head, resamples=20_000)
    expected = stats.bootstrap(
        (np.array(head) - np.array(base),), np.mean, method="percentile", n_resamples=20_000, rng=np.random.default_rng(seed)
    ).confidence_interval
    assert found.method == "bootstrap"
    assert (found.low, found.high) == (pytest.approx(expected.low, abs=0.004), pytest.approx(expected.high, abs=0.004))
    assert difference_interval(base, head) == difference_interval(base, head)


def test_where_nothing_changed_resampling_says_nothing() -> None:
    assert difference_interval([0.5, 1.0], [0.5, 1.0]) == (None, None, "bootstrap")
    wald = difference_interval([1.0, 0.0], [1.0, 0.0])
    assert wald.low is not None
    assert wald.high is not None
    assert wald.low < 0 < wald.high

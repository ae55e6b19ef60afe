from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from statsmodels.stats.multitest import multipletests

from ragtriage.experiments.holm import holm


@settings(max_examples=40)
@given(st.lists(st.floats(0, 1), min_size=1, max_size=30))
def test_equal_to_statsmodels(values: list[float]) -> None:
    assert holm(values) == pytest.approx(multipletests(values, method="holm")[1].tolist(), abs=1e-12)


def test_none() -> None:
    assert holm([]) == []

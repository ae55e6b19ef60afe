"""A configuration beside the one in use: the same figures as comparing two runs, and how many questions more are needed."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
from tests.engine.compare.comparing import pairs_of_runs
from tests.engine.experiments.tables import trial

from ragtriage.compare.comparison import compare, paired_values
from ragtriage.compare.significance import difference_interval, sign_flip
from ragtriage.experiments.versus import Versus, adjusted, versus
from ragtriage.experiments.words import versus_sentence
from ragtriage.measure.results import Run
from ragtriage.metrics.base import Metric


def between(before: list[int | None], after: list[int | None]) -> Versus:
    return versus(trial("now", before)[1], trial("other", after)[1])


@given(pairs_of_runs())
def test_the_same_as_comparing_the_runs(pair: tuple[Run, Run]) -> None:
    base, head = pair
    found = versus(base, head)
    compared = compare(base, head)
    assert found.won == tuple(flip.qid for flip in compared.of("fixed"))
    assert found.lost == tuple(flip.qid for flip in compared.of("broken"))
    old = paired_values(compared.pairs, Metric("recall", base.manifest["k"])).base
    new = paired_values(compared.pairs, Metric("recall", head.manifest["k"])).head
    both = [(a, b) for a, b in zip(old, new, strict=True) if a is not None and b is not None]
    assert found.n == len(both)
    if not both:
        assert found.change is None
        return
    test = sign_flip([b - a for a, b in both])
    assert found.p == found.p_holm == test.p
    interval = difference_interval([a for a, _ in both], [b for _, b in both])
    assert (found.low, found.high) == ((interval.low, interval.high) if test.changed else (None, None))


def test_won_lost_and_change() -> None:
    found = between([9, 9, 1, None, 1], [1, 2, 9, None, 3])
    assert (found.won, found.lost, found.n) == (("q0", "q1"), ("q2",), 5)
    assert found.change == 0.2
    assert found.low is not None
    assert found.high is not None
    assert found.low < 0.2 < found.high
    assert 0 < found.p <= 1


def test_no_change_needs_no_interval_and_no_number_of_questions() -> None:
    same = between([1, 9, 1], [1, 9, 1])
    assert (same.change, same.low, same.high, same.p, same.more) == (0.0, None, None, 1.0, None)
    assert versus_sentence(same).endswith("0 won, 0 lost of 3; recall@k did not change.")
    even = between([1, 9], [9, 1])
    assert even.change == 0.0
    assert even.more is None  # however many there are, a change of 0 stands out of nothing
    assert versus_sentence(even).endswith("That may be chance.")


def test_how_many_questions_more() -> None:
    # 2 of 10 won: mean 0.2, sample deviation sqrt((2 * 0.64 + 8 * 0.04) / 9); ((1.96 + 0.8416) * 0.4216 / 0.2)^2 = 34.88
    found = between([9] * 10, [1] * 2 + [9] * 8)
    assert found.more == 35 - 10
    assert "about 25 questions more would show" in versus_sentence(found)
    settled = between([9] * 10, [1] * 8 + [9] * 2)
    assert settled.p < 0.05
    assert settled.more == 0


def test_a_change_of_one_in_many_needs_very_many_and_no_more_than_that_is_said() -> None:
    found = between([9] * 500 + [1] * 499, [1] * 500 + [9] * 499)
    assert found.more == 100_000


@given(st.lists(st.tuples(st.sampled_from([1, 9]), st.sampled_from([1, 9])), min_size=1, max_size=40))
def test_more_is_there_where_a_change_is_and_is_not_settled(pairs: list[tuple[int, int]]) -> None:
    found = between([a for a, _ in pairs], [b for _, b in pairs])
    if not found.change:
        assert found.more in (None, 0)
    elif found.p < 0.05:
        assert found.more == 0
    else:
        assert found.more is not None
        assert found.more >= 1


def test_holm_over_all_rows() -> None:
    rows = [between([9] * 10, [1] * count + [9] * (10 - count)) for count in (8, 6, 1)]
    found = adjusted(rows)
    assert [row.p for row in found] == [row.p for row in rows]
    assert found[0].p_holm == rows[0].p * 3
    assert found[1].p_holm == rows[1].p * 2
    assert found[2].p_holm == 1.0
    assert adjusted([]) == []

"""The decision over plain columns. The wordings of the issue stand here as they are printed."""

from __future__ import annotations

import math
import random
from collections.abc import Sequence
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.soak import rounds

from ragtriage.gate.decision import gate, tolerance_for
from ragtriage.gate.inputs import Floor, Gated, GateInputs, Pair
from ragtriage.gate.results import EXIT_CODES, Gate
from ragtriage.gate.words import _p
from ragtriage.json_lines import dump_line

Value = float | None


def column(
    *, lost: int = 0, won: int = 0, found: int = 0, missed: int = 0, unmeasured: Sequence[tuple[Value, Value]] = ()
) -> tuple[Pair, ...]:
    values: list[tuple[Value, Value]] = [(1.0, 0.0)] * lost + [(0.0, 1.0)] * won + [(1.0, 1.0)] * found + [(0.0, 0.0)] * missed
    return tuple(Pair(f"q{number}", *pair) for number, pair in enumerate([*values, *unmeasured]))


def decided(pairs: tuple[Pair, ...], *, gated: Sequence[Gated] = (), **more: Any) -> Gate:
    given: dict[str, Any] = {"base_questions": len(pairs), "common": len(pairs), "k_base": 5, "k_head": 5, **more}
    return gate(GateInputs((Gated("recall@5", pairs), *gated), **given))


# -- the wordings


def test_regressed_is_worded_with_what_broke_and_whether_that_is_settled() -> None:
    found = decided(column(lost=5, won=1, found=36, missed=8))
    assert found.sentences == (
        "regressed: recall@5 0.82 -> 0.74, 5 lost, 1 won of 50 (4 net, 2 allowed). These five did break; that the change is "
        "worse in general is not settled by 50 questions (p 0.22).",
    )
    assert (found.outcome, found.exit_code) == ("regressed", 1)


def test_ok_is_worded_with_its_limit() -> None:
    found = decided(column(lost=3, won=2, found=38, missed=7))
    assert found.sentences == ("ok: 3 lost, 2 won of 50, within 2 net.",)
    assert found.exit_code == 0


def test_ok_gives_the_net_where_the_count_of_questions_is_not_it() -> None:
    parts = tuple(Pair(f"q{number}", 1.0, 0.5 if number < 3 else 1.0) for number in range(50))
    assert decided(parts).sentences == ("ok: 3 lost, 0 won of 50 (1.5 net, 2.5 allowed).",)
    better = tuple(Pair(one.qid, one.head, one.base) for one in parts)
    assert decided(better).sentences == ("ok: 0 lost, 3 won of 50, within 2.5 net.",)
    lacking = (*parts[:-1], Pair("q49", 1.0, None))
    assert decided(lacking).sentences == ("ok: 3 lost, 0 won of 50, 1 not measured (at most 2.5 net, 2.5 allowed).",)


@pytest.mark.parametrize(
    ("p", "said"),
    [(0.22, "p 0.22"), (0.0546, "p 0.055"), (0.05, "p 0.05"), (0.0496, "p 0.050"), (0.046, "p 0.046"), (0.008, "p 0.008")],
)
def test_p_is_never_rounded_to_the_limit_it_is_judged_by(p: float, said: str) -> None:
    assert _p(p) == said


def test_ok_with_a_small_p_says_but_look() -> None:
    found = decided(column(lost=7, found=150, missed=43))
    assert found.sentences == ("ok, but look: 7 lost, 0 won of 200; unlikely to be chance (p 0.008).",)
    assert (found.outcome, found.exit_code) == ("ok", 0)


def test_cannot_tell_is_worded_with_both_ends() -> None:
    found = decided(column(lost=3, won=2, found=35, missed=8, unmeasured=[(1.0, None)] * 2))
    assert found.sentences == ("cannot tell: 2 of 50 not measured; between 1 and 3 net lost, 2 allowed.",)
    assert (found.outcome, found.exit_code) == ("cannot-tell", 3)


def test_many_losses_are_unlikely_to_be_chance() -> None:
    (said,) = decided(column(lost=15, found=35)).sentences
    assert said == (
        "regressed: recall@5 1.00 -> 0.70, 15 lost, 0 won of 50 (15 net, 2 allowed). These 15 did break, and that is unlikely "
        "to be chance (p < 0.001)."
    )


def test_values_that_are_no_hits_keep_their_digits() -> None:
    pairs = tuple(Pair(f"q{number}", 1.0, 0.5 if number < 6 else 1.0) for number in range(50))
    assert decided(pairs).sentences[0].startswith("regressed: recall@5 1.00 -> 0.94, 6 lost, 0 won of 50 (3 net, 2.5 allowed).")
    close = tuple(Pair(f"q{number}", 1.0, 0.8332 if number < 15 else 1.0) for number in range(50))
    assert "(2.502 net, 2.5 allowed)" in decided(close).sentences[0]


# -- tolerance


def test_the_default_tolerance_lets_three_six_and_eleven_fire() -> None:
    assert tolerance_for(50) == 0.05
    for n, fires in ((10, 3), (20, 3), (50, 3), (100, 6), (200, 11)):
        assert decided(column(lost=fires, found=n - fires)).outcome == "regressed", n
        assert decided(column(lost=fires - 1, found=n - fires + 1)).outcome == "ok", n


def test_a_loss_of_exactly_the_tolerance_is_allowed_whatever_the_floats_say() -> None:
    tenths = tuple(Pair(f"q{number}", 1.0, 0.9 if number < 30 else 1.0) for number in range(30))
    assert decided(tenths, tolerance=0.1).outcome == "ok"
    assert decided(column(lost=3, found=97), tolerance=0.03).outcome == "ok"
    assert decided(column(lost=7, found=93), tolerance=0.07).outcome == "ok"


def test_a_tolerance_that_so_few_cannot_resolve_is_a_warning_with_what_is_lacking() -> None:
    found = decided(column(found=50), tolerance=0.02)
    assert found.outcome == "ok"
    assert found.warnings == (
        "recall@5: a tolerance of 0.02 is finer than 50 questions can tell from chance; it needs 125, 75 more.",
    )
    assert "any loss at all" in decided(column(found=50), tolerance=0.0).warnings[0]
    assert decided(column(found=50), tolerance=0.05).warnings == ()
    assert decided(column(found=50)).warnings == ()


# -- cannot tell


@pytest.mark.parametrize(
    ("pairs", "why"),
    [
        ((), "no question"),
        (column(found=9), "9 questions; at least 10"),
        (column(missed=50), "could never fire"),
        (column(missed=48, found=2), "could never fire"),
        (column(unmeasured=[(1.0, None)] * 50), "nothing of the head"),
        (column(unmeasured=[(None, 1.0)] * 50), "nothing of the base"),
        (column(unmeasured=[(None, None)] * 50), "nothing of the base"),
        (column(found=40, unmeasured=[(None, 1.0)] * 3), "3 of 43 not measured; between 3 net won and 0 net lost, 2 allowed"),
    ],
)  # fmt: skip
def test_what_could_not_fire_or_was_not_measured_is_never_ok(pairs: tuple[Pair, ...], why: str) -> None:
    found = decided(pairs)
    if "3 of 43" in why:  # counted as found before and as they are now, they lose nothing
        assert found.outcome == "ok"
        return
    assert found.outcome == "cannot-tell"
    assert why in found.reasons[0]
    assert decided(pairs, tolerance=1.0).outcome == "cannot-tell"


def test_nothing_gated_is_never_ok() -> None:
    assert gate(GateInputs((), 50, 50, 5, 5)).outcome == "cannot-tell"


def test_a_question_that_was_not_measured_and_could_not_change_anything_is_no_obstacle() -> None:
    found = decided(column(found=48, unmeasured=[(1.0, None)] * 2))
    assert found.sentences == ("ok: 0 lost, 0 won of 50, 2 not measured, within 2 net.",)
    assert decided(column(lost=5, found=43, unmeasured=[(1.0, None)] * 2)).outcome == "regressed"
    assert "at least 5 net" in decided(column(lost=5, found=43, unmeasured=[(1.0, None)] * 2)).sentences[0]


def test_other_k_and_another_golden_set() -> None:
    assert decided(column(found=50), k_head=8).reasons[0].startswith("k was 5 and is 8 now")
    assert decided(column(found=50), base_questions=100, common=50).outcome == "ok"
    other = decided(column(found=50), base_questions=101, common=50)
    assert other.reasons == ("the base belongs to another golden set: 50 of its 101 questions are still there as they were.",)
    assert decided(column(lost=9, found=41), k_head=8).outcome == "regressed"  # that comes first


def test_an_uncalibrated_judge_is_no_ground_for_ok() -> None:
    def judged(**pairs: Any) -> Gate:
        return gate(GateInputs((Gated("correct", column(**pairs), uncalibrated="correct"),), 50, 50, 5, 5))

    assert "uncalibrated on correct" in judged(found=50).reasons[0]
    assert judged(lost=9, found=41).outcome == "regressed"


def test_what_the_files_lack_keeps_it_from_ok_alone() -> None:
    assert decided(column(found=50), unusable=("two lines cannot be used.",)).reasons == ("two lines cannot be used.",)
    assert decided(column(lost=9, found=41), unusable=("two lines cannot be used.",)).outcome == "regressed"


# -- several metrics, floors, answers of a model


def test_one_metric_that_regressed_decides_and_is_named() -> None:
    lost = Gated("mrr", column(lost=4, found=46))
    found = decided(column(found=50), gated=[lost])
    assert [said.split(",")[0] for said in found.sentences] == ["regressed: mrr 1.00 -> 0.92"]
    assert [result.outcome for result in found.metrics] == ["ok", "regressed"]
    assert decided(column(found=50), gated=[Gated("mrr", column(found=50))]).sentences == (
        "ok: 0 lost, 0 won of 50, within 2 net.",
        "ok: mrr 0 lost, 0 won of 50, within 2 net.",
    )


@pytest.mark.parametrize(
    ("values", "outcome", "says"),
    [
        ([1.0] * 8 + [0.0] * 2, "ok", "recall@5 of kind exact 0.80, at or over its floor of 0.80 (10 questions)."),
        ([1.0] * 7 + [0.0] * 3, "regressed", "recall@5 of kind exact is 0.70, under its floor of 0.80 (10 questions)."),
        ([1.0] * 7 + [0.0] * 2 + [None], "cannot-tell", "(1 of 10 questions not measured), which could change it."),
        ([1.0] * 6 + [0.0] * 3 + [None], "regressed", "(1 of 10 questions not measured)."),
        ([], "cannot-tell", "no question of it is the same on both sides."),
        ([None], "cannot-tell", "none of its 1 question was measured."),
    ],
)  # fmt: skip
def test_a_floor_is_kept_broken_or_unknown(values: list[Value], outcome: str, says: str) -> None:
    floor = Floor("recall@5", 0.8, "kind", "exact", tuple(values))
    found = decided(column(found=50), floors=(floor,))
    assert found.outcome == outcome
    assert found.floors[0].says.endswith(says)
    assert found.floors[0].says in found.reasons


def test_a_floor_over_few_questions_is_a_warning() -> None:
    found = decided(column(found=50), floors=(Floor("mrr", 0.5, "tag", "billing", (1.0,) * 9),))
    assert found.warnings == ("the floor of mrr of tag billing rests on 9 questions.",)


def test_answers_of_a_model_need_more_than_the_loss() -> None:
    pairs = column(lost=7, won=4, found=39)  # 3 net, and chance does as much: 562 of 2,048
    answers = Gated("correct", pairs, by_model=True)
    found = gate(GateInputs((answers,), 50, 50, 5, 5))
    assert found.outcome == "cannot-tell"
    assert (
        "(3 net, 2 allowed), but a model wrote these answers and chance does as much (p 0.27); two repeats" in found.reasons[0]
    )
    assert gate(GateInputs((Gated("correct", pairs),), 50, 50, 5, 5)).outcome == "regressed"
    assert gate(GateInputs((Gated("correct", column(lost=3, found=47), by_model=True),), 50, 50, 5, 5)).outcome == "regressed"
    again = {pair.qid: pair.head for pair in pairs}
    better = {pair.qid: 1.0 for pair in pairs}
    for repeats, outcome in (
        ((again,), "cannot-tell"), ((again, again), "regressed"), ((again, better), "cannot-tell"), ((again, {}), "cannot-tell")
    ):  # fmt: skip
        more = Gated("correct", pairs, by_model=True, repeats=repeats)
        assert gate(GateInputs((more,), 50, 50, 5, 5)).outcome == outcome


# -- what holds for all

VALUES = st.sampled_from([0.0, 1.0, 1.0, 1.0, 0.5, 1 / 3, None, math.nan, math.inf, 2.0, -1.0])
PAIRS = st.lists(st.tuples(VALUES, VALUES), max_size=80)


@settings(max_examples=rounds(300, 4000), deadline=None)
@given(PAIRS, st.sampled_from([None, 0.0, 0.02, 0.05, 0.2, 1.0]), st.sampled_from([5, 5, 5, 8]), st.integers(0, 60))
def test_no_ok_that_what_was_not_measured_could_undo(
    values: list[tuple[Value, Value]], tolerance: Value, k_head: int, gone: int
) -> None:
    pairs = tuple(Pair(f"q{number}", *both) for number, both in enumerate(values))
    given: dict[str, Any] = {
        "tolerance": tolerance,
        "k_head": k_head,
        "base_questions": len(pairs) + gone,
        "common": len(pairs),
    }
    found = decided(pairs, **given)
    again = decided(pairs, **given)
    assert dump_line(found.to_dict()) == dump_line(again.to_dict())
    assert found.exit_code == EXIT_CODES[found.outcome] == found.to_dict()["exit_code"]
    heads = {said.split(":")[0] for said in found.sentences}
    assert heads <= {"ok": {"ok", "ok, but look"}, "regressed": {"regressed"}, "cannot-tell": {"cannot tell"}}[found.outcome]
    assert heads
    if found.outcome == "ok":
        for base_lost in (0.0, 1.0):
            lost = tuple(Pair(pair.qid, _or(pair.base, base_lost), _or(pair.head, 0.0)) for pair in pairs)
            assert decided(lost, **given).outcome == "ok"
    if found.outcome == "regressed":
        best = tuple(Pair(pair.qid, _or(pair.base, 0.0), _or(pair.head, 1.0)) for pair in pairs)
        assert decided(best, **given).outcome == "regressed"


def _or(value: Value, instead: float) -> float:
    return value if value is not None and 0 <= value <= 1 else instead


def test_the_order_of_questions_changes_nothing() -> None:
    pairs = list(column(lost=30, won=20, found=100, missed=50, unmeasured=[(1.0, None)] * 3))
    first = decided(tuple(pairs))
    random.Random(1).shuffle(pairs)
    assert decided(tuple(pairs)) == first

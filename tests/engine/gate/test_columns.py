"""From runs to the decision: what counts, what stands apart, and that no missing measurement is ever taken for a good one."""

from __future__ import annotations

import dataclasses
import random
from collections.abc import Sequence
from typing import Any

import pytest
from tests.engine.gate.gated_runs import answer, item, question, random_run, run
from tests.soak import rounds

from ragtriage.answers.calibration import AxisFigures, Calibration
from ragtriage.compare.comparison import compare
from ragtriage.config import GateConfig
from ragtriage.errors import ConfigError, StorageError, UsageError
from ragtriage.gate.columns import GoldenFacts, gate_inputs
from ragtriage.gate.decision import gate
from ragtriage.gate.inputs import GateInputs
from ragtriage.gate.results import EXIT_CODES, Gate
from ragtriage.gate.settings import FloorSetting, GateSettings, gate_settings
from ragtriage.json_lines import dump_line
from ragtriage.measure.results import QuestionResult, Run
from ragtriage.types import Judged

HITS = GateSettings(("hit@k",))


def many(ranks: Sequence[int | None], **more: Any) -> list[QuestionResult]:
    return [question(f"q{number}", rank, **more) for number, rank in enumerate(ranks)]


def inputs_of(base: Run, head: Run, settings: GateSettings = HITS, **more: Any) -> GateInputs:
    return gate_inputs(compare(base, head, metrics=()), settings, **more)


def decided(base: Run, head: Run, settings: GateSettings = HITS, **more: Any) -> Gate:
    return gate(inputs_of(base, head, settings, **more))


def test_new_edited_relabelled_and_removed_questions_decide_nothing() -> None:
    same = many([1] * 40)
    base = run(*same, question("gone", 1), question("edited", 1), question("relabelled", 1), name="b")
    head = run(
        *same, question("new", None), question("edited", None, text="other"), question("relabelled", None, label="b"), name="h"
    )
    found = decided(base, head)
    assert found.sentences == ("ok: 0 lost, 0 won of 40, within 2 net.",)


def test_a_question_with_another_id_is_still_the_same() -> None:
    base = run(*many([1] * 40), name="b")
    head = run(*(question(f"n{number}", None, text=f"q{number}") for number in range(40)), name="h")
    assert decided(base, head).outcome == "regressed"


def test_the_holdout_is_no_part_of_it() -> None:
    base = run(*many([1] * 20), question("h", 1, split="holdout"), name="b")
    head = run(*many([1] * 20), question("h", None, split="holdout"), name="h")
    assert decided(base, head).metrics[0].n == 20


def test_what_a_side_chose_not_to_measure_was_not_measured() -> None:
    whole = run(*many([1] * 40), name="b")
    part = run(*many([1] * 20), name="h", only=[f"q{number}" for number in range(20)])
    assert decided(whole, part).reasons == ("20 of 40 not measured; between 0 and 20 net lost, 2 allowed.",)
    assert decided(part, whole).outcome == "ok"  # whatever the others were, none of them is lost now
    assert decided(part, run(*many([1] * 20 + [None] * 20), name="h")).outcome == "cannot-tell"
    kind = run(*many([1] * 20), name="h", kind="paraphrase")
    assert decided(kind, run(*many([1] * 20 + [None] * 20), name="h")).outcome == "cannot-tell"


def test_another_golden_set_and_other_k() -> None:
    base, head = run(*many([1] * 41), name="b"), run(*many([1] * 20), name="h")
    assert "another golden set: 20 of its 41" in decided(base, head).reasons[0]
    assert decided(run(*many([1] * 40), name="b"), head).outcome == "ok"
    assert "k was 5 and is 3 now" in decided(head, run(*many([1] * 20), k=3)).reasons[0]


def test_stale_labels_are_scored_by_document_on_both_sides_and_listed() -> None:
    chunks = [question(f"q{number}", items=[item(1, how="chunk", doc_rank=1)]) for number in range(20)]
    documents = [question(f"q{number}", items=[item(2, how="stale")]) for number in range(20)]
    found = decided(run(*chunks, name="b"), run(*documents, name="h"))
    assert found.outcome == "ok"
    assert found.stale == tuple(f"q{number}" for number in range(20))
    deep = [question(f"q{number}", items=[item(9, how="chunk", doc_rank=2)]) for number in range(20)]
    assert decided(run(*deep, name="b"), run(*documents, name="h")).metrics[0].base == 1.0  # its document was at 2
    lost = [question(f"q{number}", items=[item(None, how="stale")]) for number in range(20)]
    assert decided(run(*chunks, name="b"), run(*lost, name="h")).outcome == "regressed"


def test_floors_are_over_the_questions_of_a_kind_or_tag_that_are_the_same() -> None:
    same = [
        question(f"q{number}", 1 if number < 15 else None, kind="exact" if number < 20 else "paraphrase")
        for number in range(40)
    ]
    base, head = run(*same, name="b"), run(*same, *(question(f"n{number}", None) for number in range(20)), name="h")
    floors = (
        FloorSetting("hit@k", "kind", "exact", 0.75),
        FloorSetting("hit@k", "tag", "billing", 0.5),
        FloorSetting("mrr", "", "", 0.3),
    )
    facts = GoldenFacts({f"q{number}": ("billing",) for number in range(10, 20)})
    found = decided(base, head, GateSettings(("hit@k",), floors=floors), facts=facts)
    assert [(one.value, one.n, one.outcome) for one in found.floors] == [(0.75, 20, "ok"), (0.5, 10, "ok"), (0.375, 40, "ok")]
    higher = (FloorSetting("hit@k", "kind", "exact", 0.76),)
    assert decided(base, head, GateSettings(("hit@k",), floors=higher)).outcome == "regressed"
    nobody = (FloorSetting("hit@k", "tag", "nobody", 0.1),)
    assert decided(base, head, GateSettings(("hit@k",), floors=nobody)).outcome == "cannot-tell"


# -- answers

ANSWERS = GateSettings(("correct",), answers=True)
JUDGE = {"judge": {"identity": "judge-1"}}


def answered(correct: Sequence[bool | None], **more: Any) -> list[QuestionResult]:
    return [question(f"q{number}", 1, live=answer(value, **more)) for number, value in enumerate(correct)]


def calibrated(judge: str = "judge-1", n: int = 40, why: str = "") -> Calibration:
    return Calibration(judge, "", {"correct": AxisFigures(n, 0, 0.9, 0.8, 0.6, 1.0, why, (), (), None)})


def test_answers_are_gated_by_what_their_grade_says() -> None:
    base = run(*answered([True] * 40), name="b")
    assert decided(base, run(*answered([True] * 38 + [False] * 2), name="h"), ANSWERS).outcome == "ok"
    assert decided(base, run(*answered([True] * 37 + [False] * 3), name="h"), ANSWERS).outcome == "regressed"
    nothing = run(*many([1] * 40), name="h")
    assert decided(base, nothing, ANSWERS).reasons == ("nothing of the head was measured for correct.",)
    assert decided(nothing, nothing, ANSWERS).outcome == "cannot-tell"
    failed = run(
        *answered([True] * 37), *(question(f"q{number}", 1, unanswered={"live": "timeout"}) for number in range(37, 40))
    )
    assert decided(base, failed, ANSWERS).outcome == "cannot-tell"


def test_a_question_that_should_have_an_answer_and_has_none_was_not_measured() -> None:
    half = [question(f"q{number}", 1, live=answer(True) if number < 20 else None) for number in range(40)]
    both = run(*half, name="b"), run(*half, name="h")
    assert decided(*both, ANSWERS).outcome == "ok"
    graded = GoldenFacts(graded=frozenset(f"q{number}" for number in range(40)))
    assert decided(*both, ANSWERS, facts=graded).outcome == "cannot-tell"


def test_answers_whose_expectation_was_edited_are_not_compared() -> None:
    base = run(*answered([True] * 40), name="b")
    edited = [dataclasses.replace(one, identity=f"{one.qid}.a.y") for one in answered([False] * 40)]
    assert decided(base, run(*edited, name="h"), ANSWERS).reasons == (
        "no question that correct is measured on is the same on both sides.",
    )


def test_a_judge_behind_a_gated_figure_has_to_be_calibrated() -> None:
    judged = Judged(correct=True, grounded=True)
    base, head = (run(*answered([None] * 40, judged=judged), name=name, **JUDGE) for name in ("b", "h"))
    assert "uncalibrated on correct" in decided(base, head, ANSWERS).reasons[0]
    assert "uncalibrated" in decided(base, head, ANSWERS, calibration=calibrated("another")).reasons[0]
    one_sided = decided(base, head, ANSWERS, calibration=calibrated(why="the judge always says yes"))
    assert "correct: the judge always says yes (n 40), so that its calibration says nothing." in one_sided.warnings
    assert decided(base, head, ANSWERS, calibration=calibrated()).outcome == "ok"
    assert "12 answers alone" in decided(base, head, ANSWERS, calibration=calibrated(n=12)).warnings[0]
    grounded = GateSettings(("grounded",), answers=True)
    assert "uncalibrated on grounded" in decided(base, head, grounded, calibration=calibrated()).reasons[0]
    other = run(*answered([None] * 40, judged=judged), name="b", judge={"identity": "judge-0"})
    assert decided(other, head, ANSWERS, calibration=calibrated()).outcome == "cannot-tell"
    graded = run(*answered([True] * 40, judged=judged), name="h", **JUDGE)
    assert decided(graded, graded, ANSWERS).outcome == "ok"  # the grade decides; the judge is not asked


def test_a_reply_of_the_judge_that_could_not_be_used_was_not_measured() -> None:
    base = run(*answered([None] * 40, judged=Judged(correct=True)), name="b", **JUDGE)
    broken = answered([None] * 40, judged=Judged(reason="no JSON"))
    assert decided(base, run(*broken, name="h", **JUDGE), ANSWERS, calibration=calibrated()).outcome == "cannot-tell"


def test_a_model_needs_a_small_p_or_two_repeats() -> None:
    model = {"config": {"answers": {"generator": "openai"}}}
    base = run(*answered([True] * 46 + [False] * 4), name="b", **model)
    worse = answered([True] * 39 + [False] * 7 + [True] * 4)
    head = run(*worse, name="h", **model)
    assert decided(base, head, ANSWERS).outcome == "cannot-tell"
    assert decided(base, head, ANSWERS, repeats=[run(*worse), run(*worse)]).outcome == "regressed"
    assert decided(base, head, ANSWERS, repeats=[run(*worse), run(*answered([True] * 50))]).outcome == "cannot-tell"


# -- settings


def test_settings_come_from_the_configuration_and_the_command_line() -> None:
    config = GateConfig(floors=("recall@k 0.7", "hit@k kind:exact 0.9", "mrr tag:on call 0.5", "correct kind:exact 0.6"))
    found = gate_settings(config)
    assert (found.metrics, found.tolerance, found.axes) == (("recall@k", "mrr"), None, ())
    assert [(one.metric, one.on, one.name, one.least) for one in found.floors] == [
        ("recall@k", "", "", 0.7), ("hit@k", "kind", "exact", 0.9), ("mrr", "tag", "on call", 0.5)
    ]  # fmt: skip
    of_answers = gate_settings(config, answers=True, metrics="grounded, correct", tolerance="0.1")
    assert (of_answers.axes, of_answers.tolerance) == (("correct", "grounded"), 0.1)
    assert [one.metric for one in of_answers.floors] == ["correct"]
    assert gate_settings(GateConfig(tolerance=0.2), tolerance="auto").tolerance is None


@pytest.mark.parametrize(
    ("more", "says"),
    [
        ({"metrics": "recal@5"}, "--metrics: recal@5: unknown metric"), ({"metrics": " , "}, "name at least one"),
        ({"metrics": "recall"}, "say at which k"), ({"metrics": "correct"}, "--answers gates"),
        ({"tolerance": "nan"}, "from 0 to 1"), ({"tolerance": "2"}, "from 0 to 1"), ({"tolerance": "x" * 1000}, "from 0 to 1"),
        ({"metrics": "recall@5", "answers": True}, "of answers correct, grounded"),
    ],
)  # fmt: skip
def test_what_the_command_line_cannot_mean_is_said(more: dict[str, Any], says: str) -> None:
    with pytest.raises(UsageError) as caught:
        gate_settings(GateConfig(), **more)
    assert says in str(caught.value)
    assert len(str(caught.value)) < 300


@pytest.mark.parametrize(
        "floor",
    ["", "recall@k", "recall@k 2", "recall@k nan", "0.5", "recall@k kind 0.5", "recall@k kind: 0.5", "mrr lang:de 1", "x 0.5"],
)  # fmt: skip
def test_a_floor_that_is_none_is_refused_with_its_form(floor: str) -> None:
    with pytest.raises(ConfigError, match=r"gate\.floors"):
        gate_settings(GateConfig(floors=(floor,)))
    with pytest.raises(ConfigError, match=r"gate\.metrics"):
        gate_settings(GateConfig(metrics=("hits@k",)))


# -- generated pairs of runs


def counted_as_lost(inputs: GateInputs) -> list[GateInputs]:
    """The inputs with every question that was not measured lost in the head; in the base lost, or found."""

    def or_else(value: float | None, instead: float) -> float:
        return instead if value is None else value

    out = []
    for of_base in (0.0, 1.0):
        gated = [
            dataclasses.replace(
                one,
                pairs=tuple(
                    pair._replace(base=or_else(pair.base, of_base), head=or_else(pair.head, 0.0)) for pair in one.pairs
                ),
            )
            for one in inputs.gated
        ]
        floors = [dataclasses.replace(one, values=tuple(or_else(value, 0.0) for value in one.values)) for one in inputs.floors]
        out.append(dataclasses.replace(inputs, gated=tuple(gated), floors=tuple(floors)))
    return out


SETTINGS = (
    HITS,
    GateSettings(("recall@k", "mrr")),
    GateSettings(("ndcg@10",), tolerance=0.02),
    GateSettings(("hit@k",), tolerance=0.3, floors=(FloorSetting("hit@k", "kind", "exact", 0.6),)),
)


WORDS = {"ok": ("ok: ", "ok, but look: "), "regressed": ("regressed: ",), "cannot-tell": ("cannot tell: ",)}


@pytest.mark.parametrize("part", range(4))
def test_outcome_and_exit_code_agree_and_no_ok_rests_on_what_is_missing(part: int) -> None:
    outcomes: dict[str, int] = dict.fromkeys(("ok", "regressed", "cannot-tell", "refused"), 0)
    for number in range(rounds(200, 10_000)):
        rng = random.Random(f"{part} {number}")
        start = many([rng.choice([1, 1, 1, 2, 4, 7, None]) for _ in range(rng.choice([0, 5, 12, 50, 50, 120]))])
        base, head = random_run(rng, start, name="b"), random_run(rng, start, name=rng.choice("bh"))
        settings = SETTINGS[part]
        try:
            inputs = inputs_of(base, head, settings)
        except StorageError:  # a question twice, or no number: no gate is held, and nothing says ok
            outcomes["refused"] += 1
            continue
        found = gate(inputs)
        outcomes[found.outcome] += 1
        document = found.to_dict()
        assert found.exit_code == document["exit_code"] == EXIT_CODES[found.outcome]
        word = {"ok": ("ok: ", "ok, but look: "), "regressed": ("regressed: ",), "cannot-tell": ("cannot tell: ",)}[
            found.outcome
        ]
        assert found.sentences
        assert all(said.startswith(word) for said in found.sentences)
        assert dump_line(document) == dump_line(gate(inputs_of(base, head, settings)).to_dict())
        if found.outcome == "ok":
            assert all(gate(worse).outcome == "ok" for worse in counted_as_lost(inputs))
            assert base.manifest["k"] == head.manifest["k"]
    assert min(outcomes.values()) > 0, outcomes

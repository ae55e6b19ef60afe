"""What the report says of answers and judge, from runs written out by hand: every line fits 80 columns."""

from __future__ import annotations

from typing import Any

import pytest
from tests.tui.test_cli_plain import mean, question, run

from ragtriage.answers.calibration import AxisFigures, Calibration
from ragtriage.config import Config
from ragtriage.measure.answer_results import AnswerResult
from ragtriage.measure.judge_sums import summarise_judged
from ragtriage.measure.results import QuestionResult, Run
from ragtriage.remote.endpoint import Endpoint
from ragtriage.remote.estimate import Estimate
from ragtriage.types import Grade, Judged, Question
from ragtriage_tui.answer_lines import answer_lines
from ragtriage_tui.answer_text import answer_text, unanswered_text
from ragtriage_tui.estimates import asking_line, price, rounded, takes
from ragtriage_tui.figures import wrapped
from ragtriage_tui.judge_lines import _unscored_levers, calibrated_json, calibration_lines, judge_lines
from ragtriage_tui.naming import config_name, scope
from ragtriage_tui.plain import report_lines

EVIL = "evil\nname \x1b[31m" + "x" * 300


def with_model(**changes: Any) -> Run:
    """A run whose answers came from a model, and whose tax was split."""
    config = Config().as_dict()
    config["answers"] |= {"generator": "openai", "model": "gpt-x", "base_url": "http://localhost:8080/v1"}
    config["judge"] |= {"provider": "anthropic", "model": "claude"}
    manifest = run(question("q1")).manifest
    answers = manifest["answers"] | {
        "split": {"distraction": mean(0.05, 3), "ranking": mean(-0.1, 3), "missing": mean(0.3, 3)},
        "ungraded": {"nothing_to_grade_by": 12, "undecided": 0, "no_oracle": 1, "not_asked": 34, "failed": 3},
        "citations": {"answers": 31, "valid": 28, "none": 2, "invalid": 1, "blocked": ["q4"]},
    }
    generator = {
        "spec": "openai(model=gpt-x)", "template": "built-in v1", "asked": 64, "failed": 2, "replies": 102, "cached": 38,
        "models": ["gpt-x-2026"], "input_tokens": 61_234, "output_tokens": 12_001, "cost": 0.0812,
        "seconds_p50": 0.84, "seconds_p95": 2.1,
        "unasked": {"requests": 34, "input_tokens": 61_234, "output_tokens": 5100, "cost": None, "seconds": 180.0},
    }  # fmt: skip
    spent = ({"stage": "answer", "cost": 0.05, "cached": False}, {"stage": "answer", "cost": 0.9, "cached": True})
    return Run("r1", {**manifest, "config": config, "answers": answers, "generator": generator, **changes}, (), spent)


def flat(run: Run) -> list[str]:
    return [line for block in answer_lines(run) for line in block]


def test_who_answered_with_what_and_at_what_price() -> None:
    lines = flat(with_model())
    assert lines[:5] == [
        "answers by gpt-x at localhost:8080, template built-in v1",
        "sent     64 requests, 2 failed, cost 0.05",  # of what this run sent; 0.0812 is all of what it used
        "replies  102 (38 known): 61,234 tokens in, 12,001 out, cost 0.081",
        "latency  p50 0.84 s, p95 2.10 s",
        "model    gpt-x-2026",
    ]
    assert "extractive" not in "\n".join(lines)


def test_the_steps_of_the_tax_stand_below_it() -> None:
    lines = flat(with_model())
    at = next(at for at, line in enumerate(lines) if line.startswith("tax "))
    assert [line.split("  ")[0 if not line.startswith(" ") else 1] for line in lines[at : at + 4]] == [
        "tax", "distraction", "ranking", "missing evidence",
    ]  # fmt: skip
    # 0.05 - 0.1 + 0.3 = 0.25
    assert [line[19:25].strip() for line in lines[at : at + 4]] == ["0.250", "0.050", "-0.100", "0.300"]


def test_what_has_no_grade_is_counted_with_its_reason() -> None:
    lines = flat(with_model())
    at = lines.index("50 answerable questions are not in the tax")  # 12 + 1 + 34 + 3
    assert lines[at + 1 : at + 5] == [
        "   12 nothing says what a right answer is",
        "    1 no oracle answer: the evidence is missing or too large",
        "   34 not asked for",
        "    3 the retrieval or an answer failed",
    ]


def test_blocked_answers_and_answers_nobody_asked_for_are_named() -> None:
    lines = flat(with_model())
    assert "cited validly 28, not at all 2, what was not sent 1" in lines
    assert "! blocked, they cite what was not sent: q4" in lines
    at = lines.index("! 34 answers were not asked for: ragtriage eval --answers both --split-tax asks")
    assert lines[at + 1] == "  (about 61,000 tokens in, 5,100 out, price not configured, about 3 min)"


def test_failed_answers_are_grouped_the_most_frequent_reason_first() -> None:
    failed = [
        QuestionResult("q1", "", "dev", "all", "found", (), unanswered={"live": EVIL, "oracle": "timed out"}),
        QuestionResult("q2\nq3", "", "dev", "all", "found", (), unanswered={"live": "timed out"}),
    ]
    made = with_model()
    lines = flat(Run("r1", made.manifest, tuple(failed)))
    at = lines.index("! 2 answers failed: timed out")
    assert lines[at + 1] == "  q1 oracle, q2 q3 live"
    assert lines[at + 2].startswith("! 1 answer failed: evil name")


def test_every_line_fits_80_columns_whatever_it_holds() -> None:
    made = with_model()
    many = [f"q{number} {EVIL}" for number in range(9)]
    answers = made.manifest["answers"]
    manifest = {**made.manifest, "answers": {**answers, "citations": {**answers["citations"], "blocked": many}}}
    config = {**manifest["config"], "answers": {**manifest["config"]["answers"], "model": EVIL, "base_url": f"http://{EVIL}/"}}
    manifest |= {"config": config, "generator": {**manifest["generator"], "template": EVIL, "models": [EVIL, EVIL]}}
    failed = [QuestionResult(qid, "", "dev", "all", "found", (), unanswered={"live": EVIL}) for qid in many]
    lines = flat(Run("r1", manifest, tuple(failed)))
    assert all("\n" not in line for line in lines)
    assert max(map(len, lines)) <= 80


def test_a_run_of_an_earlier_version_still_prints() -> None:
    old = run(question("q1"))  # no generator, citations, split or ungraded in it
    assert any(line.startswith("live ") for line in flat(old))


def test_a_configuration_names_who_answers_and_who_judges() -> None:
    name = config_name(with_model().manifest["config"])
    assert name == ("hybrid rrf k=5 recursive(size=200,overlap=0) answers by gpt-x at localhost:8080 judged by claude")
    config = Config().as_dict()
    config["answers"] |= {"model": "m", "temperature": 0.7, "prompt": "p.txt", "order": "document"}
    # nothing of that is sent anywhere; the order of the passages counts for every generator
    assert config_name(config).endswith(" answers.order=document")
    config["answers"]["generator"] = "command"
    config["answers"]["command"] = ["python3", "answer.py", "--key", "secret"]
    assert "answers by the program python3 answer.py" in config_name(config)
    assert "secret" not in config_name(config)
    assert scope({"split": "dev", "answers_made": "live"}) == ["answers live"]


# -- the estimate


def estimate(**changes: Any) -> Estimate:
    endpoint = Endpoint("openai", "gpt-x")
    found = Estimate("answering", endpoint, 102, 38, 61_234, 12_345, 0.0789, 179.0)
    return found._replace(**changes)


def test_the_estimate_in_one_line() -> None:
    assert asking_line(estimate()) == (
        "102 requests to gpt-x at api.openai.com (38 known): about 61,000 tokens in, 12,000 out, cost about 0.079, about 3 min"
    )
    assert asking_line(estimate(stage="judging", requests=1, known=0, cost=None, seconds=None)) == (
        "judging: 1 request to gpt-x at api.openai.com: about 61,000 tokens in, 12,000 out, price not configured, "
        "time not known yet"
    )
    program = Endpoint("command", command=("./answer.py", "--secret", "x"))
    assert " to the program ./answer.py (38 known)" in asking_line(estimate(endpoint=program))
    assert "\n" not in asking_line(estimate(endpoint=Endpoint("openai", EVIL, base_url=f"http://{EVIL}/v1")))


@pytest.mark.parametrize(("number", "text"), [(0, "0"), (7, "7"), (98, "98"), (123, "120"), (61_234, "61,000"), (996, "1,000")])
def test_an_estimate_has_two_digits(number: int, text: str) -> None:
    assert rounded(number) == text


@pytest.mark.parametrize(
    ("cost", "text"), [(0.0, "0"), (0.0789, "0.079"), (0.5, "0.5"), (12.345, "12.35"), (0.00001, "less than 0.0001")]
)
def test_prices_read_as_prices(cost: float, text: str) -> None:
    assert price(cost) == text
    assert takes({"input_tokens": 1, "output_tokens": 1, "cost": cost, "seconds": 1.0}) == (
        f"about 1 tokens in, 1 out, cost about {text}, about 1 s"
    )


# -- the judge


def answer(graded: bool | None, judged: Judged | None) -> AnswerResult:
    return AnswerResult("Within 30 days [1].", ("a#1",), Grade(graded, False), judged)


def judged_run(*, live: list[AnswerResult], identity: str = "judge-1") -> Run:
    made = with_model()
    questions = tuple(QuestionResult(f"q{number}", "", "dev", "all", "found", (), live=one) for number, one in enumerate(live))
    judge = {"spec": "s", "rubric": "1", "identity": identity, "asked": 3, "failed": 0, "replies": 3, "cached": 0}
    manifest = {**made.manifest, "judge": judge, "judged": summarise_judged(questions)}
    return Run("r1", manifest, questions)


LIVE = [
    answer(True, Judged(True, True, True, True, True)),
    answer(True, Judged(False, False, None, True, True, claims=(EVIL,))),
    answer(None, Judged(False, True, True, True, True, unstable=("cited",))),
    answer(None, Judged(reason=EVIL)),
    answer(None, None),
]


def figures(n: int = 40, **changes: Any) -> AxisFigures:
    values: dict[str, Any] = {
        "n": n, "undecided": 2, "agreement": 0.875, "kappa": 0.71, "low": 0.5, "high": 0.92, "why": "",
        "false_positives": ("q1", "q2"), "false_negatives": (), "length_bias": 0.1,
    }  # fmt: skip
    return AxisFigures(**values | changes)


def said(run: Run, calibration: Calibration | None = None) -> list[str]:
    return [line for block in judge_lines(run, calibration) for line in block]


def test_every_judged_figure_says_uncalibrated_where_nobody_calibrated_it() -> None:
    lines = said(judged_run(live=LIVE))
    rows = [line for line in lines if line.split(" ")[0] in ("correct", "grounded", "cited", "honest", "addresses")]
    assert len(rows) == 5
    assert all(row.endswith("uncalibrated") for row in rows)
    assert next(line for line in lines if line.startswith("inside k ")).endswith("uncalibrated")
    assert max(map(len, lines)) <= 80


def test_a_calibration_counts_for_its_own_judge_alone() -> None:
    mine = Calibration("judge-1", "2026-11-30T14:02:11Z", {"correct": figures(), "grounded": figures()})
    rows = {line.split(" ")[0]: line for line in said(judged_run(live=LIVE), mine)}
    assert rows["correct"].endswith("kappa 0.71 (0.50 to 0.92), n 40")
    assert rows["cited"].endswith("uncalibrated")
    assert rows["inside"].endswith("what it is")
    changed = said(judged_run(live=LIVE, identity="judge-2"), mine)
    assert not any("kappa" in line for line in changed)
    found = calibrated_json(judged_run(live=LIVE), mine)
    assert found is not None
    assert found["correct"]["n"] == 40
    assert found["cited"] is None
    assert calibrated_json(with_model(), mine) is None


def test_the_table_names_owner_and_questions() -> None:
    lines = said(judged_run(live=LIVE))
    at = next(at for at, line in enumerate(lines) if line.startswith("inside k "))
    assert [line.split() for line in lines[at + 1 : at + 7]] == [
        ["✓", "✓", "✓", "1", "right"],
        ["✓", "✓", "✗", "1", "faithful", "but", "wrong"],
        ["prompt", "or", "model:", "q2"],
        ["✓", "✗", "✓", "1", "correct", "but", "ungrounded"],
        ["background", "knowledge:", "q1"],
        ["undecided", "2", "not", "judged,", "or", "it", "cannot", "tell"],
    ]


def test_what_a_person_should_look_at_is_named() -> None:
    lines = said(judged_run(live=LIVE))
    assert "Of the accuracy, 1 live and 0 oracle answers rest on the judge alone:" in lines
    at = lines.index("Of the suggested causes, these rest on the judge alone:")
    assert lines[at + 1 : at + 3] == ["  1: correct, uncalibrated", "  1: grounded, uncalibrated"]
    at = lines.index("! 1 answer judged otherwise with the passages in another order")
    assert lines[at + 1] == "  q2 (cited)"
    assert any(line.startswith("! 1 answer unscored: evil name") for line in lines)
    at = lines.index("! judge and grade disagree on 1 answer; the grade counts")
    assert lines[at + 1] == "  q1 (judged wrong)"
    assert "! 1 live answer was not judged: ragtriage judge run asks claude" in lines


def test_what_was_unscored_says_what_to_do() -> None:
    known, failed = _unscored_levers(["a reply that cannot be used: cut"]), _unscored_levers(["down", "down"])
    assert " ".join(line.strip() for line in known) == (
        "→ another model, or a larger judge.max_tokens; the reply stays known until model, settings or template change"
    )
    assert failed == ["  → a request that failed is sent again by the next ragtriage judge run"]
    assert _unscored_levers(["a reply that cannot be used: cut", "a first reply that cannot be used: x"]) == known + failed
    assert _unscored_levers([]) == []


def test_a_judge_that_was_not_asked_says_only_that() -> None:
    lines = said(judged_run(live=[answer(True, None)]))
    assert lines == ["! 1 live answer was not judged: ragtriage judge run asks claude"]
    assert lines[0] in report_lines(judged_run(live=[answer(True, None)]), {}, {})
    assert judge_lines(with_model(), None) == []


def test_the_calibration_names_the_questions_on_which_they_differ() -> None:
    lines = calibration_lines({"correct": figures(), "grounded": figures(3, kappa=None, low=None, high=None, why="no variety")})
    assert lines[1].split() == ["correct", "40", "0.875", "+0.710", "0.500–0.920", "2", "0", "+0.100"]
    assert lines[2].split()[3:5] == ["–", "–"]
    assert "correct: yes where people say no: q1, q2" in lines
    assert "grounded: kappa says nothing: no variety; too few to rely on" in lines


# -- one answer


def test_one_answer_with_all_that_is_said_of_it() -> None:
    asked = Question("q1", "?", must_mention=(("30 days", "a month"), ("free",)), expected_answer="x")
    grade = Grade(False, False, missing=("free",), cited=(1, 9), invalid=(9,), unsupported=("31",))
    judged = Judged(False, False, None, True, True, claims=tuple(f"claim {n}" for n in range(7)), unstable=("cited",))
    rows = [
        {"stage": "answer", "input_tokens": 1100, "output_tokens": 10, "cost": 0.00065, "seconds": 1.2, "cached": True},
        {"stage": "judge", "input_tokens": None, "output_tokens": 10, "cost": None, "seconds": 0.5, "model": EVIL},
    ]
    lines = answer_text(
        "live", asked, AnswerResult(EVIL * 9, ("a#1",), grade, judged), timings=rows, calibration={"honest": "kappa"}
    )
    assert lines[0] == (
        "live answer, given ranks 1 to k: ✗ wrong · blocked · lacks: free · cites what was not sent: 9 · "
        "numbers without support: 31"
    )
    assert len(lines[1]) <= 1002
    assert lines[2:] == [
        "  mentions: 30 days",
        "  judge: correct   no  (uncalibrated)",
        "  judge: grounded  no  (uncalibrated)",
        "  judge: cited     cannot tell, unstable  (uncalibrated)",
        "  judge: honest    yes  (kappa)",
        "  judge: addresses yes  (uncalibrated)",
        *(f"    no passage supports: claim {n}" for n in range(5)),
        "    and 2 more",
        "  answer: 1,100 tokens in, 10 out, cost 0.00065, 1.20 s, from the cache",
        lines[-1],
    ]
    assert lines[-1].startswith("  judge: 0.50 s, by evil name ")
    assert all("\n" not in line for line in lines)


def test_the_judge_decides_only_what_the_grade_leaves_open() -> None:
    asked = Question("q1", "?")
    (first, *_) = answer_text("oracle", asked, answer(None, Judged(True)))
    assert first == "oracle answer, given the evidence: ✓ right, says the judge"
    (first, _, third, *_) = answer_text("forced", asked, answer(None, Judged(reason="not\nJSON")))
    assert first.endswith(": · not judged")
    assert third == "  judge: unscored: not JSON"
    assert unanswered_text("live", EVIL).startswith("! live answer, given ranks 1 to k: failed: evil name ")


def test_wrapping_keeps_every_word() -> None:
    text = " ".join(f"word{number}" for number in range(40))
    rows = wrapped(text)
    assert max(map(len, rows)) <= 80
    assert " ".join(row.strip() for row in rows) == text
    assert wrapped("short") == ["short"]

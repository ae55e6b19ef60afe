"""Asking about one question and judging answers through the door, with the real engine on a small project."""

from __future__ import annotations

import dataclasses
import json
import sys
import threading
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any, get_args

import pytest

from ragtriage import types
from ragtriage.answers.calibration import Calibration, Pair, calibrate
from ragtriage.answers.calibration_file import save_calibration
from ragtriage.errors import ConfigError
from ragtriage.events import author
from ragtriage.measure.answer_results import ARMS, AnswerResult, Arm
from ragtriage.remote.endpoint import Endpoint
from ragtriage.triage.reviews import ReviewLog, answer_sha
from ragtriage.types import Grade, Judged
from ragtriage_tui import answer_views
from ragtriage_tui.answer_views import Asked, Consent, MarkView
from ragtriage_tui.bridge.answers import answer_view, cost_of
from ragtriage_tui.bridge.asking import needs_no_word
from ragtriage_tui.bridge.door import Door
from ragtriage_tui.judge_views import JudgeRow
from ragtriage_tui.views import QuestionView
from ragtriage_tui.workers import DoorError, Stopped

PROGRAM = """
import json, os, sys, time
for line in sys.stdin:
    asked = json.loads(line)
    with open("asked.log", "a") as log:
        log.write(asked["question"] + "\\n")
    while os.path.exists("wait"):
        time.sleep(0.02)
    if os.path.exists("fail"):
        print(json.dumps({"id": asked["id"], "error": "no quota left \\x1b[31m"}), flush=True)
        continue
    text = "Within 30 days of delivery [1]. Also [7]. \\x1b]52;c;aGk=\\x07"
    print(json.dumps({"id": asked["id"], "text": text, "input_tokens": 300, "output_tokens": 12}), flush=True)
"""


def nothing(stage: str, done: int, total: int) -> None:
    """Progress that nobody looks at."""


def configure(project: Path, *lines: str) -> None:
    path = project / "ragtriage.toml"
    path.write_text(path.read_text(encoding="utf-8") + "\n" + "\n".join(lines) + "\n", encoding="utf-8")


@pytest.fixture
def door(project: Path) -> Door:
    """A project answered by the stand-in."""
    made = Door(project)
    made.open(nothing)
    made.measure(nothing)
    return made


@pytest.fixture
def modelled(project: Path) -> Door:
    """A project answered by a program of its own, which nobody has agreed to."""
    (project / "answer.py").write_text(PROGRAM, encoding="utf-8")
    command = json.dumps([sys.executable, "answer.py"])
    configure(project, "[answers]", 'generator = "command"', f"command = {command}", "[run]", "retries = 0")
    made = Door(project)
    made.open(nothing)
    made.measure(nothing)
    return made


def look(door: Door, qid: str) -> QuestionView:
    view = door.question(qid)
    assert view is not None
    return view


def agree(door: Door, qid: str) -> Asked:
    """Ask, and say yes to whatever comes."""
    agreed: frozenset[str] = frozenset()
    for _ in range(4):
        came = door.ask(qid, nothing, agreed)
        if isinstance(came, Asked):
            return came
        agreed |= {came.token}
    raise AssertionError("it asks for ever")


# what is shown of answers


def test_the_stand_in_is_named_wherever_it_counts(door: Door) -> None:
    view = look(door, "q001")
    assert view.answers_by == "extractive stand-in"
    assert view.oracle is not None
    assert view.oracle.given == "given the evidence"
    assert MarkView(True, "says", "30 days") in view.oracle.marks
    tax = door.overview().tax
    assert tax is not None
    assert tax.word == "stand-in"


def test_citations_know_their_documents(door: Door) -> None:
    view = look(door, "q002")
    assert view.live is not None
    assert view.live.cited
    sent = view.live.passage(view.live.cited[0])
    assert sent is not None
    assert sent.doc_id == "errors"
    assert sent.chunk_id.startswith("errors#")


def test_what_was_not_answered_says_why_and_which_key_helps(door: Door, modelled: Door) -> None:
    assert look(door, "q004").no_oracle == "no answer exists"
    view = look(modelled, "q001")
    assert (view.live, view.no_live, view.no_oracle) == (None, "not asked yet: p asks", "not asked yet: p asks")
    assert view.answers_by == ""


def test_what_was_never_answered_is_not_said_to_pass(door: Door, modelled: Door) -> None:
    from ragtriage_tui.bridge.measuring import measure_one, outcome

    states = {row.qid: row.state for row in modelled.overview().questions}
    assert (states["q002"], states["q004"]) == ("unasked", "unasked")
    assert look(modelled, "q002").state == "unasked"
    found = outcome(measure_one(modelled, "q002"), modelled)
    assert found.state == "unasked"
    assert found.sentence.startswith("its evidence is found today (")
    assert found.sentence.endswith("whether its answer is right is not known yet: p in Triage asks for it")
    refusing = outcome(measure_one(modelled, "q004"), modelled).sentence
    assert refusing.startswith("whether its answer is right is not known yet")
    assert look(door, "q002").state == "passes"


def graded(project: Path, grade: Grade, judged: Judged | None = None, text: str = "So [1] [7].") -> Any:
    made = Door(project)
    made.open(nothing)
    with made.held() as opened:
        question = opened.golden.get("q001")
        assert question is not None
        from ragtriage_tui.answer_views import UNCALIBRATED

        answer = AnswerResult(text, ("refunds#1",), grade, judged)
        return [answer_view(answer, arm, question, opened.chunks, calibration=UNCALIBRATED) for arm in ("live", "oracle")]


def test_an_invalid_citation_blocks_the_live_answer(project: Path) -> None:
    live, oracle = graded(project, Grade(True, False, cited=(1, 7), invalid=(7,)))
    assert live.marks[0] == MarkView(False, "blocked:", "cites [7], which was not given")
    assert oracle.marks[0] == MarkView(False, "cites [7], which was not given")
    assert MarkView(True, "[1] exists") in live.marks
    assert live.cited == (1, 7)
    assert live.passage(7) is None


def test_every_mark_of_a_grade_is_there(project: Path) -> None:
    live, _ = graded(
        project, Grade(False, False, ("30 days",), ("no refunds",), (), (), ("14",)), text="No refunds in 14 days."
    )
    assert live.marks == (
        MarkView(False, "lacks", "30 days"), MarkView(False, "wrongly says", "no refunds"),
        MarkView(False, "no source for", "14"), MarkView(None, "cites nothing"),
    )  # fmt: skip
    live, _ = graded(project, Grade(None, True), text="I do not know.")
    assert MarkView(None, "refuses") in live.marks
    assert MarkView(None, "cites nothing") not in live.marks


def test_a_judge_decides_where_the_grade_does_not_and_is_uncalibrated(project: Path) -> None:
    judged = Judged(correct=False, grounded=True, claims=("free \x1b[31m",), unstable=("honest",))
    live, _ = graded(project, Grade(None, False, cited=(1,)), judged)
    assert live.good is False
    assert live.judge is not None
    assert live.judge.word == "uncalibrated"
    assert live.judge.said == (False, True, None, None, None)
    assert "\x1b" not in live.judge.claims[0]


def test_the_screens_know_the_engines_axes_and_arms() -> None:
    assert answer_views.AXES == types.AXES
    assert set(answer_views.ARMS) == set(ARMS) == set(get_args(answer_views.Arm)) == set(get_args(Arm))


def test_costs_from_the_shortest_form_to_the_longest() -> None:
    line = {
        "stage": "answer",
        "qid": "q1",
        "arm": "live",
        "input_tokens": 1300,
        "output_tokens": 45,
        "cost": 0.00042,
        "seconds": 1.23,
    }
    assert cost_of([line], "q1", "live") == (
        "1,345 tokens", "1,345 tokens · cost 0.00042", "1,300 + 45 tokens · cost 0.00042 · 1.2 s",
    )  # fmt: skip
    assert cost_of([line], "q1", "oracle") == ()
    assert cost_of([{**line, "input_tokens": None, "cost": None}], "q1", "live") == ("1.2 s",)
    assert cost_of([{**line, "cost": 0.000001}], "q1", "live")[1] == "1,345 tokens · cost less than 0.0001"


@pytest.mark.parametrize(
    ("endpoint", "free"),
    [
        (Endpoint("command", command=("./a",)), True),
        (Endpoint("command", command=("./a",), input_price=1.0), False),
        (Endpoint("openai", base_url="http://127.0.0.1:8080/v1"), True),
        (Endpoint("openai", base_url="http://localhost/v1"), True),
        (Endpoint("openai", base_url="http://[::1]:8080/v1"), True),
        (Endpoint("openai", base_url="http://127.0.0.1.example.com/v1"), False),
        (Endpoint("openai", base_url="https://api.example/v1"), False),
        (Endpoint("openai"), False),
        (Endpoint("anthropic"), False),
    ],
)
def test_what_one_question_needs_no_word_for(endpoint: Endpoint, free: bool) -> None:
    assert needs_no_word(endpoint) is free


def test_an_address_with_a_name_in_it_is_none() -> None:
    with pytest.raises(ConfigError, match=r"address of example\.com"):
        needs_no_word(Endpoint("openai", base_url="http://127.0.0.1@example.com/v1"))


def test_a_tax_that_a_judge_has_a_part_in_says_how_far_it_can_be_believed(door: Door, project: Path) -> None:
    run = door.shown_run
    assert run is not None
    result = run.get("q001")
    assert result is not None
    assert result.oracle is not None
    judged = AnswerResult("So.", (), Grade(None, False), Judged(correct=True))
    assert door.put(replace(result, live=judged))
    tax = door.overview().tax
    assert tax is not None
    assert tax.word == "stand-in, uncalibrated"


# asking


def test_the_stand_in_answers_at_once_also_what_nothing_grades(project: Path) -> None:
    golden = project / "evals" / "golden.jsonl"
    line = {
        "qid": "q010",
        "question": "who pays the way back",
        "evidence": [{"doc": "refunds", "quote": "We pay the way back"}],
    }
    golden.write_text(golden.read_text(encoding="utf-8") + json.dumps(line) + "\n", encoding="utf-8")
    door = Door(project)
    door.open(nothing)
    door.measure(nothing)
    assert look(door, "q010").no_live == "nothing in the golden set grades it"
    came = door.ask("q010", nothing)
    assert came == Asked("q010", "q010 answered: oracle not graded, live not graded")
    view = look(door, "q010")
    assert view.live is not None
    assert view.oracle is not None
    assert view.live.good is None


def test_a_program_is_said_in_full_and_asked_only_after_yes(modelled: Door, project: Path) -> None:
    came = modelled.ask("q001", nothing)
    assert isinstance(came, Consent)
    assert came.question == "Trust this from now on, and ask?"
    assert "answer.py" in came.lines[1]
    assert "sha256" in came.lines[1]
    assert not (project / "asked.log").exists()
    assert isinstance(modelled.ask("q001", nothing, frozenset({"trust:made up"})), Consent)
    assert not (project / "asked.log").exists()
    asked = modelled.ask("q001", nothing, frozenset({came.token}))
    assert isinstance(asked, Asked)
    assert not asked.wrong
    assert asked.message == "q001 answered: oracle right, live blocked   624 tokens"
    assert (project / "asked.log").read_text().count("\n") == 2
    view = look(modelled, "q001")
    assert view.live is not None
    assert view.live.marks[0].word == "blocked:"
    assert view.live.cost[0] == "312 tokens"
    assert "\x1b" not in view.live.text
    again = modelled.ask("q001", nothing)  # trusted now, and nothing that is known is asked again
    assert isinstance(again, Asked)
    assert (project / "asked.log").read_text().count("\n") == 2


def test_who_trusts_for_one_command_is_not_asked_and_nothing_is_kept(modelled: Door, project: Path) -> None:
    trusting = Door(project, trusted=True)
    trusting.open(nothing)
    assert isinstance(trusting.ask("q001", nothing), Asked)
    assert isinstance(modelled.ask("q002", nothing), Consent)


def test_what_was_changed_after_it_was_shown_is_asked_again(modelled: Door, project: Path) -> None:
    came = modelled.ask("q001", nothing)
    assert isinstance(came, Consent)
    (project / "answer.py").write_text(PROGRAM + "# other\n", encoding="utf-8")
    again = modelled.ask("q001", nothing, frozenset({came.token}))
    assert isinstance(again, Consent)
    assert again.token != came.token
    assert not (project / "asked.log").exists()


def test_what_costs_is_estimated_first(modelled: Door, project: Path) -> None:
    configure(project)
    text = (project / "ragtriage.toml").read_text(encoding="utf-8")
    (project / "ragtriage.toml").write_text(
        text.replace("[run]", "input_price = 1.0\noutput_price = 2.0\n[run]"), encoding="utf-8"
    )
    modelled.changed()
    trust = modelled.ask("q001", nothing)
    assert isinstance(trust, Consent)
    cost = modelled.ask("q001", nothing, frozenset({trust.token}))
    assert isinstance(cost, Consent)
    assert cost.question == "Ask it?"
    assert cost.lines[0].startswith("2 requests to the program ")
    assert "cost about 0.0" in cost.lines[0]
    assert not (project / "asked.log").exists()
    asked = modelled.ask("q001", nothing, frozenset({trust.token, cost.token}))
    assert isinstance(asked, Asked)
    assert ", cost 0.0006" in asked.message


def test_a_failure_is_shown_with_its_reason(modelled: Door, project: Path) -> None:
    (project / "fail").touch()
    asked = agree(modelled, "q001")
    assert asked.wrong
    assert "failed:" in asked.message
    assert "no quota left" in asked.message
    assert "\x1b" not in asked.message
    view = look(modelled, "q001")
    assert "no quota left" in view.failed["live"]
    assert view.live is None
    (project / "fail").unlink()
    assert not agree(modelled, "q001").wrong
    assert look(modelled, "q001").failed == {}


def test_looking_and_labelling_go_on_while_the_model_answers_and_c_ends_it(modelled: Door, project: Path) -> None:
    trust = modelled.ask("q001", nothing)
    assert isinstance(trust, Consent)
    (project / "wait").touch()
    asking, stop = threading.Event(), threading.Event()
    ended: list[BaseException] = []

    def progress(stage: str, done: int, total: int) -> None:
        if stage == "answering":
            asking.set()
        if stop.is_set():
            raise Stopped

    def work() -> None:
        try:
            modelled.ask("q001", progress, frozenset({trust.token}))
        except BaseException as error:
            ended.append(error)

    thread = threading.Thread(target=work, daemon=True)
    thread.start()
    assert asking.wait(20)
    seen: list[Any] = []
    other = threading.Thread(target=lambda: seen.extend([modelled.question("q002"), modelled.label("q003", 2)]), daemon=True)
    other.start()
    other.join(20)
    assert [type(one).__name__ for one in seen] == ["QuestionView", "Change"]
    stop.set()
    thread.join(20)
    assert [type(error) for error in ended] == [Stopped]
    assert look(modelled, "q001").live is None


def test_answers_for_a_run_of_other_files_are_not_put_into_it(modelled: Door, project: Path) -> None:
    (project / "docs" / "more.md").write_text("# More\n\nEverything is different now.\n", encoding="utf-8")
    again = Door(project)
    again.open(nothing)
    asked = agree(again, "q001")
    assert asked.wrong
    assert "ctrl+r measures again" in asked.message


def test_a_question_that_is_gone_is_said(door: Door) -> None:
    with pytest.raises(DoorError, match="no such question"):
        door.ask("q999", nothing)


# judging


def reviews(project: Path) -> list[dict[str, Any]]:
    path = project / "evals" / "reviews.jsonl"
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()] if path.exists() else []


def queued(door: Door, qid: str, arm: str = "live") -> JudgeRow:
    return next(row for row in door.judging.queue(nothing).rows if (row.qid, row.arm) == (qid, arm))


def test_the_queue_is_of_the_shown_run_and_of_what_counts(door: Door) -> None:
    queue = door.judging.queue(nothing)
    assert {row.arm for row in queue.rows} == {"live"}  # what the oracle was given is graded by must-mentions
    assert {row.qid for row in queue.rows} <= {"q001", "q002", "q003", "q004"}
    assert len({row.id for row in queue.rows}) == len(queue.rows)
    assert (queue.empty, queue.read_only, queue.notice) == ("", "", "")


def test_an_oracle_answer_is_judged_where_that_can_count(door: Door) -> None:
    run = door.shown_run
    assert run is not None
    result = run.get("q001")
    assert result is not None
    oracle = dataclasses.replace(result.answers["oracle"], text="Another answer.")

    def arms(answer: AnswerResult) -> list[str]:
        door.put(dataclasses.replace(result, oracle=answer))
        return [row.arm for row in door.judging.queue(nothing).rows if row.qid == "q001"]

    assert arms(oracle) == ["live"]
    assert arms(dataclasses.replace(oracle, judged=Judged(correct=True, grounded=True))) == ["live", "oracle"]
    ungraded = dataclasses.replace(oracle.grade, correct=None)
    assert arms(dataclasses.replace(oracle, grade=ungraded)) == ["live", "oracle"]


def test_without_a_run_and_without_answers_it_says_what_helps(project: Path, modelled: Door) -> None:
    fresh = Door(project, overrides=("retrieval.k=1",))
    fresh.open(nothing)
    assert modelled.judging.queue(nothing).empty.startswith("No answers to judge. p in Triage")


def test_an_answer_has_all_that_is_needed(door: Door) -> None:
    row = queued(door, "q001")
    detail = door.judging.answer(row.id)
    assert detail is not None
    assert detail.question == "may i send goods back for days after delivery"
    assert detail.expected == "must mention: 30 days"
    assert detail.sent[0].text
    assert detail.sent[0].doc_id
    assert detail.cited
    assert detail.judge is None
    refuse = door.judging.answer(queued(door, "q004").id)
    assert refuse is not None
    assert refuse.expected == "a refusal: no answer exists"
    assert door.judging.answer("gone") is None


def test_every_press_is_an_event_on_disk(door: Door, project: Path) -> None:
    row = queued(door, "q001")
    judging = door.judging
    said = judging.press(row.id, 0)
    assert said.message == "q001 live: 1 correct yes"
    assert reviews(project)[-1]["correct"] is True
    assert judging.press(row.id, 0).said[0] == "no"
    assert reviews(project)[-1]["correct"] is False
    unsure = judging.press(row.id, 0)
    assert (unsure.said[0], unsure.done) == ("unsure", False)
    assert reviews(project)[-1]["correct"] == "unsure"
    assert judging.press(row.id, 1).said[:2] == ("unsure", "yes")
    for axis in (2, 3):
        assert not judging.press(row.id, axis).finished
    last = judging.press(row.id, 4)
    assert last.finished
    assert last.message == "q001 live is judged: unsure, yes, yes, yes, yes"
    assert len(reviews(project)) == 7
    assert reviews(project)[-1]["answer_sha"] == row.id
    assert queued(door, "q001").done
    assert not judging.press(row.id, 4).finished


def test_undo_and_redo_know_what_was_unsure(door: Door, project: Path) -> None:
    row = queued(door, "q001")
    judging = door.judging
    for axis in (0, 0, 0, 1):
        judging.press(row.id, axis)
    assert judging.undo().said == ("unsure", "", "", "", "")
    assert judging.undo().said == ("no", "", "", "", "")
    assert judging.redo().said == ("unsure", "", "", "", "")
    assert judging.redo().said == ("unsure", "yes", "", "", "")
    assert judging.redo().message == "Nothing to do again"
    for _ in range(4):
        undone = judging.undo()
    assert undone.said == ("",) * 5
    assert undone.message == "q001 is not judged now"
    assert ReviewLog(project / "evals" / "reviews.jsonl").current() == {}


def test_an_earlier_session_and_somebody_else_are_known(door: Door, project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def sits(name: str) -> None:
        monkeypatch.setenv("RAGTRIAGE_AUTHOR", name)
        author.cache_clear()

    row = queued(door, "q001")
    sits("me")
    door.judging.press(row.id, 0)
    assert not queued(door, "q001").done  # four questions are open
    later = Door(project)
    later.open(nothing)
    assert (queued(later, "q001").done, queued(later, "q001").by) == (False, "")
    assert queued(later, "q001").said == ("yes", "", "", "", "")
    for axis in (1, 1, 1, 2, 3, 4):
        later.judging.press(row.id, axis)
    latest = Door(project)
    latest.open(nothing)
    assert (queued(latest, "q001").done, queued(latest, "q001").said) == (True, ("yes", "unsure", "yes", "yes", "yes"))
    sits("anna\x1b[31m")
    other = Door(project)
    other.open(nothing)
    assert queued(other, "q001").by == "me"
    other.judging.press(row.id, 0)
    assert queued(door, "q001").said == ("no", "unsure", "yes", "yes", "yes")  # the later one counts, whoever said it
    sits("me")
    assert queued(door, "q001").by.startswith("anna")
    assert "\x1b" not in queued(door, "q001").by
    author.cache_clear()


def test_a_note_stays_with_what_is_said(door: Door, project: Path) -> None:
    row = queued(door, "q001")
    door.judging.press(row.id, 2)
    noted = door.judging.note(row.id, " why \n")
    assert (noted.note, noted.said[2]) == ("why", "yes")
    assert door.judging.press(row.id, 2).note == "why"
    assert reviews(project)[-1]["note"] == "why"
    detail = door.judging.answer(row.id)
    assert detail is not None
    assert detail.note == "why"


def test_read_only_refuses(project: Path, door: Door) -> None:
    looking = Door(project, read_only=True)
    looking.open(nothing)
    row = queued(looking, "q001")
    for act in (lambda: looking.judging.press(row.id, 0), lambda: looking.judging.note(row.id, "x"), looking.judging.undo):
        refused: Callable[[], Any] = act
        with pytest.raises(DoorError, match="read-only"):
            refused()
    assert looking.judging.queue(nothing).read_only
    assert reviews(project) == []


def test_an_answer_that_is_gone_is_not_written(door: Door, project: Path) -> None:
    with pytest.raises(DoorError, match="no longer in the run"):
        door.judging.press("gone", 0)
    assert reviews(project) == []


def test_what_was_asked_by_p_can_be_judged(modelled: Door) -> None:
    assert modelled.judging.queue(nothing).rows == ()
    agree(modelled, "q001")
    rows = modelled.judging.queue(nothing).rows
    assert [(row.qid, row.arm) for row in rows] == [("q001", "live")]  # oracle says the same, and is judged once


def test_a_calibration_counts_for_its_judge_alone(door: Door, project: Path) -> None:
    from ragtriage_tui.bridge.calibration import calibration_of_run

    yes, no = Judged(correct=True, grounded=True), Judged(correct=False, grounded=False)
    pairs = [Pair("q1", yes, yes, 9), Pair("q2", no, no, 9), Pair("q3", yes, yes, 9), Pair("q4", yes, no, 9)]
    save_calibration(
        project / "evals" / "calibration.json", Calibration("this judge", "2026-11-30T14:02:11Z", calibrate(pairs))
    )
    with door.held() as opened:
        known = calibration_of_run(opened, {"judge": {"identity": "this judge"}})
        assert known.word(["correct"]) == "kappa .50, too few"
        assert known.word(["cited"]) == "uncalibrated"
        assert calibration_of_run(opened, {"judge": {"identity": "another"}}).word() == "uncalibrated"
        assert calibration_of_run(opened, {}).word() == "uncalibrated"
        (project / "evals" / "calibration.json").write_text("{", encoding="utf-8")
        assert calibration_of_run(opened, {"judge": {"identity": "this judge"}}).word() == "uncalibrated"


def test_the_id_of_an_answer_is_the_one_of_the_reviews(door: Door) -> None:
    run = door.shown_run
    assert run is not None
    result = run.get("q001")
    assert result is not None
    assert result.live is not None
    assert queued(door, "q001").id == answer_sha("q001", result.live.text)

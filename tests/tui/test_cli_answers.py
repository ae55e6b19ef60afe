"""Answers of a language model on the command line: nothing is sent without a word, nothing is asked twice, all is told."""

from __future__ import annotations

import json
import os
import signal
import stat
import subprocess
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from tests.fakes.providers import Act, FakeOpenAI
from tests.tui.pty_session import Session

if TYPE_CHECKING:
    from tests.tui.conftest import Command

PROGRAM = r"""
import json, os, sys, time
folder = os.path.dirname(os.path.abspath(__file__))
EVIL = "\x1b]0;owned\x07\x1b[31m \u202e\n\r\x9b2J "
AXES = ("correct", "grounded", "cited", "honest", "addresses")
def judged(asked):
    if "ERR_4021" in asked["question"]:
        return "no JSON at all " + EVIL
    wrong = "moon" in asked["question"]
    said = {axis: {"reason": EVIL, "verdict": "no" if wrong else "yes"} for axis in AXES}
    said["grounded"]["unsupported_claims"] = [EVIL + "it is free"] if wrong else []
    return json.dumps(said)
def answer(asked):
    if "moon" in asked["question"]:
        return "We do. " + EVIL + "x" * 1_000_000
    return asked["passages"][0]["text"] + " [1]" if asked["passages"] else "I do not know."
for number, line in enumerate(sys.stdin, start=1):
    asked = json.loads(line)
    with open(os.path.join(folder, "asked.txt"), "a") as log:
        log.write(asked["id"] + "\n")
    if "ERR_4021" in asked["question"] and os.path.exists(os.path.join(folder, "broken")):
        said = {"id": asked["id"], "error": "the GPU " + EVIL + "is on fire"}
    else:
        while number > 3 and os.path.exists(os.path.join(folder, "slow")):
            time.sleep(0.05)
        text = judged(asked) if asked.get("schema") else answer(asked)
        said = {"id": asked["id"], "text": text, "input_tokens": 100, "output_tokens": 10, "model": "fake-" + EVIL}
    print(json.dumps(said), flush=True)
"""

ANSWERS = """
[answers]
generator = "command"
command = ["./model.py"]
input_price = 5.0
output_price = 15.0

[run]
concurrency = 1
retries = 0
"""
JUDGE = """
[judge]
provider = "command"
command = ["./model.py"]
"""
BAD = set("\x1b\x07\x00\x9b\u202e")


@pytest.fixture
def model(project: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The small project with a program that answers, agreed to."""
    monkeypatch.setenv("RAGTRIAGE_TRUST", "1")
    program = project / "model.py"
    program.write_text(f"#!{sys.executable}\n{PROGRAM}", encoding="utf-8")
    program.chmod(program.stat().st_mode | stat.S_IXUSR)
    with open(project / "ragtriage.toml", "a", encoding="utf-8") as handle:
        handle.write(ANSWERS)
    return project


@pytest.fixture
def judged(model: Path) -> Path:
    with open(model / "ragtriage.toml", "a", encoding="utf-8") as handle:
        handle.write(JUDGE)
    golden = model / "evals" / "golden.jsonl"
    lines = [json.loads(line) for line in golden.read_text(encoding="utf-8").splitlines()]
    for line in lines:
        line |= {"expected_answer": "It is so."} if line.get("answerable", True) else {}
    golden.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    return model


def asked(root: Path) -> int:
    """How many requests the program has had."""
    log = root / "asked.txt"
    return len(log.read_text(encoding="utf-8").splitlines()) if log.exists() else 0


def narrow(text: str) -> list[str]:
    """The lines about answers and judge, which must fit 80 columns."""
    lines = text.splitlines()
    first = next(at for at, line in enumerate(lines) if line.startswith("answers "))
    last = next(at for at, line in enumerate(lines) if " failing of " in line)
    return lines[first:last]


def test_without_answers_nothing_is_sent_and_that_is_said(ragtriage: Command, model: Path) -> None:
    done = ragtriage("eval")
    assert (done.code, done.err, asked(model)) == (0, "", 0)
    lines = done.out.splitlines()
    at = next(at for at, line in enumerate(lines) if "not asked for" in line and line.startswith("!"))
    number = int(lines[at].split()[1])
    assert lines[at] == f"! {number} answers were not asked for: ragtriage eval --answers both asks"
    assert lines[at + 1].startswith("  (about ")
    assert "time not known yet" in lines[at + 1]
    assert "answers by the program ./model.py" in lines[0]
    assert "    3 not asked for" in lines
    assert f"{number} answers not asked for" in ragtriage("runs").out


def test_without_a_terminal_and_without_yes_nothing_is_sent(ragtriage: Command, model: Path) -> None:
    done = ragtriage("eval", "--answers", "both", "--json")
    assert (done.code, done.out, asked(model)) == (2, "", 0)
    estimate, refusal = done.err.splitlines()
    assert " requests to the program ./model.py: about " in estimate
    assert refusal == "ragtriage: nothing was sent: there is no terminal to ask on; --yes agrees to this"
    assert not (model / ".ragtriage").exists()


def test_what_nobody_agreed_to_is_not_sent_whatever_yes_says(
    ragtriage: Command, model: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("RAGTRIAGE_TRUST")
    done = ragtriage("eval", "--answers", "both", "--yes")
    assert (done.code, done.out, asked(model)) == (2, "", 0)
    assert "ragtriage trust" in done.err
    assert ragtriage("eval", "--answers", "live", "--yes", "--trust").code == 0
    assert asked(model) > 0


def test_with_yes_all_is_asked_once_and_told(ragtriage: Command, model: Path) -> None:
    first = ragtriage("eval", "--answers", "both", "--yes", "--json")
    assert first.code == 0
    assert first.err.count("\n") == 1  # the estimate
    sent = asked(model)
    assert first.json["generator"]["asked"] == sent
    assert (first.json["generator"]["failed"], first.json["generator"]["unasked"]) == (0, None)
    # a price of 5 a million in and 15 a million out: 100 and 10 tokens a reply
    assert first.json["generator"]["cost"] == pytest.approx(sent * (100 * 5 + 10 * 15) / 1e6)
    again = ragtriage("eval", "--answers", "both")
    assert (again.code, again.err, asked(model)) == (0, "", sent)
    assert ragtriage("eval", "--json").json["per_question"] == first.json["per_question"]
    lines = again.out.splitlines()
    at = lines.index("answers by the program ./model.py, template built-in v1")
    assert lines[at + 1].startswith(f"replies  {sent} ({sent} known): {sent * 100} tokens in, {sent * 10} out, cost ")
    assert lines[at + 2].startswith("latency  p50 ")
    assert "not asked for" not in again.out
    assert f"{sent} answers asked" in ragtriage("runs").out


def test_one_arm_alone(ragtriage: Command, model: Path) -> None:
    live = ragtriage("eval", "--answers", "live", "--yes", "--json").json
    assert all(question["oracle"] is None for question in live["per_question"])
    assert asked(model) == 4
    known = ragtriage("eval", "--json").json
    assert [question["live"] for question in known["per_question"]] == [question["live"] for question in live["per_question"]]
    assert ragtriage("eval", "--answers", "none", "--json").json["generator"]["asked"] == 0


def test_a_repeat_asks_anew_and_two_of_them_go_into_a_gate(ragtriage: Command, model: Path) -> None:
    first = ragtriage("eval", "--answers", "live", "--yes", "--json").json
    assert (asked(model), first["repeat"]) == (4, 0)
    runs = []
    for number in (1, 2):
        done = ragtriage("eval", "--answers", "live", "--repeat", str(number), "--yes", "--json")
        assert (done.code, done.json["repeat"], done.json["partial"]) == (0, number, True)
        assert asked(model) == 4 + 4 * number
        assert ragtriage("eval", "--answers", "live", "--repeat", str(number)).code == 0  # asks nothing more
        runs.append(done.json["run"])
    assert asked(model) == 12
    assert ragtriage("eval", "--json").json["generator"]["unasked"] is not None  # oracle answers; the first replies stay known
    assert f"repeat 2 · {runs[1][:4]}"[:8] in ragtriage("runs").out
    against = ("gate", "--answers", "--against", first["run"])
    both = ragtriage(*against, "--repeat", runs[0], "--repeat", runs[1], "--yes", "--json")
    assert (both.code, both.json["outcome"]) == (3, "cannot-tell")  # too few questions
    for words, says in (
        ((runs[0], runs[0]), f"{runs[0]}: is repeat 1, as {runs[0]} is"),
        ((first["run"],), "is no repeat: eval --answers live --repeat 1 asks the model anew"),
    ):
        refused = ragtriage(*against, *(word for run in words for word in ("--repeat", run)))
        assert (refused.code, refused.out) == (2, "")
        assert says in refused.err


def test_a_repeat_needs_a_model_and_a_number(ragtriage: Command, model: Path) -> None:
    for words, says in (
        (("eval", "--repeat", "0"), "a number from 1 to 99"),
        (("eval", "--repeat", "-1"), "a number from 1 to 99"),
        (("eval", "--repeat", "1", "--answers", "none"), "here none answers"),
        (("eval", "--repeat", "1", "--set", "answers.generator=extractive"), "here none answers"),
        (("judge", "show", "--repeat", "1"), "for judge run"),
    ):
        done = ragtriage(*words)
        assert (done.code, done.out, asked(model)) == (2, "", 0)
        assert says in done.err


def test_the_split_tax_sums_to_the_tax(ragtriage: Command, model: Path) -> None:
    done = ragtriage("eval", "--answers", "both", "--split-tax", "--yes", "--json")
    answers = done.json["answers"]
    steps = [answers["split"][name]["value"] for name in ("distraction", "ranking", "missing")]
    assert sum(steps) == pytest.approx(answers["tax"]["value"], abs=1e-5)
    report = ragtriage("eval", "--split-tax")
    rows = {line[:19].strip(): line.split() for line in report.out.splitlines() if line.startswith("  ")}
    assert {"distraction", "ranking", "missing evidence"} <= rows.keys()
    assert "padded answer" in ragtriage("show", "q001").out
    bad = ragtriage("eval", "--split-tax", "--answers", "live")
    assert (bad.code, bad.err) == (2, "ragtriage: --split-tax: needs live and oracle answers, not --answers live\n")


def test_answers_that_failed_are_grouped_and_the_exit_code_says_so(ragtriage: Command, model: Path) -> None:
    (model / "broken").touch()
    done = ragtriage("eval", "--answers", "both", "--yes")
    assert done.code == 3
    (at,) = [at for at, line in enumerate(done.out.splitlines()) if line.startswith("! 2 answers failed: model.py failed: ")]
    assert done.out.splitlines()[at + 1] == "  q002 live, q002 oracle"
    assert not set(done.out) & BAD
    shown = ragtriage("show", "q002")
    assert shown.code == 3
    assert "! live answer, given ranks 1 to k: failed: model.py failed: the GPU" in shown.out
    listed = ragtriage("failures")
    assert (listed.code, listed.err.split(" failed")[0]) == (3, "2 answers")
    (model / "broken").unlink()
    before = asked(model)
    assert ragtriage("eval", "--answers", "both", "--yes").code == 0
    assert asked(model) - before <= 2  # only what had failed
    assert ragtriage("show", "q002").code == 0


def _signals_as_usual() -> None:
    signal.signal(signal.SIGINT, signal.default_int_handler)
    signal.signal(signal.SIGHUP, signal.SIG_DFL)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_ctrl_c_keeps_what_came(ragtriage: Command, model: Path, number: signal.Signals) -> None:
    (model / "slow").touch()
    command = [sys.executable, "-m", "ragtriage_tui", "eval", "--answers", "both", "--yes"]
    process = subprocess.Popen(
        command, cwd=model, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        preexec_fn=_signals_as_usual,  # noqa: PLW1509 - ignored behind a shell's & and behind nohup
    )  # fmt: skip
    with process:
        until = time.monotonic() + 60
        while asked(model) < 4 and time.monotonic() < until:
            time.sleep(0.02)
        process.send_signal(number)
        out, err = process.communicate(timeout=60)
    assert (process.returncode, out) == (130, b"")
    said = err.decode().splitlines()[-1]
    assert said == "ragtriage: interrupted; 3 replies that came are kept, and the next run asks only for the rest"
    (model / "slow").unlink()
    before = asked(model)
    assert before == 4
    done = ragtriage("eval", "--answers", "both", "--yes", "--json")
    assert done.code == 0
    assert " (3 known): " in done.err
    assert done.json["generator"]["asked"] == asked(model) - before == done.json["generator"]["replies"] - 3


def test_read_only_asks_and_writes_nothing_into_the_project(ragtriage: Command, model: Path) -> None:
    before = sorted(model.rglob("*"))
    assert ragtriage("eval", "--answers", "both", "--yes", "--read-only").code == 0
    assert sorted(path for path in model.rglob("*") if path.name != "asked.txt") == before  # that is the program's own
    sent = asked(model)
    assert sent > 0
    assert ragtriage("eval", "--answers", "both").code == 0  # the replies are in the cache all the same
    assert asked(model) == sent


@pytest.mark.parametrize(("typed", "sends"), [("Y", True), ("y", False), ("", False), ("yes", False)])
def test_on_a_terminal_only_a_capital_y_sends(model: Path, typed: str, sends: bool) -> None:
    env = {"RAGTRIAGE_TRUST": "1", "RAGTRIAGE_HOME": os.environ["RAGTRIAGE_HOME"]}
    command = ["-m", "ragtriage_tui", "-C", str(model), "eval", "--answers", "live"]
    with Session(100, 60, env=env, command=command) as session:
        session.wait_for("Send them? Y sends, anything else does not.")
        assert asked(model) == 0
        session.send(f"{typed}\r")
        code = session.wait(30.0)
        drawn = session.output.decode()
    assert (code == 0, asked(model) > 0) == (sends, sends)
    assert code in (0, 130)
    assert ("nothing was sent" in drawn) is not sends
    assert ("answers by the program ./model.py" in drawn) is sends


def test_a_server_on_this_machine_needs_no_yes(ragtriage: Command, project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-secret-0123456789")
    with FakeOpenAI(lambda seen: Act(text="Within 30 days \x1b[31m[1]. sk-secret-0123456789")) as server:
        words = ["--set", "answers.generator=openai", "--set", "answers.model=gpt-x", "--set", f"answers.base_url={server.url}"]
        done = ragtriage("eval", "--answers", "both", *words)
        sent = len(server.requests)
        assert done.code == 0, done.err
        assert f" requests to gpt-x at 127.0.0.1:{server.port}: about " in done.err
        assert "price not configured" in done.err
        assert f"answers by gpt-x at 127.0.0.1:{server.port}, template built-in v1" in done.out
        assert not set(done.out) & BAD
        assert ragtriage("eval", "--answers", "both", *words).code == 0
        assert len(server.requests) == sent > 0
        doctor = ragtriage("doctor", *words)
        assert f"something answers at 127.0.0.1:{server.port}" in doctor.out
        assert "the key is in $OPENAI_API_KEY" in doctor.out
    for folder in (project, Path(os.environ["RAGTRIAGE_HOME"])):
        for path in folder.rglob("*"):
            assert not path.is_file() or b"sk-secret" not in path.read_bytes(), path
    assert "sk-secret" not in done.out + done.err + doctor.out
    gone = ragtriage("doctor", *words)
    assert gone.code == 2
    assert "nothing answers at 127.0.0.1" in gone.out


def test_whatever_a_model_says_reaches_no_terminal(ragtriage: Command, judged: Path) -> None:
    runs = [
        ["eval", "--answers", "both", "--yes"], ["judge", "run", "--yes", "--stability"], ["eval"], ["show", "q004"],
        ["show", "q002"], ["judge", "show"], ["runs"], ["runs", "show"], ["failures"],
    ]  # fmt: skip
    for words in runs:
        done = ragtriage(*words)
        assert done.code in (0, 3), done.err
        assert not set(done.out + done.err) & BAD, words
        assert len(done.out) < 40_000, words  # one answer has a million characters
        assert all(len(line) < 1200 for line in done.out.splitlines())
        machine = ragtriage(*words, "--json")
        assert machine.out.count("\n") == 1
        json.loads(machine.out)
        assert not set(machine.out) & BAD, words
    for line in narrow(ragtriage("eval").out):
        assert len(line) <= 80, line


# -- the judge


def test_the_judge_is_asked_after_the_answers(ragtriage: Command, judged: Path) -> None:
    none = ragtriage("judge", "run", "--yes")
    assert (none.code, none.out) == (2, "")
    assert "ragtriage eval --answers both asks for them" in none.err
    assert ragtriage("eval", "--answers", "both", "--yes").code == 0
    before = asked(judged)
    refused = ragtriage("judge", "run")
    assert (refused.code, refused.out, asked(judged)) == (2, "", before)
    assert refused.err.startswith("judging: ")
    done = ragtriage("judge", "run", "--yes", "--json")
    assert done.code == 3  # one reply could not be used, nor could the second try
    assert done.err.count("\n") == 1  # the second try is not asked about again
    judged_of = done.json["judged"]
    assert judged_of["axes"]["grounded"]["no"] == 1
    assert [row["qid"] for row in judged_of["unscored"]] == ["q002"]
    assert done.json["calibration"] == dict.fromkeys(("correct", "grounded", "cited", "honest", "addresses"))
    sent = asked(judged)
    text = ragtriage("judge", "run")
    assert (text.code, asked(judged)) == (3, sent)
    repeat = ragtriage("judge", "run", "--repeat", "1")
    assert "ragtriage eval --answers both --repeat 1 asks for them" in repeat.err
    assert text.out == ragtriage("judge", "show").out  # of the same stored run
    assert text.out.count("uncalibrated") >= 5
    shown = ragtriage("show", "q004").out
    assert "  judge: grounded  no  (uncalibrated)" in shown
    assert "    no passage supports: " in shown
    assert "  answer: 100 tokens in, 10 out, cost 0.00065, " in shown
    assert "from the cache" in shown


def review(root: Path, ragtriage: Command, **grades: bool) -> None:
    """A person's word on the live answers of q001 and q003."""
    from ragtriage.triage.reviews import ReviewLog, answer_sha

    log = ReviewLog(root / "evals" / "reviews.jsonl")
    for question in ragtriage("eval", "--json").json["per_question"]:
        if question["qid"] in grades:
            sha = answer_sha(question["qid"], question["live"]["text"])
            log.record(question["qid"], sha, {"grounded": grades[question["qid"]]}, by="somebody")


def test_a_judge_is_calibrated_by_what_people_say(ragtriage: Command, judged: Path) -> None:
    none = ragtriage("judge", "calibrate")
    assert (none.code, none.out) == (2, "")
    assert "no reviews yet; J in the app" in none.err
    ragtriage("eval", "--answers", "both", "--yes")
    review(judged, ragtriage, q001=True, q003=False, q004=False)
    unjudged = ragtriage("judge", "calibrate")
    assert unjudged.code == 2
    assert "none of the 3 reviewed answers is among the judged ones" in unjudged.err
    ragtriage("judge", "run", "--yes")
    dry = ragtriage("judge", "calibrate", "--read-only", "--json").json
    assert dry["written"] is None
    assert not (judged / "evals" / "calibration.json").exists()
    done = ragtriage("judge", "calibrate", "--json")
    assert (done.code, done.err) == (0, "")
    grounded = done.json["axes"]["grounded"]
    # the judge says yes, yes, no; people say yes, no, no
    assert (done.json["pairs"], grounded["n"], grounded["agreement"]) == (3, 3, pytest.approx(2 / 3))
    assert (grounded["false_positives"], grounded["false_negatives"], grounded["few"]) == (["q003"], [], True)
    text = ragtriage("judge", "calibrate").out
    assert "grounded: yes where people say no: q003" in text
    assert "grounded: too few to rely on" in text
    assert all(len(line) <= 80 for line in text.splitlines()[1:-1])
    table = ragtriage("judge", "show").out
    assert "kappa 0.40 (" in table
    assert ragtriage("eval", "--json").json["calibration"]["grounded"]["n"] == 3
    # another judge is uncalibrated
    other = ragtriage("eval", "--set", "judge.temperature=0.5", "--json").json
    assert other["calibration"]["grounded"] is None
    (judged / "evals" / "calibration.json").write_text("{", encoding="utf-8")
    broken = ragtriage("eval")
    assert broken.code == 2
    assert "calibration.json: " in broken.err
    assert "uncalibrated" in broken.out


def test_a_judge_must_be_configured(ragtriage: Command, model: Path) -> None:
    for words in (["run", "--yes"], ["show"]):
        done = ragtriage("judge", *words)
        assert (done.code, done.out) == (2, "")
    bad = ragtriage("judge", "show", "--stability")
    assert "--stability: for judge run, not for judge show" in bad.err
    assert ragtriage("judge", "run", "--only", ",").code == 2


def test_doctor_looks_at_the_program_and_the_template(ragtriage: Command, judged: Path) -> None:
    fine: dict[str, Any] = ragtriage("doctor", "--json").json
    says = [(one["state"], one["what"], one["says"]) for one in fine["findings"]]
    assert ("ok", "answers", f"runs {judged / 'model.py'}") in says or ("ok", "answers", "runs model.py") in says
    assert ("ok", "template", "built-in v1") in says
    assert any(what == "judge" and text.startswith("uncalibrated") for _, what, text in says)
    (judged / "model.py").chmod(0o644)
    done = ragtriage("doctor", "--set", "answers.prompt=prompt.txt")
    assert done.code == 2
    assert "./model.py cannot be run" in done.out or os.geteuid() == 0
    assert "answers.prompt cannot be read" in done.out


def test_a_template_that_links_to_itself_is_one_clear_message(ragtriage: Command, judged: Path) -> None:
    (judged / "prompt.txt").symlink_to("prompt.txt")
    done = ragtriage("eval", "--set", "answers.prompt=prompt.txt")
    assert done.code == 2
    assert "answers.prompt cannot be read" in done.err

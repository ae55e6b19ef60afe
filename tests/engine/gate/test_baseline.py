"""The baseline: what it keeps of a run, when it may fall, and what a damaged file says."""

from __future__ import annotations

import dataclasses
import json
import random
from pathlib import Path
from typing import Any

import pytest
from tests.engine.gate.gated_runs import answer, item, question, random_run, run
from tests.soak import rounds

from ragtriage.compare.comparison import compare
from ragtriage.errors import GoldenError
from ragtriage.gate.baseline import Baseline, Stamp, baseline_of
from ragtriage.gate.baseline_file import dump_baseline, load_baseline, save_baseline
from ragtriage.gate.baseline_update import improved, propose
from ragtriage.gate.columns import gate_inputs
from ragtriage.gate.decision import gate
from ragtriage.gate.settings import GateSettings
from ragtriage.measure.results import Run
from ragtriage.types import Judged

HITS = (GateSettings(("hit@k", "mrr")),)
BOTH = (*HITS, GateSettings(("correct",), answers=True))
STAMP = Stamp("2026-11-30T12:00:00Z", "4f2c1e9ab", False)


def found(*ranks: int | None, name: str = "r", **more: Any) -> Run:
    return run(*(question(f"q{number:02}", rank) for number, rank in enumerate(ranks)), name=name, **more)


def first(of: Run, settings: tuple[GateSettings, ...] = HITS) -> Baseline:
    return propose(None, of, settings, STAMP).baseline


def written(tmp_path: Path, baseline: Baseline) -> Baseline:
    save_baseline(tmp_path / "baseline.json", baseline)
    read = load_baseline(tmp_path / "baseline.json")
    assert read is not None
    return read


def test_the_file_has_sorted_keys_and_one_question_a_line(tmp_path: Path) -> None:
    start = run(question("q2", 1), question("q1", 7, None), question("h", 1, split="holdout"), name="20261130T120000Z-ab")
    data = dump_baseline(first(start))
    value = json.loads(data)
    assert list(value) == sorted(value)
    lines = data.decode().splitlines()
    assert [json.loads(line.strip().rstrip(","))["qid"] for line in lines if line.startswith('    {"') and '"qid"' in line] == [
        "q1",
        "q2",
    ]
    assert all(list(one) == sorted(one) for one in value["questions"])
    assert value["questions"][0]["ranks"] == [7, None]
    assert (value["run"], value["revision"], value["at"]) == ("20261130T120000Z-ab", "4f2c1e9ab", "2026-11-30T12:00:00Z")
    assert value["metrics"]["hit@5"] == {"value": 0.5, "n": 2, "failed": 0}
    assert dump_baseline(written(tmp_path, first(start))) == data


@pytest.mark.parametrize("seed", range(rounds(15, 600)))
def test_a_gate_against_the_baseline_is_the_gate_against_its_run(seed: int, tmp_path: Path) -> None:
    rng = random.Random(seed)
    start = [question(f"q{number}", rng.choice([1, 1, 2, 7, None])) for number in range(60)]
    base, head = (random_run(rng, start, name=name) for name in "bh")
    unique = {one.qid: one for one in base.questions if all(part.gain in (0, 1, 2) for part in one.items)}
    base = Run("b", {**base.manifest, "only": None}, tuple(unique.values()))
    head = Run("h", head.manifest, tuple({one.qid: one for one in head.questions}.values()))
    if any(not part.gain >= 0 for one in head.questions for part in one.items) or any(
        one.split != "dev" for one in base.questions
    ):
        return
    kept = written(tmp_path, first(base)).as_run()
    settings = GateSettings(("hit@k", "recall@k", "mrr", "ndcg@10"))
    decided = [gate(gate_inputs(compare(one, head, metrics=()), settings)) for one in (base, kept)]
    assert decided[0] == decided[1]
    flips = [[(flip.qid, flip.change, flip.rung) for flip in compare(one, head).flips] for one in (base, kept)]
    assert flips[0] == flips[1]


def test_answers_and_judge_are_kept(tmp_path: Path) -> None:
    judged = Judged(correct=True, grounded=False)
    start = run(
        question("a", 1, live=answer(True)),
        question("b", 1, live=answer(None, judged=judged)),
        question("c", 1, live=answer(None, judged=Judged(reason="no JSON"))),
        question("d", 1, unanswered={"live": "timeout"}),
        question("e", failed=True, items=[item(None)]),
        judge={"identity": "judge-1"},
        config={"answers": {"generator": "openai", "base_url": "https://secret.example", "order": "reversed"}},
    )
    kept = written(tmp_path, first(start, BOTH))
    again = kept.as_run()
    assert [one.live.correct if one.live else None for one in again.questions] == [True, True, None, None, None]
    assert again.manifest["judge"] == {"identity": "judge-1"}
    assert kept.config == {"answers.generator": "openai", "answers.order": "reversed"}
    assert again.manifest["config"]["answers"]["generator"] == "openai"
    assert kept.metrics["correct"] == {"value": 1.0, "n": 2, "failed": 0}
    assert again.questions[3].unanswered == {"live": "timeout"}
    assert [one.status for one in again.questions][4] == "failed"


def test_it_only_rises_by_itself() -> None:
    old = first(found(1, 1, 9, None))
    better = propose(old, found(1, 1, 2, None), HITS, STAMP)
    assert (better.needs_reason, better.same, dict(better.lowered)) == (False, False, {})
    assert better.baseline.history[-1].metrics["hit@5"] == (0.5, 0.75)
    worse = propose(old, found(1, 2, 9, None), HITS, STAMP)
    assert worse.needs_reason
    assert list(worse.lowered) == ["mrr"]
    traded = propose(old, found(1, 9, 2, None), HITS, STAMP)
    assert list(traded.lowered) == ["mrr"]  # two hits as before, and yet the mean rank fell
    assert propose(old, found(1, 1, 9, None), HITS, STAMP._replace(at="2027-01-01T00:00:00Z")).same


def test_a_reason_stays_in_the_history(tmp_path: Path) -> None:
    old = written(tmp_path, first(found(1, 1, 1)))
    dropped = propose(old, found(1, 1, None), HITS, STAMP._replace(reason="the page is gone")).baseline
    again = propose(written(tmp_path, dropped), found(1, 1, 1), HITS, STAMP).baseline
    history = written(tmp_path, again).history
    assert [(change.reason, change.dropped) for change in history] == [("", False), ("the page is gone", True), ("", False)]


def test_a_question_that_is_no_longer_measured_is_no_improvement() -> None:
    old = first(found(1, 1, 1))
    failed = run(question("q00", 1), question("q01", 1), question("q02", 1, failed=True))
    proposal = propose(old, failed, HITS, STAMP)
    assert (proposal.lacking, proposal.needs_reason) == (("q02",), True)


def test_questions_join_and_leave_without_lowering_anything() -> None:
    old = first(run(*(question(f"q{number}", 1) for number in range(5))))
    new = run(*(question(f"q{number}", 1) for number in range(1, 5)), question("n1", None), question("n2", None))
    proposal = propose(old, new, HITS, STAMP)
    assert (proposal.joined, proposal.left, proposal.needs_reason) == (("n1", "n2"), ("q0",), False)
    assert proposal.baseline.metrics["hit@5"]["value"] == 0.666667
    other = run(*(question(f"x{number}", 1) for number in range(9)))
    assert propose(old, other, HITS, STAMP).other_set
    assert propose(old, other, HITS, STAMP).needs_reason


def test_each_side_is_taken_at_its_own_k() -> None:
    old = first(found(1, 7, 7, k=8))
    smaller = propose(old, found(1, 7, 7, k=5), (GateSettings(("hit@k",)),), STAMP)
    assert smaller.lowered == {"hit@5": (1.0, 1 / 3)}
    assert not propose(first(found(1, 7, 7)), found(1, 7, 7, k=8), (GateSettings(("hit@k",)),), STAMP).needs_reason


@pytest.mark.parametrize(("won", "rises"), [(2, ()), (3, ("hit@5",))])
def test_a_metric_rose_beyond_noise_by_more_than_it_may_fall(won: int, rises: tuple[str, ...]) -> None:
    base = found(*[1] * 30, *[9] * 20, name="b")
    head = found(*[1] * (30 + won), *[9] * (20 - won), name="h")
    decided = gate(gate_inputs(compare(base, head, metrics=()), GateSettings(("hit@k",))))
    assert improved(decided) == rises
    failed = [dataclasses.replace(one, status="failed", rr=None) for one in head.questions[:3]]
    half = Run("h", head.manifest, (*failed, *head.questions[3:]))
    assert improved(gate(gate_inputs(compare(base, half, metrics=()), GateSettings(("hit@k",))))) == ()


# -- damaged files


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"format": 2}, "format: 1 is needed"), ({"k": 0}, "k: whole numbers from 1"), ({"k": None}, "k: a whole number"),
        ({"k": True}, "k: "), ({"questions": {}}, "questions: a list"), ({"questions": [3]}, "questions: a JSON object"),
        ({"metrics": {"hit@5": {"value": 3}}}, "from 0 to 1"), ({"metrics": {"hit@5": {"value": 1, "n": -1}}}, "a count"),
        ({"fingerprints": None}, "fingerprints: a JSON object"), ({"run": 3}, "run: a string"), ({"history": [{}]}, "history"),
        ({"history": 3}, "history: a list"), ({"config": []}, "config: a JSON object"), ({"judge": 3}, "judge: a string"),
    ],
)  # fmt: skip
def test_a_file_of_another_shape_is_one_clear_message(change: dict[str, Any], says: str, tmp_path: Path) -> None:
    value = json.loads(dump_baseline(first(found(1, 2)))) | change
    _refused(tmp_path, json.dumps(value).encode(), says)


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"qid": "q01"}, "q01 stands there twice"), ({"qid": None}, "qid"), ({"identity": 3}, "identity"),
        ({"status": "fine"}, "status"),
        ({"ranks": [0]}, "whole numbers from 1"), ({"ranks": [1.5]}, "whole numbers"), ({"ranks": [True]}, "whole numbers"),
        ({"ranks": []}, "do not go together"), ({"rr": None}, "do not go together"), ({"rr": 2}, "from 0 to 1"),
        ({"stages": []}, "not as many"), ({"stages": [[]]}, "a JSON object"), ({"gains": ["x"]}, "numbers from 0"),
        ({"answer": {"graded": "yes"}}, "true, false or null"), ({"answer": []}, "a JSON object"), ({"kind": "odd"}, "kind"),
        ({"kind": None}, "kind"), ({"kind": []}, "kind"), ({"kind": False}, "kind"),
    ],
)  # fmt: skip
def test_a_question_of_another_shape_is_named(change: dict[str, Any], says: str, tmp_path: Path) -> None:
    value = json.loads(dump_baseline(first(found(1, 2))))
    value["questions"][0] |= change
    _refused(tmp_path, json.dumps(value).encode(), says)


@pytest.mark.parametrize("data", [b"", b"{", b"[]", b"\xff\xfe", b"<<<<<<< HEAD\n{}", b"[" * 100_000, b'{"k": NaN}', b"null"])
def test_what_is_no_baseline_at_all_is_one_clear_message(data: bytes, tmp_path: Path) -> None:
    _refused(tmp_path, data, "baseline.json: ")


@pytest.mark.parametrize("seed", range(rounds(30, 3000)))
def test_a_changed_byte_is_read_or_refused(seed: int, tmp_path: Path) -> None:
    rng = random.Random(seed)
    data = bytearray(dump_baseline(baseline_of(found(1, 2, None, 9), HITS, STAMP)))
    for _ in range(rng.randint(1, 4)):
        data[rng.randrange(len(data))] = rng.randrange(256)
    path = tmp_path / "baseline.json"
    path.write_bytes(data)
    try:
        read = load_baseline(path)
    except GoldenError:
        return
    assert read is not None
    compare(read.as_run(), found(1, 2, None, 9))


def _refused(tmp_path: Path, data: bytes, says: str) -> None:
    path = tmp_path / "baseline.json"
    path.write_bytes(data)
    with pytest.raises(GoldenError) as caught:
        load_baseline(path)
    assert says in str(caught.value)
    assert "restore it from git" in str(caught.value)
    assert len(str(caught.value).splitlines()) == 1


def test_a_key_that_stands_twice_is_refused_with_its_line(tmp_path: Path) -> None:
    path = tmp_path / "baseline.json"
    text = dump_baseline(baseline_of(found(1, 2, None, 9), HITS, STAMP)).decode()
    lines = text.splitlines(keepends=True)
    row = next(number for number, line in enumerate(lines) if line.startswith('  "at": '))
    _refused(
        tmp_path, "".join([*lines[: row + 1], lines[row], *lines[row + 1 :]]).encode(), f"{path}:{row + 2}: 'at' stands twice"
    )
    row = next(number for number, line in enumerate(lines) if '"status": ' in line)
    lines[row] = lines[row].replace('"status": ', '"status": "missed", "status": ', 1)
    _refused(tmp_path, "".join(lines).encode(), f"{path}:{row + 1}: 'status' stands twice")


def test_there_may_be_none(tmp_path: Path) -> None:
    assert load_baseline(tmp_path / "baseline.json") is None

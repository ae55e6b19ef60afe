"""The accountant over planted rerankers, each a program that is run as a user's is."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from ragtriage.errors import UsageError
from ragtriage.experiments import accountant
from ragtriage.experiments.accountant import Audit, audit
from ragtriage.experiments.rerank_document import to_json
from ragtriage.experiments.rerank_latency import Latency
from ragtriage.measure.evaluate import evaluate
from ragtriage.measure.rerank_account import Move
from ragtriage.project import Project

PLANTED = {
    "perfect": "1 if 'answer' in text else 0",
    "inverting": "0 if 'answer' in text else 1",
    "identity": "0",
    "failing": "1 / 0",
}
Make = Callable[..., Project]


@pytest.fixture(autouse=True)
def _home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RAGTRIAGE_HOME", str(tmp_path / "home"))
    monkeypatch.delenv("RAGTRIAGE_TRUST", raising=False)


@pytest.fixture
def make(tmp_path: Path) -> Iterator[Make]:
    """make("perfect"): a project in which BM25 has pages 1, 4 and 8 of `wing` at ranks 2, 4 and 8; each answers a question.

    The evidence of a fourth question is in a page that no word of it finds.
    """
    root = tmp_path / "project"
    (root / "docs").mkdir(parents=True)
    (root / "evals").mkdir()
    for place in range(1, 11):
        says = {1: " first answer", 4: " second answer", 8: " third answer"}.get(place, "")
        (root / "docs" / f"p{place:02d}.md").write_text("wing " * (12 - place) + "of " * place + says, encoding="utf-8")
    (root / "docs" / "other.md").write_text("a fourth thing", encoding="utf-8")
    quotes = [("p01", "first answer"), ("p04", "second answer"), ("p08", "third answer"), ("other", "a fourth thing")]
    lines = [
        {"qid": f"q{number}", "question": "wing", "evidence": [{"doc": doc, "quote": quote}]}
        for number, (doc, quote) in enumerate(quotes, 1)
    ]
    (root / "evals" / "golden.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    made: list[Project] = []

    def open_it(planted: str, *more: str) -> Project:
        program = f"import sys, json\nfor line in sys.stdin:\n  texts = json.loads(line)['passages']\n  print(json.dumps({{'scores': [{PLANTED.get(planted)} for text in texts]}}), flush=True)"  # noqa: E501 - a program
        command = json.dumps([sys.executable, "-c", program])
        chosen = ["retrieval.rerank=command", f"retrieval.rerank_command={command}"] if planted in PLANTED else []
        chosen = chosen or [f"retrieval.rerank={planted}"]
        overrides = ["retrieval.mode=bm25", "retrieval.k=2", *chosen, *more]
        made.append(Project.open(root, overrides=overrides))
        return made[-1]

    yield open_it
    for one in made:
        one.close()


def audited(project: Project, *pools: int) -> Audit:
    return audit(project, pools or (9,), timed=False)


def test_a_perfect_reranker(make: Make) -> None:
    (row,) = audited(make("perfect", "retrieval.k=3")).rows
    found = row.account
    # p01 is inside k = 3, p04 and p08 are brought in, the fourth is in no pool
    assert (found.before, found.after, found.ceiling, found.used) == (0.25, 0.75, 0.75, 1.0)
    assert found.promoted == (Move("q2", 1, 4, 2), Move("q3", 1, 8, 3))
    assert found.outside == ("q4",)
    assert (row.latency, row.ms_per_point, row.step) == (None, None, None)


def test_an_inverting_and_an_indifferent_one(make: Make) -> None:
    (row,) = audited(make("inverting")).rows
    assert (row.account.before, row.account.after, row.account.used) == (0.25, 0.0, -0.5)
    assert row.account.demoted == (Move("q1", 1, 2, 7),)
    assert [alarm.name for alarm in row.alarms] == ["does-harm"]
    (row,) = audited(make("identity")).rows
    assert (row.account.after, row.account.used, row.account.promoted, row.account.demoted) == (0.25, 0.0, (), ())


def test_the_pools_and_their_alarms(make: Make) -> None:
    found = audited(make("perfect"), 8, 2, 4)
    assert [row.account.pool for row in found.rows] == [2, 4, 8]
    names = [[alarm.name for alarm in row.alarms] for row in found.rows]
    assert names == [["pool-is-k"], ["pool-is-the-limit"], []]  # at 4, q3 and q4 of the three that lack; at 8 one of three
    assert [row.account.ceiling for row in found.rows] == [0.25, 0.5, 0.75]
    assert [row.account.after for row in found.rows] == [0.25, 0.5, 0.5]  # p01, p04 and p08 tie, and k is 2
    assert [(row.step.smaller, row.step.gain, row.step.doublings) for row in found.rows if row.step] == [
        (2, 0.25, 1.0),
        (4, 0.0, 1.0),
    ]


def test_times_budget_and_what_is_kept(make: Make) -> None:
    found = audit(make("perfect"), (2, 4), budget_ms=1e9)
    assert found.within_budget == 4
    assert all(row.latency and row.latency.n == 4 and 0 < row.latency.p50_ms <= row.latency.p95_ms for row in found.rows)
    assert [row.latency.passages for row in found.rows if row.latency] == [2, 4]
    assert found.rows[1].ms_per_point == pytest.approx(found.rows[1].latency.p50_ms / 25)  # type: ignore[union-attr]  # just above
    assert audit(make("lexical"), (2,), budget_ms=0.0).within_budget is None
    assert json.loads(json.dumps(to_json(found)))["within_budget"] == 4


@pytest.mark.parametrize(
    ("p95", "inside"), [((10, 20, 30), 8), ((10, 41, 39), 2), ((41, 10, 20), None), ((10, None, 20), 2), ((10, 40, 90), 4)]
)
def test_all_smaller_pools_are_within_the_budget_too(
    make: Make, monkeypatch: pytest.MonkeyPatch, p95: tuple[int | None, ...], inside: int | None
) -> None:
    times = {pool: Latency(1.0, float(ms), 4, pool) for pool, ms in zip((2, 4, 8), p95, strict=True) if ms is not None}
    monkeypatch.setattr(accountant, "latencies", lambda *asked: times)
    assert audit(make("perfect"), (2, 4, 8), budget_ms=40.0).within_budget == inside


def test_failed_questions_are_counted_and_bad_use_is_said(make: Make) -> None:
    found = audited(make("failing"))
    assert [qid for qid, _ in found.failed] == ["q1", "q2", "q3", "q4"]
    assert "ZeroDivisionError" in found.failed[0][1]
    assert (found.rows[0].account.n, found.rows[0].account.before) == (0, None)
    assert to_json(found)["rows"][0]["p50_ms"] is None
    with pytest.raises(UsageError, match=r"a pool of 1 is smaller than k \(2\)"):
        audited(make("lexical"), 1, 4)
    with pytest.raises(UsageError, match="no reranker is configured"):
        audited(make(""))


def test_eval_says_the_same_of_the_configured_pool(make: Make) -> None:
    project = make("perfect", "retrieval.k=3", "retrieval.pool=9")
    run = evaluate(project, answers="none", store=False)
    assert run.manifest["rerank"] == {
        "reranker": "command",
        **{key: value for key, value in to_json(audited(project))["rows"][0].items() if key in run.manifest["rerank"]},
    }
    assert run.manifest["rerank"]["used"] == 1.0
    assert "rerank" not in evaluate(make(""), answers="none", store=False).manifest

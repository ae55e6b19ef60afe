"""What is kept of a trial, when it is found again, and when it is made anew."""

from __future__ import annotations

import dataclasses
import json
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from tests.engine.experiments.projects import make

from ragtriage.config import RetrievalConfig
from ragtriage.config_file import with_settings
from ragtriage.experiments import trial as trial_module
from ragtriage.experiments.figures import FIGURES
from ragtriage.experiments.grid import grid_of
from ragtriage.experiments.kept import keep, newest, newest_trials
from ragtriage.experiments.sweep import sweep
from ragtriage.experiments.trial import Trials
from ragtriage.experiments.what_if import what_if
from ragtriage.measure.evaluate import evaluate
from ragtriage.project import Project

SCORES = """import json, sys
for line in sys.stdin:
    print(json.dumps({"scores": [0.0] * len(json.loads(line)["passages"])}), flush=True)
"""
SLOW = "import time\n" + SCORES.replace("    print", "    time.sleep(0.05)\n    print")
FLAKY = "import os\n" + SCORES.replace("    print", "    if not os.path.exists('../up'): sys.exit(1)\n    print")


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Project:
    monkeypatch.setenv("RAGTRIAGE_HOME", str(tmp_path / "home"))
    return make(tmp_path / "project")


def reranked(project: Project, program: str) -> Project:
    project.trusted = True
    settings = {"retrieval.rerank": "command", "retrieval.rerank_command": [sys.executable, "-c", program]}
    return project.variant(with_settings(project.config, settings))


def test_a_trial_is_found_as_it_was_made(project: Project) -> None:
    trials = Trials(project)
    assert trials.find(project) is None
    made = trials.make(project)
    assert made.manifest["sweep"].keys() == FIGURES
    found = trials.find(project)
    assert found is not None
    assert (found.id, found.manifest, found.questions) == (made.id, made.manifest, made.questions)


def test_made_twice_it_has_one_name_and_one_folder(project: Project) -> None:
    trials = Trials(project)
    assert trials.make(project).id == trials.make(project).id
    assert [info.id for info in trials.store.all()] == [trials.name(project, split="dev", answers="none")]


@pytest.mark.parametrize("change", [{"sweep": None}, {"sweep": {"budgets": {}}}, {"failed": ...}])
def test_one_that_lacks_what_a_table_reads_is_made_again(project: Project, change: dict[str, Any]) -> None:
    trials = Trials(project)
    file = trials.store.folder / trials.make(project).id / "run.json"
    manifest = json.loads(file.read_text(encoding="utf-8"))
    kept = {key: value for key, value in {**manifest, **change}.items() if value is not ...}
    file.write_text(json.dumps(kept), encoding="utf-8")
    assert trials.find(project) is None
    assert not file.exists()


def test_what_failed_is_tried_again_and_on_the_holdout_not(project: Project) -> None:
    trials = Trials(project)
    down = reranked(project, FLAKY)
    try:
        assert trials.make(down).manifest["failed"] == 8
        assert trials.find(down) is None
        assert trials.make(down, split="holdout").manifest["failed"] == 2
    finally:
        down.close()
    (project.root.parent / "up").touch()  # outside: what lies in the project is part of what the program is
    up = Project.open(project.root).variant(down.config)
    up.trusted = True
    try:
        mended = trials.make(up)
        assert mended.manifest["failed"] == 0
        found = trials.find(up)
        assert found is not None
        assert found.id == mended.id
        assert trials.find(up, split="holdout") is not None
    finally:
        up.close()


def test_answers_that_did_not_come_are_asked_for_again(project: Project) -> None:
    trials = Trials(project)
    made = trials.make(project, answers="live")
    assert trials.find(project, answers="live") is not None
    questions = tuple(dataclasses.replace(one, unanswered={"live": "the server is busy"}) for one in made.questions)
    file = trials.store.folder / made.id / "questions.jsonl"
    file.write_bytes(b"".join(dataclasses.replace(made, questions=questions).lines))
    assert trials.find(project, answers="live") is None
    assert trials.make(project, answers="live").questions == made.questions


def test_a_search_that_reranks_takes_as_long_as_its_reranker_though_its_scores_are_known(project: Project) -> None:
    variant = reranked(project, SLOW)
    try:
        Trials(project).make(variant)
        assert variant.system.encoded == 0
        timings = Trials(project).make(variant).timings[0]  # all scores are in the cache
    finally:
        variant.close()
    assert timings["query_ms"] >= 50
    assert timings["query_ms_p95"] >= timings["query_ms"]


def test_the_oldest_go_but_not_those_of_the_newest_sweep_nor_of_the_holdout(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(trial_module, "_KEPT", 1)
    trials = Trials(project)
    variant = project.variant(dataclasses.replace(project.config, retrieval=dataclasses.replace(project.config.retrieval, k=2)))
    gone = [trials.make(variant).id, trials.make(project.variant(with_settings(project.config, {"retrieval.k": 4}))).id]
    aside = trials.make(project, split="holdout").id
    grid = grid_of({"size": [40, 80]}, project.config)
    table = sweep(project, grid)
    keep(project, table, grid)
    there = {info.id for info in trials.store.all()}
    assert there == {aside, *(row.run.id for row in table.rows)}
    assert not there & set(gone)
    again = newest(project)
    assert again is not None
    assert [row.name for row in again.rows] == [row.name for row in table.rows]


def test_a_trial_is_stored_without_its_rankings_and_has_all_that_a_table_reads(project: Project) -> None:
    trials = Trials(project)
    made = trials.make(project)
    lines = (trials.store.folder / made.id / "questions.jsonl").read_text(encoding="utf-8").splitlines()
    assert [json.loads(line)["ranking"] for line in lines] == [[]] * 8
    assert any(rank is not None for question in made.questions for rank in question.ranks)
    assert made.manifest["sweep"]["budgets"]["1000"] is not None
    assert made.timings[0]["query_ms"] is not None


def test_the_oldest_go_after_what_if_as_well_but_not_what_the_newest_sweep_shows(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    trials = Trials(project)
    gone = trials.make(project.variant(with_settings(project.config, {"retrieval.k": 7}))).id
    grid = grid_of({"size": [40]}, project.config)
    keep(project, sweep(project, grid), grid)
    monkeypatch.setattr(trial_module, "_KEPT", 1)
    found = what_if(project)
    made = {found.current.id, *(tried.run.id for tried in found.tried if tried.run is not None)}
    there = {info.id for info in trials.store.all()}
    assert gone not in there
    assert there == made | newest_trials(project)
    assert newest(project) is not None


def test_whatever_a_trial_depends_on_is_in_its_name(project: Project) -> None:
    """Documents, questions, needs, configuration, groups, and the hashes that labels of chunks alone are held to."""
    golden = project.golden_path
    lines = [json.loads(line) for line in golden.read_text(encoding="utf-8").splitlines()]

    def name(**opened: Any) -> str:
        return Trials(project).name(Project.open(project.root, **opened), split="dev", answers="none")

    def write(first: dict[str, Any]) -> None:
        golden.write_text("".join(json.dumps(line) + "\n" for line in [first, *lines[1:]]), encoding="utf-8")

    names = [name(), name(groups=("staff",)), name(overrides=("retrieval.depth=30",))]
    write({**lines[0], "question": "asked otherwise"})
    names.append(name())
    write({**lines[0], "needs": "any"})
    names.append(name())
    chunk = project.chunks.ids[3]
    write({**lines[0], "evidence": [{"chunk": chunk}]})
    names.append(name())
    evaluate(Project.open(project.root), answers="none")  # knows from now on what that chunk held
    names.append(name())
    page = project.root / "docs" / "refunds.md"
    page.write_text("A word more. " + page.read_text(encoding="utf-8"), encoding="utf-8")
    names.append(name())
    assert len(set(names)) == len(names)
    assert names[-1] == name()


def test_a_label_that_went_stale_is_measured_again(project: Project) -> None:
    """The same files, and the same configuration: but by now it is known on what the label was made."""
    chunk = project.chunks.ids[3]
    line = {"qid": "q", "question": "which code", "evidence": [{"chunk": chunk}]}
    project.golden_path.write_text(json.dumps(line) + "\n", encoding="utf-8")
    large = Project.open(project.root, overrides=("chunking.size=64",))
    before = Trials(large).make(large)
    assert before.questions[0].items[0].how != "stale"
    evaluate(Project.open(project.root), answers="none")
    large = Project.open(project.root, overrides=("chunking.size=64",))
    assert Trials(large).find(large) is None
    assert Trials(large).make(large).questions != before.questions


def test_a_search_is_timed_warm_and_what_else_runs_does_not_count(monkeypatch: pytest.MonkeyPatch) -> None:
    """Two milliseconds each, but for the first five, which warm up, and one that waited for somebody else."""
    now, searched = [0.0], [0]

    def search(queries: Any) -> None:
        searched[0] += 1
        now[0] += 0.05 if searched[0] <= 5 or searched[0] == 17 else 0.002

    monkeypatch.setattr(trial_module, "time", SimpleNamespace(perf_counter=lambda: now[0]))
    asked: Any = [SimpleNamespace(sent="how", access=())] * 30
    cold: Any = SimpleNamespace(
        system=SimpleNamespace(search=search), asked_by=lambda access: None, config=SimpleNamespace(retrieval=RetrievalConfig())
    )
    run: Any = SimpleNamespace(questions=())
    assert trial_module._query_ms(cold, run, asked) == {"query_ms": 2.0, "query_ms_p95": 2.0}
    assert searched[0] == 5 + 3 * 30
    assert trial_module._query_ms(cold, run, []) == {"query_ms": None, "query_ms_p95": None}


def test_where_a_search_is_slow_each_question_is_timed_once(monkeypatch: pytest.MonkeyPatch) -> None:
    now, searched = [0.0], [0]

    def search(queries: Any) -> None:
        searched[0] += 1
        now[0] += 0.25

    monkeypatch.setattr(trial_module, "time", SimpleNamespace(perf_counter=lambda: now[0]))
    slow: Any = SimpleNamespace(
        system=SimpleNamespace(search=search), asked_by=lambda access: None, config=SimpleNamespace(retrieval=RetrievalConfig())
    )
    asked: Any = [SimpleNamespace(sent="how", access=())] * 6
    assert trial_module._query_ms(slow, SimpleNamespace(questions=()), asked)["query_ms"] == 250.0  # type: ignore[arg-type]
    assert searched[0] == 5 + 6

"""A sweep from files to its table, with real BM25."""

from __future__ import annotations

import dataclasses
import json
from pathlib import Path
from typing import Any

import pytest
from tests.engine.experiments.projects import make

from ragtriage.errors import Cancelled, ConfigError, UsageError
from ragtriage.experiments.columns import columns_of
from ragtriage.experiments.confirm import confirm
from ragtriage.experiments.document import to_csv, to_json
from ragtriage.experiments.grid import grid_of
from ragtriage.experiments.kept import keep, newest
from ragtriage.experiments.markdown import to_markdown
from ragtriage.experiments.svg import to_svg
from ragtriage.experiments.sweep import Swept, plan, sweep
from ragtriage.experiments.table import Table
from ragtriage.experiments.trial import Trials
from ragtriage.measure.evaluate import evaluate
from ragtriage.project import Project

SIZES = {"size": [40, 80, 400], "overlap": [0, 16]}


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Project:
    monkeypatch.setenv("RAGTRIAGE_HOME", str(tmp_path / "home"))
    return make(tmp_path / "project")


def swept(project: Project, axes: dict[str, list[Any]] = SIZES, **more: Any) -> Table:
    return sweep(project, grid_of(axes, project.config), **more)


def test_each_row_is_what_an_evaluation_of_it_says(project: Project, tmp_path: Path) -> None:
    table = swept(project)
    assert len(table.rows) == 7
    assert table.rows[0].versus is None
    for row in table.rows:
        overrides = [f"{key}={json.dumps(value)}" for key, value in row.candidate.settings.items()]
        run = evaluate(Project.open(project.root, overrides=overrides), answers="none", store=False)
        assert row.run.questions == tuple(dataclasses.replace(question, hits=()) for question in run.questions)
        assert Trials(project).store.load(row.run.id).questions == row.run.questions
        assert row.metric("recall@3") == run.manifest["metrics"]["recall@3"]["value"]


def test_what_was_measured_is_found_again(project: Project) -> None:
    told: list[Swept] = []
    first = swept(project, told=told.append)
    assert [one.found for one in told] == [False] * 7
    assert [one.place for one in told] == list(range(1, 8))
    told.clear()
    again = swept(Project.open(project.root), told=told.append)
    assert [one.found for one in told] == [True] * 7
    assert _without_times(again) == _without_times(first)


def _without_times(table: Table) -> dict[str, Any]:
    document = to_json(table)
    for row in document["rows"]:
        del row["timings"]
    return document


def test_chunks_that_were_not_in_memory_are_not_afterwards(project: Project) -> None:
    assert not project.is_cut
    swept(project, {"size": [40], "rerank": ["", "lexical"]})
    assert not project.is_cut
    assert len(project.chunks)
    indexes = project.indexes
    swept(project, {"size": [80]})
    assert project.is_cut
    assert project.indexes is indexes


def test_a_sweep_that_was_stopped_goes_on(project: Project) -> None:
    told: list[Swept] = []

    def stop(one: Swept) -> None:
        told.append(one)
        if len(told) == 3:
            raise Cancelled

    with pytest.raises(Cancelled):
        swept(project, told=stop)
    told.clear()
    swept(Project.open(project.root), told=told.append)
    assert [one.found for one in told] == [True] * 3 + [False] * 4


def test_a_damaged_trial_is_measured_again(project: Project) -> None:
    table = swept(project)
    folder = project.state / "sweeps" / "trials" / table.rows[2].run.id
    (folder / "questions.jsonl").write_text("{", encoding="utf-8")
    told: list[Swept] = []
    again = swept(Project.open(project.root), told=told.append)
    assert [one.found for one in told].count(False) == 1
    assert _without_times(again) == _without_times(table)


def test_the_grid_must_differ_from_what_is_used(project: Project) -> None:
    with pytest.raises(UsageError, match="differs from the one in use"):
        plan(project, grid_of({"mode": ["bm25"]}, project.config))


def test_models_and_rerankers_that_are_not_there_are_said_before_anything_is_measured(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    told: list[Swept] = []
    axes = {"size": [40], "model": ["nope/nope", "./gone"], "rerank": ["", "lexical", "./missing"]}
    with pytest.raises(ConfigError) as caught:
        swept(project, axes, told=told.append)
    first, second, third = str(caught.value).splitlines()
    assert "nope/nope is neither a folder" in first
    assert (second, third) == (
        "retrieval.rerank: there is no folder './missing'", "embedding.model: there is no folder './gone'",
    )  # fmt: skip
    assert not told
    assert not Trials(project).store.folder.exists()


def test_a_changed_golden_set_is_measured_anew(project: Project) -> None:
    swept(project)
    golden = project.golden_path
    golden.write_text(golden.read_text().replace("REF-04", "INV-24", 1))
    told: list[Swept] = []
    swept(Project.open(project.root), told=told.append)
    assert not any(one.found for one in told)


def test_refining_adds_the_values_between_the_winner_and_its_neighbours(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("RAGTRIAGE_HOME", str(tmp_path / "home"))
    small = '[chunking]\nsize = 2\nheading_prefix = false\n[retrieval]\nmode = "bm25"\nk = 3\npool = 20\n'
    project = make(tmp_path / "project", config=small)
    coarse = swept(project, {"size": [4, 40, 400]})
    assert coarse.winner is not None
    assert coarse.winner.candidate.config.chunking.size == 400
    fine = swept(project, {"size": [4, 40, 400]}, refine=True)
    assert [row.candidate.config.chunking.size for row in fine.rows] == [2, 400, 40, 4, (40 + 400) // 2]


def test_the_winner_is_looked_at_on_the_holdout_once_and_logged(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RAGTRIAGE_HOME", str(tmp_path / "home"))
    small = '[chunking]\nsize = 6\nheading_prefix = false\n[retrieval]\nmode = "bm25"\nk = 1\npool = 20\n'
    project = make(tmp_path / "project", config=small)
    table = swept(project, {"size": [40, 80]})
    assert table.winner is not None
    log = project.evals / "holdout.jsonl"
    assert not log.exists()
    found = confirm(project, table)
    assert found is not None
    assert not found.again
    assert {question.split for question in found.winner.questions} == {"holdout"}
    assert [json.loads(line)["command"] for line in log.read_text().splitlines()] == ["sweep", "sweep"]
    again = confirm(Project.open(project.root), table)
    assert again is not None
    assert again.again
    assert again.versus == found.versus
    assert len(log.read_text().splitlines()) == 2


def test_the_newest_sweep_is_shown_again(project: Project) -> None:
    table = swept(project)
    assert newest(project) is None
    keep(project, table)
    other = Project.open(project.root, overrides=["retrieval.k=2"])
    shown = newest(other)
    assert shown is not None
    assert to_json(shown) == to_json(table)
    assert [row.candidate.config.chunking for row in shown.rows] == [row.candidate.config.chunking for row in table.rows]
    (project.state / "sweeps" / "newest.json").write_text("{}")
    assert newest(project) is None


def test_the_exports_hold_every_row(project: Project) -> None:
    table = swept(project)
    lines = to_csv(table).splitlines()
    assert len(lines) == 8
    assert lines[0].startswith("configuration,recall@k,")
    assert sum(line.startswith("| `") for line in to_markdown(table).splitlines()) == 7
    svg = to_svg(table)
    assert svg.startswith("<svg ")
    assert "<script" not in svg
    assert svg.count("<circle") == 7 * len(table.budgets)
    assert to_svg(table, "latency").count("<circle") == 7
    keys = [column.key for column in columns_of(table)]
    assert len(set(keys)) == len(keys)
    assert "accuracy" not in keys


def test_answers_have_a_column_where_they_were_made(project: Project) -> None:
    golden = project.golden_path
    lines = [json.loads(line) for line in golden.read_text().splitlines()]
    for line in lines[:8]:
        line["answer_must_mention"] = [line["evidence"][0]["quote"].split()[-1].rstrip(".")]
    golden.write_text("".join(json.dumps(line) + "\n" for line in lines))
    table = swept(Project.open(project.root), {"size": [80]}, answers="live")
    assert all(row.accuracy is not None for row in table.rows)
    assert "accuracy" in [column.key for column in columns_of(table)]

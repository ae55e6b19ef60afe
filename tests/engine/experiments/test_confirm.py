"""The winner on the questions that were kept aside: only where there is one, once, and every look is logged."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from tests.engine.experiments.projects import make

from ragtriage.experiments import confirm as confirm_module
from ragtriage.experiments.confirm import confirm, seen
from ragtriage.experiments.grid import grid_of
from ragtriage.experiments.sweep import sweep
from ragtriage.experiments.table import Table
from ragtriage.experiments.words import confirmed_sentence
from ragtriage.project import Project

SMALL = '[chunking]\nsize = 6\nheading_prefix = false\n[retrieval]\nmode = "bm25"\nk = 1\npool = 20\n'


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Project:
    monkeypatch.setenv("RAGTRIAGE_HOME", str(tmp_path / "home"))
    return make(tmp_path / "project", config=SMALL)


def swept(project: Project, *sizes: int) -> Table:
    return sweep(project, grid_of({"size": list(sizes)}, project.config))


def looks(project: Project) -> list[dict[str, Any]]:
    log = project.evals / "holdout.jsonl"
    return [json.loads(line) for line in log.read_text(encoding="utf-8").splitlines()] if log.exists() else []


def edited(project: Project, change: dict[str, Any]) -> Project:
    """The project with a change to every question that is kept aside."""
    rows = [json.loads(line) for line in project.golden_path.read_text(encoding="utf-8").splitlines()]
    rows = [row | change if row.get("split") == "holdout" else row for row in rows]
    project.golden_path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return Project.open(project.root)


def test_without_a_winner_nobody_looks(project: Project) -> None:
    table = swept(project, 1)  # a word each
    assert table.winner is None
    assert confirm(project, table) is None
    assert looks(project) == []


@pytest.mark.parametrize(
    "change", [{"split": "dev"}, {"evidence": [], "answerable": False}, {"evidence": []}, {"obsolete": "2026: gone"}]
)
def test_without_a_question_that_tells_nobody_looks(project: Project, change: dict[str, Any]) -> None:
    project = edited(project, change)
    table = swept(project, 40, 80)
    assert table.winner is not None
    assert confirm(project, table) is None
    assert looks(project) == []


def test_another_winner_is_another_look(project: Project) -> None:
    first = confirm(project, swept(project, 40))
    second = confirm(project, swept(project, 80))
    assert first is not None
    assert second is not None
    assert not first.again
    assert not second.again  # of the pair, the winner had not been looked at
    assert [look["rev"] for look in looks(project)] == [first.current.id, first.winner.id, second.winner.id]
    assert {look["command"] for look in looks(project)} == {"sweep"}
    assert [look.get("against") for look in looks(project)] == [None, first.current.id, first.current.id]
    assert (first.look, second.look) == (1, 2)
    assert "winners there" not in confirmed_sentence(first)
    assert confirmed_sentence(second).endswith(
        ". Sweeps have looked at 2 winners there: each look makes it more a part of the choice."
    )
    again = confirm(project, swept(project, 40))
    assert again is not None
    assert (again.look, again.again) == (1, True)


def test_what_was_measured_by_somebody_who_was_killed_before_it_was_logged_is_logged(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    table = swept(project, 40)

    def killed(*asked: Any, **named: Any) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(confirm_module, "log_look", killed)
        with pytest.raises(KeyboardInterrupt):
            confirm(project, table)
    assert looks(project) == []
    assert seen(project, table) is None
    found = confirm(project, table)
    assert found is not None
    assert not found.again
    assert [look["rev"] for look in looks(project)] == [found.current.id, found.winner.id]
    shown = seen(project, table)
    assert shown is not None
    assert (shown.versus, shown.again, shown.look) == (found.versus, True, 1)
    assert len(looks(project)) == 2


def test_lines_that_nobody_can_read_are_no_looks(project: Project) -> None:
    (project.evals / "holdout.jsonl").write_text(
        '{\n[]\n{"command": "sweep", "rev": 7, "against": true}\n<<<<<<< ours\n{}\n', encoding="utf-8"
    )
    found = confirm(project, swept(project, 40))
    assert found is not None
    assert (found.look, found.again) == (2, False)


def test_a_look_that_is_interrupted_is_logged_all_the_same(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    table = swept(project, 40)

    def stop(stage: str, done: int, total: int) -> None:
        if len(looks(project)) == 1:  # the first of the pair is measured
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        confirm(project, table, progress=stop)
    assert len(looks(project)) == 1
    found = confirm(Project.open(project.root), table)
    assert found is not None
    assert len(looks(project)) == 2


def test_what_is_said(project: Project) -> None:
    found = confirm(project, swept(project, 40))
    assert found is not None
    said = confirmed_sentence(found)
    assert said.startswith(
        "On the holdout nothing is won at k; more is found there, but that may be chance: 0 won, 0 lost of 2 at k, "
    )
    for change, won, lost, low, verdict in (
        (0.0, (), (), None, "The holdout shows no difference: 0 won"),
        (0.1, ("q",), (), 0.05, "The win holds on the holdout: 1 won"),
        (0.1, ("q",), (), 0.0, "The holdout points the same way, but that may be chance: 1 won"),
        (
            0.1,
            (),
            ("q",),
            -0.1,
            "On the holdout more is found, but more questions are lost at k than won, and that may be chance: ",
        ),
        (-0.1, (), (), -0.3, "The win does not show on the holdout: 0 won"),
        (-0.1, (), ("q",), -0.15, "The win is a loss on the holdout: 0 won"),
    ):
        high = None if low is None else -0.05 if low == -0.15 else 0.2
        other = found.versus._replace(won=won, lost=lost, change=change, low=low, high=high)
        assert confirmed_sentence(replace(found, versus=other)).startswith(verdict)
    assert "looked at before" not in said
    again = confirm(project, swept(project, 40))
    assert again is not None
    assert confirmed_sentence(again).endswith(". This winner had been looked at there before.")

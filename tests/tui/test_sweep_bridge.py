"""The bridge of Sweep and What if with the real engine, on small pages and BM25."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.engine.experiments.projects import make

from ragtriage_tui.bridge.door import Door
from ragtriage_tui.bridge.paced import Paced, paced
from ragtriage_tui.bridge.sweeps import _Live
from ragtriage_tui.sweep_pace import SweepPace
from ragtriage_tui.sweep_views import LeverView, SweepView
from ragtriage_tui.workers import DoorError, Stopped

CONFIG = (
    '# ours\n[chunking]\nsize = 10 # tokens\n\n[retrieval]\nmode = "bm25"\nk = 3\npool = 20\n\n[sweep]\nsize = [10, 40, 400]\n'
)


def quiet(stage: str, done: int, total: int) -> None:
    """Nobody looks."""


@pytest.fixture
def root(tmp_path: Path, home: Path) -> Path:
    make(tmp_path / "pages", config=CONFIG).close()
    return tmp_path / "pages"


@pytest.fixture
def door(root: Path) -> Iterator[Door]:
    found = opened(root)
    yield found
    found.close()


def opened(root: Path, **options: Any) -> Door:
    door = Door(root, **options)
    door.open(quiet)
    return door


def swept(door: Door) -> SweepView:
    return door.sweeps.sweep(quiet, lambda view: None)


def config_of(root: Path) -> str:
    return (root / "ragtriage.toml").read_text(encoding="utf-8")


def named(view: SweepView, name: str) -> Any:
    return next(row for row in view.rows if name in row.name)


def test_without_a_sweep_it_says_what_there_would_be_to_measure(door: Door) -> None:
    view = door.sweeps.view(quiet)
    assert (view.rows, view.again, view.project) == ((), "3 configurations of [sweep]", "pages")


def test_a_sweep_brings_rows_and_is_there_on_the_next_start(door: Door, root: Path) -> None:
    told: list[SweepView] = []
    view = door.sweeps.sweep(quiet, told.append)
    assert told
    assert told[0].again == "3 configurations of [sweep]"  # ctrl+r goes on where one cancels
    assert len(told[0].rows) < 3
    assert told[0].running
    assert view.rows[0].name == "recursive(size=10)"
    assert view.rows[0].in_use
    assert [column.key for column in view.columns][:4] == ["name", "recall@k", "change", "flips"]
    assert named(view, "size=400").best
    assert view.against[named(view, "size=400").id].won >= 5
    assert view.base == view.rows[0].id
    assert view.budgets == (250, 1000, 2000, 4000)  # three that always are, and the one that decides
    assert len(view.rows[0].budgets) == 4
    again = opened(root).sweeps.view(quiet)
    assert [row.name for row in again.rows] == [row.name for row in view.rows]
    assert again.notice == ""


def test_a_row_beside_another_has_its_flips_and_what_the_holdout_says(door: Door, root: Path) -> None:
    view = swept(door)
    best = named(view, "size=400")
    detail = door.sweeps.row(best.id, view.base)
    assert detail is not None
    assert detail.won == view.against[best.id].won
    flip = detail.flips[0]
    assert flip.won
    assert flip.after is not None
    assert flip.after <= 3
    assert flip.before is None or flip.before > 3
    assert flip.text
    assert detail.holdout is not None
    assert detail.holdout[0].startswith("The holdout points the same way, but that may be chance: ")
    assert not detail.holdout[1]
    kept = opened(root)
    kept.sweeps.view(quiet)
    again = kept.sweeps.row(best.id, view.base)
    assert again is not None
    assert again.holdout is not None
    assert "looked at there before" in again.holdout[0]
    base = door.sweeps.row(view.base, view.base)
    assert base is not None
    assert base.flips == ()
    assert base.failing


def test_all_rows_beside_another_one_than_that_in_use(door: Door) -> None:
    view = swept(door)
    best = named(view, "size=400").id
    found = door.sweeps.against(best)
    assert set(found) == {row.id for row in view.rows} - {best}
    assert found[view.base].lost == view.against[best].won
    with pytest.raises(DoorError, match="not there any more"):
        door.sweeps.against("t-gone")


def test_where_a_budget_decides_rows_are_compared_by_it_whichever_is_marked(door: Door, root: Path) -> None:
    view = swept(door)
    table = door.sweeps._table
    assert table is not None
    assert table.budget == 250
    shown = {column.key: column for column in view.columns}
    assert {key: shown[key].head for key in ("change", "flips", "p_holm")} == {
        "change": "+/-@250", "flips": "flips@k", "p_holm": "p@250",
    }  # fmt: skip
    assert [shown[f"recall@{tokens}_tokens"].rank for tokens in (250, 1000, 2000, 4000)] == [4, 9, 5, 10]
    assert "recall@500_tokens" not in shown
    large = named(view, "size=400")
    (row,) = (one for one in table.rows if one.run.id == large.id)
    assert row.inside is not None
    assert view.against[large.id].change == row.inside.change
    found = door.sweeps.row(large.id, view.base)
    assert found is not None
    assert row.versus is not None
    assert (found.budget, found.change, found.p) == (250, row.inside.change, row.inside.p_holm)
    assert found.at_k == row.versus.change
    back = door.sweeps.row(view.base, large.id)
    assert back is not None
    assert back.change == -row.inside.change
    assert back.at_k == -row.versus.change
    assert door.sweeps.against(large.id)[view.base].change == back.change
    itself = door.sweeps.row(large.id, large.id)
    assert itself is not None
    assert not itself.change


def test_a_row_is_written_and_becomes_the_one_in_use_and_u_undoes_it(door: Door, root: Path) -> None:
    view = swept(door)
    before = config_of(root)
    offer = door.sweeps.offer(named(view, "size=400").id)
    assert (offer.name, offer.file, offer.keys) == ("recursive(size=400)", "ragtriage.toml", "chunking.size 10 → 400")
    assert config_of(root) == before
    change = door.sweeps.adopt()
    assert change.message == "ragtriage.toml: chunking.size 10 → 400"
    assert config_of(root) == before.replace("size = 10 #", "size = 400 #")
    now = door.sweeps.view(quiet)
    assert named(now, "size=400").in_use
    assert now.base == named(now, "size=400").id
    assert not door.changed().text  # it is this process that wrote
    assert door.undo().message == "ragtriage.toml is as before"
    assert config_of(root) == before
    assert door.sweeps.view(quiet).base == view.base
    assert door.redo().message == "ragtriage.toml is written again"
    assert "size = 400 #" in config_of(root)
    with pytest.raises(DoorError, match="nothing was offered"):
        door.sweeps.adopt()


def test_a_loss_is_said_before_it_is_written(door: Door) -> None:
    view = swept(door)
    door.sweeps.offer(named(view, "size=400").id)
    door.sweeps.adopt()
    now = door.sweeps.view(quiet)
    (line,) = door.sweeps.offer(named(now, "size=10").id).lines
    assert line.startswith("Careful, it is a loss at k against recursive(size=400): 0 won, ")


def test_rows_that_differ_in_k_say_so_beside_each_other(door: Door, root: Path) -> None:
    (root / "ragtriage.toml").write_text(CONFIG.replace("size = [10, 40, 400]", "k = [1, 3]"), encoding="utf-8")
    view = swept(door)
    low = next(row for row in view.rows if not row.in_use)
    assert {column.key: column.rank for column in view.columns}["context_tokens"] == 4
    found = door.sweeps.row(low.id, view.base)
    assert found is not None
    assert (found.k, found.base_k, found.other_k, found.resized, found.budget) == (1, 3, True, False, None)
    assert found.sent is not None
    assert found.sent[0] < found.sent[1]


def test_nobodys_edit_is_overwritten(door: Door, root: Path) -> None:
    view = swept(door)
    door.sweeps.offer(named(view, "size=400").id)
    (root / "ragtriage.toml").write_text(CONFIG + "# mine\n", encoding="utf-8")
    with pytest.raises(DoorError, match="changed meanwhile"):
        door.sweeps.adopt()
    door.sweeps.offer(named(view, "size=400").id)
    door.sweeps.adopt()
    (root / "ragtriage.toml").write_text(CONFIG + "# mine again\n", encoding="utf-8")
    with pytest.raises(DoorError, match="changed meanwhile"):
        door.undo()
    assert config_of(root).endswith("# mine again\n")
    with pytest.raises(DoorError, match="says that already"):
        door.sweeps.offer(view.base)


def test_a_broken_file_and_a_read_only_app_are_messages(door: Door, root: Path) -> None:
    view = swept(door)
    row = named(view, "size=400").id
    (root / "ragtriage.toml").write_text("[chunking\n", encoding="utf-8")
    with pytest.raises(DoorError, match="not TOML"):
        door.sweeps.offer(row)
    (root / "ragtriage.toml").write_text(CONFIG, encoding="utf-8")
    looking = opened(root, read_only=True)
    looking.sweeps.view(quiet)
    for call in (lambda: looking.sweeps.offer(row), lambda: swept(looking), lambda: levers(looking, "q0")):
        with pytest.raises(DoorError, match="read-only"):
            call()


def test_what_the_command_line_overrides_is_said_first(root: Path) -> None:
    door = opened(root, overrides=("chunking.size=20",))
    view = swept(door)
    offer = door.sweeps.offer(named(view, "size=400").id)
    assert offer.lines == (
        "Against recursive(size=20): 0 won, 0 lost of 8 at k, recall@3 0.000.",
        "What --set says of chunking.size goes before the file, here and now.",
    )
    assert door.sweeps.adopt().warn


def test_a_cancelled_sweep_keeps_its_rows_and_goes_on_there(door: Door) -> None:
    told: list[SweepView] = []

    def stop(stage: str, done: int, total: int) -> None:
        if told:
            raise Stopped

    with pytest.raises(Stopped):
        door.sweeps.sweep(stop, told.append)
    rows = door.sweeps.view(quiet).rows
    assert 1 <= len(rows) < 3
    assert len(swept(door).rows) == 3


def test_what_changed_since_is_said(door: Door, root: Path) -> None:
    swept(door)
    page = root / "docs" / "refunds.md"
    page.write_text(page.read_text(encoding="utf-8") + "\nMore words.\n", encoding="utf-8")
    assert opened(root).sweeps.view(quiet).notice.startswith("documents changed since this sweep")
    text = config_of(root).replace("size = 10 #", "size = 77 #")
    (root / "ragtriage.toml").write_text(text, encoding="utf-8")
    page.write_text(page.read_text(encoding="utf-8").removesuffix("\nMore words.\n"), encoding="utf-8")
    view = opened(root).sweeps.view(quiet)
    assert view.notice == "the configuration in use is none of these; ctrl+r measures again"
    assert view.base == view.rows[0].id


def test_a_reranking_program_that_nothing_runs_sets_no_table_apart(door: Door, root: Path) -> None:
    swept(door)
    text = config_of(root).replace("[retrieval]\n", '[retrieval]\nrerank_command = ["rr"]\n')
    assert "rr" in text
    (root / "ragtriage.toml").write_text(text, encoding="utf-8")
    assert opened(root).sweeps.view(quiet).notice == ""


def test_without_values_in_the_file_the_newest_grid_is_measured_again(door: Door, root: Path) -> None:
    swept(door)
    (root / "ragtriage.toml").write_text(CONFIG.partition("[sweep]")[0], encoding="utf-8")
    again = opened(root)
    assert again.sweeps.view(quiet).again == "3 configurations of the newest sweep"
    assert len(swept(again).rows) == 3
    (root / ".ragtriage" / "sweeps" / "newest.json").unlink()
    with pytest.raises(DoorError, match=r"no values to combine: name them under \[sweep\]"):
        swept(again)


@pytest.mark.parametrize("spoil", ["{", '{"format": 9}', '{"format": 1, "rows": [{"trial": "../../x"}], "unusable": []}', "[]"])
def test_a_spoilt_newest_sweep_is_none(door: Door, root: Path, spoil: str) -> None:
    swept(door)
    (root / ".ragtriage" / "sweeps" / "newest.json").write_text(spoil, encoding="utf-8")
    assert opened(root).sweeps.view(quiet).rows == ()


def test_the_project_in_use_is_not_closed_under_a_sweep(door: Door, root: Path) -> None:
    view = swept(door)
    inside, go = threading.Event(), threading.Event()
    closed: list[str] = []

    def hold(stage: str, done: int, total: int) -> None:
        if not inside.is_set():
            inside.set()
            assert go.wait(10)

    worker = threading.Thread(target=lambda: door.sweeps.sweep(hold, lambda view: None))
    with door.lent(quiet):
        held = door._project
        assert held is not None
        close = held.close
        held.close = lambda: (closed.append("closed"), close())[1]  # type: ignore[method-assign]
        door.sweeps.offer(named(view, "size=400").id)
        door.sweeps.adopt()
        assert door._project is not held
        assert closed == []
    assert closed == ["closed"]
    go.set()
    worker.start()
    worker.join(20)
    assert not worker.is_alive()


# What if


def levers(door: Door, qid: str, told: Any = None) -> LeverView:
    return door.levers.levers(qid, quiet, told or (lambda view: None))


def test_levers_for_a_lost_question_the_cheapest_first(door: Door, root: Path) -> None:
    told: list[LeverView] = []
    view = levers(door, "q1", told.append)
    assert told
    assert told[0].todo
    assert view.todo == 0
    assert view.asked is not None
    assert view.asked.lost
    assert view.asked.ranks
    first = view.rows[0]
    assert first.best == first.finds
    assert view.advice
    assert {row.id for row in view.rows} >= {"size 32", "small to big"}
    if first.best:
        offer = door.levers.offer(first.id)
        assert "=" in offer.name
        door.levers.adopt()
        assert config_of(root) != CONFIG
        door.undo()
        assert config_of(root) == CONFIG


def test_levers_for_all_that_is_lost_and_for_what_is_not_measured(door: Door) -> None:
    view = levers(door, "")
    assert view.asked is None
    assert view.lost
    mends = [row.mends for row in view.rows if row.mends is not None]
    assert mends == sorted(mends, reverse=True)
    with pytest.raises(DoorError, match="h0 is kept aside"):
        levers(door, "h0")
    with pytest.raises(DoorError, match="not there any more"):
        door.levers.offer("no such lever")


def test_hostile_ids_and_questions_are_scrubbed(root: Path) -> None:
    golden = root / "evals" / "golden.jsonl"
    lines = [json.loads(line) for line in golden.read_text(encoding="utf-8").splitlines()]
    for line in lines:
        line["qid"] += "\x1b[2J"
        line["question"] = "\x1b]0;x\x07" + line["question"]
    golden.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    door = opened(root)
    view = swept(door)
    detail = door.sweeps.row(named(view, "size=400").id, view.base)
    assert detail is not None
    shown = "".join(f"{line.qid}{line.text}" for line in (*detail.flips, *detail.failing))
    assert shown
    assert "\x1b" not in shown
    asked = levers(door, door.names.shown("q1\x1b[2J")).asked
    assert asked is not None
    assert "\x1b" not in asked.qid + asked.text


# two calls a second at most


def test_progress_changes_its_stage_at_most_twice_a_second_and_every_call_arrives() -> None:
    calls: list[str] = []
    told = paced(lambda stage, done, total: calls.append(stage), every_s=60.0)
    for number in range(5):
        told(f"stage {number}", 0, 0)
    assert calls == ["stage 0"] * 5


def test_a_sweep_says_how_far_it_is_and_how_long_that_takes() -> None:
    live = _Live(["a", "b", "c"], lambda base, other: pytest.fail("nothing to compare"))
    assert (live.stage("index"), live.running) == ("0 of 3 done", "a")
    assert live.stage("embed") == "0 of 3 done, embedding"
    now = iter([0.0, 30.0, 60.0])
    live.pace = SweepPace(lambda: next(now))
    live.pace.came(found=False)
    assert live.stage("index") == "0 of 3 done"  # one alone, with what is there only once, says little
    live.pace.came(found=False)
    assert live.stage("index") == "0 of 3 done, about 2 min left"
    assert live.table(()) is None


def test_what_is_dear_is_done_less_often() -> None:
    now = [10.0]
    pace = Paced(0.5, clock=lambda: now[0])
    assert pace.due()
    pace.did(1.0)
    now[0] += 3.9
    assert not pace.due()
    now[0] += 0.2
    assert pace.due()

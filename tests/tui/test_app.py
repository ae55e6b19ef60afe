"""The app with keys pressed, headless: from a key to the state and back to the rows."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import replace
from functools import partial
from pathlib import Path
from types import SimpleNamespace

import pytest
from tests.tui.demo import DemoDoor
from tests.tui.show import make

from ragtriage_tui.keymap import Settings
from ragtriage_tui.screens.held_key import HeldKey
from ragtriage_tui.screens.triage import TriageScreen
from ragtriage_tui.session import load_session
from ragtriage_tui.views import Opened, Progress
from ragtriage_tui.widgets.canvas import Canvas
from ragtriage_tui.window import RagtriageApp
from ragtriage_tui.workers import DoorError

Step = Callable[[], Awaitable[None]]


async def until(condition: Callable[[], bool], limit_s: float = 20.0) -> None:
    """Wait for something that comes by itself. Raises AssertionError where it does not."""
    end = asyncio.get_running_loop().time() + limit_s
    while not condition():
        assert asyncio.get_running_loop().time() < end
        await asyncio.sleep(0.005)


class Driver:
    """Presses keys without Pilot's long waits, and lets jobs finish."""

    def __init__(self, app: RagtriageApp) -> None:
        self.app = app

    async def press(self, *keys: str) -> None:
        for key in keys:
            await self.app.front.press(key)
            await asyncio.sleep(0)
        await self.settle()

    async def settle(self) -> None:
        """Until the right half was asked for and came, and what is queued is done; a long measurement is not waited for."""
        calm = 0
        while calm < 2 and not self._over:  # what a job brings may start another one
            await until(lambda: self._over or self._calm())
            passed: list[bool] = []
            self.app.call_later(partial(passed.append, True))  # after all that was posted before
            await until(partial(self._passed, passed))
            calm = calm + 1 if self._calm() else 0

    def _passed(self, passed: list[bool]) -> bool:
        return self._over or bool(passed)

    @property
    def _over(self) -> bool:
        return self.app.return_code is not None

    def _calm(self) -> bool:
        jobs = self.app.jobs
        working = any(line.unfinished_tasks for line in jobs._lines.values()) or set(jobs._current) - {"measure"}
        waiting = any(
            timer._repeat == 0 and timer._task is not None and not timer._task.done()
            for screen in self.app.screen_stack
            for timer in screen._timers
        )
        return not working and not waiting and self._laid_out() and self.triage.state.overview is not None

    def _laid_out(self) -> bool:
        """Whether the canvases together are as wide as the window: a division that changed takes a moment."""
        columns = [canvas for canvas in self.app.screen.query(Canvas) if canvas.display]
        return sum(canvas.size.width for canvas in columns) == self.app.size.width

    @property
    def triage(self) -> TriageScreen:
        screen = self.app.screen_stack[0]
        assert isinstance(screen, TriageScreen)
        return screen

    @property
    def text(self) -> str:
        """What is on the screen, as text."""
        columns = [canvas for canvas in self.app.screen.query(Canvas) if canvas.display]
        height = self.app.size.height
        return "\n".join("".join(canvas.render_line(row).text for canvas in columns).rstrip() for row in range(height))


def run(work: Callable[[Driver], Awaitable[None]], door: DemoDoor | None = None, size: tuple[int, int] = (80, 24)) -> None:
    app = make(door)

    async def inside() -> None:
        async with app.run_test(size=size):
            driver = Driver(app)
            await driver.settle()
            await work(driver)

    asyncio.run(inside())


def test_a_label_is_shown_when_it_is_recorded_and_undone_by_u() -> None:
    door = DemoDoor()

    async def work(driver: Driver) -> None:
        await driver.press("n", "n", "2")
        assert door.events == ["q017=2"]
        assert "✓ q017 is now 2 ranked too low   u undo  n next failure  ? keys" in driver.text
        assert "▸✗ 2  can i send the term…" in driver.text
        await driver.press("u")
        assert "▸✗ 2? can i send the term…" in driver.text
        await driver.press("U")
        assert "▸✗ 2  can i send the term…" in driver.text
        await driver.press("n")
        assert driver.text.splitlines()[-1].startswith(" j/k move")

    run(work, door)


def test_a_failed_label_is_said_and_nothing_is_shown_as_done() -> None:
    class Full(DemoDoor):
        def label(self, qid: str, key: int, note: str = "") -> object:  # type: ignore[override]
            raise DoorError("evals/verdicts.jsonl: the disk is full; nothing was changed.")

    async def work(driver: Driver) -> None:
        await driver.press("n", "n", "2")
        assert "! evals/verdicts.jsonl: the disk is full" in driver.text
        assert "▸✗ 2? can i send" in driver.text

    run(work, Full())


def test_an_unforeseen_error_in_a_job_is_a_message_and_a_line_in_the_log(home: Path) -> None:
    door = DemoDoor()

    async def work(driver: Driver) -> None:
        door.crash = True
        door.events.append("now")
        await driver.press("j")
        assert "! unexpected KeyError; the details are in" in driver.text
        log = (home / "state" / "ragtriage.log").read_text()
        assert "unforeseen" in log
        assert "a local value" not in log
        await driver.press("k", "/")
        assert "━ /" in driver.text

    run(work, door)


def test_filter_note_and_palette() -> None:
    door = DemoDoor()

    async def work(driver: Driver) -> None:
        await driver.press("/", *"parcel")
        assert "━ /parcel" in driver.text
        assert driver.text.splitlines()[-1] == " enter take it  esc close"
        assert "▸✗ 2  parcel says" in driver.text
        await driver.press("q", "escape")
        assert "12 failing of 60" in driver.text
        await driver.press("l", *"why", "enter", "1")
        assert door.notes["q003"] == "why"
        assert door.events == ["q003=1", "q003=1"]
        await driver.press(":", *"agree zebra")
        assert "No action has that name." in driver.text
        await driver.press("ctrl+u", *"reranker", "enter")
        assert driver.triage.state.listing.text == "set:1"

    run(work, door)


def test_help_comes_and_goes() -> None:
    async def work(driver: Driver) -> None:
        await driver.press("C", "?")
        assert driver.text.startswith(" Help  Triage, Ranked chunks")
        await driver.press("/", *"undo", "enter")
        assert "L C A" not in driver.text
        await driver.press("escape", "?")
        assert driver.text.startswith(" Triage")

    run(work)


def test_only_the_capital_says_yes() -> None:
    async def work(driver: Driver) -> None:
        done: list[int] = []
        for key, times in (("y", 0), ("enter", 0), ("n", 0), ("Y", 1)):
            driver.app.front.ask("Take it?", lambda: done.append(1))
            assert "Take it?   Y do it   any other key no" in driver.text
            await driver.press(key)
            assert len(done) == times
        await driver.press("Y")
        assert len(done) == 1

    run(work)


def test_a_held_key_fetches_once_when_it_is_let_go(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = [0.0]
    monkeypatch.setattr("ragtriage_tui.screens.held_key.time", SimpleNamespace(monotonic=lambda: clock[0]))
    waiting: list[Callable[[], None]] = []
    fetched: list[float] = []

    class Screen:
        def set_timer(self, delay: float, act: Callable[[], None]) -> SimpleNamespace:
            waiting.append(act)
            return SimpleNamespace(stop=lambda: waiting.remove(act))

    held = HeldKey(Screen(), lambda: fetched.append(clock[0]))  # type: ignore[arg-type]
    for clock[0] in (1.0, 1.03, 1.06, 1.09):
        held.pressed()
    assert fetched == [1.0]
    assert len(waiting) == 1
    waiting[-1]()
    clock[0] = 2.0
    held.pressed()
    assert fetched == [1.0, 1.09, 2.0]


def test_the_right_half_ends_on_the_question_under_the_cursor() -> None:
    async def work(driver: Driver) -> None:
        for _ in range(6):
            await driver.app.front.press("j")
        await driver.settle()
        state = driver.triage.state
        assert state.detail is not None
        assert state.current is not None
        assert state.detail.qid == state.current.qid == "q033"

    run(work)


def test_where_one_was_is_kept_on_leaving() -> None:
    async def work(driver: Driver) -> None:
        await driver.press("n", "n", "C", "z", "v")
        assert driver.text.splitlines()[1].startswith("━ policy-refunds#3  rank 7 ━")
        assert driver.text.splitlines()[-1].startswith(" z/q all panes  j/k move")
        await driver.press("q")
        assert "─ policy-refunds#3  rank 7 ━" in driver.text.replace("├━", "├─")
        await driver.press("q")
        assert "Ranked chunks" in driver.text
        assert driver.app.return_code is None
        await driver.press("z", "v", "q", "z", "q", "q", "z", "escape", "z", "q")
        assert driver.app.return_code is None
        await driver.press("q")
        assert driver.app.return_code == 0

    run(work)
    saved = load_session(Path("demo"))
    assert (saved.qid, saved.pane) == ("q017", "chunks")


def test_what_somebody_else_changed_is_read_and_the_cursor_stays() -> None:
    door = DemoDoor()

    async def work(driver: Driver) -> None:
        await driver.press("n", "n")
        door.change = "the golden set changed on disk and was read again"
        driver.triage.look_again()
        await driver.settle()
        assert "the golden set changed on disk and was read again" in driver.text
        assert driver.triage.state.current.qid == "q017"  # type: ignore[union-attr]

    run(work, door)


def test_without_a_run_bm25_comes_first_and_embedding_can_be_cancelled() -> None:
    door = DemoDoor()
    door.missing = 100_000

    async def work(driver: Driver) -> None:
        await until(lambda: "embedding 0 %, " in driver.text)
        assert door.events == ["measure bm25", "measure"]
        assert "BM25 alone so far; embedding 100,000 texts   c cancel  b bm25 alone" in driver.text
        await driver.press("c")
        assert "cancelled; what was measured before stays" in driver.text
        assert driver.app.busy is None

    run(work, door)


def test_until_somebody_moves_the_app_stands_on_the_first_failure() -> None:
    class Cold(DemoDoor):
        def open(self, progress: Progress) -> Opened:
            start = replace(self.now, questions=tuple(replace(row, state="waiting") for row in self.now.questions))
            return Opened(start, measure=True)

    async def work(driver: Driver) -> None:
        await until(lambda: "measured 60 questions" in driver.text)
        await driver.settle()
        assert "▸✗ 1  how long till the m" in driver.text
        assert "failure 1 of 12" in driver.text

    run(work, Cold())


def test_documents_keep_their_characters_in_ascii() -> None:
    door = DemoDoor()
    rows = tuple(replace(row, text="€50 für 日本") if row.qid == "q003" else row for row in door.now.questions)
    door.now = replace(door.now, questions=rows)

    async def look(encoding: str, shown: str) -> None:
        app = make(door, plain=True, encoding=encoding)
        async with app.run_test(size=(80, 24)):
            driver = Driver(app)
            await driver.settle()
            assert f">x 1  {shown}" in driver.text
            assert "= 12 failing of 60 ====" in driver.text

    asyncio.run(look("utf-8", "€50 für 日本"))
    asyncio.run(look("iso8859-1", "?50 für ????"))


def test_a_project_that_cannot_be_read_ends_the_app_with_its_message() -> None:
    class Nothing(DemoDoor):
        def open(self, progress: object) -> object:  # type: ignore[override]
            raise DoorError("nowhere: no such folder")

    app = make(Nothing())

    async def inside() -> None:
        async with app.run_test():
            await until(lambda: app.return_code is not None)

    asyncio.run(inside())
    assert (app.return_code, app.farewell) == (2, "nowhere: no such folder")


def test_ctrl_c_says_how_to_leave_first() -> None:
    async def work(driver: Driver) -> None:
        await driver.press("ctrl+c")
        assert "ctrl+c again leaves; nothing is lost" in driver.text
        await driver.press("j", "ctrl+c")
        assert driver.app.return_code is None
        await driver.press("ctrl+c")

    run(work)


def test_an_edit_goes_through_the_editor_and_an_error_discards_it(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    from contextlib import nullcontext

    door = DemoDoor()

    async def work(driver: Driver) -> None:
        monkeypatch.setattr(driver.app, "suspend", nullcontext)
        for script, said in (
            ("exit 1", "the editor left with an error; nothing was changed"),
            ("exit 0", "nothing was changed"),
            ('echo "{}" > "$1"', "q003 was changed"),
        ):
            editor = tmp_path / "editor"
            editor.write_text(f"#!/bin/sh\n{script}\n")
            editor.chmod(0o755)
            monkeypatch.setenv("VISUAL", str(editor))
            await driver.press("e")
            assert said in driver.text
        monkeypatch.setenv("VISUAL", "/nonexistent/editor")
        await driver.press("e")
        assert "cannot be started" in driver.text

    run(work, door)
    assert door.events == ["replace q003"]


def test_copying_says_how_much_and_keeps_a_file(home: Path) -> None:
    async def work(driver: Driver) -> None:
        await driver.press("y")
        assert "42 bytes sent to the clipboard, also in" in driver.text

    run(work, size=(120, 36))
    assert (home / "state" / "copied.txt").read_text() == "how long till the money is back on my card"


def test_own_keys_reach_the_footer() -> None:
    app = make()
    app.keymap = type(app.keymap)({"Triage"}, {"next": ("m",)})

    async def inside() -> None:
        async with app.run_test(size=(80, 24)):
            driver = Driver(app)
            await driver.settle()
            assert " j/k move  m next failure" in driver.text

    asyncio.run(inside())
    assert Settings("", {}, ()).problems == ()

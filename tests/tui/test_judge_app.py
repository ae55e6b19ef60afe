"""Judge and the key `p` with keys pressed, headless: from a key to the door and back to the rows."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from tests.tui.demo import DemoDoor
from tests.tui.demo_judge import Judging
from tests.tui.demo_screens import ScreensDoor
from tests.tui.test_app import Driver as OneDriver
from tests.tui.test_app import run as run_one
from tests.tui.test_screens_app import Driver, run

from ragtriage_tui.answer_views import Consent
from ragtriage_tui.screens.judge import JudgeScreen
from ragtriage_tui.screens.triage import TriageScreen
from ragtriage_tui.views import Progress
from ragtriage_tui.workers import DoorError


def judge(driver: OneDriver) -> JudgeScreen:
    screen = driver.app.screen_stack[-1]
    assert isinstance(screen, JudgeScreen)
    return screen


def test_five_keys_judge_an_answer_and_the_next_comes_by_itself() -> None:
    door = ScreensDoor()

    async def work(driver: Driver) -> None:
        await driver.press("J")
        assert "▸· can i send the termina…│ can i send" in driver.text
        assert driver.text.splitlines()[-1].startswith(" 1-5 yes, no, unsure  n next  u undo  [ ] citation  q back")
        await driver.press("1", "2", "2")
        assert "2 grounded   ✗ no" in driver.text
        assert "✓ a0: 2 no   u undo  n next  ? keys" in driver.text
        await driver.press("3", "4", "5")
        assert door.judging.events[-1] == ("a0", ("yes", "no", "yes", "yes", "yes"))
        assert " ✓ can i send" in driver.text
        assert "▸· how long till" in driver.text
        assert "1 of 6 judged" in driver.text
        assert "q003  live" in driver.text
        await driver.press("u")
        assert "▸· can i send" in driver.text
        assert "5 addresses  ·" in driver.text
        await driver.press("U")
        assert "5 addresses  ✓ yes" in driver.text
        assert "judge no  agrees" in driver.text
        assert driver.app.front is judge(driver)
        await driver.press("q")
        assert driver.app.front is driver.triage

    run(work, door)


def test_keys_typed_in_a_burst_are_for_the_answer_that_is_on_the_screen() -> None:
    door = ScreensDoor()

    async def work(driver: OneDriver) -> None:
        await driver.press("J")
        await driver.press(*"1234511")
        assert [name for name, _ in door.judging.events] == ["a0"] * 5
        assert judge(driver).state.current is not None
        await driver.press("1")
        assert door.judging.events[-1] == ("a1", ("yes", "", "", "", ""))

    run_one(work, door)


@pytest.mark.parametrize("keys", [(), ("J",)])
def test_a_thread_that_starts_when_its_screen_is_gone_raises_nothing(
    keys: tuple[str, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    found: list[Any] = []

    async def work(driver: Driver) -> None:
        await driver.press(*keys)
        screen = driver.app.screen_stack[-1]
        assert isinstance(screen, JudgeScreen | TriageScreen)
        late: list[Callable[[Any], Any]] = []
        monkeypatch.setattr(driver.app.jobs, "start", lambda group, work, done: late.append(work))
        screen.ask_for()
        monkeypatch.undo()
        monkeypatch.setattr(type(screen), "app", property(lambda _: (_ for _ in ()).throw(LookupError("no app"))))
        found.extend(ThreadPoolExecutor(1).submit(one, lambda *_: None).result() for one in late)
        monkeypatch.undo()

    run(work, ScreensDoor())
    assert found


def test_all_judged_is_said() -> None:
    door = ScreensDoor()
    door.judging = Judging(2)

    async def work(driver: Driver) -> None:
        await driver.press("J", *"1234512345")
        assert "; all 2 are judged" in driver.text
        assert "all judged" in driver.text
        assert "2 of 2 judged" in driver.text
        await driver.press("n")
        assert "All of them are judged" in driver.text

    run(work, door)


def test_nothing_is_shown_as_said_where_it_could_not_be_written() -> None:
    door = ScreensDoor()
    door.judging.refuse = "evals/reviews.jsonl: the disk is full; nothing was changed."

    async def work(driver: Driver) -> None:
        await driver.press("J", "1")
        assert "! evals/reviews.jsonl: the disk is full" in driver.text
        assert "1 correct    ·" in driver.text
        door.judging.refuse = ""
        await driver.press("1")
        assert "1 correct    ✓ yes" in driver.text

    run(work, door)


def test_read_only_is_said_at_first_and_on_a_key() -> None:
    door = ScreensDoor()
    door.judging.read_only = "opened with --read-only; nothing is written"

    async def work(driver: Driver) -> None:
        await driver.press("J")
        assert "opened with --read-only" in driver.text.splitlines()[-1]
        await driver.press("j", "1")
        assert "! opened with --read-only" in driver.text

    run(work, door)


def test_where_one_pane_fits_the_answer_is_the_one_in_view() -> None:
    async def work(driver: Driver) -> None:
        await driver.press("J")
        assert "answer   Yes." in driver.text
        assert "5 addresses  ·" in driver.text
        await driver.press("1")
        assert "1 correct    ✓ yes" in driver.text
        await driver.press("tab", "tab")
        assert "▸· can i send" in driver.text

    run(work, ScreensDoor(), size=(50, 20))


def test_an_empty_queue_says_how_it_fills() -> None:
    door = ScreensDoor()
    door.judging = Judging(0)

    async def work(driver: Driver) -> None:
        await driver.press("J")
        assert "No answers to judge. p" in driver.text
        await driver.press(*"1nN[]u")
        await driver.press("enter")
        assert "No passage to open here" in driver.text

    run(work, door)


def test_a_note_is_kept() -> None:
    door = ScreensDoor()

    async def work(driver: Driver) -> None:
        await driver.press("J", "l", *"bad", "enter")
        assert door.judging.notes == {"a0": "bad"}
        assert "note bad" in driver.text
        assert "a0: note kept" in driver.text

    run(work, door)


def test_moving_citations_zoom_and_the_source() -> None:
    async def work(driver: Driver) -> None:
        await driver.press("J", "j", "j", "k")
        assert "answer 2 of 6" in driver.text
        await driver.press("]")
        assert "[4] was not given" in driver.text
        await driver.press("[")
        assert "[2] is policy-refunds#3" in driver.text
        await driver.press("tab", "tab", "j")
        assert judge(driver).state.active == "passages"
        await driver.press("z")
        assert "[1] policy-shipping#1" in driver.text
        assert driver.text.splitlines()[-1].startswith(" z/q all panes")
        await driver.press("q")
        assert not judge(driver).state.zoomed
        await driver.press("enter")
        assert driver.text.startswith(" Document")
        await driver.press("q")
        assert "answer 2 of 6" in driver.text
        await driver.press("G")
        await driver.press("shift+tab", "shift+tab", "G")
        assert "answer 6 of 6" in driver.text
        await driver.press("N")
        assert "answer 5 of 6" in driver.text

    run(work, ScreensDoor())


def test_help_and_palette_know_the_screen() -> None:
    async def work(driver: Driver) -> None:
        await driver.press("J", "?")
        assert "1-5" in driver.text
        assert "yes, then no, then unsure" in driver.text
        await driver.press("q", ":", *"judge")
        assert "Go to Judge" in driver.text or "Go to Triage, Judge" in driver.text or "Judge" in driver.text
        await driver.press("escape")
        assert judge(driver)

    run(work, ScreensDoor(), size=(120, 36))


@pytest.mark.parametrize("size", [(80, 24), (120, 36), (60, 15), (40, 12)])
def test_p_has_the_question_answered(size: tuple[int, int]) -> None:
    door = DemoDoor()

    async def work(driver: OneDriver) -> None:
        await driver.press("n", "n", "p")
        assert door.events == ["ask q017"]
        assert "q017 answered" in driver.text

    run_one(work, door, size)


def test_what_costs_is_asked_first_and_only_y_says_yes() -> None:
    door = DemoDoor()
    door.consent = [
        Consent(
            "Trust this from now on, and ask?", ("answers: sends questions and passages to https://api.example",), "trust:1"
        ),
        Consent("Ask it?", ("gpt-x at api.example: 2 requests, about 3,100 tokens to read", "cost about 0.0021"), "cost:2"),
    ]

    async def work(driver: OneDriver) -> None:
        await driver.press("n", "n", "p")
        assert "Trust this from now on, and ask?   Y do it   any other key no" in driver.text
        assert "sends questions and passages to https://api.example" in driver.text
        await driver.press("y")
        assert "Trust this" not in driver.text
        assert door.events == []
        await driver.press("p", "Y")  # typed before the question was there: it is not its answer
        assert "Trust this from now on" in driver.text
        await driver.press("Y")
        assert "Ask it?   Y do it   any other key no" in driver.text
        assert "cost about 0.0021" in driver.text
        assert door.events == []
        await driver.press("Y")
        assert door.events == ["ask q017"]

    run_one(work, door)


def test_what_does_not_fit_whole_is_not_asked() -> None:
    door = DemoDoor()
    door.consent = [Consent("Trust this?", ("answers: runs " + "x" * 4000,), "trust:1")]

    async def work(driver: OneDriver) -> None:
        await driver.press("n", "n", "p")
        assert "no room to ask here: make the window larger, or `ragtriage trust`" in driver.text
        await driver.press("Y")
        assert door.events == []

    run_one(work, door)


def test_what_nobody_can_agree_to_is_said() -> None:
    door = DemoDoor()
    door.consent = [Consent("Trust this?", ("…",), "trust:1", "answers: ./a.py cannot be read, so nobody can agree to it")]

    async def work(driver: OneDriver) -> None:
        await driver.press("n", "n", "p")
        assert "! answers: ./a.py cannot be read" in driver.text
        await driver.press("Y")
        assert door.events == []

    run_one(work, door)


def test_asking_is_cancelled_by_c_and_does_not_keep_the_screen() -> None:
    door = DemoDoor()
    door.answer_s = 30.0

    async def work(driver: OneDriver) -> None:
        await driver.app.front.press("n")
        await driver.app.front.press("p")
        for _ in range(500):
            if "answering" in driver.text:
                break
            await asyncio.sleep(0.01)
        assert "answering 0 %" in driver.text
        await driver.app.front.press("p")
        assert "already asking; c cancels" in driver.text
        await driver.app.front.press("j")
        await driver.app.front.press("2")
        for _ in range(500):
            if door.events:
                break
            await asyncio.sleep(0.01)
        assert door.events == ["q017=2"]
        await driver.press("c")
        assert "cancelled; answers that had come are kept" in driver.text
        assert "answering" not in driver.text.splitlines()[0]

    run_one(work, door)


def test_an_error_of_asking_is_a_message() -> None:
    class Broken(DemoDoor):
        def ask(self, qid: str, progress: Progress, agreed: frozenset[str] = frozenset()) -> None:  # type: ignore[override]
            raise DoorError("no key in $OPENAI_API_KEY")

    async def work(driver: OneDriver) -> None:
        await driver.press("n", "p")
        assert "! no key in $OPENAI_API_KEY" in driver.text

    run_one(work, Broken())

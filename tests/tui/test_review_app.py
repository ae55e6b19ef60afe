"""Review with keys pressed, headless, on the hand-made review: from a key to the door and back to the rows."""

from __future__ import annotations

import asyncio
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from typing import Any

import pytest
from tests.tui.demo_review import rows
from tests.tui.demo_screens import ScreensDoor
from tests.tui.test_screens_app import Driver, run, type_in, until

from ragtriage_tui.screens.add import AddScreen
from ragtriage_tui.screens.document import DocumentScreen
from ragtriage_tui.screens.review import ReviewScreen


def review(driver: Driver) -> ReviewScreen:
    screen = driver.app.screen_stack[-1]
    assert isinstance(screen, ReviewScreen)
    return screen


def footer(driver: Driver) -> str:
    return driver.text.splitlines()[-1]


def test_two_keys_decide_a_flip() -> None:
    door = ScreensDoor()

    async def work(driver: Driver) -> None:
        await driver.press("R")
        await until(driver, "flip 1 of 7")
        assert footer(driver).startswith(" n next flip  1-7 label  i intended  f fix label  u undo  v text  q back")
        await driver.press("2")
        assert door.reviews.events[-1] == "q002=2"
        assert footer(driver).startswith(" ✓ q002 is now 2 ranked too low   u undo  n next flip")
        assert "labelled 2" in driver.text
        await driver.press("n")
        assert "q006" in driver.text
        await driver.press("u")
        assert "as before" in footer(driver)
        assert "0 of 7 done" in driver.text
        await driver.press("U")
        assert "1 of 7 done" in driver.text
        await driver.press("0")
        assert "q002 has no verdict now" in footer(driver)
        await driver.press("q")
        assert driver.app.front is driver.triage

    run(work, door)


def test_intended_takes_a_reason_and_offers_it_again() -> None:
    door = ScreensDoor()

    async def work(driver: Driver) -> None:
        await driver.press("R")
        await until(driver, "flip 1 of 7")
        await driver.press("i")
        assert "128 → 256, 1 document" in footer(driver)
        await driver.press("ctrl+u", "enter")
        assert "a change is intended for a reason" in footer(driver)
        assert not any("intended" in event for event in door.reviews.events)
        await driver.press("i", "enter")
        assert door.reviews.events[-1] == "q002 intended: comes with size 128 → 256, 1 document"
        await driver.press("u", "i", "ctrl+u")
        assert footer(driver).startswith(" intended for 90 days, since ")
        await type_in(driver, "the page moved")
        await driver.press("enter")
        assert door.reviews.events[-1] == "q002 intended: the page moved"
        assert "q002 is intended until 3 March" in footer(driver)
        await driver.press("n", "i", "enter")
        assert door.reviews.events[-1] == "q006 intended: the page moved"
        review(driver).state.listing.go_to("q009")
        await driver.press("i", "enter")
        assert door.reviews.events[-1] == "q009 intended: the change mends it"
        review(driver).state.listing.go_to("q017")
        await driver.press("i")
        assert "the page moved" in footer(driver)
        await driver.press("escape")
        assert "until 3 March" not in footer(driver)
        review(driver).state.listing.go_to("q004")
        await driver.press("i")
        assert "only moved" in footer(driver)

    run(work, door)


def test_all_reviewed_is_said() -> None:
    door = ScreensDoor()
    door.reviews.now = replace(door.reviews.now, flips=rows(reviewed=6))

    async def work(driver: Driver) -> None:
        await driver.press("R")
        await until(driver, "─ q052")
        await driver.press("i", "enter")
        assert footer(driver).startswith(" ✓ 7 of 7 reviewed, 1 accepted until 3 March   q back  u undo")
        await driver.press("q", "R")
        await until(driver, "7 of 7 reviewed, 1 accepted")
        assert len([event for event in door.reviews.events if event.startswith("review")]) == 1

    run(work, door)


def test_a_verdict_that_was_refused_is_not_shown() -> None:
    door = ScreensDoor()

    async def work(driver: Driver) -> None:
        await driver.press("R")
        await until(driver, "flip 1 of 7")
        door.reviews.refuse = "opened with --read-only; nothing is written"
        for keys in ("2", "0"):
            await driver.press(keys)
            assert "! opened with --read-only" in footer(driver)
            assert "0 of 7 done" in driver.text
        await driver.press("u")
        assert "Nothing to undo" in footer(driver)

    run(work, door)


def test_texts_answers_zoom_and_the_other_side() -> None:
    async def work(driver: Driver) -> None:
        await driver.press("R")
        await until(driver, "flip 1 of 7")
        await driver.press("v")
        assert "╌ was #3 ╌" in driver.text
        assert footer(driver).startswith(" v/q ranks")
        await driver.press("]", "q")
        assert "→7" in driver.text
        assert review(driver).state.side == "head"
        await driver.press("C", "C")
        assert review(driver).state.side == "base"
        assert footer(driver).startswith(" j/k move  C other side")
        await driver.press("j", "v", "j", "v", "+", "_")
        await driver.press("A", "]")
        assert "[2] is policy-returns-eu#1, rank 2" in footer(driver)
        await driver.press("z")
        assert "─ q002" not in driver.text
        await driver.press("z", "L", "L")
        assert "What differs" in driver.text
        await driver.press("z")
        assert "edited: policy-refunds" in driver.text
        await driver.press("q", "q")
        assert "What differs" not in driver.text
        await driver.press("tab", "shift+tab", "G", "g", "N")

    run(work, ScreensDoor())


def test_keys_that_open_other_screens() -> None:
    door = ScreensDoor()

    async def work(driver: Driver) -> None:
        await driver.press("R")
        await until(driver, "flip 1 of 7")
        await driver.press("enter")
        document = driver.app.front
        assert isinstance(document, DocumentScreen)
        assert document.target.qid == "q002"
        await driver.press("R")
        assert driver.app.front is review(driver)
        await driver.press("f")
        add = driver.app.front
        assert isinstance(add, AddScreen)
        await driver.press("escape")
        assert driver.app.front is review(driver)
        await driver.press("C")
        review(driver).state.chunk_id = "policy-shipping#1"
        await driver.press("r")
        assert "only chunks of the working tree" in footer(driver)
        await driver.press("C", "x")
        assert any(event.startswith("not relevant q002 policy-shipping#1") for event in door.events)
        await driver.press("y")
        assert "sent to the clipboard" in footer(driver)
        await driver.press("l")
        await type_in(driver, "why")
        await driver.press("enter")
        assert door.reviews.notes["q002"] == "why"

    run(work, door)


def test_the_filter_and_what_it_finds() -> None:
    async def work(driver: Driver) -> None:
        await driver.press("R")
        await until(driver, "flip 1 of 7")
        await driver.press("/")
        await type_in(driver, "webhook")
        assert "━ /webhook" in driver.text
        await driver.press("enter")
        assert "2 of 9" in driver.text
        await driver.press("n")
        assert "q009" in driver.text
        await driver.press("escape")
        assert "0 of 7" in driver.text

    run(work, ScreensDoor())


def test_why_it_cannot_be_measured_is_on_the_screen_and_can_be_tried_again() -> None:
    door = ScreensDoor()
    door.reviews.fails = "/x: not inside of a git repository; review needs one"

    async def work(driver: Driver) -> None:
        await driver.press("R")
        await until(driver, "not inside of a git repository")
        assert footer(driver).startswith(" ctrl+r try again  q back")
        await driver.press("j", "n", "2", "i", "v", "z", "z", "/", "tab", "enter", "y", "o", "e", "+", "[")
        door.reviews.fails = ""
        await driver.press("ctrl+r")
        await until(driver, "flip 1 of 7")

    run(work, door)


def test_measuring_is_cancelled_and_goes_on_elsewhere() -> None:
    door = ScreensDoor()
    door.reviews.measure_s = 30.0

    async def work(driver: Driver) -> None:
        review_key = driver.app.front.press("R")
        await review_key
        for _ in range(500):
            if door.reviews.events:
                break
            await asyncio.sleep(0.01)
        assert "measuring both sides" in driver.text
        await driver.app.front.press("c")
        assert "cancelled: nothing was compared" in driver.text
        door.reviews.measure_s = 0.3
        await driver.app.front.press("ctrl+r")
        await driver.app.front.press("q")
        assert driver.app.front is driver.triage
        await until(driver, "the review is measured, 7 to give a verdict on: R shows it")
        await driver.press("R")
        await until(driver, "flip 1 of 7")
        assert len(door.reviews.events) == 2

    run(work, door)


def test_a_review_that_was_named_is_the_one_that_is_measured() -> None:
    door = ScreensDoor()

    async def work(driver: Driver) -> None:
        driver.app.go("Review", base="v1", head="v2")
        await until(driver, "flip 1 of 7")
        assert door.reviews.events[0] == "review v1 v2"

    run(work, door)


def test_a_thread_that_starts_when_its_screen_is_gone_raises_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    found: list[Any] = []

    async def work(driver: Driver) -> None:
        await driver.press("R")
        await until(driver, "flip 1 of 7")
        screen = review(driver)
        late: list[Any] = []
        monkeypatch.setattr(driver.app.jobs, "start", lambda group, work, done: late.append(work))
        screen.ask_for()
        screen.state.views.add("text")
        screen.state.texts = None
        screen.fetch_texts()
        monkeypatch.undo()
        monkeypatch.setattr(type(screen), "app", property(lambda _: (_ for _ in ()).throw(LookupError("no app"))))
        found.extend(ThreadPoolExecutor(1).submit(one, lambda *_: None).result() for one in late)
        monkeypatch.undo()

    run(work, ScreensDoor())
    assert len(found) == 2

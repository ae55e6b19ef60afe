"""Sweep and What if with keys pressed, headless: from a key to the door and back to the rows."""

from __future__ import annotations

import asyncio
from dataclasses import replace

import pytest
from tests.tui.demo_screens import ScreensDoor
from tests.tui.test_app import Driver as OneDriver
from tests.tui.test_app import run as run_one
from tests.tui.test_screens_app import Driver, run, until

from ragtriage_tui.screens.sweep import SweepScreen
from ragtriage_tui.screens.what_if import WhatIfScreen
from ragtriage_tui.views import News


def sweep(driver: OneDriver) -> SweepScreen:
    screen = next(screen for screen in driver.app.screen_stack if isinstance(screen, SweepScreen))
    assert isinstance(screen, SweepScreen)
    return screen


def footer(driver: OneDriver) -> str:
    return driver.text.splitlines()[-1]


def test_the_newest_sweep_is_shown_and_sorted_by_brackets() -> None:
    async def work(driver: Driver) -> None:
        await driver.press("S")
        assert "▸* small_to_big(child=128,parent=512)" in driver.text
        assert footer(driver) == " [ ] sort  space compare  enter failures  s use it  v chart  q back  ? keys"
        await driver.press("]", "]", "]", "]", "]")
        assert "p50 ms▾" in driver.text
        await driver.press("]")
        assert "configuration▾" in driver.text
        await driver.press("[", "g")
        assert "12.0" in driver.text.splitlines()[3]
        await driver.press("q")
        assert driver.app.front is driver.triage

    run(work, ScreensDoor())


def test_space_compares_all_rows_with_this_one() -> None:
    door = ScreensDoor()

    async def work(driver: Driver) -> None:
        await driver.press("S", "j", "space")
        assert door.sweeps.compared == ["t2"]
        assert "▸■ recursive(size=256,overlap=32)" in driver.text
        assert "Flips  ▸ is ■" in driver.text
        await driver.press("k")
        assert "+.02" in driver.text.splitlines()[3]
        assert "▸ against ■: 5 won, 2 lost" in driver.text
        await driver.press("j", "space")
        assert " ■ recursive(size=128,overlap=0)" in driver.text

    run(work, ScreensDoor() if door is None else door)


def test_enter_shows_what_the_row_fails_and_opens_a_question_in_triage() -> None:
    async def work(driver: Driver) -> None:
        await driver.press("S", "enter")
        assert "━ Failures  ▸ fails 3 of 52" in driver.text
        assert footer(driver).startswith(" j/k move  enter see it in Triage  esc back to the table")
        await driver.press("escape")
        assert "Flips  ▸ against ■" in driver.text
        await driver.press("tab", "j", "enter")
        assert driver.app.front is driver.triage
        assert driver.triage.state.listing.here == "q017"
        assert "as the configuration in use finds it" in footer(driver)
        await driver.press("/", *"zzz", "enter")
        assert driver.triage.state.listing.here == ""
        await driver.press("S", "tab", "enter")
        assert driver.triage.state.listing.here in ("q009", "q017")

    run(work, ScreensDoor())


def test_a_row_is_taken_over_only_by_a_capital_y() -> None:
    door = ScreensDoor()

    async def work(driver: Driver) -> None:
        await driver.press("S", "j", "s")
        assert "Write recursive(size=256,over…" in driver.text or "recursive(size=256,overlap=32): chunking.size" in driver.text
        assert "to ragtriage.toml?   Y do it   any other key no" in driver.text
        await driver.press("y")
        assert door.sweeps.written == []
        await driver.press("s", "Y")
        assert door.sweeps.written == ["t2"]
        assert "✓ ragtriage.toml: chunking.size 128 → 256, overlap 0 → 32" in footer(driver)
        assert "u undo" in footer(driver)
        assert "▸■ recursive(size=256,overlap=32)" in driver.text

    run(work, door)


def test_at_120_columns_the_question_is_the_drawings() -> None:
    async def work(driver: Driver) -> None:
        await driver.press("S", "j", "s")
        asked = "Write recursive(size=256,overlap=32) to ragtriage.toml?   Y do it   any other key no"
        assert footer(driver).strip() == asked
        assert "Before you say yes" not in driver.text

    run(work, ScreensDoor(), (120, 36))


def test_what_must_be_known_before_stands_above_the_question() -> None:
    door = ScreensDoor()
    door.sweeps.lines = ("What --set says of chunking.size goes before the file, here and now.",)

    async def work(driver: Driver) -> None:
        await driver.press("S", "s")
        assert "Before you say yes" in driver.text
        assert "What --set says of chunking.size goes before the file" in driver.text

    run(work, door, (120, 36))


def test_a_file_that_cannot_be_written_is_a_message() -> None:
    door = ScreensDoor()
    door.sweeps.refuse = "ragtriage.toml was changed meanwhile; nothing was written"

    async def work(driver: Driver) -> None:
        await driver.press("S", "s")
        assert "! ragtriage.toml was changed meanwhile; nothing was written" in footer(driver)

    run(work, door)


def test_a_sweep_brings_its_rows_one_by_one_and_can_be_cancelled_and_gone_on_with() -> None:
    door = ScreensDoor()
    door.sweeps.now = replace(door.sweeps.now, rows=(), columns=(), against={}, base="", n=0)
    door.sweeps.step_s = 0.05

    async def work(driver: OneDriver) -> None:
        await driver.press("S")
        assert "No sweep yet. ctrl+r measures the 27 configurations" in driver.text
        assert footer(driver) == " ctrl+r sweep  q back  ? keys"
        await driver.app.front.press("ctrl+r")
        await until(driver, "… running")
        await driver.app.front.press("j")
        await driver.app.front.press("ctrl+r")
        assert "already measuring; c cancels" in driver.text
        await until(driver, "of 12 done   c cancels")
        await driver.app.front.press("c")
        await driver.settle()
        assert "rows are kept, and ctrl+r goes on there" in footer(driver)
        assert "running" not in driver.text
        door.sweeps.step_s = 0.0
        await driver.press("ctrl+r")
        await until(driver, "12 configurations measured")
        assert "/12" in driver.text

    run_one(work, door)


def test_a_sweep_goes_on_while_one_is_elsewhere_and_says_when_it_is_over() -> None:
    door = ScreensDoor()
    door.sweeps.step_s = 0.03

    async def work(driver: OneDriver) -> None:
        await driver.press("S")
        await driver.app.front.press("ctrl+r")
        await driver.app.front.press("q")
        assert driver.app.front is driver.triage
        await until(driver, "12 configurations measured; ")
        await driver.press("S")
        assert "/12" in driver.text

    run_one(work, door)


def test_an_error_of_a_sweep_is_said_and_rows_stay() -> None:
    door = ScreensDoor()

    async def work(driver: Driver) -> None:
        await driver.press("S")
        door.sweeps.refuse = "the encoder process ended unexpectedly"
        await driver.press("ctrl+r")
        assert "! the encoder process ended unexpectedly" in footer(driver)
        assert "1/12" in driver.text
        door.sweeps.now = replace(door.sweeps.now, again="")
        await driver.press("q", "S", "ctrl+r")
        assert "no values to combine: name them under [sweep]" in footer(driver)

    run(work, door)


def test_charts_filter_zoom_and_the_state_that_is_come_back_to() -> None:
    async def work(driver: Driver) -> None:
        await driver.press("S", "v")
        assert "Evidence recall  by tokens of context" in driver.text
        await driver.press("v")
        assert "by milliseconds of a search" in driver.text
        await driver.press("v")
        assert "Flips" in driver.text
        await driver.press("/", *"fixed", "enter")
        assert "Configurations  3 of 12  /fixed" in driver.text
        await driver.press("G", "q", "S")
        assert "/fixed" in driver.text
        assert "▸< fixed(size=128,overlap=0)" in driver.text
        await driver.press("escape", "z")
        assert footer(driver).startswith(" z/q all panes")
        await driver.press("tab", "tab", "z")
        assert sweep(driver).state.zoomed is False

    run(work, ScreensDoor())


def test_help_and_palette_know_both_screens() -> None:
    async def work(driver: Driver) -> None:
        await driver.press("S", "?")
        assert "sort column" in driver.text
        assert "in Sweep: compared with, best, dominated" in driver.text or driver.app.front.WHERE == "Help"
        await driver.press("q", ":", *"sweep")
        assert "Sweep" in driver.text
        await driver.press("escape", "q", "n", "w", "?")
        assert "What if" in driver.text

    run(work, ScreensDoor(), (120, 36))


def test_what_another_process_changed_is_read_in() -> None:
    door = ScreensDoor()

    async def work(driver: Driver) -> None:
        await driver.press("S")
        door.changed = lambda: News("the configuration changed on disk and was read again")  # type: ignore[method-assign]
        door.sweeps.now = replace(door.sweeps.now, notice="the configuration in use is none of these; ctrl+r measures again")
        sweep(driver)._look_again()
        await driver.settle()
        assert "the configuration changed on disk and was read again" in footer(driver)
        assert "! the configuration in use is none of these" in driver.text

    run(work, door)


# What if


def what_if(driver: OneDriver) -> WhatIfScreen:
    screen = driver.app.screen_stack[-1]
    assert isinstance(screen, WhatIfScreen)
    return screen


def test_w_tries_every_lever_for_the_question_under_the_cursor() -> None:
    door = ScreensDoor()

    async def work(driver: Driver) -> None:
        await driver.press("n", "n", "w")
        assert door.levers.asked == [("q017", frozenset())]
        assert "▸* dense" in driver.text
        assert "Dense brings it inside k, the cheapest of 2 levers" in driver.text
        assert footer(driver).startswith(" j/k move  s use it  u undo  q back  S sweep")
        await driver.press("s")
        assert "Write mode=dense to ragtriage.toml?   Y do it   any other key no" in footer(driver)
        await driver.press("Y")
        assert door.levers.written == ["dense"]
        assert "✓ ragtriage.toml: retrieval.mode hybrid → dense" in footer(driver)
        await driver.press("q")
        assert driver.app.front is driver.triage
        assert driver.triage.state.listing.here == "q017"

    run(work, door)


def test_a_lever_that_needs_texts_embedded_is_tried_after_a_yes() -> None:
    door = ScreensDoor()

    async def work(driver: Driver) -> None:
        await driver.press("n", "n", "w", "j", "j", "j", "j")
        assert "embed and try it" in footer(driver)
        await driver.press("s")
        assert "Embed 381 texts, about 24 s, to try it?   Y do it" in footer(driver)
        await driver.press("n")
        assert len(door.levers.asked) == 1
        await driver.press("s", "Y")
        assert door.levers.asked[-1] == ("q017", frozenset({"size 100"}))
        assert "all embedded already" in driver.text
        assert what_if(driver).state.listing.here == "size 100"
        await driver.press("G", "s")
        assert "! broken/model: no such model" in footer(driver)
        await driver.press("enter")
        assert "broken/model" in footer(driver)

    run(work, door)


def test_whoever_leaves_the_app_stops_the_sweep() -> None:
    door = ScreensDoor()
    door.sweeps.step_s = 0.05

    async def work(driver: OneDriver) -> None:
        await driver.press("S")
        await driver.app.front.press("ctrl+r")
        await until(driver, "of 12 done   c cancels")
        assert driver.app.jobs.running("sweep")
        driver.app.leave(0)
        assert not driver.app.jobs.running("sweep")

    run_one(work, door)


def test_levers_are_shown_as_they_are_tried_and_cancelled_by_c_or_by_leaving() -> None:
    door = ScreensDoor()
    door.levers.step_s = 0.05

    async def work(driver: OneDriver) -> None:
        await driver.app.front.press("n")
        await driver.app.front.press("w")
        await until(driver, "still to be tried")
        assert footer(driver).startswith(" c cancel")
        await driver.app.front.press("ctrl+r")
        assert "already trying them" in footer(driver)
        await driver.app.front.press("c")
        assert "levers that were tried are kept" in footer(driver)
        await driver.app.front.press("ctrl+r")
        await driver.app.front.press("q")
        assert not driver.app.jobs.running("levers")
        assert driver.app.front is driver.triage
        await asyncio.sleep(0.2)

    run_one(work, door)


@pytest.mark.parametrize("size", [(80, 24), (120, 36), (50, 14)])
def test_an_error_stands_in_the_place_of_levers(size: tuple[int, int]) -> None:
    door = ScreensDoor()
    door.levers.refuse = "q017 is kept aside or was not measured: no lever is chosen by it"

    async def work(driver: Driver) -> None:
        await driver.press("n", "n", "w")
        assert "q017 is kept aside or was not measured" in driver.text
        assert footer(driver).startswith(" ctrl+r try again  q back")
        door.levers.refuse = ""
        await driver.press("ctrl+r")
        assert "dense" in driver.text

    run(work, door, size)


def test_w_in_review_is_about_its_question_as_well() -> None:
    door = ScreensDoor()

    async def work(driver: Driver) -> None:
        await driver.press("R")
        await until(driver, "broken  evidence")
        await driver.press("w")
        assert door.levers.asked[0][0]
        assert driver.text.startswith(" What if")
        await driver.press("q")
        assert driver.app.front.WHERE == "Review"

    run(work, door)

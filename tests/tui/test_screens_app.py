"""Document, Find and Add with keys pressed, headless, on the hand-made project."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Awaitable, Callable
from dataclasses import replace
from pathlib import Path

import pytest
from tests.tui.demo import DemoDoor
from tests.tui.demo_screens import ScreensDoor, document
from tests.tui.test_app import Driver as OneDriver
from tests.tui.test_app import run as run_one
from textual import events

from ragtriage_tui.add_views import AddStart, Draft, Marked, Results
from ragtriage_tui.bridge.drafts import draft_file, keep_draft, load_draft
from ragtriage_tui.screens.add import AddScreen
from ragtriage_tui.screens.document import DocumentScreen
from ragtriage_tui.views import Change, Progress
from ragtriage_tui.workers import DoorError

WORDS = "until when can i\ngive it back"


class Driver(OneDriver):
    """What one key starts is done before the next one is pressed."""

    async def press(self, *keys: str) -> None:
        for key in keys:
            await super().press(key)


def run(work: Callable[[Driver], Awaitable[None]], door: DemoDoor | None = None, size: tuple[int, int] = (80, 24)) -> None:
    run_one(lambda driver: work(Driver(driver.app)), door, size)


async def paste(driver: Driver, words: str) -> None:
    driver.app.screen.post_message(events.Paste(words))
    await driver.settle()


async def until(driver: Driver, words: str) -> None:
    """Wait until words are on the screen."""
    for _ in range(500):
        if words in driver.text:
            break
        await asyncio.sleep(0.01)
    assert words in driver.text


async def type_in(driver: Driver, words: str) -> None:
    await driver.press(*("space" if letter == " " else letter for letter in words))


def add(driver: Driver, at: int = -1) -> AddScreen:
    screen = driver.app.screen_stack[at]
    assert isinstance(screen, AddScreen)
    return screen


def test_enter_opens_the_document_at_the_evidence_and_s_saves_a_quote() -> None:
    door = ScreensDoor()

    async def work(driver: Driver) -> None:
        await driver.press("n", "enter")
        assert "Document  fernway-help" in driver.text
        await driver.press("space", "j", "s")
        assert door.events[-1].startswith("evidence q")
        assert "has 3 items of evidence now" in driver.text
        assert "u undo" in driver.text
        await driver.press("q")
        assert driver.app.front.WHERE == "Triage"

    run(work, door)


def test_n_in_a_document_goes_on_with_the_next_failure_and_triage_follows() -> None:
    async def work(driver: Driver) -> None:
        await driver.press("n", "enter")
        before = driver.triage.state.listing.wanted
        await driver.press("n")
        screen = driver.app.front
        assert isinstance(screen, DocumentScreen)
        assert screen.target.qid == driver.triage.state.listing.wanted != before
        await driver.press("N")
        assert screen.target.qid == before

    run(work, ScreensDoor())


def test_escape_closes_the_innermost_thing_first() -> None:
    async def work(driver: Driver) -> None:
        await driver.press("n", "enter", "z", "space")
        assert "drop the quote" in driver.text
        await driver.press("escape")
        assert "start a quote" in driver.text
        await driver.press("escape")
        assert "q017" in driver.text or "─ q0" in driver.text
        await driver.press("escape")
        assert driver.app.front.WHERE == "Triage"

    run(work, ScreensDoor())


def test_a_question_is_added_with_four_keys_beside_the_paste() -> None:
    door = ScreensDoor()

    async def work(driver: Driver) -> None:
        await driver.press("a")
        await paste(driver, WORDS)
        assert load_draft(Path("demo")) == Draft(text=WORDS)
        await driver.press("enter")
        assert [event.split()[0] for event in door.events] == ["search", "search"]
        assert "policy-refunds#2" in driver.text
        await driver.press("j", "space", "s")
        (saved,) = door.adder.saved
        assert saved.text == WORDS
        assert saved.marks[0].doc_id == "policy-refunds"
        assert "✓ q-7f3a91 saved: fails today, ranked too low (9)   u undo  enter see it" in driver.text
        assert load_draft(Path("demo")) is None
        await driver.press("u")
        assert door.adder.saved == []
        assert load_draft(Path("demo")) is not None
        await driver.press("s", "a")
        assert add(driver).state.draft == Draft()
        assert add(driver).state.phase == "typing"

    run(work, door)


def test_letters_are_text_and_nothing_is_searched_until_enter() -> None:
    door = ScreensDoor()

    async def work(driver: Driver) -> None:
        await driver.press("a")
        await type_in(driver, "q u a s F-")
        assert add(driver).state.draft.text == "q u a s F-"
        assert door.events == []
        await driver.press("escape")
        assert driver.app.front.WHERE == "Triage"
        assert "draft kept; a goes on with it" in driver.text

    run(work, door)


def test_letters_that_come_before_the_screen_is_drawn_are_not_lost() -> None:
    async def work(driver: Driver) -> None:
        front = driver.app.front
        await front.press("a")
        for key in "qua":
            await driver.app.front.press(key)
        await driver.settle()
        assert add(driver).state.draft.text == "qua"

    run(work, ScreensDoor())


def test_a_draft_is_back_at_the_next_start(home: Path) -> None:
    async def first(driver: Driver) -> None:
        await driver.press("a")
        await paste(driver, WORDS)
        # no farewell: the process is simply gone

    async def second(driver: Driver) -> None:
        assert "a draft of a question is kept: a goes on with it" in driver.text
        await driver.press("a")
        assert add(driver).state.draft.text == WORDS
        assert add(driver).state.phase == "typing"
        assert "your draft is back" in driver.text

    run(first, ScreensDoor())
    run(second, ScreensDoor())


def test_a_draft_with_fixed_words_comes_back_with_its_results(home: Path) -> None:
    keep_draft(Path("demo"), Draft(text="who pays", first="who pays"))
    door = ScreensDoor()

    async def work(driver: Driver) -> None:
        await driver.press("a")
        assert add(driver).state.phase == "results"
        assert add(driver).state.candidates

    run(work, door)


def test_a_question_that_passes_is_kept_as_guard_or_dropped() -> None:
    for key, event in (("s", "guard q-7f3a91"), ("x", "")):
        door = ScreensDoor()
        door.adder.passes = True

        async def work(driver: Driver, key: str = key, event: str = event, door: ScreensDoor = door) -> None:
            await driver.press("a")
            await paste(driver, WORDS)
            await driver.press("enter", "space", "s")
            assert "! q-7f3a91 passes today (1)   s keep as guard  x drop" in driver.text
            await driver.press(key)
            if event:
                assert door.events[-1] == event
                assert "q-7f3a91 is kept as a guard" in driver.text
            else:
                assert door.adder.saved == []
                assert driver.app.front.WHERE == "Triage"

        run(work, door)


def test_a_file_that_cannot_be_written_keeps_the_draft_and_says_where() -> None:
    door = ScreensDoor()
    door.adder.refuse = "golden.jsonl is read-only"

    async def work(driver: Driver) -> None:
        await driver.press("a")
        await paste(driver, WORDS)
        await driver.press("enter", "space", "s")
        assert "! not saved, draft kept in " in driver.text
        assert add(driver).state.phase == "results"
        kept = load_draft(Path("demo"))
        assert kept is not None
        assert kept.marks

    run(work, door, (200, 24))


def test_a_read_only_project_says_so_at_once() -> None:
    door = ScreensDoor()
    door.adder.read_only = "golden.jsonl is read-only"

    async def work(driver: Driver) -> None:
        await driver.press("a")
        assert "! golden.jsonl is read-only; draft kept in " in driver.text
        assert draft_file(Path("demo")).name in driver.text
        await paste(driver, WORDS)
        await driver.press("enter", "space", "s")
        assert door.adder.saved == []

    run(work, door, (200, 24))


def test_the_document_gives_a_quote_to_the_draft_and_goes_back() -> None:
    async def work(driver: Driver) -> None:
        await driver.press("a")
        await paste(driver, WORDS)
        await driver.press("enter", "enter")
        assert driver.app.front.WHERE == "Document"
        assert "not saved yet" in driver.text
        await driver.press("g", "j", "j", "space", "s")
        (mark,) = add(driver).state.draft.marks
        assert mark.quote.startswith("Terminals, docks")

    run(work, ScreensDoor())


def test_find_marks_for_the_draft_it_was_opened_from() -> None:
    async def work(driver: Driver) -> None:
        await driver.press("a")
        await paste(driver, WORDS)
        await driver.press("enter", "F")
        assert "evidence for q-7f3a91: until when can i" in driver.text
        await type_in(driver, "30 days")
        await until(driver, "Matches  3 in 2 documents")
        await driver.press("enter", "space")
        assert "● A return must be started within 30 days of delivery." in driver.text
        assert add(driver, 1).state.draft.marks == ()
        await driver.press("enter")
        assert driver.app.front.WHERE == "Document"
        await driver.press("q")
        assert "Marked  1 sentence, not saved yet" in driver.text
        await driver.press("s")
        assert "1 sentence taken as evidence; s saves the question" in driver.text
        (mark,) = add(driver).state.draft.marks
        assert mark.quote == "A return must be started within 30 days of delivery."

    run(work, ScreensDoor())


def test_space_in_find_only_marks_and_s_saves_for_the_question_that_is_named() -> None:
    door = ScreensDoor()

    async def work(driver: Driver) -> None:
        await driver.press("n", "F")
        qid = driver.triage.state.listing.wanted
        await driver.press("enter")
        assert f"evidence for {qid}: " in driver.text.split("\n")[0]
        await driver.press("s")
        assert "Nothing is marked yet" in driver.text
        await driver.press("j", "space")
        assert "▸● " in driver.text
        assert "● A return must be started within 30 days of delivery.  policy-refunds" in driver.text
        assert "s save as evidence" in driver.text
        assert door.events == []
        await driver.press("space")
        assert "Marked" not in driver.text
        await driver.press("space", "k", "space")
        assert "Marked  2 sentences" in driver.text
        await driver.press("u", "space", "s")
        assert [event.split(" ", 3)[:3] for event in door.events] == [["evidence", qid, "policy-refunds"]] * 2
        assert not any("##" in event for event in door.events)
        assert "has 4 items of evidence now" in driver.text
        assert "u undo" in driver.text
        await driver.press("space", "q")
        assert driver.app.front.WHERE == "Triage"
        assert "what was marked is not saved: 1 sentence" in driver.text

    run(work, door)


def test_a_long_message_still_says_how_it_is_undone() -> None:
    door = ScreensDoor()
    long = "q-krp2s4 has 12 items of evidence now: fails today, ranked too low (9, 17, 23, –, –)"
    door.documents.add_evidence = lambda qid, *passages: Change(qid, long)  # type: ignore[method-assign]

    async def work(driver: Driver) -> None:
        await driver.press("F", "enter", "j", "space", "s")
        assert "…   u undo" in driver.text
        assert "? keys" in driver.text

    run(work, door)


def test_escape_in_find_takes_the_marks_off_before_it_leaves() -> None:
    door = ScreensDoor()

    async def work(driver: Driver) -> None:
        await driver.press("F", "enter", "j", "space", "escape")
        assert "nothing is marked now; nothing was saved" in driver.text
        await driver.press("/")
        await type_in(driver, "/x(/")
        assert "searching" in driver.text
        await driver.press("enter")
        assert "not a regular expression" in driver.text
        await driver.press("escape", "escape")
        assert driver.app.front.WHERE == "Triage"
        assert door.events == []

    run(work, door)


@pytest.mark.parametrize("there", ["Find", "Document"])
def test_without_a_question_what_is_marked_starts_one(there: str) -> None:
    door = ScreensDoor()

    async def work(driver: Driver) -> None:
        driver.triage.state.listing.visible = []
        await driver.press("F", "enter", "j")
        assert "no question yet" in driver.text
        if there == "Find":
            await driver.press("space")
            assert "s start a question with it" in driver.text
        else:
            await driver.press("enter", "space")
        await driver.press("s")
        (mark,) = add(driver).state.draft.marks
        assert mark.quote == "A return must be started within 30 days of delivery."
        assert add(driver).state.phase == "typing"
        await paste(driver, WORDS)
        await driver.press("enter", "s")
        assert door.adder.saved[0].marks == (mark,)

    run(work, door)


def test_u_after_a_guard_takes_the_guard_back_and_then_the_save() -> None:
    door = ScreensDoor()
    door.adder.passes = True

    async def work(driver: Driver) -> None:
        await driver.press("a")
        await paste(driver, WORDS)
        await driver.press("enter", "space", "s", "s")
        assert "is kept as a guard   u undo" in driver.text
        await driver.press("x")
        assert "u takes that back" in driver.text
        await driver.press("u")
        assert add(driver).state.phase == "saved"
        assert "s keep as guard  x drop" in driver.text
        await driver.press("u")
        assert add(driver).state.phase == "results"
        assert door.adder.saved == []
        await driver.press("s", "x")
        assert driver.app.front.WHERE == "Triage"
        assert "is no longer in the golden set; U brings it back" in driver.text

    run(work, door)


def test_what_the_evidence_does_not_say_is_said_of_a_question_that_is_saved_all_the_same() -> None:
    door = ScreensDoor()
    door.adder.unsaid = "q-7f3a91 mentions “48 hours”, which its evidence does not say"

    async def work(driver: Driver) -> None:
        await driver.press("a")
        await paste(driver, WORDS)
        await driver.press("enter", "space", "s")
        assert len(door.adder.saved) == 1
        assert "! saved, but q-7f3a91 mentions “48 hours”, which" in driver.text.splitlines()[-1]
        assert "u undo" in driver.text.splitlines()[-1]

    run(work, door)


def held_up(door: ScreensDoor, *, fails: bool = False) -> threading.Event:
    """The encoder is not up before the event is set."""
    up, search = threading.Event(), door.adder.search

    def waits(text: str, progress: Progress, *, wait: bool, few: bool = False) -> Results:
        found = search(text, progress, wait=wait, few=few)
        if wait:
            assert up.wait(30)
            if fails:
                raise DoorError("the model is not there")
        return found._replace(candidates=found.candidates[:2]) if few else found

    door.adder.search = waits  # type: ignore[method-assign]
    return up


async def begun(driver: Driver) -> None:
    await driver.press("a")
    await paste(driver, WORDS)
    await driver.app.front.press("enter")
    await until(driver, "bm25 now, dense follows")


def test_bm25_is_there_before_the_encoder_is_and_keys_are_taken_meanwhile() -> None:
    door = ScreensDoor()
    up = held_up(door)

    async def work(driver: Driver) -> None:
        await begun(driver)
        assert len(add(driver).state.candidates) == 2
        first = add(driver).state.chunk_id
        await driver.app.front.press("j")
        second = add(driver).state.chunk_id
        assert second != first
        await driver.app.front.press("space")
        assert len(add(driver).state.draft.marks) == 1
        assert "bm25 now, dense follows" in driver.text
        assert [event.split()[-1] for event in door.events] == ["once", "whole"]
        up.set()
        await until(driver, "bm25 and dense")
        await driver.settle()
        assert add(driver).state.chunk_id == second
        assert len(add(driver).state.candidates) == 4

    run(work, door)


@pytest.mark.parametrize("fails", [False, True])
def test_without_the_encoder_all_of_bm25_is_shown(fails: bool) -> None:
    door = ScreensDoor()
    up = held_up(door, fails=fails)

    async def work(driver: Driver) -> None:
        await begun(driver)
        if fails:
            up.set()
        else:
            await driver.app.front.press("b")
        await until(driver, "the model is not there" if fails else "bm25 alone")
        up.set()
        await driver.settle()
        results = add(driver).state.results
        assert results is not None
        assert results.complete
        assert len(results.candidates) == 4
        assert results.problem == ("the model is not there" if fails else "bm25 alone")

    run(work, door)


def test_a_fixed_question_that_passes_is_simply_saved() -> None:
    door = ScreensDoor()
    door.adder.passes = True

    async def work(driver: Driver) -> None:
        await driver.press("n", "f", "h", "s")
        assert "passes today (1)   u undo  enter see it" in driver.text
        await driver.press("x")
        assert len(door.adder.saved) == 1

    run(work, door)


def test_what_somebody_else_changed_is_said_and_written_over_only_by_a_second_s() -> None:
    door = ScreensDoor()
    door.adder.clash = "it asks “who pays for it” now"

    async def work(driver: Driver) -> None:
        await driver.press("n", "f", "h", "s")
        assert "was changed meanwhile; s again saves over it: it asks “who pays for it” now" in driver.text
        assert door.adder.saved == []
        await driver.press("s")
        assert len(door.adder.saved) == 1

    run(work, door, (120, 36))


def test_a_saved_question_that_is_as_before_leaves_no_draft(home: Path) -> None:
    async def work(driver: Driver) -> None:
        await driver.press("n", "f", "h")
        qid = add(driver).state.draft.qid
        assert load_draft(Path("demo"), qid) is not None
        await driver.press("u")
        assert load_draft(Path("demo"), qid) is None

    run(work, ScreensDoor())


def test_a_long_document_is_laid_out_beside_the_screen() -> None:
    door = ScreensDoor()
    long = document("Goods can be sent back. " * 5000, asked=False)
    door.documents.document = lambda doc_id, qid="": long  # type: ignore[method-assign]

    async def work(driver: Driver) -> None:
        await driver.press("n", "enter")
        await until(driver, "Goods can be sent back.")
        await driver.press("G")
        at = driver.text
        assert "▸" in at
        await driver.press("z", "z")
        await until(driver, "▸")
        await driver.press("q", "F", "enter", "j")
        await until(driver, "Goods can be sent back.")

    run(work, door)


def test_mention_kind_split_and_no_answer_are_one_key_each() -> None:
    async def work(driver: Driver) -> None:
        await driver.press("a")
        await paste(driver, WORDS)
        await driver.press("enter", "j", "space", "m")
        assert "Tab adds 30 days" in driver.text
        await driver.press("enter")
        assert add(driver).state.draft.mentions == ()  # what is suggested is not taken unasked
        await driver.press("m", "tab")
        assert driver.text.splitlines()[-1].rstrip() == " must mention 30 days"
        await driver.press("enter", "t", "h")
        draft = add(driver).state.draft
        assert (draft.mentions, draft.kind, draft.split) == (("30 days",), "exact", "holdout")
        await driver.press("m")
        await type_in(driver, "; soon")
        await driver.press("enter")
        assert add(driver).state.draft.mentions == ("30 days", "soon")
        await driver.press("-")
        assert "Evidence is marked" in driver.text
        await driver.press("space", "-")
        assert not add(driver).state.draft.answerable
        await driver.press("u", "u", "U")
        assert add(driver).state.draft.marks == ()

    run(work, ScreensDoor())


def test_a_new_mark_says_that_it_replaces_the_lost_quote() -> None:
    door = ScreensDoor()
    start = door.adder.start

    def lost(qid: str) -> AddStart:
        found = start(qid)
        assert found.question is not None
        return found._replace(question=replace(found.question, marks=(Marked("faq", None, "it stood there", 0, gone=True),)))

    door.adder.start = lost  # type: ignore[method-assign]

    async def work(driver: Driver) -> None:
        await driver.press("n", "f")
        assert "✗ gone  it stood there" in driver.text
        assert "Tab take evidence off" in driver.text
        await driver.press("space")
        assert "replaces the lost quote; u keeps both" in driver.text
        assert len(add(driver).state.draft.marks) == 1
        await driver.press("u")
        assert len(add(driver).state.draft.marks) == 2

    run(work, door)


def test_the_similar_question_is_taken_instead_only_with_a_capital_y() -> None:
    async def work(driver: Driver) -> None:
        await driver.press("a")
        await paste(driver, WORDS)
        await driver.press("enter", "d", "j", "enter")
        assert "Drop this draft and go to q017 ?" in driver.text
        await driver.press("y")
        assert driver.app.front.WHERE == "Add"
        await driver.press("enter", "Y")
        assert driver.app.front.WHERE == "Triage"
        assert driver.triage.state.listing.wanted == "q017"
        assert load_draft(Path("demo")) is None

    run(work, ScreensDoor())


def test_f_fixes_the_question_under_the_cursor() -> None:
    door = ScreensDoor()

    async def work(driver: Driver) -> None:
        await driver.press("n", "f")
        assert "Fix evidence" in driver.text
        await driver.press("s")
        assert "Nothing was changed" in driver.text
        await driver.press("tab", "space", "tab", "space", "s")
        (saved,) = door.adder.saved
        assert saved.qid == driver.triage.state.listing.wanted
        assert [mark.kept for mark in saved.marks] == [-1]

    run(work, door)


def test_a_in_a_document_goes_back_to_the_draft_that_is_open() -> None:
    async def work(driver: Driver) -> None:
        await driver.press("a")
        await paste(driver, WORDS)
        await driver.press("enter")
        screen = add(driver)
        await driver.press("enter", "F")
        await driver.press("enter", "a")
        assert driver.app.front is screen
        assert len(driver.app.screen_stack) == 2

    run(work, ScreensDoor())


def test_results_of_older_words_are_dropped() -> None:
    door = ScreensDoor()

    async def work(driver: Driver) -> None:
        await driver.press("a")
        await type_in(driver, "one")
        await driver.press("enter", "/")
        await type_in(driver, " two")
        await driver.press("enter")
        state = add(driver).state
        assert state.results is not None
        assert state.results.text == "one two"
        assert state.draft.first == "one"

    run(work, door)


@pytest.mark.parametrize("size", [(40, 12), (60, 15), (80, 24), (100, 30), (120, 36)])
def test_every_size_shows_every_screen(size: tuple[int, int]) -> None:
    async def work(driver: Driver) -> None:
        await driver.press("n", "enter", "space", "tab", "escape", "escape")
        await driver.press("F", "enter", "tab", "j", "escape")
        await driver.press("a")
        await paste(driver, WORDS)
        await driver.press("enter", "tab", "tab", "v", "z", "?", "q")
        assert driver.app.front.WHERE == "Add"
        assert "keys" in driver.text

    run(work, ScreensDoor(), size)

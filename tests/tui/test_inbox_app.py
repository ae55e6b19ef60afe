"""Inbox with keys pressed, headless: from a key to the door and back to the rows."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from tests.tui.demo_inbox import LABELS, ROWS, Inbox
from tests.tui.demo_screens import ScreensDoor
from tests.tui.test_app import Driver as OneDriver
from tests.tui.test_screens_app import Driver, run, type_in

from ragtriage_tui.add_views import Draft, Record
from ragtriage_tui.bridge.drafts import load_draft
from ragtriage_tui.inbox_views import SafeRow
from ragtriage_tui.judgement_views import Also
from ragtriage_tui.screens.add import AddScreen
from ragtriage_tui.screens.inbox import InboxScreen
from ragtriage_tui.text import Extent


def inbox(driver: OneDriver) -> InboxScreen:
    screen = driver.app.front
    assert isinstance(screen, InboxScreen)
    return screen


def add(driver: OneDriver) -> AddScreen:
    screen = driver.app.front
    assert isinstance(screen, AddScreen)
    return screen


def last(driver: OneDriver) -> str:
    return driver.text.splitlines()[-1]


def test_a_report_becomes_a_question_in_four_keys_and_the_next_one_is_there() -> None:
    door = ScreensDoor()

    async def work(driver: Driver) -> None:
        await driver.press("I")
        assert "━ Reports  3 open" in driver.text
        assert last(driver).startswith(" a make question  d duplicate  x dismiss  space evidence  n next  u undo  ? keys")
        await driver.press("a")
        assert "from ticket 8812" in driver.text
        assert add(driver).state.phase == "results"
        assert add(driver).state.draft.report == "r-aaaaaa"
        await driver.press("space", "s")
        (draft,) = door.adder.saved
        assert draft.text == ROWS[0].text
        assert draft.marks
        assert "q-7f3a91 saved" in last(driver)
        door.inbox.rows = (ROWS[0]._replace(state="done", qid="q-7f3a91"), *ROWS[1:])
        await driver.press("q")
        assert inbox(driver).state.current == ROWS[1]
        assert "2 open" in driver.text

    run(work, door)


def test_what_follows_from_what_was_marked_in_the_inbox_is_there_in_add() -> None:
    door = ScreensDoor()
    record, asked = door.adder.record, []

    def noted(draft: Draft) -> Record:
        asked.append(draft)
        return record(draft)

    door.adder.record = noted  # type: ignore[method-assign]

    async def work(driver: Driver) -> None:
        await driver.press("I", "]", "space", "a")
        assert add(driver).state.draft.marks
        assert asked[-1].marks == add(driver).state.draft.marks

    run(work, door)


def test_what_was_marked_in_the_inbox_is_evidence_in_add_and_its_draft_is_kept_there() -> None:
    async def work(driver: Driver) -> None:
        await driver.press("I", "]", "space")
        assert "▸●  2 policy-refunds#2" in driver.text
        await driver.press("a")
        assert [mark.doc_id for mark in add(driver).state.draft.marks] == ["policy-refunds"]
        kept = load_draft(Path("demo"), "r-aaaaaa")
        assert kept is not None
        assert kept.marks == add(driver).state.draft.marks
        assert load_draft(Path("demo")) is None  # that of another new question is another one
        await driver.press("q")
        assert "draft kept; a goes on with it" in last(driver)
        assert "draft kept" in driver.text.splitlines()[1]
        await driver.press("a")
        assert "your draft is back" in last(driver)
        assert len(add(driver).state.draft.marks) == 1

    run(work, ScreensDoor())


def test_back_from_add_one_is_in_the_list_and_elsewhere_a_dismissal_asks() -> None:
    door = ScreensDoor()

    async def work(driver: Driver) -> None:
        await driver.press("I", "tab", "tab", "tab", "space", "a", "q")
        assert inbox(driver).state.active == "list"
        await driver.press("j")
        assert inbox(driver).state.current == ROWS[1]
        await driver.press("k", "tab", "tab", "tab", "x")
        assert 'Dismiss the report "' in last(driver)
        assert "Y do it" in last(driver)
        await driver.press("x")
        assert "3 open" in driver.text
        await driver.press("x", "Y")
        assert "2 open" in driver.text

    run(work, door)


def test_a_report_that_was_only_looked_at_leaves_no_draft() -> None:
    async def work(driver: Driver) -> None:
        await driver.press("I", "a", "q")
        assert "draft kept" not in driver.text
        assert load_draft(Path("demo"), "r-aaaaaa") is None

    run(work, ScreensDoor())


def test_what_a_model_wrote_is_worded_anew_first() -> None:
    async def work(driver: Driver) -> None:
        await driver.press("I", "j", "j", "a")
        state = add(driver).state
        assert state.phase == "typing"
        assert state.editor.text == "What is the time limit for returns?"
        assert "to the results" in last(driver)
        await type_in(driver, "x")
        await driver.press("enter")
        assert state.draft.first == "What is the time limit for returns?"
        assert state.draft.text.endswith("?x")

    run(work, ScreensDoor())


def test_words_from_the_editor_are_a_draft_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    from ragtriage_tui.screens import inbox_deeds

    monkeypatch.setattr(inbox_deeds, "edit_text", lambda app, text, suffix: f"{text} please\n")

    async def work(driver: Driver) -> None:
        await driver.press("I", "e")
        draft = add(driver).state.draft
        assert (draft.first, draft.text) == (ROWS[0].text, f"{ROWS[0].text} please")
        assert load_draft(Path("demo"), "r-aaaaaa") == draft
        monkeypatch.setattr(inbox_deeds, "edit_text", lambda app, text, suffix: None)
        await driver.press("q", "e")
        assert "nothing was changed" in last(driver)

    run(work, ScreensDoor())


def test_x_dismisses_and_u_takes_it_back_with_the_cursor_there() -> None:
    door = ScreensDoor()

    async def work(driver: Driver) -> None:
        await driver.press("I", "j", "x")
        assert door.inbox.events == ["dismissed r-bbbbbb"]
        assert "✓ chat c-46120 is dismissed   u undo  n next" in last(driver)
        assert inbox(driver).state.current == ROWS[2]
        await driver.press("u")
        assert "it is as before" in last(driver)
        assert inbox(driver).state.current == ROWS[1]
        await driver.press("u")
        assert "Nothing to undo" in last(driver)
        await driver.press("U")
        assert "Nothing to do again" in last(driver)

    run(work, door)


def test_d_asks_of_which_question_it_is_a_duplicate() -> None:
    door = ScreensDoor()

    async def work(driver: Driver) -> None:
        await driver.press("I", "d")
        assert "ticket 8812 asks the same as q001" in last(driver)
        await driver.press("escape")
        assert door.inbox.events == []
        await driver.press("tab", "tab", "j", "d", "enter")
        assert door.inbox.events == ["duplicate r-aaaaaa q017"]
        await driver.press("u", "d")
        for _ in range(4):
            await driver.press("backspace")
        await type_in(driver, "x")
        await driver.press("enter")
        assert "! there is no question x" in last(driver)

    run(work, door)


def test_a_label_is_accepted_at_the_place_that_is_shown() -> None:
    door = ScreensDoor()

    async def work(driver: Driver) -> None:
        await driver.press("I", "j", "j", "j", "j")
        assert "─ q017  reworded" in driver.text
        assert last(driver).startswith(" s accept  [ ] place  f fix by hand  x obsolete  n next  u undo  ? keys")
        await driver.press("]", "s")
        assert door.inbox.events == ["accept q017 0.0 1"]
        assert "✓ q017 has its label in policy-refunds now" in last(driver)
        current = inbox(driver).state.current
        assert current is not None
        assert current.id == "q021 0.0"
        await driver.press("]")
        assert "There is no new place: f fixes it by hand" in last(driver)
        await driver.press("u")
        current = inbox(driver).state.current
        assert current is not None
        assert current.id == "q017 0.0"

    run(work, door)


def test_a_question_is_obsolete_for_a_reason() -> None:
    door = ScreensDoor()

    async def work(driver: Driver) -> None:
        await driver.press("I", "G", "x")
        assert "q021 is obsolete since, or because 20" in last(driver)
        await driver.press("enter")
        assert door.inbox.events[0].startswith("obsolete q021 0.0 20")

    run(work, door)


def test_safe_labels_are_mended_at_one_yes() -> None:
    door = ScreensDoor()

    async def work(driver: Driver) -> None:
        await driver.press("I", "j", "j", "j")
        assert " q003 → billing/payouts" in driver.text
        await driver.press("s")
        assert "Mend 2 safe labels ?   Y do it   any other key no" in last(driver)
        await driver.press("n")
        assert door.inbox.events == []
        await driver.press("s", "Y")
        assert door.inbox.events == ["mend"]
        assert "✓ 2 labels are mended" in last(driver)
        assert "safe labels" not in driver.text
        await driver.press("u")
        assert "2 safe labels" in driver.text

    run(work, door)


def test_the_palette_offers_to_mend() -> None:
    door = ScreensDoor()

    async def work(driver: Driver) -> None:
        await driver.press("I", ":")
        await type_in(driver, "mend")
        assert "Mend 2 safe labels; asks first" in driver.text
        await driver.press("enter", "Y")
        assert door.inbox.events == ["mend"]

    run(work, door)


def test_f_fixes_the_label_by_hand() -> None:
    async def work(driver: Driver) -> None:
        await driver.press("I", "f")
        assert "a makes a question of it" in last(driver)
        await driver.press("j")
        while not isinstance(inbox(driver).state.current, SafeRow):
            await driver.press("j")
        await driver.press("f")
        assert "s mends these" in last(driver)
        await driver.press("G", "f")
        assert add(driver).state.draft.qid == "q021"

    run(work, ScreensDoor())


def test_enter_goes_where_the_cursor_is() -> None:
    async def work(driver: Driver) -> None:
        await driver.press("I", "enter")
        assert inbox(driver).state.active == "report"
        await driver.press("tab", "tab", "enter")
        assert driver.app.front.WHERE == "Document"
        await driver.press("space", "s")  # a sentence of the document is evidence for the report
        assert len(inbox(driver).state.marked()) == 1
        await driver.press("escape", "G", "k", "enter")
        assert driver.app.front.WHERE == "Document"
        await driver.press("q", "k", "k", "k", "k", "tab", "tab", "enter")
        assert driver.app.front is driver.triage

    run(work, ScreensDoor())


def test_what_find_marks_is_for_the_report() -> None:
    async def work(driver: Driver) -> None:
        await driver.press("I", "F")
        assert "ticket 8812" in driver.text

    run(work, ScreensDoor(), (120, 36))


def test_done_reports_come_with_the_filter_and_lead_to_their_question() -> None:
    async def work(driver: Driver) -> None:
        await driver.press("I", "/")
        await type_in(driver, "is:done")
        await driver.press("enter")
        assert "━ Reports  /is:done" in driver.text
        await driver.press("a")
        assert "ticket 8815 is q002 already: enter goes there" in last(driver)
        await driver.press("x")
        await driver.press("escape", "escape")
        assert inbox(driver).state.listing.text == ""

    run(work, ScreensDoor())


def test_where_one_was_is_where_one_comes_back() -> None:
    async def work(driver: Driver) -> None:
        await driver.press("I", "j", "q")
        assert driver.app.front is driver.triage
        await driver.press("I")
        assert inbox(driver).state.current == ROWS[1]
        await driver.press("?")
        assert "Help  Inbox, Reports" in driver.text
        await driver.press("q", "I")
        assert [screen.WHERE for screen in driver.app.screen_stack] == ["Triage", "Inbox"]  # type: ignore[attr-defined]

    run(work, ScreensDoor())


def test_read_only_is_said_and_nothing_is_written() -> None:
    door = ScreensDoor()
    door.inbox.read_only = "opened with --read-only; nothing is written"

    async def work(driver: Driver) -> None:
        await driver.press("I")
        assert "opened with --read-only" in last(driver)
        await driver.press("j", "x")
        assert "! opened with --read-only" in last(driver)
        assert inbox(driver).state.current == ROWS[1]

    run(work, door)


def test_an_empty_inbox_says_how_reports_come_in() -> None:
    door = ScreensDoor()
    door.inbox = Inbox(rows=(), labels=())

    async def work(driver: Driver) -> None:
        await driver.press("I")
        assert "No reports." in driver.text
        await driver.press("x", "s", "d", "space", "]", "enter", "e", "o", "y", "f", "n")
        assert door.inbox.events == []
        await driver.press("a")
        assert driver.app.front.WHERE == "Add"

    run(work, door)


@pytest.mark.parametrize("size", [(80, 24), (120, 36), (100, 30), (60, 15), (40, 12)])
def test_every_key_of_the_table_works_at_every_size(size: tuple[int, int]) -> None:
    async def work(driver: Driver) -> None:
        await driver.press("I")
        for key in (
            "tab",
            "j",
            "j",
            "k",
            "]",
            "[",
            "space",
            "tab",
            "j",
            "z",
            "j",
            "z",
            "v",
            "n",
            "N",
            "pagedown",
            "pageup",
            "G",
        ):
            await driver.press(key)
        assert driver.app.front.WHERE == "Inbox"
        for key in ("tab", "j", "pagedown", "g", "]", "escape", "g", "ctrl+r", "c", "ctrl+l", "space"):
            await driver.press(key)
        assert driver.app.front.WHERE == "Inbox"

    run(work, ScreensDoor(), size)


# r and x


def test_r_and_x_judge_the_chunk_under_the_cursor() -> None:
    door = ScreensDoor()

    async def work(driver: Driver) -> None:
        await driver.press("x")
        assert "C goes to the chunks" in last(driver)
        await driver.press("C", "k")
        chunk = driver.triage.state.chunk_id
        assert "r it answers too  x it does not" in last(driver)
        await driver.press("x")
        assert door.events[-1] == f"not relevant {driver.triage.state.current.qid} {chunk}"  # type: ignore[union-attr]
        assert "is not relevant to" in last(driver)

    run(work, door)


def test_the_palette_shows_what_is_to_be_judged_and_a_question_that_is_done_leaves() -> None:
    door = ScreensDoor()
    look = {"q044": 1, "q009": 2}
    door.now = replace(door.now, questions=tuple(replace(row, look=look.get(row.qid, 0)) for row in door.now.questions))

    async def work(driver: Driver) -> None:
        await driver.press("ctrl+r")
        await driver.press(":")
        await type_in(driver, "unjudged")
        assert "Show: 2 questions with unjudged passages above the evidence" in driver.text
        await driver.press("enter")
        assert [row.qid for row in driver.triage.state.listing.visible] == ["q044", "q009"]
        await driver.press("g", "C", "k")
        door.now = replace(door.now, questions=tuple(replace(row, look=int(row.qid == "q009")) for row in door.now.questions))
        await driver.press("x")
        assert driver.triage.state.listing.here == "q009"
        assert "is not relevant to q044" in last(driver)

    run(work, door)


def test_a_relevant_passage_may_become_another_place_of_the_label() -> None:
    door = ScreensDoor()
    door.judgements.also = Also("faq", Extent(0, 9), "Within 30 days.", 0, "it was retrieved at 2, above the evidence at 7")

    async def work(driver: Driver) -> None:
        await driver.press("C", "k", "r")
        assert "“Within 30 days.”" in driver.text
        assert "Make it another place of its evidence ?   Y do it" in last(driver)
        await driver.press("Y")
        assert door.events[-1].startswith("place ")
        assert "has another place of its evidence" in last(driver)
        await driver.press("r", "q")
        assert door.events[-1].startswith("relevant ")

    run(work, door)


def test_r_in_a_document_is_about_the_chunk_that_one_reads() -> None:
    door = ScreensDoor()

    async def work(driver: Driver) -> None:
        await driver.press("enter", "]", "r")
        assert door.events[-1].startswith("relevant q")
        assert "is relevant to" in last(driver)
        door.judgements.refuse = "evals/judgements.jsonl: the disk is full"
        await driver.press("x")
        assert "! evals/judgements.jsonl: the disk is full" in last(driver)
        await driver.press("q", "a")
        await type_in(driver, "who")
        await driver.press("enter", "enter", "r")
        assert "it is not saved yet" in last(driver)

    run(work, door)


def test_the_hint_says_what_there_is_to_judge() -> None:
    async def work(driver: Driver) -> None:
        detail = driver.triage.state.detail
        assert detail is not None
        driver.triage.state.take_detail(replace(detail, unjudged=4, above=4))
        await driver.press("C")
        assert "Ranked chunks  pool 50 · 4 of 5 unjudged" in driver.text
        assert "! 4 unjudged passages stand above the evidence: r one answers too, x it does not" in driver.text
        await driver.press("L")
        assert "unjudged passages stand" not in driver.text

    run(work, ScreensDoor(), (140, 40))


def test_labels_are_looked_at_once_more_when_another_screen_wrote() -> None:
    door = ScreensDoor()

    async def work(driver: Driver) -> None:
        await driver.press("I")
        door.inbox.looked = False
        door.inbox.label_rows = LABELS[:1]
        await driver.press("?", "q")
        assert inbox(driver).state.to_anchor == 3

    run(work, door)

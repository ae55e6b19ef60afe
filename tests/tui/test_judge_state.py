"""Where one is in the judging queue, and what a key says, without a terminal."""

from __future__ import annotations

import pytest
from tests.tui.demo_judge import JUDGE, Judging, detail

from ragtriage_tui.judge_state import JudgeState, compared
from ragtriage_tui.judge_views import NOTHING_SAID, JudgeQueue, Reviewed, Said, cycled


def nothing(stage: str, done: int, total: int) -> None:
    """Progress that nobody looks at."""


def judge(door: Judging | None = None) -> tuple[JudgeState, Judging]:
    door = door or Judging()
    state = JudgeState()
    state.take_queue(door.queue(nothing))
    look(state, door)
    return state, door


def look(state: JudgeState, door: Judging) -> None:
    state.take_detail(door.answer(state.current.id) if state.current else None)


def press(state: JudgeState, door: Judging, *axes: int) -> Reviewed:
    """Keys one after the other, each on disk before the next."""
    reviewed = Reviewed("", "")
    for axis in axes:
        answer_id = state.press(axis - 1)
        assert answer_id
        reviewed = door.press(answer_id, axis - 1)
        if state.take_reviewed(reviewed):
            look(state, door)
    return reviewed


def test_a_key_goes_from_yes_to_no_to_unsure_and_round() -> None:
    said: tuple[Said, ...] = NOTHING_SAID
    seen = []
    for _ in range(4):
        said = cycled(said, 2)
        seen.append(said[2])
    assert seen == ["yes", "no", "unsure", "yes"]
    assert said == ("", "", "yes", "", "")


def test_nothing_is_shown_before_it_is_on_disk() -> None:
    state, door = judge()
    assert state.press(0) == "a0"
    assert state.current is not None
    assert state.current.said == NOTHING_SAID
    state.take_reviewed(door.press("a0", 0))
    assert state.current.said == ("yes", "", "", "", "")


def test_the_last_of_five_goes_on_to_the_next_that_nobody_judged() -> None:
    door = Judging()
    for axis in range(5):
        door.press("a1", axis)
    state, _ = judge(door)
    assert state.judged == 1
    assert press(state, door, 1, 2, 2, 3, 4, 5).finished
    assert state.current is not None
    assert state.current.id == "a2"
    assert state.judged == 2


def test_changing_what_is_complete_does_not_move() -> None:
    state, door = judge()
    press(state, door, 1, 2, 3, 4, 5)
    state.listing.go_to("a0")
    look(state, door)
    assert not press(state, door, 1).finished
    assert state.current is not None
    assert (state.current.id, state.current.said[0]) == ("a0", "no")


def test_what_is_typed_ahead_of_the_next_answer_does_not_change_this_one() -> None:
    state, door = judge()
    ids = [state.press(axis) for axis in (0, 1, 2, 3, 4, 0, 1)]
    assert ids == ["a0"] * 5 + ["", ""]
    for axis in range(5):
        state.take_reviewed(door.press("a0", axis))
    assert state.current is not None
    assert state.current.id == "a1"
    assert state.press(0) == ""  # what is on the screen is still the old one
    look(state, door)
    assert state.press(0) == "a1"


def test_two_quick_presses_of_one_key_are_two() -> None:
    state, door = judge()
    assert [state.press(0), state.press(0)] == ["a0", "a0"]
    state.take_reviewed(door.press("a0", 0))
    state.take_reviewed(door.press("a0", 0))
    assert state.current is not None
    assert state.current.said[0] == "no"


def test_what_could_not_be_written_was_not_said() -> None:
    state, _ = judge()
    for axis in range(5):
        state.press(axis)
    state.failed()
    assert state.press(0) == "a0"
    assert state.current is not None
    assert state.current.said == NOTHING_SAID


def test_undo_comes_back_to_the_answer() -> None:
    state, door = judge()
    press(state, door, 1, 2, 3, 4, 5)
    undone = door.undo()
    state.take_reviewed(undone)
    assert state.listing.go_to(undone.id)
    assert state.current is not None
    assert (state.current.id, state.current.said, state.current.done) == ("a0", ("yes",) * 4 + ("",), False)


def test_the_judges_verdict_is_hidden_until_all_five_are_answered() -> None:
    state, door = judge()
    press(state, door, 1, 2, 3, 4)
    assert state.revealed is None
    press(state, door, 5)
    assert state.revealed is None  # the next answer
    state.listing.go_to("a0")
    look(state, door)
    assert state.revealed == JUDGE


def test_n_goes_to_what_nobody_judged_and_wraps() -> None:
    state, door = judge(Judging(3))
    assert state.listing.step(1) == ""
    press(state, door, *[])
    look(state, door)
    press(state, door, 1, 2, 3, 4, 5)
    assert state.current is not None
    assert state.current.id == "a2"
    assert state.listing.step(1) == "From the first again"
    assert state.current.id == "a0"
    assert state.listing.step(-1) == "From the last again"
    look(state, door)
    press(state, door, 1, 2, 3, 4, 5)
    assert state.current.id == "a0"
    assert state.listing.step(1) == "The only one left"
    look(state, door)
    press(state, door, 1, 2, 3, 4, 5)
    assert state.judged == 3
    assert state.listing.step(1) == "All of them are judged"


def test_the_cursor_stays_on_its_answer_when_the_queue_is_another_one() -> None:
    state, door = judge()
    state.listing.go_to("a3")
    queue = door.queue(nothing)
    state.take_queue(JudgeQueue(queue.project, queue.setup, tuple(reversed(queue.rows))))
    assert state.current is not None
    assert state.current.id == "a3"
    state.take_queue(JudgeQueue(queue.project, queue.setup, queue.rows[:1]))
    assert state.current.id == "a0"
    state.take_queue(JudgeQueue(queue.project, queue.setup, ()))
    assert state.current is None
    assert state.press(0) == ""
    assert state.listing.step(1) == "No answers to judge"


def test_at_first_the_cursor_is_on_what_nobody_judged() -> None:
    door = Judging()
    for axis in range(5):
        door.press("a0", axis)
    state, _ = judge(door)
    assert state.current is not None
    assert state.current.id == "a1"


def test_citations_are_walked_and_what_was_not_given_is_said() -> None:
    state, _ = judge()
    assert state.citation == 2
    assert state.passage is not None
    assert state.passage.chunk_id == "policy-refunds#3"
    assert state.step_part(1) == "[4] was not given"
    assert state.passage.chunk_id == "policy-shipping#1"
    assert state.step_part(1) == "[2] is policy-refunds#3"
    assert state.step_part(-1) == "[4] was not given"


@pytest.mark.parametrize(("pane", "begins"), [("list", "can i send"), ("answer", "Yes. You can"), ("passages", "## Time")])
def test_what_is_copied_follows_the_pane(pane: str, begins: str) -> None:
    state, _ = judge()
    state.active = pane  # type: ignore[assignment]
    assert state.text_under_cursor().startswith(begins)


def test_the_pager_has_all_of_it() -> None:
    state, door = judge()
    press(state, door, 1)
    text = state.as_text()
    for part in (
        "q017, live  can i send",
        "expected: Within 30",
        "  1 correct: yes",
        "  2 grounded: -",
        "[3] faq-damaged-goods#1",
    ):
        assert part in text


def test_agreement_counts_what_both_decide() -> None:
    assert compared(("yes", "yes", "no", "unsure", "no"), JUDGE) == (1, 3)
    assert compared(NOTHING_SAID, JUDGE) == (0, 0)


def test_a_long_passage_is_wrapped_once() -> None:
    state, door = judge()
    sent = detail(door.rows[0]).sent[1]
    assert state.wrap_passage(sent, 40) is state.wrap_passage(sent, 40)
    assert all(sent.text[row.start : row.end].strip() for row in state.wrap_passage(sent, 40))

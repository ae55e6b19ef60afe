"""Judge as text, at the sizes of the drawings and below."""

from __future__ import annotations

from dataclasses import replace

import pytest
from tests.tui.demo import HOSTILE
from tests.tui.demo_judge import ANSWER, JUDGE, SENT, Judging, detail
from tests.tui.test_judge_state import judge, look, nothing, press

from ragtriage_tui.answer_views import CitationView, JudgeView
from ragtriage_tui.drawing.judge import draw_judge, passage_height
from ragtriage_tui.judge_state import JudgeState
from ragtriage_tui.judge_views import JudgeQueue, JudgeRow
from ragtriage_tui.rows import Drawing, length
from ragtriage_tui.telling import Busy
from ragtriage_tui.text import Extent, scrub, to_ascii

DRAWN_80 = """\
 Judge  fernway-help  hybrid k=5                                  0 of 6 judged
━ Answers  6 to judge ━━━━┬─ q017  live ───────────────────────── answer 1 of 6
▸· can i send the termina…│ can i send the terminal back if i just don't like
 · how long till the mone…│ it
 · what do i pay when i c…│ expected Within 30 days of delivery, for any
 · do you ship to the moon│          reason. · must mention: 30 days
 · is there a limit       │ answer   Yes. You can send the terminal back within
 · oracle: can i send the…│          30 days of delivery, also if you only do
                          │          not like it [2]. The parcel then has 14
                          │          more days to arrive, and the way back is
                          │          free of charge [4].
                          │ 1 correct    ✓ yes      agrees with what is expected
                          │ 2 grounded   ✗ no       rests on the passages
                          │ 3 cited      · unsure   cites them properly
                          │ 4 honest     ·          says what it does not know
                          │ 5 addresses  ·          answers what was asked
                          │
                          ├─ Passages  3 given, cites [2] [4] ──────────────────
                          │ [2] policy-refunds#3  Refunds and returns…  cited ─
                          │ ## Time limits
                          │ A return must be started within 30 days of
                          │ delivery. The parcel then has 14 more days to
                          │ arrive.
"""

SIZES = [(40, 10), (40, 12), (59, 30), (60, 15), (79, 24), (80, 24), (100, 30), (120, 36), (200, 50), (120, 15), (300, 90)]


def shown(drawing: Drawing) -> str:
    return "".join("".join(seg.text for seg in line).rstrip() + "\n" for line in drawing.lines)


def hostile() -> JudgeState:
    text = scrub(HOSTILE)
    state = JudgeState()
    row = JudgeRow(f"a {text}", text, "oracle", text, ("yes",) * 5, True, text)
    state.take_queue(JudgeQueue(text, text, (row,) * 40, "", "", text))
    sent = tuple(one._replace(chunk_id=text, heading=text, text=text * 50) for one in SENT)
    known = replace(JUDGE, claims=(text, text * 9))
    cited = tuple(CitationView(Extent(at, at + 9), (at, 3)) for at in range(0, 90, 11))
    view = replace(detail(row, judge=known), question=text * 4, expected=text * 9, answer=text * 20, sent=sent, note=text)
    state.take_detail(replace(view, citations=cited))
    return state


def test_80x24_is_the_drawing() -> None:
    state, door = judge()
    press(state, door, 1, 2, 2, 3, 3, 3)
    assert shown(draw_judge(state, 80, 23)) == DRAWN_80


@pytest.mark.parametrize(("columns", "rows"), SIZES)
@pytest.mark.parametrize("bad", [False, True])
def test_every_row_fits_at_every_size_in_every_pane(columns: int, rows: int, bad: bool) -> None:
    state = hostile() if bad else judge()[0]
    for pane in ("list", "answer", "passages"):
        for zoomed in (False, True):
            state.active, state.zoomed, state.seek = pane, zoomed, True  # type: ignore[assignment]
            drawing = draw_judge(state, columns, rows - 1)
            assert len(drawing.lines) == rows - 1
            assert max(map(length, drawing.lines)) <= columns
            assert "\x1b" not in shown(drawing)
            assert 0 <= passage_height(state, columns, rows) <= rows


@pytest.mark.parametrize(("columns", "rows"), [(80, 24), (100, 30), (120, 36)])
def test_the_keys_and_the_cited_passage_are_in_view_at_the_usual_sizes(columns: int, rows: int) -> None:
    state, _ = judge()
    text = shown(draw_judge(state, columns, rows - 1))
    for part in (
        "1 correct ",
        "5 addresses",
        "[2] policy-refunds#3",
        "expected Within 30 days",
        "answer   Yes.",
        "free of charge [4]",
    ):
        assert part in text, part


@pytest.mark.parametrize("columns", range(40, 140))
def test_a_passages_heading_is_cut_once_and_cited_stays(columns: int) -> None:
    state, door = judge()
    look(state, door)
    assert state.detail is not None
    sent = tuple(
        one._replace(chunk_id="policy-refunds-and-returns-of-hardware#12", heading="日本 Time limits " * 9) for one in SENT
    )
    state.take_detail(replace(state.detail, id="another", sent=sent))
    state.active, state.zoomed = "passages", True
    titles = [line for line in shown(draw_judge(state, columns, 40)).splitlines() if "#12 " in line]
    assert titles
    for title in titles:
        assert "……" not in title
        assert ("cited" in title) == ("[2]" in title)


def test_120x36_has_ids_and_says_that_the_judge_waits() -> None:
    state, _ = judge()
    text = shown(draw_judge(state, 120, 35))
    assert "0 of 6 judged   the judge's own verdict comes after yours" in text
    assert "▸· q017 live   can i send" in text
    assert " · q017 oracle can i send" in text
    assert "3 given, cites [2] [4], not all of them given" in text


def test_what_the_judge_says_comes_after_the_person() -> None:
    state, door = judge()
    press(state, door, 1, 2, 3, 4)
    assert "judge yes" not in shown(draw_judge(state, 80, 23))
    press(state, door, 5)
    state.listing.go_to("a0")
    look(state, door)
    text = shown(draw_judge(state, 80, 23))
    assert "1 correct    ✓ yes      judge yes  agrees" in text
    assert "2 grounded   ✓ yes      judge no  ✗ disagrees" in text
    assert "3 cited      ✓ yes      judge cannot tell\n" in text
    assert "judge agrees on 3 of 4  kappa .50 to .90" in text
    assert "▸✓ can i send" in text
    assert "1 of 6 judged" in text
    state.active, state.zoomed = "answer", True
    assert "✗ unsupported, it says: The way back is free of charge." in shown(draw_judge(state, 80, 23))


def test_an_uncalibrated_an_unstable_and_an_unscored_judge_say_so() -> None:
    door = Judging(judge=JudgeView((True, None, None, True, True), unstable=("grounded",)))
    state, _ = judge(door)
    press(state, door, 1, 2, 3, 4, 5)
    state.listing.go_to("a0")
    look(state, door)
    text = shown(draw_judge(state, 80, 23))
    assert "uncalibrated" in text
    assert "judge ! unstable" in text
    door.judge = JudgeView((None,) * 5, reason="no JSON in the reply")
    look(state, door)
    assert "the judge could not score it: no JSON" in shown(draw_judge(state, 80, 23))


def test_a_note_and_who_judged_it_are_shown() -> None:
    state, door = judge()
    door.note("a0", "the way back is not in it")
    look(state, door)
    state.listing.rows[0] = state.listing.rows[0]._replace(by="anna", done=True)
    text = shown(draw_judge(state, 80, 23))
    assert "note the way back is not in it" in text
    assert "q017  live · judged by anna" in text


def test_the_states_of_an_empty_queue() -> None:
    state = JudgeState(busy=Busy("reading"))
    assert "reading   c cancels" in shown(draw_judge(state, 80, 23))
    state = JudgeState()
    state.take_queue(Judging(0).queue(nothing))
    assert "No answers to judge. p" in shown(draw_judge(state, 80, 23))
    assert "No answers to judge. p in Triage has a question answered." in shown(draw_judge(state, 40, 11)).replace("\n", "")


def test_a_long_answer_is_cut_and_scrolls() -> None:
    state, door = judge()
    assert door.answer("a0") is not None
    long = replace(detail(door.rows[0]), answer=" ".join(f"word{number}" for number in range(200)), citations=())
    state.take_detail(replace(long, id="a0"))
    state.detail = replace(long, id="a0")
    text = shown(draw_judge(state, 80, 23))
    assert "word0 " in text
    assert "…" in text
    assert "1 correct" in text
    state.active = "answer"
    state.scroll["answer"] = 10**6
    assert "word199" in shown(draw_judge(state, 80, 23))
    assert state.scroll["answer"] < 200


def test_ascii_tells_yes_from_no() -> None:
    state, door = judge()
    press(state, door, 1, 2, 2)
    text = to_ascii(shown(draw_judge(state, 80, 23)))
    assert text.isascii()
    assert "1 correct    y yes" in text
    assert "2 grounded   x no" in text
    assert ANSWER[:20] in text

"""The answers of Triage: what is said of them, citations that are walked, and what is missing."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from tests.tui.demo import answer, question
from tests.tui.test_drawing_triage import shown, triage

from ragtriage_tui.answer_views import AXES, AnswerView, CalibrationView, JudgeView, MarkView, pager_lines
from ragtriage_tui.drawing.answer_marks import judge_line, mark_line, whole_marks
from ragtriage_tui.drawing.triage import draw
from ragtriage_tui.geometry import geometry
from ragtriage_tui.rows import Line, length
from ragtriage_tui.state import TriageState
from ragtriage_tui.text import to_ascii
from ragtriage_tui.views import Figure

WORDS = "Yes, within 30 days [1]. The way back is free [7]."
BLOCKED = answer(
    True, "given ranks 1-5", WORDS,
    (
        MarkView(False, "blocked:", "cites [7], which was not given"), MarkView(False, "no source for", "14"),
        MarkView(True, "says", "30 days"), MarkView(True, "says", "a receipt"), MarkView(True, "[1] exists"),
    ),
    ("policy-refunds#3", "faq#1"), cost=("357 tokens", "357 tokens · cost 0.0004", "312 + 45 tokens · cost 0.0004 · 1.2 s"),
)  # fmt: skip
JUDGE = JudgeView((True, False, None, True, True), claims=("The way back is free.",))


def text(line: Line) -> str:
    return "".join(seg.text for seg in line)


def at(state: TriageState, **changes: Any) -> TriageState:
    """Triage at q017 with another detail."""
    assert state.detail is not None
    state.take_detail(replace(state.detail, **changes))
    return state


def test_the_worst_is_said_first_and_what_does_not_fit_is_counted() -> None:
    assert text(mark_line(BLOCKED, 120)) == (
        "✗ blocked: cites [7], which was not given  ✗ no source for 14  ✓ says 30 days  ✓ says a receipt  ✓ [1] exists"
    )
    assert text(mark_line(BLOCKED, 78)).endswith("✗ no source for 14  ⋯ 3 more")
    assert text(mark_line(BLOCKED, 58)) == "✗ blocked: cites [7], which was not given  ⋯ 4 more"
    assert text(mark_line(BLOCKED, 40)) == "✗ blocked: cites [7], which w…  ⋯ 4 more"


@pytest.mark.parametrize(
    ("cells", "cost"), [(16, "✓ says 1"), (30, "✓ says 1  357 tokens"), (40, "✓ says 1  357 tokens · cost 0.0004")]
)
def test_what_it_cost_takes_the_room_that_is_left(cells: int, cost: str) -> None:
    assert text(mark_line(replace(BLOCKED, marks=(MarkView(True, "says", "1"),)), cells)) == cost


def test_an_answer_without_citations_says_so() -> None:
    bare = answer(True, "", "Yes.", (MarkView(True, "says", "yes"), MarkView(None, "cites nothing")))
    assert text(mark_line(bare, 60)) == "✓ says yes  · cites nothing"


def test_the_judge_in_full_and_in_short() -> None:
    assert text(judge_line(JUDGE, 80)) == "judge ✓ correct  ✗ grounded  · cited  ✓ honest  ✓ addresses  uncalibrated"
    assert text(judge_line(JUDGE, 51)) == "judge ✗ grounded  · cited  ✓ the rest  uncalibrated"
    assert text(judge_line(JUDGE, 50)) == "judge ✗ grounded  · cited  ✓ the re…  uncalibrated"
    assert text(judge_line(replace(JUDGE, said=(True,) * 5), 51)) == "judge ✓ all five  uncalibrated"
    worst = judge_line(replace(JUDGE, said=(False,) * 5), 51)
    assert length(worst) <= 51
    assert text(worst).endswith("uncalibrated")
    assert text(judge_line(JudgeView((None,) * 5, reason="no JSON"), 51)) == "judge ! no JSON  uncalibrated"
    assert "! cited" in text(judge_line(replace(JUDGE, unstable=("cited",)), 80))


def test_calibration_is_said_of_the_axes_that_were_decided() -> None:
    known = CalibrationView(
        (0.71, None, 0.5, 0.83, 0.9), ("kappa 0.71 (0.50 to 0.92), n 40", *["uncalibrated"] * 1, *["kappa"] * 3)
    )
    assert known.word() == "partly uncalibrated"
    assert known.word(["correct"]) == "kappa .71"
    assert known.word(["correct", "honest"]) == "kappa .71 to .83"
    assert known.word(["grounded"]) == "uncalibrated"
    assert known.word([]) == "uncalibrated"
    assert CalibrationView((None,) * 5, ("no kappa (all yes), n 3, too few",) * 5).word() == "no kappa"
    assert CalibrationView((0.4,) * 5, ("kappa 0.40 (0.1 to 0.7), n 9, too few",) * 5).word(AXES[:1]) == "kappa .40, too few"
    assert JudgeView((True, None, None, None, None), known).word == "kappa .71"


def test_all_that_is_said_stands_in_the_zoom() -> None:
    lines = [text(line) for line in whole_marks(replace(BLOCKED, judge=replace(JUDGE, unstable=("cited",))), 40)]
    assert max(len(line) for line in lines) <= 40
    said = " ".join(lines)
    for part in (
        "blocked:",
        "says a receipt",
        "✗ grounded",
        "uncalibrated",
        "unsupported: The way back is free.",
        "312 + 45 tokens",
    ):
        assert part in said, part
    assert "another order" in said


def test_the_pager_has_it_as_lines() -> None:
    lines = pager_lines(replace(BLOCKED, judge=JUDGE))
    assert lines[0] == "  ✗ blocked: cites [7], which was not given"
    assert "  judge, uncalibrated: ✓ correct  ✗ grounded  · cited  ✓ honest  ✓ addresses" in lines
    assert "  ✗ unsupported: The way back is free." in lines
    assert lines[-1] == "  312 + 45 tokens · cost 0.0004 · 1.2 s"


def test_at_80_the_judge_has_a_line_of_its_own() -> None:
    state = at(triage(), live=replace(BLOCKED, judge=JUDGE))
    lines = shown(draw(state, 80, 23)).splitlines()
    assert lines[-2].endswith("│ ✗ blocked: cites [7], which was not given  ⋯ 4 more")
    assert "✗ grounded" in lines[-1]
    assert lines[-1].endswith("uncalibrated")
    assert any("context ends here" in line for line in lines)


def test_at_120_both_have_their_remarks_and_the_chosen_one_a_cursor() -> None:
    state = at(triage(), live=replace(BLOCKED, judge=JUDGE))
    assert "▸" not in "".join(shown(draw(state, 120, 35)).splitlines()[-7:])
    state.active = "answers"
    lines = shown(draw(state, 120, 35)).splitlines()
    assert any("│ ✓ Oracle  given the evidence" in line and "▸✓ Live  given ranks 1-5" in line for line in lines)
    assert any("✓ says 30 days" in line and "✗ blocked:" in line for line in lines)
    state.go_pane("answers", geometry(120, 36))
    assert any("│▸✓ Oracle" in line for line in shown(draw(state, 120, 35)).splitlines())


def test_a_failed_answer_is_not_one_that_was_not_asked() -> None:
    state = at(triage(), live=None, oracle=None, failed={"live": "timed out after 30 s"}, no_oracle="not asked yet: p asks")
    for columns, rows in ((80, 24), (120, 36)):
        text_ = shown(draw(state, columns, rows - 1))
        assert "not asked yet: p asks" in text_
        assert "timed out after 30 s" in text_
    assert "! live   failed: timed out" in shown(draw(state, 80, 23))
    assert "! Live  failed" in shown(draw(state, 120, 35))
    state = at(triage(), live=None, oracle=None, no_live="not asked yet: p asks")
    assert "│ not asked yet: p asks" in shown(draw(state, 80, 23))


def test_the_stand_in_is_named() -> None:
    state = at(triage(), answers_by="extractive stand-in")
    assert "Answers  extractive stand-in" in shown(draw(state, 80, 23))
    assert state.overview is not None
    state.take_overview(replace(state.overview, tax=Figure("tax", 0.09, 46, "stand-in, uncalibrated")))
    assert "tax .09  n 46  stand-in, uncalibrated" in shown(draw(state, 80, 23))
    assert "tax .09  n 46  stand-in, uncalibrated" in shown(draw(state, 120, 35))


def test_a_split_tax_shows_all_four_in_the_zoom_only() -> None:
    state = at(triage(), padded=BLOCKED, failed={"forced": "HTTP 500"})
    state.active = "answers"
    assert "Padded" not in shown(draw(state, 120, 35))
    state.zoomed = True
    for columns, rows in ((120, 36), (80, 60)):
        text_ = shown(draw(state, columns, rows - 1))
        for part in ("Oracle", "Live", "Padded", "! Forced  failed", "HTTP 500"):
            assert part in text_, part
    seen = []
    for _ in range(3):
        seen.append(state.chosen_arm)
        state.go_pane("answers", geometry(120, 36))
    assert seen == ["live", "padded", "oracle"]


def test_the_zoom_scrolls_to_the_citation_one_goes_to() -> None:
    long = " ".join(f"word{number}" for number in range(400))
    state = at(triage(), live=answer(None, "given ranks 1-5", f"{long} [1].", (), ("policy-refunds#3",)))
    state.active, state.zoomed = "answers", True
    assert "word399" not in shown(draw(state, 80, 23))
    state.step_part(1)
    assert "word399" in shown(draw(state, 80, 23))
    state.zoomed = False
    assert "word399" not in shown(draw(state, 80, 23))
    state.step_part(1)
    assert "word399" in shown(draw(state, 80, 23))


def test_what_differs_is_bold_in_live_alone() -> None:
    state = triage()
    state.active = "answers"
    state.toggle_view(geometry(120, 36))
    text_ = shown(draw(state, 120, 35))
    assert "Answers  what differs" in text_


def test_citations_open_what_they_point_to() -> None:
    state = at(triage(), live=BLOCKED)
    state.active = "answers"
    place = state.place_to_open()
    assert place is not None
    assert (place.doc_id, place.chunk_id) == ("policy-refunds", "policy-refunds#3")
    assert state.step_part(1) == "[1] is policy-refunds#3, rank 7"
    assert state.chunk_id == "policy-refunds#3"
    assert state.step_part(1) == "[7] was not given: there were 2 passages"
    assert state.place_to_open() is None
    assert state.why_not_open() == "[7] was not given: there were 2 passages"
    assert state.step_part(-1) == "[1] is policy-refunds#3, rank 7"
    state.other_answer()
    assert state.chosen_arm == "oracle"
    assert state.step_part(1) == "[1] is policy-refunds#3, rank 7"
    assert state.text_under_cursor().startswith("You have 30 days")


def test_an_answer_without_citations_opens_the_evidence() -> None:
    state = at(triage(), live=AnswerView(None, "", "No idea."))
    state.active = "answers"
    assert state.step_part(1) == "The live answer cites nothing"
    place = state.place_to_open()
    assert place is not None
    assert place.at == 120


def test_a_passage_of_other_chunks_is_not_opened() -> None:
    gone = replace(BLOCKED, passages=(BLOCKED.passages[0]._replace(doc_id=""),))
    state = at(triage(), live=gone)
    state.active = "answers"
    assert state.place_to_open() is None
    assert state.why_not_open() == "[1] is not among today's chunks; ctrl+r measures again"


def test_another_question_begins_at_live_without_a_citation() -> None:
    state = triage()
    state.active = "answers"
    state.step_part(1)
    state.other_answer()
    row = state.listing.row_of("q021")
    assert row is not None
    state.take_detail(question(row))
    assert (state.arm, state.citation) == ("live", 0)


def test_ascii_and_marks_carry_it_without_colour() -> None:
    state = at(triage(), live=replace(BLOCKED, judge=JUDGE), failed={})
    state.active = "answers"
    for columns, rows in ((80, 24), (120, 36)):
        text_ = to_ascii(shown(draw(state, columns, rows - 1)))
        assert text_.isascii()
        assert "x blocked: cites [7]" in text_
        assert "x grounded" in text_

"""The parts every screen is made of."""

from __future__ import annotations

import random

from tests.soak import rounds

from ragtriage_tui.rows import (
    Rule,
    Seg,
    bar,
    between,
    clip_line,
    columns,
    cut_line,
    fill,
    footer,
    header,
    highlight,
    joined,
    length,
    message,
    rule,
    skip_line,
)  # fmt: skip
from ragtriage_tui.styles.roles import STYLES, settle
from ragtriage_tui.text import Extent


def text(line: tuple[Seg, ...]) -> str:
    return "".join(seg.text for seg in line)


def test_a_rule_takes_the_longest_form_that_fits() -> None:
    forms = [Rule("Questions", "12 failing of 60", "3/60"), Rule("Questions", "12 failing of 60"), Rule("12 failing")]
    assert text(rule(forms, 39, active=True)) == "━ Questions  12 failing of 60 ━━━ 3/60 "
    assert text(rule(forms, 36)) == "─ Questions  12 failing of 60 ──────"
    assert text(rule(forms, 20)) == "─ 12 failing ───────"
    assert length(rule(forms, 5)) == 5


def test_the_active_rule_is_heavy_and_in_its_own_colour() -> None:
    assert {seg.role for seg in rule([Rule("A")], 10, active=True)} == {"active", "strong", "text"}
    assert {seg.role for seg in rule([Rule("A")], 10)} == {"rule", "strong", "text"}


def test_the_header_keeps_the_configuration_before_more_figures() -> None:
    left = [(Seg("fernway-help  hybrid k=5"),), (Seg("fernway-help"),), ()]
    right = [(Seg("recall@5 .82  hit@5 .88  n 52"),), (Seg("recall@5 .82"),)]
    assert text(header("Triage", left, right, 70)).endswith("recall@5 .82  hit@5 .88  n 52 ")
    assert text(header("Triage", left, right, 50)).startswith(" Triage  fernway-help  hybrid k=5 ")
    assert text(header("Triage", left, right, 50)).endswith("recall@5 .82 ")
    assert text(header("Triage", left, right, 38)) == " Triage  fernway-help    recall@5 .82 "
    assert text(header("Triage", left, right, 10)) == " Triage   "


def test_the_footer_stops_at_the_first_that_does_not_fit_and_keeps_the_last() -> None:
    hints = [("j/k", "move"), ("n", "next failure"), ("", "not there"), ("u", "undo"), ("?", "keys")]
    assert text(footer(hints, 50)).rstrip() == " j/k move  n next failure  u undo  ? keys"
    assert text(footer(hints, 36)).rstrip() == " j/k move  n next failure  ? keys"
    assert text(footer(hints, 20)).rstrip() == " j/k move  ? keys"
    assert text(footer(hints, 50, before=message("q017 is now 2"))).rstrip() == " ✓ q017 is now 2   j/k move  ? keys"
    assert text(footer([("q", "back")], 30, last=False)).rstrip() == " q back"
    assert length(footer(hints, 9, before=message("a message that is too long"))) == 9


def test_columns_are_joined_to_the_rules_that_meet_them() -> None:
    flat, ruled = (Seg("text"),), (Seg("────"),)
    rows = columns([ruled, flat, ruled, flat, ruled], [ruled, flat, flat, ruled, ruled], 4, 4)
    assert [text(row)[4] for row in rows] == ["┬", "│", "┤", "├", "┼"]


def test_highlights_keep_every_character() -> None:
    line = highlight("within 30 days", [Extent(7, 9), Extent(8, 14), Extent(3, 3), Extent(90, 99)])
    assert text(line) == "within 30 days"
    assert [seg.text for seg in line if seg.role == "evidence"] == ["30", " days"]


def test_a_bar_covers_its_row_and_keeps_the_evidence() -> None:
    line = bar(joined(Seg("✗", "fail"), " x ", Seg("30", "evidence")), 10)
    assert length(line) == 10
    assert [seg.role for seg in line] == ["bar-fail", "bar", "evidence", "bar"]


def test_cells_of_a_line_can_be_cut_out_anywhere() -> None:
    draw = random.Random(4)
    for _ in range(rounds(200, 10_000)):
        line = tuple(Seg("".join(draw.choice("ab日 ") for _ in range(draw.randrange(6))), "dim") for _ in range(4))
        cells = length(line)
        at = draw.randrange(cells + 1)
        assert length(skip_line(line, at)) == cells - at
        assert length(clip_line(line, at)) <= at
        assert length(fill(line, at)) == at
        assert at - 1 <= length(cut_line(line, 0, at)) <= at


def test_lines_side_by_side_leave_empty_ones_out() -> None:
    assert text(between([(Seg("a"),), (), (Seg("b"),)])) == "a  b"


def test_blanks_join_the_style_before_them() -> None:
    line = settle((Seg("a", "strong"), Seg("  ", "text"), Seg("b", "strong"), Seg(" ", "bar"), Seg("", "dim"), Seg(" ", "dim")))
    assert line == (Seg("a  b", "strong"), Seg(" ", "bar"), Seg(" ", "dim"))


def test_every_look_has_every_role_and_the_dark_one_only_colours_of_the_cube() -> None:
    assert set(STYLES["dark"]) == set(STYLES["ansi"])
    cube = {"00", "5f", "87", "af", "d7", "ff"}
    grey = {f"{8 + 10 * step:02x}" for step in range(24)}
    for style in STYLES["dark"].values():
        for color in (style.color, style.bgcolor):
            assert color is not None
            parts = [color.name[at : at + 2] for at in (1, 3, 5)]
            assert set(parts) <= cube or (len(set(parts)) == 1 and parts[0] in grey), color.name

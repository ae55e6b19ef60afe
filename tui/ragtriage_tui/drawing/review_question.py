"""The flip itself as lines: the question, the verdict line, the ladder with the step that changed. No Textual in here."""

from __future__ import annotations

from ragtriage_tui.drawing.review_list import CHANGE_MARK
from ragtriage_tui.geometry import Geometry
from ragtriage_tui.review_state import ReviewState
from ragtriage_tui.review_views import FlipRow, FlipView, RungView
from ragtriage_tui.rows import BLANK, Line, Role, Rule, Seg, between, clip_line, fill, highlight, joined, length, rule
from ragtriage_tui.text import Extent, clip, one_line, wrap

__all__ = ["flip_title", "question_rows", "verdict_line"]

_WORDS = 3
_CHANGE_ROLE: dict[str, Role] = {"broken": "fail", "errored": "warn", "fixed": "pass", "worse": "text", "better": "text"}


def flip_title(state: ReviewState, cells: int) -> Line:
    """`q017  paraphrase · dev` and `flip 5 of 14`."""
    active = state.active == "question"
    detail = state.detail
    if detail is None:
        return rule([Rule("Question")], cells, active=active)
    facts = " · ".join(part for part in (detail.kind, detail.split) if part)
    place, total = state.position(detail.qid)
    position = f"flip {place} of {total}" if place else "only moved"
    forms = [Rule(detail.qid, facts, position), Rule(detail.qid, "", position), Rule(detail.qid)]
    return rule(forms, cells, active=active)


def question_rows(state: ReviewState, geo: Geometry, cells: int, height: int, *, whole: bool = False) -> list[Line]:
    """The pane's body; `whole`: every row of the question, and where its evidence lies (zoomed)."""
    detail = state.detail
    if detail is None:
        return []
    room = max(cells - 2, 1)
    most = 0 if whole else _WORDS if geo.side or height > 8 else 2
    spans = wrap(detail.text, room, most)
    words = [_indent((Seg(one_line(detail.text[start:end]), "strong"),)) for start, end in spans]
    if not whole and spans and spans[-1].end < len(detail.text.rstrip()):
        words[-1] = _indent((Seg(clip(one_line(detail.text[spans[-1].start :]), room), "strong"),))
    ladder = _ladder(detail, geo, room, whole=whole)
    because = _because(detail, geo, room, whole=whole)
    air = [BLANK] if geo.side and geo.height >= 30 and ladder else []
    rows = [*words, verdict_line(state, geo, cells), *_said(detail, geo, room, whole=whole), *air, *ladder, *because]
    if whole:
        rows += [BLANK, *(_need(detail, index, room) for index in range(len(detail.needs)))]
    return rows


def _indent(line: Line) -> Line:
    return (Seg(" "), *line)


def verdict_line(state: ReviewState, geo: Geometry, cells: int) -> Line:
    """What happened, in figures, and the one key that agrees."""
    detail = state.detail
    if detail is None:
        return BLANK
    row = state.listing.row_of(detail.qid)
    name = {"worse": "lower", "better": "higher"}.get(detail.change, detail.change)
    headline = f"answer {name}" if detail.half == "answer" else name
    head = joined(CHANGE_MARK[detail.change], Seg(f" {headline}", _CHANGE_ROLE[detail.change]))
    proofs = [proof for proof in detail.proof if proof] or [detail.reason]
    forms = [joined(head, f"  {proof}" if proof else "") for proof in proofs]
    rights = _keys(row, geo)
    tries = [*((forms[0], right) for right in rights), *((form, rights[-1]) for form in forms[1:])]
    fitting = (each for each in tries if length(each[0]) + length(each[1]) + 3 <= cells)
    left, right = next(fitting, tries[-1])
    room = cells - 2 - (length(right) + 1 if right else 0)
    return joined(" ", fill(left, room), " ", right) if right else joined(" ", clip_line(left, room))


def _keys(row: FlipRow | None, geo: Geometry) -> list[Line]:
    """The right end of the verdict line, from the longest form to the shortest."""
    if row is None:
        return [BLANK]
    clears = joined(Seg("   0", "strong"), Seg(" clears", "dim"))
    if row.decided == "labelled":
        given = joined("labelled ", Seg(str(row.label), "strong"))
        return [joined(given, clears), given]
    if row.decided == "intended":
        until = f" until {row.until}" if row.until else ""
        given = joined(Seg("intended", "strong"), until)
        return [joined(given, clears), given, (Seg("intended", "strong"),)]
    if row.decided == "relabelled":
        return [joined(Seg("label fixed", "strong"), Seg("   ctrl+r", "strong"), Seg(" reviews again", "dim")),
                (Seg("label fixed", "strong"),)]  # fmt: skip
    if row.moved:
        return [BLANK]
    intended = joined(Seg("   i", "strong"), Seg(" intended", "dim"))
    fix = joined(Seg("  f", "strong"), Seg(" fix label", "dim"))
    if row.suggested:
        agree = joined(Seg(f" {row.suggested} ", "key"), " agree")
        return [joined(agree, intended, fix), joined(agree, intended), agree]
    accept = joined(Seg(" i ", "key"), " accept")
    other = joined(Seg("   1-7", "strong"), Seg(" label", "dim"))
    return [joined(accept, other, fix), joined(accept, other), accept]


def _said(detail: FlipView, geo: Geometry, room: int, *, whole: bool) -> list[Line]:
    """What somebody decided, and why."""
    words = between([(Seg(detail.said, "dim"),) if detail.said else BLANK, (Seg(detail.note),) if detail.note else BLANK])
    if not words:
        return []
    if not whole:
        return [_indent(clip_line(words, room))]
    text = "  ".join(part for part in (detail.said, detail.note) if part)
    return [_indent((Seg(text[start:end]),)) for start, end in wrap(text, room)]


def _ladder(detail: FlipView, geo: Geometry, room: int, *, whole: bool) -> list[Line]:
    label = "ladder   " if geo.side or whole else ""
    under = " " * len(label)
    plain = [_rung(rung) for rung in detail.rungs if not rung.ranked]
    steps = [rung for rung in detail.rungs if rung.ranked]
    while len(steps) > 1 and not steps[-1].made and length(between([_rung(rung) for rung in steps])) > room - len(label):
        steps = steps[:-1]  # what made no difference goes first
    ranked = [_rung(rung) for rung in steps]
    stopped = any(rung.made and not rung.ranked for rung in detail.rungs)
    rows: list[Line] = []
    if plain and (geo.side or stopped or whole):
        rows.append(joined(Seg(label, "dim"), between(plain)))
    if ranked and (geo.side or whole or not stopped):
        rows.append(joined(Seg(under if rows else label, "dim"), between(ranked)))
    return [_indent(clip_line(row, room)) for row in rows]


def _rung(rung: RungView) -> Line:
    if rung.state == "broken":
        return (Seg(f"✗ {rung.text}", "fail"),)
    if rung.state == "worse":
        return joined(Seg("↓ ", "dim"), Seg(rung.text, "strong"))
    if rung.made:
        return joined(Seg("✓ ", "pass"), Seg(rung.text, "strong"))
    if rung.state == "plain":
        return (Seg(rung.text, "dim"),)
    return (Seg(rung.text if rung.ranked else f"✓ {rung.text}"),)


def _because(detail: FlipView, geo: Geometry, room: int, *, whole: bool) -> list[Line]:
    if not detail.because:
        return []
    label = "because  " if geo.side or whole else ""
    text = Seg(detail.because, "text" if geo.side else "dim")
    line = joined(Seg(label, "dim"), text)
    hint = joined(Seg("   v", "strong"), Seg(" chunk text", "dim"))
    if geo.side and length(line) + length(hint) <= room:
        line = joined(line, hint)
    if length(line) <= room or not whole:
        return [_indent(clip_line(line, room))]
    rows = wrap(detail.because, max(room - len(label), 4))
    return [
        _indent(joined(Seg(label if index == 0 else " " * len(label), "dim"), detail.because[row.start : row.end]))
        for index, row in enumerate(rows)
    ]


def _need(detail: FlipView, index: int, room: int) -> Line:
    need = detail.needs[index]
    label = "needs    " if index == 0 else "         "
    rank = "–" if need.rank is None else str(need.rank)
    mark = joined(Seg("✓", "pass") if need.inside else Seg("✗", "fail"), Seg(f" {rank}  ", "dim"))
    heading = joined(Seg(" › ", "dim"), Seg(need.heading, "dim")) if need.heading else BLANK
    quote = one_line(need.quote)
    shown = highlight(quote, [Extent(0, len(quote))]) if quote else BLANK
    return _indent(clip_line(joined(Seg(label, "dim"), mark, need.doc_id, heading, "  " if quote else "", shown), room))

"""A label to re-anchor as lines: whose it is, what it said, where it may belong, and what changed. No Textual in here."""

from __future__ import annotations

from ragtriage_tui.inbox_state import InboxState
from ragtriage_tui.inbox_views import DiffPart, LabelDetail, LabelRow, NewPlaceView, SafeRow
from ragtriage_tui.rows import BLANK, Line, Role, Rule, Seg, clip_line, joined, rule
from ragtriage_tui.text import clip, one_line, wrap

__all__ = ["diff_rows", "label_rows", "label_title", "safe_rows", "safe_title"]

_SIGNS: dict[str, tuple[str, str, Role]] = {
    "kept": ("", "", "text"), "removed": ("[-", "-]", "fail"), "added": ("{+", "+}", "pass"),
}  # fmt: skip
_AROUND_ROWS = 2


def label_title(state: InboxState, row: LabelRow, cells: int) -> Line:
    """`q017  gone ─── label to re-anchor`"""
    forms = [Rule(row.qid, row.state, "label to re-anchor"), Rule(row.qid, row.state), Rule(row.qid)]
    return rule(forms, cells, active=state.active == "report")


def label_rows(state: InboxState, cells: int, height: int) -> list[Line]:
    """Question and reason, the old text, the new place with what stands around it, the diff; scrolled where it is longer."""
    detail = state.label
    if detail is None:
        return []
    room = max(cells - 2, 1)
    rows: list[Line] = []
    rows += _wrapped(one_line(detail.question), room, "strong")
    why = _plain(detail.why, room - 2) if detail.why else []
    rows += [joined(" ", Seg("  " if at else "! ", "warn"), line) for at, line in enumerate(why)]
    rows += [rule([Rule("Was", detail.place), Rule("Was")], cells), *_wrapped(detail.old, room, "text")]
    place = state.chosen_place
    if place is None:
        rows += [rule([Rule("New place", "none")], cells)]
        rows += _wrapped(
            "Nothing like it is in the documents. f fixes it by hand, x says that it is asked no more.", room, "dim"
        )
    else:
        rows += _place(state, detail, place, cells, room)
    top = state.scrolled("report", len(rows), height)
    return rows[top : top + height]


def _place(state: InboxState, detail: LabelDetail, place: NewPlaceView, cells: int, room: int) -> list[Line]:
    total = len(detail.places)
    at = min(state.place, total - 1) + 1
    where = f"{place.doc_id} › {place.heading}" if place.heading else place.doc_id
    position = f"{at} of {total}" if total > 1 else ""
    forms = [
        Rule("New place", f"{where} · {place.score:.0f} % like it", position), Rule("New place", where, position),
        Rule("New place", clip(where, max(cells - 24, 8)), position), Rule("New place", "", position),
    ]  # fmt: skip
    rows: list[Line] = [rule(forms, cells)]
    if not place.same_numbers:
        rows.append(joined(" ", Seg("! its numbers are other ones", "warn")))
    before, after = one_line(place.before), one_line(place.after)
    if before:
        rows += [joined(" ", Seg(before[row.start : row.end], "dim")) for row in wrap(before, room)[-_AROUND_ROWS:]]
    rows += _wrapped(place.text, room, "evidence")
    if after:
        rows += [joined(" ", Seg(after[row.start : row.end], "dim")) for row in wrap(after, room)[:_AROUND_ROWS]]
    if any(part.kind != "kept" for part in place.diff):
        rows += [rule([Rule("What changed", "[-gone-] {+new+}"), Rule("What changed")], cells)]
        rows += diff_rows(place.diff, room)
    elif place.diff:
        rows += [rule([Rule("What changed", "nothing: the words are the same")], cells)]
    return rows


def diff_rows(parts: tuple[DiffPart, ...], room: int) -> list[Line]:
    """A diff as one text that reads without colour: `within [-30-] {+14+} days`."""
    flat, roles = "", []
    for part in parts:
        before, after, role = _SIGNS[part.kind]
        # white space beside a sign stays outside it, so that rows can be wrapped there
        text = " ".join(part.text.split())
        lead = " " if part.text[:1].isspace() else ""
        tail = " " if part.text[-1:].isspace() and text else ""
        piece = f"{lead}{before}{text}{after}{tail}" if text or part.kind == "kept" else f"{before} {after}"
        start = len(flat)
        flat += piece
        roles.append((start, len(flat), role))
    out: list[Line] = []
    for row in wrap(flat, room):
        segs = [
            Seg(flat[max(low, row.start) : min(high, row.end)], role)
            for low, high, role in roles
            if low < row.end and row.start < high
        ]
        out.append(joined(" ", *segs))
    return out


def _plain(text: str, room: int) -> list[Line]:
    return [(Seg(text[row.start : row.end]),) for row in wrap(text, max(room, 1))]


def _wrapped(text: str, room: int, role: Role) -> list[Line]:
    return [joined(" ", Seg(text[row.start : row.end], role)) if row.end > row.start else BLANK for row in wrap(text, room)]


def safe_title(state: InboxState, row: SafeRow, cells: int) -> Line:
    """`12 safe labels  the same text, but moved`"""
    count = len(row.labels)
    name = "1 safe label" if count == 1 else f"{count} safe labels"
    forms = [Rule(name, "the same text, in another place or with other signs"), Rule(name, "the same text"), Rule(name)]
    return rule(forms, cells, active=state.active == "report")


def safe_rows(state: InboxState, row: SafeRow, cells: int, height: int) -> list[Line]:
    """Two rows a label: whose it is, where it goes and why; what it says."""
    room = max(cells - 2, 1)
    rows: list[Line] = []
    for one in row.labels:
        head = joined(" ", Seg(one.qid, "strong"), Seg(" → ", "dim"), one.place, Seg(f"  {one.why}", "dim"))
        rows += [clip_line(head, cells - 1), joined("   ", Seg(clip(one_line(one.old), room - 2)))]
    top = state.scrolled("report", len(rows), height)
    return rows[top : top + height]

"""The left half of Review as lines: the flips, the verdicts, and what differs between the sides. No Textual in here."""

from __future__ import annotations

from ragtriage_tui.drawing.lists import cursor, field_rule, filtered_forms, id_cells, list_row, no_match, sentence
from ragtriage_tui.geometry import Geometry
from ragtriage_tui.review_flips import Entry, entries
from ragtriage_tui.review_state import ReviewState
from ragtriage_tui.review_views import Difference, FlipRow
from ragtriage_tui.rows import BLANK, Line, Role, Rule, Seg, joined, rule
from ragtriage_tui.text import clip, fit, width, wrap
from ragtriage_tui.views import CategoryView

__all__ = [
    "CHANGE_MARK", "differs_rows", "differs_title", "flip_at", "flip_rows", "flips_title", "state_rows", "verdict_rows",
    "verdict_text", "verdict_title",
]  # fmt: skip

CHANGE_MARK: dict[str, Seg] = {
    "broken": Seg("✗", "fail"),
    "errored": Seg("!", "warn"),
    "fixed": Seg("✓", "pass"),
    "worse": Seg("↓", "dim"),
    "better": Seg("↑", "dim"),
}

_HEADINGS_FROM = 30
_NARROW = 36


def flips_title(state: ReviewState, geo: Geometry, cells: int, *, field: Line = BLANK) -> Line:
    """The rule above the flips; while a filter is typed, the field is in it."""
    active = state.active == "list"
    flips = state.listing
    if field:
        return field_rule(field, cells)
    view = state.view
    if view is None:
        return rule([Rule("Flips", "" if state.failed else "measuring both sides"), Rule("Flips")], cells, active=active)
    if flips.text:
        return rule(filtered_forms("Flips", flips, cells), cells, active=active)
    total = len(view.to_review)
    place = flips.position
    if not total:
        return rule([Rule("Flips", "none", place), Rule("Flips")], cells, active=active)
    said = f"{view.reviewed} of {total}"
    forms = [
        Rule("Flips", f"{said} reviewed", place),
        Rule("Flips", f"{said} done", place),
        Rule("Flips", f"{said} done"),
        Rule("Flips", said),
        Rule("Flips"),
    ]
    return rule(forms, cells, active=active)


def verdict_text(row: FlipRow) -> Seg:
    """`2` decided, `i` intended, `f` its label was fixed, `2?` suggested, `i?` no longer holds, nothing."""
    if row.decided == "labelled":
        return Seg(f"{row.label} ", "text")
    if row.decided in ("intended", "relabelled"):
        return Seg("i " if row.decided == "intended" else "f ", "text")
    if row.decided == "expired":
        return Seg("i?", "dim")
    if row.suggested or (row.decided == "old" and row.label):
        return Seg(f"{row.suggested or row.label}?", "dim")
    return Seg("i?" if row.decided == "old" else "  ", "dim")


def flip_rows(state: ReviewState, geo: Geometry, cells: int, height: int) -> list[Line]:
    """The flips in view, with headings where the screen is high enough."""
    flips = state.listing
    if state.view is None:
        return state_rows(state, cells, height)
    if not flips.rows:
        return sentence(nothing_words(state), cells, height)
    if not flips.visible:
        return sentence(no_match(flips), cells, height)
    ids = id_cells([row.qid for row in flips.rows], geo)
    lines = _entries(state, geo)
    at = next(place for place, one in enumerate(lines) if one.at == flips.cursor)
    if at == 1:  # the heading over the first row comes into view with it
        flips.window.top = min(flips.window.top, 0)
    shown = flips.window.show(at, len(lines), height)
    out = []
    for place in shown:
        one = lines[place]
        if one.heading:
            out.append(_heading(one.heading, cells))
        else:
            out.append(_row(flips.visible[one.at], one.at == flips.cursor, state.active == "list", ids, cells))
    return out


def flip_at(state: ReviewState, geo: Geometry, line: int) -> int | None:
    """Which of the flips in view a line of the list is; None for a heading and past the end."""
    lines = _entries(state, geo)
    at = lines[line].at if state.view is not None and 0 <= line < len(lines) else -1
    return at if at >= 0 else None


def _entries(state: ReviewState, geo: Geometry) -> list[Entry]:
    return entries(state.listing.visible, headings=geo.height >= _HEADINGS_FROM)


def _heading(text: str, cells: int) -> Line:
    shown = clip(text, max(cells - 6, 1))
    return joined(Seg(" ─", "rule"), Seg(f" {shown} ", "dim"), Seg("─" * max(cells - width(shown) - 5, 0), "rule"), " ")


def _row(row: FlipRow, here: bool, active: bool, ids: int, cells: int) -> Line:
    role: Role = "text" if row.change in ("broken", "errored") else "dim"
    qid = joined(" ", Seg(fit(row.qid, ids), "dim")) if ids else BLANK
    head = joined(cursor(here=here), CHANGE_MARK[row.change], qid, " ", verdict_text(row), " ")
    used = 6 + (ids + 1 if ids else 0)
    line = joined(head, Seg(clip(row.text, cells - used), role))
    return list_row(line, cells, lit=here and active)


def nothing_words(state: ReviewState) -> str:
    """What an empty list says, with what helps."""
    view = state.view
    if view is None:
        return ""
    if not view.common:
        return "No question is the same on both sides, so nothing is compared. L shows what differs."
    return f"Nothing flipped. {view.common} questions do on both sides what they did. L shows what differs, q goes back."


def state_rows(state: ReviewState, cells: int, height: int) -> list[Line]:
    """What is said where there is no review: why it failed, or that it goes on."""
    if state.failed:
        out: list[Line] = []
        for start, end in wrap(state.failed, max(cells - 4, 8)):
            mark = Seg("! ", "warn") if not out else Seg("  ")
            out.append(joined(" ", mark, state.failed[start:end]))
        return [*out, BLANK, *sentence("ctrl+r tries again, q goes back.", cells, 2)][:height]
    words = "Both sides are measured; only chunks whose text changed are embedded. c cancels."
    return sentence(words, cells, height)


def verdict_title(state: ReviewState, cells: int) -> Line:
    """The rule above the verdicts."""
    view = state.view
    if view is None:
        return rule([Rule("Verdicts")], cells)
    left = len(view.to_review) - view.reviewed
    facts = f"{left} to give" if left else "all given" if view.to_review else "none to give"
    return rule([Rule("Verdicts", facts), Rule("Verdicts")], cells)


def verdict_rows(state: ReviewState, geo: Geometry, cells: int) -> list[Line]:
    """Legend of the verdict keys, with how many of each were given."""
    view = state.view
    if view is None:
        return []
    flips = view.to_review
    current = state.listing.row_of(state.detail.qid) if state.detail else state.current
    rows = [(str(one.key), _name(one, geo), sum(row.decided == "labelled" and row.label == one.key for row in flips))
            for one in view.categories]  # fmt: skip
    intended = "intended, accept" if geo.full else "intended"
    rows.append(("i", intended, sum(row.decided == "intended" for row in flips)))
    rows.append(("f", "fix the label", sum(row.decided == "relabelled" for row in flips)))
    names = max(width(name) for _, name, _ in rows)
    return [_verdict(key, name, count, current, names, cells) for key, name, count in rows]


def _name(category: CategoryView, geo: Geometry) -> str:
    return category.full if geo.full else category.short


def _verdict(key: str, name: str, count: int, current: FlipRow | None, names: int, cells: int) -> Line:
    given = verdict_text(current).text if current else ""
    here = given[:1] == key and bool(given.strip())
    sign = "?" if here and given[1:] == "?" else "✓" if here else " "
    role: Role = "strong" if here else "text" if count else "dim"
    number = Seg((str(count) if count else "·").rjust(3), "text" if count else "dim")
    room = max(cells - 9, 1)
    return joined(" ", Seg(f"{key}{sign} ", "strong"), Seg(fit(clip(name, room), min(names, room)), role), " ", number)


def differs_title(state: ReviewState, cells: int) -> Line:
    """The rule above what differs."""
    view = state.view
    active = state.active == "list" and state.zoomed
    facts = f"{view.base.name} → {view.head.name}" if view else ""
    return rule([Rule("What differs", facts, "L verdicts"), Rule("What differs", facts), Rule("What differs")], cells,
                active=active)  # fmt: skip


def differs_rows(state: ReviewState, cells: int, height: int, *, whole: bool = False) -> list[Line]:
    """What differs between the sides; `whole`: with every name, scrolled."""
    found = state.view.differs if state.view else ()
    if cells < _NARROW:
        found = tuple(one._replace(name=one.name.rpartition(".")[2]) for one in found)
    names = min(max((width(one.name) for one in found), default=0), max(cells * 2 // 5, 8))
    out: list[Line] = []
    for one in found:
        out += _difference(one, names, cells, whole=whole)
    if not whole and len(out) > height > 0:
        return [*out[: height - 1], joined(" ", Seg(f"⋯ {len(out) - height + 1} more: z shows all", "dim"))]
    top = state.scrolled("differs", len(out), height)
    return out[top : top + height]


def _difference(one: Difference, names: int, cells: int, *, whole: bool) -> list[Line]:
    head = Seg(fit(one.name, names), "warn" if one.wrong else "dim")
    room = max(cells - names - 4, 4)
    lines: list[Line] = []
    for start, end in wrap(one.text, room, 0 if whole else 2):
        lines.append(joined(" ", head if not lines else Seg(" " * names), "  ", Seg(one.text[start:end])))
    if whole:
        for more in one.more:
            for start, end in wrap(more, room):
                lines.append(joined(" " * (names + 3), Seg(more[start:end], "dim")))
    return lines

"""The left half of Triage as lines: the questions and the causes. No Textual in here."""

from __future__ import annotations

from ragtriage_tui.drawing.lists import cursor, field_rule, filtered_forms, id_cells, list_row, no_match, sentence
from ragtriage_tui.geometry import Geometry
from ragtriage_tui.rows import BLANK, Line, Role, Rule, Seg, joined, rule
from ragtriage_tui.state import TriageState
from ragtriage_tui.text import clip, fit, width
from ragtriage_tui.views import CategoryView, QuestionRow

__all__ = ["MARK", "cause_rows", "cause_title", "label_text", "list_rows", "list_title"]

MARK: dict[str, Seg] = {
    "fails": Seg("✗", "fail"),
    "passes": Seg("✓", "pass"),
    "unasked": Seg("·", "text"),
    "nothing": Seg("·", "dim"),
    "unmeasured": Seg("!", "warn"),
    "waiting": Seg("·", "dim"),
}


def list_title(state: TriageState, geo: Geometry, cells: int, *, field: Line = BLANK) -> Line:
    """The rule above the questions; while a filter is typed, the field is in it."""
    active = state.active == "list"
    listing = state.listing
    if field:
        return field_rule(field, cells)
    if state.overview is None:
        return rule([Rule("Questions", "reading" if state.busy is None else "")], cells, active=active)
    if listing.text:
        return rule(filtered_forms("Questions", listing, cells), cells, active=active)
    if not listing.rows:
        return rule([Rule("Questions")], cells, active=active)
    failing = len(state.failing())
    place = listing.position
    total = len(listing.rows)
    if _waiting(state) == total:
        return rule([Rule("Questions", f"{total} waiting"), Rule("Questions")], cells, active=active)
    forms = [Rule("Questions", f"{failing} failing of {total}", place), Rule("Questions", f"{failing} failing of {total}")]
    short = [Rule(f"{failing} failing", f"of {total}"), Rule(f"{failing} failing")]
    # a bold name of two words reads as one with what follows it
    return _close_up(rule((forms if geo.ids else []) + short, cells, active=active), failing, active)


def _waiting(state: TriageState) -> int:
    """Questions that the shown run does not know: of them nobody can say that they fail or pass."""
    return sum(row.state == "waiting" for row in state.listing.rows)


def _close_up(line: Line, failing: int, active: bool) -> Line:
    if len(line) > 3 and line[2].text == f"{failing} failing" and line[3].text.startswith("  of"):
        stroke = "━" if active else "─"
        closer = [*line[:3], line[3]._replace(text=line[3].text[1:]), *line[4:]]
        closer[-1] = closer[-1]._replace(text=closer[-1].text + stroke)
        return tuple(closer)
    return line


def label_text(row: QuestionRow) -> Seg:
    """`2` decided, `2?` suggested, nothing."""
    if row.label and not row.old:
        return Seg(f"{row.label} ", "text")
    if row.suggested:
        return Seg(f"{row.suggested}?", "dim")
    return Seg("  ")


def list_rows(state: TriageState, geo: Geometry, cells: int, height: int) -> list[Line]:
    """The questions in view."""
    listing = state.listing
    if state.overview is None:
        return sentence(state.failed, cells, height) if state.failed else []
    if not listing.rows:
        reports = state.overview.reports
        opens = f", I opens {reports} {'report' if reports == 1 else 'reports'}" if reports else ""
        return sentence(f"No questions yet. a adds one{opens}.", cells, height)
    if not listing.visible:
        return sentence(no_match(listing), cells, height)
    ids = id_cells([row.qid for row in listing.rows], geo)
    shown = listing.window.show(listing.cursor, len(listing.visible), height)
    return [_list_row(listing.visible[index], index == listing.cursor, state.active == "list", ids, cells) for index in shown]


def _list_row(row: QuestionRow, here: bool, active: bool, ids: int, cells: int) -> Line:
    role: Role = "text" if row.state in ("fails", "unmeasured") else "dim"
    qid = joined(" ", Seg(fit(row.qid, ids), "dim")) if ids else BLANK
    head = joined(cursor(here=here), MARK[row.state], qid, " ", label_text(row), " ")
    used = 6 + (ids + 1 if ids else 0)
    line = joined(head, Seg(clip(row.text.replace("\n", " "), cells - used), role))
    return list_row(line, cells, lit=here and active)


def cause_title(state: TriageState, geo: Geometry, cells: int) -> Line:
    """The rule above the causes."""
    if state.overview is None:
        return rule([Rule("Causes")], cells)
    failing, labelled = len(state.failing()), state.labelled()
    if not failing:
        waiting = _waiting(state)
        says = f"{waiting} waiting" if waiting else "nothing fails" if state.listing.rows else ""
        return rule([Rule("Causes", says), Rule("Causes")], cells)
    forms = [Rule("Causes", f"{labelled} of {failing} labelled")] if geo.ids else []
    return rule([*forms, Rule("Causes", f"{failing - labelled} to label"), Rule("Causes")], cells)


def cause_rows(state: TriageState, geo: Geometry, cells: int) -> list[Line]:
    """Legend of the label keys and bar chart at once: decided solid, suggested dashed."""
    if state.overview is None:
        return []
    decided: dict[int, int] = {}
    guessed: dict[int, int] = {}
    for row in state.failing():
        if row.label and not row.old:
            decided[row.label] = decided.get(row.label, 0) + 1
        elif row.suggested:
            guessed[row.suggested] = guessed.get(row.suggested, 0) + 1
    categories = state.overview.categories
    totals = [decided.get(category.key, 0) + guessed.get(category.key, 0) for category in categories]
    names = max((width(_name(category, geo)) for category in categories), default=0)
    count_cells = max(2, len(str(max(totals, default=0))))
    room = max(cells - 4 - names - count_cells - 3, 0)
    scale = min(1.0, room / max(totals, default=1)) if any(totals) else 1.0
    current = state.listing.row_of(state.detail.qid) if state.detail else state.current
    out = []
    for category, total in zip(categories, totals, strict=True):
        sign, here = _sign(current, category.key)
        role: Role = "strong" if here else "text" if total else "dim"
        count = Seg(fit(str(total) if total else "·", count_cells, right=True), "text" if total else "dim")
        solid = _cells(decided.get(category.key, 0), scale, room)
        dashed = min(_cells(guessed.get(category.key, 0), scale, room), room - solid)
        head = joined(" ", Seg(f"{category.key}", "strong"), Seg(sign, "strong"), " ")
        name = Seg(fit(_name(category, geo), names), role)
        bars = joined(Seg("━" * solid), Seg("╌" * dashed))
        out.append(joined(head, name, " ", count, " ", bars))
    return out


def _name(category: CategoryView, geo: Geometry) -> str:
    return category.full if geo.full else category.short


def _sign(row: QuestionRow | None, key: int) -> tuple[str, bool]:
    if row is None:
        return " ", False
    if row.label and not row.old:
        return ("✓", True) if row.label == key else (" ", False)
    return ("?", True) if row.suggested == key else (" ", False)


def _cells(count: int, scale: float, room: int) -> int:
    return min(max(round(count * scale), 1), room) if count else 0

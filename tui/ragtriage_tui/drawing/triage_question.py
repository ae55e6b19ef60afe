"""The question pane of Triage as lines: words, verdict line, needs, ladder. No Textual in here."""

from __future__ import annotations

from ragtriage_tui.drawing.triage_list import MARK
from ragtriage_tui.geometry import Geometry
from ragtriage_tui.rows import BLANK, Line, Role, Rule, Seg, between, clip_line, fill, highlight, joined, length, rule
from ragtriage_tui.state import TriageState
from ragtriage_tui.text import Extent, clip, one_line, width, wrap
from ragtriage_tui.views import NeedView, QuestionView

__all__ = ["question_rows", "question_title", "verdict_line"]

_WORDS = 3


def question_title(state: TriageState, cells: int) -> Line:
    """The rule above the question: id, kind and split, which failure it is."""
    active = state.active == "question"
    detail = state.detail
    if detail is None:
        row = state.current
        return rule([Rule(row.qid if row else "")], cells, active=active)
    facts = " · ".join(part for part in (detail.kind, detail.split) if part)
    share = f"{detail.gap:.2f}".removeprefix("0") if detail.gap is not None else ""
    whole, brief = (f"shares {share} of its words", f"words {share}") if share else ("", "")
    forms = ((facts, whole), (facts, brief), (detail.kind, brief))
    long, middle, short = (" · ".join(part for part in form if part) for form in forms)
    place, total = state.position(detail.qid)
    position = f"failure {place} of {total}" if place else ""
    return rule(
        [
            Rule(detail.qid, long, position),
            Rule(detail.qid, middle, position),
            Rule(detail.qid, short, position),
            Rule(detail.qid, facts, position),
            Rule(detail.qid, "", position),
            Rule(detail.qid),
        ],
        cells,
        active=active,
    )


def question_rows(state: TriageState, geo: Geometry, cells: int, height: int, *, whole: bool = False) -> list[Line]:
    """The pane's body, at most `height` rows; `whole`: every row of the question and every ladder (zoomed)."""
    detail = state.detail
    if detail is None:
        return []
    room = max(cells - 2, 1)
    spans = wrap(detail.text, room, 0 if whole else _WORDS)
    words = [_indent((Seg(one_line(detail.text[start:end]), "strong"),)) for start, end in spans]
    if not whole and spans and spans[-1].end < len(detail.text.rstrip()):
        words[-1] = _indent((Seg(clip(one_line(detail.text[spans[-1].start :]), room), "strong"),))
    needs = _needs(detail, geo, room, whole)
    air = [BLANK] if geo.side and geo.height >= 30 and needs else []
    rows = [*words, verdict_line(state, geo, cells), *_old(state, room), *air, *needs]
    if detail.note and (whole or len(rows) < height):
        rows.append(_indent(clip_line(joined(Seg("note  ", "dim"), detail.note), room)))
    return rows


def _indent(line: Line) -> Line:
    return (Seg(" "), *line)


def verdict_line(state: TriageState, geo: Geometry, cells: int) -> Line:
    """Cause, proof, and the one key that agrees."""
    detail = state.detail
    if detail is None:
        return BLANK
    row = state.listing.row_of(detail.qid)
    label = row.label if row and not row.old else 0
    suggested = row.suggested if row else 0
    headline, role = _headline(state, detail, label or suggested)
    head = joined(MARK[detail.state], Seg(f" {headline}", role))
    forms = [joined(head, f"  {proof}" if proof else "") for proof in _proofs(detail)]
    rights = _keys(label, suggested, geo)
    # the fact becomes shorter, the key stays
    tries = [*((forms[0], right) for right in rights), *((form, rights[-1]) for form in forms[1:])]
    fitting = (each for each in tries if length(each[0]) + length(each[1]) + 3 <= cells)
    left, right = next(fitting, tries[-1])
    room = cells - 2 - (length(right) + 1 if right else 0)
    return joined(" ", fill(left, room), " ", right) if right else joined(" ", clip_line(left, room))


def _proofs(detail: QuestionView) -> list[str]:
    """The fact of the verdict line, from the longest form to the shortest."""
    if detail.reason:
        return [detail.reason]
    if detail.state == "unasked":
        unasked = "the answer was not asked for (p)"
        return [f"{detail.proof}; {unasked}", unasked, "answer not asked for (p)"]
    short = detail.proof.removeprefix("evidence ")
    return list(dict.fromkeys([detail.proof, short, short.replace(f", k = {detail.k}", "")]))


def _old(state: TriageState, room: int) -> list[Line]:
    """That the label a person gave no longer counts, and why."""
    row = state.listing.row_of(state.detail.qid) if state.detail else None
    if row is None or not (row.label and row.old):
        return []
    return [_indent((Seg(clip(f"label {row.label} is old: ranks, answer or words have changed", room), "warn"),))]


def _headline(state: TriageState, detail: QuestionView, cause: int) -> tuple[str, Role]:
    category = state.category(cause)
    if detail.state == "fails":
        return (category.short if category else "fails"), "fail"
    if detail.state == "unmeasured":
        return "could not be measured", "warn"
    if detail.state == "passes":
        return "passes", "pass"
    if detail.state == "unasked":
        return ("retrieval passes" if detail.needs else "not known"), "text"
    return ("waiting" if detail.state == "waiting" else "nothing to measure"), "dim"


def _keys(label: int, suggested: int, geo: Geometry) -> list[Line]:
    """The right end of the verdict line, from the longest form to the shortest."""
    if label:
        given = joined("labelled ", Seg(str(label), "strong"))
        clears = joined(Seg("   0", "strong"), Seg(" clears", "dim"))
        return [joined(given, clears), given] if geo.side else [given]
    if not suggested:
        return [BLANK]
    agree = joined(Seg(f" {suggested} ", "key"), " agree")
    other = joined(Seg("  1-7", "strong"), Seg(" other", "dim"))
    return [joined(agree, other), agree] if geo.side else [agree]


def _needs(detail: QuestionView, geo: Geometry, room: int, whole: bool) -> list[Line]:
    needs = detail.needs
    if not needs:
        return []
    rows = []
    shown = needs if whole else needs[: 2 if not geo.side else 4]
    first_lost = next((need for need in needs if not need.inside), needs[0])
    for need in shown:
        rows.append(_need(need, geo, room, first=need is shown[0], several=len(needs) > 1, more=len(needs) - len(shown)))
        if whole or (len(needs) == 1 and need is first_lost):
            rows += _ladder(need, geo, room)
    if not whole and len(needs) > 1:
        rows += _ladder(first_lost, geo, room)
    return rows


def _need(need: NeedView, geo: Geometry, room: int, *, first: bool, several: bool, more: int) -> Line:
    label = ("needs    " if first else "         ") if geo.side else ("needs " if first else "      ")
    mark: Line = BLANK
    if several:
        rank = "–" if need.rank is None else str(need.rank)
        mark = joined(Seg("✓", "pass") if need.inside else Seg("✗", "fail"), Seg(f" {rank}  ", "dim"))
    heading = joined(Seg(" › ", "dim"), Seg(need.heading, "dim")) if need.heading and geo.side else BLANK
    place = joined(Seg(need.doc_id), heading)
    extra = Seg(f"  and {more} more", "dim") if first and more else Seg("")
    quote = one_line(need.quote)
    free = room - len(label) - length(mark) - length(place) - len(extra.text)
    gap = "  " if geo.side else " "
    if free < 12 and heading:
        place = joined(Seg(need.doc_id))
        free = room - len(label) - length(mark) - length(place) - len(extra.text)
    shown = highlight(clip(quote, max(free - len(gap), 4)), [Extent(0, len(quote))]) if quote else BLANK
    line = joined(Seg(label, "dim"), mark, place, gap if quote else "", shown, extra)
    return _indent(clip_line(line, room))


def _ladder(need: NeedView, geo: Geometry, room: int) -> list[Line]:
    label = "ladder   " if geo.side else ""
    under = " " * len(label)
    plain = [_rung(rung.text, rung.state) for rung in need.rungs if not rung.ranked]
    ranked = [_rung(rung.text, rung.state, ranked=True) for rung in need.rungs if rung.ranked]
    rows = []
    if plain:
        rows.append(joined(Seg(label, "dim"), between(plain)))
    if ranked:
        rows.append(joined(Seg(under if plain else label, "dim"), between(ranked)))
    rows = [_indent(clip_line(row, room)) for row in rows]
    if not need.lever:
        return rows
    if ranked and length(rows[-1]) - 1 + 3 + width(need.lever) <= room:
        return [*rows[:-1], joined(rows[-1], "   ", Seg(need.lever, "dim"))]
    spans = wrap(need.lever, max(room - len(under), 1), 3)
    return rows + [_indent(joined(under, Seg(need.lever[start:end], "dim"))) for start, end in spans]


def _rung(text: str, state: str, *, ranked: bool = False) -> Line:
    if state == "broken":
        return (Seg(f"✗ {text}", "fail"),)
    if state == "skipped":
        return (Seg(text, "dim"),)
    return (Seg(text if ranked else f"✓ {text}"),)

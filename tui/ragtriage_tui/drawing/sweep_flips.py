"""What flips between the row under the cursor and the marked one, with what that is worth before the list. No Textual."""

from __future__ import annotations

from ragtriage_tui.drawing.lists import cursor, list_row, sentence
from ragtriage_tui.rows import BLANK, Line, Rule, Seg, clip_line, joined, rule
from ragtriage_tui.sweep_cells import change_text, p_text
from ragtriage_tui.sweep_state import SweepState
from ragtriage_tui.sweep_views import FailLine, FlipLine, SweepDetail
from ragtriage_tui.text import fit, width, wrap

__all__ = ["flip_rows", "flips_title"]

_ID = 10
_RANKS = 9  # `14 → 2`
_MOST_SAID = 12  # rows of one sentence: all of ours, and of a hostile name not without end
_K = 6  # `, k 10`


def flips_title(state: SweepState, cells: int) -> Line:
    active = state.active == "flips"
    detail = _shown(state)
    if detail is None:
        return rule([Rule("Failures" if state.failing else "Flips")], cells, active=active)
    if state.failing:
        facts = f"▸ fails {len(detail.failing)} of {detail.n}"
        return rule([Rule("Failures", facts, _place(state)), Rule("Failures", facts)], cells, active=active)
    if detail.row_id == detail.base_id:
        return rule([Rule("Flips", "▸ is ■"), Rule("Flips")], cells, active=active)
    at = f" at k {detail.base_k} → {detail.k}" if detail.other_k else " at k" if detail.budget else ""
    facts = f"▸ against ■: {detail.won} won, {detail.lost} lost{at}"
    return rule([Rule("Flips", facts), Rule("Flips", f"{detail.won} won, {detail.lost} lost")], cells, active=active)


def _place(state: SweepState) -> str:
    return f"{state.line + 1}/{len(state.lines)}" if state.active == "flips" and state.lines else ""


def _shown(state: SweepState) -> SweepDetail | None:
    """The detail, where it is about the row under the cursor and the marked one."""
    detail, row = state.detail, state.current
    if detail is None or row is None or detail.row_id != row.id:
        return None
    return detail if state.failing or detail.base_id == state.base else None


def flip_rows(state: SweepState, cells: int, height: int, *, names: bool, short: bool = False) -> list[Line]:
    """The pane under its title. `names`: both configurations are named first. `short`: the table shows a `?` in this row.

    What stands before the questions scrolls away with them, so that nothing of it is cut and none of them out of reach.
    """
    detail = _shown(state)
    if detail is None:
        return []
    head = [] if state.failing else _head(state, detail, cells, names=names and height >= 9, short=short)
    lines = state.lines
    if not lines:
        said = "It fails nothing." if state.failing else _nothing(detail)
        head += sentence(said, cells, max(height - len(head), 2))
    here = state.line if state.active == "flips" and lines else None
    ids = min(max((width(line.qid) for line in lines), default=0), _ID)
    wanted = None if here is None else len(head) + here
    if here == 0 and len(head) < height:  # the first question, and all that stands before it
        wanted = 0
    top = state.scrolled("flips", len(head) + len(lines), height, wanted)
    out = head[top : top + height]
    first = max(top - len(head), 0)
    rows = lines[first : first + height - len(out)]
    return [*out, *(_line(line, detail, ids, cells, lit=at == here) for at, line in enumerate(rows, start=first))]


def _nothing(detail: SweepDetail) -> str:
    if detail.row_id == detail.base_id:
        return "Every other row is compared with this one."
    return "No question flips between the two."


def _head(state: SweepState, detail: SweepDetail, cells: int, *, names: bool, short: bool) -> list[Line]:
    """The two, the change with its interval, and how far all of that is to be trusted."""
    row, base = state.current, state.marked
    out: list[Line] = []
    if names and row is not None and base is not None:
        out.append(clip_line(joined(Seg("▸ ", "mark"), row.name), cells))
        if row.id != base.id:
            use = "  in use" if base.in_use else ""
            out.append(clip_line(joined(Seg("■ ", "active"), base.name, Seg(use, "dim")), cells))
    if detail.row_id != detail.base_id:
        out.append(clip_line(_figures(detail, cells), cells))
        out += [clip_line(joined(Seg(f"   {text}", "dim")), cells) for text in _beside(detail)]
        out += _said("!" if _open(detail) else "✓", _caveat(detail), cells)
    if detail.holdout is not None:
        text, holds = detail.holdout
        out += _said("✓" if holds else "!", text, cells)
    if short:
        out += _said("?", "its pool does not fill that budget: a larger one might find more", cells)
    if row is not None:
        for note in row.notes:
            out += _said("!", note, cells)
        if row.dominated:
            out.append(clip_line(joined(" ", Seg(f"< no better than {row.dominated}, which costs no more", "dim")), cells))
    if state.view is not None and state.view.said and names:
        out += _said("!", state.view.said, cells)
    return [*out, BLANK] if names and out else out


def _beside(detail: SweepDetail) -> list[str]:
    """What changes at k where a budget decides, and what a row sends where k is another one."""
    out = []
    if detail.budget and detail.at_k is not None:
        caution = ", but equal k favours larger passages" if detail.resized and not detail.other_k else ""
        out.append(f"recall@{detail.at} {change_text(detail.at_k)}{caution}")
    if detail.other_k and detail.sent is not None:
        ours, theirs = detail.sent
        out.append(f"sends {ours:,.0f} tokens a question, ■ {theirs:,.0f}")
    return out


def _figures(detail: SweepDetail, cells: int) -> Line:
    """The change with its interval and p; what p was corrected by where there is room for that."""
    by = f"recall in {detail.budget:,} tokens" if detail.budget else f"recall@{detail.at}"
    name = Seg(f" {by} {change_text(detail.change)}", "strong")
    if detail.low is None or detail.high is None:
        return joined(name)
    interval = f", 95 % {change_text(detail.low)} to {change_text(detail.high)}"
    tested = f"{interval}, p {p_text(detail.p)}"
    after = " after Holm" if detail.rows > 1 else ""
    return joined(name, Seg(tested + after if width(name.text + tested + after) <= cells else tested, "dim"))


def _open(detail: SweepDetail) -> bool:
    return detail.p >= 0.05


def _caveat(detail: SweepDetail) -> str:
    if detail.change is None:
        return "nothing was measured on both sides"
    if detail.low is None:
        return "no change was seen"
    if not _open(detail):
        return f"more than chance among {detail.rows} rows" if detail.rows > 1 else "more than chance"
    if detail.more:
        return f"cannot tell yet: needs about {detail.more:,} questions more"
    if detail.more == 0:
        return f"cannot tell yet: among {detail.rows} rows one such may be luck"
    return "as much is won as lost"


def _said(mark: str, text: str, cells: int) -> list[Line]:
    role = Seg(f" {mark} ", "pass" if mark == "✓" else "warn")
    rows = wrap(text, cells - 4, _MOST_SAID)
    first, *rest = [text[start:end] for start, end in rows]
    return [joined(role, first), *(joined("   ", one) for one in rest)]


def _line(line: FlipLine | FailLine, detail: SweepDetail, ids: int, cells: int, *, lit: bool) -> Line:
    if isinstance(line, FlipLine):
        mark = Seg("✓", "pass") if line.won else Seg("✗", "fail")
        ranks = f"{_rank(line.before)} → {_rank(line.after)}"
        ranks = " " * (3 - len(_rank(line.before))) + ranks
        if detail.other_k:
            ranks += f", k {detail.k}" if _by_k(line, detail) else ""
        middle = Seg(fit(ranks, _RANKS + (_K if detail.other_k else 0)))
    else:
        mark = Seg("!", "warn") if line.state == "failed" else Seg("✗", "fail")
        middle = Seg(fit(_rank(line.rank), 4, right=True) + " ")
    first = cursor(here=lit)
    row = joined(first, mark, " ", Seg(fit(line.qid, ids), "dim"), "  ", middle, " ", Seg(line.text))
    return list_row(clip_line(row, cells), cells, lit=lit)


def _by_k(line: FlipLine, detail: SweepDetail) -> bool:
    """Whether a question flips because k is another one, and not by the rank of its evidence."""
    k = detail.base_k or detail.k
    return (line.before is not None and line.before <= k) == (line.after is not None and line.after <= k)


def _rank(rank: int | None) -> str:
    return "–" if rank is None else str(rank)

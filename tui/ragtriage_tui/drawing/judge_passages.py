"""The passages that an answer was given as lines, the cited one in view. No Textual in here."""

from __future__ import annotations

from ragtriage_tui.drawing.lists import sentence
from ragtriage_tui.judge_state import JudgeState
from ragtriage_tui.judge_views import SentText
from ragtriage_tui.rows import Line, Rule, Seg, clip_line, joined, length, rule
from ragtriage_tui.text import Extent, clip, clip_middle

__all__ = ["passage_rows", "passage_title"]

_SHORTEST_HEADING = 8  # cells of a heading that still says something
_SHORTEST_RULE = 2


def passage_title(state: JudgeState, cells: int) -> Line:
    """The rule above the passages: how many, which are cited, at which one is."""
    active = state.active == "passages"
    detail = state.detail
    if detail is None:
        return rule([Rule("Passages")], cells, active=active)
    given = len(detail.sent)
    cited = " ".join(f"[{number}]" for number in detail.cited)
    invalid = any(detail.passage(number) is None for number in detail.cited)
    facts = f"{given} given" if given else "none given"
    what = f"{facts}, cites {cited}{', not all of them given' if invalid else ''}" if cited else f"{facts}, cites nothing"
    short = f"{facts}, cites {cited}" if cited else what
    return rule(
        [Rule("Passages", what), Rule("Passages", short), Rule("Passages", facts), Rule("Passages")], cells, active=active
    )


def passage_rows(state: JudgeState, cells: int, height: int) -> list[Line]:
    """All passages one after the other, scrolled; the citation one has just gone to is at the top."""
    detail = state.detail
    if detail is None or height <= 0:
        return []
    if not detail.sent:
        return sentence("It was given no passage.", cells, height)
    rows: list[tuple[SentText, Extent | None]] = []
    at = 0
    for sent in detail.sent:
        if sent.number == state.citation:
            at = len(rows)
        rows.append((sent, None))
        rows += [(sent, row) for row in state.wrap_passage(sent, cells - 2)]
    if state.seek:
        state.scroll["passages"] = at
        state.seek = False
    top = state.scrolled("passages", len(rows), height)
    return [_row(state, sent, row, cells) for sent, row in rows[top : top + height]]


def _row(state: JudgeState, sent: SentText, row: Extent | None, cells: int) -> Line:
    if row is not None:
        return joined(" ", sent.text[row.start : row.end].replace("\n", " "))
    cited = state.detail is not None and sent.number in state.detail.cited
    here = sent.number == state.citation
    number = Seg(f"[{sent.number}]", "key" if here else "strong" if cited else "dim")
    name = Seg(clip_middle(sent.chunk_id, max(cells // 2, 8)), "strong" if cited else "dim")
    after = Seg("  cited" if cited else "", "dim")
    room = cells - length(joined(" ", number, " ", name, "  ", after, " ")) - _SHORTEST_RULE  # it alone may lose something
    heading = Seg(f"  {clip(sent.heading, room)}" if sent.heading and room >= _SHORTEST_HEADING else "", "dim")
    head = clip_line(joined(" ", number, " ", name, heading, after, " "), cells - _SHORTEST_RULE)
    used = length(head)
    return clip_line(joined(head, Seg("─" * max(cells - used - 1, 0), "rule")), cells)

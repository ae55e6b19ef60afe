"""The record of Add as lines: what would be saved, each thing with its key in front. No Textual in here."""

from __future__ import annotations

from ragtriage_tui.add_state import AddState
from ragtriage_tui.add_views import Marked
from ragtriage_tui.rows import Line, Role, Rule, Seg, bar, clip_line, joined, rule
from ragtriage_tui.text import clip, fit, one_line, width, wrap

__all__ = ["record_rows", "record_title"]

_MARKS = 4
_LABEL = 9
_THEN = 2
_GONE = "gone  "


def record_title(state: AddState, cells: int) -> Line:
    """`q-7f3a  not saved yet`, and after saving how it does today."""
    qid = state.saved.qid if state.saved else state.draft.qid or (state.record.qid if state.record else "")
    facts, role = _fate(state)
    active = state.phase != "typing" and state.active == "record"
    return rule([Rule(qid or "The question", facts, "", role), Rule(qid or "The question")], cells, active=active)


def _fate(state: AddState) -> tuple[str, Role]:
    measured = state.measured
    if state.phase != "saved":
        edited = "as it is saved" if state.unchanged else "changes are not saved yet"
        return (edited if state.draft.qid else "not saved yet"), "dim"
    if measured is None:
        return "saved; measuring", "dim"
    if measured.state == "fails":
        return f"saved: fails today, {measured.cause}", "fail"
    if measured.state == "passes":
        return "saved: passes today", "warn" if state.passes else "pass"
    if measured.state == "unasked":
        return "saved: its answer was not asked for", "text"
    return ("saved: could not be measured" if measured.state == "unmeasured" else "saved"), "dim"


def record_rows(state: AddState, cells: int, height: int) -> list[Line]:
    """Evidence, mention, kind, split, similar, wording; of a report also whether it was retrieval then."""
    on = state.phase != "typing"
    draft = state.draft
    kind = draft.kind if draft.answerable else "unanswerable"
    rows = [
        *_evidence(state, cells),
        _field("m", "mention", _mentions(state), cells, on),
        _field("t", "kind", (Seg(kind or "none"),), cells, on),
        _field("h", "split", (Seg(draft.split),), cells, on),
        _field("d", "similar", _similar(state, cells), cells, on),
        _field(" ", "wording", (Seg(_wording(state, cells), "text" if state.draft.marks else "dim"),), cells, on),
    ]
    if draft.report and state.record is not None and state.record.then:
        then = wrap(state.record.then, cells - _LABEL - 4)[:_THEN]
        for at, (start, end) in enumerate(then):
            rows.append(_field(" ", "" if at else "then", (Seg(state.record.then[start:end]),), cells, on))
    return rows[: max(height, 0)]


def _field(key: str, name: str, value: Line, cells: int, on: bool) -> Line:
    head = joined(" ", Seg(key, "strong" if on else "dim"), " ", Seg(fit(name, _LABEL), "dim"))
    return clip_line(joined(head, value), cells - 1)


def _evidence(state: AddState, cells: int) -> list[Line]:
    on = state.phase != "typing"
    draft = state.draft
    if not draft.marks:
        text = "none yet: space marks it" if draft.answerable else "none: the documents hold no answer"
        return [_field(" ", "evidence", (Seg(text, "dim" if draft.answerable else "text"),), cells, on)]
    active = on and state.active == "record"
    first = min(max(state.item - _MARKS + 1, 0), max(len(draft.marks) - _MARKS, 0)) if active else 0
    shown = draft.marks[first : first + _MARKS]
    rows = []
    for index, mark in enumerate(shown, start=first):
        here = active and index == state.item
        name = "evidence" if index == first else ""
        whole = index == (state.item if active else len(draft.marks) - 1)
        said = _whole(mark, cells) if whole else []
        line = _field(" ", name, said[0] if said else _mark(mark, cells), cells, on)
        rows.append(bar((Seg("▸"), *_without_first(line)), cells) if here else line)
        rows += [_field(" ", "", one, cells, on) for one in said[1:]]
    hidden = len(draft.marks) - len(shown)
    if hidden:
        rows[-1] = clip_line(joined(rows[-1], Seg(f"  and {hidden} more", "dim")), cells - 1)
    return rows


def _without_first(line: Line) -> Line:
    return (Seg(line[0].text[1:], line[0].role), *line[1:])


def _whole(mark: Marked, cells: int) -> list[Line]:
    """A sentence that one row does not hold, in two: what will be saved is to be read before. Empty where one row does."""
    room = cells - _LABEL - 6
    quote = one_line(mark.quote)
    if mark.gone or width(quote) + min(width(mark.doc_id), room // 4) + 2 <= room:
        return []
    first = wrap(quote, room)[0]
    rest = quote[first.end :].strip()
    place = clip(mark.doc_id, max(room - width(rest) - 2, room // 4))
    rest = clip(rest, max(room - width(place) - 2, 8))
    return [
        joined(Seg("● ", "mark"), Seg(quote[first.start : first.end])),
        joined(Seg("  "), Seg(rest), "  " if rest else "", Seg(place, "dim")),
    ]


def _mark(mark: Marked, cells: int) -> Line:
    room = cells - _LABEL - 6
    quote = one_line(mark.quote)
    if mark.gone:
        room -= len(_GONE)
        place = clip(mark.doc_id, max(room // 3, 8))
        words = clip(quote, max(room - width(place) - 2, 8)) + "  " if quote else ""
        return joined(Seg("✗ ", "fail"), Seg(_GONE, "warn"), Seg(f"{words}{place}", "dim"))
    if not quote:
        return joined(Seg("● ", "mark"), Seg(clip(mark.doc_id, room)))
    place = clip(mark.doc_id, max(room - width(quote) - 2, min(room // 4, width(mark.doc_id))))
    return joined(Seg("● ", "mark"), Seg(clip(quote, max(room - width(place) - 2, 8))), "  ", Seg(place, "dim"))


def _mentions(state: AddState) -> Line:
    unsaid = state.unsaid()
    taken = " · ".join(one_line(word) for word in state.draft.mentions if word not in unsaid)
    suggested = " · ".join(map(one_line, state.suggested()))
    if state.mentioning:
        offered = " · ".join(map(one_line, state.offered))
        adds = joined(Seg("Tab", "strong"), Seg(" adds ", "dim"), offered) if offered else (Seg("with ; between them", "dim"),)
        return joined(adds, Seg("   ; stands between them", "dim")) if offered else adds
    if unsaid:
        lacks = joined(Seg("! ", "warn"), " · ".join(map(one_line, unsaid)), Seg("  which the evidence does not say", "warn"))
        return joined(lacks, Seg(f"  also {taken}", "dim")) if taken else lacks
    if taken:
        return joined(taken, Seg(f"  also {suggested}" if suggested else "", "dim"))
    if suggested:
        return joined(suggested, Seg("  suggested, not taken", "dim"))
    return (Seg("nothing to suggest" if state.draft.marks else "nothing to suggest yet", "dim"),)


def _similar(state: AddState, cells: int) -> Line:
    if not state.draft.fixed:
        return (Seg("looked up when the words are fixed", "dim"),)
    if state.record is None:
        return (Seg("looking", "dim"),)
    if not state.twin_rows:
        return (Seg("none", "dim"),)
    best = state.twin_rows[0]
    score = f"{best.score:.2f}".replace("0.", ".", 1)
    nearly = Seg("! nearly the same: ", "warn") if best.nearly else Seg("")
    return joined(nearly, f"{best.qid} {score} ", Seg(clip(one_line(best.text), max(cells - 30, 8)), "dim"))


def _wording(state: AddState, cells: int) -> str:
    record = state.record
    if not state.draft.marks:
        return "counted when evidence is marked"
    if record is None:
        return "–"
    if not record.words:
        return "no quote to compare it with" if not any(mark.quote for mark in state.draft.marks) else "–"
    shares = f"shares {record.shared / record.words:.2f} of its words".replace(" 0.", " .")
    counted = f"{record.shared} of {record.words}"
    return f"{shares}, {counted}" if cells < 60 else f"{shares} with its evidence: {counted}"

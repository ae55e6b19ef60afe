"""What stands beside or under a document: the question with its evidence, the chunk's facts, the quote. No Textual in here."""

from __future__ import annotations

from ragtriage_tui.document_state import DocumentState
from ragtriage_tui.document_views import AskedView, ItemView
from ragtriage_tui.drawing.triage_list import MARK
from ragtriage_tui.rows import BLANK, Line, Role, Rule, Seg, between, clip_line, joined, length, rule
from ragtriage_tui.text import clip, fit, one_line, wrap

__all__ = ["HOLDS", "chunk_rows", "question_rows", "quote_rows", "quote_title", "strip"]

HOLDS = {"whole": Seg("●", "mark"), "part": Seg("◐", "mark"), "none": Seg("✗", "fail")}
_LABEL = 10
_QUESTION = 3


def _title(asked: AskedView | None, cells: int, *, active: bool = False) -> Line:
    if asked is None:
        return rule([Rule("No question", "read for none"), Rule("No question")], cells, active=active)
    facts = " · ".join(part for part in (asked.kind, asked.split) if part)
    return rule([Rule(asked.qid, facts), Rule(asked.qid), Rule(clip(asked.qid, max(cells - 4, 1)))], cells, active=active)


def question_rows(state: DocumentState, cells: int, height: int) -> list[Line]:
    """Its rule, and in at most `height` rows the question, its verdict, and where each item of evidence was lost."""
    asked = state.view.asked if state.view else None
    out = [_title(asked, cells, active=state.active == "side")]
    room = cells - 2
    if asked is None:
        words = "a adds a question; F finds a text in every document."
        return [*out, *(joined(" ", Seg(words[start:end], "dim")) for start, end in wrap(words, room))]
    out += _words(asked.text, room, _QUESTION)
    out.append(joined(" ", clip_line(_verdict(asked), room)))
    items = [row for number, item in enumerate(asked.items, start=1) for row in _item(item, number, room)]
    if items:
        out += [BLANK, *items]
    else:
        out.append(joined(" ", Seg("no evidence yet" if asked.answerable else "labelled as having no answer", "dim")))
    return out[: height + 1]


def _words(text: str, room: int, most: int) -> list[Line]:
    flat = one_line(text)
    spans = wrap(flat, room, most)
    rows = [joined(" ", Seg(flat[start:end], "strong")) for start, end in spans]
    if spans and spans[-1].end < len(flat):
        rows[-1] = joined(" ", Seg(clip(flat[spans[-1].start :], room), "strong"))
    return rows


def _verdict(asked: AskedView) -> Line:
    names = {
        "passes": "passes",
        "unasked": "retrieval passes" if asked.answerable else "not asked yet",
        "nothing": "nothing to measure",
        "unmeasured": "could not be measured",
        "waiting": "not saved yet",
    }
    role: Role = "fail" if asked.state == "fails" else "pass" if asked.state == "passes" else "dim"
    name = asked.cause or names.get(asked.state, "fails")
    return joined(MARK[asked.state], Seg(f" {name}", role), Seg(f"  {asked.proof}" if asked.proof else ""))


def _item(item: ItemView, number: int, room: int) -> list[Line]:
    head = joined(" ", HOLDS[item.holds], " ", Seg(f"{number} ", "dim"))
    free = room - 4
    quote = one_line(item.quote) or item.doc_id
    spans = wrap(quote, free, 2)
    rows = []
    for index, (start, end) in enumerate(spans):
        last = index == len(spans) - 1 and end < len(quote)
        rows.append(joined(head if not index else "     ", clip(quote[start:], free) if last else quote[start:end]))
    under = "     "
    if item.broken:
        broken = joined(Seg(f"✗ {item.broken}", "fail"), Seg(f"  {item.where}" if item.where else ""))
        rows.append(joined(under, clip_line(broken, free)))
    elif item.where:
        rows.append(joined(under, Seg(clip(item.where, free), "dim")))
    if item.note:
        rows.append(joined(under, Seg(clip(item.note, free), "dim")))
    return rows


def chunk_rows(state: DocumentState, cells: int) -> list[Line]:
    """The chunk under the cursor: heading, lines, tokens, ranks, who may see it, who needs it."""
    part, view = state.current, state.view
    if part is None or view is None:
        return []
    last = max(part.span.end - 1, part.span.start)
    first, final = state.line_of(part.span.start), state.line_of(last)
    tokens = f"{part.tokens}, window {view.window}" if view.window else str(part.tokens)
    ranks = "  ".join(f"{name} {rank or '–'}" for name, rank in part.ranks)
    needed = " ".join(part.needed_by)
    facts = [
        ("heading", one_line(part.heading) or "–"),
        ("lines", f"{first}-{final} of {state.lines}"),
        ("tokens", tokens),
        *([("ranks", ranks)] if ranks else []),
        ("seen by", view.seen_by or "everyone"),
        ("needed by", needed or "nobody"),
    ]
    rows = [joined(" ", Seg(fit(name, _LABEL), "dim"), clip(value, cells - _LABEL - 2)) for name, value in facts]
    return [rule([Rule(f"Chunk {part.label}"), Rule(part.label)], cells), *rows]


def quote_title(state: DocumentState, cells: int) -> Line:
    """`Quote  4 lines, 2 sentences`"""
    if state.quote is None:
        return rule([Rule("Quote", "none yet"), Rule("Quote")], cells)
    asked = state.view.asked if state.view else None
    facts = [_count(state.quoted_rows, "line"), _count(state.quoted_sentences, "sentence")]
    named = [Rule(f"Quote for {asked.qid}", ", ".join(facts)), Rule(f"Quote for {asked.qid}", facts[1])] if asked else []
    return rule([*named, Rule("Quote", ", ".join(facts)), Rule("Quote", facts[1]), Rule("Quote")], cells)


def _count(number: int, what: str) -> str:
    return f"{number} {what}{'' if number == 1 else 's'}"


def quote_rows(state: DocumentState, cells: int) -> list[Line]:
    """Exactly what `s` would save, or how a quote is made."""
    asked = state.view.asked if state.view else None
    name = asked.qid if asked else ""
    title = quote_title(state, cells)
    if state.quote is None:
        hints = [("space", "starts a quote at this line"), ("j/k", "grow it to whole sentences")]
        if asked and not asked.answerable:
            hints = [("f", "in Triage says that there is an answer")]
        else:
            hints.append(("s", f"saves it as evidence of {name}" if name else "starts a question with it"))
        return [title, *(_hint(keys, words, cells) for keys, words in hints)]
    room = cells - 2
    flat = one_line(state.quoted)
    rows = [joined(" ", flat[start:end]) for start, end in wrap(flat, room)]
    return [
        title, *rows, BLANK,
        _hint("s", f"saves it as evidence of {name}" if name else "starts a question with it", cells),
        _hint("space", "drops it", cells), _hint("[ ]", "move its beginning", cells),
    ]  # fmt: skip


def _hint(keys: str, words: str, cells: int) -> Line:
    return joined(" ", clip_line(joined(Seg(keys, "strong"), Seg(f" {words}", "dim")), cells - 2))


def strip(state: DocumentState, cells: int, height: int) -> list[Line]:
    """Under the text of a narrow screen: a rule and `height` rows of the quote, or of the question and its needs."""
    room = cells - 2
    if state.quote is not None:
        flat = one_line(state.quoted)
        spans = wrap(flat, room)
        rows = [joined(" ", flat[start:end]) for start, end in spans]
        if len(rows) > height:  # the end is what grows
            rows = [joined(" ", Seg(clip(flat, room))), joined(" ", Seg("⋯", "dim")), *rows[len(rows) - height + 2 :]]
        return [quote_title(state, cells), *rows]
    asked = state.view.asked if state.view else None
    if asked is None:
        return question_rows(state, cells, height)
    question = _words(asked.text, room, 1)
    items = [joined(" ", clip_line(_short(item), room)) for item in asked.items]
    room_for = height - len(question) - 1
    if len(items) > room_for:
        items = [*items[: room_for - 1], joined(" ", Seg(f"⋯ {len(items) - room_for + 1} more", "dim"))]
    if not items:
        words = "no evidence yet: space starts a quote at the line" if asked.answerable else "labelled as having no answer"
        items = [joined(" ", Seg(words, "dim"))]
    return [_title(asked, cells), *question, joined(" ", clip_line(_verdict(asked), room)), *items]


def _short(item: ItemView) -> Line:
    words = [part for part in (item.broken and f"✗ {item.broken}", item.where, "" if item.broken else item.note) if part]
    tail = between([(Seg(word, "fail" if word.startswith("✗") else "dim"),) for word in words])
    quote = clip(one_line(item.quote) or item.doc_id, 60 if length(tail) < 20 else 44)
    return joined(HOLDS[item.holds], " ", quote, "  ", tail)

"""The palette as lines: every action that can be done here, found by name. No Textual in here."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from ragtriage_tui.listing import Window
from ragtriage_tui.rows import Drawing, Line, Rule, Seg, bar, header, joined, rule
from ragtriage_tui.text import clip, fit, width

__all__ = ["Offer", "draw_palette", "found"]


class Offer(NamedTuple):
    """One thing the palette can do: `id` of an action, or of a sentence of advice (`set:1`)."""

    id: str
    keys: str
    text: str


def found(offers: Sequence[Offer], words: str) -> list[Offer]:
    """The offers that hold every word, in their order; a key written alone comes first."""
    needles = words.casefold().split()
    kept = [offer for offer in offers if all(needle in f"{offer.id} {offer.text}".casefold() for needle in needles)]
    exact = [offer for offer in offers if words.strip() and words.strip() in offer.keys.split()]
    return exact + [offer for offer in kept if offer not in exact]


def draw_palette(offers: Sequence[Offer], total: int, at: int, window: Window, field: Line, cells: int, height: int) -> Drawing:
    """Header, the field in a title row, and the offers."""
    title = rule([Rule("All actions", f"{len(offers)} of {total}")], cells, active=True)
    rows = height - 3
    lines: list[Line] = []
    keys = max((width(offer.keys) for offer in offers), default=0)
    keys = min(max(keys, 7), 14)
    for index in window.show(at, len(offers), rows):
        offer = offers[index]
        head = joined(Seg("▸" if index == at else " "), Seg(fit(offer.keys, keys), "strong"), "  ")
        line = joined(head, Seg(clip(offer.text, cells - keys - 4)))
        lines.append(bar(line, cells) if index == at else line)
    if not offers:
        lines.append(joined(" ", Seg("No action has that name.", "dim")))
    return Drawing((header("Palette", [()], [], cells), title, joined(" ", Seg(": ", "strong"), field), *lines))

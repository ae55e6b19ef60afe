"""Text that is safe to show, and how wide it is. No Textual in here.

Whatever the engine hands out goes through `scrub` once, where it enters the app; nothing else needs to think about escapes.
"""

from __future__ import annotations

import re
import unicodedata
from typing import NamedTuple

__all__ = ["Extent", "clip", "clip_middle", "fit", "one_line", "scrub", "snippet", "take", "to_ascii", "width", "wrap"]

# Every replacement is one code point for one, so that spans keep their places.
_CONTROLS: dict[int, str] = {code: chr(0x2400 + code) for code in range(0x20)}
_CONTROLS |= {0x7F: "\u2421", 0x0A: "\n", 0x09: " ", 0x0D: " ", 0x0C: " ", 0x0B: " "}
_CONTROLS |= dict.fromkeys(range(0x80, 0xA0), "\ufffd")
_CONTROLS |= dict.fromkeys((0x061C, 0x200E, 0x200F, *range(0x202A, 0x202F), *range(0x2066, 0x206A)), "\ufffd")
_CONTROLS |= dict.fromkeys(range(0xE0000, 0xE0080), "\ufffd")  # tags: invisible text
_CONTROLS |= {0x2028: " ", 0x2029: " "}
# Joined emoji are as wide as the terminal likes; unjoined ones have the width they say.
_CONTROLS |= {0x200D: "\u200b", 0xFE0F: "\u200b", 0xFEFF: "\u200b"}
_BAD = re.compile(
    "[\x00-\x09\x0b-\x1f\x7f-\x9f\u061c\u200d-\u200f\u2028-\u202e\u2066-\u2069\ufe0f\ufeff\ud800-\udfff\U000e0000-\U000e007f]"
)


# Latin, Greek and Cyrillic letters and the usual signs: a row of nothing else need not be counted letter by letter
_ONE_CELL = re.compile(
    r"[ -~\u00a0-\u00ac\u00ae-\u02ff\u0370-\u0482\u048a-\u052f\u2010-\u2027\u2030-\u203e\u20a0-\u20bf\u2190-\u2193]*"
)


def scrub(text: str) -> str:
    """`text` without anything a terminal would obey; of the same length in code points. Line ends stay."""
    return _BAD.sub(_harmless, text)


def _harmless(match: re.Match[str]) -> str:
    return _CONTROLS.get(ord(match[0]), "\ufffd")


def one_line(text: str) -> str:
    """`text` with line ends and runs of blanks as single blanks."""
    return " ".join(text.split())


def width(text: str) -> int:
    """Cells that `text` takes."""
    if text.isascii():
        return len(text)
    return _cells(text)


def _cells(text: str) -> int:
    from rich.cells import cell_len

    return cell_len(text)


def take(text: str, cells: int) -> str:
    """The longest start of `text` that takes at most `cells`."""
    if cells <= 0:
        return ""
    head = text[: cells * 4]  # zero-width characters beyond that are of no use to anybody
    if head.isascii() or _ONE_CELL.fullmatch(head):
        return head[:cells]
    total = 0
    for index, character in enumerate(head):
        total += 1 if character.isascii() else _cells(character)
        if total > cells:
            return head[:index]
    return head


def clip(text: str, cells: int) -> str:
    """`text` in at most `cells`, its loss shown by `…`."""
    if len(text) <= cells * 4 and width(text) <= cells:
        return text
    return take(text, cells - 1).rstrip() + "…" if cells > 0 else ""


def clip_middle(name: str, cells: int) -> str:
    """A chunk id in at most `cells`: it loses its middle, never its number (`faq-damaged-go…#1`)."""
    if width(name) <= cells:
        return name
    stem, mark, number = name.rpartition("#")
    tail = mark + number
    if not stem or width(tail) + 2 > cells:
        return clip(name, cells)
    return take(stem, cells - width(tail) - 1) + "…" + tail


def fit(text: str, cells: int, *, right: bool = False) -> str:
    """`text` clipped and padded to exactly `cells`."""
    text = clip(text, cells)
    blanks = " " * (cells - width(text))
    return blanks + text if right else text + blanks


class Extent(NamedTuple):
    """Half-open [start, end) in code points of the text that was asked about."""

    start: int
    end: int


def snippet(text: str, evidence: tuple[Extent, ...], cells: int) -> tuple[str, tuple[Extent, ...]]:
    """`text` on one line of at most `cells`, from its evidence on, and where the evidence is in that line.

    Without evidence, or when it fits from the beginning, the line starts at the beginning.
    """
    flat, places = _flatten(text, evidence, cells)
    if not places or width(flat[: places[0].end]) <= cells - 1:
        out = clip(flat, cells)
    else:
        first = places[0].start
        out = clip("…" + flat[first:], cells)
        places = tuple(Extent(max(place.start - first, 0) + 1, place.end - first + 1) for place in places if place.end > first)
    end = len(out)
    return out, tuple(Extent(place.start, min(place.end, end)) for place in places if place.start < end)


def _flatten(text: str, evidence: tuple[Extent, ...], cells: int) -> tuple[str, tuple[Extent, ...]]:
    # only what can be seen is looked at: chunks may be a megabyte
    first = evidence[0].start if evidence else 0
    start = 0 if first <= cells * 8 else first
    part = text[start : start + cells * 12]
    out: list[str] = []
    index: list[int] = []  # of each code point of `part`, its place in `out`
    blank = True
    for character in part:
        index.append(len(out))
        if character.isspace():
            if not blank:
                out.append(" ")
            blank = True
        else:
            out.append(character)
            blank = False
    index.append(len(out))
    last = len(part)
    places = [
        Extent(index[min(max(place.start - start, 0), last)], index[min(max(place.end - start, 0), last)]) for place in evidence
    ]
    return "".join(out), tuple(place for place in places if place.end > place.start)


def wrap(text: str, cells: int, limit: int = 0) -> list[Extent]:
    """Where the rows of `text` begin and end when it is wrapped at blanks to `cells`; at most `limit` rows (0: all).

    Line ends always end a row and are in none. A word longer than a row is cut.
    """
    rows: list[Extent] = []
    cells = max(cells, 1)
    start = 0
    while start <= len(text):
        end = text.find("\n", start)
        end = len(text) if end < 0 else end
        at = start
        while True:
            stop = at + len(take(text[at : min(end, at + cells * 4)], cells))
            stop = max(stop, at + 1) if at < end else stop
            if stop >= end:
                rows.append(Extent(at, end))
                break
            cut = text.rfind(" ", at, stop + 1)
            if cut > at:
                rows.append(Extent(at, cut))
                at = cut
                while at < end and text[at] == " ":
                    at += 1
            else:
                rows.append(Extent(at, stop))
                at = stop
            if (limit and len(rows) >= limit) or at >= end:
                break
        if limit and len(rows) >= limit:
            return rows[:limit]
        start = end + 1
    return rows


_ASCII = str.maketrans(
    {
        **dict(zip("✗✓●◐↑↓■▸·…", "xy@o^v#>.~", strict=True)),  # marks, as the help lists them
        **dict(zip("━─╌│┃┆┬├┤┼┴└", "=--||:++++++", strict=True)),  # rules
        **dict(zip("⋯–—−›→←▾“”", '~--->><v""', strict=True)),
        **dict.fromkeys((*range(0x2400, 0x2422), 0xFFFD), "?"),  # what `scrub` puts in the place of controls
        0x200B: "",
    }
)


def to_ascii(text: str, encoding: str = "utf-8") -> str:
    """`text` for a terminal that does not draw our marks, cell for cell: those by the table in the help. What others wrote
    stays as far as `encoding` has it; of what it has not, letters lose their accents and the rest is `?`.
    """
    if text.isascii():
        return text
    text = text.translate(_ASCII)
    try:
        text.encode(encoding)
    except UnicodeEncodeError:
        return "".join(character if character.isascii() else _encodable(character, encoding) for character in text)
    return text


def _encodable(character: str, encoding: str) -> str:
    try:
        character.encode(encoding)
    except UnicodeEncodeError:
        plain = "".join(part for part in unicodedata.normalize("NFKD", character) if part.isascii() and part.isprintable())
        cells = _cells(character)
        return plain if plain and len(plain) == cells else "?" * cells
    return character

"""Where the sentences of a text begin. The only importer of sentencex, which knows abbreviations, decimals and languages."""

from __future__ import annotations

import re

__all__ = ["sentence_starts"]

_WINDOW = 2000  # code points read at once: some scripts and open quotes cost the library the square of a text's length
_SURROGATE = re.compile("[\ud800-\udfff]")


def sentence_starts(text: str, start: int, end: int, language: str = "en") -> list[int]:
    """Positions in code points inside (start, end), ascending, none of them white space.

    `language` is an ISO 639-1 code; one that the library does not know is read by general rules. A blank line ends a
    sentence, too. Linear in the length of the text; of what is no sentence (2,000 characters without an end) the places
    where it was read in parts are not reported.
    """
    from sentencex import get_sentence_boundaries

    found: list[int] = []
    at = start
    while at < end:
        stop = min(at + _WINDOW, end)
        window = text[at:stop]
        if not window.isascii():
            window = _SURROGATE.sub("\ufffd", window)
        starts = [place for each in get_sentence_boundaries(language, window) if (place := _first_ink(text, at, each)) > at]
        starts = [place for place in starts if place < stop]
        if stop == end:
            found += starts
            return found
        # the last one may go on behind the window: it is read again from its beginning
        found += starts
        at = starts[-1] if starts else stop
    return found


def _first_ink(text: str, at: int, boundary: dict[str, int]) -> int:
    """Where the first character of a sentence stands that is not white space."""
    place, stop = at + boundary["start_index"], at + boundary["end_index"]
    while place < stop and text[place].isspace():
        place += 1
    return place if place < stop else -1

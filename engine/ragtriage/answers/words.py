"""A text as comparable tokens: what states the same fact becomes the same token, and no number is part of another."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from functools import lru_cache

from ragtriage.answers.quantities import DASH, Token, canonical_number, unified

__all__ = ["BREAK", "tokens_of", "written_numbers"]

BREAK = "\x00"
"""The token between two sentences: no phrase reaches across it."""

_UNSPACED = "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af"
_LETTER = rf"[^\W\d_{_UNSPACED}]"
_DIGITS = r"\d+(?:[.,]\d+)*"
_NUMBER = rf"""(?:(?<![^\s(\["'=:])[-−]{_DIGITS}|{_DIGITS})"""
_TOKEN = re.compile(
    rf"""(?P<number>{_NUMBER})
      |(?P<sign>(?:\bUS)?\$|[%°€£¥₹]|[{_UNSPACED}])
      |(?P<word>{_LETTER}+(?:['’]{_LETTER}+)*(?:\+\+|\#(?!\w))?)
      |(?P<end>(?<![.!?])[.!?]++(?=[\s"'”’)\]*_]|$)|[。！？]|\n[ \t]*\n)
      |(?P<dash>[-–—‐‑])""",
    re.VERBOSE,
)
_GROUPED = re.compile(r"(?<=\d)['’\u00a0\u2009\u202f](?=\d{3}(?!\d))")


@lru_cache(maxsize=4096)
def tokens_of(text: str) -> tuple[Token, ...]:
    """The comparable tokens in order, BREAK at sentence ends. Punctuation and markup leave nothing."""
    return tuple(unified(_raw(unicodedata.normalize("NFKC", _GROUPED.sub("", text)))))


def written_numbers(text: str) -> frozenset[str]:
    """The numbers of a text that stand in digits, in comparable form. Cheaper than its tokens."""
    return frozenset(map(canonical_number, re.findall(_NUMBER, text)))


def _raw(text: str) -> Iterator[Token]:
    for match in _TOKEN.finditer(text):
        kind, found = match.lastgroup, match[0]
        if kind == "number":
            yield Token(canonical_number(found), number=True)
        elif kind == "end":
            yield Token(BREAK)
        elif kind == "dash":
            yield Token(DASH)
        else:
            touches = kind == "sign" and text[match.end() : match.end() + 1].isdigit()
            leads = touches and not text[match.start() - 1 : match.start()].isdigit()
            yield Token(found.casefold().replace("’", "'"), leads=leads)

"""A text as comparable tokens: what states the same fact becomes the same token, and no number is part of another."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache

from ragtriage.answers.number_words import DASH, Token, canonical_number, ordinal
from ragtriage.answers.quantities import unified
from ragtriage.answers.written_forms import plain_form

__all__ = ["BREAK", "UNSPACED", "tokens_of", "written_numbers"]

BREAK = "\x00"
"""The token between two sentences: no phrase reaches across it."""

UNSPACED = "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af"
"""Letters of scripts that are written without spaces between words, for a character class."""

_LETTER = rf"[^\W\d_{UNSPACED}]"
_DIGITS = r"\d+(?:[.,]\d+)*"
_NUMBER = rf"""(?:(?<![^\s(\["'=:])[-−]{_DIGITS}|{_DIGITS})"""
_TOKEN = re.compile(
    rf"""(?P<clock>(?<![\d.,:])\d{{1,2}}:\d\d(?![\d:]))
      |(?P<ordinal>(?<![\w.,])\d{{1,9}}(?:st|nd|rd|th|ST|ND|RD|TH)\b)
      |(?P<name>[^\W_]+(?:_[^\W_]+)+|(?<![\w-])--[a-zA-Z][\w-]*)
      |(?P<number>{_NUMBER})
      |(?P<sign>(?:\b(?:US|CA?|AU?|NZ|HK))?\$|[%°€£¥₹]|[{UNSPACED}])
      |(?P<word>{_LETTER}+(?:['’]{_LETTER}+)*(?:\+\+|\#(?!\w))?)
      |(?P<end>(?<![.!?])[.!?]++(?=[\s"'”’)\]*_]|$)|[。！？|]|\n[ \t]*\n)
      |(?P<dash>[-–—‐‑])""",
    re.VERBOSE,
)
_VERSIONS = frozenset(("version", "versions", "release", "releases"))


def tokens_of(text: str, *, as_written: bool = False) -> tuple[Token, ...]:
    """The comparable tokens in order, BREAK at sentence ends and between cells. Other punctuation and markup leave nothing.

    The number of a version stays as it is written, `2.10` is not `2.1` there; with `as_written` every number does.
    """
    return _tokens_of(text, as_written)


@lru_cache(maxsize=4096)
def _tokens_of(text: str, as_written: bool) -> tuple[Token, ...]:
    return tuple(unified(_raw(plain_form(text), as_written)))


def written_numbers(text: str) -> frozenset[str]:
    """The numbers of a text that stand in digits, in comparable form. Cheaper than its tokens."""
    return frozenset(map(canonical_number, re.findall(_NUMBER, text)))


@lru_cache(maxsize=1 << 14)
def _word(found: str) -> Token:
    return Token(found.casefold().replace("’", "'"))


def _raw(text: str, as_written: bool) -> Iterator[Token]:
    before = ""
    for match in _TOKEN.finditer(text):
        kind, found = match.lastgroup, match[0]
        if kind == "number":
            written = (
                (as_written or before.casefold() in _VERSIONS)
                and found.isascii()
                and found.count(".") == 1
                and "," not in found
            )
            yield Token(found if written else canonical_number(found), number=True)
        elif kind == "clock":
            yield Token(found, number=True)
        elif kind == "ordinal":
            yield Token(ordinal(int(found[:-2])))
        elif kind == "end":
            yield Token(BREAK)
        elif kind == "dash":
            yield Token(DASH)
        elif kind == "word":
            yield _word(found)
        else:
            touches = kind == "sign" and text[match.end() : match.end() + 1].isdigit()
            leads = touches and not text[match.start() - 1 : match.start()].isdigit()
            yield Token(found.casefold().replace("’", "'"), leads=leads)
        before = found

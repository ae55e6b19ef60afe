"""The numbers of a quote: no rewording may change one, but `10 days` may become `ten days`."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

from ragtriage.golden.typography import DASHES, FOLDS

__all__ = ["Number", "numbers_of", "same_numbers"]

# a sign counts where no letter, digit or bracket stands before it (10-20 is no minus), a fraction or power is a number too, and
# so is one that is spelled; "one" and "a" alone are left out, which mostly count nothing
_DASH = re.escape(DASHES[0])
_UNITS = "two|three|four|five|six|seven|eight|nine"
_SPELLED = (
    rf"(?:twenty|thirty|forty|fifty|sixty|seventy|eighty|ninety)(?:(?:\s+|{_DASH})(?:one|{_UNITS})(?![^\W_]))?"
    r"|(?:hundred|thousand|million|billion)(?:\s+(?:and\s+)?one(?![^\W_]))?"
    rf"|zero|{_UNITS}|ten|eleven|twelve|thirteen|fourteen|fifteen|sixteen|seventeen|eighteen|nineteen"
    "|dozen|half|halves|quarters?|twice|double|first|second|thirds?|fourths?|fifths?|sixths?|sevenths?|eighths?|ninths?|tenths?"
)
_NUMBER = re.compile(
    rf"(?:(?<![\w)\]]){_DASH})?\d+(?:[.,]\d+)*|[²³¹⁰-⁹₀-₉¼-¾⅐-⅞]|(?<![^\W_])(?:{_SPELLED})(?![^\W_])", re.IGNORECASE
)
_GROUPING = re.compile(r",(?=\d{3}(?!\d))")
_FEW_DIGITS = re.compile(r"0|[1-9][0-9]?", re.ASCII)
_BEFORE = re.compile(r"""(?:^|\s|[("'\[])\Z""")
_SIGNED = re.compile(r"(?:minus|negative|plus|point|dot)\s+\Z", re.IGNORECASE)
_AFTER = re.compile(r"""[.,;:!?)\]"']*(?:\Z|\s)(?!\s*(?:point|dot)(?![^\W_]))""", re.IGNORECASE)
_JOINED = re.compile(rf"{_DASH}[^\W\d_]{{2}}")  # 10-day
_TOGETHER = ("", "and", "point", "dot", "minus", "plus")  # what stands between two numbers that may be one
_REACH = 16


class Number(NamedTuple):
    """A number as it is written, in lower case and without the commas of thousands.

    `lone`: it is a number of its own, below a hundred, and not a part of a longer one, a code or an amount with a sign: there
    digits and words say the same.
    """

    text: str
    lone: bool = False


def numbers_of(text: str) -> list[Number]:
    """The numbers of a text in order, those in words too."""
    folded = text.translate(FOLDS)
    found = list(_NUMBER.finditer(folded))
    together = [_are_together(folded[one.end() : other.start()]) for one, other in pairwise(found)]
    out = []
    for at, match in enumerate(found):
        part = any(together[max(at - 1, 0) : at + 1])
        out.append(Number(_written(match[0]), not part and _is_lone(folded, match)))
    return out


def same_numbers(one: Sequence[Number], other: Sequence[Number]) -> bool:
    """Whether they are the same in the same order, some in words in the one and in digits in the other."""
    return len(one) == len(other) and all(map(_same, one, other))


def _same(one: Number, other: Number) -> bool:
    if one.text == other.text:
        return True
    if not (one.lone and other.lone) or one.text[0].isdigit() == other.text[0].isdigit():
        return False
    return _digits(one.text) == _digits(other.text)


def _digits(text: str) -> str:
    """`24` for `twenty four`; empty for what is no plain number."""
    from ragtriage.answers.words import tokens_of

    tokens = tokens_of(text)
    return tokens[0].text if len(tokens) == 1 and tokens[0].number else ""


def _written(found: str) -> str:
    if found[0].isalpha():
        return " ".join(found.lower().replace(DASHES[0], " ").split())
    return _GROUPING.sub("", found)


def _are_together(between: str) -> bool:
    return "".join(filter(str.isalpha, between)).lower() in _TOGETHER


def _is_lone(text: str, match: re.Match[str]) -> bool:
    start, end = match.span()
    if text[start].isdigit() and not _FEW_DIGITS.fullmatch(match[0]):
        return False
    before = text[max(0, start - _REACH) : start]
    if not _BEFORE.search(before) or _SIGNED.search(before):
        return False
    whole = not any(letter.isspace() for letter in match[0])  # twenty one-time codes are twenty
    return _AFTER.match(text, end) is not None or (whole and _JOINED.match(text, end) is not None)

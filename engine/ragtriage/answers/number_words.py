"""Numbers under one name each: `1,000` and `1000`, `thirty` and `30`, `1.5 million`, `first` and `1st`."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator
from typing import NamedTuple

__all__ = ["DASH", "NUMBER_WORDS", "Token", "canonical_number", "in_digits", "ordinal", "scaled", "text_at"]

DASH = "-"
"""The token of a dash between words; only number words need it."""


class Token(NamedTuple):
    """`text` in its comparable form. `number` where it is one, in digits without separators; `spelled` where it was a word.

    `leads` marks a currency sign that touches the number after it: it is not the unit of the one before (`T210; €12`).
    """

    text: str
    number: bool = False
    spelled: bool = False
    leads: bool = False


_SCALES = {"thousand": 3, "million": 6, "billion": 9, "k": 3, "mn": 6, "bn": 9}
_SMALL = (
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen"
    " nineteen"
)
_TENS = "twenty thirty forty fifty sixty seventy eighty ninety"
_NUMBER_WORDS = {word: value for value, word in enumerate(_SMALL.split())} | {
    word: 10 * value for value, word in enumerate(_TENS.split(), start=2)
}
NUMBER_WORDS = (*_NUMBER_WORDS, "hundred", *(word for word in _SCALES if len(word) > 2))
"""What numbers are spelled with."""

_SPELL = frozenset((*_NUMBER_WORDS, "minus", DASH))
_SMALL_ORDINALS = (
    "zeroth first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth thirteenth fourteenth fifteenth"
    " sixteenth seventeenth eighteenth nineteenth twentieth"
)
_ORDINALS = tuple(_SMALL_ORDINALS.split())
_ORDINAL_OF = {word: value for value, word in enumerate(_ORDINALS)}


def canonical_number(written: str) -> str:
    """Digits as they compare: `1,000` is 1000, `2.50` is 2.5, `1,5` is 1.5, `007` is 7; several dots stay (a version, a date).

    Commas before groups of three (or two, then three) are separators, and so are two or more dots; one dot is a decimal point.
    """
    sign = "-" if written[0] in "-−" else ""
    digits = "".join(str(unicodedata.digit(c)) if c.isdigit() else c for c in written.lstrip("-−"))
    if re.fullmatch(r"\d{1,3}(?:,\d{2,3})*,\d{3}(?:\.\d+)?", digits):
        digits = digits.replace(",", "")
    elif re.fullmatch(r"\d{1,3}(?:\.\d{3})+,\d+|\d{1,3}(?:\.\d{3}){2,}", digits):
        digits = digits.replace(".", "").replace(",", ".")
    elif digits.count(",") == 1 and "." not in digits:
        digits = digits.replace(",", ".")
    whole, dot, part = digits.partition(".")
    if "," in digits or "." in part:
        return sign + digits
    part = part.rstrip("0")
    whole = whole.lstrip("0") or "0"
    return f"{sign}{whole}.{part}" if dot and part else sign + whole


def text_at(tokens: list[Token], at: int) -> str:
    """The text of the token at a place, "" past the end."""
    return tokens[at].text if at < len(tokens) else ""


def ordinal(value: int) -> str:
    """`1st` under the name that it has as a word, which larger ones do not have: `first`, `21th`."""
    return _ORDINALS[value] if value < len(_ORDINALS) else f"{value}th"


def in_digits(tokens: list[Token]) -> Iterator[Token]:
    """`thirty`, `twenty-four`, `minus two` and `one hundred and five` as numbers, `twenty-first` as one; the dashes go."""
    at = 0
    while at < len(tokens):
        first = tokens[at]
        if first.text not in _SPELL:
            yield first
        elif first.text in _NUMBER_WORDS:
            found, at = _number_words(tokens, at)
            yield found
            continue
        elif first.text == "minus":
            then = tokens[at + 1] if at + 1 < len(tokens) else first
            if then.number and not (at and tokens[at - 1].number):
                first, at = then._replace(text=f"-{then.text.lstrip('-')}"), at + 1
            yield first
        at += 1


def _number_words(tokens: list[Token], at: int) -> tuple[Token, int]:
    """The number that words from `at` on spell, the first of which is one, and the place behind it."""
    value, after = _below_hundred(tokens, at)
    if value >= 20 and value % 10 == 0 and (unit := _ORDINAL_OF.get(text_at(tokens, _joint(tokens, after)), 0)) in range(1, 10):
        return Token(ordinal(value + unit)), _joint(tokens, after) + 1
    if text_at(tokens, after) == "hundred":
        value, after = value * 100, after + 1
        rest, end = _below_hundred(tokens, after + 1 if text_at(tokens, after) == "and" else after)
        if rest:
            value, after = value + rest, end
    return Token(str(value), number=True, spelled=True), after


def _below_hundred(tokens: list[Token], at: int) -> tuple[int, int]:
    """What one or two words spell, 0 for none."""
    value = _NUMBER_WORDS.get(text_at(tokens, at), 0)
    rest = _joint(tokens, at + 1)
    unit = _NUMBER_WORDS.get(text_at(tokens, rest), 0)
    return (value + unit, rest + 1) if value >= 20 and 1 <= unit <= 9 else (value, at + 1)


def _joint(tokens: list[Token], at: int) -> int:
    return at + 1 if text_at(tokens, at) == DASH else at


def scaled(tokens: Iterable[Token]) -> Iterator[Token]:
    """`1.5 million` and `three thousand two hundred` written out."""
    held: Token | None = None
    open_below = 0  # what spelled number may still be added: two hundred to three thousand
    for token in tokens:
        scale = _SCALES.get(token.text)
        if held is not None and scale is not None and held.text.count(".") <= 1 and ":" not in held.text:
            whole, _, part = held.text.partition(".")
            digits = f"{whole}{part[:scale].ljust(scale, '0')}.{part[scale:]}"
            held = Token(canonical_number(digits), number=True, spelled=held.spelled)
            open_below = 10**scale if held.spelled else 0
            continue
        if held is not None and open_below and token.spelled and int(token.text) < open_below and len(held.text) < 20:
            held, open_below = held._replace(text=str(int(held.text) + int(token.text))), 0
            continue
        if held is not None:
            yield held
        held, open_below = (token, 0) if token.number else (None, 0)
        if held is None:
            yield token
    if held is not None:
        yield held

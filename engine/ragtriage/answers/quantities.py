"""Numbers and units under one name each: `1,000` and `1000`, `€ 20` and `20 euros`, `thirty days` and `30-day`."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator
from functools import lru_cache
from typing import NamedTuple

__all__ = ["DASH", "Token", "canonical_number", "singular", "unified"]

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


_UNITS = {
    "eur": "€ euro eur", "usd": "$ us$ dollar usd", "gbp": "£ pound gbp", "jpy": "¥ yen jpy", "inr": "₹ rupee inr",
    "percent": "% percent pct percentage", "millisecond": "ms msec millisecond", "second": "s sec second",
    "minute": "min minute", "hour": "h hr hour", "day": "d day", "week": "wk week", "month": "mo month", "year": "yr year",
    "kb": "kb kilobyte", "mb": "mb megabyte", "gb": "gb gigabyte", "tb": "tb terabyte",
    "mm": "mm millimeter millimetre", "cm": "cm centimeter centimetre", "meter": "m meter metre",
    "km": "km kilometer kilometre", "inch": "inch", "foot": "ft foot feet", "mile": "mi mile",
    "gram": "g gram", "kg": "kg kilo kilogram", "oz": "oz ounce", "lb": "lb", "ml": "ml milliliter millilitre",
    "liter": "l liter litre", "volt": "v volt", "watt": "w watt", "kw": "kw kilowatt", "kwh": "kwh", "amp": "amp ampere",
    "celsius": "celsius", "fahrenheit": "fahrenheit",
}  # fmt: skip
_UNIT_OF = {form: name for name, forms in _UNITS.items() for form in forms.split()}
_CURRENCIES = frozenset({"eur", "usd", "gbp", "jpy", "inr"})
_SCALES = {"thousand": 3, "million": 6, "billion": 9, "k": 3, "mn": 6, "bn": 9}
_SMALL = (
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen"
    " nineteen"
)
_TENS = "twenty thirty forty fifty sixty seventy eighty ninety"
_NUMBER_WORDS = {word: value for value, word in enumerate(_SMALL.split())} | {
    word: 10 * value for value, word in enumerate(_TENS.split(), start=2)
}


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


def unified(tokens: Iterable[Token]) -> Iterator[Token]:
    """Number words as digits, `1.5 million` written out, units under one name, a currency after its number, words singular."""
    return _with_units(list(_scaled(_in_digits(list(tokens)))))


def _in_digits(tokens: list[Token]) -> Iterator[Token]:
    """`thirty`, `twenty-four` and `two hundred` as numbers; the dashes go."""
    at = 0
    while at < len(tokens):
        value = _NUMBER_WORDS.get(tokens[at].text)
        if value is not None:
            rest = at + 2 if at + 2 < len(tokens) and tokens[at + 1].text == DASH else at + 1
            unit = _NUMBER_WORDS.get(tokens[rest].text, 0) if rest < len(tokens) else 0
            if value >= 20 and 1 <= unit <= 9:
                value, at = value + unit, rest
            if at + 1 < len(tokens) and tokens[at + 1].text == "hundred":
                value, at = value * 100, at + 1
            yield Token(str(value), number=True, spelled=True)
        elif tokens[at].text != DASH:
            yield tokens[at]
        at += 1


def _scaled(tokens: Iterable[Token]) -> Iterator[Token]:
    held: Token | None = None
    for token in tokens:
        scale = _SCALES.get(token.text)
        if held is not None and scale is not None and held.text.count(".") <= 1:
            whole, _, part = held.text.partition(".")
            digits = f"{whole}{part[:scale].ljust(scale, '0')}.{part[scale:]}"
            held = Token(canonical_number(digits), number=True, spelled=held.spelled)
            continue
        if held is not None:
            yield held
        held = token if token.number else None
        if held is None:
            yield token
    if held is not None:
        yield held


def _with_units(tokens: list[Token]) -> Iterator[Token]:
    at = 0
    while at < len(tokens):
        token = tokens[at]
        at += 1
        if token.number:
            yield token
            name, used = _unit_at(tokens, at)
            at += used
            if name:
                yield Token(name)
        elif at < len(tokens) and tokens[at].number and (currency := _currency(token)):
            yield tokens[at]
            yield Token(currency)
            at += 1
            if at < len(tokens) and _currency(tokens[at]) == currency:  # "$20 USD" says it twice
                at += 1
        else:
            yield Token("percent" if token.text == "%" else singular(token.text))


def _currency(token: Token) -> str:
    name = "" if token.number else _UNIT_OF.get(singular(token.text), "")
    return name if name in _CURRENCIES else ""


def _unit_at(tokens: list[Token], at: int) -> tuple[str, int]:
    """The unit that starts at `at`, after a number, and how many tokens it takes; "" and 0 where there is none."""
    if at < len(tokens) and tokens[at].leads:
        return "", 0
    first, second = (tokens[i].text if i < len(tokens) and not tokens[i].number else "" for i in (at, at + 1))
    if first == "per" and second == "cent":
        return "percent", 2
    if first in ("°", "degree", "degrees"):
        scale = {"c": "celsius", "f": "fahrenheit"}.get(second, second)
        return (scale, 2) if scale in ("celsius", "fahrenheit") else ("degree", 1)
    name = _UNIT_OF.get(first) or _UNIT_OF.get(singular(first), "")
    return name, 1 if name else 0


@lru_cache(maxsize=1 << 16)
def singular(word: str) -> str:
    """A form that a word shares with its plural and its possessive; not always a word: `cookie` and `cookies` are `cooky`."""
    word = word.removesuffix("'s")
    if len(word) > 2 and word.endswith("s") and not word.endswith(("ss", "us", "is")):
        word = word[:-1]
    if len(word) > 3 and word.endswith("ie"):
        return word[:-2] + "y"
    return word[:-1] if len(word) > 3 and word.endswith(("che", "she", "xe", "sse")) else word

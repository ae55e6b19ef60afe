"""Units and words under one name each: `€ 20` and `20 euros`, `30 days` and `30-day`, `policies` and `policy`."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import lru_cache

from ragtriage.answers.number_words import Token, in_digits, scaled, text_at

__all__ = ["singular", "unified"]

_UNITS = {
    "eur": "€ euro eur", "usd": "$ us$ dollar usd", "gbp": "£ pound gbp", "jpy": "¥ yen jpy", "inr": "₹ rupee inr",
    "cad": "c$ ca$ cad", "aud": "a$ au$ aud", "nzd": "nz$ nzd", "hkd": "hk$ hkd", "chf": "chf",
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
_CURRENCIES = frozenset({"eur", "usd", "gbp", "jpy", "inr", "cad", "aud", "nzd", "hkd", "chf"})
_IRREGULAR = {
    "children": "child", "men": "man", "women": "woman", "knives": "knife", "lives": "life", "wives": "wife", "halves": "half",
    "shelves": "shelf", "leaves": "leaf", "analyses": "analysis", "criteria": "criterion", "indices": "index", "mice": "mouse",
    "matrices": "matrix", "vertices": "vertex", "appendices": "appendix", "teeth": "tooth",
}  # fmt: skip


def unified(tokens: Iterable[Token]) -> Iterator[Token]:
    """Number words as digits, `1.5 million` written out, units under one name, a currency after its number, words singular."""
    return _with_units(list(scaled(in_digits(list(tokens)))))


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
            at = _past_per(tokens, at)
        elif at < len(tokens) and tokens[at].number and (currency := _currency(token)):
            yield tokens[at]
            yield Token(currency)
            at += 1
            if at < len(tokens) and _currency(tokens[at]) == currency:  # "$20 USD" says it twice
                at += 1
            at = _past_per(tokens, at)
        else:
            yield Token("percent" if token.text == "%" else singular(token.text))


def _past_per(tokens: list[Token], at: int) -> int:
    """Past the `per` of `20 € per month`, which is 20 €/month."""
    return at + 1 if text_at(tokens, at) == "per" and at + 1 < len(tokens) and not tokens[at + 1].number else at


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
    if first == "percentage" and singular(second) == "point":
        return "percentage point", 2
    if first in ("°", "degree", "degrees"):
        scale = {"c": "celsius", "f": "fahrenheit"}.get(second, second)
        return (scale, 2) if scale in ("celsius", "fahrenheit") else ("degree", 1)
    name = _UNIT_OF.get(first) or _UNIT_OF.get(singular(first), "")
    return name, 1 if name else 0


@lru_cache(maxsize=1 << 16)
def singular(word: str) -> str:
    """A form that a word shares with its plural and its possessive; not always a word: `cookie` and `cookies` are `cooky`."""
    word = word.removesuffix("'s")
    if word in _IRREGULAR:
        return _IRREGULAR[word]
    if "_" in word or word.startswith("--"):
        return word  # a name in code has no plural
    if len(word) > 2 and word.endswith("s") and not word.endswith(("ss", "us", "is")):
        word = word[:-1]
    if len(word) > 3 and word.endswith("ie"):
        return word[:-2] + "y"
    return word[:-1] if len(word) > 3 and word.endswith(("che", "she", "xe", "sse")) else word

"""Numbers an answer states and no passage supports: the cheapest sign that something was made up."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache

from ragtriage.answers.citations import without_citations
from ragtriage.answers.number_words import Token, canonical_number
from ragtriage.answers.words import tokens_of, written_numbers
from ragtriage.answers.written_forms import MONTHS

__all__ = ["unsupported_numbers"]

_MONTH_NUMBER = {form: str(i) for i, name in enumerate(MONTHS, start=1) for form in (name, name[:3])}
_JOINS_BEFORE = frozenset(".,-−/:")
_ISO_MONTH = re.compile(r"(?<![\d-])[12]\d{3}-(\d\d)-\d\d(?![\d-])")
_DIGIT = re.compile(r"\d")
_LIST_MARKER = re.compile(r"^[ \t]*(?:[-*•][ \t]+)?\(?\d{1,2}[.)][ \t]", re.MULTILINE)


def unsupported_numbers(answer: str, sources: Sequence[str]) -> tuple[str, ...]:
    """The numbers of `answer`, each once, that occur in none of `sources` (the passages sent, and the question).

    Numbers compare by value: `1,000` supports 1000, `thirty` supports 30, a date's month its number. Citations and the
    numbers of a list are no statements. A number that the answer spells is not checked: `one` is a word before it is a number.
    """
    text = _LIST_MARKER.sub("", without_citations(answer))
    if not _DIGIT.search(text):
        return ()
    numbers = dict.fromkeys(number for token in tokens_of(text) if not token.spelled for number in _numbers_of(token))
    numbers |= dict.fromkeys(month.lstrip("0") for month in _ISO_MONTH.findall(text))
    text = "\n".join(sources)
    numbers = {number: None for number in numbers if not _stands_in(number, text)}
    for supported_by in (written_numbers, _supported_by):  # reading a passage whole is only worth it for what is still open
        if not numbers:
            break
        supported: frozenset[str] = frozenset().union(*map(supported_by, sources))
        numbers = {number: None for number in numbers if supported.isdisjoint(_also(number))}
    return tuple(numbers)


def _stands_in(number: str, text: str) -> bool:
    """Whether digits stand in a text as they are, and not as a part of another number: what most quotes can be told by."""
    at = text.find(number)
    while at >= 0:
        before, after = text[at - 1 : at], text[at + len(number) : at + len(number) + 2]
        goes_on = after[:1].isdigit() or (after[:1] in (".", ",") and after[1:].isdigit())
        if not (goes_on or before in _JOINS_BEFORE or before.isdigit()):
            return True
        at = text.find(number, at + 1)
    return False


def _numbers_of(token: Token) -> list[str]:
    """The numbers that a token states: itself, that of `21st`, those of `ERR_4021`."""
    if token.number:
        return [token.text]
    if token.text[:1].isdigit() or "_" in token.text:
        return [canonical_number(digits) for digits in re.findall(r"\d+", token.text)]
    return []


def _also(number: str) -> set[str]:
    """What supports a number: itself, without its sign, a version as a decimal, a full hour as an hour of either clock."""
    forms = {number, number.lstrip("-")}
    hour, colon, minutes = number.partition(":")
    if not colon:
        forms.add(canonical_number(number))
    elif minutes == "00":
        forms |= {hour, str(int(hour) % 12 or 12)}
    return forms


@lru_cache(maxsize=4096)
def _supported_by(text: str) -> frozenset[str]:
    tokens = tokens_of(text)
    found = {number for token in tokens for number in _numbers_of(token)}
    found.update(_MONTH_NUMBER[token.text] for token in tokens if token.text in _MONTH_NUMBER)
    # the parts of a version or a date may be stated alone
    found.update(part.lstrip("0") or "0" for number in tuple(found) if number.count(".") > 1 for part in number.split("."))
    return frozenset(found)

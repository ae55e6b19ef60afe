"""Numbers an answer states and no passage supports: the cheapest sign that something was made up."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache

from ragtriage.answers.citations import without_citations
from ragtriage.answers.words import tokens_of, written_numbers

__all__ = ["unsupported_numbers"]

_MONTHS = "january february march april may june july august september october november december"
_MONTH_NUMBER = {form: str(i) for i, name in enumerate(_MONTHS.split(), start=1) for form in (name, name[:3])}
_LIST_MARKER = re.compile(r"^[ \t]*(?:[-*•][ \t]+)?\(?\d{1,2}[.)][ \t]", re.MULTILINE)


def unsupported_numbers(answer: str, sources: Sequence[str]) -> tuple[str, ...]:
    """The numbers of `answer`, each once, that occur in none of `sources` (the passages sent, and the question).

    Numbers compare by value: `1,000` supports 1000, `thirty` supports 30, a date's month its number. Citations and the
    numbers of a list are no statements. A number that the answer spells is not checked: `one` is a word before it is a number.
    """
    stated = tokens_of(_LIST_MARKER.sub("", without_citations(answer)))
    numbers = dict.fromkeys(token.text for token in stated if token.number and not token.spelled)
    for supported_by in (written_numbers, _supported_by):  # reading a passage whole is only worth it for what is still open
        if not numbers:
            break
        supported: frozenset[str] = frozenset().union(*map(supported_by, sources))
        numbers = {number: None for number in numbers if number not in supported and number.lstrip("-") not in supported}
    return tuple(numbers)


@lru_cache(maxsize=4096)
def _supported_by(text: str) -> frozenset[str]:
    tokens = tokens_of(text)
    found = {token.text for token in tokens if token.number}
    found.update(_MONTH_NUMBER[token.text] for token in tokens if token.text in _MONTH_NUMBER)
    # the parts of a version or a date may be stated alone
    found.update(part.lstrip("0") or "0" for number in tuple(found) if number.count(".") > 1 for part in number.split("."))
    return frozenset(found)

"""Must-mention: whether an answer states a phrase, whatever its case, spacing, number and unit form.

`30 days` is stated by `30-day`, `thirty days` and `30 DAYS`, not by `130 days`, nor by `30. Days` across a sentence end.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Sequence

from ragtriage.answers.citations import without_citations
from ragtriage.answers.words import BREAK, tokens_of

__all__ = ["mentioned", "mentions", "missing_mentions"]

_SEPARATOR = "\x1f"
_TRAILING_ZERO = re.compile(r"\d\.\d*0(?!\d)")
_CLOCK = re.compile(r"[0-9]{1,2}:[0-9]{2}")
_COMPOUND = re.compile(r"(?<=[^\W\d_])[-‐‑.](?=[^\W\d_])")


def mentions(text: str, phrase: str) -> bool:
    """Whether the words of `phrase` occur in `text` one after the other. A phrase without any word is searched as it stands.

    It compares words, it does not understand them: `is not refundable` states `refundable`. Numbers compare by value and
    units by name, but nothing is converted: 2 hours do not state 120 minutes, nor a bare `9:00` 9 pm. Number words, plurals and
    month names are English.
    """
    text = without_citations(text)
    if wanted := _joined(phrase):
        return wanted in _joined(text) or _in_another_form(text, phrase)
    sought = unicodedata.normalize("NFKC", phrase).casefold().strip()
    return bool(sought) and sought in unicodedata.normalize("NFKC", text).casefold()


def missing_mentions(text: str, required: Iterable[Sequence[str]]) -> tuple[str, ...]:
    """The first alternative of each requirement of which `text` states none."""
    return tuple(choice[0] for choice in required if choice and not any(mentions(text, phrase) for phrase in choice))


def mentioned(text: str, phrases: Iterable[str]) -> tuple[str, ...]:
    """Those of `phrases` that `text` states: the must-not-mentions that occur."""
    return tuple(phrase for phrase in phrases if mentions(text, phrase))


def _in_another_form(text: str, phrase: str) -> bool:
    """`2.10` in `v2.10`, `5:30` in `5:30 pm`, `e-mail` as `email`."""
    if _TRAILING_ZERO.search(phrase) and _joined(phrase, as_written=True) in _joined(text):
        return True
    if (clock := phrase.strip()) and _CLOCK.fullmatch(clock) and re.search(rf"(?<![\d.,:]){clock}(?![\d:])", text):
        return True
    if not (_COMPOUND.search(phrase) or _COMPOUND.search(text)):
        return False
    return _joined(_COMPOUND.sub("", phrase)) in _joined(_COMPOUND.sub("", text))


def _joined(text: str, *, as_written: bool = False) -> str:
    """The tokens with a separator on both sides of each, so that a token is found whole or not at all; "" without any."""
    tokens = _SEPARATOR.join(token.text for token in tokens_of(text, as_written=as_written)).strip(_SEPARATOR + BREAK)
    return f"{_SEPARATOR}{tokens}{_SEPARATOR}" if tokens else ""

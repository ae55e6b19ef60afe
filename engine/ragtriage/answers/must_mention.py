"""Must-mention: whether an answer states a phrase, whatever its case, spacing, number and unit form.

`30 days` is stated by `30-day`, `thirty days` and `30 DAYS`, not by `130 days`, nor by `30. Days` across a sentence end.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Sequence

from ragtriage.answers.citations import without_citations
from ragtriage.answers.words import BREAK, tokens_of

__all__ = ["mentioned", "mentions", "missing_mentions"]

_SEPARATOR = "\x1f"


def mentions(text: str, phrase: str) -> bool:
    """Whether the words of `phrase` occur in `text` one after the other. A phrase without any word is searched as it stands."""
    if wanted := _joined(phrase).strip(_SEPARATOR + BREAK):
        return f"{_SEPARATOR}{wanted}{_SEPARATOR}" in _joined(without_citations(text))
    sought = unicodedata.normalize("NFKC", phrase).casefold().strip()
    return bool(sought) and sought in unicodedata.normalize("NFKC", text).casefold()


def missing_mentions(text: str, required: Iterable[Sequence[str]]) -> tuple[str, ...]:
    """The first alternative of each requirement of which `text` states none."""
    return tuple(choice[0] for choice in required if choice and not any(mentions(text, phrase) for phrase in choice))


def mentioned(text: str, phrases: Iterable[str]) -> tuple[str, ...]:
    """Those of `phrases` that `text` states: the must-not-mentions that occur."""
    return tuple(phrase for phrase in phrases if mentions(text, phrase))


def _joined(text: str) -> str:
    """The tokens with a separator on both sides of each, so that a token is found whole or not at all."""
    return f"{_SEPARATOR}{_SEPARATOR.join(token.text for token in tokens_of(text))}{_SEPARATOR}"

"""What a word is, and what of a question is searched.

Two readings of the same text. `stem`: Unicode words, single characters of scripts written without spaces, lower case,
stemmed. `whole`: the same, but what is joined by `_ . - + # / : @` stays one token (`err_4021`, `v1.2.3`, `user_id`), `c++`
and `c#` too, and nothing is stemmed. The patterns are in the syntax of Rust's regex crate, whose matching is linear in time.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import NamedTuple

from ragtriage.errors import ConfigError

__all__ = ["ANALYSIS_VERSION", "STEM_PATTERN", "WHOLE_PATTERN", "QuestionReader", "Weights", "scrub", "stemmer_name"]

ANALYSIS_VERSION = 1
"""Part of an index's identity: count it up whenever a pattern or filter changes."""

_UNSPACED = r"\p{Han}\p{Hiragana}\p{Katakana}\p{Hangul}\p{Thai}\p{Lao}\p{Khmer}\p{Myanmar}"
_LETTER = rf"[\p{{L}}\p{{M}}\p{{N}}&&[^{_UNSPACED}]]"
_JOINT = r"(?:_+|:(?://|:)?|[.+#/@-])"
STEM_PATTERN = rf"[{_UNSPACED}]|{_LETTER}+"
WHOLE_PATTERN = rf"[{_UNSPACED}]|\p{{L}}(?:\+\+|#)|{_LETTER}+(?:{_JOINT}{_LETTER}+)*"

_WHOLE_WEIGHT = 0.25
_PART_WEIGHT = 0.25  # of the parts of an identifier that is searched whole
_MOST_TOKENS = 1024  # of a question; more is a pasted file, and a query of that many clauses takes seconds
_CONTRACTION = re.compile(r"(?<![^\W\d_])[^\W\d_]++['’][^\W\d_]+")  # one start a word, no way back: linear in time

_STEMMERS = {
    "ar": "arabic", "da": "danish", "de": "german", "el": "greek", "en": "english", "es": "spanish", "fi": "finnish",
    "fr": "french", "hu": "hungarian", "it": "italian", "nl": "dutch", "no": "norwegian", "pt": "portuguese", "ro": "romanian",
    "ru": "russian", "sv": "swedish", "ta": "tamil", "tr": "turkish", "ja": "", "ko": "", "th": "", "zh": "", "none": "",
}  # fmt: skip


def stemmer_name(language: str) -> str:
    """The Snowball stemmer of an ISO 639-1 code, "" where words are not stemmed. Raises ConfigError for an unknown code."""
    try:
        return _STEMMERS[language.lower()]
    except KeyError:
        raise ConfigError(f"retrieval.language: {language!r} is not known; known are {', '.join(sorted(_STEMMERS))}") from None


def scrub(text: str) -> str:
    """`text` without lone surrogates, which no native library takes: each becomes U+FFFD."""
    return text if text.isascii() else text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


class Weights(NamedTuple):
    """The terms to search, by field, each with its weight."""

    stem: dict[str, float]
    whole: dict[str, float]


class QuestionReader:
    """Turns a question into weighted terms. Analysers are given as functions, so that nothing native is needed here.

    `words`, `stems` and `wholes` map a text to its tokens: those of STEM_PATTERN in lower case, the same stemmed, those of
    WHOLE_PATTERN. `is_stop` tells a stop word; `holds_whole` whether the index has a token in its field `whole`.
    """

    def __init__(
        self,
        *,
        words: Callable[[str], list[str]],
        stems: Callable[[str], list[str]],
        wholes: Callable[[str], list[str]],
        is_stop: Callable[[str], bool],
        holds_whole: Callable[[str], bool],
    ) -> None:
        self._words = words
        self._stems = stems
        self._wholes = wholes
        self._is_stop = is_stop
        self._holds_whole = holds_whole

    def weights(self, text: str) -> Weights:
        """The terms of a question. A repeated word counts as often as it occurs; stop words only if there is nothing else.

        An identifier that the index holds whole is searched whole, as heavy as its parts together, and its parts lightly: a
        page about `ERR_4021` must beat one that says `err` and another number often.
        """
        stem: dict[str, float] = {}
        whole: dict[str, float] = {}
        for token, parts in self._tokens(text):
            part_weight, whole_weight = 1.0, _WHOLE_WEIGHT
            if _is_identifier(token, parts) and self._holds_whole(token):
                part_weight, whole_weight = _PART_WEIGHT, float(len(parts))
            whole[token] = whole.get(token, 0.0) + whole_weight
            for part in parts:
                for term in self._stems(part):
                    stem[term] = stem.get(term, 0.0) + part_weight
        return Weights(dict(sorted(stem.items())), dict(sorted(whole.items())))

    def stem_terms(self, text: str) -> list[str]:
        """The stemmed terms of a text in order, stop words left out: what BM25 statistics of a sentence are made of."""
        return [term for _, parts in self._tokens(text, keep_stops=False) for part in parts for term in self._stems(part)]

    def _tokens(self, text: str, *, keep_stops: bool = True) -> list[tuple[str, list[str]]]:
        """(whole token, its parts) of each word that is no stop word; of every word where all are."""
        text = scrub(text)
        said = self._wholes(_CONTRACTION.sub(self._drop_contraction, text))[:_MOST_TOKENS]
        kept = []
        for token in said:
            if self._is_stop(token):
                continue
            parts = [part for part in self._words(token) if not self._is_stop(part)]
            if parts:
                kept.append((token, parts))
        if kept or not keep_stops:
            return kept
        return [(token, self._words(token)) for token in self._wholes(text)[:_MOST_TOKENS]]

    def _drop_contraction(self, match: re.Match[str]) -> str:
        """Nothing for `don't` and the like; a word without its `'s`; anything else as it stands."""
        word = match[0].lower().replace("’", "'")
        if self._is_stop(word):
            return " "
        return match[0][:-2] if word.endswith("'s") else match[0]


def _is_identifier(token: str, parts: list[str]) -> bool:
    if token.endswith(("++", "#")):
        return True
    return len(parts) > 1 and any(character.isdigit() or character == "_" for character in token)

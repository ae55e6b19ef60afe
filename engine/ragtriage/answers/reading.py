"""A passage, read once: its sentences, where their terms stand, and what its headings say it is about."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import NamedTuple

from ragtriage.answers.citations import without_citations
from ragtriage.answers.sentences import is_heading, sentence_spans, table_cells
from ragtriage.types import Passage

__all__ = ["PassageReader", "Reading"]

_WORD = re.compile(r"\w+(?:['’]\w+)*")
_RULE = re.compile(r"\n[ \t]*\|[-:| \t]*-[-:| \t]*(?:\n|$)")  # the line under a table's head
_MARKER = re.compile(r"(?:[-*+•>]|\d{1,3}[.)])\s+")


class Reading(NamedTuple):
    """`sentences` as they would be said; `postings` maps a term to (sentence, times) pairs; `around` holds the terms of title,
    headings and table heads, which say what the sentences are about without being said.
    """

    sentences: tuple[str, ...]
    postings: Mapping[str, tuple[tuple[int, int], ...]]
    around: frozenset[str]


class PassageReader:
    """Reads passages with the index's own analysis, `terms`; remembers each passage and each word."""

    def __init__(self, terms: Callable[[str], list[str]]) -> None:
        self._terms_of = terms
        self._words: dict[str, tuple[str, ...]] = {}
        self._readings: dict[tuple[str, str], Reading] = {}

    def read(self, passage: Passage) -> Reading:
        """The Reading of a passage; of one that was seen before, the same object."""
        key = (passage.chunk_id, passage.text)  # the text too: a passage may be a chunk's beginning alone
        known = self._readings.get(key)
        if known is None:
            known = self._readings[key] = self._read(passage)
        return known

    def _read(self, passage: Passage) -> Reading:
        around = set(self._terms(" ".join((passage.title, *passage.heading))))
        sentences: list[str] = []
        postings: dict[str, dict[int, int]] = {}
        head: list[str] = []
        for span in sentence_spans(passage.text):
            said = passage.text[span.start : span.end]
            cells = table_cells(said)
            if is_heading(said) or (cells and _RULE.match(passage.text, span.end)):
                head = cells
                around.update(self._terms(said))
                continue
            if cells:
                said = "; ".join(f"{name}: {cell}" if name else cell for name, cell in _named(head, cells) if cell)
            else:
                head = []
                said = _presentable(said)
            for term in self._terms(said):
                times = postings.setdefault(term, {})
                times[len(sentences)] = times.get(len(sentences), 0) + 1
            sentences.append(said)
        held = {term: tuple(times.items()) for term, times in postings.items()}
        return Reading(tuple(sentences), held, frozenset(around))

    def _terms(self, text: str) -> list[str]:
        """The terms of a text, analysed word by word, each word once in the reader's life: analysis is what costs."""
        words = self._words
        found: list[str] = []
        for word in _WORD.findall(text.lower()):
            terms = words.get(word)
            if terms is None:
                terms = words[word] = tuple(self._terms_of(word))
            found.extend(terms)
        return found


def _named(head: list[str], cells: list[str]) -> list[tuple[str, str]]:
    return [(head[at] if at < len(head) else "", cell) for at, cell in enumerate(cells)]


def _presentable(sentence: str) -> str:
    """One line without a list marker, and without brackets that would read as citations of ours."""
    return " ".join(_MARKER.sub("", without_citations(sentence).lstrip(), count=1).split())

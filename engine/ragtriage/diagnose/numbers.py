"""Sentences that say the same with other numbers: `within 30 days` here, `within 14 days` there.

Two looks. Any two sentences of the corpus that are the same but for their numbers, if they have words enough not to be so by
chance; and, in passages that nearly repeat each other, any number that stands in the other's place. Numbers compare by value:
`thirty days` and `30 days` agree. Whether it is a contradiction only a person can tell: the two may be about different things.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from functools import lru_cache
from hashlib import blake2b
from typing import NamedTuple

from ragtriage.answers.number_words import NUMBER_WORDS
from ragtriage.answers.sentences import is_heading, sentence_spans
from ragtriage.answers.words import BREAK, tokens_of, written_numbers
from ragtriage.chunking.base import Chunks
from ragtriage.corpus.sections import heading_at
from ragtriage.diagnose.duplicates import NearGroup
from ragtriage.diagnose.places import Place, Places
from ragtriage.diagnose.words import NUMBER, hashed_words
from ragtriage.types import Progress, Span, no_progress

__all__ = ["Contradictions", "Difference", "Side", "contradictions"]

_LEAST_WORDS = 6  # beside the numbers
_FEWEST_WORDS = 3  # the same, in passages that nearly repeat each other
_MOST_SIDES = 3  # what has more values than that is a series: a table, a list of versions
_MOST_TOKENS = 4_000  # of a passage that is compared token by token; comparing takes the square of it
_MOST_ALIKE = 200  # sentences of one wording that are read closely
_LONGEST = 2_000  # characters of a sentence; longer ones are data
_DIGITS = re.compile(r"\d+")
_NAME = re.compile(r"[^\W\d_][-_]?\d[\w-]*")  # T200, v2, ERR_4021, from its last letter on
_YEAR = re.compile(r"(?<![\d.,])(?<![^\W\d_])(?<![^\W\d_]-)(?:19|20)\d\d(?!\d|[.,]\d)")  # not the T2000
_LIST_MARKER = re.compile(r"(?:[-*•][ \t]+)?\(?\d{1,3}[.)][ \t]+")
_HAS_NUMBER = re.compile(rf"\d|\b(?:{'|'.join(NUMBER_WORDS)})\b", re.IGNORECASE)


class Side(NamedTuple):
    """The numbers of one side that differ, as they compare, and where they stand first; `more` further places say the same.

    `year` is the one of its title or headings, "" where the sides do not differ in that.
    """

    numbers: tuple[str, ...]
    place: Place
    more: int = 0
    year: str = ""


class Difference(NamedTuple):
    """One statement with two or three sets of numbers, in reading order. `dated`: no two of them are of one year, by what the
    sentence, its title or its headings state, so that the year may be the reason."""

    sides: tuple[Side, ...]
    dated: bool = False


class Contradictions(NamedTuple):
    """What may contradict itself, and how much of the same wording is not listed.

    `series` counts statements with more than three sets of numbers, `told_apart` those whose sentences, titles or headings
    name different things by a number, which is no year: `Set up a T200` and `Set up a T210`.
    """

    found: tuple[Difference, ...]
    series: int = 0
    told_apart: int = 0


class _Said(NamedTuple):
    doc_row: int
    span: Span


_Values = list[tuple[tuple[str, ...], _Said]]
"""The places of one statement, each with its numbers."""


def contradictions(
    chunks: Chunks, near: Sequence[NearGroup], places: Places, progress: Progress = no_progress
) -> Contradictions:
    """Every Difference of the corpus, the dated ones last, else in reading order; a place is in one of them.

    Raises what `progress` raises.
    """
    series = 0
    found: list[_Values] = []
    for said in _alike(chunks, progress):
        values = [(_numbers(_text(chunks, each)), each) for each in said]
        number = len({numbers for numbers, _ in values})
        if number > _MOST_SIDES:
            series += 1
        elif number > 1:
            found.append(values)
    taken = {(said.doc_row, said.span.start) for values in found for _, said in values}
    for group in near:
        pairs, several = _within(chunks, group)
        series += several
        for values in pairs:
            here = {(said.doc_row, said.span.start) for _, said in values}
            if taken.isdisjoint(here):
                taken |= here
                found.append(values)
    found.sort(key=lambda values: min(said for _, said in values))
    found = [values for values in found if all(_states(_text(chunks, said)) for _, said in values)]
    same = [values for values in found if not _told_apart(chunks, values)]
    listed = sorted((_difference(chunks, values, places) for values in same), key=lambda difference: difference.dated)
    return Contradictions(tuple(listed), series, len(found) - len(same))


def _states(sentence: str) -> bool:
    """Whether it is a statement, and not a row of figures or a number alone."""
    words = hashed_words(sentence)
    numbers = int((words == NUMBER).sum())
    return len(words) - numbers >= max(_FEWEST_WORDS, numbers)


def _told_apart(chunks: Chunks, values: _Values) -> bool:
    """Whether it is said of things that have a number in their names: in the sentence (`T200`), or in title or headings."""
    names = set()
    for _, said in values:
        above = _YEAR.sub(" ", _above(chunks, said))  # of another year it may be, but of the same thing
        names.add((tuple(_DIGITS.findall(above)), tuple(_NAME.findall(_text(chunks, said)))))
    return len(names) > 1


def _above(chunks: Chunks, said: _Said) -> str:
    """The title and the headings that it stands under."""
    document = chunks.corpus.documents[said.doc_row]
    return " ".join((document.title, *heading_at(document, said.span.start)))


def _years(text: str) -> tuple[str, ...]:
    return tuple(dict.fromkeys(_YEAR.findall(text)))


def _difference(chunks: Chunks, values: _Values, places: Places) -> Difference:
    by_numbers: dict[tuple[str, ...], list[_Said]] = defaultdict(list)
    for numbers, said in sorted(values, key=lambda value: value[1]):
        by_numbers[numbers].append(said)
    stated = [{(_years(_text(chunks, one)), _years(_above(chunks, one))) for one in said} for said in by_numbers.values()]
    dated = sum(map(len, stated)) == len(set().union(*stated))
    above = [" ".join(_years(_above(chunks, said[0]))) for said in by_numbers.values()]
    shown = above if len(set(above)) > 1 else [""] * len(above)
    sides = zip(_differing(list(by_numbers)), by_numbers.values(), shown, strict=True)
    return Difference(
        tuple(Side(numbers, places.part(*said[0]), len(said) - 1, year) for numbers, said, year in sides), dated=dated
    )


def _differing(sides: Sequence[tuple[str, ...]]) -> list[tuple[str, ...]]:
    """The numbers of each side without those that all sides have in the same place; all, where they are not equally many."""
    if len({len(numbers) for numbers in sides}) > 1:
        return list(sides)
    kept = [len(set(column)) > 1 for column in zip(*sides, strict=True)]
    return [tuple(number for number, keep in zip(numbers, kept, strict=True) if keep) for numbers in sides]


def _text(chunks: Chunks, said: _Said) -> str:
    return chunks.corpus.documents[said.doc_row].text[said.span.start : said.span.end]


def _numbers(sentence: str) -> tuple[str, ...]:
    return tuple(token.text for token in tokens_of(_LIST_MARKER.sub("", sentence, count=1)) if token.number)


def _alike(chunks: Chunks, progress: Progress) -> Iterator[list[_Said]]:
    """Sentences of one wording but for their numbers, that hold not all the same numbers, in reading order."""
    wordings: dict[bytes, tuple[bytes, _Said] | list[tuple[bytes, _Said]]] = {}
    documents = chunks.corpus.documents
    for doc_row, document in enumerate(documents):
        if doc_row % 256 == 0:
            progress("comparing numbers", doc_row, len(documents))
        for span in _stating(document.text):
            sentence = document.text[span.start : span.end]
            key, written = _wording(sentence)
            if not key:
                continue
            one = (written, _Said(doc_row, span))
            before = wordings.get(key)
            if before is None:
                wordings[key] = one
            elif isinstance(before, tuple):
                wordings[key] = [before, one]
            elif len(before) < _MOST_ALIKE:
                before.append(one)
    for said in wordings.values():
        if isinstance(said, list) and len({written for written, _ in said}) > 1:
            yield [place for _, place in said]


@lru_cache(maxsize=4096)
def _wording(sentence: str) -> tuple[bytes, bytes]:
    """A hash of the words but for the numbers, empty where they are too few, and one of the numbers as they are written."""
    words = hashed_words(_LIST_MARKER.sub("", sentence, count=1))
    if int((words != NUMBER).sum()) < _LEAST_WORDS:
        return b"", b""
    written = "\0".join(sorted(written_numbers(sentence))) or sentence.casefold()
    return (
        blake2b(words.tobytes(), digest_size=16).digest(),
        blake2b(written.encode("utf-8", "surrogatepass"), digest_size=8).digest(),
    )


def _stating(text: str) -> Iterator[Span]:
    """The sentences that state a number; headings and code state nothing."""
    if not _HAS_NUMBER.search(text):
        return
    for span in sentence_spans(text, small=True):
        sentence = text[span.start : min(span.end, span.start + _LONGEST + 1)]
        if len(sentence) > _LONGEST or is_heading(sentence) or sentence.startswith("```"):
            continue
        if _HAS_NUMBER.search(sentence):
            yield span


class _Piece(NamedTuple):
    """One token of a passage, and the sentence that holds it."""

    text: str
    number: bool
    span: Span


def _within(chunks: Chunks, group: NearGroup) -> tuple[list[_Values], int]:
    """What the members of a group say otherwise than the first, number by number; and 1 where it is a series, else 0."""
    written: set[tuple[str, ...]] = set()
    for row in group.rows:
        written.add(_written(chunks.text(row)))
        if len(written) > _MOST_SIDES:
            return [], 1
    if len(written) == 1:
        return [], 0
    first, *others = (_pieces(chunks, row) for row in group.rows)
    rows = chunks.doc_rows[list(group.rows)].tolist()
    by_place: dict[Span, _Values] = {}
    for doc_row, other in zip(rows[1:], others, strict=True):
        changed: dict[tuple[Span, Span], list[tuple[str, str]]] = defaultdict(list)
        for a, b in _changed_numbers(first, other):
            changed[a.span, b.span].append((a.text, b.text))
        for (here, there), numbers in changed.items():
            values = by_place.setdefault(here, [(tuple(old for old, _ in numbers), _Said(rows[0], here))])
            values.append((tuple(new for _, new in numbers), _Said(doc_row, there)))
    return list(by_place.values()), 0


def _written(text: str) -> tuple[str, ...]:
    return tuple(sorted({token.text for token in tokens_of(text) if token.number}))


def _pieces(chunks: Chunks, row: int) -> list[_Piece]:
    text, offset = chunks.text(row), int(chunks.starts[row])
    out: list[_Piece] = []
    for span in sentence_spans(text, small=True):
        if len(out) >= _MOST_TOKENS:
            break
        place = Span(span.start + offset, span.end + offset)
        tokens = tokens_of(_LIST_MARKER.sub("", text[span.start : span.end], count=1))
        out += [_Piece(token.text, token.number, place) for token in tokens if token.text != BREAK]
    return out[:_MOST_TOKENS]


def _changed_numbers(first: Sequence[_Piece], other: Sequence[_Piece]) -> Iterator[tuple[_Piece, _Piece]]:
    """Numbers of the one that stand where the other has another number, beside at least one word that both have."""
    from rapidfuzz.distance import Levenshtein

    edits = list(Levenshtein.opcodes([piece.text for piece in first], [piece.text for piece in other]))
    for at, edit in enumerate(edits):
        if edit.tag != "replace" or edit.src_end - edit.src_start != edit.dest_end - edit.dest_start:
            continue
        pairs = list(zip(first[edit.src_start : edit.src_end], other[edit.dest_start : edit.dest_end], strict=True))
        kept = any(each.tag == "equal" for each in (*edits[max(0, at - 1) : at], *edits[at + 1 : at + 2]))
        if kept and all(a.number and b.number for a, b in pairs):
            yield from pairs

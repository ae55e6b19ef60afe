"""Where a passage of somebody else's stands in our corpus: exactly, but for typography, white space and case, or reworded.

Words of every document are looked at in runs of four, each run as a number. The runs of a passage tell in which document most
of it stands; there its words are compared one by one. What comes out is the stretch of the document that the passage really
holds; a title before it, or a foreign beginning, is left out.

A passage may be joined of several places: what the first stretch leaves of it is looked for in the same way, and so on. Where
nobody says which document it is from, it holds every place that has the same words.

How much is looked at is bounded for each passage by itself, so that what is found of it depends on nothing else.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator, Sequence
from typing import Literal, NamedTuple, TypeAlias

from ragtriage.corpus.base import Corpus
from ragtriage.search.systems.alignment_copies import Copy, copies_of
from ragtriage.search.systems.alignment_index import RUN
from ragtriage.search.systems.alignment_pages import Pages
from ragtriage.search.systems.alignment_split import split_of
from ragtriage.search.systems.alignment_stretch import LEAST, Stretch, stretch_of, tells
from ragtriage.search.systems.alignment_words import Words, words_of
from ragtriage.types import Groups, Span

__all__ = ["Aligned", "Aligner", "Ways"]

Ways: TypeAlias = Literal["exact", "folded", "fuzzy", "parts"]
"""How a passage was found: as it is, but for typography, in other words, in several pieces."""

_ENOUGH = 0.5  # of a passage's words that must stand somewhere, in order
_LEAK = 12  # words of a further part that show that a hidden document was read
_PARTS = 12  # that a passage is joined of
_LOOKED_AT = 20_000  # words of what the first stretch leaves, each time it is looked for
_MOST_CHARACTERS = 250_000  # of a passage that does not stand there as it is; what comes after them counts for nothing
_LONGEST_HEAD = 400  # characters
_SCANNED = 20_000_000  # characters that are looked through for a passage too short for a run


class Stand(NamedTuple):
    """One more place of a passage: of its `part`, counted from 0, the one that `Aligned` begins with."""

    doc_row: int
    span: Span
    part: int


class Aligned(NamedTuple):
    """`share` of the passage's words stand in `span` of the document, and in the places `also`, from 0 to 1.

    `also` has its further parts, each with its first place first, and copies of all of them. `hidden`: a part of it stands
    only where those who asked may not look.
    """

    doc_row: int
    span: Span
    how: Ways
    share: float
    also: tuple[Stand, ...] = ()
    hidden: bool = False


class _Part(NamedTuple):
    """A stretch of a passage in one document. `span` is its place, `copies` are others of the same words."""

    row: int
    stretch: Stretch
    span: Span
    copies: tuple[Copy, ...] = ()
    exact: bool = False


class Aligner:
    """Finds passages in one corpus, which is read through when a passage, or a piece of one, is not all in the document that it
    should be from. Not for several threads at once."""

    def __init__(self, corpus: Corpus) -> None:
        self._pages = Pages(corpus)

    def find(self, text: str, doc_row: int | None, groups: Groups) -> Aligned | None:
        """The places of a passage: in the document of `doc_row` where it is there, else wherever most of it stands; of several
        equal places the first that `groups` may see. None: nowhere."""
        text = unicodedata.normalize("NFC", text.strip())
        found = self._find(text, doc_row, groups) if text else None
        for mark in ("\n\n", "\n"):  # a title or headings before it, which may be longer than the passage itself
            head, _, rest = text.partition(mark)
            if found is None and rest.strip() and len(head) <= _LONGEST_HEAD:
                found = self._find(rest.strip(), doc_row, groups)
                if found is not None and found.how != "parts":
                    found = found._replace(how="fuzzy")
        return found

    def _find(self, text: str, named: int | None, groups: Groups) -> Aligned | None:
        words = words_of(text[:_MOST_CHARACTERS])
        count = len(words.hashes)
        first = self._in_document(text, words, named) if named is not None else None
        if first is None or first.stretch.matched < _ENOUGH * count:
            if count < RUN:
                return self._scanned(text, groups)
            first = self._best(text, words, first, groups)
        if first is None:
            return None
        parts = [first] if first.exact else self._joined(words, first, named, groups)
        matched = count if first.exact else sum(part.stretch.matched for part in parts)
        if matched < _ENOUGH * count:
            return None
        placed = [one for part in parts for one in self._placed(words, part, named, groups)]
        parts = [placed[0], *sorted(placed[1:], key=lambda part: part.stretch.start)]
        return self._aligned(parts, matched / count if count else 1.0, count, groups)

    def _aligned(self, parts: Sequence[_Part], share: float, count: int, groups: Groups) -> Aligned:
        first = parts[0]
        whole = first.stretch.straight and first.stretch.matched == count
        how: Ways = "parts" if len(parts) > 1 else "exact" if first.exact else "folded" if whole else "fuzzy"
        also: list[Stand] = []
        hidden = False
        for number, part in enumerate(parts):
            if number:
                also.append(Stand(part.row, part.span, number))
            also += [Stand(row, span, number) for row, span in part.copies]
            seen = any(self._pages.seen(row, groups) for row in (part.row, *(row for row, _ in part.copies)))
            hidden = hidden or (not seen and (number == 0 or part.stretch.matched >= _LEAK))
        return Aligned(first.row, first.span, how, share, tuple(also), hidden)

    def _best(self, text: str, words: Words, named: _Part | None, groups: Groups) -> _Part | None:
        """The stretch that holds most of a passage, in any document; the one named is passed over for none that holds less."""
        best = named
        for row in self._pages.candidates(words, groups):
            found = self._in_document(text, words, row)
            if found is not None and (best is None or found.stretch.matched > best.stretch.matched):
                best = found
            if best is not None and best.exact:
                break
        return best

    def _in_document(self, text: str, words: Words, row: int) -> _Part | None:
        document = self._pages.documents[row].text
        count = len(words.hashes)
        at = document.find(text)
        if at >= 0:
            return _Part(row, Stretch(0, count, 0, 0, count), Span(at, at + len(text)), exact=True)
        there = self._pages.words(row)
        found = stretch_of(words, there)
        if found is None:
            return None
        if found.matched < max(_ENOUGH * count, min(count, LEAST)) and not tells(words, found):
            return None
        span = Span(int(there.starts[found.first]), int(there.ends[found.last]))
        if found.straight and found.matched == count:  # the signs around it belong to it, too
            span = _with_signs(words, document, span)
        return _Part(row, found, span)

    def _joined(self, words: Words, first: _Part, named: int | None, groups: Groups) -> list[_Part]:
        """`first`, and what there is of the rest of a passage, as it stands in it."""
        parts = [first]
        rest = [(0, first.stretch.start), (first.stretch.stop, len(words.hashes))]
        left = _LOOKED_AT
        while rest and len(parts) < _PARTS:
            low, high = rest.pop(0)
            if high - low < LEAST:
                continue
            left -= high - low
            if left < 0:
                break
            found = self._piece(words.cut(low, high), first.row if named is None else named, first.row, groups)
            if found is None:
                continue
            start, stop = low + found.stretch.start, low + found.stretch.stop
            parts.append(found._replace(stretch=_moved(found.stretch, low)))
            rest += [(low, start), (stop, high)]
        return [first, *sorted(parts[1:], key=lambda part: part.stretch.start)]

    def _piece(self, words: Words, named: int, first: int, groups: Groups) -> _Part | None:
        """A piece of a passage: in the document it should be from, in that of the first part, else anywhere."""
        best: _Part | None = None
        for row in self._in_turn(words, named, first, groups):
            found = stretch_of(words, there := self._pages.words(row))
            if found is not None and tells(words, found) and (best is None or found.matched > best.stretch.matched):
                best = _Part(row, found, Span(int(there.starts[found.first]), int(there.ends[found.last])))
                if found.matched == len(words.hashes):
                    break
        return best

    def _in_turn(self, words: Words, named: int, first: int, groups: Groups) -> Iterator[int]:
        yield from dict.fromkeys((named, first))
        yield from (row for row in self._pages.candidates(words, groups) if row not in (named, first))

    def _placed(self, words: Words, part: _Part, named: int | None, groups: Groups) -> list[_Part]:
        """A part with its copies. Where no place of it may be seen, but other documents together have all that it says, it is
        joined of these: nothing tells that it was read where it stands in one. A document that was named was read."""
        found = self._seen_first(part._replace(copies=self._copies(words, part, named, groups)), groups)
        if part.row == named or self._pages.seen(found.row, groups):
            return [found]
        for said in self._sayings(words, part):
            if split := split_of(said, self._pages, groups):
                pieces = [_Part(row, _moved(stretch, part.stretch.start), span) for row, stretch, span in split]
                return [one._replace(copies=self._copies(words, one, named, groups)) for one in pieces]
        return [found]

    def _sayings(self, words: Words, part: _Part) -> Iterator[Words]:
        """A part's words as the passage has them and, where they are others there, as the document does."""
        if part.exact and part.span.end - part.span.start > len(words.text):  # only its beginning was cut into words
            return
        yield words.cut(part.stretch.start, part.stretch.stop)
        if not part.exact and not part.stretch.straight:
            yield self._pages.words(part.row).cut(part.stretch.first, part.stretch.last + 1)

    def _copies(self, words: Words, part: _Part, named: int | None, groups: Groups) -> tuple[Copy, ...]:
        """Other places of a part's words: in the document that was named, if it is there, else in all of them."""
        said = words  # of a part in other words what the document says
        if not part.exact:
            said = self._pages.words(part.row).cut(part.stretch.first, part.stretch.last + 1)
        return copies_of(said, self._pages, part.row, part.span, groups, elsewhere=part.row != named)

    def _seen_first(self, part: _Part, groups: Groups) -> _Part:
        """A part at a place that may be seen, where it has one: the document that has most of the passage need not be one."""
        seen = (copy for copy in part.copies if self._pages.seen(copy.row, groups))
        if self._pages.seen(part.row, groups) or (place := next(seen, None)) is None:
            return part
        others = [copy for copy in part.copies if copy is not place]
        return part._replace(row=place.row, span=place.span, copies=(Copy(part.row, part.span), *others))

    def _scanned(self, text: str, groups: Groups) -> Aligned | None:
        """Of a text of few words, which many documents may hold: the first that does, as long as looking takes no time."""
        found: Aligned | None = None
        left = _SCANNED
        for row, document in enumerate(self._pages.documents):
            left -= len(document.text)
            if left < 0:
                break
            at = document.text.find(text)
            if at >= 0:
                seen = self._pages.seen(row, groups)
                one = Aligned(row, Span(at, at + len(text)), "exact", 1.0, hidden=not seen)
                if seen:
                    return one
                found = found or one
        return found


def _moved(stretch: Stretch, by: int) -> Stretch:
    return stretch._replace(start=stretch.start + by, stop=stretch.stop + by)


def _with_signs(words: Words, document: str, span: Span) -> Span:
    """The span with what the passage has before its first and after its last word, where the document has it too."""
    head, tail = words.text[: int(words.starts[0])], words.text[int(words.ends[len(words.ends) - 1]) :]
    start = span.start - len(head) if head and document[: span.start].endswith(head) else span.start
    end = span.end + len(tail) if tail and document.startswith(tail, span.end) else span.end
    return Span(start, end)

"""One region of a text into stretches that fit: along paragraphs, then lines of lists and code, then sentences, then tokens."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Sequence
from itertools import pairwise

from ragtriage.chunking.blocks import Blocks, scan, sentence_starts
from ragtriage.chunking.boundaries import Ruler
from ragtriage.chunking.merging import Stretch, balanced
from ragtriage.chunking.regions import is_bare
from ragtriage.types import Section

__all__ = ["Cutter", "Sentences"]

Sentences = Callable[[str, int, int], list[int]]
"""Where sentences start inside (start, end) of a text, ascending."""


class Cutter:
    """Cuts single regions of one text, whose headings are those of `sections`. `room` is in tokens.

    `at_headings`: a region may hold several sections, each heading in it starts a paragraph, and goes with the first sentence
    below it where both fit.
    """

    def __init__(
        self,
        ruler: Ruler,
        room: int,
        sections: Sequence[Section],
        *,
        sentences: Sentences = sentence_starts,
        at_headings: bool = False,
    ) -> None:
        self.ruler = ruler
        self.room = room
        self._headings = {section.span.start for section in sections}
        self._sentences = sentences
        self._at_headings = at_headings
        self._blocks: Blocks | None = None
        self._kept: set[int] = set()  # where code and tables start that fit
        self._bodies: dict[int, int] = {}  # where the text starts below headings that start here

    def stretches(self, start: int, end: int, lineage: tuple[int, ...]) -> list[Stretch]:
        """The region as stretches of at most `room` tokens, about equally long."""
        count = self.ruler.count(start, end)
        if count <= self.room:
            return [Stretch(start, end, count, lineage)]
        atoms = [Stretch(at, to, self.ruler.count(at, to), lineage) for at, to in self._by_paragraphs(start, end)]
        return balanced(atoms, self.room)

    def atoms(self, start: int, end: int) -> list[tuple[int, int]]:
        """The region in its smallest parts, which touch: sentences, items, rows; code and tables that fit are one each.

        A heading goes with what follows it where both fit.
        """
        blocks = self._scanned()
        out: list[tuple[int, int]] = []
        heading: int | None = None
        for at, to in _parts(start, end, blocks.paragraphs):
            if at in self._headings and is_bare(self.ruler.text[at:to]) and to < end:
                heading = at if heading is None else heading
                continue
            small = [(at, to)] if at in self._kept else self._sentences_of(at, to, blocks.lines)
            if heading is not None and self._fits(heading, small[0][1]):
                small[0] = (heading, small[0][1])
            elif heading is not None:
                small = [*self._that_fit(heading, at), *small]
            heading = None
            out += small
        return out

    def _sentences_of(self, start: int, end: int, lines: list[int]) -> list[tuple[int, int]]:
        return [
            part
            for at, to in _parts(start, end, lines)
            for first, last in _parts(at, to, self._sentences(self.ruler.text, at, to))
            for part in self._that_fit(first, last)
        ]

    def _that_fit(self, start: int, end: int) -> list[tuple[int, int]]:
        return [(start, end)] if self._fits(start, end) else self._by_tokens(start, end)

    def _by_paragraphs(self, start: int, end: int) -> list[tuple[int, int]]:
        blocks = self._scanned()
        parts = self._with_headings(_parts(start, end, blocks.paragraphs))
        out = []
        for at, to in parts:
            if self._fits(at, to):
                out.append((at, to))
            else:
                out += self._by_lines(at, to, blocks.lines)
        return out

    def _with_headings(self, parts: list[tuple[int, int]]) -> list[tuple[int, int]]:
        """Headings joined to what follows them, so that none is left alone by a paragraph that is cut."""
        out: list[tuple[int, int]] = []
        start: int | None = None
        for at, to in parts:
            first = at if start is None else start
            self._bodies[first] = at
            if at in self._headings and is_bare(self.ruler.text[at:to]) and self._fits(first, to):
                start = first
                continue
            if start is not None and at in self._kept and not self._fits(start, to):
                out.append((start, at))  # better a heading alone than a table in two
                first = at
            out.append((first, to))
            start = None
        return out if start is None else [*out, (start, parts[-1][1])]

    def _by_lines(self, start: int, end: int, lines: list[int]) -> list[tuple[int, int]]:
        out = []
        body = self._bodies.get(start, start) if self._at_headings else start
        if body > start:
            lines = lines[bisect_right(lines, body) :]
        for at, to in _parts(start, end, lines):
            if self._fits(at, to):
                out.append((at, to))
                continue
            for first, last in _parts(at, to, self._sentences(self.ruler.text, max(at, body), to)):
                if first < body and not self._fits(first, last):
                    out += [*self._that_fit(first, body), *self._that_fit(body, last)]
                else:
                    out += self._that_fit(first, last)
        return out

    def _by_tokens(self, start: int, end: int) -> list[tuple[int, int]]:
        ruler = self.ruler
        stop = ruler.token_at(end)
        cuts = [start]
        token = ruler.token_at(start)
        while token + self.room < stop:
            token = ruler.word_before(token + self.room, token)
            position = ruler.position(token)
            if position > cuts[-1]:
                cuts.append(position)
        return list(pairwise([*cuts, end]))

    def _fits(self, start: int, end: int) -> bool:
        return self.ruler.count(start, end) <= self.room

    def _scanned(self) -> Blocks:
        """The blocks of the text, without places to cut inside code and tables that fit."""
        if self._blocks is None:
            blocks = scan(self.ruler.text)
            starts = sorted({*blocks.paragraphs, *self._headings}) if self._at_headings else blocks.paragraphs
            keep = [span for span in blocks.keep if self._fits(*span)]
            self._kept = {span.start for span in keep}
            self._blocks = Blocks(_outside(starts, keep), _outside(blocks.lines, keep), keep)
        return self._blocks


def _parts(start: int, end: int, positions: list[int]) -> list[tuple[int, int]]:
    """[start, end) cut at those of the ascending `positions` that lie inside."""
    inside = positions[bisect_right(positions, start) : bisect_left(positions, end)]
    return list(pairwise([start, *inside, end]))


def _outside(positions: list[int], keep: Sequence[tuple[int, int]]) -> list[int]:
    """Those of the ascending `positions` that are not inside one of the ascending spans `keep`."""
    out = []
    at = 0
    for position in positions:
        while at < len(keep) and keep[at][1] <= position:
            at += 1
        if at == len(keep) or position <= keep[at][0]:
            out.append(position)
    return out

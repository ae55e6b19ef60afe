"""The stretches between headings that `recursive` cuts one by one, and which of them may share a chunk."""

from __future__ import annotations

from typing import NamedTuple

from ragtriage.chunking.boundaries import Ruler
from ragtriage.types import Document

__all__ = ["Region", "is_bare", "regions_of", "top_depth"]


class Region(NamedTuple):
    """[start, end) of a document. `lineage` are the rows of the sections it stands in, outermost first."""

    start: int
    end: int
    lineage: tuple[int, ...]


def regions_of(document: Document, ruler: Ruler, size: int) -> list[Region]:
    """Each section's own text, up to the next heading, and what stands above the first one.

    A heading without text goes with what follows it, and so does a short introduction: alone they would be found in the
    place of the answer below them.
    """
    raw = _raw(document)
    top = top_depth(document)
    out: list[Region] = []
    start = 0
    for region in raw:
        text = document.text[region.start : region.end]
        bare = not text.strip() or (bool(region.lineage) and is_bare(text))
        short = len(region.lineage) < top and ruler.count(start, region.end) < size // 4
        if (bare or short) and region is not raw[-1]:
            continue  # the next one begins at `start`, too
        if bare and out and start == region.start:
            out[-1] = out[-1]._replace(end=region.end)
        else:
            out.append(region._replace(start=start))
        start = region.end
    return out


def _raw(document: Document) -> list[Region]:
    sections = document.sections
    lineage: list[int] = []
    first = sections[0].span.start if sections else len(document.text)
    out = [Region(0, first, ())]
    for row, section in enumerate(sections):
        while lineage and sections[lineage[-1]].span.end <= section.span.start:
            lineage.pop()
        lineage.append(row)
        end = sections[row + 1].span.start if row + 1 < len(sections) else len(document.text)
        out.append(Region(section.span.start, end, tuple(lineage)))
    return out


def is_bare(text: str) -> bool:
    """Whether there is a heading and nothing under it."""
    lines = text.strip().split("\n", 2)
    return len(lines) == 1 or (len(lines) == 2 and not lines[1].strip(" =-"))


def top_depth(document: Document) -> int:
    """How deep the sections lie that are the document's main parts: below a heading that holds everything, its children."""
    sections = document.sections
    depth = 1
    inside = list(sections)
    while inside:
        outermost = inside[0].span
        if any(section.span.start >= outermost.end for section in inside) or len(inside) == 1:
            return depth
        depth += 1
        inside = inside[1:]
    return depth

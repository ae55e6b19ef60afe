"""The texts of both sides of a review: cuts from the cache, documents of today or of an export of that revision."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

from ragtriage_tui.bridge.questions import holding
from ragtriage_tui.bridge.review_places import Located, Shift, located, no_shift, shift
from ragtriage_tui.review_views import Side, TextPart, Texts
from ragtriage_tui.text import scrub

if TYPE_CHECKING:
    from ragtriage.compare.chunks import ChunkTable, Passage
    from ragtriage.compare.flips import Flip
    from ragtriage.project import Project
    from ragtriage.review.review import Review
    from ragtriage.revisions.naming import Revision
    from ragtriage.types import Progress

__all__ = ["Source", "Sources", "read_sources"]

_MOST_BESIDE = 6  # chunks shown of a side where one was split into many


class Source:
    """One side: where its chunks lie, and what stands there."""

    def __init__(self, table: ChunkTable | None, texts: Mapping[str, str]) -> None:
        self.table = table
        self._texts = texts

    def text(self, doc_id: str) -> str | None:
        """A document's text; None where it is not known."""
        return self._texts.get(doc_id)

    def digest(self, doc_id: str) -> str:
        """The hash of a document's text, "" where this side has no such document."""
        return self.table.digests.get(doc_id, "") if self.table else ""

    def located(self, chunk_id: str) -> Located:
        return located(chunk_id, self.table)

    def words(self, one: Located) -> str:
        """What stands in a chunk; "" where that is not known."""
        text = self.text(one.doc_id)
        return text[slice(*one.span)] if text is not None else ""


class Sources:
    """Both sides, and today's documents."""

    def __init__(self, base: Source, head: Source, today: Callable[[str], str | None]) -> None:
        self.base = base
        self.head = head
        self._today = today
        self._shifts: dict[str, Shift | None] = {}

    def side(self, side: Side) -> Source:
        return self.base if side == "base" else self.head

    def edited(self, doc_id: str) -> bool:
        return self.base.digest(doc_id) != self.head.digest(doc_id)

    def shift_of(self, doc_id: str) -> Shift | None:
        """How offsets of a document move from base to head; None where one side's text is not known."""
        if doc_id not in self._shifts:
            self._shifts[doc_id] = self._shift(doc_id)
        return self._shifts[doc_id]

    def _shift(self, doc_id: str) -> Shift | None:
        if self.base.table is None or self.head.table is None:
            return None
        if not self.edited(doc_id):
            return no_shift
        old, new = self.base.text(doc_id), self.head.text(doc_id)
        return shift(old, new) if old is not None and new is not None else None

    def today(self, side: Side, one: Located) -> int | None:
        """Where today's document has a chunk of a side; None where there is no such document."""
        now = self._today(one.doc_id)
        then = self.side(side).text(one.doc_id)
        if now is None or one.passage is None:
            return None
        if then is None or then == now:
            return min(one.passage.start, len(now))
        return min(shift(then, now)(one.passage.start), len(now))

    # the texts of a passage

    def texts(self, flip: Flip, side: Side, chunk_id: str) -> Texts:
        """A chunk of a side, and what the other side has of it."""
        source = self.side(side)
        one = source.located(chunk_id)
        if one.passage is None:
            why = "What this chunk said is not in the cache any more; ctrl+r measures again."
            return Texts(side, scrub(chunk_id), (), (), base_why=why, head_why=why)
        there = self._overlapping(side, one.doc_id, [one.passage])
        other: Side = "head" if side == "base" else "base"
        back = self._overlapping(other, one.doc_id, there[:_MOST_BESIDE]) or [one.passage]
        mine = self._parts(flip, side, one.doc_id, back, main={one.passage.ordinal}, others=there)
        theirs = self._parts(flip, other, one.doc_id, there, main={each.ordinal for each in there}, others=back)
        base, head = (mine, theirs) if side == "base" else (theirs, mine)
        return Texts(
            side, scrub(chunk_id), base, head, self.edited(one.doc_id) and bool(base and head),
            base_why=self._why("base", one.doc_id, base), head_why=self._why("head", one.doc_id, head),
        )  # fmt: skip

    def _overlapping(self, side: Side, doc_id: str, passages: list[Passage]) -> list[Passage]:
        """The passages of the other side that share more than a border with some of `side`."""
        move = self.shift_of(doc_id)
        other = self.head if side == "base" else self.base
        if move is None or other.table is None:
            return []
        out = []
        for one in other.table.passages.get(doc_id, ()):
            for mine in passages:
                old, new = (mine, one) if side == "base" else (one, mine)
                first, last = max(move(old.start), new.start), min(move(old.end), new.end)
                if last - first > min(24, (new.end - new.start) // 2):
                    out.append(one)
                    break
        return out

    def _parts(
        self, flip: Flip, side: Side, doc_id: str, passages: list[Passage], *, main: set[int], others: list[Passage]
    ) -> tuple[TextPart, ...]:
        text = self.side(side).text(doc_id)
        if text is None:
            return ()
        items = (flip.base if side == "base" else flip.head).items
        chosen = sorted(passages, key=lambda one: (one.ordinal not in main, one.start))[:_MOST_BESIDE]
        out = []
        for one in sorted(chosen, key=lambda one: one.start):
            holds, evidence = holding(doc_id, text, one.start, one.end, items)
            facts = f"{one.tokens} {'token' if one.tokens == 1 else 'tokens'}"
            borders = self._borders(side, doc_id, one, others)
            out.append(
                TextPart(
                    f"#{one.ordinal}", facts, scrub(text[one.start : one.end]), evidence, borders, holds, one.ordinal in main
                )
            )
        return tuple(out)

    def _borders(self, side: Side, doc_id: str, one: Passage, others: list[Passage]) -> tuple[tuple[int, str], ...]:
        """Where in a passage one of the other side begins."""
        move = self.shift_of(doc_id)
        if move is None:
            return ()
        found = []
        word = "now" if side == "base" else "was"
        for other in others:
            at = move(other.start) if side == "head" else _back(move, one, other.start)
            if one.start < at < one.end:
                found.append((at - one.start, f"{word} #{other.ordinal}"))
        return tuple(found)

    def _why(self, side: Side, doc_id: str, parts: tuple[TextPart, ...]) -> str:
        if parts:
            return ""
        if not self.side(side).digest(doc_id):
            return f"{scrub(doc_id)} is not among the documents of the {side}."
        return f"Nothing of {scrub(doc_id)} on this side has the same text."


def _back(move: Shift, one: Passage, wanted: int) -> int:
    """The offset inside a passage of the base that moves to `wanted`; its end where none does."""
    low, high = one.start, one.end
    while low < high:
        middle = (low + high) // 2
        low, high = (low, middle) if move(middle) >= wanted else (middle + 1, high)
    return low


def read_sources(review: Review, project: Project, overrides: tuple[str, ...], progress: Progress) -> Sources:
    """The texts behind the chunks of a review. `project` is today's, which the working tree was measured on."""
    from ragtriage.compare.chunks import chunk_table

    tables = [chunk_table(run, project.cache) for run in (review.comparison.base, review.comparison.head)]
    today = {document.doc_id: document.text for document in project.corpus.documents}
    digests = dict(zip((one.doc_id for one in project.corpus.documents), project.corpus.digests, strict=False))
    sources = []
    for revision, table in zip((review.base, review.head), tables, strict=True):
        texts = today
        if table is not None and any(digests.get(doc_id) != digest for doc_id, digest in table.digests.items()):
            progress("reading", 0, 0)
            texts = _of_revision(project, revision, overrides, table, today, digests)
        sources.append(Source(table, texts))
    return Sources(sources[0], sources[1], today.get)


def _of_revision(
    project: Project,
    revision: Revision,
    overrides: tuple[str, ...],
    table: ChunkTable,
    today: Mapping[str, str],
    digests: Mapping[str, str],
) -> dict[str, str]:
    """The documents of a revision; what cannot be read again is left out, and nobody's evidence is shown in other words."""
    from ragtriage.errors import Cancelled, RagtriageError
    from ragtriage.git import Repository
    from ragtriage.revisions.side import opened

    texts = {doc_id: today[doc_id] for doc_id, digest in table.digests.items() if digests.get(doc_id) == digest}
    if revision.working:  # what was measured a moment ago was written to since
        return texts
    try:
        repository = Repository.of(project.root)
        with opened(project, repository, revision, overrides=overrides, golden=project.golden) as side:
            corpus = side.project.corpus
            for document, digest in zip(corpus.documents, corpus.digests, strict=False):
                if table.digests.get(document.doc_id) == digest:
                    texts[document.doc_id] = document.text
    except Cancelled:
        raise
    except RagtriageError:
        return texts
    return texts

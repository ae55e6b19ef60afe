"""A foreign hit -> a passage of our corpus with a name: by chunk id where ids agree, else by its text.

An id agrees where it is a chunk's of ours and the text that comes with it, if any, is that chunk's. A system that cuts
otherwise may well use the same ids for other texts.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, NamedTuple

from ragtriage.chunking.base import Chunks
from ragtriage.chunking.passages import Unplaced
from ragtriage.golden.rewording import same_words
from ragtriage.ids import text_sha
from ragtriage.search.access import visible
from ragtriage.search.systems.alignment import Aligner
from ragtriage.search.systems.document_names import DocumentNames
from ragtriage.search.systems.foreign import ForeignHit
from ragtriage.types import AlsoAt, FoundAt, Groups

__all__ = ["How", "Matched", "Matcher"]

How = Literal["id", "document", "exact", "folded", "fuzzy", "parts", "nothing"]

_MOST_KEPT = 20_000  # characters of a text that stands nowhere, which a prompt may hold
_MEMO = 200_000


class Matched(NamedTuple):
    """One hit. With `how` "id" `name` is a chunk's of ours and `place` None; else it is the passage's own, and `place` where it
    stands, with `also` what else it holds. `unplaced` is what is known of one that stands nowhere. `hidden`: who asked may not
    see it. `called` is the document that it names, where that is none of ours and it was not found."""

    name: str
    place: FoundAt
    how: How
    unplaced: Unplaced | None = None
    also: tuple[AlsoAt, ...] = ()
    hidden: bool = False
    called: str = ""


class Matcher:
    """Matches hits with one table of chunks. Not for several threads at once."""

    def __init__(self, chunks: Chunks) -> None:
        self._chunks = chunks
        self._corpus = chunks.corpus
        self._aligner = Aligner(chunks.corpus)
        self.documents = DocumentNames(chunks.corpus)
        self._first: dict[str, str] = {}
        self._known: dict[tuple[str, str, str, Groups], Matched] = {}

    def match(self, hits: Sequence[ForeignHit], groups: Groups) -> list[Matched]:
        """One result a hit, in their order."""
        return [self._match(hit, groups) for hit in hits]

    def _match(self, hit: ForeignHit, groups: Groups) -> Matched:
        key = (hit.id, text_sha(hit.text) if hit.text else "", hit.doc, groups)
        found = self._known.get(key)
        if found is None:
            found = self._found(hit, groups)
            if len(self._known) < _MEMO:
                self._known[key] = found
        return found

    def _found(self, hit: ForeignHit, groups: Groups) -> Matched:
        row = self._chunks.row(hit.id) if hit.id else None
        if row is not None and (not hit.text.strip() or _is_text_of(hit.text, self._chunks.text(row))):
            hidden = not visible(self._chunks.document_of(row).access, groups)
            return Matched(self._chunks.ids[row], None, "id", hidden=hidden)
        text = hit.text
        if not text.strip() and row is None:
            called = hit.id or hit.doc
            doc_row = self.documents.row(called) if called else None
            if doc_row is not None:
                document = self._corpus.documents[doc_row]
                place, hidden = (document.doc_id, 0, len(document.text)), not visible(document.access, groups)
                return Matched(self._name(hit, ""), place, "document", hidden=hidden)
            text = hit.id if len(hit.id.split()) > 1 else ""  # a list of texts looks like one of ids
        doc_row = self._document(hit)
        aligned = self._aligner.find(text, doc_row, groups) if text.strip() else None
        if aligned is None:
            unplaced = Unplaced(text[:_MOST_KEPT], hit.doc) if text.strip() else None
            called = "" if doc_row is not None else hit.doc or ("" if unplaced else hit.id)
            return Matched(self._name(hit, text), None, "nothing", unplaced, called=called)
        ids = self._corpus.documents
        place = (ids[aligned.doc_row].doc_id, *aligned.span)
        also = tuple(AlsoAt(ids[one.doc_row].doc_id, *one.span, one.part) for one in aligned.also)
        return Matched(self._name(hit, text, place), place, aligned.how, also=also, hidden=aligned.hidden)

    def _document(self, hit: ForeignHit) -> int | None:
        """The document that a hit names: by `doc`, or by what its id begins with."""
        called = (hit.doc, hit.doc.rpartition("#")[0], hit.id.rpartition("#")[0])
        rows = (self.documents.row(name) for name in called if name)
        return next((row for row in rows if row is not None), None)

    def _name(self, hit: ForeignHit, text: str, place: FoundAt = None) -> str:
        """The system's own id; where that is a chunk's of ours or another text's, or where it gives none, one that tells the
        text apart."""
        own = hit.id if hit.id and text is not hit.id else ""
        if own:
            said = text_sha(text)
            # many give each cut its document's id, or its place in the list: the first text has it, others are told apart
            free = self._chunks.row(own) is None and self._first.setdefault(own, said) == said
            return own if free else f"{own}~{said[:6]}"
        if place is not None:
            return f"{place[0]}@{place[1]}-{place[2]}"
        if text.strip():
            return f"text~{text_sha(text)[:8]}"
        return f"doc~{hit.doc}" if hit.doc else "~"


def _is_text_of(said: str, ours: str) -> bool:
    """Whether a text is a chunk's, or that with its title and headings before it."""
    said, ours = said.strip(), ours.strip()
    if said == ours or (said.endswith(ours) and len(said) <= 2 * len(ours) + 400):
        return True
    return 0.5 < len(said) / max(len(ours), 1) < 2 and same_words(said, ours)

"""What reading gives: the documents, what is wrong with their files, and what was left out."""

from __future__ import annotations

import unicodedata
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path, PurePosixPath
from typing import Literal, NamedTuple

from ragtriage.errors import CorpusError, Problem
from ragtriage.types import Cut, Document, Section, Span

__all__ = ["Corpus", "Parsed", "ParsedFile", "Reason", "Skipped", "stem_of"]

Reason = Literal["unmatched", "empty", "no text", "binary", "encoding", "outside", "unreadable", "thin page"]


class Skipped(NamedTuple):
    """A file that gave no text, or a part of one. `source` is relative to the corpus root, `detail` fit for a user."""

    source: str
    reason: str
    detail: str = ""


class Parsed(NamedTuple):
    """A document as its file tells it. `doc_id` "" is to be named after the file; spans are code points into `text`."""

    doc_id: str
    title: str
    text: str
    sections: tuple[Section, ...] = ()
    pages: tuple[Span, ...] = ()
    access: tuple[str, ...] | None = None
    cuts: tuple[Cut, ...] | None = None


class ParsedFile(NamedTuple):
    """All that one file gave."""

    documents: list[Parsed]
    problems: tuple[Problem, ...] = ()
    skipped: tuple[Skipped, ...] = ()


@dataclass(frozen=True, slots=True)
class Corpus:
    """Every document below one root, sorted by source path, then by order in the file.

    `digests` holds one hash a document, of all that its chunks depend on; `fingerprint` covers ids and digests of all.
    """

    root: Path
    documents: tuple[Document, ...]
    problems: tuple[Problem, ...] = ()
    skipped: tuple[Skipped, ...] = ()
    fingerprint: str = ""
    digests: tuple[str, ...] = ()
    _names: dict[str, int | list[int]] = field(default_factory=dict, init=False, repr=False, compare=False)

    def row(self, name: str) -> int | None:
        """Index into `documents` of the one that `name` calls, by id or by path with suffix; None: none, or several."""
        rows = self._rows(name)
        return rows[0] if len(rows) == 1 else None

    def get(self, name: str) -> Document | None:
        """The document that `name` calls, or None where there is none or more than one."""
        row = self.row(name)
        return None if row is None else self.documents[row]

    def document(self, name: str) -> Document:
        """The document that `name` calls. Raises CorpusError that names the nearest id, or all that `name` could mean."""
        rows = self._rows(name)
        if len(rows) == 1:
            return self.documents[rows[0]]
        if rows:
            meant = " or ".join(self.documents[row].doc_id for row in rows)
            raise CorpusError(f"document {name!r} is ambiguous: say {meant}")
        raise CorpusError(f"no document {name!r} in {self.root}{self._nearest(name)}")

    def _rows(self, name: str) -> list[int]:
        if not self._names:
            self._fill()
        found = self._names.get(name)
        if found is None:
            found = self._names.get(unicodedata.normalize("NFC", name), [])
        return [found] if isinstance(found, int) else found

    def _fill(self) -> None:
        names: dict[str, int | list[int]] = {document.doc_id: row for row, document in enumerate(self.documents)}
        for row, document in enumerate(self.documents):
            stem = stem_of(document.source)
            if document.doc_id == stem:
                names.setdefault(document.source, row)
            elif document.doc_id == document.source and stem != document.source:
                before = names.setdefault(stem, row)
                called = [before] if isinstance(before, int) else before
                if row not in called and self.documents[called[0]].doc_id != stem:
                    names[stem] = [*called, row]
        self._names.update(names)  # at once: another thread must not see half of them

    def _nearest(self, name: str) -> str:
        from rapidfuzz import process

        close = process.extract(name, [document.doc_id for document in self.documents], limit=1, score_cutoff=70)
        return f"; did you mean {close[0][0]}?" if close else ""


@lru_cache(maxsize=256)  # a file of documents gives its name to each of them
def stem_of(source: str) -> str:
    """A file's path without its suffix, which is what a document is called by: `billing/webhooks`."""
    path = PurePosixPath(source)
    return str(path.with_suffix("")) if path.suffix else source

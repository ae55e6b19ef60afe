"""Which document of ours a foreign system means: by our id, a path, an address, with another suffix or in another case."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import PurePosixPath
from urllib.parse import unquote, urlsplit

from ragtriage.corpus.base import Corpus, stem_of

__all__ = ["DocumentNames"]

_LONGEST = 2_000  # characters of a name
_MOST_FOLDERS = 30


class DocumentNames:
    """The documents of one corpus by the names that others may have for them."""

    def __init__(self, corpus: Corpus) -> None:
        self._corpus = corpus
        self._folded: dict[str, int | None] = {}

    def row(self, name: str) -> int | None:
        """The document that a name ends in: https://docs.example.com/billing/refunds.md is billing/refunds, and so are
        `Billing/Refunds.html` and, where no other document is called so, `refunds`. None: none, or several."""
        forms = list(dict.fromkeys(_forms(name)))
        for form in forms:
            row = self._corpus.row(form)
            if row is not None:
                return row
        for form in forms:
            row = self._others().get(form.casefold())
            if row is not None:
                return row
        return None

    def nearest(self, name: str) -> str:
        """The id of ours that is most like a name that calls none; "" where none is like it."""
        from rapidfuzz import process, utils

        ids = [document.doc_id for document in self._corpus.documents]
        last = next(_forms(name), "").rpartition("/")[2]
        close = process.extractOne(stem_of(last), ids, processor=utils.default_process, score_cutoff=70) if last else None
        return close[0] if close else ""

    def some(self, most: int) -> list[str]:
        """The first ids of ours, to show what they look like."""
        return [document.doc_id for document in self._corpus.documents[:most]]

    def _others(self) -> dict[str, int | None]:
        """Ids without regard to case, and their last parts; None for what several documents are called."""
        if not self._folded and self._corpus.documents:
            last: dict[str, int | None] = {}
            for row, document in enumerate(self._corpus.documents):
                for called in {document.doc_id.casefold(), stem_of(document.doc_id).casefold()}:
                    self._folded[called] = None if called in self._folded else row
                called = PurePosixPath(stem_of(document.doc_id)).name.casefold()
                if any(map(str.isalpha, called)):  # the 17 of a system of its own is not our chapters/17
                    last[called] = None if called in last else row
            self._folded = {**last, **self._folded}
        return self._folded


def _forms(name: str) -> Iterator[str]:
    """A name and what it ends in, each as it is and without its suffix."""
    name = name.strip()[:_LONGEST]
    if "://" in name:
        try:
            name = urlsplit(name).path
        except ValueError:
            return
    plain = unquote(name).replace("\\", "/").strip("/")
    for form in dict.fromkeys((name, plain)):
        rest = form
        for _ in range(_MOST_FOLDERS):
            if not rest:
                break
            yield rest
            yield stem_of(rest)
            rest = rest.partition("/")[2]

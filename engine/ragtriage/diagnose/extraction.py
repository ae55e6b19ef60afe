"""Documents of which reading gave nothing, or next to nothing: a scan, a page that a script fills, an empty file."""

from __future__ import annotations

from collections import Counter
from typing import NamedTuple

from ragtriage.corpus.base import Corpus
from ragtriage.diagnose.words import count_words

__all__ = ["Thin", "thin_documents"]

LEAST_WORDS = 10
"""A document with fewer words is thin."""
_LEAST_SHARE = 0.005  # of the file's bytes that became text; less is a page of scripts, or pictures
_LARGE = 20_000  # bytes from which that share is asked
_GLANCE = 500  # words from which a text is not thin, however large its file


class Thin(NamedTuple):
    """A document's own words, counted to 500, and the size of its file in bytes, 0 where it holds other documents, too."""

    doc_id: str
    source: str
    words: int
    size: int


def thin_documents(corpus: Corpus) -> list[Thin]:
    """Documents with fewer than 10 words, or fewer than 500 from a file 200 times as long, in the corpus' order."""
    of_source = Counter(document.source for document in corpus.documents)
    out = []
    for document in corpus.documents:
        if len(document.text) > 64 * _GLANCE:
            continue
        words = count_words(document.text, _GLANCE)
        if words >= _GLANCE:
            continue
        size = _size(corpus, document.source) if of_source[document.source] == 1 else 0
        if words < LEAST_WORDS or (size >= _LARGE and len(document.text) < _LEAST_SHARE * size):
            out.append(Thin(document.doc_id, document.source, words, size))
    return out


def _size(corpus: Corpus, source: str) -> int:
    try:
        return (corpus.root / source).stat().st_size if source else 0
    except (OSError, ValueError):  # removed since, or a name that no file has
        return 0

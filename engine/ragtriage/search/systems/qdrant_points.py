"""What stands in a Qdrant collection for each unit of the chunks, and how the words of a text are counted there.

A *generation* is one state of all that is uploaded: chunks, vectors, who may see what, the analysis. It is part of every
point's id and payload, so that two states never mix: a search filters by its own, and an upload removes the others last.
"""

from __future__ import annotations

import re
import uuid
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ragtriage.ids import fingerprint, text_sha
from ragtriage.search.access import access_tags
from ragtriage.search.analysis import scrub, stemmer_name
from ragtriage.search.stop_words import ENGLISH

if TYPE_CHECKING:
    from ragtriage.chunking.base import Chunks

__all__ = ["Point", "bm25_options", "generation_of", "ids_of", "mean_length", "points", "question_words"]

_VERSION = 1  # of what is stored: points of another version are another generation
_SPACE = uuid.UUID("6f1d9a0e-6a55-5d0b-9a53-0c1f5a3c7e21")
_UNSPACED = ("ja", "ko", "th", "zh")
_WORD = re.compile(r"[^\W_]+")
_SAID = re.compile(r"[^\W_]++(?:['’][^\W_]++)*")
_MOST_WORDS = 1024  # of a question; more is a pasted file


class Point(NamedTuple):
    """One unit as it is stored: `text` is what BM25 reads, `vector` float16[d], `payload` is stored as it stands."""

    id: str
    text: str
    vector: np.ndarray
    payload: dict[str, Any]


def generation_of(chunks: Chunks, encoder: str, language: str) -> str:
    """Identifies what an upload of these chunks holds, their vectors being those of `encoder`."""
    documents = chunks.corpus.documents
    access = [list(one.access) for one in documents if one.access is not None]
    rows = [row for row, one in enumerate(documents) if one.access is not None]
    return fingerprint([_VERSION, chunks.fingerprint, chunks.units.fingerprint, encoder, bm25_options(language), rows, access])


def bm25_options(language: str) -> dict[str, Any]:
    """How the server analyses a text: words in lower case, stemmed, none left out. Raises ConfigError for a language."""
    stemmer = stemmer_name(language)
    options: dict[str, Any] = {
        "language": "none",  # its lists of stop words would leave them out of the documents, too
        "tokenizer": "multilingual" if language.lower() in _UNSPACED else "word",
        "k": 1.2,
        "b": 0.75,
    }
    return options | ({"stemmer": {"type": "snowball", "language": stemmer}} if stemmer else {})


def mean_length(texts: Sequence[str], language: str) -> float:
    """The mean number of words of a text, as the server counts them, in whole words, at least 1.

    It is fixed when a text is written, and the server's own guess of 256 ranks short texts otherwise. Of languages without
    spaces it is estimated at two characters a word.
    """
    words = (word for text in texts for word in _WORD.findall(text))
    if language.lower() in _UNSPACED:
        count = sum(1 if word.isascii() else (len(word) + 1) // 2 for word in words)
    else:
        count = sum(1 for _ in words)
    return float(max(1, round(count / max(1, len(texts)))))


def question_words(text: str, language: str) -> str:
    """What of a question is sent to BM25: all but English stop words, or everything where there is nothing else."""
    words = _SAID.findall(scrub(text))[:_MOST_WORDS] if language.lower() == "en" else scrub(text).split()[:_MOST_WORDS]
    if language.lower() != "en":
        return " ".join(words)
    plain = ((word, word.lower().replace("’", "'")) for word in words)
    kept = [word[:-2] if form.endswith("'s") else word for word, form in plain if form not in ENGLISH]
    return " ".join(kept or words)


def ids_of(chunks: Chunks, generation: str) -> Iterator[str]:
    """The id of each unit's point, in their order. Each time the same."""
    space = uuid.uuid5(_SPACE, generation)
    for row, name in enumerate(chunks.units.ids):
        yield str(uuid.uuid5(space, f"{row}:{scrub(name)}"))


def points(
    chunks: Chunks, generation: str, rows: Sequence[int], ids: Sequence[str], vectors: np.ndarray, average: float
) -> list[Point]:
    """The points of some units: `ids[i]` and `vectors[i]` (float[n, d]) are those of unit `rows[i]`."""
    units, parents = chunks.units, chunks.unit_parents
    out = []
    for row, point_id, vector in zip(rows, ids, vectors, strict=True):
        document = units.corpus.documents[int(units.doc_rows[row])]
        text = scrub(units.indexed_text(row))
        tags = access_tags(document.access)
        chunk_id = chunks.ids[row if parents is None else int(parents[row])]
        half = vector.astype(np.float16)
        payload = {
            "chunk_id": scrub(chunk_id),
            "doc_id": scrub(document.doc_id),
            "groups": tags,
            "generation": generation,
            "text": text,
            "sha": fingerprint([text_sha(text), tags, scrub(chunk_id), half.tobytes().hex(), average]),
        }
        out.append(Point(point_id, text, half, payload))
    return out

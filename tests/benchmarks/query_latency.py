"""A hybrid query over 100,000 chunks whose vectors are there, against raw Tantivy and raw usearch in the same process.

The raw query is the least that gives a hybrid ranking: the same terms against the same kind of index, the ids of the best
hundred, one exact usearch call over the same matrix. With access lists the raw side stays as it is: it sees everything.
"""

from __future__ import annotations

import random
import time
from collections.abc import Sequence
from functools import partial
from typing import Any

import numpy as np
from tests.benchmarks.harness import Bench, Figure, Times, at_most, info

from ragtriage.config import EmbeddingConfig, RetrievalConfig
from ragtriage.ids import fingerprint, text_sha
from ragtriage.search.indexes import Indexes
from ragtriage.search.lexical import LexicalIndex
from ragtriage.search.pipeline import Query, Retriever
from ragtriage.types import Document, Progress

CHUNKS = 100_000
QUERIES = 150
DIMENSION = 384
DEPTH = 100
GROUPS = ("staff", "sales", "legal", "support")


class Texts:
    """One chunk a document: the part of `Chunks` that search uses."""

    def __init__(self, documents: tuple[Document, ...]) -> None:
        self.corpus = self.units = self
        self.unit_parents = None
        self.documents = documents
        self.ids = [document.doc_id for document in documents]
        self.doc_rows = np.arange(len(documents), dtype=np.int32)
        self.fingerprint = fingerprint([text_sha("".join(document.text for document in documents))])

    def __len__(self) -> int:
        return len(self.ids)

    def indexed_text(self, row: int) -> str:
        return self.documents[row].text

    def indexed_texts(self) -> list[str]:
        return [document.text for document in self.documents]


class Given:
    """An encoder that has every vector already: unit vectors from a seed and the text."""

    window = 256

    def __init__(self) -> None:
        self.fingerprint = "given-1"

    def start(self) -> None: ...

    def close(self) -> None: ...

    def encode(self, texts: Sequence[str], progress: Progress) -> np.ndarray:
        seed = int(text_sha(texts[0])[:8], 16)
        vectors = np.random.default_rng(seed).standard_normal((len(texts), DIMENSION), dtype=np.float32)
        return (vectors / np.linalg.norm(vectors, axis=1, keepdims=True)).astype(np.float16)


class Corpus:
    """Texts of words with the frequencies of a language (Zipf), 60 to 160 words each, and questions of their words."""

    def __init__(self, chunks: int, queries: int) -> None:
        rng = np.random.default_rng(3)
        letters = random.Random(3)
        vocabulary = ["".join(letters.choices("etaoinshrdlu", k=letters.randint(3, 10))) for _ in range(40_000)]
        weights = 1 / np.arange(1, len(vocabulary) + 1)
        drawn = rng.choice(len(vocabulary), size=chunks * 110, p=weights / weights.sum())
        bounds = np.concatenate([[0], np.cumsum(rng.integers(60, 161, size=chunks))]) % len(drawn)
        self.texts = []
        for row in range(chunks):
            start = int(bounds[row])
            self.texts.append(" ".join([vocabulary[word] for word in drawn[start : start + 60 + row % 101]]))
        self.access = [None if row % 3 == 0 else (GROUPS[row % len(GROUPS)],) for row in range(chunks)]
        self.queries = [
            " ".join(vocabulary[int(word)] for word in rng.choice(3_000, size=int(rng.integers(4, 11)))) for _ in range(queries)
        ]

    def documents(self, *, access: bool) -> tuple[Document, ...]:
        return tuple(
            Document(f"d{row:06}", "", text, access=self.access[row] if access else None) for row, text in enumerate(self.texts)
        )


class Raw:
    """Tantivy and usearch called directly on what ragtriage has built."""

    def __init__(self, index: LexicalIndex, matrix: np.ndarray, vectors: np.ndarray) -> None:
        self.index, self.matrix, self.vectors = index, matrix, vectors

    def query(self, text: str) -> Any:
        """The same term query that ragtriage makes: who calls Tantivy directly has to make one, too."""
        return self.index._query(self.index._reader.weights(text), ("*",))

    def search(self, place: int, text: str) -> None:
        from usearch.compiled import MetricKind
        from usearch.index import search

        hits = self.index._searcher.search(self.query(text), limit=DEPTH, count=False).hits
        self.index._searcher.fast_field_values("ord", [address for _, address in hits])
        search(self.matrix, self.vectors[place : place + 1], DEPTH, MetricKind.IP, exact=True)


def run(bench: Bench) -> list[Figure]:
    corpus = Corpus(CHUNKS, QUERIES)
    plain = _retriever(bench, Texts(corpus.documents(access=False)))
    listed = _retriever(bench, Texts(corpus.documents(access=True)))
    for retriever in (plain, listed):
        retriever.search([Query(text) for text in corpus.queries])  # indexes built, query vectors known
    dense = plain.indexes.built_dense()
    known = plain.question_vectors(corpus.queries, wait=False)
    vectors = np.stack([known[text] for text in corpus.queries])
    raw = Raw(plain.indexes.lexical("en"), dense._matrix, vectors)
    groups = [tuple(sorted({GROUPS[place % 4], GROUPS[place * 7 % 4]})) for place in range(6)]
    for each in groups:
        listed.search([Query(corpus.queries[0], each)])
    took: dict[str, list[float]] = {"raw": [], "hybrid": [], "access": []}
    for place, text in enumerate(corpus.queries):
        for name, search in (
            ("raw", partial(raw.search, place, text)),
            ("hybrid", partial(plain.search, [Query(text)])),
            ("access", partial(listed.search, [Query(text, groups[place % len(groups)])])),
        ):
            started = time.perf_counter()
            search()
            took[name].append((time.perf_counter() - started) * 1000)
    p50 = {name: Times(tuple(values)).median for name, values in took.items()}
    p95 = {name: float(np.percentile(values, 95)) for name, values in took.items()}
    note = f"{p50['hybrid']:.2f} ms of {p50['raw']:.2f} ms; p95 {p95['hybrid']:.2f} of {p95['raw']:.2f} ms; {QUERIES} queries"
    limited = f"{p50['access']:.2f} ms; p95 {p95['access']:.2f} ms; questions see half to two thirds of the chunks"
    for retriever in (plain, listed):
        retriever.indexes.close()
    return [
        at_most(f"hybrid query over {CHUNKS:,} chunks: x raw Tantivy + usearch", p50["hybrid"] / p50["raw"], 1.15, note=note),
        at_most("with access lists, from the second question on", p50["access"] / p50["raw"], 1.3, note=limited),
        info("raw Tantivy + usearch, p50", p50["raw"], "ms"),
    ]


def _retriever(bench: Bench, chunks: Texts) -> Retriever:
    indexes = Indexes(chunks, EmbeddingConfig(), cache=bench.home / "latency", encoder=Given())
    return Retriever(indexes, RetrievalConfig())


def _nothing(stage: str, done: int, total: int) -> None:
    """No progress is shown."""

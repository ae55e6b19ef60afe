"""A question's way through one configuration: BM25 and vectors, fusion, reranking, the ranking.

questions ─┬─ bm25  (depth) ─┬─ fused (pool) ── reranked (pool)
           └─ dense (depth) ─┘

Where small pieces are indexed, each retriever's list is mapped to their chunks before anything else sees it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from itertools import repeat
from typing import NamedTuple

import numpy as np

from ragtriage.config import RetrievalConfig
from ragtriage.errors import SystemFailed
from ragtriage.ids import fingerprint
from ragtriage.search.analysis import ANALYSIS_VERSION, stemmer_name
from ragtriage.search.dense import DenseIndex
from ragtriage.search.fusion import reciprocal_rank_fusion, standard_score_fusion
from ragtriage.search.indexes import Indexes
from ragtriage.search.lexical import LexicalIndex
from ragtriage.search.parents import Search, search_parents
from ragtriage.search.ranking import DECIMALS, Retrieved, order
from ragtriage.search.reranking import LEXICAL, Reranker, Reranking, best_first
from ragtriage.types import Failure, Groups, Hit, Progress, Ranking, no_progress

__all__ = ["Query", "Retriever"]


class Query(NamedTuple):
    """What is asked, and as whom."""

    text: str
    groups: Groups = None


class Retriever:
    """One retrieval configuration over `indexes`. Opens and embeds when it is first needed. Safe to use from several threads.

    `reranker` is the encoder process, or one that needs no model, unless given.
    """

    def __init__(self, indexes: Indexes, retrieval: RetrievalConfig, *, reranker: Reranker | None = None) -> None:
        self.indexes = indexes
        self.chunks = indexes.chunks
        self.retrieval = retrieval
        self._ids = indexes.ids
        self.reranking: Reranking | None = None
        if retrieval.rerank:
            self.reranking = Reranking(reranker or self._reranker(), retrieval.rerank, indexes.vectors)

    @property
    def encoded(self) -> int:
        """Texts sent through the embedding model so far."""
        return self.indexes.encoded

    @property
    def window(self) -> int:
        """How many tokens of a chunk the encoder reads, special tokens included."""
        return self.indexes.encoder.window

    def missing(self) -> int:
        """How many chunk texts would have to be embedded before a search: what an estimate is made from."""
        return 0 if self.retrieval.mode == "bm25" else self.indexes.missing()

    def prepare(self, progress: Progress = no_progress) -> None:
        """Build or open the indexes, embed what is missing. Raises ConfigError, EncoderFailed, StorageError, SystemFailed."""
        if self.missing():
            self.indexes.encoder.start()  # it loads its model while the BM25 index is built
        if self.retrieval.mode != "dense":
            self.indexes.lexical(self.retrieval.language, progress)
        if self.retrieval.mode != "bm25":
            self.indexes.dense(progress)

    def start_encoder(self) -> None:
        """Have the model loaded in the background, so that a new question need not wait for it."""
        if self.retrieval.mode != "bm25":
            self.indexes.encoder.start()

    def search(
        self, queries: Sequence[Query], *, progress: Progress = no_progress, wait: bool = True
    ) -> list[Ranking | Failure]:
        """The ranking of each query, cut to the pool; a Failure for one that could not be searched.

        With `wait` False nothing is embedded or reranked: a question whose vector is not cached gets BM25's ranking alone.
        Raises what concerns all of them: ConfigError, EncoderFailed, StorageError, and what `progress` raises.
        """
        mode = self.retrieval.mode
        vectors: dict[str, np.ndarray] = {}
        unanswered: Mapping[str, Failure] = {}
        if wait:
            self.prepare(progress)
        if mode != "bm25":
            vectors, unanswered = self.indexes.asked([query.text for query in queries], progress, wait=wait)
        near: dict[int, Retrieved] = {}
        places = [place for place, query in enumerate(queries) if query.text in vectors]
        if places and (dense := self.indexes.built_dense()) is not None:
            matrix = np.stack([vectors[queries[place].text] for place in places])
            groups = [queries[place].groups for place in places]

            def nearest(some: Sequence[int], units: int, index: DenseIndex = dense) -> list[Retrieved]:
                return index.search(matrix[list(some)], [groups[place] for place in some], units)

            near = dict(zip(places, self._searched(nearest, len(places)), strict=True))
        out: list[Ranking | Failure] = []
        for place, query in enumerate(queries):
            stages: dict[str, Retrieved] = {}
            if query.text in unanswered:
                out.append(Failure(f"the question has no vector: {unanswered[query.text].reason}"))
                continue
            try:
                if mode != "dense" or place not in near:
                    lexical = self.indexes.lexical(self.retrieval.language, progress)
                    find = partial(_with_words, lexical, query)
                    (stages["bm25"],) = self._searched(find, 1)
            except SystemFailed as error:
                out.append(Failure(str(error)))
                continue
            if place in near:
                stages["dense"] = near[place]
            if len(stages) == 2:
                stages["fused"] = self._fuse(stages["bm25"], stages["dense"])
            out.append(self._ranking(stages))
        if self.reranking is not None and wait:
            self._rerank(self.reranking, queries, out, progress)
        return out

    def terms(self, text: str) -> list[str]:
        """The index terms of a text in order, stop words left out."""
        return self.indexes.lexical(self.retrieval.language).terms(text)

    def idf(self, term: str) -> float:
        """The BM25 weight of an index term; above 0, largest for one that no chunk holds."""
        return self.indexes.lexical(self.retrieval.language).idf(term)

    @property
    def statistics(self) -> str:
        """Identifies what `terms` and `idf` depend on."""
        return fingerprint([self.chunks.units.fingerprint, stemmer_name(self.retrieval.language), ANALYSIS_VERSION])

    def similarity(self, query_text: str, chunk_ids: Sequence[str]) -> np.ndarray | None:
        """Cosine of a question with each chunk, float32[n], at 6 decimals; None where a vector is not there. Runs no model.

        Of a chunk with small pieces it is that of the nearest.
        """
        if self.retrieval.mode == "bm25" or (dense := self.indexes.built_dense()) is None:
            return None
        rows = [self.chunks.row(chunk_id) for chunk_id in chunk_ids]
        if None in rows or not rows:
            return None if rows else np.empty(0, np.float32)
        vector = self.indexes.question_vectors([query_text], no_progress, wait=False).get(query_text)
        if vector is None:
            return None
        units = [self.chunks.units_of(row) for row in rows if row is not None]
        unit_vectors = dense.vectors(np.array([unit for some in units for unit in some], dtype=np.int64)).astype(np.float64)
        cosines = np.round(unit_vectors @ vector.astype(np.float64), 6).astype(np.float32)
        firsts = np.cumsum([0, *map(len, units)])[:-1]
        return np.maximum.reduceat(cosines, firsts)

    def question_vectors(
        self, texts: Sequence[str], *, progress: Progress = no_progress, wait: bool = True
    ) -> dict[str, np.ndarray]:
        """The vector of each text, float16[d], as a search for it uses; empty where no vectors take part.

        With `wait` False nothing is embedded: only texts whose vectors are cached are in it. Raises what `search` does.
        """
        return {} if self.retrieval.mode == "bm25" else self.indexes.question_vectors(texts, progress, wait=wait)

    def _searched(self, search: Search, queries: int) -> list[Retrieved]:
        """The best `depth` chunks of each query."""
        if self.chunks.unit_parents is None:
            return search(range(queries), self.retrieval.depth)
        return search_parents(search, queries, self.chunks.unit_parents, self._ids, self.retrieval.depth)

    def _fuse(self, bm25: Retrieved, dense: Retrieved) -> Retrieved:
        if self.retrieval.fusion == "rrf":
            fused = reciprocal_rank_fusion([bm25, dense], constant=self.retrieval.rrf_k)
        else:
            exhausted = len(bm25.rows) < self.retrieval.depth
            fused = standard_score_fusion([bm25, dense], floors=[0.0 if exhausted else None, None])
        return order(fused.rows, fused.scores, self._ids, self.retrieval.pool)

    def _ranking(self, stages: Mapping[str, Retrieved]) -> Ranking:
        """`stages` in the order they ran; the last one decides the hits."""
        named = {stage: _names(self._ids, found.rows) for stage, found in stages.items()}
        ranks = {stage: dict(zip(ids, range(1, len(ids) + 1), strict=True)) for stage, ids in named.items()}
        last = list(stages)[-1]
        pool = named[last][: self.retrieval.pool]
        scores = stages[last].scores.tolist()
        by_stage = (map(ranks.get(stage, {}).get, pool) for stage in ("bm25", "dense", "fused"))
        # _make on columns: rankings are made by the ten thousand, and a call with names takes three times as long
        hits = tuple(map(Hit._make, zip(pool, scores, *by_stage, repeat(None), strict=False)))
        return Ranking(hits, named)

    def _reranker(self) -> Reranker:
        """The one that the configuration names. A program is its owner's to give."""
        if self.retrieval.rerank != LEXICAL:
            return self.indexes.process
        from ragtriage.search.lexical_rerank import LexicalReranker

        return LexicalReranker(self)

    def _rerank(
        self, reranking: Reranking, queries: Sequence[Query], rankings: list[Ranking | Failure], progress: Progress
    ) -> None:
        """Put the reranked form of each ranking in its place, or why there is none. Equal scores leave the order as it was."""
        asked = [place for place, ranking in enumerate(rankings) if isinstance(ranking, Ranking) and ranking.hits]
        rows = [[self._row(name) for name in rankings[place].ids] for place in asked]  # type: ignore[union-attr]  # no Failure
        texts = [[self.chunks.indexed_text(row) for row in each] for each in rows]
        scores = reranking.scores([queries[place].text for place in asked], texts, progress)
        for place, each in zip(asked, scores, strict=True):
            before = rankings[place]
            if isinstance(before, Ranking):
                rankings[place] = each if isinstance(each, Failure) else _reranked(before, each)

    def _row(self, chunk_id: str) -> int:
        row = self.chunks.row(chunk_id)
        if row is None:
            raise SystemFailed(f"{chunk_id}: retrieved, but no chunk of this corpus")
        return row


def _with_words(index: LexicalIndex, query: Query, places: Sequence[int], depth: int) -> list[Retrieved]:
    """The best `depth` units for one query, which is at the only place."""
    return index.search([query.text for _ in places], [query.groups for _ in places], depth)


def _reranked(before: Ranking, scores: np.ndarray) -> Ranking:
    rounded = np.round(scores.astype(np.float64), DECIMALS).tolist()
    hits = tuple(
        before.hits[place]._replace(score=rounded[place], rerank_rank=rank) for rank, place in enumerate(best_first(scores), 1)
    )
    return Ranking(hits, {**before.stages, "reranked": tuple(hit.chunk_id for hit in hits)})


def _names(ids: Sequence[str], rows: np.ndarray) -> tuple[str, ...]:
    return tuple([ids[row] for row in rows.tolist()])

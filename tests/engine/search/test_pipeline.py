from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from ragtriage.config import EmbeddingConfig, RetrievalConfig
from ragtriage.errors import Cancelled, EncoderFailed, SystemFailed
from ragtriage.search import embedding
from ragtriage.search.indexes import Indexes
from ragtriage.search.lexical import LexicalIndex
from ragtriage.search.pipeline import Query, Retriever
from ragtriage.search.reranking import Asked
from ragtriage.search.systems.base import foreign_ranking
from ragtriage.search.systems.embedded import EmbeddedSystem
from ragtriage.search.vectors_cache import VectorCache, key_of
from ragtriage.types import Failure, Progress, Ranking, no_progress

PAGES = ["refunds within thirty days", "shipping takes a week", "reset your password", "refunds for gift cards"]


@pytest.fixture
def retriever(tmp_path: Path, chunks_of: Callable[..., Any], fake_encoder: Any) -> Any:
    """retriever(texts, mode="hybrid", …) over one cache folder and one encoder that counts."""
    made = []

    def make(texts: Sequence[Any] = PAGES, **keys: Any) -> Retriever:
        reranker = keys.pop("reranker", None)
        more = {name: keys.pop(name) for name in ("shipped_vectors", "encoder") if name in keys}
        more.setdefault("encoder", fake_encoder)
        indexes = Indexes(chunks_of(*texts), EmbeddingConfig(), cache=tmp_path, **more)
        made.append(indexes)
        return Retriever(indexes, RetrievalConfig(**keys), reranker=reranker)

    yield make
    for each in made:
        each.close()


def ranking(result: Ranking | Failure) -> Ranking:
    assert isinstance(result, Ranking)
    return result


def test_hybrid_names_the_rank_of_each_stage(retriever: Any) -> None:
    (found,) = map(ranking, retriever().search([Query("refunds days")]))
    assert list(found.stages) == ["bm25", "dense", "fused"]
    assert found.stages["bm25"] == ("d1", "d4")
    assert set(found.stages["dense"]) == {"d1", "d2", "d3", "d4"}
    assert found.ids == found.stages["fused"]
    for rank, hit in enumerate(found.hits, 1):
        assert hit.fused_rank == rank
        assert hit.rerank_rank is None
        assert hit.dense_rank == found.stages["dense"].index(hit.chunk_id) + 1
        assert hit.bm25_rank == (found.stages["bm25"].index(hit.chunk_id) + 1 if hit.chunk_id in found.stages["bm25"] else None)
    assert found.hits[0].score == pytest.approx(1 / 61 + 1 / 61, abs=1e-6)


@pytest.mark.parametrize("fusion", ["rrf", "zscore"])
def test_depth_and_pool_cut_where_they_say(retriever: Any, fusion: str) -> None:
    texts = [f"refund page number {number}" for number in range(60)]
    (found,) = map(ranking, retriever(texts, depth=20, pool=10, fusion=fusion).search([Query("refund page")]))
    assert {stage: len(ids) for stage, ids in found.stages.items()} == {"bm25": 20, "dense": 20, "fused": 10}
    assert len(found.hits) == 10
    (single,) = map(ranking, retriever(texts, mode="bm25", depth=20, pool=10).search([Query("refund page")]))
    assert {stage: len(ids) for stage, ids in single.stages.items()} == {"bm25": 20}
    assert single.ids == single.stages["bm25"][:10]


def test_single_modes(retriever: Any, fake_encoder: Any) -> None:
    (lexical,) = map(ranking, retriever(mode="bm25").search([Query("refunds")]))
    assert list(lexical.stages) == ["bm25"]
    assert fake_encoder.asked == []
    (dense,) = map(ranking, retriever(mode="dense").search([Query("refunds")]))
    assert list(dense.stages) == ["dense"]
    assert [hit.dense_rank for hit in dense.hits] == [1, 2, 3, 4]


def test_nothing_found_is_an_empty_ranking(retriever: Any) -> None:
    (found,) = retriever(mode="bm25").search([Query("xylophone")])
    assert found == Ranking((), {"bm25": ()})
    for mode in ("bm25", "dense", "hybrid"):
        (empty,) = map(ranking, retriever([], mode=mode).search([Query("refunds")]))
        assert empty.hits == ()


def test_access_holds_in_every_stage(retriever: Any) -> None:
    texts = [("open", "refund rules", None), ("staff", "refund limits", ("staff",)), ("hidden", "refund secrets", ())]
    queries = [Query("refund"), Query("refund", ("staff",)), Query("refund", ("*",))]
    seen = [{"open"}, {"open", "staff"}, {"open", "staff", "hidden"}]
    for found, allowed in zip(map(ranking, retriever(texts).search(queries)), seen, strict=True):
        assert all(set(ids) == allowed for ids in found.stages.values())


def test_nothing_is_embedded_twice(retriever: Any, fake_encoder: Any, chunks_of: Callable[..., Any]) -> None:
    first = retriever()
    assert first.missing() == 4
    first.search([Query("refunds"), Query("refunds"), Query("shipping")])
    assert first.encoded == 6
    assert first.missing() == 0
    again = retriever()
    assert again.missing() == 0
    again.search([Query("shipping"), Query("refunds")])
    assert again.encoded == 0
    assert fake_encoder.starts == 1
    edited = retriever([*PAGES[:3], "refunds for gift cards and vouchers"])
    assert edited.missing() == 1
    edited.search([Query("refunds")])
    assert edited.encoded == 1
    assert len(fake_encoder.asked) == 7


def test_the_same_text_in_two_chunks_is_embedded_once(retriever: Any) -> None:
    twice = retriever(["same words", "same words", "other"])
    assert twice.missing() == 2
    twice.prepare()
    assert twice.encoded == 2


def test_shipped_vectors_need_no_encoder(
    retriever: Any, fake_encoder: Any, tmp_path: Path, chunks_of: Callable[..., Any]
) -> None:
    source = retriever()
    before = source.search([Query("refunds")])
    assert source.indexes.export_vectors(tmp_path / "shipped.sqlite", ["refunds"]) == 5
    asked = len(fake_encoder.asked)
    shipped = tmp_path / "shipped.sqlite"
    indexes = Indexes(
        chunks_of(*PAGES), EmbeddingConfig(), cache=tmp_path / "empty", shipped_vectors=shipped, encoder=fake_encoder
    )
    fresh = Retriever(indexes, RetrievalConfig())
    assert fresh.missing() == 0
    assert fresh.search([Query("refunds")]) == before
    assert len(fake_encoder.asked) == asked
    indexes.close()


def test_cancelling_keeps_what_was_embedded(retriever: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(embedding, "_BLOCK", 2)

    class Slow:
        fingerprint, window = "slow", 256

        def start(self) -> None: ...

        def close(self) -> None: ...

        def encode(self, texts: Sequence[str], progress: Progress) -> np.ndarray:
            progress("embed", 0, len(texts))
            return np.ones((len(texts), 4), np.float16) / 2

    def stop_at_four(stage: str, done: int, total: int) -> None:
        if stage == "embed" and done >= 4:
            raise Cancelled

    texts = [f"page {number}" for number in range(10)]
    with pytest.raises(Cancelled):
        retriever(texts, mode="dense", encoder=Slow()).prepare(stop_at_four)
    assert retriever(texts, mode="dense", encoder=Slow()).missing() == 6


def test_without_waiting_an_unknown_question_gets_bm25_alone(retriever: Any, fake_encoder: Any) -> None:
    one = retriever()
    (early,) = map(ranking, one.search([Query("refunds")], wait=False))
    assert list(early.stages) == ["bm25"]
    assert fake_encoder.asked == []
    one.search([Query("refunds")])
    known, unknown = map(ranking, one.search([Query("refunds"), Query("gift")], wait=False))
    assert list(known.stages) == ["bm25", "dense", "fused"]
    assert list(unknown.stages) == ["bm25"]
    (alone,) = map(ranking, retriever(mode="dense").search([Query("gift")], wait=False))
    assert list(alone.stages) == ["bm25"]


def test_similarity_reads_cached_vectors_only(retriever: Any, fake_encoder: Any) -> None:
    one = retriever()
    assert one.similarity("refunds", ["d1"]) is None
    one.search([Query("refunds within thirty days")])
    asked = len(fake_encoder.asked)
    values = one.similarity("refunds within thirty days", ["d1", "d3"])
    assert values is not None
    assert values.dtype == np.float32
    assert values[0] == pytest.approx(1, abs=1e-3)
    assert values[1] < 0.5
    assert one.similarity("never asked", ["d1"]) is None
    assert one.similarity("refunds within thirty days", ["no such chunk"]) is None
    assert len(fake_encoder.asked) == asked
    assert retriever(mode="bm25").similarity("refunds", ["d1"]) is None


def test_statistics(retriever: Any) -> None:
    one = retriever()
    assert one.terms("What about the refunds?") == ["refund"]
    assert one.idf("refund") < one.idf("password") < one.idf("unheard")


def test_one_failing_question_is_data(retriever: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    real = LexicalIndex.search

    def search(self: LexicalIndex, texts: Sequence[str], *rest: Any) -> Any:
        if "bad" in texts[0]:
            raise SystemFailed("could not search with BM25: panic")
        return real(self, texts, *rest)

    monkeypatch.setattr(LexicalIndex, "search", search)
    good, bad = retriever().search([Query("refunds"), Query("bad refunds")])
    assert isinstance(good, Ranking)
    assert bad == Failure("could not search with BM25: panic")


def test_a_failing_encoder_is_raised_once_for_all(retriever: Any) -> None:
    class Broken:
        fingerprint, window = "broken", 256

        def start(self) -> None: ...

        def close(self) -> None: ...

        def encode(self, texts: Sequence[str], progress: Progress) -> np.ndarray:
            raise EncoderFailed("the encoder failed: no such model")

    with pytest.raises(EncoderFailed):
        retriever(encoder=Broken()).search([Query("refunds")])


@pytest.mark.parametrize("text", ["", "\0", "\ud800", "[/path]", "a" * 1_000_000, "?!"])
def test_hostile_text(retriever: Any, text: str) -> None:
    one, two = map(ranking, retriever([text, "an ordinary page"]).search([Query(text), Query("ordinary")]))
    assert len(one.hits) <= 2
    assert two.hits[0].chunk_id == "d2"


def test_two_cold_caches_give_the_same_rankings(
    retriever: Any, tmp_path: Path, chunks_of: Callable[..., Any], fake_encoder: Any
) -> None:
    texts = [f"page {number % 7} about refunds {number % 3}" for number in range(200)]
    queries = [Query(f"refunds page {number}") for number in range(7)]
    results = []
    for name in ("one", "two"):
        indexes = Indexes(chunks_of(*texts), EmbeddingConfig(), cache=tmp_path / name, encoder=fake_encoder)
        results.append(Retriever(indexes, RetrievalConfig()).search(queries))
        indexes.close()
    assert results[0] == results[1]


class Reversing:
    """Scores a passage by its length, the shortest best, and counts."""

    def __init__(self) -> None:
        self.scored = 0

    def rerank_fingerprint(self, model: str) -> str:
        return f"rerank-{model}"

    def score(self, model: str, asked: Sequence[Asked], progress: Progress) -> list[np.ndarray | Failure]:
        self.scored += sum(len(one.passages) for one in asked)
        return [
            Failure("reranker: out of memory")
            if one.question == "fails"
            else -np.array([len(text) for text in one.passages], dtype=np.float32) / 3
            for one in asked
        ]


def test_reranking_orders_the_pool_and_is_cached(retriever: Any) -> None:
    reranker = Reversing()
    one = retriever(rerank="some/model", reranker=reranker, pool=5)
    found, empty = map(ranking, one.search([Query("refunds for thirty days"), Query("refunds for thirty days")]))
    assert found == empty
    assert reranker.scored == 4
    assert list(found.stages) == ["bm25", "dense", "fused", "reranked"]
    assert found.ids == ("d3", "d2", "d4", "d1") == found.stages["reranked"]
    assert [hit.rerank_rank for hit in found.hits] == [1, 2, 3, 4]
    assert {hit.chunk_id: hit.fused_rank for hit in found.hits} == {
        name: rank for rank, name in enumerate(found.stages["fused"], 1)
    }
    assert found.hits[0].score == pytest.approx(-19 / 3, abs=1e-6)
    retriever(rerank="some/model", reranker=reranker, pool=5).search([Query("refunds for thirty days")])
    assert reranker.scored == 4
    (none,) = map(ranking, retriever(mode="bm25", rerank="some/model", reranker=reranker).search([Query("xylophone")]))
    assert none.hits == ()


def test_a_question_that_the_reranker_fails_at_has_failed_and_is_asked_again(retriever: Any) -> None:
    reranker = Reversing()
    for scored in (8, 12):  # of the other one the scores are known
        found = retriever(rerank="m", reranker=reranker, pool=5).search([Query("fails"), Query("refunds for thirty days")])
        assert found[0] == Failure("reranker: out of memory")
        assert ranking(found[1]).ids == ("d3", "d2", "d4", "d1")
        assert reranker.scored == scored


def test_equal_scores_leave_the_order_as_it_was(retriever: Any) -> None:
    class Indifferent(Reversing):
        def score(self, model: str, asked: Sequence[Asked], progress: Progress) -> list[np.ndarray | Failure]:
            return [np.zeros(len(one.passages), np.float32) for one in asked]

    (found,) = map(ranking, retriever(rerank="m", reranker=Indifferent()).search([Query("refunds for thirty days")]))
    assert found.ids == found.stages["fused"]
    assert found.ids != tuple(sorted(found.ids))


def test_the_lexical_reranker_needs_no_model(retriever: Any) -> None:
    (found,) = map(ranking, retriever(rerank="lexical").search([Query("gift refunds")]))
    assert found.ids[:2] == ("d4", "d1")
    assert [hit.score for hit in found.hits[2:]] == [0.0, 0.0]
    assert found.stages["fused"][0] == "d4"


def test_the_embedded_system(tmp_path: Path, chunks_of: Callable[..., Any]) -> None:
    system = EmbeddedSystem(Indexes(chunks_of(*PAGES), EmbeddingConfig(), cache=tmp_path), RetrievalConfig(mode="bm25"))
    assert system.spec == "embedded(mode=bm25)"
    assert system.missing() == 0
    system.prepare()
    (found,) = map(ranking, system.search([Query("password")], progress=no_progress))
    assert found.ids == ("d3",)
    assert system.encoded == 0
    assert system.retriever.terms("passwords") == ["password"]
    system.close()


def test_a_foreign_list_keeps_its_order_and_counts_repeats() -> None:
    found = foreign_ranking(["b", "a", "b", "c"], [0.1, 0.9, 0.5, 0.2], 4)
    assert found.ids == ("b", "a", "b", "c")  # the rank of what follows a repeated one is that in the prompt
    assert [hit.score for hit in found.hits] == [0.1, 0.9, 0.5, 0.2]
    assert found.repeated == 1
    assert foreign_ranking(["b", "b", "c"], None, 2).ids == ("b", "b")
    assert foreign_ranking([], None, 3) == Ranking(())


def test_shipped_vectors_that_are_none_are_made_anew_or_refused(retriever: Any, tmp_path: Path, fake_encoder: Any) -> None:
    def shipped(name: str, vector: np.ndarray) -> Path:
        cache = VectorCache(tmp_path / name)
        cache.put({key_of(fake_encoder.fingerprint, PAGES[0]): vector})
        cache.close()
        return tmp_path / name

    broken = retriever(shipped_vectors=shipped("nan.sqlite", np.full(64, np.nan, np.float16)))
    broken.search([Query("refunds")])
    assert PAGES[0] in fake_encoder.asked
    other = [*PAGES, "another page, so that no index is there yet"]
    with pytest.raises(EncoderFailed, match=r"\[7, 64\]"):
        retriever(other, shipped_vectors=shipped("short.sqlite", np.ones(7, np.float16))).search([Query("refunds")])


def test_vectors_of_questions_are_those_of_searches(retriever: Any, fake_encoder: Any) -> None:
    one = retriever()
    assert one.question_vectors(["refunds days", "new"], wait=False) == {}
    one.search([Query("refunds days")])
    before = list(fake_encoder.asked)
    known = one.question_vectors(["refunds days", "new"], wait=False)
    assert list(known) == ["refunds days"]
    assert fake_encoder.asked == before
    assert set(one.question_vectors(["refunds days", "new"])) == {"refunds days", "new"}
    assert fake_encoder.asked == [*before, "new"]
    assert retriever(mode="bm25").question_vectors(["refunds days"]) == {}

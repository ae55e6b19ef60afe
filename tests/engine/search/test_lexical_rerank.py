"""The reranker without a model: its arithmetic, and that nothing hostile takes it long."""

from __future__ import annotations

import numpy as np
import pytest

from ragtriage.search.lexical_rerank import LexicalReranker
from ragtriage.search.reranking import Asked
from ragtriage.types import no_progress

IDF = {"a": 2.0, "b": 1.0, "c": 1.0}


class Words:
    """Terms are words; those of IDF weigh what stands there, all others 4."""

    statistics = "words-1"

    def terms(self, text: str) -> list[str]:
        return text.split()

    def idf(self, term: str) -> float:
        return IDF.get(term, 4.0)


def scored(question: str, *passages: str) -> list[float]:
    (found,) = LexicalReranker(Words()).score("lexical", [Asked(question, passages)], no_progress)
    assert isinstance(found, np.ndarray)
    assert found.dtype == np.float32
    return found.tolist()


def words(tf: int, length: int) -> float:
    return 2.2 * tf / (tf + 1.2 * (0.4 + 0.6 * length / 100))


def test_the_formula() -> None:
    assert scored("a b c", "", "x y") == [0.0, 0.0]
    # words: a once, b twice of 5 terms; proximity: a and b are 1 apart, of the pairs a b (1) and b c (1)
    expected = (2 * words(1, 5) + 1 * words(2, 5)) / 4 + 0.2 * (1 / 1) / 2
    assert scored("a b c", "b x x a b") == pytest.approx([expected], abs=1e-5)
    # the same with a heading of 2 terms that holds b; a and b are 2 apart there
    expected = (2 * words(1, 5) + 1 * words(2, 5)) / 4 + 0.3 * 1 / 4 + 0.2 * (1 / 1) / 2
    assert scored("a b c", "b x\n\nx a b") == pytest.approx([expected], abs=1e-5)
    assert scored("a a a", "a") == scored("a", "a") == pytest.approx([words(1, 1)], abs=1e-5)  # one term has no neighbour
    assert scored("b c", "c x x b")[0] == pytest.approx((words(1, 4) + words(1, 4)) / 2 + 0.2 / 3, abs=1e-5)


def test_a_question_without_words_and_long_texts() -> None:
    assert scored("", "a", "b") == [0.0, 0.0]
    long = "a b " * 50_000
    assert all(np.isfinite(scored(long, long, "a")))


def test_a_score_depends_on_question_passage_and_corpus_alone() -> None:
    one = LexicalReranker(Words())
    asked = [Asked("a b", ("b a", "c")), Asked("c", ("c", "b a", "b a"))]
    together = one.score("lexical", asked, no_progress)
    assert [some.tolist() for some in together if isinstance(some, np.ndarray)] == [scored(*one[:1], *one[1]) for one in asked]
    assert "words-1" in one.rerank_fingerprint("lexical")

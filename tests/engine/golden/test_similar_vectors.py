"""Questions compared by their vectors: which are there without a model, and what they add on questions that users asked."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
import pytest
from tests.benchmarks.near_equal import compared
from tests.shared_data import shared

from ragtriage.golden.question_vectors import QuestionVectors
from ragtriage.types import Progress, Question, no_progress

SET = [Question("a", "send it back"), Question("b", "return an item"), Question("c", "ship to the moon")]


class Cached:
    """What QuestionVectors asks of a retriever: some vectors are there, `wait` makes the others."""

    def __init__(self, known: Mapping[str, Sequence[float]], model: Mapping[str, Sequence[float]] | None = None) -> None:
        self.known = {text: np.array(vector, np.float16) for text, vector in known.items()}
        self.model = model or {}
        self.asked: list[tuple[int, bool]] = []

    def question_vectors(
        self, texts: Sequence[str], *, progress: Progress = no_progress, wait: bool = True
    ) -> dict[str, np.ndarray]:
        self.asked.append((len(texts), wait))
        if wait:
            self.known |= {text: np.array(self.model[text], np.float16) for text in texts if text not in self.known}
        return {text: self.known[text] for text in texts if text in self.known}


def vectors(retriever: Cached) -> QuestionVectors:
    return QuestionVectors(SET, retriever)  # type: ignore[arg-type]


def test_without_a_model_what_is_cached_is_compared() -> None:
    retriever = Cached({"send it back": (1, 0), "ship to the moon": (0, 1), "new": (0.6, 0.8)})
    asked = vectors(retriever)
    assert (asked.missing, asked.like("new")) == (3, {}), "nothing is read unasked"
    assert asked.load() == asked.missing == 1
    assert asked.like("new") == {"a": pytest.approx(0.6, abs=1e-3), "c": pytest.approx(0.8, abs=1e-3)}
    assert asked.like("never seen") == {}
    assert not any(wait for _, wait in retriever.asked)


def test_what_is_missing_is_embedded_where_that_is_waited_for() -> None:
    retriever = Cached({"send it back": (1, 0)}, {"return an item": (0.8, 0.6), "ship to the moon": (0, 1), "new": (1, 0)})
    asked = vectors(retriever)
    assert asked.load() == 2
    assert asked.load(wait=True) == 0
    assert asked.like("new") == {}
    assert asked.like("new", wait=True) == {"a": 1.0, "b": pytest.approx(0.8, abs=1e-3), "c": 0.0}
    before = len(retriever.asked)
    assert asked.load(wait=True) == 0
    assert len(retriever.asked) == before, "what is held is not read again"


def test_vectors_of_several_widths_and_a_set_without_any() -> None:
    retriever = Cached({"send it back": (1, 0), "return an item": (0, 1), "ship to the moon": (1, 0, 0), "odd": (1, 0, 0)})
    asked = vectors(retriever)
    assert asked.load() == 1
    assert asked.like("odd") == {}
    assert asked.like("send it back") == {"a": 1.0, "b": 0.0}
    none = vectors(Cached({"new": (1, 0)}))
    assert (none.load(), none.like("new")) == (3, {})


@pytest.mark.xdist_group("near-equal")
def test_twins_of_mongodb_faq_are_among_three_proposals(
    request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The real encoder is needed: the first run takes some seconds, later ones find the vectors in pytest's cache."""
    folder = shared("mongodb-faq")
    kept = getattr(request.config, "cache", None)
    monkeypatch.setenv("RAGTRIAGE_HOME", str(kept.mkdir("mongodb-faq-vectors") if kept is not None else tmp_path))
    faq = compared(folder)
    assert len(faq.twins) == 49
    assert faq.share() >= 0.9
    found = faq.reported()
    assert found.precision > 1 / 3
    assert found.right / found.twins > 0.25

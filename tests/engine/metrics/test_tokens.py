from __future__ import annotations

import numpy as np
import pytest

from ragtriage.metrics.tokens import TokenScores, token_scores
from ragtriage.types import Span

# "aa bb cc dd ee": five tokens of two characters
OFFSETS = {"doc": np.array([[0, 2], [3, 5], [6, 8], [9, 11], [12, 14]], np.int32)}


def test_shared_tokens_over_needed_paid_and_both() -> None:
    # evidence bb cc, retrieved cc dd ee: shared 1, needed 2, paid 3
    scores = token_scores([("doc", Span(3, 8))], [("doc", Span(6, 14))], OFFSETS)
    assert scores == TokenScores(recall=1 / 2, precision=1 / 3, iou=1 / (2 + 3 - 1))


def test_a_token_retrieved_twice_is_paid_twice_and_found_once() -> None:
    scores = token_scores([("doc", Span(0, 2))], [("doc", Span(0, 5)), ("doc", Span(0, 5))], OFFSETS)
    assert scores == TokenScores(recall=1 / 1, precision=1 / 4, iou=1 / (1 + 4 - 1))


def test_evidence_named_twice_counts_once() -> None:
    scores = token_scores([("doc", Span(0, 5)), ("doc", Span(3, 5))], [("doc", Span(0, 5))], OFFSETS)
    assert scores == TokenScores(1.0, 1.0, 1.0)


def test_touching_spans_do_not_overlap() -> None:
    assert token_scores([("doc", Span(0, 2))], [("doc", Span(2, 5))], OFFSETS).recall == 0.0


def test_the_right_offsets_in_the_wrong_document_are_nothing() -> None:
    offsets = {**OFFSETS, "other": OFFSETS["doc"]}
    assert token_scores([("doc", Span(0, 5))], [("other", Span(0, 5))], offsets) == TokenScores(0.0, 0.0, 0.0)


def test_nothing_retrieved_is_the_floor() -> None:
    assert token_scores([("doc", Span(0, 2))], [], OFFSETS) == TokenScores(0.0, 0.0, 0.0)


def test_evidence_without_a_token_has_no_score() -> None:
    with pytest.raises(ValueError, match="at least one token"):
        token_scores([("doc", Span(2, 3))], [("doc", Span(0, 5))], OFFSETS)

"""Token recall, precision and IoU: how much of the evidence was retrieved, and how much that is not evidence came with it.

Unlike recall@k these see the size of chunks: a chunking that returns whole documents finds everything and costs everything.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from ragtriage.types import Span

__all__ = ["TokenScores", "token_scores"]


class TokenScores(NamedTuple):
    """`recall` of the evidence's tokens, `precision` of the retrieved ones, and `iou`: shared tokens over all of both."""

    recall: float
    precision: float
    iou: float


def token_scores(
    evidence: Sequence[tuple[str, Span]],
    retrieved: Sequence[tuple[str, Span]],
    offsets: Mapping[str, npt.NDArray[np.int32]],
) -> TokenScores:
    """Compare spans, each with its document's id. `offsets` maps a document to its tokens: int32[n, 2], start and end.

    A token belongs to a span that it shares a character with. Evidence that is named twice counts once; a token retrieved
    twice was paid for twice and is found once. Nothing retrieved: all 0. Raises ValueError where the evidence has no token.

    Formula: Smith and Troynikov, Evaluating Chunking Strategies for Retrieval, 2024.
    """
    wanted = _masks(evidence, offsets)
    needed = sum(int(mask.sum()) for mask in wanted.values())
    if needed == 0:
        raise ValueError("token scores need evidence with at least one token")
    paid = sum(int(_inside(offsets[doc], span).sum()) for doc, span in retrieved)
    got = _masks(retrieved, offsets)
    shared = sum(int((mask & got[doc]).sum()) for doc, mask in wanted.items() if doc in got)
    return TokenScores(shared / needed, shared / paid if paid else 0.0, shared / (needed + paid - shared))


def _masks(spans: Iterable[tuple[str, Span]], offsets: Mapping[str, npt.NDArray[np.int32]]) -> dict[str, npt.NDArray[np.bool_]]:
    masks: dict[str, npt.NDArray[np.bool_]] = {}
    for doc, span in spans:
        inside = _inside(offsets[doc], span)
        masks[doc] = masks[doc] | inside if doc in masks else inside
    return masks


def _inside(tokens: npt.NDArray[np.int32], span: Span) -> npt.NDArray[np.bool_]:
    inside: npt.NDArray[np.bool_] = (tokens[:, 0] < span.end) & (tokens[:, 1] > span.start)
    return inside

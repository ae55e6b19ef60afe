"""Passages as a system of the user's is given them to answer from."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ragtriage.types import Passage

__all__ = ["passages_json"]


def passages_json(passages: Sequence[Passage]) -> list[dict[str, Any]]:
    """One object a passage, in the order of their numbers: number, id, doc, title, text."""
    return [
        {"number": one.number, "id": one.chunk_id, "doc": one.doc_id, "title": one.title, "text": one.text} for one in passages
    ]

"""A place of today's corpus that a label may be given."""

from __future__ import annotations

from typing import NamedTuple

from ragtriage.types import Span

__all__ = ["NewPlace"]


class NewPlace(NamedTuple):
    """A place of today that a label may be given. `text` is what stands there, `score` how like it is (0-100).

    `chunk_id` is set where the labelled chunk's very text is a chunk of that id now; `section` where it is a heading's anchor.
    """

    doc_id: str
    span: Span
    text: str
    score: float
    same_numbers: bool = True
    chunk_id: str = ""
    section: str = ""

"""What judging a passage says, as the bridge hands it over: frozen, scrubbed, without engine and without Textual."""

from __future__ import annotations

from typing import NamedTuple, Protocol

from ragtriage_tui.text import Extent
from ragtriage_tui.views import Change

__all__ = ["Also", "Judged", "JudgementDoor"]


class Also(NamedTuple):
    """A place that a label may lack: a sentence of a passage that was judged relevant. `item` is the item of evidence it would
    be another place of, None: it would be the first. `why` says what speaks for it."""

    doc_id: str
    span: Extent
    quote: str
    item: int | None
    why: str = ""


class Judged(NamedTuple):
    """What a judgement did: the question, a sentence, and the place that the label may lack. `qid` empty: nothing was done."""

    qid: str
    message: str
    also: Also | None = None


class JudgementDoor(Protocol):
    """What is asked of the engine about passages. Every call may take long and runs in a worker."""

    def judge(self, qid: str, chunk_id: str, *, relevant: bool) -> Judged:
        """Judge a chunk for a question; on disk when this returns."""
        ...

    def add_place(self, qid: str, also: Also) -> Change:
        """Make a place evidence of a question beside what is evidence already; on disk when this returns. Measures it again."""
        ...

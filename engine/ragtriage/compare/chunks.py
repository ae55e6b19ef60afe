"""What happened to the passage that holds the evidence: it is part of a larger one now, was split, or its page has changed.

The cuts of both sides come from the cache alone, so that nothing of the corpus is read. Where they are cached no more, nothing
is said.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from ragtriage.measure.corpus_then import remembered_documents
from ragtriage.measure.results import ItemResult, Run

__all__ = ["ChunkTable", "Passage", "chunk_table", "chunk_tables", "what_happened"]

_MOST_NAMED = 4


class Passage(NamedTuple):
    """A chunk by its number in its document, its half-open place there and its length in tokens."""

    ordinal: int
    start: int
    end: int
    tokens: int

    def __str__(self) -> str:
        return f"#{self.ordinal} ({self.tokens} {'token' if self.tokens == 1 else 'tokens'})"


class ChunkTable:
    """The cuts of one run. `digests` maps each document to the hash of its text."""

    def __init__(self, digests: Mapping[str, str], passages: Mapping[str, Sequence[Passage]]) -> None:
        self.digests = digests
        self.passages = passages

    def holding(self, doc_id: str, start: int, end: int) -> list[Passage]:
        """The passages that hold this part of a document: the first that holds all of it, else those that overlap it."""
        overlapping = [one for one in self.passages.get(doc_id, ()) if one.start < end and start < one.end]
        whole = [one for one in overlapping if one.start <= start and end <= one.end]
        return whole[:1] or overlapping


def chunk_tables(base: Run, head: Run, cache: Path) -> tuple[ChunkTable | None, ChunkTable | None]:
    """The cuts of both sides; None twice where they are the same, since then no passage has changed."""
    if base.manifest.get("chunk_fingerprint") == head.manifest.get("chunk_fingerprint"):
        return None, None
    return chunk_table(base, cache), chunk_table(head, cache)


def chunk_table(run: Run, cache: Path) -> ChunkTable | None:
    """The cuts that `run` was measured on; None where the cache has them no more. A system of the user's own has cuts that are
    not known: then there are no passages."""
    fingerprints = run.manifest.get("fingerprints")
    corpus = fingerprints.get("corpus", "") if isinstance(fingerprints, Mapping) else ""  # a manifest may have been edited
    digests = remembered_documents(cache, str(corpus))
    if digests is None:
        return None
    if "system" in run.manifest:
        return ChunkTable(digests, {})
    from ragtriage.chunking.chunks import stored_columns

    columns = stored_columns(cache, str(run.manifest.get("chunk_fingerprint", "")))
    if columns is None:
        return None
    names = list(digests)
    if len(columns.doc_rows) and int(columns.doc_rows[-1]) >= len(names):
        return None
    passages: dict[str, list[Passage]] = {}
    rows = zip(columns.doc_rows.tolist(), columns.starts.tolist(), columns.ends.tolist(), columns.tokens.tolist(), strict=True)
    for row, start, end, tokens in rows:
        several = passages.setdefault(names[row], [])
        several.append(Passage(len(several) + 1, start, end, tokens))
    return ChunkTable(digests, passages)


def what_happened(old: ItemResult, new: ItemResult, base: ChunkTable | None, head: ChunkTable | None) -> str:
    """One sentence without its full stop, "" where nothing happened to the passage, or nothing is known of the cuts."""
    if not old.spans or not new.spans:
        return _gone(old, new)
    if base is None or head is None:
        return ""
    doc_id, start, end = old.spans[0]
    doc_now, start_now, end_now = new.spans[0]
    if "stale" in (old.how, new.how) or doc_id != doc_now:
        return ""
    edited = base.digests.get(doc_id) != head.digests.get(doc_id)
    before, after = base.holding(doc_id, start, end), head.holding(doc_id, start_now, end_now)
    said = _became(before, after, edited=edited) if before and after else ""
    if not edited:
        return said
    return f"its page was edited: {said}" if said else "its page was edited"


def _gone(old: ItemResult, new: ItemResult) -> str:
    """Whether the place is still there goes by `how` alone: a baseline has no spans."""
    says = {
        "missing-document": ("its document is no longer in the corpus", "its document is new in the corpus"),
        "missing-quote": ("the quote is no longer in its document", "the quote is in its document now"),
        "missing-anchor": ("the heading or page is no longer in its document", "the heading or page is in its document now"),
        "missing-chunk": ("the chunk is no longer there", "the chunk is there now"),
        "no-text": ("its place holds no text any more", "its place holds text now"),
    }
    lost, found = says.get(new.how), says.get(old.how)
    if lost and not found:
        return lost[0]
    return found[1] if found and not lost else ""


def _became(before: Sequence[Passage], after: Sequence[Passage], *, edited: bool) -> str:
    if len(before) == 1 and len(after) == 1:
        old, new = before[0], after[0]
        if edited:
            return "" if old[0] == new[0] and old.tokens == new.tokens else f"{old} is now {new}"
        if old[1:3] == new[1:3]:
            return "" if old.ordinal == new.ordinal else f"{old} is now #{new.ordinal}"
        if new.start <= old.start and old.end <= new.end:
            return f"{old} is now part of {new}"
        if old.start <= new.start and new.end <= old.end:
            return f"{old} was cut down to {new}"
        return f"{old} is now {new}"
    if [one[1:3] for one in before] == [one[1:3] for one in after]:
        return ""
    if len(before) == 1:
        return f"{before[0]} is now split over {_listed(after)}"
    verb = "are now in" if len(after) == 1 else "are now"
    return f"{_listed(before)} {verb} {_listed(after)}"


def _listed(passages: Sequence[Passage]) -> str:
    names = [str(one) for one in passages[:_MOST_NAMED]]
    if len(passages) > _MOST_NAMED:
        return f"{', '.join(names)} and {len(passages) - _MOST_NAMED} more"
    return " and ".join([", ".join(names[:-1]), names[-1]]) if len(names) > 1 else names[0]

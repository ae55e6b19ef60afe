"""Which ranked chunks are shown when not all fit: never without the evidence, never without the end of context. No Textual."""

from __future__ import annotations

from typing import Literal, NamedTuple

from ragtriage_tui.views import ChunkView

__all__ = ["FoldedRow", "fold"]


class FoldedRow(NamedTuple):
    """A row of the ranked chunks: a chunk, the end of context, or what is folded."""

    kind: Literal["chunk", "line", "more"]
    chunk: ChunkView | None = None
    hidden: int = 0


def fold(chunks: tuple[ChunkView, ...], k: int, height: int, keep: str = "") -> list[FoldedRow]:
    """As many ranks as fit in `height` rows, chunks with evidence (and `keep`) always among them, the end of context drawn.

    Ranks are taken from the first one down; what does not fit is one row `more` at the end.
    """
    if height <= 0:
        return []
    everything = _with_line(list(chunks), k)
    if len(everything) <= height:
        return everything
    must = [chunk for chunk in chunks if chunk.holds != "none" or chunk.chunk_id == keep]
    room = max(height - 2, 0)
    must = must[:room]
    chosen = {chunk.chunk_id for chunk in must}
    for chunk in chunks:
        if len(chosen) >= room:
            break
        chosen.add(chunk.chunk_id)
    rows = _with_line([chunk for chunk in chunks if chunk.chunk_id in chosen], k)
    return [*rows, FoldedRow("more", hidden=len(chunks) - len(chosen))][:height]


def _with_line(chunks: list[ChunkView], k: int) -> list[FoldedRow]:
    inside = [FoldedRow("chunk", chunk) for chunk in chunks if chunk.rank is not None and chunk.rank <= k]
    outside = [FoldedRow("chunk", chunk) for chunk in chunks if chunk.rank is None or chunk.rank > k]
    return [*inside, FoldedRow("line"), *outside] if inside or outside else []

"""The ladder: for an item of evidence that is not inside k, every step it had to pass, and the first one that lost it.

Each rung answers one question about one item; the first broken one names the lever. The order is the order of the data.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from ragtriage.chunking.base import Chunks
from ragtriage.golden.evidence import ResolvedItem
from ragtriage.golden.ranks import PromptText, PromptTexts, rank_of
from ragtriage.measure.results import PROBE, Rung
from ragtriage.search.access import visible
from ragtriage.types import Groups, Needs

__all__ = ["LEVERS", "RUNGS", "Stages", "first_broken", "lost_at", "walk", "whole"]

RUNGS = ("corpus", "chunk", "window", "access", "bm25", "dense", "system", "fused", "reranked", "context", "answer")

LEVERS: Mapping[str, str] = {
    "corpus": "index the document, or fix the label",
    "chunk": "cut elsewhere: boundary, size, overlap",
    "window": "a smaller size, or a model with a longer window",
    "access": "the access lists of the page or of the question",
    "bm25": "hybrid, another embedding model, the heading prefix; a reranker cannot help",
    "dense": "hybrid, another embedding model, the heading prefix; a reranker cannot help",
    "system": "your retriever: what it indexes, how it cuts, how many it returns; a reranker cannot help",
    "fused": "pool, fusion, a reranker",
    "reranked": "the reranker, or its pool",
    "context": "a reranker",
    "answer": "the prompt or the model",
}


class Stages(NamedTuple):
    """What each stage returned for one question, as the texts that would stand in the prompt, best first.

    A stage that did not run is not in `lists`. `final` is the ranking itself, cut to the pool. `probe`: it is a foreign
    system's, and `lists` are what the embedded engine has.
    """

    lists: Mapping[str, PromptTexts]
    final: PromptTexts
    probe: bool = False


def walk(item: ResolvedItem, stages: Stages, chunks: Chunks, groups: Groups, *, k: int, window: int) -> tuple[Rung, ...]:
    """Every rung up to `context` for one item that is not inside k.

    `window` is how many tokens the encoder reads of a chunk; 0 where no encoder takes part.
    """
    if not item.found:
        return (Rung("corpus", "broken", note=item.best.how),)
    rungs = [Rung("corpus", "ok", note=item.best.how)]
    if stages.probe:  # how it cuts, and what of that its encoder reads, is not known
        rungs += [Rung("chunk", "skipped"), Rung("window", "skipped")]
    else:
        rungs += [_chunk(item, chunks), _window(item, chunks, window)]
    found = (chunks.corpus.get(located.doc_id) for located in item.spans)
    seen = any(document is not None and visible(document.access, groups) for document in found)
    rungs.append(Rung("access", "ok" if seen else "broken"))
    ranks = {name: rank_of(item, texts, chunks.corpus) for name, texts in stages.lists.items()}
    final = rank_of(item, stages.final, chunks.corpus)
    if stages.probe:
        rungs += [Rung(name, "absent" if ranks[name] is None else "ok", ranks[name], PROBE) for name in ranks]
        rungs.append(Rung("system", "broken" if final is None else "ok", final))
        return (*rungs, Rung("context", "broken", final))
    rungs.extend(_retrievers(ranks))
    rungs.append(_fused(ranks, k))
    rungs.append(_reranked(ranks, k))
    rungs.append(Rung("context", "broken", final))
    return tuple(rungs)


def first_broken(rungs: Sequence[Rung]) -> str:
    """The name of the first broken rung, "" where none is."""
    return next((rung.name for rung in rungs if rung.state == "broken"), "")


def lost_at(names: Sequence[str], needs: Needs) -> str:
    """Where a question was lost, of the rungs where its items were: the earliest, or of several readings the furthest."""
    choose = max if needs == "any" else min
    return choose((name for name in names if name), key=RUNGS.index, default="")


def whole(item: ResolvedItem, chunks: Chunks) -> bool:
    """Whether a single chunk holds the evidence."""
    return _chunk(item, chunks).state == "ok"


def _chunk(item: ResolvedItem, chunks: Chunks) -> Rung:
    """Broken when no single chunk holds the evidence whole."""
    if any(place.how in ("chunk", "coarse", "stale") for place in item.places):
        return Rung("chunk", "ok")
    parts = _overlapping(item, chunks)
    for row in parts:
        chunk = chunks[row]
        if rank_of(item, [PromptText(chunk.chunk_id, chunk.doc_id, chunk.span)], chunks.corpus):
            return Rung("chunk", "ok")
    names = ", ".join(f"#{chunks[row].ordinal}" for row in parts[:4])
    return Rung("chunk", "broken", note=f"split over {names}" if parts else "in no chunk")


def _window(item: ResolvedItem, chunks: Chunks, window: int) -> Rung:
    """Broken when everything indexed that holds the start of the evidence has it behind the encoder's window.

    Where in a chunk a token lies is estimated from its share of the characters: only the counts are kept.
    """
    if not window:
        return Rung("window", "skipped")
    starts = [(located.doc_id, located.span.start) for located in item.spans]
    beyond = []
    units = chunks.units
    for row in _overlapping(item, units):
        unit = units[row]
        extra = int(units.indexed_tokens[row]) - unit.tokens
        length = max(1, unit.span.end - unit.span.start)
        for doc_id, start in starts:
            if doc_id == unit.doc_id and unit.span.start <= start < unit.span.end:
                position = extra + unit.tokens * (start - unit.span.start) / length
                beyond.append(position >= window)
    if beyond and all(beyond):
        return Rung("window", "broken", note=f"beyond the {window} tokens that the encoder reads")
    return Rung("window", "ok")


def _overlapping(item: ResolvedItem, chunks: Chunks) -> list[int]:
    rows = {
        row
        for located in item.spans
        for row in chunks.rows_of(located.doc_id)
        if chunks.starts[row] < located.span.end and located.span.start < chunks.ends[row]
    }
    return sorted(rows)


def _retrievers(ranks: Mapping[str, int | None]) -> list[Rung]:
    ran = [name for name in ("bm25", "dense") if name in ranks]
    nobody = all(ranks[name] is None for name in ran)
    rungs = []
    for name in ("bm25", "dense"):
        if name not in ran:
            rungs.append(Rung(name, "skipped"))
        elif ranks[name] is not None:
            rungs.append(Rung(name, "ok", ranks[name]))
        else:
            rungs.append(Rung(name, "broken" if nobody else "absent"))
    return rungs


def _fused(ranks: Mapping[str, int | None], k: int) -> Rung:
    """Broken when a retriever had it inside k and fusion put it below, or out of the pool."""
    single = [rank for name in ("bm25", "dense") if (rank := ranks.get(name)) is not None]
    if "fused" not in ranks or not single:
        return Rung("fused", "skipped")
    fused = ranks["fused"]
    if fused is None:
        return Rung("fused", "broken", note="not in the pool")
    return Rung("fused", "broken" if fused > k and min(single) <= k else "ok", fused)


def _reranked(ranks: Mapping[str, int | None], k: int) -> Rung:
    before = ranks.get("fused", ranks.get("bm25", ranks.get("dense")))
    if "reranked" not in ranks or before is None:
        return Rung("reranked", "skipped")
    after = ranks["reranked"]
    demoted = before <= k and (after is None or after > k)
    return Rung("reranked", "broken" if demoted else "ok", after)

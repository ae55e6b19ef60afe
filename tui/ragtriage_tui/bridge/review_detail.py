"""One flip as the right half of Review: proof, the ladder of both sides, ranks and how they moved, answers."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Literal, NamedTuple

from ragtriage_tui.answer_views import UNCALIBRATED, AnswerView, SentView
from ragtriage_tui.bridge.answers import answer_view
from ragtriage_tui.bridge.questions import holding, how_words
from ragtriage_tui.bridge.review_places import Located, counterparts
from ragtriage_tui.review_views import FlipView, PlacedChunk, RungView, Side, SideView
from ragtriage_tui.text import Extent, one_line, scrub
from ragtriage_tui.views import NeedView

if TYPE_CHECKING:
    from ragtriage.compare.chunks import Passage
    from ragtriage.compare.flips import Flip
    from ragtriage.measure.results import ItemResult, QuestionResult
    from ragtriage.types import Question
    from ragtriage_tui.bridge.review_texts import Sources

__all__ = ["Shown", "flip_view", "proofs"]

_PLAIN = {"corpus": "corpus", "chunk": "one chunk", "window": "window", "access": "allowed"}
_RANKED = ("bm25", "dense", "system", "fused", "reranked")
_LOST = ("partly", "missed")
_NO_CUTS = "Which chunks these were is not in the cache any more; ctrl+r measures again."

Mark = Callable[[str, int, int], Literal["+", "-", ""]]


class Shown(NamedTuple):
    """What a flip is shown with. `mark` is how a passage of an unchanged document was judged."""

    flip: Flip
    question: Question | None
    k_base: int
    k_head: int
    sources: Sources
    mark: Mark
    name: Callable[[str], str]


def flip_view(shown: Shown, *, note: str, said: str) -> FlipView:
    """The view of one flip."""
    flip, question = shown.flip, shown.question
    head = flip.head
    base_side, head_side = _sides(shown)
    return FlipView(
        qid=shown.name(flip.qid),
        text=scrub(question.question) if question else "",
        change=_kind(flip),
        half=flip.half,
        base=base_side,
        head=head_side,
        k_base=shown.k_base,
        k_head=shown.k_head,
        kind=scrub(head.kind),
        split=head.split,
        proof=proofs(flip, shown.k_base, shown.k_head),
        needs=tuple(_need(item, head, shown) for item in head.items),
        rungs=_rungs(flip, shown.k_base, shown.k_head),
        because=scrub(flip.because),
        note=scrub(one_line(note)),
        said=said,
        reason=_reason(flip),
        base_rank=flip.base_rank,
        head_rank=flip.head_rank,
    )


def _kind(flip: Flip) -> Literal["broken", "errored", "fixed", "worse", "better"]:
    return "worse" if flip.change == "same" else flip.change


def _reason(flip: Flip) -> str:
    """Why a side could not be measured."""
    if flip.change != "errored":
        return ""
    if flip.half == "answer":
        side, result = ("base", flip.base) if flip.base.live is None else ("head", flip.head)
        return scrub(one_line(f"no answer on the {side}: {result.unanswered.get('live', 'no reason given')}"))
    side, result = ("base", flip.base) if flip.base.status == "failed" else ("head", flip.head)
    return scrub(one_line(f"not measured on the {side}: {result.reason or 'no reason given'}"))


def proofs(flip: Flip, k_base: int, k_head: int) -> tuple[str, ...]:
    """What happened in figures, the longest form first: `evidence 2 → 7, k = 5`."""
    if flip.change == "errored":
        return (_reason(flip),)
    if flip.half == "answer":
        return (
            f"{_said(flip.base)} → {_said(flip.head)}, evidence inside on both sides",
            f"{_said(flip.base)} → {_said(flip.head)}",
        )
    k = f"k = {k_head}" if k_base == k_head else f"k = {k_base} → {k_head}"
    if flip.item is None:
        return (k,)
    ranks = f"{_rank(flip.base_rank)} → {_rank(flip.head_rank)}"
    several = len(flip.head.items)
    which = f", item {flip.item + 1} of {several}" if several > 1 else ""
    return tuple(dict.fromkeys((f"evidence {ranks}{which}, {k}", f"evidence {ranks}, {k}", f"{ranks}, {k}", ranks)))


def _said(result: QuestionResult) -> str:
    if result.live is not None and result.live.grade.refused:
        return "refuses"
    return "wrong" if result.suggested else "right"


def _rank(rank: int | None) -> str:
    return "–" if rank is None else str(rank)


# the ladder


def _rungs(flip: Flip, k_base: int, k_head: int) -> tuple[RungView, ...]:
    """The steps before any ranking, as the side has them that fails, then those that rank, with both sides' ranks."""
    if flip.item is None or flip.change == "errored":
        return ()
    old, new = flip.base.items[flip.item], flip.head.items[flip.item]
    worse = _rank_number(new) > _rank_number(old) or flip.change in ("broken", "worse")
    lower: Literal["broken", "worse"] = "worse" if flip.change == "worse" else "broken"  # it passes or fails as before
    out = list(_held(new if worse else old, flip, worse=worse))
    stopped = any(rung.state == "broken" for rung in out)
    for name in _RANKED:
        if name in old.stages or name in new.stages:
            made = flip.rung == name
            text = f"{name} {_rank(old.stages.get(name))} → {_rank(new.stages.get(name))}"
            out.append(RungView(text, lower if made and worse else "ok" if made else "plain", True, made))
    if flip.half == "answer":
        out.append(RungView("answer", "broken" if worse else "ok", True, True))
    elif flip.rung == "context":
        ks = f"{k_head}" if k_base == k_head else f"{k_base} → {k_head}"
        out.append(RungView(f"inside k {ks}: {_rank(old.rank)} → {_rank(new.rank)}", lower if worse else "ok", True, True))
    elif not stopped:
        out.append(RungView(f"inside k {k_head if worse else k_base}", "plain", True))
    return tuple(out)


def _held(item: ItemResult, flip: Flip, *, worse: bool) -> list[RungView]:
    out: list[RungView] = []
    for rung in item.rungs:
        if rung.name not in _PLAIN or rung.state == "skipped":
            continue
        made = flip.rung == rung.name
        note = f": {how_words(rung.note)}" if rung.state == "broken" and rung.note else ""
        text = scrub(one_line(f"{_PLAIN[rung.name]}{note}"))
        if made:
            out.append(RungView(text if worse else f"{_PLAIN[rung.name]} again", "broken" if worse else "ok", False, True))
        else:
            out.append(RungView(text, "broken" if rung.state == "broken" else "ok"))
    return out or [RungView(word, "ok") for word in _PLAIN.values()]  # inside k on both sides: it has passed them all


def _rank_number(item: ItemResult) -> float:
    return float("inf") if item.rank is None else item.rank


def _need(item: ItemResult, head: QuestionResult, shown: Shown) -> NeedView:
    span = None
    if item.spans:
        doc_id, start, end = item.spans[0]
        at = shown.sources.today("head", Located("", doc_id, _passage(start, end)))
        span = Extent(at, at + end - start) if at is not None else None
    return NeedView(
        doc_id=scrub(item.doc_id or item.chunk_id),
        heading=scrub(one_line(item.heading[-1])) if item.heading else "",
        quote=scrub(item.quote),
        rank=item.rank,
        inside=item.rank is not None and item.rank <= shown.k_head,
        span=span,
    )


def _passage(start: int, end: int) -> Passage:
    from ragtriage.compare.chunks import Passage

    return Passage(0, start, end, 0)


# ranks


def _sides(shown: Shown) -> tuple[SideView, SideView]:
    flip, sources = shown.flip, shown.sources
    base = [sources.base.located(hit.chunk_id) for hit in flip.base.hits]
    head = [sources.head.located(hit.chunk_id) for hit in flip.head.hits]
    evidence = [span for item in flip.head.items for span in item.spans]
    there, back = counterparts(base, head, sources.shift_of, evidence)
    return (
        _side(shown, "base", flip.base, base, head, there),
        _side(shown, "head", flip.head, head, base, back),
    )


def _side(
    shown: Shown, side: Side, result: QuestionResult, mine: Sequence[Located], theirs: Sequence[Located],
    places: Sequence[int | None],
) -> SideView:  # fmt: skip
    source = shown.sources.side(side)
    chunks = []
    first = {rank for rank, _ in result.placed}
    for index, (one, place) in enumerate(zip(mine, places, strict=True)):
        if index + 1 not in first:
            continue
        holds, evidence = _holds(shown, side, result, one)
        other = theirs[place] if place is not None else None
        judged: Literal["+", "-", ""] = ""
        if one.passage is not None and not shown.sources.edited(one.doc_id):
            judged = shown.mark(one.doc_id, *one.span)
        chunks.append(
            PlacedChunk(
                rank=index + 1, chunk_id=shown.name(one.chunk_id), doc_id=shown.name(one.doc_id), text=scrub(source.words(one)),
                holds=holds, evidence=evidence, other=place + 1 if place is not None else None,
                other_id=shown.name(other.chunk_id) if other else "", at=shown.sources.today(side, one), judged=judged,
            )
        )  # fmt: skip
    why = ""
    if not chunks:
        why = "Not measured on this side." if result.status == "failed" else "Nothing was retrieved."
    elif source.table is None:
        why = _NO_CUTS
    answer, no_answer, failed = _answer(shown, side, result)
    return SideView(tuple(chunks), why, answer, no_answer, failed)


def _holds(
    shown: Shown, side: Side, result: QuestionResult, one: Located
) -> tuple[Literal["whole", "part", "none"], tuple[Extent, ...]]:
    text = shown.sources.side(side).text(one.doc_id)
    if one.passage is None:
        named = any(item.chunk_id == one.chunk_id for item in result.items)
        return ("whole" if named else "none"), ()
    if text is None:
        touched = any(
            doc_id == one.doc_id and start < one.passage.end and one.passage.start < end
            for item in result.items
            for doc_id, start, end in item.spans
        )
        return ("part" if touched else "none"), ()
    return holding(one.doc_id, text, one.passage.start, one.passage.end, result.items)


def _answer(shown: Shown, side: Side, result: QuestionResult) -> tuple[AnswerView | None, str, bool]:
    """The live answer; where there is none, why, and whether one was asked for and failed."""
    question = shown.question
    if result.live is not None and question is not None:
        view = answer_view(result.live, "live", question, None, calibration=UNCALIBRATED)
        source = shown.sources.side(side)
        sent = tuple(SentView(shown.name(raw), shown.name(source.located(raw).doc_id)) for raw in result.live.passages)
        return dataclasses.replace(view, passages=sent), "", False
    if "live" in result.unanswered:
        return None, scrub(one_line(result.unanswered["live"])) or "no reason given", True
    if result.status == "failed":
        return None, "it could not be measured", False
    return None, "none is known on this side", False

"""One measured question as the right half of Triage: proof, needs, ladder, chunks, answers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from ragtriage_tui.answer_views import UNCALIBRATED, CalibrationView
from ragtriage_tui.bridge.answers import answer_view, cost_of, missing_words
from ragtriage_tui.bridge.overviews import state_of
from ragtriage_tui.model_names import STAND_IN, is_stand_in
from ragtriage_tui.text import Extent, one_line, scrub
from ragtriage_tui.views import ChunkView, NeedView, QuestionView, RungView

if TYPE_CHECKING:
    from ragtriage.chunking.base import Chunks
    from ragtriage.measure.results import ItemResult, QuestionResult, Run, Rung
    from ragtriage.types import Hit, Question

__all__ = ["Held", "Holds", "held_by", "holding", "how_words", "question_view"]

Holds = Literal["whole", "part", "none"]

_QUOTED = ("exact", "folded", "fuzzy")
_MOST_LOST = 3  # chunks that are shown though they are not in the pool, because they hold the evidence
_RUNGS = {
    "corpus": "corpus", "chunk": "one chunk", "window": "window", "access": "allowed", "bm25": "bm25", "dense": "dense",
    "system": "your system", "fused": "fused", "reranked": "reranked", "answer": "answer",
}  # fmt: skip
_COARSE = {"chunk": "by chunk id", "document": "the whole document", "section": "a section", "page": "a page"}
_OTHER_CHUNKS = "The chunks of this run are not those of today. ctrl+r measures again."
_HOW = {
    "missing-document": "no such document", "missing-quote": "the quote is not in it",
    "missing-anchor": "no such heading or page", "missing-chunk": "no such chunk", "no-text": "it has no text",
    "stale": "the chunk is another one now",
}  # fmt: skip


def how_words(how: str) -> str:
    """Why a label leads nowhere, in words."""
    return _HOW.get(how, how)


def question_view(
    question: Question, result: QuestionResult | None, run: Run | None, chunks: Chunks | None, note: str = "",
    calibration: CalibrationView = UNCALIBRATED,
) -> QuestionView:  # fmt: skip
    """The view of one question. `result` None: it is in no run yet; `chunks` None: those of the run are not today's, so that
    neither its chunks nor its places in documents are shown."""
    k = int(run.manifest["k"]) if run else 0
    base = QuestionView(
        qid=scrub(question.qid), text=scrub(question.question), k=k,
        state=state_of(result, question, run.manifest["config"] if run else {}),
        kind=scrub(question.kind), split=question.split, note=scrub(note),
    )  # fmt: skip
    if result is None or run is None:
        return _replace(base, reason="not measured yet; ctrl+r measures")
    retrieval = run.manifest["config"]["retrieval"]
    stages = _stages(retrieval)
    return _replace(
        base,
        proof=_proof(result, k),
        reason=scrub(result.reason),
        needs=tuple(_need(item, result, k, run.manifest, placed=chunks is not None) for item in result.items),
        stages=stages,
        pool=int(retrieval["pool"]),
        chunks=_chunks(result, chunks, stages) if chunks is not None else (),
        no_chunks="" if chunks is not None else _OTHER_CHUNKS,
        **_answers(question, result, run, chunks, calibration),
    )


def _answers(
    question: Question, result: QuestionResult, run: Run, chunks: Chunks | None, calibration: CalibrationView
) -> dict[str, Any]:
    """The answers there are, and why the others are missing."""
    picked = is_stand_in(run.manifest["config"])
    wanted = str(run.manifest.get("answers_made", "both"))
    found: dict[str, Any] = {
        arm: answer_view(answer, arm, question, chunks, calibration=calibration, cost=cost_of(run.timings, result.qid, arm))
        for arm, answer in result.answers.items()
    }
    why = {
        f"no_{arm}": missing_words(result, arm, question, asked_of_model=not picked, wanted=wanted)
        for arm in ("oracle", "live")
        if arm not in found
    }
    failed = {arm: scrub(reason) or "no reason given" for arm, reason in result.unanswered.items()}
    return {**found, **why, "failed": failed, "answers_by": f"extractive {STAND_IN}" if picked else ""}


def _replace(view: QuestionView, **changes: object) -> QuestionView:
    import dataclasses

    return dataclasses.replace(view, **changes)  # type: ignore[arg-type]  # the names are checked by every test of it


def _stages(retrieval: Mapping[str, object]) -> tuple[str, ...]:
    if retrieval.get("system", "embedded") != "embedded":  # it has no stages that are known
        return ()
    mode = retrieval["mode"]
    return ("bm25", "dense") if mode == "hybrid" else (str(mode),)


def _proof(result: QuestionResult, k: int) -> str:
    items = result.items
    if result.status == "unanswerable":
        refused = result.live.grade.refused if result.live else None
        return "no answer exists" + ("" if refused is None else ", and it refuses" if refused else ", and it answers")
    if result.status == "unlabelled":
        return "no evidence is labelled"
    if len(items) > 1:
        inside = sum(item.rank is not None and item.rank <= k for item in items)
        proof = f"{inside} of {len(items)} inside k = {k}"
    elif items:
        item = items[0]
        lost = how_words(item.how) if item.how in _HOW and item.how != "stale" else f"evidence not in the pool, k = {k}"
        proof = lost if item.rank is None else f"evidence at {item.rank}, k = {k}"
    else:
        proof = ""
    return f"{proof}, answered anyway" if result.answered_anyway else proof


def _need(item: ItemResult, result: QuestionResult, k: int, manifest: Mapping[str, Any], *, placed: bool) -> NeedView:
    inside = item.rank is not None and item.rank <= k
    rungs = _rungs(item.rungs, k)
    if not rungs and inside:
        rungs = (RungView(f"inside k {k}, at {item.rank}", "ok"),)
        if result.lost_at == "answer":
            rungs = (*rungs, RungView("answer", "broken"))
    span = Extent(item.spans[0][1], item.spans[0][2]) if item.spans and placed else None
    lost = item.lost_at or ("answer" if inside and result.lost_at == "answer" else "")
    return NeedView(
        doc_id=scrub(item.doc_id or item.chunk_id),
        heading=scrub(one_line(item.heading[-1])) if item.heading else _COARSE.get(item.kind, ""),
        quote=scrub(item.quote),
        rank=item.rank,
        inside=inside,
        rungs=rungs,
        lever=_lever(lost, manifest, k),
        span=span,
    )


def _rungs(rungs: Sequence[Rung], k: int) -> tuple[RungView, ...]:
    """Every rung up to the first broken one; those after it only for their ranks."""
    out: list[RungView] = []
    broken = False
    for rung in rungs:
        if rung.state == "skipped" or (broken and rung.name == "context"):
            continue
        view = _rung(rung, k)
        out.append(view._replace(state="skipped") if broken else view)
        broken = broken or view.state == "broken"
    return tuple(out)


def _rung(rung: Rung, k: int) -> RungView:
    ranked = rung.name in ("bm25", "dense", "system", "fused", "reranked", "context")
    state: Literal["ok", "broken", "skipped"] = (
        "broken" if rung.state == "broken" else "skipped" if rung.state == "absent" else "ok"
    )
    if rung.name == "context":
        return RungView(f"inside k {k}", state, ranked=True)
    name = _RUNGS.get(rung.name, rung.name)
    if ranked:
        probe = " (probe)" if rung.note == "probe" else ""
        return RungView(
            f"{name}{probe} {rung.rank if rung.rank is not None else '–'}", "ok" if state == "skipped" else state, ranked=True
        )
    note = _HOW.get(rung.note, rung.note) if state == "broken" else ""
    return RungView(scrub(f"{name}: {note}" if note else name), state)


def _lever(lost_at: str, manifest: Mapping[str, Any], k: int) -> str:
    from ragtriage.measure.ladder import LEVERS

    if lost_at == "context":
        metrics = manifest.get("metrics")
        values = [
            metrics[name]["value"] for name in (f"recall@{k}", "recall@pool") if isinstance(metrics, dict) and name in metrics
        ]
        if len(values) == 2 and None not in values and round(values[1] - values[0], 2) > 0:
            return f"a reranker could win {values[1] - values[0]:.2f}".replace("0.", ".")
    picked = lost_at == "answer" and is_stand_in(manifest["config"])
    return LEVERS.get(lost_at, "") + (f"; but this is the extractive {STAND_IN}" if picked else "")


def _chunks(result: QuestionResult, chunks: Chunks, stages: Sequence[str]) -> tuple[ChunkView, ...]:
    shown = [_chunk(hit.chunk_id, rank, _ranks(hit, stages), result.items, chunks) for rank, hit in result.placed]
    there = {hit.chunk_id for hit in result.hits}
    lost: list[str] = []
    for item in result.items:
        if item.rank is None:
            lost += [chunk_id for chunk_id in _of_item(item, chunks)[:_MOST_LOST] if chunk_id not in there | set(lost)]
    shown += [_chunk(chunk_id, None, (None,) * len(stages), result.items, chunks) for chunk_id in lost[:_MOST_LOST]]
    return tuple(shown)


def _of_item(item: ItemResult, chunks: Chunks) -> list[str]:
    return [
        chunks.ids[row]
        for doc_id, start, end in item.spans
        for row in chunks.rows_of(doc_id)
        if chunks.starts[row] < end and start < chunks.ends[row]
    ]


def _ranks(hit: Hit, stages: Sequence[str]) -> tuple[int | None, ...]:
    by_name = {"bm25": hit.bm25_rank, "dense": hit.dense_rank}
    return tuple(by_name.get(stage) for stage in stages)


def _chunk(
    chunk_id: str, rank: int | None, ranks: tuple[int | None, ...], items: Sequence[ItemResult], chunks: Chunks
) -> ChunkView:
    row = chunks.row(chunk_id)
    if row is None:  # the corpus or the chunking is another one now
        return ChunkView(rank, scrub(chunk_id), scrub(chunk_id.rpartition("#")[0]), "", ranks=ranks)
    held, doc_id = held_by(chunks, row, items), chunks.document_of(row).doc_id
    return ChunkView(rank, scrub(chunk_id), scrub(doc_id), scrub(chunks.text(row)), held.holds, held.evidence, "", ranks)


class Held(NamedTuple):
    """What a passage has of the evidence, and where in its text quotes are to be marked."""

    holds: Holds
    evidence: tuple[Extent, ...] = ()


def held_by(chunks: Chunks, row: int, items: Sequence[ItemResult]) -> Held:
    """What a passage holds, with all its places where it is a foreign one that has several; marked is what is in the first."""
    document, span = chunks.document_of(row), chunks.span(row)
    holds, evidence = holding(document.doc_id, document.text, span.start, span.end, items)
    for place in chunks.also(row):
        other = holding(place.doc_id, chunks.corpus.document(place.doc_id).text, place.start, place.end, items)[0]
        holds = max(holds, other, key=("none", "part", "whole").index)
    return Held(holds, evidence)


def holding(doc_id: str, text: str, start: int, end: int, items: Sequence[ItemResult]) -> tuple[Holds, tuple[Extent, ...]]:
    """Whether `text[start:end]` of a document holds an item of evidence, and where in it quotes are to be marked."""
    from ragtriage.golden.ranks import enough_of_quote, gaps_after
    from ragtriage.types import Span

    best: Holds = "none"
    places: list[Extent] = []
    for item in items:
        for name, first, last in item.spans:
            if name != doc_id or first >= end or start >= last:
                continue
            if item.how in _QUOTED:
                places.append(Extent(max(first, start) - start, min(last, end) - start))
                quote = Span(first, last)
                whole = enough_of_quote(text, quote, gaps_after([quote], Span(start, end)))
            else:
                inside = text[max(first, start) : min(last, end)]
                whole = 2 * _solid(inside) >= min(_solid(text[first:last]), _solid(text[start:end]))
            best = "whole" if whole or best == "whole" else "part"
    return best, tuple(sorted(places))


def _solid(text: str) -> int:
    return len(text) - sum(map(str.isspace, text))

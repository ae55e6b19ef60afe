"""`ragtriage show QID --against RUN`: one question as a stored run has it, beside today's."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from ragtriage_tui.figures import clip_text
from ragtriage_tui.naming import cause
from ragtriage_tui.question_text import headline, item_place
from ragtriage_tui.text import one_line

if TYPE_CHECKING:
    from ragtriage.measure.results import QuestionResult, Run
    from ragtriage.project import Project

__all__ = ["stored_lines", "stored_side"]

_RANKS = 10


def stored_side(project: Project, name: str, qid: str) -> Run:
    """That stored run with the one question alone. Raises UsageError, StorageError."""
    import dataclasses

    from ragtriage.errors import UsageError

    run = project.runs.load(project.runs.find(name).id)
    question = run.get(qid)
    if question is None:
        raise UsageError(f"{run.id}: this run did not measure {qid}")
    return dataclasses.replace(run, questions=(question,))


def stored_lines(question: QuestionResult, k: int) -> Iterator[str]:
    """What the run keeps of the question: where its evidence was, the ladder, the first ranks. Texts are not in a run."""
    if question.status == "failed":
        yield f"! could not be measured: {clip_text(question.reason, 1000)}"
        return
    where = headline(question, k)
    mark = "✓" if question.status in ("found", "unanswerable") else "·"
    yield f"✗ {where}   suggested {cause(question.suggested)}" if question.suggested else f"{mark} {where}"
    for item in question.items:
        if len(question.items) > 1:
            yield f"needs  {item_place(item)}"
        stages = [f"{name} {'–' if rank is None else rank}" for name, rank in item.stages.items()]
        lost = f"   lost at {item.lost_at}" if item.lost_at else ""
        if stages or lost:
            yield f"       {' · '.join(stages)}{lost}"
    ranked = any(hit.bm25_rank or hit.dense_rank for hit in question.hits)  # another system's hits have no such ranks
    if question.hits:
        yield ""
        yield f"{'rank':>6}{'bm25':>6}{'dense':>7}  chunk" if ranked else f"{'rank':>6}  chunk"
    for place, hit in enumerate(question.hits[: max(k, _RANKS)], start=1):
        by = f"{hit.bm25_rank or '–':>6}{hit.dense_rank or '–':>7}" if ranked else ""
        yield f"{place:>6}{by}  {one_line(hit.chunk_id)}"
        if place == k and place < len(question.hits):
            yield f"───── context ends here, k = {k} ─────"
    if question.live:
        graded = {True: "✓ right: ", False: "✗ wrong: ", None: ""}[question.live.correct]
        yield from ("", f"live answer: {graded}{clip_text(question.live.text, 300)}")

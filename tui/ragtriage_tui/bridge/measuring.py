"""Saved questions, measured by themselves: red first."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

from ragtriage_tui.bridge.guard import guarded
from ragtriage_tui.bridge.overviews import state_of
from ragtriage_tui.bridge.questions import question_view
from ragtriage_tui.text import scrub
from ragtriage_tui.views import RowState
from ragtriage_tui.workers import DoorError

if TYPE_CHECKING:
    from ragtriage.measure.results import QuestionResult
    from ragtriage_tui.bridge.holder import Holder

__all__ = ["Outcome", "measure_all", "measure_one", "outcome"]


class Outcome(NamedTuple):
    """How a question does, and that as a sentence: `fails today, ranked too low (9)`."""

    state: RowState
    cause: str
    proof: str
    sentence: str


@guarded
def measure_one(door: Holder, raw: str) -> QuestionResult:
    """Measure a question and put what it did into the run that is shown. Raises DoorError where that would take long."""
    return measure_all(door, [raw])[0]


@guarded
def measure_all(door: Holder, raws: Sequence[str]) -> tuple[QuestionResult, ...]:
    """`measure_one` for several questions at once."""
    from ragtriage.measure.evaluate import evaluate
    from ragtriage.search.pipeline import Query
    from ragtriage.types import no_progress

    queries = []
    with door.held() as project:
        system = project.embedded
        for raw in raws:
            question = project.golden.get(raw)
            if question is None:
                raise DoorError(f"{scrub(raw)} is no longer in the golden set")
            queries.append(Query(question.sent, project.asked_by(question.access)))
        if system.missing():
            raise DoorError("it is measured when all documents are embedded")
    # the model may have to start for a question's vector: nobody else waits for that
    system.search(queries, progress=no_progress)
    with door.held() as project:
        results = evaluate(project, only=list(raws), store=False).questions
    for result in results:
        door.put(result)
    return tuple(results)


def outcome(result: QuestionResult, door: Holder) -> Outcome:
    """A result in words."""
    from ragtriage.triage.categories import CATEGORIES

    with door.held() as project:
        question = project.golden.get(result.qid)
        proof = question_view(question, result, door.run, project.chunks, "").proof if question and door.run else ""
        state = state_of(result, question, project.config.as_dict())
    cause = next((one.short for one in CATEGORIES if one.slug == result.suggested), "")
    ranks = ", ".join("–" if rank is None else str(rank) for rank in result.ranks)
    at = f" ({ranks})" if ranks else ""
    if state == "fails":
        return Outcome(state, cause, proof, f"fails today, {cause}{at}")
    if state == "passes":
        return Outcome(state, "", proof, f"passes today{at}")
    if state == "unasked":
        found = f"its evidence is found today{at}; " if result.items else ""
        return Outcome(state, "", proof, f"{found}whether its answer is right is not known yet: p in Triage asks for it")
    if state == "unmeasured":
        return Outcome(state, "", scrub(result.reason), f"could not be measured: {scrub(result.reason)}")
    return Outcome(state, "", proof, "nothing to measure yet")

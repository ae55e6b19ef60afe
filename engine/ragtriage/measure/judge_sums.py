"""What a judge said about the answers of a run in sum: each axis with its n, the table of owners, what to look at first."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ragtriage.measure.answer_results import AnswerResult
from ragtriage.measure.answer_sums import mean_json
from ragtriage.measure.failing import judged_alone
from ragtriage.measure.judged import Row, judged_table
from ragtriage.measure.results import QuestionResult
from ragtriage.metrics.aggregate import mean
from ragtriage.types import AXES, Axis

__all__ = ["summarise_judged"]


def summarise_judged(questions: Sequence[QuestionResult]) -> dict[str, Any]:
    """The part of run.json about judged answers. JSON values only.

    Axes and table are those of live answers: of the others the judge sees only what the grade leaves open. `decided` counts
    the answers whose `correct` is the judge's word alone, `causes` has the questions whose suggested cause is, by what it says.
    """
    live = [(question, question.live) for question in questions if question.live is not None]
    table = judged_table(
        [_row(question, answer) for question, answer in live if question.status in ("found", "partly", "missed")]
    )
    cells = [
        {
            "inside": cell.inside,
            "grounded": cell.grounded,
            "correct": cell.correct,
            "name": cell.kind.name,
            "owner": cell.kind.owner or None,
            "meaning": cell.kind.meaning,
            "qids": list(cell.qids),
        }
        for cell in table.cells
    ]
    every = [(question.qid, arm, answer) for question in questions for arm, answer in question.answers.items()]
    judged = [(qid, arm, answer, answer.judged) for qid, arm, answer in every if answer.judged is not None]
    return {
        "axes": {axis: _axis([answer for _, answer in live], axis) for axis in AXES},
        "table": cells,
        "undecided": list(table.undecided),
        "decided": {
            arm: sum(of == arm and answer.grade.correct is None and answer.correct is not None for _, of, answer in every)
            for arm in ("live", "oracle")
        },
        "causes": {
            axis: [question.qid for question, answer in live if judged_alone(question.status, answer) == axis]
            for axis in ("correct", "grounded")
        },
        "unstable": [{"qid": qid, "arm": arm, "axes": list(said.unstable)} for qid, arm, _, said in judged if said.unstable],
        "unscored": [{"qid": qid, "arm": arm, "reason": said.reason} for qid, arm, _, said in judged if said.reason],
        "disagree": [
            {"qid": qid, "arm": arm, "graded": answer.grade.correct, "judged": said.correct}
            for qid, arm, answer, said in judged
            if answer.grade.correct is not None and said.correct is not None and answer.grade.correct != said.correct
        ],
        "unjudged": [question.qid for question, answer in live if answer.judged is None],
    }


def _row(question: QuestionResult, answer: AnswerResult) -> Row:
    # found, and yet kept from the answer by the token budget: then the evidence was not there
    inside = question.status == "found" and question.lost_at != "context"
    return Row(question.qid, inside, answer.judged.grounded if answer.judged else None, answer.correct)


def _axis(answers: Sequence[AnswerResult], axis: Axis) -> dict[str, Any]:
    """How many are said yes and no to, and of how many it cannot be told; the share of yes among the decided, with its n."""
    said = [answer.judged.on(axis) for answer in answers if answer.judged is not None and not answer.judged.reason]
    yes, no = said.count(True), said.count(False)
    share = mean([float(one) for one in said if one is not None])
    return {"yes": yes, "no": no, "cannot_tell": len(said) - yes - no, "share": mean_json(share)}

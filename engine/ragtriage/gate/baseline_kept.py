"""A question as a baseline keeps it: enough of what a run says to be compared and graded like one."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple

from ragtriage.measure.answer_results import AnswerResult
from ragtriage.measure.results import ItemResult, QuestionResult
from ragtriage.types import AXES, Axis, Grade, Judged, Kind, Needs, Status

__all__ = ["Kept", "KeptAnswer", "KeptItem", "kept"]

_DIGITS = 6


class KeptItem(NamedTuple):
    """One item of evidence: its rank, that of its document where it is a chunk label, and its rank in each stage that ran."""

    rank: int | None
    how: str = "exact"
    gain: float = 1.0
    doc_rank: int | None = None
    stages: Mapping[str, int | None] = {}


class KeptAnswer(NamedTuple):
    """What is said of the live answer: by the grade, and by the judge on each axis; `judged` None where no judge saw it."""

    graded: bool | None
    refused: bool
    judged: Mapping[Axis, bool | None] | None = None


@dataclass(frozen=True, slots=True)
class Kept:
    """One question. `unanswered` says why its answer failed, "" where it did not."""

    qid: str
    identity: str
    status: Status
    needs: Needs
    kind: Kind
    items: tuple[KeptItem, ...]
    rr: float | None = None
    suggested: str = ""
    lost_at: str = ""
    live: KeptAnswer | None = None
    unanswered: str = ""

    def result(self) -> QuestionResult:
        """As a run holds it."""
        return QuestionResult(
            qid=self.qid,
            kind=self.kind,
            split="dev",
            needs=self.needs,
            status=self.status,
            items=tuple(map(_item, self.items)),
            suggested=self.suggested,
            lost_at=self.lost_at,
            rr=self.rr,
            live=_answer(self.live) if self.live else None,
            unanswered={"live": self.unanswered} if self.unanswered else {},
            identity=self.identity,
        )


def kept(question: QuestionResult) -> Kept:
    """A question of a run."""
    live = question.live
    judged = None  # also where the judge's reply could not be used
    if live is not None and live.judged is not None and not live.judged.reason:
        judged = {axis: live.judged.on(axis) for axis in AXES}
    return Kept(
        qid=question.qid,
        identity=question.identity,
        status=question.status,
        needs=question.needs,
        kind=question.kind,
        items=tuple(KeptItem(one.rank, one.how, one.gain, one.doc_rank, dict(one.stages)) for one in question.items),
        rr=round(question.rr, _DIGITS) if question.rr is not None else None,
        suggested=question.suggested,
        lost_at=question.lost_at,
        live=KeptAnswer(live.grade.correct, live.grade.refused, judged) if live is not None else None,
        unanswered=question.unanswered.get("live", ""),
    )


def _item(kept: KeptItem) -> ItemResult:
    return ItemResult(
        kind="chunk" if kept.how in ("chunk", "stale") else "",
        doc_id="",
        heading=(),
        quote="",
        gain=kept.gain,
        how=kept.how,
        ambiguous=False,
        stale=kept.how == "stale",
        spans=(),
        rank=kept.rank,
        lost_at="",
        rungs=(),
        stage_ranks=kept.stages,
        doc_rank=kept.doc_rank,
    )


def _answer(kept: KeptAnswer) -> AnswerResult:
    grade = Grade(kept.graded, kept.refused)
    if kept.judged is None:
        return AnswerResult("", (), grade)
    correct, grounded, cited, honest, addresses = (kept.judged.get(axis) for axis in AXES)
    return AnswerResult("", (), grade, Judged(correct, grounded, cited, honest, addresses))

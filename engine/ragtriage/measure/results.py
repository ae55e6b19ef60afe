"""What one evaluation found, question by question, and its form in `questions.jsonl`.

Nothing in here differs between two reruns of the same inputs: times and costs are kept apart.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from ragtriage.json_lines import dump_line
from ragtriage.measure.answer_results import ARMS, AnswerResult, Arm
from ragtriage.types import AlsoAt, Axis, FoundAt, Hit, Kind, Needs, Split, Status

if TYPE_CHECKING:
    from ragtriage.metrics.base import Metric

__all__ = ["PROBE", "STAGES", "ItemResult", "QuestionResult", "Run", "Rung", "RungState"]

STAGES = ("bm25", "dense", "system", "fused", "reranked")
"""The rungs that rank passages, in the order they run. "system" is one that is not ours, whatever stages it has."""

PROBE = "probe"
"""The note of a rung that says what the embedded engine has where another system is measured: no step of that one."""

RungState = Literal["ok", "broken", "absent", "skipped"]


class Rung(NamedTuple):
    """One step of the ladder for one item of evidence.

    `state` "absent": this retriever did not return it, another one did; "skipped": the step did not run or says nothing
    here. `rank` is the evidence's rank in that stage (from 1), where it has one.
    """

    name: str
    state: RungState
    rank: int | None = None
    note: str = ""


@dataclass(frozen=True, slots=True)
class ItemResult:
    """One item of evidence: where it lies, at which rank it came whole, and where it was lost.

    `how` tells how the place was found in the corpus (see golden.evidence); `spans` are (doc_id, start, end). `rank` is the
    smallest r at which ranks 1..r hold it, None where the pool does not. `rungs` is empty for an item inside k, which has
    instead `stage_ranks`: its rank in each stage that ran, None where that stage did not return it. `in_parts`: inside k, and
    no single passage holds it. `doc_rank`, of a label by chunk id alone, is the rank of its document's first passage.
    """

    kind: str
    doc_id: str
    heading: tuple[str, ...]
    quote: str
    gain: float
    how: str
    ambiguous: bool
    stale: bool
    spans: tuple[tuple[str, int, int], ...]
    rank: int | None
    lost_at: str
    rungs: tuple[Rung, ...]
    chunk_id: str = ""
    label_sha: str = ""
    stage_ranks: Mapping[str, int | None] = field(default_factory=dict)
    in_parts: bool = False
    doc_rank: int | None = None

    @property
    def stages(self) -> Mapping[str, int | None]:
        """The rank in each stage that ran, inside k or not, as far as the run tells."""
        if not self.rungs:
            return self.stage_ranks
        return {
            rung.name: rung.rank
            for rung in self.rungs
            if rung.name in STAGES and rung.state != "skipped" and rung.note != PROBE
        }

    def to_dict(self) -> dict[str, Any]:
        return {
            "kind": self.kind,
            "doc": self.doc_id,
            "heading": list(self.heading),
            "quote": self.quote,
            "gain": self.gain,
            "how": self.how,
            "ambiguous": self.ambiguous,
            "stale": self.stale,
            "spans": [list(span) for span in self.spans],
            "rank": self.rank,
            "lost_at": self.lost_at,
            "rungs": [rung._asdict() for rung in self.rungs],
            "chunk_id": self.chunk_id or None,
            "label_sha": self.label_sha or None,
            "stages": dict(self.stage_ranks),
            "in_parts": self.in_parts,
            "doc_rank": self.doc_rank,
        }

    @classmethod
    def from_dict(cls, value: Mapping[str, Any]) -> ItemResult:
        return cls(
            kind=value["kind"],
            doc_id=value["doc"],
            heading=tuple(value["heading"]),
            quote=value["quote"],
            gain=value["gain"],
            how=value["how"],
            ambiguous=value["ambiguous"],
            stale=value["stale"],
            spans=tuple((doc_id, start, end) for doc_id, start, end in value["spans"]),
            rank=value["rank"],
            lost_at=value["lost_at"],
            rungs=tuple(Rung(**rung) for rung in value["rungs"]),
            chunk_id=value["chunk_id"] or "",
            label_sha=value["label_sha"] or "",
            stage_ranks=value.get("stages", {}),
            in_parts=value.get("in_parts", False),
            doc_rank=value.get("doc_rank"),
        )


@dataclass(frozen=True, slots=True)
class QuestionResult:
    """Everything measured for one question.

    `rr` is None where the question does not enter retrieval metrics (unanswerable, unlabelled, failed). `suggested` and
    `lost_at` are "" where nothing is wrong. `seen` identifies what a verdict was given on. `unanswered` holds the
    arms whose answer was asked for and failed, with the reason. `context_tokens` counts the
    tokens of ranks 1..k. `places` has the passages of a foreign system that are no chunks of ours, with their places in the
    corpus, `also` what else those hold, `hidden` the ids of passages that those who asked may not see. `identity` tells
    whether another run has the same question (see measure.identity); "" in a run of an older version.
    """

    qid: str
    kind: Kind
    split: Split
    needs: Needs
    status: Status
    items: tuple[ItemResult, ...]
    suggested: str = ""
    lost_at: str = ""
    rr: float | None = None
    hits: tuple[Hit, ...] = ()
    live: AnswerResult | None = None
    oracle: AnswerResult | None = None
    padded: AnswerResult | None = None
    forced: AnswerResult | None = None
    unanswered: Mapping[Arm, str] = field(default_factory=dict)
    no_oracle: str = ""
    reason: str = ""
    answered_anyway: bool = False
    seen: str = ""
    repeated: int = 0
    context_tokens: int = 0
    identity: str = ""
    places: Mapping[str, FoundAt] = field(default_factory=dict)
    also: Mapping[str, tuple[AlsoAt, ...]] = field(default_factory=dict)
    hidden: tuple[str, ...] = ()

    @property
    def placed(self) -> list[tuple[int, Hit]]:
        """Each passage of `hits` once, with the first of its ranks (from 1): another system may return one again."""
        first: dict[str, tuple[int, Hit]] = {}
        for rank, hit in enumerate(self.hits, start=1):
            first.setdefault(hit.chunk_id, (rank, hit))
        return list(first.values())

    @property
    def ranks(self) -> tuple[int | None, ...]:
        """The rank of each item of evidence, None where the pool does not hold it."""
        return tuple(item.rank for item in self.items)

    @property
    def answers(self) -> dict[Arm, AnswerResult]:
        """The answers there are, by what they were given."""
        found = {"live": self.live, "oracle": self.oracle, "padded": self.padded, "forced": self.forced}
        return {arm: answer for arm in ARMS if (answer := found[arm]) is not None}

    @property
    def gains(self) -> tuple[float, ...]:
        return tuple(item.gain for item in self.items)

    @property
    def measured(self) -> bool:
        """Whether the question has a value in retrieval metrics."""
        return self.rr is not None

    @property
    def enters(self) -> bool:
        """Whether it counts in retrieval metrics: measured, or failed though it has a label, and then without a value."""
        return self.measured or (self.status == "failed" and bool(self.items))

    def value(self, metric: Metric) -> float | None:
        """Its value in a metric, from 0 to 1; None where it was not measured, or somebody edited what a run says of it."""
        return self.values((metric,))[0]

    def values(self, metrics: Sequence[Metric]) -> list[float | None]:
        """`value` of each metric: ranks and gains are looked at once."""
        ranks, gains = self.ranks, self.gains
        if self.rr is None or not math.isfinite(self.rr) or not gains or not all(0 < gain < math.inf for gain in gains):
            return [None] * len(metrics)
        return [metric.of(ranks, gains) for metric in metrics]

    def said(self, axis: Axis) -> float | None:
        """1 or 0 for what is said of the live answer on an axis; None where there is no answer or nothing says."""
        if self.status == "failed" or self.live is None:
            return None
        verdict = self.live.on(axis)
        return None if verdict is None else float(verdict)

    def to_dict(self) -> dict[str, Any]:
        """One line of questions.jsonl, and one element of `per_question`."""
        return {
            "qid": self.qid,
            "kind": self.kind,
            "split": self.split,
            "needs": self.needs,
            "status": self.status,
            "suggested": self.suggested or None,
            "lost_at": self.lost_at or None,
            "ladder": [item.to_dict() for item in self.items],
            "ranks": list(self.ranks),
            "rr": self.rr,
            "ranking": [
                {
                    "rank": rank,
                    "chunk_id": hit.chunk_id,
                    "bm25_rank": hit.bm25_rank,
                    "dense_rank": hit.dense_rank,
                    "fused_rank": hit.fused_rank,
                    "rerank_rank": hit.rerank_rank,
                    "score": hit.score,
                }
                for rank, hit in enumerate(self.hits, start=1)
            ],
            "live": self.live.to_dict() if self.live else None,
            "oracle": self.oracle.to_dict() if self.oracle else None,
            "padded": self.padded.to_dict() if self.padded else None,
            "forced": self.forced.to_dict() if self.forced else None,
            "unanswered": dict(self.unanswered),
            "no_oracle": self.no_oracle or None,
            "reason": self.reason or None,
            "answered_anyway": self.answered_anyway,
            "seen": self.seen,
            "repeated": self.repeated,
            "context_tokens": self.context_tokens,
            "identity": self.identity or None,
            **({"places": {name: place and list(place) for name, place in self.places.items()}} if self.places else {}),
            **({"also": {name: [list(one) for one in more] for name, more in self.also.items()}} if self.also else {}),
            **({"hidden": list(self.hidden)} if self.hidden else {}),
        }

    @classmethod
    def from_dict(cls, value: Mapping[str, Any], *, rankings: bool = True) -> QuestionResult:
        """What `to_dict` made; without `hits` where `rankings` are not wanted."""
        return cls(
            qid=value["qid"],
            kind=value["kind"],
            split=value["split"],
            needs=value["needs"],
            status=value["status"],
            suggested=value["suggested"] or "",
            lost_at=value["lost_at"] or "",
            items=tuple(ItemResult.from_dict(item) for item in value["ladder"]),
            rr=value["rr"],
            hits=tuple(
                Hit(
                    hit["chunk_id"],
                    hit["score"],
                    hit["bm25_rank"],
                    hit["dense_rank"],
                    hit["fused_rank"],
                    hit["rerank_rank"],
                )
                for hit in (value["ranking"] if rankings else ())
            ),
            live=AnswerResult.from_dict(value["live"]) if value["live"] else None,
            oracle=AnswerResult.from_dict(value["oracle"]) if value["oracle"] else None,
            padded=AnswerResult.from_dict(value["padded"]) if value.get("padded") else None,
            forced=AnswerResult.from_dict(value["forced"]) if value.get("forced") else None,
            unanswered=value.get("unanswered", {}),
            no_oracle=value["no_oracle"] or "",
            reason=value["reason"] or "",
            answered_anyway=value["answered_anyway"],
            seen=value["seen"],
            repeated=value["repeated"],
            context_tokens=value["context_tokens"],
            identity=value.get("identity") or "",
            places={name: place and (place[0], place[1], place[2]) for name, place in value.get("places", {}).items()}
            if rankings
            else {},
            also={name: tuple(AlsoAt(*one) for one in more) for name, more in value.get("also", {}).items()}
            if rankings
            else {},
            hidden=tuple(value.get("hidden", ())),
        )


@dataclass(frozen=True)
class Run:
    """One evaluation. `manifest` is run.json: when, with which corpus, configuration and golden set, and the metrics."""

    id: str
    manifest: Mapping[str, Any]
    questions: tuple[QuestionResult, ...]
    timings: tuple[Mapping[str, Any], ...] = ()

    @cached_property
    def lines(self) -> tuple[bytes, ...]:
        """The questions as they stand in questions.jsonl. Made once: the file and `--json` both take them."""
        return tuple(dump_line(question.to_dict()) for question in self.questions)

    def get(self, qid: str) -> QuestionResult | None:
        return next((question for question in self.questions if question.qid == qid), None)

"""The answers of one evaluation: what each question is answered from, all of them asked at once, each graded, some judged."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from typing import Any, Literal, NamedTuple

from ragtriage.answers.context import forced_context, live_context, oracle_context, padded_context
from ragtriage.answers.generators import Asking
from ragtriage.answers.grading import gradable, grade
from ragtriage.answers.models.base import Reply
from ragtriage.chunking.base import Chunks
from ragtriage.golden.evidence import ResolvedItem
from ragtriage.measure.answer_results import AnswerResult, Arm
from ragtriage.project import Project
from ragtriage.remote.endpoint import Endpoint
from ragtriage.remote.estimate import Agree
from ragtriage.types import Answer, Failure, Passage, Progress, Question

__all__ = ["Answered", "Answering", "AnswersMode", "Plan"]

AnswersMode = Literal["none", "live", "oracle", "both"]
OWN_CONTEXT = "the system answers from passages of its own choice"
NO_ORACLE = "the evidence is missing, or larger than the token budget"


class Plan(NamedTuple):
    """What one question is answered from, by arm; none where an answer could not be graded. `no_oracle` says why not."""

    question: Question
    contexts: Mapping[Arm, tuple[Passage, ...]]
    no_oracle: str = ""


class Answered(NamedTuple):
    """The answers of one question, and the arms that failed with the reason."""

    answers: Mapping[Arm, AnswerResult]
    failed: Mapping[Arm, str]


class Answering:
    """Plans, asks, grades and judges. `ask` and `ask_judge` agree to what is sent; without them the caches alone speak.

    `ungraded`: answer also questions whose answers nothing can grade. `repeat` 1 has a model asked a second time, and so on.
    `chunks` has the rows of what was retrieved, where that are not the chunks of the project alone.
    """

    def __init__(
        self, project: Project, mode: AnswersMode, *, split_tax: bool = False, ungraded: bool = False, ask: Agree | None = None,
        ask_judge: Agree | None = None, stability: bool = False, repeat: int = 0, chunks: Chunks | None = None,
    ) -> None:  # fmt: skip
        self._project = project
        self._chunks = chunks or project.chunks
        self._mode = mode
        self._split = split_tax
        self._ungraded = ungraded
        self._ask = ask
        self._ask_judge = ask_judge
        self._stability = stability
        self._repeat = repeat
        self._k = project.config.retrieval.k
        self._config = project.config.answers
        self._generator = project.generator
        self._brings_its_own = project.answers_by_itself
        self._judge = project.judge
        self.timings: list[dict[str, Any]] = []

    def plan(self, question: Question, ids: Sequence[str], items: Sequence[ResolvedItem], *, failed: bool = False) -> Plan:
        """The contexts of a question with the ranking `ids`. Where retrieval `failed`, a system has no answer of its own."""
        wanted = self._ungraded or gradable(question) or (self._judge is not None and bool(question.expected_answer))
        if self._mode == "none" or not wanted:
            return Plan(question, {})
        budget, order = self._config.max_context_tokens, self._config.order
        contexts: dict[Arm, tuple[Passage, ...]] = {}
        if self._mode in ("live", "both"):
            contexts["live"] = live_context(ids, self._chunks, self._k, budget, order)
        if self._brings_its_own:
            return Plan(question, {} if failed else contexts, OWN_CONTEXT)
        if self._mode not in ("oracle", "both") or not question.answerable or not items:
            return Plan(question, contexts)
        evidence = oracle_context(items, self._chunks, budget, needs=question.needs)
        if evidence is None:
            return Plan(question, contexts, NO_ORACLE)
        contexts["oracle"] = evidence
        if self._split and self._mode == "both":
            best_first = live_context(ids, self._chunks, self._k, budget)
            contexts["padded"] = padded_context(evidence, best_first, self._chunks, self._k, budget, order)
            inside = {one.chunk_id for one in evidence} <= {one.chunk_id for one in best_first}
            contexts["forced"] = (
                contexts["live"] if inside else forced_context(evidence, best_first, self._chunks, self._k, budget, order)
            )
        return Plan(question, contexts)

    def answer(self, plans: Sequence[Plan], progress: Progress) -> list[Answered]:
        """The answers of each plan. Raises what keeps everything from being asked, never what one question did."""
        flat = [(plan, arm, passages) for plan in plans for arm, passages in plan.contexts.items()]
        askings = [Asking(
                plan.question.question, passages, plan.question.sent, self._repeat,
                self._project.asked_by(plan.question.access),
            )
            for plan, _, passages in flat
        ]  # fmt: skip
        generated = self._generator.answer(askings, agree=self._ask, progress=progress)
        found: list[tuple[dict[Arm, AnswerResult], dict[Arm, str]]] = [({}, {}) for _ in plans]
        at = {id(plan): number for number, plan in enumerate(plans)}
        for (plan, arm, passages), one in zip(flat, generated, strict=True):
            answers, failed = found[at[id(plan)]]
            if isinstance(one.answer, Failure):
                failed[arm] = one.answer.reason
            elif isinstance(one.answer, Answer):
                answers[arm] = AnswerResult(one.answer.text, one.answer.passages, grade(plan.question, one.answer, passages))
            if one.reply is not None and self._generator.endpoint is not None:
                first = next(before for before, given in plan.contexts.items() if given == passages)
                self._time("answer", plan.question, arm, first, self._generator.endpoint, [one.reply], cached=one.cached)
        if self._judge is not None:
            self._judged(plans, [answers for answers, _ in found], progress)
        return [Answered(answers, failed) for answers, failed in found]

    def _judged(self, plans: Sequence[Plan], found: Sequence[dict[Arm, AnswerResult]], progress: Progress) -> None:
        """Put what the judge says into `found`: of every live answer, of the others where the grade decides nothing."""
        judge = self._judge
        if judge is None:
            return
        from ragtriage.answers.judge import Judging

        seen = [
            (answers, arm, Judging(plan.question, plan.contexts[arm], answer.text))
            for plan, answers in zip(plans, found, strict=True)
            for arm, answer in answers.items()
            if arm == "live" or answer.grade.correct is None
        ]
        results = judge.judge(
            [judging for _, _, judging in seen], agree=self._ask_judge, stability=self._stability, progress=progress
        )
        firsts: dict[tuple[str, tuple[Passage, ...], str], Arm] = {}
        for (answers, arm, judging), one in zip(seen, results, strict=True):
            answers[arm] = dataclasses.replace(answers[arm], judged=one.judged)
            first = firsts.setdefault((judging.question.qid, judging.passages, judging.answer), arm)
            if judge.endpoint is not None:
                self._time("judge", judging.question, arm, first, judge.endpoint, one.replies, cached=one.cached)

    def _time(
        self, stage: str, question: Question, arm: Arm, first: Arm, endpoint: Endpoint, replies: Sequence[Reply], *,
        cached: bool,
    ) -> None:  # fmt: skip
        """Note what replies took. Two arms with the same to ask are asked once: the second has it from the `first`."""
        for reply in replies:
            row = timing(stage, question.qid, arm, endpoint, reply, cached=cached)
            self.timings.append({**row, "same_as": first if first != arm else None})

    def manifest(self) -> dict[str, Any]:
        """What answered and what judged, for run.json: enough to tell two runs apart. Tokens and cost are those of all
        replies used, `asked` counts the requests that were sent for this run."""
        rows = {stage: [row for row in self.timings if row["stage"] == stage] for stage in ("answer", "judge")}
        used = totals(rows["answer"]) if self._generator.endpoint else {}
        judge = {"judge": {**self._judge.manifest(), **totals(rows["judge"])}} if self._judge else {}
        return {"generator": {**self._generator.manifest(), **used}, **judge}


def timing(stage: str, qid: str, arm: str, endpoint: Endpoint, reply: Reply, *, cached: bool) -> dict[str, Any]:
    """One line of timings.jsonl about a reply: seconds, tokens, cost."""
    return {
        "stage": stage,
        "qid": qid,
        "arm": arm,
        "model": reply.model or None,
        "seconds": round(reply.seconds, 3),
        "input_tokens": reply.input_tokens,
        "output_tokens": reply.output_tokens,
        "cost": endpoint.cost(reply.input_tokens, reply.output_tokens),
        "cached": cached,
    }


def totals(timings: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Replies used, their models, tokens, cost and seconds, each reply counted once; a sum is None where one does not say."""
    timings = [one for one in timings if not one.get("same_as")]
    out: dict[str, Any] = {
        "replies": len(timings),
        "cached": sum(one["cached"] for one in timings),
        "models": sorted({one["model"] for one in timings if one["model"]}),
    }
    for name in ("input_tokens", "output_tokens", "cost"):
        values = [one[name] for one in timings]
        out[name] = None if None in values else round(sum(values), 6)
    seconds = sorted(one["seconds"] for one in timings)
    out["seconds_p50"] = seconds[len(seconds) // 2] if seconds else None
    out["seconds_p95"] = seconds[int(len(seconds) * 0.95)] if seconds else None
    return out

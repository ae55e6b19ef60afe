"""An answer with its grade, what a judge says and what it cost, as the screens show it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from ragtriage_tui.answer_views import AnswerView, CalibrationView, CitationView, JudgeView, MarkView, SentView
from ragtriage_tui.estimates import price
from ragtriage_tui.text import Extent, scrub

if TYPE_CHECKING:
    from ragtriage.chunking.base import Chunks
    from ragtriage.measure.answer_results import AnswerResult, Arm
    from ragtriage.measure.results import QuestionResult
    from ragtriage.types import Judged, Question

__all__ = ["answer_view", "cost_of", "judge_view", "missing_words"]


def answer_view(
    answer: AnswerResult, arm: Arm, question: Question, chunks: Chunks | None, *, calibration: CalibrationView,
    cost: tuple[str, ...] = (),
) -> AnswerView:  # fmt: skip
    """`chunks` None: those of the run are not today's, so that no passage can be opened."""
    from ragtriage.answers.citations import find_citations

    good = answer.correct if question.answerable else answer.grade.refused
    return AnswerView(
        good=good,
        given=_given(answer, arm),
        text=scrub(answer.text),
        marks=tuple(_marks(answer, arm, question)),
        passages=tuple(_sent(chunk_id, chunks) for chunk_id in answer.passages),
        citations=tuple(CitationView(Extent(one.start, one.end), one.numbers) for one in find_citations(answer.text)),
        judge=judge_view(answer.judged, calibration) if answer.judged else None,
        cost=cost,
    )


def _given(answer: AnswerResult, arm: Arm) -> str:
    if arm == "oracle":
        return "given the evidence"
    count = len(answer.passages)
    if arm == "padded":
        return "the evidence, padded with what live holds"
    if arm == "forced":
        return "what live holds, the evidence forced in"
    return f"given ranks 1-{count}" if count > 1 else "given rank 1" if count else "given nothing"


def _marks(answer: AnswerResult, arm: Arm, question: Question) -> Iterable[MarkView]:
    """The worst first: what a narrow line shows."""
    grade = answer.grade
    if invalid := " ".join(f"[{number}]" for number in dict.fromkeys(grade.invalid)):
        which = f"cites {invalid}, which {'was' if len(set(grade.invalid)) == 1 else 'were'} not given"
        yield MarkView(False, "blocked:", which) if arm == "live" else MarkView(False, which)
    for text in grade.missing:
        yield MarkView(False, "lacks", scrub(text))
    for text in grade.said_wrong:
        yield MarkView(False, "wrongly says", scrub(text))
    for text in grade.unsupported:
        yield MarkView(False, "no source for", scrub(text))
    if grade.refused:
        yield MarkView(None if question.answerable else True, "refuses")
    missing = set(grade.missing)
    if question.answerable:
        for choice in question.must_mention:
            if choice and choice[0] not in missing:
                yield MarkView(True, "says", scrub(choice[0]))
    if valid := [number for number in dict.fromkeys(grade.cited) if number not in grade.invalid]:
        numbers = " ".join(f"[{number}]" for number in valid)
        yield MarkView(True, f"{numbers} exist{'s' if len(valid) == 1 else ''}")
    elif not grade.cited and not grade.refused:
        yield MarkView(None, "cites nothing")


def _sent(chunk_id: str, chunks: Chunks | None) -> SentView:
    row = chunks.row(chunk_id) if chunks is not None else None
    return SentView(scrub(chunk_id), scrub(chunks.document_of(row).doc_id) if chunks is not None and row is not None else "")


def judge_view(judged: Judged, calibration: CalibrationView) -> JudgeView:
    """What a judge says, with how far it is known to agree with people."""
    from ragtriage.types import AXES

    return JudgeView(
        said=tuple(judged.on(axis) for axis in AXES),
        calibration=calibration,
        claims=tuple(map(scrub, judged.claims)),
        unstable=tuple(map(str, judged.unstable)),
        reason=scrub(judged.reason),
    )


def cost_of(timings: Sequence[Mapping[str, Any]], qid: str, arm: str) -> tuple[str, ...]:
    """What an answer took, the shortest form first: `357 tokens`, `312 + 45 tokens · cost 0.0004 · 1.2 s`. Empty: not known."""
    for one in timings:
        if one.get("stage") != "answer" or one.get("qid") != qid or one.get("arm") != arm:
            continue
        read, written, cost, seconds = (one.get(name) for name in ("input_tokens", "output_tokens", "cost", "seconds"))
        tokens = None if read is None or written is None else read + written
        paid = "" if cost is None else f"cost {price(cost)}"
        short = [f"{tokens:,} tokens" if tokens is not None else "", paid]
        long = [f"{read:,} + {written:,} tokens" if tokens is not None else "", paid, f"{seconds:.1f} s" if seconds else ""]
        forms = [" · ".join(part for part in form if part) for form in (short[:1], short, long)]
        return tuple(dict.fromkeys(form for form in forms if form))
    return ()


def missing_words(result: QuestionResult, arm: Arm, question: Question, *, asked_of_model: bool, wanted: str) -> str:
    """Why an answer is not there, with the key that helps. `wanted` is what the run was told to answer."""
    from ragtriage.answers.grading import gradable

    if reason := result.unanswered.get(arm):
        return scrub(reason)
    if arm == "oracle" and not question.answerable:
        return "no answer exists"
    if arm == "oracle" and result.no_oracle:
        return scrub(result.no_oracle)
    if result.status == "failed":
        return "it could not be measured"
    if arm == "oracle" and not result.items:
        return "no evidence is labelled"
    if wanted not in ("both", arm):
        return "not asked in this run: p asks"
    if not gradable(question):
        return "nothing in the golden set grades it" + (": p asks all the same" if asked_of_model else "")
    return "not asked yet: p asks" if asked_of_model else "not asked: p asks"

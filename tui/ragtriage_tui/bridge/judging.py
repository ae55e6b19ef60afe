"""The queue of answers that people judge, and what they say of them: events in the repository, like verdicts."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

from ragtriage_tui.answer_views import AXES, Arm, CitationView
from ragtriage_tui.bridge.answers import judge_view
from ragtriage_tui.bridge.calibration import calibration_of_run
from ragtriage_tui.bridge.guard import guarded
from ragtriage_tui.bridge.overviews import setup_name, setup_of
from ragtriage_tui.judge_views import (
    NOTHING_SAID,
    JudgeDetail,
    JudgeQueue,
    JudgeRow,
    Reviewed,
    Said,
    SentText,
    cycled,
)
from ragtriage_tui.text import Extent, one_line, scrub
from ragtriage_tui.views import Progress
from ragtriage_tui.workers import DoorError

if TYPE_CHECKING:
    from pathlib import Path

    from ragtriage.chunking.base import Chunks
    from ragtriage.measure.answer_results import AnswerResult
    from ragtriage.measure.results import Run
    from ragtriage.project import Project
    from ragtriage.triage.reviews import Review, ReviewLog, Word
    from ragtriage.types import Judged, Question
    from ragtriage_tui.bridge.door import Door

__all__ = ["Judging"]

_ARMS: tuple[Arm, ...] = ("live", "oracle")
_FILE = "reviews.jsonl"
_WORDS: dict[Said, Word] = {"": None, "yes": True, "no": False, "unsure": "unsure"}
_SAID: dict[Word, Said] = {word: said for said, word in _WORDS.items()}
_NO_RUN = "No answers to judge: nothing is measured yet. ctrl+r in Triage measures."
_NO_ANSWERS = "No answers to judge. p in Triage has a question answered; `ragtriage eval --answers both` all of them."


class _Queued(NamedTuple):
    """One answer of the shown run. `grade` and `judged` are what its place in the queue follows from."""

    sha: str
    question: Question
    arm: Arm
    answer: AnswerResult

    @property
    def grade(self) -> bool | None:
        return self.answer.grade.correct

    @property
    def judged(self) -> Judged | None:
        return self.answer.judged


class _Look(NamedTuple):
    """What is said of an answer, whether somebody has judged it, and who where that was somebody else."""

    said: tuple[Said, ...] = NOTHING_SAID
    done: bool = False
    by: str = ""


class Judging:
    """Reviews for a door. What is on disk is all that is known of them."""

    def __init__(self, door: Door) -> None:
        self._door = door
        self._log: ReviewLog | None = None

    @guarded
    def queue(self, progress: Progress) -> JudgeQueue:
        """See JudgeDoor."""
        door = self._door
        with door.held() as project:
            run = door.shown_run
            reviews = self._reviews(project).current()
            rows = tuple(self._row(one, reviews.get(one.sha)) for one in self._queued(project))
            return JudgeQueue(
                project=scrub(one_line(project.name)),
                setup=scrub(one_line(setup_of(run.manifest["config"]["retrieval"]) if run else setup_name(project.config))),
                rows=rows,
                empty="" if rows else _NO_ANSWERS if run else _NO_RUN,
                read_only=scrub(door.read_only),
                notice=scrub(door.notice),
            )

    @guarded
    def answer(self, answer_id: str) -> JudgeDetail | None:
        """See JudgeDoor."""
        from ragtriage.answers.citations import find_citations
        from ragtriage.measure.foreign_passages import passages_of

        door = self._door
        with door.held() as project:
            one = self._find(project, answer_id)
            run = door.shown_run
            if one is None or run is None:
                return None
            review = self._reviews(project).current().get(one.sha)
            chunks = project.chunks if door.run is not None else None
            if chunks is not None and (found := door.result(one.question.qid)) is not None:
                chunks = passages_of([found], chunks)
            judged = one.answer.judged
            return JudgeDetail(
                id=one.sha,
                qid=door.names.shown(one.question.qid),
                arm=one.arm,
                question=scrub(one.question.question),
                expected=scrub(_expected(one.question)),
                answer=scrub(one.answer.text),
                citations=tuple(
                    CitationView(Extent(place.start, place.end), place.numbers) for place in find_citations(one.answer.text)
                ),
                sent=tuple(_sent(number, chunk_id, chunks) for number, chunk_id in enumerate(one.answer.passages, start=1)),
                note=scrub(review.note) if review else "",
                judge=judge_view(judged, calibration_of_run(project, run.manifest)) if judged else None,
            )

    @guarded
    def press(self, answer_id: str, axis: int) -> Reviewed:
        """See JudgeDoor."""
        door = self._door
        door.must_write()
        with door.held() as project:
            one, before = self._one(project, answer_id)
            old = self._look(before).said
            said = cycled(old, axis)
            review = self._record(one, said, before.note if before else "")
            finished = all(said) and not all(old)
            name = f"{door.names.shown(one.question.qid)} {one.arm}"
            whole = f"{name} is judged: {', '.join(said)}"
            message = whole if finished else f"{name}: {axis + 1} {AXES[axis]} {said[axis]}"
            return self._reviewed(one.sha, review, message, finished=finished)

    @guarded
    def note(self, answer_id: str, text: str) -> Reviewed:
        """See JudgeDoor."""
        door = self._door
        door.must_write()
        with door.held() as project:
            one, before = self._one(project, answer_id)
            review = self._record(one, self._look(before).said, text.strip())
            kept = "note kept" if review.note else "the note is gone"
            return self._reviewed(one.sha, review, f"{door.names.shown(one.question.qid)} {one.arm}: {kept}")

    @guarded
    def undo(self) -> Reviewed:
        """Take back the newest press."""
        self._door.must_write()
        with self._door.held() as project:
            return self._after(project, self._reviews(project).undo(), "Nothing to undo")

    @guarded
    def redo(self) -> Reviewed:
        """Make again what was undone."""
        self._door.must_write()
        with self._door.held() as project:
            return self._after(project, self._reviews(project).redo(), "Nothing to do again")

    # inside

    def _reviews(self, project: Project) -> ReviewLog:
        from ragtriage.triage.reviews import ReviewLog

        path: Path = project.evals / _FILE
        if self._log is None or self._log.path != path:
            self._log = ReviewLog(path)
        return self._log

    def _queued(self, project: Project) -> list[_Queued]:
        """The answers of the shown run whose reviews can count: live, then of the oracle's those that no must-mention grades or
        that a judge judged, the least certain first; what says the same twice is judged once."""
        from ragtriage.measure.judged import least_certain_first
        from ragtriage.triage.reviews import answer_sha

        run: Run | None = self._door.shown_run
        if run is None:
            return []
        asked = {question.qid: question for question in project.golden.questions if question.split == "dev"}
        out: list[_Queued] = []
        known: set[str] = set()
        results = {result.qid: result for result in run.questions}
        for arm in _ARMS:
            found = []
            for qid, question in asked.items():
                answer = results[qid].answers.get(arm) if qid in results else None
                if answer is None or (sha := answer_sha(qid, answer.text)) in known:
                    continue
                if arm == "oracle" and answer.grade.correct is not None and answer.judged is None:
                    continue  # the grade decides, and there is no judge to be compared with
                known.add(sha)
                found.append(_Queued(sha, question, arm, answer))
            out += least_certain_first(found)
        return out

    def _find(self, project: Project, answer_id: str) -> _Queued | None:
        return next((one for one in self._queued(project) if one.sha == answer_id), None)

    def _one(self, project: Project, answer_id: str) -> tuple[_Queued, Review | None]:
        """An answer and what is said of it so far. Raises DoorError where it is gone."""
        one = self._find(project, answer_id)
        if one is None:
            raise DoorError("that answer is no longer in the run that is shown; nothing was written")
        return one, self._reviews(project).current().get(one.sha)

    def _record(self, one: _Queued, said: Sequence[Said], note: str) -> Review:
        from ragtriage.types import AXES as NAMES

        log = self._log
        if log is None:
            raise DoorError("the reviews are not read yet")
        words = dict(zip(NAMES, map(_WORDS.__getitem__, said), strict=True))
        return log.record(one.question.qid, one.sha, words, note=note)

    def _look(self, review: Review | None) -> _Look:
        """What is said of an answer, when `review` is what counts on disk."""
        from ragtriage.events import author

        if review is None or self._log is None:
            return _Look()
        said = tuple(map(_SAID.__getitem__, review.words))
        by = "" if review.by == author(self._log.path.parent) else scrub(one_line(review.by)) or "somebody"
        return _Look(said, all(said), by)

    def _row(self, one: _Queued, review: Review | None) -> JudgeRow:
        text = scrub(one_line(one.question.question[:2000]))
        return JudgeRow(one.sha, self._door.names.shown(one.question.qid), one.arm, text, *self._look(review))

    def _reviewed(self, sha: str, review: Review | None, message: str, *, finished: bool = False) -> Reviewed:
        note = scrub(review.note) if review else ""
        return Reviewed(sha, scrub(message), *self._look(review), note, finished)

    def _after(self, project: Project, event: Review | None, nothing: str) -> Reviewed:
        if event is None:
            return Reviewed("", nothing)
        now = self._reviews(project).current().get(event.answer_sha)
        said = self._look(now).said
        words = ", ".join(f"{key} {one}" for key, one in enumerate(said, start=1) if one)
        qid = self._door.names.shown(event.qid)
        return self._reviewed(event.answer_sha, now, f"{qid} is {words} again" if words else f"{qid} is not judged now")


def _expected(question: Question) -> str:
    """What a right answer is, as far as the golden set says it."""
    if not question.answerable:
        return "a refusal: no answer exists"
    mentions = "; ".join(" or ".join(choice) for choice in question.must_mention if choice)
    parts = [question.expected_answer, f"must mention: {mentions}" if mentions else ""]
    if question.must_not_mention:
        parts.append(f"must not mention: {'; '.join(question.must_not_mention)}")
    return " · ".join(part for part in parts if part) or "nothing in the golden set says it"


def _sent(number: int, chunk_id: str, chunks: Chunks | None) -> SentText:
    row = chunks.row(chunk_id) if chunks is not None else None
    if chunks is None or row is None:
        return SentText(number, scrub(chunk_id), "", "", "(its text is not among today's chunks)")
    chunk = chunks[row]
    return SentText(
        number, scrub(chunk_id), scrub(chunk.doc_id), scrub(one_line(" › ".join(chunk.heading))), scrub(chunks.text(row))
    )

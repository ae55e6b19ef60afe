"""What Judge shows, as the bridge hands it over: frozen, scrubbed, without engine and without Textual."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, NamedTuple, Protocol

from ragtriage_tui.answer_views import CitationView, JudgeView
from ragtriage_tui.views import Progress

__all__ = [
    "NOTHING_SAID",
    "QUESTIONS",
    "JudgeDetail",
    "JudgeDoor",
    "JudgeQueue",
    "JudgeRow",
    "Reviewed",
    "Said",
    "SentText",
    "cycled",
]

Said = Literal["", "yes", "no", "unsure"]
"""What a person says to one question about an answer; empty: nothing yet."""

NOTHING_SAID: tuple[Said, ...] = ("", "", "", "", "")

QUESTIONS: tuple[str, ...] = (
    "agrees with what is expected",
    "rests on the passages",
    "cites them properly",
    "says what it does not know",
    "answers what was asked",
)
"""What each of answer_views.AXES asks, in their order."""

_NEXT: dict[Said, Said] = {"": "yes", "yes": "no", "no": "unsure", "unsure": "yes"}


def cycled(said: tuple[Said, ...], axis: int) -> tuple[Said, ...]:
    """`said` after one more press of the key of an axis (from 0): yes, no, unsure, yes."""
    return (*said[:axis], _NEXT[said[axis]], *said[axis + 1 :])


class JudgeRow(NamedTuple):
    """One answer in the queue. `id` stays what it is as long as the answer says the same. `done`: all five are answered; `by`
    says who spoke last where that was somebody else."""

    id: str
    qid: str
    arm: str
    text: str
    said: tuple[Said, ...] = NOTHING_SAID
    done: bool = False
    by: str = ""


@dataclass(frozen=True, slots=True)
class JudgeQueue:
    """All answers, least certain first. `empty` says why there are none, `read_only` why nothing can be written."""

    project: str
    setup: str
    rows: tuple[JudgeRow, ...]
    empty: str = ""
    read_only: str = ""
    notice: str = ""


class SentText(NamedTuple):
    """A passage as the answer was given it. `doc_id` is empty where today's documents do not have it."""

    number: int
    chunk_id: str
    doc_id: str
    heading: str
    text: str


@dataclass(frozen=True, slots=True)
class JudgeDetail:
    """One answer with all that is needed to judge it. `expected` is the expected answer, or what the golden set has instead;
    `judge` what a model said, which nobody is shown before having judged."""

    id: str
    qid: str
    arm: str
    question: str
    expected: str
    answer: str
    citations: tuple[CitationView, ...] = ()
    sent: tuple[SentText, ...] = ()
    note: str = ""
    judge: JudgeView | None = None

    @property
    def cited(self) -> tuple[int, ...]:
        """The passages that the answer names, in order and each once."""
        return tuple(dict.fromkeys(number for citation in self.citations for number in citation.numbers))

    def passage(self, number: int) -> SentText | None:
        """What `[number]` points to; None where that was not given."""
        return self.sent[number - 1] if 1 <= number <= len(self.sent) else None


class Reviewed(NamedTuple):
    """What a key did to an answer: what is said of it now, and a sentence. `finished`: that was the last of its five questions.
    `id` empty: nothing was done."""

    id: str
    message: str
    said: tuple[Said, ...] = NOTHING_SAID
    done: bool = False
    by: str = ""
    note: str = ""
    finished: bool = False


class JudgeDoor(Protocol):
    """What Judge asks of the engine. Every call may take long and runs in a worker; what it writes is on disk when it is
    back."""

    def queue(self, progress: Progress) -> JudgeQueue:
        """The answers of the shown run."""
        ...

    def answer(self, answer_id: str) -> JudgeDetail | None:
        """One answer; None when it is gone."""
        ...

    def press(self, answer_id: str, axis: int) -> Reviewed:
        """Answer one of the five questions (from 0): yes, and with each press no, unsure, yes."""
        ...

    def note(self, answer_id: str, text: str) -> Reviewed:
        """Leave a note beside what is said."""
        ...

    def undo(self) -> Reviewed: ...

    def redo(self) -> Reviewed: ...

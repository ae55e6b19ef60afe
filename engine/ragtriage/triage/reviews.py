"""reviews.jsonl: what people say about answers, on the five questions of `types.AXES`, as events (see events.py)."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from ragtriage.errors import GoldenError, UsageError
from ragtriage.events import EventLog, author, read_texts
from ragtriage.ids import fingerprint, fresh_id
from ragtriage.surrogates import clean_text
from ragtriage.types import AXES, Axis

__all__ = ["Review", "ReviewLog", "Word", "answer_sha"]

Word = bool | Literal["unsure"] | None
"""What a person says to one question: yes, no, that it cannot be told, or nothing yet."""

_TEXTS = ("id", "qid", "answer_sha", "by", "at", "note", "undoes")


def answer_sha(qid: str, text: str) -> str:
    """Sixteen hex digits that identify an answer to a question, whoever or whatever gave it and whenever."""
    return fingerprint([clean_text(qid), clean_text(text)])


@dataclass(frozen=True, slots=True)
class Review:
    """One event: all that a person says about one answer. None on an axis: nothing was said to it.

    A review that says nothing at all, not even in its note, clears what was said before.
    """

    id: str
    qid: str
    answer_sha: str
    correct: Word = None
    grounded: Word = None
    cited: Word = None
    honest: Word = None
    addresses: Word = None
    note: str = ""
    by: str = ""
    at: str = ""
    undoes: str | None = None

    @property
    def subject(self) -> str:
        return self.answer_sha

    @property
    def decides(self) -> bool:
        return bool(self.note) or any(word is not None for word in self.words)

    @property
    def words(self) -> tuple[Word, ...]:
        """What the person says, in the order of AXES."""
        return (self.correct, self.grounded, self.cited, self.honest, self.addresses)

    def on(self, axis: Axis) -> bool | None:
        """The verdict on one axis; None where the person is unsure, or says nothing."""
        word = self.words[AXES.index(axis)]
        return word if isinstance(word, bool) else None

    def to_dict(self) -> dict[str, Any]:
        """The event as it stands in the file."""
        return {name: getattr(self, name) for name in ("id", "qid", "answer_sha", *AXES, "by", "at", "note", "undoes")}


class ReviewLog(EventLog[Review]):
    """The reviews beside a golden set, one that counts an answer: `current` is by `answer_sha`."""

    noun = "review"

    def record(self, qid: str, sha: str, grades: Mapping[Axis, Word], *, note: str = "", by: str | None = None) -> Review:
        """Write down the whole state of one answer's grades; an axis that is not named is None.

        It is on disk when this returns. Raises UsageError, StorageError.
        """
        if not qid or not sha:
            raise UsageError("a review needs a question and an answer")
        if unknown := [axis for axis in grades if axis not in AXES]:
            raise UsageError(f"{unknown[0]!r} is no question about an answer; known are {', '.join(AXES)}")
        by = author(self.path.parent) if by is None else by
        correct, grounded, cited, honest, addresses = (grades.get(axis) for axis in AXES)
        return self._write(Review(fresh_id("r"), qid, sha, correct, grounded, cited, honest, addresses, note, by))

    @staticmethod
    def parse(value: Mapping[str, Any]) -> Review:
        """See EventLog."""
        fields: dict[str, Any] = {**read_texts(value, _TEXTS, ReviewLog.noun)}
        if not fields.get("answer_sha"):
            raise GoldenError("a review needs the answer_sha of its answer")
        for axis in AXES:
            fields[axis] = value.get(axis)
            if fields[axis] not in (None, "unsure") and not isinstance(fields[axis], bool):
                raise GoldenError(f'{axis}: true, false, "unsure" or null is needed')
        return Review(**fields)

    @staticmethod
    def undoing(event: Review, by: str) -> Review:
        """See EventLog."""
        return dataclasses.replace(event, id=fresh_id("r"), by=by, at="", note="", undoes=event.id)

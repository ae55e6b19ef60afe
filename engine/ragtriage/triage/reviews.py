"""reviews.jsonl: what people say about answers, on the five questions of `types.AXES`, as events (see triage.events)."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from ragtriage.errors import GoldenError, UsageError
from ragtriage.files import clean_text
from ragtriage.ids import fingerprint, fresh_id
from ragtriage.triage.events import EventLog, author, read_texts
from ragtriage.types import AXES, Axis

__all__ = ["Review", "ReviewLog", "answer_sha"]

_TEXTS = ("id", "qid", "answer_sha", "by", "at", "note", "undoes")


def answer_sha(qid: str, text: str) -> str:
    """Sixteen hex digits that identify an answer to a question, whoever or whatever gave it and whenever."""
    return fingerprint([clean_text(qid), clean_text(text)])


@dataclass(frozen=True, slots=True)
class Review:
    """One event: all that a person says about one answer. None on an axis: not said, or it cannot be told.

    A review that says nothing at all, not even in its note, clears what was said before.
    """

    id: str
    qid: str
    answer_sha: str
    correct: bool | None = None
    grounded: bool | None = None
    cited: bool | None = None
    honest: bool | None = None
    addresses: bool | None = None
    note: str = ""
    by: str = ""
    at: str = ""
    undoes: str | None = None

    @property
    def subject(self) -> str:
        return self.answer_sha

    @property
    def decides(self) -> bool:
        return bool(self.note) or any(self.on(axis) is not None for axis in AXES)

    def on(self, axis: Axis) -> bool | None:
        """What the person says on one axis."""
        verdicts = (self.correct, self.grounded, self.cited, self.honest, self.addresses)
        return verdicts[AXES.index(axis)]

    def to_dict(self) -> dict[str, Any]:
        """The event as it stands in the file."""
        return {name: getattr(self, name) for name in ("id", "qid", "answer_sha", *AXES, "by", "at", "note", "undoes")}


class ReviewLog(EventLog[Review]):
    """The reviews beside a golden set, one that counts an answer: `current` is by `answer_sha`."""

    noun = "review"

    def record(
        self, qid: str, sha: str, grades: Mapping[Axis, bool | None], *, note: str = "", by: str | None = None
    ) -> Review:
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
            if fields[axis] is not None and not isinstance(fields[axis], bool):
                raise GoldenError(f"{axis}: true, false or null is needed")
        return Review(**fields)

    @staticmethod
    def undoing(event: Review, by: str) -> Review:
        """See EventLog."""
        return dataclasses.replace(event, id=fresh_id("r"), by=by, at="", note="", undoes=event.id)

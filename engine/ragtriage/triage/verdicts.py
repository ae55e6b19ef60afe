"""verdicts.jsonl: what people decided about failing questions, as events (see events.py)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from ragtriage.errors import GoldenError
from ragtriage.events import EventLog, author, read_texts
from ragtriage.ids import fresh_id
from ragtriage.triage.categories import CATEGORIES, category

__all__ = ["Verdict", "VerdictLog", "author", "looks_the_same"]

_SLUGS = frozenset(one.slug for one in CATEGORIES)
_NAMES = ("id", "qid", "category", "decision", "note", "expires", "by", "at", "run", "seen", "undoes")


def looks_the_same(seen: str, now: str) -> bool:
    """Whether two `seen` of a question are of the same question, evidence, status and top k, and of the same answer.

    Answers are compared where both have one: `retrieved.answered`, the second half is missing where none was made.
    """
    retrieved, _, answered = seen.partition(".")
    retrieved_now, _, answered_now = now.partition(".")
    return retrieved == retrieved_now and (not answered or not answered_now or answered == answered_now)


@dataclass(frozen=True, slots=True)
class Verdict:
    """One event. `category` "" clears the question's verdict; `undoes` names the event that this one takes back.

    `decision` "intended" is of a review: the change of this question was meant, until the day `expires` (2026-11-30).

    `seen` identifies what the person looked at (question, evidence, status, top-k, answer), `run` the run it was shown from.
    `at` is UTC as in 2026-11-30T14:02:11.250000Z.
    """

    id: str
    qid: str
    category: str
    note: str = ""
    by: str = ""
    at: str = ""
    run: str = ""
    seen: str = ""
    decision: str | None = None
    expires: str | None = None
    undoes: str | None = None

    @property
    def subject(self) -> str:
        """The question, or its review: that a change is intended says nothing about why the question fails."""
        return f"{self.qid}\n{self.decision}" if self.decision else self.qid

    @property
    def decides(self) -> bool:
        return bool(self.category or self.decision)

    def fits(self, seen: str) -> bool:
        """Whether it was given on what the question looks like now; one given without looking at a run always was."""
        return not self.seen or looks_the_same(self.seen, seen)

    def to_dict(self) -> dict[str, Any]:
        """The event as it stands in the file."""
        return {name: getattr(self, name) for name in _NAMES}


class VerdictLog(EventLog[Verdict]):
    """The verdicts beside a golden set, one that counts a question id."""

    noun = "verdict"

    def record(
        self,
        qid: str,
        slug: str | None,
        *,
        run: str = "",
        seen: str = "",
        note: str = "",
        by: str | None = None,
        decision: str | None = None,
        expires: str | None = None,
    ) -> Verdict:
        """Write down a decision; None or "" clears. It is on disk when this returns. Raises UsageError, StorageError."""
        slug = category(slug).slug if slug else ""
        by = author(self.path.parent) if by is None else by
        return self._write(Verdict(fresh_id("v"), qid, slug, note, by, "", run, seen, decision, expires))

    @staticmethod
    def parse(value: Mapping[str, Any]) -> Verdict:
        """See EventLog."""
        texts = read_texts(value, _NAMES, VerdictLog.noun)
        slug = texts.setdefault("category", "")
        if slug and slug not in _SLUGS:
            raise GoldenError(f"{slug!r} is no category; known are {', '.join(one.slug for one in CATEGORIES)}")
        return Verdict(**texts)

    @staticmethod
    def undoing(event: Verdict, by: str) -> Verdict:
        """See EventLog."""
        return Verdict(fresh_id("v"), event.qid, event.category, by=by, run=event.run, undoes=event.id)

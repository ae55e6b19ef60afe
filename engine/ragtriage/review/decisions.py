"""What people said about the flips of a review, and whether it still holds: it does while what they saw is unchanged.

A verdict (why a question fails) is given on the head alone. That a change is intended is given on both sides, with a reason and
a last day; it marks a flip as reviewed and changes no metric and no gate.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import date, timedelta
from typing import Literal, NamedTuple

from ragtriage.compare.flips import Flip
from ragtriage.errors import UsageError
from ragtriage.surrogates import clean_text
from ragtriage.triage.verdicts import Verdict, VerdictLog, looks_the_same

__all__ = [
    "INTENDED",
    "INTENDED_DAYS",
    "Decision",
    "State",
    "decisions_on",
    "is_over",
    "needs_review",
    "pair_seen",
    "record_intended",
]

INTENDED = "intended"
INTENDED_DAYS = 90
"""How long a change is intended where nobody says."""

_BETWEEN = " > "

State = Literal["open", "intended", "labelled", "expired", "old"]
"""`expired`: it was intended until a day that has passed. `old`: what was decided on looks otherwise now."""


class Decision(NamedTuple):
    """How far a flip is reviewed, and the event that says so; None where nobody has said anything."""

    state: State
    verdict: Verdict | None = None

    @property
    def reviewed(self) -> bool:
        return self.state in ("intended", "labelled")


def needs_review(flip: Flip) -> bool:
    """A question that only moved needs nobody's word."""
    return flip.change in ("broken", "errored", "fixed")


def pair_seen(flip: Flip) -> str:
    """Identifies what both sides showed."""
    return f"{flip.base.seen}{_BETWEEN}{flip.head.seen}"


def record_intended(
    log: VerdictLog, flip: Flip, reason: str, *, today: date, days: int = INTENDED_DAYS, run: str = "", by: str | None = None
) -> Verdict:
    """Mark a flip as intended for so many days; on disk when this returns. Raises UsageError, StorageError."""
    reason = clean_text(reason).strip()
    if not any(character.isalnum() for character in reason):  # a zero-width blank says nothing either
        raise UsageError("a change is intended for a reason: say it")
    if not 1 <= days <= 3650:
        raise UsageError(f"{days} days: between 1 and 3650 are possible")
    expires = (today + timedelta(days=days)).isoformat()
    return log.record(flip.qid, None, run=run, seen=pair_seen(flip), note=reason, by=by, decision=INTENDED, expires=expires)


def decisions_on(flips: Iterable[Flip], current: Mapping[str, Verdict], *, today: date) -> dict[str, Decision]:
    """The decision on each flip that needs one, by qid. `current` are the events that count, of `VerdictLog.current`."""
    meant = {verdict.qid: verdict for verdict in current.values() if verdict.decision == INTENDED}
    return {
        flip.qid: _decision(flip, meant.get(flip.qid), current.get(flip.qid), today) for flip in flips if needs_review(flip)
    }


def _decision(flip: Flip, intended: Verdict | None, label: Verdict | None, today: date) -> Decision:
    fits = intended is not None and _fits_pair(intended, flip)
    if intended is not None and fits and not is_over(intended.expires, today):
        return Decision("intended", intended)
    if label is not None and label.category and label.seen and label.fits(flip.head.seen):
        return Decision("labelled", label)
    if intended is not None:
        return Decision("expired" if fits else "old", intended)
    return Decision("old", label) if label is not None and label.category and label.seen else Decision("open")


def _fits_pair(verdict: Verdict, flip: Flip) -> bool:
    before, between, after = verdict.seen.partition(_BETWEEN)
    if not between:
        return False
    return looks_the_same(before, flip.base.seen) and looks_the_same(after, flip.head.seen)


def is_over(expires: str | None, today: date) -> bool:
    """Whether the last day has passed; a day that cannot be read has."""
    if not expires:
        return False
    try:
        return date.fromisoformat(expires[:10]) < today
    except ValueError:
        return True

"""`ragtriage verdict QID intended`: a flip of the review was meant, for a reason and until a day. No figure changes by it."""

from __future__ import annotations

from datetime import date
from typing import TYPE_CHECKING

from ragtriage_tui.call import Call, clean, overrides

if TYPE_CHECKING:
    from ragtriage.compare.flips import Flip
    from ragtriage.project import Project
    from ragtriage.review.review import Review
    from ragtriage.triage.verdicts import Verdict

__all__ = ["is_intended", "record_intended", "standing_intended"]

_SHOWN = 8


def is_intended(category: str | None) -> bool:
    """Whether what was typed as a category is the review's own word."""
    return category is not None and category.strip().lower() in ("intended", "i")


def standing_intended(project: Project, qid: str) -> Verdict | None:
    """The event by which the flip of a question is intended, expired or not."""
    from ragtriage.review.decisions import INTENDED

    return next((one for one in project.verdicts.current().values() if one.qid == qid and one.decision == INTENDED), None)


def record_intended(call: Call, project: Project) -> int:
    """Measure both sides, as `review` does, and mark the flip of a question as intended; the exit code."""
    from ragtriage.errors import UsageError
    from ragtriage.review import decisions
    from ragtriage.review.review import review

    args = call.args
    if not args.note.strip():
        raise UsageError("--note: a change is intended for a reason, which is needed")
    qid, today = clean(args.qid), date.today()
    days = _days(args.until, today)
    found = review(
        project,
        clean(args.against) if args.against is not None else None,
        clean(args.head) if args.head is not None else None,
        overrides=(*args.set, *overrides(args)),
        progress=call.progress(),
    )
    run = found.comparison.head.id if found.head.working else ""
    event = decisions.record_intended(project.verdicts, _flip(found, qid), clean(args.note), today=today, days=days, run=run)
    if call.out.json:
        call.out.document(
            {
                "format": 1, "id": event.id, "qid": event.qid, "category": None, "decision": event.decision,
                "note": event.note, "expires": event.expires, "base": found.base.commit or None,
                "head": None if found.head.working else found.head.commit,
            }
        )  # fmt: skip
    else:
        call.out.text(f"{event.qid} is intended until {event.expires}; ragtriage verdict --undo takes that back")
    return 0


def _days(until: str | None, today: date) -> int:
    """How many days it is to the last one. Raises UsageError."""
    from ragtriage.errors import UsageError
    from ragtriage.review.decisions import INTENDED_DAYS

    if until is None:
        return INTENDED_DAYS
    try:
        days = (date.fromisoformat(clean(until).strip()) - today).days
    except ValueError:
        raise UsageError(f"--until: {clean(until)[:40]!r} is no day such as {today.replace(month=12, day=31)}") from None
    if days < 1:
        raise UsageError(f"--until: {clean(until)} is not after today")
    return days


def _flip(found: Review, qid: str) -> Flip:
    """The flip of a question that waits for a word. Raises UsageError that names those there are."""
    from ragtriage.errors import UsageError
    from ragtriage_tui.figures import some

    flips = {flip.qid: flip for flip in found.to_review}
    if qid in flips:
        return flips[qid]
    between = f"between {found.base.label} and {found.head.label}"
    if not flips:
        raise UsageError(f"{qid}: nothing flipped {between}; --against names another base")
    raise UsageError(f"{qid}: did not flip {between}; these did: {some(list(flips), _SHOWN)}")

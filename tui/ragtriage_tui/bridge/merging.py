"""Two people change one saved question: what each of them changed is kept, and where both changed one thing that is said."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any, NamedTuple, TypeVar

from ragtriage_tui.add_views import Draft, Marked

__all__ = ["Merged", "Version", "merged"]

T = TypeVar("T")


class Version(NamedTuple):
    """A saved question as it was at some moment: as a draft, and its evidence as written in its line."""

    draft: Draft
    written: Sequence[Any]


class Merged(NamedTuple):
    """A draft against the question as it is now. `clashes` are sentences about what both changed; there `draft` has ours."""

    draft: Draft
    clashes: tuple[str, ...] = ()


def merged(opened: Version, now: Version, ours: Draft) -> Merged:
    """What `ours` changed since `opened`, on top of what the question is `now`."""
    was, theirs = opened.draft, now.draft
    clashes = []

    def pick(name: str, say: Callable[[Any], str]) -> Any:
        mine, old, new = getattr(ours, name), getattr(was, name), getattr(theirs, name)
        if mine != old and new not in (old, mine):
            clashes.append(say(new))
        return new if mine == old else mine

    draft = replace(
        ours,
        text=pick("text", lambda text: f"it asks “{text}” now"),
        kind=pick("kind", lambda kind: f"its kind is {kind or 'none'} now"),
        split=pick("split", lambda split: f"it is in {split} now"),
        answerable=pick("answerable", lambda known: "it has an answer now" if known else "it is said to have no answer now"),
        mentions=_both(was.mentions, theirs.mentions, ours.mentions),
        marks=_marks(opened, now, ours.marks),
        base=theirs.base,
    )
    if draft.marks and not draft.answerable:  # one of the two marked evidence, the other said that there is none
        if ours.marks:
            draft = replace(draft, answerable=True)
            clashes.append("it is said to have no answer now")
        else:
            draft = replace(draft, marks=())
            clashes.append("it has evidence now")
    return Merged(draft, tuple(clashes))


def _both(was: tuple[T, ...], theirs: tuple[T, ...], ours: tuple[T, ...]) -> tuple[T, ...]:
    """Theirs without what we took off, and with what we added."""
    kept = [one for one in theirs if one in ours or one not in was]
    return (*kept, *(one for one in ours if one not in was and one not in kept))


def _marks(opened: Version, now: Version, ours: tuple[Marked, ...]) -> tuple[Marked, ...]:
    """The same for evidence. An item of the saved question is the same one as long as its line says the same of it."""
    kept = {mark.kept for mark in ours}
    dropped = [item for index, item in enumerate(opened.written) if index not in kept]
    theirs = [mark for mark in now.draft.marks if now.written[mark.kept] not in dropped]
    places = {(mark.doc_id, mark.span) for mark in theirs}
    return (*theirs, *(mark for mark in ours if mark.kept < 0 and (mark.doc_id, mark.span) not in places))

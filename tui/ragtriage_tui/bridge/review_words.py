"""What differs between the sides of a review, in words."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date
from typing import TYPE_CHECKING, Any

from ragtriage_tui.review_views import Difference
from ragtriage_tui.text import clip, one_line, scrub

if TYPE_CHECKING:
    from ragtriage.review.differences import Differences
    from ragtriage.review.review import Review

__all__ = ["day_words", "differences_of", "setup_words", "short_differences"]

_MOST_NAMED = 200
_MOST_CELLS = 60
_MONTHS = ("January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November",
           "December")  # fmt: skip


def day_words(day: str | None, today: date) -> str:
    """`3 March`, with the year where it is another one; "" where no day is given or it cannot be read."""
    try:
        found = date.fromisoformat((day or "")[:10])
    except ValueError:
        return ""
    return f"{found.day} {_MONTHS[found.month - 1]}" + (f" {found.year}" if found.year != today.year else "")


def value_text(value: Any) -> str:
    """A value of the configuration as people write it."""
    from ragtriage_tui.output import encode_json

    if isinstance(value, list | tuple):
        return clip(",".join(map(str, value)), _MOST_CELLS) or "''"
    return (
        clip(one_line(value), _MOST_CELLS) or "''"
        if isinstance(value, str)
        else "none"
        if value is None
        else encode_json(value)
    )


def setup_words(review: Review, *, head: bool) -> str:
    """The first keys that differ, as that side has them: `size=128`."""
    changes = review.differences.config[:2]
    return scrub(", ".join(f"{one.key.rpartition('.')[2]}={value_text(one.new if head else one.old)}" for one in changes))


def short_differences(differences: Differences) -> tuple[str, ...]:
    """What differs in one line, the longest form first."""
    keys = [f"{one.key.rpartition('.')[2]} {_arrow(one.old, one.new)}" for one in differences.config]
    documents = len(differences.added) + len(differences.removed) + len(differences.edited)
    labels = sum(map(len, differences.labels)) if differences.labels else 0
    counted = [_count(documents, "document"), _count(labels, "question")]
    rest = [one for one in counted if one]
    if not keys and not rest:
        return ()
    few = [*keys[:1], *([f"{len(keys) - 1} more keys"] if len(keys) > 2 else keys[1:2])]
    forms = [", ".join([*few, *rest]), ", ".join([*keys[:1], *rest]), ", ".join(few) or rest[0]]
    return tuple(dict.fromkeys(map(scrub, forms)))


def differences_of(review: Review) -> tuple[Difference, ...]:
    """Everything that differs: configuration, documents, chunks, golden set, what is apart, and what must be known of it."""
    found = review.differences
    out = [Difference("!", scrub(text), wrong=True) for text in review.incomplete]
    out += [Difference(scrub(one.key), scrub(_arrow(one.old, one.new))) for one in found.config]
    if not found.config:
        out.append(Difference("configuration", "the same"))
    out.append(_documents(found))
    chunks = found.chunks
    size = f"{chunks.base:,}" if chunks.base == chunks.head else f"{chunks.base:,} → {chunks.head:,}"
    if not found.known:
        out.append(Difference("chunks", f"{size}; which of them moved is not known any more"))
    elif chunks.moved or chunks.gone:
        out.append(Difference("chunks", f"{size}, {chunks.moved:,} with other borders"))
    else:
        out.append(Difference("chunks", f"{size}, borders are the same"))
    out.append(_golden(found))
    apart = review.comparison.apart._asdict()
    if any(apart.values()):
        said = [f"{len(qids)} {name.replace('_', ' ')}" for name, qids in apart.items() if qids]
        more = tuple(f"{name.replace('_', ' ')}: {_named(qids)}" for name, qids in apart.items() if qids)
        out.append(Difference("apart", f"{', '.join(said)}: these decide nothing", tuple(map(scrub, more))))
    if review.comparison.k_differs:
        out.append(Difference("k", f"{review.comparison.k_base} → {review.comparison.k_head}: each side passes by its own"))
    if review.comparison.stale:
        names = scrub(_named(review.comparison.stale))
        out.append(Difference("by document", f"{len(review.comparison.stale)} whose chunk label is stale", (names,)))
    return (*out, *(Difference("note", scrub(text)) for text in review.notes))


def _documents(found: Differences) -> Difference:
    if not found.known:
        return Difference("documents", "which of them changed is not known any more")
    sets = {"added": found.added, "removed": found.removed, "edited": found.edited}
    said = [f"{len(names)} {word}" for word, names in sets.items() if names]
    more = tuple(scrub(f"{word}: {name}") for word, names in sets.items() for name in names[:_MOST_NAMED])
    return Difference("documents", ", ".join(said) or "the same", more)


def _golden(found: Differences) -> Difference:
    if found.labels is None:
        return Difference("golden set", "the base has none of its own")
    sets = found.labels._asdict()
    said = [f"{len(qids)} {word}" for word, qids in sets.items() if qids]
    more = tuple(scrub(f"{word}: {_named(qids)}") for word, qids in sets.items() if qids)
    return Difference("golden set", ", ".join(said) or "the same", more)


def _named(qids: Sequence[str]) -> str:
    return ", ".join(qids[:_MOST_NAMED]) + (f" and {len(qids) - _MOST_NAMED} more" if len(qids) > _MOST_NAMED else "")


def _arrow(old: Any, new: Any) -> str:
    return f"{value_text(old)} → {value_text(new)}"


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}{'' if number == 1 else 's'}" if number else ""

"""The seven ways in which a question fails. The key is what a person presses; the slug is what files hold."""

from __future__ import annotations

from dataclasses import dataclass

from ragtriage.errors import UsageError

__all__ = ["CATEGORIES", "Category", "category"]


@dataclass(frozen=True, slots=True)
class Category:
    """One way to fail. `short` fits a narrow column, `meaning` is one sentence for help texts."""

    key: str
    slug: str
    name: str
    short: str
    meaning: str


CATEGORIES = (
    Category("1", "not-retrieved", "not retrieved", "not retrieved", "The evidence is in no retriever's pool."),
    Category("2", "ranked-too-low", "ranked too low", "ranked too low", "The evidence was found, but below the context."),
    Category("3", "misused", "retrieved but misused", "misused", "The evidence was in the context and the answer is wrong."),
    Category("4", "made-up", "made up", "made up", "The answer says what no passage supports."),
    Category(
        "5", "should-have-refused", "should have refused", "should refuse", "The corpus has no answer, and one was given."
    ),
    Category("6", "bad-label", "bad label", "bad label", "The golden question or its evidence is wrong."),
    Category(
        "7", "refused-wrongly", "refused wrongly", "wrong refusal", "The evidence was in the context and the answer refuses."
    ),
)

_BY_NAME = {name: one for one in CATEGORIES for name in (one.key, one.slug, one.name, one.short)}


def category(name: str) -> Category:
    """The category of a key, slug or name. Raises UsageError that names the nearest."""
    found = _BY_NAME.get(name.strip().lower())
    if found is not None:
        return found
    import difflib

    slugs = [one.slug for one in CATEGORIES]
    close = difflib.get_close_matches(name, slugs, n=1, cutoff=0.5)
    hint = f"did you mean {close[0]}?" if close else "known are " + ", ".join(f"{one.key} {one.slug}" for one in CATEGORIES)
    raise UsageError(f"{name!r} is no category; {hint}")

"""Names of configurations in a column that is too narrow for them: what sets them apart stays. No Textual in here."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache

from ragtriage_tui.text import take, width

__all__ = ["short_names"]

_KEY = re.compile(r"[a-z_]+=(?=[^,() ]+[,)])")  # inside the brackets of a chunker
_ANY_KEY = re.compile(r"[a-z_]+=")
_SETTING = re.compile(r"[a-z_]+=[^,() ]+")


@lru_cache(maxsize=8)
def short_names(names: tuple[str, ...], cells: int) -> tuple[str, ...]:
    """The names in at most `cells`, in full where all fit.

    Else all have the first form that fits and in which no two are alike: without the names of the keys, without the settings
    that all share, without all words that all share. So one setting is spelt alike in every row. Where no form does, the middle
    is left out of what is too long in the last of them.
    """
    apart = len(set(names))
    forms = [form for form in _forms(names) if all(form)]
    for form in forms:
        if len(set(form)) == apart and all(width(name) <= cells for name in form):
            return form
    shown = names
    bare = tuple(_ANY_KEY.sub("", name) for name in forms[-1])
    for form in (*reversed(forms), bare):
        shown = tuple(_without_middle(name, cells) for name in form)
        if len(set(shown)) == apart:
            break
    return shown


def _forms(names: tuple[str, ...]) -> Iterator[tuple[str, ...]]:
    """The names in full, then with less and less in them."""
    yield names
    yield tuple(_KEY.sub("", name) for name in names)
    settings = set.intersection(*(set(_SETTING.findall(name)) for name in names)) if names else set()
    yield tuple(_without(name, settings) for name in names)
    words = set.intersection(*(set(name.split()) for name in names)) if names else set()
    yield tuple(_but(words, name) for name in names)
    yield tuple(_KEY.sub("", _but(words, name)) for name in names)


def _but(words: set[str], name: str) -> str:
    return " ".join(word for word in name.split() if word not in words)


def _without(name: str, settings: set[str]) -> str:
    """`recursive(overlap=16) k=5` of `recursive(size=128,overlap=16) k=5`."""
    name = _SETTING.sub(lambda found: "" if found[0] in settings else found[0], name)
    name = re.sub(r",+(?=[,)])|(?<=\(),+", "", name).replace("()", "")
    return " ".join(name.split())


def _without_middle(name: str, cells: int) -> str:
    if width(name) <= cells:
        return name
    end = take(name[::-1], cells // 2)[::-1]
    return f"{take(name, cells - 1 - width(end))}…{end}"

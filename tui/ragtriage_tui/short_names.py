"""Names of configurations in a column that is too narrow for them: what sets them apart stays. No Textual in here."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache

from ragtriage_tui.text import take, width

__all__ = ["short_names"]

_KEY = re.compile(r"[a-z_]+=(?=[^,() ]+[,)])")  # inside the brackets of a chunker
_SETTING = re.compile(r"[a-z_]+=[^,() ]+")


@lru_cache(maxsize=8)
def short_names(names: tuple[str, ...], cells: int) -> tuple[str, ...]:
    """The names in at most `cells`, in the first form in which no two are alike: the middle of a longer one left out, then
    without what all share, then without the names of the keys."""
    apart = len(set(names))
    form = names
    for form in _forms(names, cells):
        if len(set(form)) == apart:
            break
    return form


def _forms(names: tuple[str, ...], cells: int) -> Iterator[tuple[str, ...]]:
    def cut(form: list[str]) -> tuple[str, ...]:
        return tuple(_without_middle(name, cells) for name in form)

    yield cut(list(names))
    shared = set.intersection(*(set(_SETTING.findall(name)) for name in names)) if len(names) > 1 else set()
    yield cut([_without(name, shared) if width(name) > cells else name for name in names])
    yield cut([_KEY.sub("", name) if width(name) > cells else name for name in names])


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

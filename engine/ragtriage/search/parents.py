"""From what is indexed to what is returned: each chunk by the best of its small pieces, as many chunks as are asked for."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from ragtriage.search.ranking import Retrieved, order

__all__ = ["Search", "search_parents"]

Search = Callable[[Sequence[int], int], list[Retrieved]]
"""search(places, depth): the best `depth` units of the queries at `places`, fewer where there are no more."""

_FIRST = 4  # units fetched at first for each chunk that is wanted
_MORE = 4


def search_parents(search: Search, queries: int, parents: np.ndarray, ids: Sequence[str], depth: int) -> list[Retrieved]:
    """The best `depth` chunks of each query. `parents` int[number of units] holds each unit's chunk, `ids` the chunks' ids.

    A chunk scores what its best unit scores; equal ones are ordered by chunk id. Units are fetched until nothing that was not
    fetched can be among the chunks, or until there are no more.
    """
    found: dict[int, Retrieved] = {}
    todo = list(range(queries))
    wanted = depth * _FIRST
    while todo and depth > 0:
        for place, units in zip(todo, search(todo, wanted), strict=True):
            chunks = order(parents[units.rows], units.scores, ids, len(units.rows))
            # what was not fetched scores at most what the last unit does: only chunks above that are sure of their place
            sure = len(units.rows) < wanted or int(np.count_nonzero(chunks.scores > units.scores[-1])) >= depth
            if sure:
                found[place] = Retrieved(chunks.rows[:depth], chunks.scores[:depth])
        todo = [place for place in todo if place not in found]
        wanted *= _MORE
    nothing = Retrieved(np.empty(0, np.int32), np.empty(0))
    return [found.get(place, nothing) for place in range(queries)]

"""Around the winner of a coarse grid: the values halfway to its neighbours, one key at a time."""

from __future__ import annotations

from collections.abc import Sequence

from ragtriage.config import Config
from ragtriage.experiments.grid import Candidate, Grid, candidates

__all__ = ["refined"]


def refined(current: Config, winner: Candidate, grid: Grid, tried: Sequence[Candidate]) -> list[Candidate]:
    """What is worth trying after `winner`, without what was tried. Only whole numbers have values in between."""
    known = {candidate.identity for candidate in tried}
    out: dict[str, Candidate] = {}
    for key, values in grid.values.items():
        table, _, leaf = key.partition(".")
        here = getattr(getattr(winner.config, table), leaf)
        between = _between(here, values)
        others = {
            name: [getattr(getattr(winner.config, name.partition(".")[0]), name.partition(".")[2])] for name in grid.values
        }
        if between:
            found, _ = candidates(current, Grid({**others, key: between}))
            out.update({one.identity: one for one in found if one.identity not in known})
    return list(out.values())


def _between(here: object, values: Sequence[object]) -> list[int]:
    """The middle between `here` and the nearest value on either side."""
    if not isinstance(here, int) or isinstance(here, bool):
        return []
    numbers = sorted(value for value in values if isinstance(value, int) and not isinstance(value, bool))
    below = [number for number in numbers if number < here][-1:]
    above = [number for number in numbers if number > here][:1]
    return [middle for other in (*below, *above) if (middle := (here + other) // 2) not in (here, other)]

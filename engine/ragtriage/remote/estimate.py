"""What asking will take, said before anything is sent."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from ragtriage.remote.endpoint import Endpoint

__all__ = ["Agree", "Estimate"]


class Estimate(NamedTuple):
    """`stage` is what for (answering, judging); `known` requests are in the cache and not sent again. `cost` is None without
    prices, `seconds` None where no earlier reply tells how long one takes."""

    stage: str
    endpoint: Endpoint
    requests: int
    known: int
    input_tokens: int
    output_tokens: int
    cost: float | None
    seconds: float | None


Agree = Callable[[Estimate], None]
"""Called with what is about to be sent. Raises whatever keeps it from being sent."""

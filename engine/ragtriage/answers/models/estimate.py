"""What asking will take, said before anything is sent: requests, tokens, money, time."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

from ragtriage.answers.models.base import Endpoint, Reply, Request
from ragtriage.types import Failure

__all__ = ["Agree", "Estimate", "estimate"]

_CHARACTERS_A_TOKEN = 4  # of English prose; what a model's own tokenizer makes of it differs by a third either way
_USUAL_OUTPUT = 150  # tokens of an answer, where no earlier one tells


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


def estimate(stage: str, endpoint: Endpoint, missing: Sequence[Request], known: Sequence[Reply | Failure]) -> Estimate:
    """From the length of what is `missing`, and from the replies that are `known`."""
    replies = [one for one in known if isinstance(one, Reply)]
    written = [one.output_tokens for one in replies if one.output_tokens is not None]
    each = sum(written) / len(written) if written else min(_USUAL_OUTPUT, endpoint.max_tokens)
    read = sum(len(one.system) + len(one.user) + len(one.schema) for one in missing) // _CHARACTERS_A_TOKEN
    output = round(each * len(missing))
    took = [one.seconds for one in replies if one.seconds > 0]
    seconds = sum(took) / len(took) * len(missing) / endpoint.concurrency if took else None
    return Estimate(stage, endpoint, len(missing), len(known), read, output, endpoint.cost(read, output), seconds)

"""What asking will take, said before anything is sent: requests, tokens, money, time."""

from __future__ import annotations

from collections.abc import Sequence

from ragtriage.answers.models.base import Reply, Request
from ragtriage.remote.endpoint import Endpoint
from ragtriage.remote.estimate import Estimate
from ragtriage.types import Failure

__all__ = ["estimate"]

_CHARACTERS_A_TOKEN = 4  # of English prose; what a model's own tokenizer makes of it differs by a third either way
_USUAL_OUTPUT = 150  # tokens of an answer, where no earlier one tells


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

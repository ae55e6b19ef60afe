"""What asking will take, said before anything is sent."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from ragtriage.errors import UsageError
from ragtriage.remote.endpoint import Endpoint
from ragtriage.remote.wording import address_of, is_free

__all__ = ["Agree", "Consent", "Estimate"]


class Estimate(NamedTuple):
    """`stage` is what for (answering, judging); `known` requests are in the cache and not sent again. `cost` is None without
    prices, `seconds` None where no earlier reply tells how long one takes. `texts`: so many are embedded, and `known` counts
    texts; 0 where something is answered."""

    stage: str
    endpoint: Endpoint
    requests: int
    known: int
    input_tokens: int
    output_tokens: int
    cost: float | None
    seconds: float | None
    texts: int = 0


Agree = Callable[[Estimate], None]
"""Called with what is about to be sent. Raises whatever keeps it from being sent."""


class Consent:
    """The Agree of what is embedded, for all that share it: `ask` is set by who talks with the user.

    Without anybody to ask, only what is free is sent.
    """

    def __init__(self) -> None:
        self.ask: Agree | None = None

    def __call__(self, found: Estimate) -> None:
        """See Agree. Raises UsageError where nobody can be asked."""
        if self.ask is not None:
            self.ask(found)
        elif not is_free(found.endpoint):
            cost = "" if found.cost is None else f", cost about {found.cost:.2g}"
            raise UsageError(
                f"{found.stage}: {found.texts:,} texts (about {found.input_tokens:,} tokens{cost}) would be sent to "
                f"{address_of(found.endpoint.where).host}; nothing was sent: `ragtriage index` asks first, "
                "`ragtriage eval` for questions, too"
            )

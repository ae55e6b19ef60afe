"""What a long job will take, said before it begins: embedding, and asking a language model. One wording and one estimate for
the app and the command line. No Textual in here."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from ragtriage_tui.model_names import endpoint_name

if TYPE_CHECKING:
    from ragtriage.remote.estimate import Estimate

__all__ = ["EMBEDDING", "Pace", "asking_line", "duration", "embedding_s", "price", "rounded", "takes"]

EMBEDDING = "embedding"

_TEXTS_A_SECOND = 25.0  # what one CPU core and a half embeds of 166-token texts
_MODEL_START_S = 8.0
_TRUST_S = 4.0  # measured for this long, the pace counts as much as the guess


def embedding_s(todo: int, *, done: int = 0, took_s: float = 0.0, started: bool = False) -> float:
    """Seconds that embedding `todo` texts takes, when `done` others took `took_s`; until the model has `started`, with that."""
    if todo <= 0:
        return 0.0
    pace = (done + _TRUST_S * _TEXTS_A_SECOND) / (took_s + _TRUST_S)
    return (0.0 if started else _MODEL_START_S) + todo / pace


class Pace:
    """How fast a job goes, from the calls of its progress."""

    def __init__(self) -> None:
        self._stage = ""
        self._done = 0
        self._first: tuple[float, int] | None = None  # when the stage's first result was there, and how much that was
        self._started = False

    def left_s(self, stage: str, done: int, total: int, now: float) -> float:
        """Seconds until the stage is over, below 0 where that is not known yet. `now` is of any clock that goes on."""
        if stage != self._stage or done < self._done:  # fewer than before: another count of the same stage has begun
            self._stage, self._first = stage, None
        self._done = done
        if done and self._first is None:
            self._first = (now, done)
        began, first = self._first or (now, done)
        if stage.endswith(EMBEDDING) and total:  # a review says of which side
            self._started = self._started or done > 0
            return embedding_s(total - done, done=done - first, took_s=now - began, started=self._started)
        return (now - began) / (done - first) * (total - done) if first < done < total else -1.0


def asking_line(found: Estimate) -> str:
    """`102 requests to gpt-x at api.openai.com (38 known): about 61,000 tokens in, 12,000 out, cost about 0.08, about 3 min`"""
    stage = "" if found.stage == "answering" else f"{found.stage}: "
    if found.texts:
        known = f" ({found.known:,} known)" if found.known else ""
        texts = f"{found.texts:,} text{'' if found.texts == 1 else 's'}"
        return f"{stage}{texts} to {endpoint_name(found.endpoint)}{known}: {takes(found._asdict())}"
    requests = f"{found.requests:,} request{'' if found.requests == 1 else 's'}"
    known = f" ({found.known:,} known)" if found.known else ""
    return f"{stage}{requests} to {endpoint_name(found.endpoint)}{known}: {takes(found._asdict())}"


def takes(figures: Mapping[str, Any]) -> str:
    """`about 61,000 tokens in, 12,000 out, cost about 0.08, about 3 min`; what is not known is said to be unknown. Of what is
    embedded nothing comes out: `about 61,000 tokens, cost about 0.08, about 3 min`."""
    cost, seconds = figures["cost"], figures["seconds"]
    return ", ".join(
        [
            *(
                [f"about {rounded(figures['input_tokens'])} tokens"]
                if figures.get("texts")
                else [f"about {rounded(figures['input_tokens'])} tokens in", f"{rounded(figures['output_tokens'])} out"]
            ),
            "price not configured" if cost is None else f"cost about {price(cost)}",
            "time not known yet" if seconds is None else f"about {duration(seconds)}",
        ]
    )


def rounded(number: int) -> str:
    """A number that is only about right: two digits of it, `61,000`."""
    digits = len(str(abs(number)))
    return f"{round(number, 2 - digits) if digits > 2 else number:,}"


def price(cost: float) -> str:
    """A cost in the currency of the configured prices: cents above 1, two digits that say something below."""
    if cost >= 1:
        return f"{cost:,.2f}"
    return f"{cost:.2g}" if cost >= 0.0001 or cost == 0 else "less than 0.0001"


def duration(seconds: float) -> str:
    """`40 s`, `3 min`, `2.5 h`."""
    if seconds < 90:
        return f"{max(1, round(seconds))} s"
    return f"{seconds / 60:.0f} min" if seconds < 5400 else f"{seconds / 3600:.1f} h"

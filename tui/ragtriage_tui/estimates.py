"""What a long job will take, said before it begins: embedding, and asking a language model. One wording and one estimate for
the app and the command line. No Textual in here."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from ragtriage_tui.text import clip, one_line

if TYPE_CHECKING:
    from ragtriage.answers.models.base import Endpoint
    from ragtriage.answers.models.estimate import Estimate

__all__ = ["EMBEDDING", "Pace", "asking_line", "duration", "embedding_s", "host_of", "model_name", "price", "rounded", "takes"]

EMBEDDING = "embedding"

_TEXTS_A_SECOND = 25.0  # what one CPU core and a half embeds of 166-token texts
_MODEL_START_S = 8.0
_TRUST_S = 4.0  # measured for this long, the pace counts as much as the guess
_LONGEST = 60  # cells of a model's name, which is whatever a configuration says


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
        if stage == EMBEDDING and total:
            self._started = self._started or done > 0
            return embedding_s(total - done, done=done - first, took_s=now - began, started=self._started)
        return (now - began) / (done - first) * (total - done) if first < done < total else -1.0


def asking_line(found: Estimate) -> str:
    """`102 requests to gpt-x at api.openai.com (38 known): about 61,000 tokens in, 12,000 out, about 0.08, about 3 min`."""
    stage = "" if found.stage == "answering" else f"{found.stage}: "
    requests = f"{found.requests:,} request{'' if found.requests == 1 else 's'}"
    known = f" ({found.known:,} known)" if found.known else ""
    return f"{stage}{requests} to {_asked(found.endpoint)}{known}: {takes(found._asdict())}"


def takes(figures: Mapping[str, Any]) -> str:
    """`about 61,000 tokens in, 12,000 out, about 0.08, about 3 min`; what is not known is said to be unknown."""
    cost, seconds = figures["cost"], figures["seconds"]
    return ", ".join(
        [
            f"about {rounded(figures['input_tokens'])} tokens in",
            f"{rounded(figures['output_tokens'])} out",
            "price not configured" if cost is None else f"about {price(cost)}",
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


def model_name(table: Mapping[str, Any], chosen: str) -> str:
    """The model that a table of the configuration names, as a person calls it: `gpt-x`, `gpt-x at localhost:8080`, a program.

    Only the host of an address is shown: the rest may hold what nobody should see. "" without a model.
    """
    if chosen == "command":
        return _program(table.get("command") or ())
    if chosen not in ("openai", "anthropic"):
        return ""
    address = str(table.get("base_url") or "")
    return _short(str(table.get("model") or chosen)) + (f" at {_short(host_of(address))}" if address else "")


def host_of(address: str) -> str:
    """`localhost:8080` of `http://localhost:8080/v1`, and `api.openai.com` as it stands."""
    authority = re.split(r"[/?#\\]", address.partition("://")[2] or address, maxsplit=1)[0]
    return authority.rpartition("@")[2]


def _asked(endpoint: Endpoint) -> str:
    if endpoint.provider == "command":
        return _program(endpoint.command)
    return f"{_short(endpoint.model)} at {_short(host_of(endpoint.where))}"


def _program(words: Sequence[str]) -> str:
    """`the program python3 answer.py`: what comes after that may hold what nobody should see."""
    named = [str(word) for word in words[:2]]
    return f"the program {_short(' '.join(named[:1] if named[1:] and named[1].startswith('-') else named))}"


def _short(text: str) -> str:
    return clip(one_line(text), _LONGEST)

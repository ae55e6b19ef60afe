"""Several nodes that can each do the same: one that does not answer is passed over, the one that did is asked first next."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Sequence
from typing import Generic, TypeVar

from ragtriage.errors import SystemFailed

__all__ = ["Failover", "NodeFailed"]

Node = TypeVar("Node")
Result = TypeVar("Result")

_PAUSE_S = 0.2  # before all nodes are tried once more; doubled each time
_LONGEST_PAUSE_S = 5.0


class NodeFailed(Exception):
    """One node did not do it, and another may: it refused the connection, took too long, or is in trouble.

    `certain`: it would say the same if it was asked again; where all do, they are not.
    """

    def __init__(self, message: str, *, certain: bool = False) -> None:
        super().__init__(message)
        self.certain = certain


class Failover(Generic[Node]):
    """Asks `nodes` until one answers. Safe to use from several threads.

    `rounds` is how often all are tried, `limit_s` after how many seconds nothing is tried any more.
    """

    def __init__(
        self,
        nodes: Sequence[Node],
        *,
        rounds: int,
        limit_s: float,
        clock: Callable[[], float] = time.monotonic,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        self._nodes = tuple(nodes)
        self._rounds = rounds
        self._limit_s = limit_s
        self._clock = clock
        self._sleep = sleep
        self._first = 0
        self._lock = threading.Lock()

    @property
    def nodes(self) -> tuple[Node, ...]:
        return self._nodes

    def call(self, act: Callable[[Node], Result]) -> Result:
        """What `act` returns on the first node where it does not raise NodeFailed. Raises SystemFailed where it does on all."""
        end = self._clock() + self._limit_s
        pause = _PAUSE_S
        said: dict[int, NodeFailed] = {}
        for turn in range(self._rounds):
            if turn and all(error.certain for error in said.values()):
                break
            if turn:
                self._sleep(min(pause, max(0.0, end - self._clock())))
                pause = min(2 * pause, _LONGEST_PAUSE_S)
            start = self._first
            for step in range(len(self._nodes)):
                if said and self._clock() >= end:
                    break
                place = (start + step) % len(self._nodes)
                try:
                    result = act(self._nodes[place])
                except NodeFailed as error:
                    said[place] = error
                    continue
                if place != start:
                    with self._lock:
                        self._first = place
                return result
        raise SystemFailed("; ".join(str(said[place]) for place in sorted(said)))

"""Nodes that refuse, one after the other, by a clock of our own."""

from __future__ import annotations

import pytest

from ragtriage.errors import ConfigError, SystemFailed
from ragtriage.search.systems.failover import Failover, NodeFailed


class Clock:
    """Time that passes only where somebody waits."""

    def __init__(self) -> None:
        self.now = 0.0
        self.waited: list[float] = []

    def __call__(self) -> float:
        return self.now

    def sleep(self, seconds: float) -> None:
        self.waited.append(seconds)
        self.now += seconds


class Nodes:
    """Remembers who was asked; `down` nodes refuse."""

    def __init__(self, *down: str) -> None:
        self.down = set(down)
        self.asked: list[str] = []

    def act(self, node: str) -> str:
        self.asked.append(node)
        if node in self.down:
            raise NodeFailed(f"{node} is down")
        return f"from {node}"


def failover(clock: Clock, rounds: int = 1, limit_s: float = 30.0) -> Failover[str]:
    return Failover(["a", "b", "c"], rounds=rounds, limit_s=limit_s, clock=clock, sleep=clock.sleep)


def test_the_first_that_answers_is_asked_first_next_time() -> None:
    nodes, some = Nodes("a", "b"), failover(Clock())
    assert some.call(nodes.act) == "from c"
    assert some.call(nodes.act) == "from c"
    assert nodes.asked == ["a", "b", "c", "c"]
    nodes.down = {"c"}
    assert some.call(nodes.act) == "from a"
    assert nodes.asked[4:] == ["c", "a"]


def test_where_all_refuse_each_has_its_say_and_all_are_tried_again() -> None:
    clock, nodes = Clock(), Nodes("a", "b", "c")
    with pytest.raises(SystemFailed, match=r"^a is down; b is down; c is down$"):
        failover(clock, rounds=3).call(nodes.act)
    assert nodes.asked == ["a", "b", "c"] * 3
    assert clock.waited == [0.2, 0.4]


def test_one_that_comes_back_is_found_in_the_next_round() -> None:
    clock, nodes = Clock(), Nodes("a", "b", "c")
    some = Failover(["a", "b", "c"], rounds=2, limit_s=30, clock=clock, sleep=lambda _: nodes.down.clear())
    assert some.call(nodes.act) == "from a"


def test_time_is_bounded() -> None:
    clock, nodes = Clock(), Nodes("a", "b", "c")

    def slow(node: str) -> str:
        clock.now += 4.0
        return nodes.act(node)

    with pytest.raises(SystemFailed):
        failover(clock, rounds=100, limit_s=10.0).call(slow)
    assert nodes.asked == ["a", "b", "c"]
    assert clock.now <= 12.0 + sum(clock.waited)
    assert sum(clock.waited) <= 10.0


def test_what_would_be_said_again_is_not_asked_for_again() -> None:
    asked: list[str] = []

    def lacks(node: str) -> str:
        asked.append(node)
        raise NodeFailed("not here", certain=True)

    with pytest.raises(SystemFailed):
        failover(Clock(), rounds=5).call(lacks)
    assert asked == ["a", "b", "c"]


def test_what_concerns_all_of_them_is_raised_at_once() -> None:
    asked: list[str] = []

    def refused(node: str) -> str:
        asked.append(node)
        raise ConfigError("the key")

    with pytest.raises(ConfigError):
        failover(Clock(), rounds=5).call(refused)
    assert asked == ["a"]

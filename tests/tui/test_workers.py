"""Jobs: results come back once, old ones never, failures are told."""

from __future__ import annotations

import queue
import threading
from collections.abc import Callable
from functools import partial
from types import SimpleNamespace

import pytest

from ragtriage_tui.telling import Busy
from ragtriage_tui.views import Progress
from ragtriage_tui.workers import Jobs, Stopped


class Loop:
    """Collects what is posted and runs it when asked, as an event loop would."""

    def __init__(self) -> None:
        self.calls: queue.Queue[Callable[[], None]] = queue.Queue()
        self.errors: list[tuple[str, str]] = []
        self.busy: list[Busy | None] = []
        self.jobs = Jobs(self.calls.put, lambda group, error: self.errors.append((group, repr(error))), self._busy)

    def _busy(self, group: str, busy: Busy | None) -> None:
        self.busy.append(busy)

    def turn(self, count: int = 1) -> None:
        for _ in range(count):
            self.calls.get(timeout=5)()


def test_a_result_comes_back_on_the_loop() -> None:
    loop, out = Loop(), list[int]()
    loop.jobs.start("a", lambda progress: 7, out.append)
    loop.turn()
    assert out == [7]
    assert not loop.jobs.running("a")


def test_what_a_newer_job_overtook_is_dropped() -> None:
    loop, out, gate = Loop(), list[str](), threading.Event()

    def slow(progress: Progress) -> str:
        gate.wait(5)
        return "old"

    loop.jobs.start("a", slow, out.append)
    loop.jobs.start("a", lambda progress: "new", out.append)
    loop.turn()
    gate.set()
    loop.turn()
    assert out == ["new"]


def test_a_cancelled_job_stops_at_its_next_progress() -> None:
    loop, out, gate, stopped = Loop(), list[int](), threading.Event(), threading.Event()

    def work(progress: Progress) -> int:
        gate.wait(5)
        try:
            progress("embedding", 1, 2)
        except Stopped:
            stopped.set()
            raise
        return 1

    loop.jobs.start("a", work, out.append)
    assert loop.jobs.cancel("a")
    assert not loop.jobs.cancel("a")
    gate.set()
    assert stopped.wait(5)
    assert out == []
    assert loop.errors == []


def test_who_leaves_stops_every_job_and_nothing_that_is_queued() -> None:
    loop, out, gate = Loop(), list[str](), threading.Event()
    stopped = [threading.Event(), threading.Event()]

    def work(progress: Progress, at: int) -> str:
        gate.wait(5)
        try:
            progress("embedding", 1, 2)
        except Stopped:
            stopped[at].set()
            raise
        return "done"

    for at, group in enumerate(("sweep", "measure")):
        loop.jobs.start(group, partial(work, at=at), out.append)
    loop.jobs.queue("labels", lambda: "kept", out.append)
    loop.jobs.stop()
    gate.set()
    assert all(one.wait(5) for one in stopped)
    loop.jobs.settle(5.0)
    loop.turn()
    assert out == ["kept"]
    assert loop.errors == []


def test_a_failure_is_told_with_its_group() -> None:
    loop = Loop()

    def fail(progress: Progress) -> int:
        raise ValueError("broken")

    loop.jobs.start("a", fail, lambda result: None)
    loop.turn()
    assert loop.errors == [("a", "ValueError('broken')")]


def test_progress_is_shown_and_taken_away_again() -> None:
    loop, out = Loop(), list[int]()

    def work(progress: Progress) -> int:
        progress("measuring", 1, 4)
        progress("measuring", 2, 4)
        return 1

    loop.jobs.start("a", work, out.append)
    loop.turn(2)
    assert [busy.text if busy else None for busy in loop.busy] == ["measuring 25 %", None]
    assert out == [1]


def test_the_time_left_is_counted_from_the_first_result_on(monkeypatch: pytest.MonkeyPatch) -> None:
    # a model that takes ten seconds to start says nothing about how fast it then is
    loop = Loop()
    times = iter((0.0, 10.0, 12.0))
    monkeypatch.setattr("ragtriage_tui.workers.time", SimpleNamespace(monotonic=lambda: next(times)))

    def work(progress: Progress) -> None:
        for done in (0, 10, 20):
            progress("reranking", done, 50)

    loop.jobs.start("a", work, lambda result: None)
    loop.turn(4)
    shown = [busy.text if busy else None for busy in loop.busy]
    assert shown == ["reranking 0 %", "reranking 20 %", "reranking 40 %, 6 s left", None]


def test_a_new_stage_is_shown_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    loop = Loop()
    monkeypatch.setattr("ragtriage_tui.workers.time", SimpleNamespace(monotonic=lambda: 5.0))

    def work(progress: Progress) -> None:
        for stage in ("reading", "reading", "embedding", "embedding"):
            progress(stage, 0, 100)

    loop.jobs.start("a", work, lambda result: None)
    loop.turn(3)
    assert [busy.text if busy else None for busy in loop.busy] == ["reading 0 %", "embedding 0 %, 12 s left", None]


def test_what_is_queued_is_done_in_order_and_never_dropped() -> None:
    loop, out = Loop(), list[int]()

    def fail() -> int:
        raise ValueError("no")

    for number in range(50):
        loop.jobs.queue("write", fail if number == 20 else (lambda number=number: number), out.append)
    loop.jobs.settle(5)
    loop.turn(50)
    assert out == [number for number in range(50) if number != 20]
    assert loop.errors == [("write", "ValueError('no')")]


@pytest.mark.parametrize("group", ["a"])
def test_nothing_runs_nothing_is_cancelled(group: str) -> None:
    loop = Loop()
    assert not loop.jobs.cancel(group)
    loop.jobs.settle(0.1)

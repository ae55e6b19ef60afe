"""While work goes on, garbage is only searched for among the young, and what is left is not searched again."""

from __future__ import annotations

import gc
import threading
from collections.abc import Iterator
from typing import Any

import pytest

from ragtriage_tui.quiet import Quiet, set_aside
from ragtriage_tui.workers import Jobs


class Looks:
    """The full searches that went on."""

    def __init__(self) -> None:
        self.full = 0

    def __call__(self, phase: str, info: dict[str, int]) -> None:
        self.full += phase == "stop" and info["generation"] == 2


@pytest.fixture
def looks() -> Iterator[Looks]:
    usual, found = gc.get_threshold(), Looks()
    gc.set_threshold(50, 2, 2)  # a few hundred objects do what a few hundred thousand do otherwise
    gc.collect()
    gc.freeze()  # what other tests left behind: Python searches all when a quarter of the old objects is new
    gc.collect()
    gc.callbacks.append(found)
    found.full = 0
    yield found
    gc.callbacks.remove(found)
    gc.set_threshold(*usual)
    gc.unfreeze()


def much(kept: list[Any]) -> None:
    kept += [[number] for number in range(60_000)]


def test_nothing_is_searched_through_while_work_goes_on(looks: Looks) -> None:
    kept: list[Any] = []
    much(kept)
    assert looks.full > 0  # as it is without
    looks.full = 0
    before = gc.get_freeze_count()
    with Quiet():
        much(kept)
    assert looks.full == 0
    assert gc.get_freeze_count() - before > 60_000
    assert gc.get_threshold() == (50, 2, 2)


def test_it_lasts_until_the_last_is_over_however_that_ends(looks: Looks) -> None:
    quiet = Quiet()

    def fails() -> None:
        with quiet:
            with quiet:
                pass
            assert gc.get_threshold()[2] > 1000
            raise ValueError("wrong")

    with pytest.raises(ValueError, match="wrong"):
        fails()
    assert gc.get_threshold() == (50, 2, 2)


def test_a_little_work_sets_nothing_aside(looks: Looks) -> None:
    before = gc.get_freeze_count()
    with Quiet():
        pass
    assert gc.get_freeze_count() == before


def test_what_was_set_aside_goes_when_nobody_refers_to_it(looks: Looks) -> None:
    class Held:
        gone = False

        def __del__(self) -> None:
            type(self).gone = True

    held = Held()
    set_aside()
    assert not Held.gone
    del held
    assert Held.gone


def test_jobs_are_quiet(looks: Looks) -> None:
    done = threading.Event()
    within: list[int] = []

    def work(progress: object) -> None:
        within.append(gc.get_threshold()[2])

    jobs = Jobs(lambda call: call(), lambda group, error: None, lambda group, busy: None)
    jobs.start("one", work, lambda result: done.set())
    assert done.wait(10)
    assert within[0] > 1000
    assert gc.get_threshold() == (50, 2, 2)

"""Work in an event loop, for callers that have none: a few tasks at once, and a caller who may stop them."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

__all__ = ["all_of", "run"]

_TICK_S = 0.2  # how often a waiting caller may cancel


async def all_of(work: Sequence[Coroutine[Any, Any, None]], tell: Callable[[], None]) -> None:
    """Run all of `work` at once and call `tell` on the way. What one of it or `tell` raises ends the others and is raised."""
    workers = [asyncio.create_task(one) for one in work]
    try:
        waiting = set(workers)
        while waiting:
            done, waiting = await asyncio.wait(waiting, timeout=_TICK_S, return_when=asyncio.FIRST_EXCEPTION)
            for worker in done:
                worker.result()
            tell()
    finally:
        for worker in workers:
            worker.cancel()
        await asyncio.gather(*workers, return_exceptions=True)


def run(work: Coroutine[Any, Any, None]) -> None:
    """Run `work` to its end; where this thread has a loop already, as in a notebook, in a thread beside it."""
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        asyncio.run(work)
        return
    with ThreadPoolExecutor(1) as beside:
        beside.submit(asyncio.run, work).result()

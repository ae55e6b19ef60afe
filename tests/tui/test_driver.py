from __future__ import annotations

import asyncio

from tests.tui.show import make
from textual import events
from textual.geometry import Size


def test_a_size_that_is_told_late_is_not_believed() -> None:
    async def check() -> None:
        app = make()
        async with app.run_test(size=(80, 24)) as pilot:
            told = Size(5, 2)
            app._driver.sized = lambda: events.Resize(Size(90, 30), Size(90, 30))  # type: ignore[union-attr]
            app.post_message(events.Resize(told, told))
            await pilot.pause(0.2)
            assert app.front.extent == (90, 30)

    asyncio.run(check())

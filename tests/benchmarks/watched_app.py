"""The app as it is, with its event loop watched: `watched_app.py PROJECT GAPS.json` writes the gaps when it ends.

A gap is how much later than it asked a sleeping task of the loop was woken: as long nothing is drawn and no key is taken. Each
is written as [when it ended (monotonic), milliseconds, milliseconds of processor time that this process took meanwhile]: what
other processes took from a busy machine is in the first figure and not in the second.
"""

from __future__ import annotations

import asyncio
import json
import os
import sys
import time
from pathlib import Path

from ragtriage_tui.terminal import prepare

EVERY_S = 0.002
LEAST_MS = 3.0


async def watch(gaps: list[tuple[float, float, float]]) -> None:
    while True:
        before, busy = time.monotonic(), time.process_time()
        await asyncio.sleep(EVERY_S)
        after = time.monotonic()
        late = (after - before - EVERY_S) * 1000
        if late >= LEAST_MS:
            gaps.append((after, late, (time.process_time() - busy) * 1000))


def main(project: str, log: str) -> int:
    os.environ.update(prepare(os.environ))
    from ragtriage_tui import window
    from ragtriage_tui.app import run_app

    gaps: list[tuple[float, float, float]] = []

    class Watched(window.RagtriageApp):
        def on_load(self) -> None:
            super().on_load()
            self.watcher = asyncio.get_running_loop().create_task(watch(gaps))

    window.RagtriageApp = Watched  # type: ignore[misc]
    code = run_app(Path(project))
    Path(log).write_text(json.dumps(gaps), encoding="utf-8")
    return code


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))

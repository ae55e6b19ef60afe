"""Run the app on the hand-made project: `python tests/tui/show.py [screenshot.svg WIDTHxHEIGHT KEYS…]`.

Without arguments it runs in this terminal (`--ascii`, `--mouse`, `--hostile`, `--slow`); with a picture's name it draws one
screen headless after the keys.
"""

from __future__ import annotations

import asyncio
import os
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from tests.tui.demo import DemoDoor, hostile_door

from ragtriage_tui.keymap import Settings
from ragtriage_tui.terminal import choose_look, prepare

if TYPE_CHECKING:
    from ragtriage_tui.window import RagtriageApp


def make(
    door: DemoDoor | None = None, *, look: str = "dark", plain: bool = False, encoding: str = "utf-8", path: str = "demo"
) -> RagtriageApp:
    """The app on a door of ours."""
    from ragtriage_tui.window import RagtriageApp

    settings = Settings("", {}, ())
    return RagtriageApp(Path(path), door or DemoDoor(), settings=settings, look=look, plain=plain, encoding=encoding)


async def _picture(path: str, size: str, keys: list[str]) -> None:
    columns, rows = (int(part) for part in size.split("x"))
    app = make(look=os.environ.get("LOOK", "dark"))
    async with app.run_test(size=(columns, rows)) as pilot:
        await pilot.pause(0.3)
        await pilot.press(*keys)
        await pilot.pause(0.3)
        Path(path).write_text(app.export_screenshot(), encoding="utf-8")


def _explode() -> None:
    from ragtriage_tui.screens.triage import TriageScreen

    def zoom(screen: TriageScreen) -> None:
        secret = "what the corpus says"
        raise ValueError(f"{len(secret)} characters")

    TriageScreen.do_zoom = zoom  # type: ignore[method-assign]


def main() -> None:
    os.environ.update(prepare(os.environ))  # of this process: `make` is called inside of tests too
    words = sys.argv[1:]
    if words and words[0].endswith(".svg"):
        asyncio.run(_picture(words[0], words[1], words[2:]))
        return
    door = hostile_door() if "--hostile" in words else DemoDoor()
    if "--slow" in words:
        door.missing = 10_000
    if "--crash" in words:
        door.crash = True
    if "--explode" in words:
        _explode()
    app = make(door, look=choose_look(os.environ), plain="--ascii" in words)
    app.run(mouse="--mouse" in words)
    if app.farewell:
        sys.stderr.write(app.farewell + "\n")
    time.sleep(0.05)
    sys.exit(app.return_code or 0)


if __name__ == "__main__":
    main()

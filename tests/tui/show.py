"""Run the app on the hand-made project: `python tests/tui/show.py [screenshot.svg WIDTHxHEIGHT KEYS…]`.

Without arguments it runs in this terminal; with them it draws one screen headless after the keys and writes a picture.
"""

from __future__ import annotations

import asyncio
import os
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

from demo import DemoDoor
from ragtriage_tui.app import RagtriageApp
from ragtriage_tui.keymap import Settings
from ragtriage_tui.terminal import choose_look


def make(door: DemoDoor | None = None, *, look: str = "dark", plain: bool = False) -> RagtriageApp:
    return RagtriageApp(Path("demo"), door or DemoDoor(), settings=Settings("", {}, ()), look=look, plain=plain)


async def _picture(path: str, size: str, keys: list[str]) -> None:
    width, height = (int(part) for part in size.split("x"))
    app = make(look=os.environ.get("LOOK", "dark"))
    async with app.run_test(size=(width, height)) as pilot:
        await pilot.pause(0.3)
        await pilot.press(*keys)
        await pilot.pause(0.3)
        Path(path).write_text(app.export_screenshot(), encoding="utf-8")


def main() -> None:
    if len(sys.argv) > 2:
        asyncio.run(_picture(sys.argv[1], sys.argv[2], sys.argv[3:]))
        return
    plain = "--ascii" in sys.argv
    app = make(look=choose_look(os.environ), plain=plain)
    app.run(mouse="--mouse" in sys.argv)
    if app.farewell:
        sys.stderr.write(app.farewell + "\n")
    sys.exit(app.return_code or 0)


if __name__ == "__main__":
    main()

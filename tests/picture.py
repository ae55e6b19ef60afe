"""The picture in the README, made by the app itself: `python -m tests.picture` writes docs/triage.svg.

The app opens a fresh copy of the sample at 120x36. Two failures are labelled first, so that labelled and suggested causes are
both to be seen.
"""

from __future__ import annotations

import asyncio
import contextlib
import io
import os
import re
import sys
import tempfile
from pathlib import Path

PICTURE = Path(__file__).resolve().parent.parent / "docs" / "triage.svg"
SIZE = (120, 36)
LABELLED = (("q003", "3"), ("q009", "2"))


async def _draw(project: Path) -> str:
    from ragtriage_tui.bridge.door import Door
    from ragtriage_tui.keymap import Settings
    from ragtriage_tui.terminal import prepare

    os.environ.update(prepare({"TERM": "xterm-256color"}))
    from ragtriage_tui.window import RagtriageApp

    door = Door(project)
    app = RagtriageApp(project, door, settings=Settings("", {}, ()), look="dark", plain=False)
    async with app.run_test(size=SIZE) as pilot:
        for _ in range(100):
            await pilot.pause(0.1)
            if "Live" in app.export_screenshot():  # the answers come last
                break
        drawn = app.export_screenshot(title="ragtriage")
    door.close()
    # a picture in a page must not ask another host for a font; every reader has some monospace
    drawn = re.sub(r"\s*@font-face \{.*?\}", "", drawn, flags=re.DOTALL)
    # not every reader of SVG keeps a blank at the edge of a text unless it is told to
    return drawn.replace("&#160;", " ").replace("<text ", '<text xml:space="preserve" ')


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        os.environ["RAGTRIAGE_HOME"] = str(Path(folder) / "home")
        os.environ.pop("NO_COLOR", None)
        project = Path(folder) / "sample"
        from ragtriage_tui.cli import main as ragtriage

        with contextlib.redirect_stdout(io.StringIO()):
            codes = [ragtriage(["demo", "--into", str(project), "--plain"])]
            codes += [ragtriage(["-C", str(project), "verdict", *label]) for label in LABELLED]
        if any(codes):
            sys.exit("the sample could not be measured or labelled")
        PICTURE.parent.mkdir(exist_ok=True)
        PICTURE.write_text(asyncio.run(_draw(project)), encoding="utf-8")
    print(f"wrote {PICTURE}")


if __name__ == "__main__":
    main()

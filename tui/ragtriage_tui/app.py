"""How the app starts, and which screens it has. No Textual in here: it is imported when the terminal is known."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Any

__all__ = ["SCREENS", "run_app"]

# The screens there are: name in the table of actions -> module and class. A screen that is not here is not offered.
SCREENS: dict[str, tuple[str, str]] = {
    "Triage": ("ragtriage_tui.screens.triage", "TriageScreen"),
    "Document": ("ragtriage_tui.screens.document", "DocumentScreen"),
    "Find": ("ragtriage_tui.screens.find", "FindScreen"),
    "Add": ("ragtriage_tui.screens.add", "AddScreen"),
    "Inbox": ("ragtriage_tui.screens.inbox", "InboxScreen"),
    "Review": ("ragtriage_tui.screens.review", "ReviewScreen"),
    "Sweep": ("ragtriage_tui.screens.sweep", "SweepScreen"),
    "What if": ("ragtriage_tui.screens.what_if", "WhatIfScreen"),
    "Judge": ("ragtriage_tui.screens.judge", "JudgeScreen"),
    "Help": ("ragtriage_tui.screens.help", "HelpScreen"),
    "Palette": ("ragtriage_tui.screens.palette", "PaletteScreen"),
}


def run_app(
    path: Path,
    *,
    overrides: tuple[str, ...] = (),
    groups: tuple[str, ...] | None = None,
    read_only: bool = False,
    trusted: bool = False,
    mouse: bool = False,
    ascii: bool = False,  # noqa: A002 - named as the option is
    opens: tuple[str, dict[str, Any]] | None = None,
) -> int:
    """Open the app on a project and return the exit code. `opens` names the screen to begin at, with what it is told."""
    from ragtriage_tui.bridge.door import Door
    from ragtriage_tui.bridge.places import settings_file
    from ragtriage_tui.keymap import read_settings
    from ragtriage_tui.quiet import set_aside
    from ragtriage_tui.terminal import choose_look, draws_marks, prepare

    added = prepare(os.environ)
    os.environ.update(added)  # read by Textual when it is imported; the editor and the pager are to see none of it
    from ragtriage_tui.window import RagtriageApp

    for name in added:
        del os.environ[name]

    settings = read_settings(settings_file())
    door = Door(path, overrides=overrides, groups=groups, read_only=read_only, trusted=trusted)
    encoding = (sys.__stderr__.encoding if sys.__stderr__ else "") or "utf-8"  # what the terminal is written to through
    plain = ascii or not draws_marks(os.environ, encoding)
    look = choose_look(os.environ, settings.theme)
    app = RagtriageApp(path, door, settings=settings, look=look, plain=plain, encoding=encoding)
    app.opens = opens
    set_aside()
    code = app.run(mouse=mouse)
    door.close()
    if app.farewell:
        sys.stderr.write(app.farewell + "\n")
    return app.return_code or code or 0

"""What comes back on the next start, one small file a project in the user's state folder. No Textual in here."""

from __future__ import annotations

import contextlib
import json
from pathlib import Path
from typing import Any

from ragtriage_tui.bridge.places import session_file, write_file
from ragtriage_tui.state import Restored
from ragtriage_tui.text import scrub
from ragtriage_tui.workers import DoorError

__all__ = ["load_session", "save_session"]


def load_session(root: Path) -> Restored:
    """The session of the project at `root`; a missing, broken or foreign file is a fresh start."""
    try:
        value = json.loads(session_file(root).read_bytes())
    except (OSError, ValueError, RecursionError):
        return Restored()
    if not isinstance(value, dict):
        return Restored()
    return Restored(
        qid=_text(value.get("qid")),
        filter=_text(value.get("filter")),
        pane=_text(value.get("pane")) or "list",
    )


def _text(value: Any) -> str:
    return scrub(value)[:1000] if isinstance(value, str) else ""


def save_session(root: Path, session: Restored) -> None:
    """Keep the session; where the state folder cannot be written it is simply not kept."""
    data = json.dumps({"format": 1, **session._asdict()}).encode()
    with contextlib.suppress(DoorError):
        write_file(session_file(root), data)

"""Keeps a half-written question on disk while it is typed, without a key waiting for the disk."""

from __future__ import annotations

import contextlib
from pathlib import Path

from ragtriage_tui.add_views import Draft
from ragtriage_tui.bridge.drafts import draft_file, drop_draft, keep_draft, kept_drafts
from ragtriage_tui.screens.base import FrameScreen
from ragtriage_tui.workers import DoorError

__all__ = ["DraftKeeper", "draft_waits"]


def draft_waits(root: Path) -> str:
    """What is said at the start when a question was not finished; empty where there is none."""
    kept = kept_drafts(root)
    if not kept:
        return ""
    if kept[0].startswith("r-"):
        return "the draft made of a report is kept: I, then a on it, goes on with it"
    if kept[0]:
        return f"a draft of changes to {kept[0]} is kept: f on it goes on"
    return "a draft of a question is kept: a goes on with it"


class DraftKeeper:
    """Writes the drafts of one screen in the background, in order; of several that wait only the last is written."""

    def __init__(self, screen: FrameScreen) -> None:
        self._screen = screen
        self._waiting: Draft | None = None

    def write(self, draft: Draft) -> None:
        """Keep a draft; one without words is dropped."""
        before, self._waiting = self._waiting, draft
        if before is None:
            root = self._screen.owner.root  # asked for here: a screen that is closed meanwhile has no app any more
            self._screen.jobs.queue("draft", lambda: self._write(root), lambda _: None)

    def write_now(self, draft: Draft) -> None:
        """Keep a draft before this returns, if the disk takes it: the terminal may be gone."""
        if draft.text.strip():
            with contextlib.suppress(DoorError):
                keep_draft(self._screen.owner.root, draft)

    def drop(self, key: str) -> None:
        """The question is saved, or was given up; `key` as in Draft."""
        self._waiting = None
        root = self._screen.owner.root
        self._screen.jobs.queue("draft", lambda: drop_draft(root, key), lambda _: None)

    def where(self, key: str) -> str:
        """`draft kept in ~/…`"""
        path = draft_file(self._screen.owner.root, key)
        home = Path.home()
        return f"draft kept in {f'~/{path.relative_to(home)}' if path.is_relative_to(home) else path}"

    def _write(self, root: Path) -> None:
        draft, self._waiting = self._waiting, None
        if draft is None:
            return
        if draft.text.strip():
            keep_draft(root, draft)
        else:
            drop_draft(root, draft.key)

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

from ragtriage_tui.add_views import Draft
from ragtriage_tui.bridge.drafts import load_draft
from ragtriage_tui.screens.base import FrameScreen
from ragtriage_tui.screens.draft_keeper import DraftKeeper


class Closable:
    """A screen as the keeper sees it: its jobs wait until told, and once closed it belongs to no app."""

    def __init__(self, root: Path) -> None:
        self._owner: Any = SimpleNamespace(root=root)
        self.waiting: list[Callable[[], None]] = []
        self.jobs = SimpleNamespace(queue=lambda _name, work, _done: self.waiting.append(work))

    @property
    def owner(self) -> Any:
        if self._owner is None:
            raise LookupError("no app")
        return self._owner

    def close(self) -> None:
        self._owner = None


def test_a_draft_is_written_also_when_its_screen_has_gone_meanwhile(tmp_path: Path) -> None:
    screen = Closable(tmp_path)
    keeper = DraftKeeper(cast(FrameScreen, screen))
    keeper.write(Draft(text="can i"))
    keeper.write(Draft(text="can i send it back"))
    screen.close()
    for work in screen.waiting:
        work()
    kept = load_draft(tmp_path)
    assert kept is not None
    assert kept.text == "can i send it back"

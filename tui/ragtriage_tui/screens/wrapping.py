"""Long documents are wrapped beside the screen, so that no key waits for it."""

from __future__ import annotations

from ragtriage_tui.document_state import DocumentState, Layout, lay_out
from ragtriage_tui.screens.base import FrameScreen

__all__ = ["wrap_beside"]


def wrap_beside(screen: FrameScreen, state: DocumentState, cells: int) -> None:
    """Before a document is drawn: have it laid out for this width, and paint again when it is."""
    if cells <= 0 or (view := state.to_lay_out(cells)) is None:
        return

    def done(made: Layout) -> None:
        state.take_layout(made)
        screen.paint()

    screen.jobs.start(f"wrap {screen.WHERE}", lambda progress: lay_out(view, cells), done)

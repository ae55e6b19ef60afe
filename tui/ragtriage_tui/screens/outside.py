"""A document or a question in another program: in $EDITOR, a document at the line under the cursor; in $PAGER."""

from __future__ import annotations

from collections.abc import Callable

from ragtriage_tui.document_state import DocumentState
from ragtriage_tui.external import edit_file, edit_text, page_text
from ragtriage_tui.screens.base import FrameScreen
from ragtriage_tui.views import Change, Overview
from ragtriage_tui.workers import DoorError

__all__ = ["edit_question", "edit_source", "outside", "page_source"]


def outside(screen: FrameScreen, run: Callable[[], None]) -> None:
    """Run what lends the terminal to another program; what goes wrong is said in the footer."""
    try:
        run()
    except DoorError as error:
        screen.say(str(error), "warn")


def edit_source(screen: FrameScreen, state: DocumentState) -> None:
    """Let the user edit the document's file at the line under the cursor."""
    view = state.view
    if view is None:
        return
    if view.read_only or not view.path:
        screen.say(view.read_only or f"{view.source} is not edited as text; o shows it in the pager", "plain")
        return
    line = view.path_line + state.line_of(state.cursor) - 1

    def edit() -> None:
        edit_file(screen.app, view.path, line)
        screen.say("the screen shows the document as it was measured; ctrl+r reads and measures again", "plain")

    outside(screen, edit)


def page_source(screen: FrameScreen, state: DocumentState) -> None:
    """Let the user read the document in the pager."""
    view = state.view
    if view is not None:
        outside(screen, lambda: page_text(screen.app, view.text))


def edit_question(screen: FrameScreen, qid: str, changed: Callable[[tuple[Change, Overview]], None]) -> None:
    """Let the user edit a question's line of the golden set; `changed` gets what came of it."""
    door = screen.owner.door

    def edit() -> None:
        edited = edit_text(screen.app, door.raw(qid), ".json")
        if edited is None:
            screen.say("nothing was changed", "plain")
            return
        screen.jobs.queue("write", lambda: (door.replace(qid, edited), door.overview()), changed)

    outside(screen, edit)

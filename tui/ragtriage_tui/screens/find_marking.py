"""What happens in Find from `space` to `s`: sentences are marked, and only then made evidence of the question that is named."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from ragtriage_tui.add_state import DraftFor
from ragtriage_tui.add_views import Marked
from ragtriage_tui.document_state import Quote
from ragtriage_tui.document_views import Passage
from ragtriage_tui.find_state import FindMark, FindState
from ragtriage_tui.find_views import Sentence
from ragtriage_tui.screens.under import door_of
from ragtriage_tui.text import Extent
from ragtriage_tui.views import Change

if TYPE_CHECKING:
    from ragtriage_tui.screens.find import FindScreen

__all__ = ["Marking"]


class Marking:
    """The marks of one Find screen. Nothing is written before `save`."""

    def __init__(self, screen: FindScreen) -> None:
        self._screen = screen

    @property
    def _state(self) -> FindState:
        return self._screen.state

    def toggle(self) -> None:
        """Mark the sentence here, or take its mark off."""
        screen, found = self._screen, self._state.to_mark()
        if found is None:
            screen.say("Nothing to mark here", "plain")
            return
        doc_id, place = found
        if mark := self._state.marked_at(doc_id, place):
            self._state.marks.remove(mark)
            screen.preview()
            return
        finder = door_of(screen).finder
        screen.jobs.queue("mark", lambda: finder.sentence(doc_id, place), partial(self._take, doc_id, place))

    def _take(self, doc_id: str, place: Extent, sentence: Sentence) -> None:
        state = self._state
        state.mark(FindMark(doc_id, place, sentence.span, sentence.text))
        if state.active == "list":
            self._screen.preview()
        else:
            state.preview.quote = Quote(0, 0, sentence.span)
        self._screen.paint()

    def drop(self) -> None:
        """Take all marks off."""
        self._state.marks.clear()
        self._screen.preview()
        self._screen.say("nothing is marked now; nothing was saved", "plain")

    def save(self) -> None:
        """Make what is marked evidence of the question that the header names; without one, begin a question with it."""
        screen, state = self._screen, self._state
        marks = tuple(Marked(mark.doc_id, mark.span, mark.text) for mark in state.marks)
        if not marks:
            screen.say("Nothing is marked yet: space marks the sentence", "plain")
        elif draft := screen.target.draft:
            self._give(draft, marks)
        elif qid := screen.target.qid:
            door = door_of(screen).documents
            passages = [Passage(mark.doc_id, mark.span) for mark in state.marks]
            screen.jobs.queue("write", lambda: door.add_evidence(qid, *passages), self._saved)
        else:
            state.marks.clear()
            screen.owner.go("Add", marks=marks)

    def _give(self, draft: DraftFor, marks: tuple[Marked, ...]) -> None:
        owner = self._screen.owner
        why = [said for mark in marks if (said := draft.take(mark))]
        self._state.marks.clear()
        while owner.front.WHERE in ("Document", "Find") and len(owner.screen_stack) > 1:
            owner.pop_screen()
        number = len(marks) - len(why)
        said = f"{number} sentence{'' if number == 1 else 's'} taken as evidence; s saves the question"
        owner.front.say(said if number else why[0], "done" if number else "plain")

    def _saved(self, change: Change) -> None:
        self._state.marks.clear()
        self._screen.changed(change)

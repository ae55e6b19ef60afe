"""Base of Triage and Review: questions with ranked chunks and answers, which people label and whose chunks they judge."""

from __future__ import annotations

from collections.abc import Callable
from functools import partialmethod
from typing import Generic, Protocol, TypeVar

from ragtriage_tui.ranked_state import RankedState
from ragtriage_tui.screens.judging_chunks import judge_chunk
from ragtriage_tui.screens.list_screen import ListScreen
from ragtriage_tui.screens.outside import edit_question
from ragtriage_tui.views import Change, News, Overview, Progress

__all__ = ["WATCH_S", "RankedScreen", "Verdicts"]

WATCH_S = 10.0
"""How often it is looked whether another process changed a file."""

View = TypeVar("View")


class Verdicts(Protocol):
    """Where verdicts are written; each is on disk when its call returns."""

    def label(self, qid: str, key: int, note: str | None = None) -> Change: ...

    def undo(self) -> Change: ...

    def redo(self) -> Change: ...


class RankedScreen(ListScreen, Generic[View]):
    """`View` is what the whole list comes as; a verdict is written first, then the list is read again and shown."""

    state: RankedState

    # what a screen gives

    @property
    def verdicts(self) -> Verdicts:
        raise NotImplementedError

    @property
    def reader(self) -> Callable[[], View]:
        """Reads the list as it is now, in a worker, where no screen can be asked for anything."""
        raise NotImplementedError

    def take(self, view: View) -> None:
        """Let the state have the list as it is now."""
        raise NotImplementedError

    @property
    def watching(self) -> bool:
        """Whether there is anything that could have changed."""
        raise NotImplementedError

    def edited(self, result: tuple[Change, Overview]) -> None:
        """The question under the cursor came back from the editor and is on disk."""
        raise NotImplementedError

    # the list, read again

    def renew(self, view: View) -> None:
        """Show the list as it is now."""
        self.take(view)
        self.fetch(again=True)
        self.paint()

    def reload(self, qid: str = "") -> None:
        """Read the list again after another screen wrote; `qid` puts the cursor there."""
        if qid:
            self.state.listing.wanted = qid
        self.jobs.queue("write", self.reader, self.renew)

    def look_again(self) -> None:
        """Read in what another process changed."""
        if self.watching and not self.jobs.running("watch"):
            door, read = self.owner.door, self.reader

            def look(progress: Progress) -> tuple[News, View | None]:
                news = door.changed()
                return news, read() if news.text else None

            self.jobs.start("watch", look, self._looked)

    def _looked(self, found: tuple[News, View | None]) -> None:
        news, view = found
        if view is not None:
            self.renew(view)
            self.say(news.text, "warn" if news.wrong else "plain")

    # verdicts

    def write(self, work: Callable[[], Change]) -> None:
        """Write something, and show the list that there is then."""
        read = self.reader
        self.jobs.queue("write", lambda: (work(), read()), self.changed)

    def changed(self, result: tuple[Change, View]) -> None:
        """What was decided is on disk: show it, where one is or at what was undone."""
        change, view = result
        self.take(view)
        if change.qid and change.qid != self.state.listing.here:
            self.state.listing.go_to(change.qid)
        self.fetch(again=True)
        self.tell(change)

    def tell(self, change: Change) -> None:
        """Say in the footer what was done."""
        kind = "plain" if not change.qid else "warn" if change.warn else "done"
        self.say(change.message, kind, "changed" if change.qid else "")

    def label(self, key: int, note: str | None = None) -> None:
        """Say why the question under the cursor fails; 0: nothing."""
        if qid := self.state.listing.here:
            self.state.listing.stay()
            verdicts = self.verdicts
            self.write(lambda: verdicts.label(qid, key, note))

    do_label_0 = partialmethod(label, 0)
    do_label_1 = partialmethod(label, 1)
    do_label_2 = partialmethod(label, 2)
    do_label_3 = partialmethod(label, 3)
    do_label_4 = partialmethod(label, 4)
    do_label_5 = partialmethod(label, 5)
    do_label_6 = partialmethod(label, 6)
    do_label_7 = partialmethod(label, 7)

    def do_undo(self) -> None:
        self.write(self.verdicts.undo)

    def do_redo(self) -> None:
        self.write(self.verdicts.redo)

    # chunks

    def do_relevant(self) -> None:
        self.judge(relevant=True)

    def do_not_relevant(self) -> None:
        self.judge(relevant=False)

    def judge(self, *, relevant: bool) -> None:
        """Judge the ranked chunk under the cursor."""
        detail, chunk = self.state.detail, self.state.chunk
        if detail is None or chunk is None or not self.is_at(detail.qid):
            return
        if why := self.state.why_not_judged():
            self.say(why, "plain")
        else:
            judge_chunk(self, detail.qid, chunk.chunk_id, relevant=relevant, shown=self.judged)

    def judged(self, qid: str) -> None:
        """What was said of a passage of a question is on disk: show it."""
        self.fetch(again=True)

    def do_unfold(self) -> None:
        self.state.unfolded = not self.state.unfolded

    def do_fold(self) -> None:
        self.state.unfolded = False

    # other screens and programs

    def open_row(self) -> None:
        place = self.state.place_to_open()
        if place is None:
            self.say(self.state.why_not_open(), "plain")
        else:
            self.owner.go("Document", doc_id=place.doc_id, chunk_id=place.chunk_id, at=place.at, qid=place.qid)

    def do_fix(self) -> None:
        if qid := self.state.listing.here:
            self.state.listing.stay()
            self.owner.go("Add", qid=qid)

    def do_what_if(self) -> None:
        self.owner.go("What if", qid=self.state.listing.here)

    def do_edit(self) -> None:
        if qid := self.state.listing.here:
            edit_question(self, qid, self.edited)

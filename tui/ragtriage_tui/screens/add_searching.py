"""What Add looks up in the background: candidates for the words, BM25 first, and what follows from the draft."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from ragtriage_tui.add_state import AddState
from ragtriage_tui.add_views import Record, Results
from ragtriage_tui.screens.under import door_of

if TYPE_CHECKING:
    from ragtriage_tui.screens.add import AddScreen

__all__ = ["Searching"]


class Searching:
    """The look-ups of one Add screen. What comes for older words is dropped by the state."""

    def __init__(self, screen: AddScreen) -> None:
        self._screen = screen

    @property
    def _state(self) -> AddState:
        return self._screen.state

    def start(self) -> None:
        """BM25 at once, then what follows from the draft, and the vectors as soon as the model has seen the words."""
        door, text = door_of(self._screen).adder, self._state.draft.text
        for group in ("dense", "rest"):
            self._screen.jobs.cancel(group)
        self._screen.jobs.start("results", lambda progress: door.search(text, progress, wait=False, few=True), self._found)

    def _found(self, results: Results) -> None:
        if self._state.take_results(results) and not results.complete:
            door, text = door_of(self._screen).adder, results.text
            self._screen.jobs.start("dense", lambda progress: door.search(text, progress, wait=True), self._complete)
        self._screen.paint()
        self.follow()

    def _complete(self, results: Results) -> None:
        self._state.take_results(results)
        self._screen.paint()
        self.follow()  # the words have a vector now: questions like them are found by that too

    def follow(self) -> None:
        """Work out what follows from the draft as it is now: id, mentions, questions like it."""
        door, draft = door_of(self._screen).adder, self._state.draft
        if draft.fixed:
            self._screen.jobs.start("record", lambda progress: door.record(draft), self._recorded)

    def _recorded(self, record: Record) -> None:
        self._state.record = record
        self._screen.paint()

    def without_dense(self) -> None:
        """Go on with what BM25 gave."""
        results = self._state.results
        if results is not None and not results.complete:
            self._screen.jobs.cancel("dense")
            self._bm25_alone(results, "bm25 alone")

    def _bm25_alone(self, results: Results, why: str) -> None:
        """No more stages come: the few rows that there are at once, then all of them."""
        door, text = door_of(self._screen).adder, results.text
        self._state.results = results._replace(complete=True, problem=why)
        self._screen.jobs.start("rest", lambda progress: door.search(text, progress, wait=False), partial(self._rest, why))

    def _rest(self, why: str, results: Results) -> None:
        self._state.take_results(results if results.complete else results._replace(complete=True, problem=why))
        self._screen.paint()

    def failed(self, group: str, text: str) -> None:
        """A job failed: why there are no results, or none of the vectors."""
        state = self._state
        if group == "dense" and state.results is not None:
            self._bm25_alone(state.results, text)
        elif group == "results":
            state.results = Results(state.draft.text, (), (), problem=text)
            self.follow()

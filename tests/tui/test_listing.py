"""A list whose rows have ids, and what every state of a list with a detail does: without a screen."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import pytest

from ragtriage_tui.geometry import Geometry, geometry
from ragtriage_tui.list_state import ListState, next_of
from ragtriage_tui.listing import Listing, from_the_end

SIZE = geometry(80, 24)


@dataclass
class Names(Listing[str]):
    def id_of(self, row: str) -> str:
        return row

    def update(self, rows: Sequence[str]) -> None:
        self.rows = list(rows)
        self.show(row for row in self.rows if self.text in row)

    def step(self, step: int) -> str:
        return "" if self.step_among(range(len(self.visible)), step) else from_the_end(step, "name")


@dataclass
class State(ListState):
    listing: Names = field(default_factory=Names)

    def panes(self, geo: Geometry) -> Sequence[str]:
        return ("list", "detail")

    def refilter(self) -> None:
        self.listing.update(self.listing.rows)

    def take_detail(self, detail: Any) -> None:
        raise AssertionError(detail)


def state(rows: str = "abcd") -> State:
    made = State()
    made.listing.update(rows)
    return made


def test_the_cursor_stays_on_its_row_or_where_that_was() -> None:
    names = state().listing
    assert (names.here, names.position) == ("a", "1/4")
    assert names.go_to("c")
    names.update("dcba")
    assert (names.here, names.cursor) == ("c", 1)
    names.update("dba")
    assert (names.here, names.cursor) == ("b", 1)
    names.update("d")
    assert (names.here, names.cursor) == ("d", 0)


def test_an_empty_list_has_no_row_and_no_position() -> None:
    names = state("").listing
    assert (names.current, names.here, names.position) == (None, "", "")
    assert not names.go(3)
    assert not names.go_to("a")
    names.stay()
    assert names.wanted == ""


def test_moving_stops_at_the_ends_and_steps_go_round() -> None:
    names = state().listing
    assert names.move(10)
    assert not names.move(1)
    assert names.here == "d"
    assert names.step(1) == "From the first name again"
    assert names.here == "a"
    assert names.step(1) == ""
    assert names.go_to("a")
    assert names.step(-1) == "From the last name again"
    assert from_the_end(1) == "From the first again"


def test_a_filter_narrows_what_is_in_view_and_not_the_rows() -> None:
    made = state()
    made.listing.go_to("b")
    made.filter_by("b")
    assert (made.listing.visible, made.listing.here) == (["b"], "b")
    assert made.listing.row_of("d") == "d"
    assert made.listing.place_of("d") is None
    made.filter_by("")
    assert (made.listing.visible, made.listing.here) == (list("abcd"), "b")


def test_in_the_list_one_moves_and_elsewhere_one_scrolls() -> None:
    made = state()
    assert made.move(1)
    made.next_pane(SIZE, 1)
    assert made.active == "detail"
    assert not made.move(5)
    assert made.listing.here == "b"
    assert made.scrolled("detail", 8, 5) == 3  # nobody scrolls past the end
    assert not made.move(-1)
    assert made.scrolled("detail", 8, 5) == 2
    made.next_pane(SIZE, 1)
    assert made.active == "list"
    assert made.scroll == {"detail": 2}


@pytest.mark.parametrize(("top", "at", "first"), [(0, 7, 3), (6, 2, 2), (1, 3, 1), (0, None, 0)])
def test_a_row_that_is_sought_comes_into_view(top: int, at: int | None, first: int) -> None:
    made = state()
    made.scroll["detail"] = top
    assert made.scrolled("detail", 20, 5, at) == first


def test_the_zoom_is_what_is_closed() -> None:
    made = state()
    assert not made.close_innermost()
    made.zoomed = True
    assert made.close_innermost()
    assert not made.zoomed


@pytest.mark.parametrize(("here", "step", "there"), [(0, 1, 2), (0, -1, 7), (2, 1, 5), (7, 1, 2), (2, -1, 7), (5, -1, 2)])
def test_numbers_go_round_from_none_to_the_first_or_the_last(here: int, step: int, there: int) -> None:
    assert next_of((2, 5, 7), here, step) == there

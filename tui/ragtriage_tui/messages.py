"""What widgets tell the screen they are on."""

from __future__ import annotations

from textual.message import Message

__all__ = ["Picked", "Wheel"]


class Picked(Message):
    """A cell of the screen was clicked (only with `--mouse`)."""

    def __init__(self, x: int, y: int, *, twice: bool) -> None:
        super().__init__()
        self.x = x
        self.y = y
        self.twice = twice


class Wheel(Message):
    """The wheel was turned over a cell, `step` rows."""

    def __init__(self, x: int, y: int, step: int) -> None:
        super().__init__()
        self.x = x
        self.y = y
        self.step = step

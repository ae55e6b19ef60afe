"""All that the screens ask of the engine, as one door."""

from __future__ import annotations

from typing import Protocol

from ragtriage_tui.add_views import AddDoor
from ragtriage_tui.document_views import DocumentDoor
from ragtriage_tui.find_views import FindDoor
from ragtriage_tui.inbox_views import InboxDoor
from ragtriage_tui.judge_views import JudgeDoor
from ragtriage_tui.judgement_views import JudgementDoor
from ragtriage_tui.review_views import ReviewDoor
from ragtriage_tui.sweep_views import LeverDoor, SweepDoor
from ragtriage_tui.views import TriageDoor

__all__ = ["AppDoor"]


class AppDoor(TriageDoor, Protocol):
    """What Triage asks, and a part for each of the other screens."""

    @property
    def documents(self) -> DocumentDoor: ...

    @property
    def finder(self) -> FindDoor: ...

    @property
    def judging(self) -> JudgeDoor: ...

    @property
    def adder(self) -> AddDoor: ...

    @property
    def inbox(self) -> InboxDoor: ...

    @property
    def judgements(self) -> JudgementDoor: ...

    @property
    def reviews(self) -> ReviewDoor: ...

    @property
    def sweeps(self) -> SweepDoor: ...

    @property
    def levers(self) -> LeverDoor: ...

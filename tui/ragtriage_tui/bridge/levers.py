"""What would have found it, in the app: levers as they are tried, and taking one over."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TYPE_CHECKING

from ragtriage_tui.bridge.adopting import Adopting
from ragtriage_tui.bridge.guard import engine_progress, guarded
from ragtriage_tui.bridge.overviews import setup_name
from ragtriage_tui.bridge.paced import Paced, paced
from ragtriage_tui.bridge.turns import short_turns
from ragtriage_tui.estimates import EMBEDDING
from ragtriage_tui.sweep_views import AskedQuestion, LeverRow, LeverView, Offer
from ragtriage_tui.text import one_line, scrub
from ragtriage_tui.views import Change, Progress
from ragtriage_tui.what_if_text import cost_text, rank_text
from ragtriage_tui.workers import DoorError

if TYPE_CHECKING:
    from ragtriage.config import Config
    from ragtriage.experiments.what_if import Tried, WhatIf
    from ragtriage.project import Project
    from ragtriage_tui.bridge.door import Door

__all__ = ["Levers"]

_WORDS = 2000  # characters of a question that are shown


class Levers:
    """`LeverDoor` for the project of a door."""

    def __init__(self, door: Door) -> None:
        self._door = door
        self._adopting = Adopting(door)
        self._configs: dict[str, tuple[str, Config]] = {}  # by the name that is shown

    @guarded
    def levers(
        self, qid: str, progress: Progress, told: Callable[[LeverView], None], embed: frozenset[str] = frozenset()
    ) -> LeverView:
        """See LeverDoor."""
        from ragtriage.experiments.trial import Trials
        from ragtriage.experiments.what_if import WhatIf, what_if

        door = self._door
        door.must_keep()
        raw = door.names.raw(qid)
        with door.held():
            door.reread()
        engine = engine_progress(paced(progress))
        engine("reading", 0, 0)
        with short_turns, door.lent(engine) as project:
            wanted = {name for shown, (name, _) in self._configs.items() if shown in embed}
            trials = Trials(project)
            current = trials.find(project) or trials.make(project, progress=_staged(engine, "the one in use"))
            if raw and current.get(raw) is None:
                raise DoorError(f"{qid} is kept aside or was not measured: no lever is chosen by it")
            so_far: list[Tried] = []
            pace = Paced()

            def came(tried: Tried, place: int, total: int) -> None:
                engine(f"lever {place} of {total}", 0, 0)
                so_far.append(tried)
                if pace.due():
                    started = time.monotonic()
                    told(self._view(project, WhatIf(current, tuple(so_far)), raw, total - place))
                    pace.did(time.monotonic() - started)

            told(self._view(project, WhatIf(current, ()), raw, -1))
            found = what_if(project, embed=wanted, told=came, progress=_staged(engine, ""))
            return self._view(project, found, raw, 0)

    @guarded
    def offer(self, lever: str) -> Offer:
        """See LeverDoor."""
        found = self._configs.get(lever)
        if found is None:
            raise DoorError("this lever is not there any more")
        return self._adopting.offer("", found[1])

    def adopt(self) -> Change:
        """See LeverDoor."""
        return self._adopting.adopt()

    # inside

    def _view(self, project: Project, found: WhatIf, raw: str, todo: int) -> LeverView:
        from ragtriage.experiments.what_if import cheapest, in_order_for, most_mending

        k = int(found.current.manifest["k"])
        result = found.current.get(raw) if raw else None
        lost = result is not None and result.status in ("partly", "missed")
        asked = None
        if result is not None:
            question = project.golden.get(raw)
            words = scrub(one_line(question.question[:_WORDS])) if question is not None else ""
            asked = AskedQuestion(self._door.names.shown(raw), words, rank_text(result, k), lost)
        if lost:
            best, order = cheapest(found, raw), in_order_for(found, raw)
        else:
            tried = most_mending(found)
            order = [*tried, *(one for one in found.tried if one.versus is None)]
            best = tried[0] if tried and tried[0].versus is not None and tried[0].versus.won else None
        return LeverView(
            project=scrub(one_line(project.name)), setup=scrub(one_line(setup_name(project.config))), k=k, asked=asked,
            rows=tuple(self._row(one, raw, k, best=one is best, lost=lost) for one in order),
            lost=len(found.lost), n=len(found.current.questions), todo=todo, advice=_advice(found, raw, lost, todo),
            read_only=scrub(self._door.read_only),
        )  # fmt: skip

    def _row(self, tried: Tried, raw: str, k: int, *, best: bool, lost: bool) -> LeverRow:
        name = scrub(one_line(tried.lever.name))
        self._configs[name] = (tried.lever.name, tried.lever.candidate.config)
        result = tried.result(raw) if raw else None
        return LeverRow(
            id=name, rank=rank_text(result, k) if result is not None else "", cost=scrub(one_line(cost_text(tried))),
            mends=len(tried.versus.won) if tried.versus else None, breaks=len(tried.versus.lost) if tried.versus else None,
            finds=lost and tried.finds(raw), best=best, texts=tried.cost.texts if tried.run is None else 0,
            reason=scrub(one_line(tried.reason)),
        )  # fmt: skip


def _advice(found: WhatIf, raw: str, lost: bool, todo: int) -> tuple[str, ...]:
    """What follows, once all levers were tried."""
    from ragtriage.experiments.advice import advice_for, advice_for_all

    if todo:
        return ()
    said = [advice_for(found, raw)] if lost else advice_for_all(found)
    return tuple(scrub(one_line(sentence)) for sentence in said)


def _staged(engine: Progress, what: str) -> Progress:
    """The stages of a trial under one name: they change too often to be read."""

    def told(stage: str, done: int, total: int) -> None:
        embeds = "embed" in stage
        name = EMBEDDING if embeds else f"measuring {what}".strip()
        engine(name, done if embeds else 0, total if embeds else 0)

    return told

"""What is asked before anything is sent or run, and the key p: one question is answered now, after that."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from ragtriage_tui.answer_views import Asked, Consent
from ragtriage_tui.screens.base import FrameScreen
from ragtriage_tui.views import Overview, Progress

__all__ = ["ask_consent", "ask_model"]

Took = Callable[[Overview], None]
"""Called with the list as it is after an answer came."""


def ask_consent(screen: FrameScreen, wanted: Consent, agreed: frozenset[str], again: Callable[[frozenset[str]], None]) -> None:
    """Ask whether to agree to what is `wanted`; who does starts it `again` with that added to `agreed`. Where nobody can, say
    why."""
    if wanted.obstacle:
        screen.say(wanted.obstacle, "warn")
    else:
        screen.owner.front.ask(wanted.question, partial(again, agreed | {wanted.token}), wanted.lines)


def ask_model(screen: FrameScreen, qid: str, took: Took, agreed: frozenset[str] = frozenset()) -> None:
    """Have `qid` answered in the background; `agreed` are the tokens of what was agreed to."""
    door = screen.owner.door

    def work(progress: Progress) -> tuple[Asked | Consent, Overview | None]:
        result = door.ask(qid, progress, agreed)
        return result, door.overview() if isinstance(result, Asked) else None

    screen.jobs.start("ask", work, partial(_came, screen, qid, took, agreed))


def _came(
    screen: FrameScreen, qid: str, took: Took, agreed: frozenset[str], result: tuple[Asked | Consent, Overview | None]
) -> None:
    came, overview = result
    if isinstance(came, Consent):
        ask_consent(screen, came, agreed, partial(ask_model, screen, qid, took))
        return
    if overview is not None:
        took(overview)
    screen.owner.front.say(came.message, "warn" if came.wrong else "done")

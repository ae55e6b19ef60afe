"""Review: decide each flip between two revisions."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from ragtriage_tui.review_state import ReviewState
from ragtriage_tui.review_views import Asked, FlipView, ReviewDoor, Texts
from ragtriage_tui.review_views import ReviewView as View
from ragtriage_tui.screens.ranked_screen import WATCH_S
from ragtriage_tui.screens.review_view import ReviewView
from ragtriage_tui.screens.under import door_of, triage_under
from ragtriage_tui.screens.waiting import wait
from ragtriage_tui.views import Change, Overview, Progress

if TYPE_CHECKING:
    from collections.abc import Callable

    from ragtriage_tui.window import RagtriageApp

__all__ = ["ReviewScreen"]

_MENDS = "the change mends it"


class ReviewScreen(ReviewView):
    """Flips and verdicts at the left; the flip, both rankings and both answers at the right.

    `kept` is the state that an earlier visit left; `base` and `head` name the revisions, None those that are usual.
    """

    WHERE = "Review"
    JOB = "flip"

    def __init__(self, kept: ReviewState | None = None, base: str | None = None, head: str | None = None) -> None:
        super().__init__(kept or ReviewState(asked=Asked(base, head)))

    # data

    def on_mount(self) -> None:
        super().on_mount()
        self.owner.review_at = self.state
        self.state.view = None  # until it is known what stands now
        self.call_after_refresh(self._start)
        self.set_interval(WATCH_S, self.look_again)

    def on_screen_resume(self) -> None:
        super().on_screen_resume()
        if self.state.view is not None:  # a label was fixed, a passage judged, a verdict given in Triage
            self.reload()

    def _start(self) -> None:
        if not self.jobs.running("review"):
            self._measure()

    def _measure(self, *, again: bool = False) -> None:
        self.state.failed = ""
        door, asked, jobs, triage = door_of(self).reviews, self.state.asked, self.jobs, triage_under(self).state

        def work(progress: Progress) -> View:
            wait(lambda: triage.overview is not None, "reading", progress)
            door.check(asked)
            # what measures already brings what is needed here too
            wait(lambda: not jobs.running("measure"), "waiting for the run of today", progress)
            found = None if again else door.kept(asked)
            return found if found is not None else door.review(asked, progress)

        self.jobs.start("review", work, partial(_arrived, self.owner))
        self.paint()

    def taken(self, view: View) -> None:
        """The review is there."""
        self.renew(view)
        if view.warning:
            self.say(view.warning, "warn")
        elif view.read_only:
            self.say(view.read_only, "plain")
        elif self.state.done:
            self.say(self.state.done_words, "done", "done")

    def job_failed(self, group: str, text: str) -> None:
        if group == "open":
            self.owner.leave(2, text)
            return
        if group == "review":
            self.state.failed = text
            if self.state.view is None:
                self.paint()
                return
        super().job_failed(group, text)

    @property
    def verdicts(self) -> ReviewDoor:
        return door_of(self).reviews

    @property
    def reader(self) -> Callable[[], View]:
        return door_of(self).reviews.overview

    @property
    def watching(self) -> bool:
        return self.state.view is not None and self.is_current

    @property
    def finder(self) -> Callable[[str], FlipView | None]:
        return door_of(self).reviews.flip

    def take(self, view: View) -> None:
        self.state.take(view)

    def detail_came(self) -> None:
        self.fetch_texts()

    def fetch_texts(self) -> None:
        state = self.state
        if "text" not in state.views or state.detail is None or not state.chunk_id:
            return
        if state.texts is not None and (state.texts.side, state.texts.chunk_id) == (state.side, state.chunk_id):
            return
        door, qid, side, chunk_id = door_of(self).reviews, state.detail.qid, state.side, state.chunk_id
        self.jobs.start("texts", lambda progress: door.texts(qid, side, chunk_id), partial(self._texts, qid))

    def _texts(self, qid: str, texts: Texts) -> None:
        if self.state.detail is not None and self.state.detail.qid == qid:
            self.state.texts = texts
            self.paint()

    # verdicts

    def changed(self, result: tuple[Change, View]) -> None:
        if self.state.view is not None:
            super().changed(result)
        else:  # it is measured again meanwhile
            self.say(result[0].message, "done" if result[0].qid else "plain")

    def tell(self, change: Change) -> None:
        if change.qid and self.state.done:
            self.say(self.state.done_words, "done", "done")
        else:
            super().tell(change)

    def do_intended(self) -> None:
        row, detail = self.state.current, self.state.detail
        if row is None:
            return
        if row.moved:
            self.say("it only moved: that needs nobody's word", "plain")
            return
        said = detail.note if detail and detail.qid == row.qid and row.decided in ("intended", "expired") else ""
        reason = said or (_MENDS if row.change == "fixed" else self.state.reason or self.state.usual_reason)
        self.state.listing.stay()
        self.prompt("intended for 90 days, since", reason, partial(self._intended, row.qid))

    def _intended(self, qid: str, reason: str) -> None:
        reason = reason.strip()
        if not reason:
            self.say("a change is intended for a reason: say it", "warn")
            return
        if reason != _MENDS:
            self.state.reason = reason
        reviews = self.verdicts
        self.write(lambda: reviews.intended(qid, reason))

    def do_note(self) -> None:
        row, detail = self.state.current, self.state.detail
        if row is None:
            return
        old = detail.note if detail and detail.qid == row.qid else ""
        if row.decided == "intended":
            self.prompt(f"{row.qid} is intended, since", old, partial(self._intended, row.qid))
            return
        cause = row.label if row.decided == "labelled" else row.suggested
        if not cause:
            self.say("A note goes with a verdict; give one first", "plain")
            return
        self.prompt(f"note on {row.qid}", old, lambda text: self.label(cause, text))

    def judge(self, *, relevant: bool) -> None:
        if self.state.view is not None:
            super().judge(relevant=relevant)

    # jobs

    def do_measure(self) -> None:
        if self.jobs.running("review"):
            self.say("already measuring; c cancels", "plain")
        else:
            self.state.view = None
            self._measure(again=True)

    def do_cancel(self) -> None:
        if self.jobs.cancel("review"):
            self.state.failed = "cancelled: nothing was compared; what was embedded is kept"
            self.paint()
        else:
            self.owner.do_cancel()

    def edited(self, result: tuple[Change, Overview]) -> None:
        self.reload()
        triage_under(self).reload()
        self.say(result[0].message, "done", "changed")


def _arrived(owner: RagtriageApp, view: View) -> None:
    """The review is measured, wherever the user is now."""
    for screen in owner.screen_stack:
        if isinstance(screen, ReviewScreen):
            screen.taken(view)
            return
    left = len(view.to_review) - view.reviewed
    owner.front.say(f"the review is measured, {left} to give a verdict on: R shows it", "plain")

"""Review: decide each flip between two revisions."""

from __future__ import annotations

import time
from functools import partial, partialmethod
from typing import TYPE_CHECKING

from ragtriage_tui.external import page_text
from ragtriage_tui.review_state import ReviewState
from ragtriage_tui.review_views import Asked, FlipView, Texts
from ragtriage_tui.review_views import ReviewView as View
from ragtriage_tui.screens.held_key import HeldKey
from ragtriage_tui.screens.judging_chunks import judge_chunk
from ragtriage_tui.screens.outside import edit_question, outside
from ragtriage_tui.screens.review_view import ReviewView
from ragtriage_tui.screens.under import door_of, triage_under
from ragtriage_tui.views import Change, News, Overview, Progress

if TYPE_CHECKING:
    from collections.abc import Callable

    from ragtriage_tui.window import RagtriageApp

__all__ = ["ReviewScreen"]

_WATCH_S = 10.0
_LOOK_S = 0.05
_MENDS = "the change mends it"


class ReviewScreen(ReviewView):
    """Flips and verdicts at the left; the flip, both rankings and both answers at the right.

    `kept` is the state that an earlier visit left; `base` and `head` name the revisions, None those that are usual.
    """

    WHERE = "Review"

    def __init__(self, kept: ReviewState | None = None, base: str | None = None, head: str | None = None) -> None:
        super().__init__(kept or ReviewState(Asked(base, head)))
        self._held = HeldKey(self, self._ask_for)
        self._fetched = ""

    # data

    def on_mount(self) -> None:
        super().on_mount()
        self.owner.review_at = self.state
        self.state.view = None  # until it is known what stands now
        self.call_after_refresh(self._start)
        self.set_interval(_WATCH_S, self._watch)

    def on_screen_resume(self) -> None:
        super().on_screen_resume()
        if self.state.view is not None:  # a label was fixed, a passage judged, a verdict given in Triage
            self._reload()

    def _start(self) -> None:
        if not self.jobs.running("review"):
            self._measure()

    def _measure(self, *, again: bool = False) -> None:
        self.state.failed = ""
        door, asked, jobs, triage = door_of(self).reviews, self.state.asked, self.jobs, triage_under(self).state

        def work(progress: Progress) -> View:
            _wait(lambda: triage.overview is not None, "reading", progress)
            door.check(asked)
            # what measures already brings what is needed here too
            _wait(lambda: not jobs.running("measure"), "waiting for the run of today", progress)
            found = None if again else door.kept(asked)
            return found if found is not None else door.review(asked, progress)

        self.jobs.start("review", work, partial(_arrived, self.owner))
        self.paint()

    def taken(self, view: View) -> None:
        """The review is there."""
        self.state.take(view)
        self._fetched = ""
        self._fetch()
        if view.warning:
            self.say(view.warning, "warn")
        elif view.read_only:
            self.say(view.read_only, "plain")
        elif self.state.done:
            self.say(self.state.done_words, "done", "done")
        self.paint()

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

    def _watch(self) -> None:
        if self.state.view is not None and not self.jobs.running("watch") and self.is_current:
            door, reviews = self.owner.door, door_of(self).reviews

            def look(progress: Progress) -> tuple[News, View | None]:
                news = door.changed()
                return news, reviews.overview() if news.text else None

            self.jobs.start("watch", look, self._looked)

    def _looked(self, found: tuple[News, View | None]) -> None:
        news, view = found
        if view is not None:
            self._renew(view)
            self.say(news.text, "warn" if news.wrong else "plain")

    def _reload(self) -> None:
        self.jobs.queue("write", door_of(self).reviews.overview, self._renew)

    def _renew(self, view: View) -> None:
        self.state.take(view)
        self._fetched = ""
        self._fetch()
        self.paint()

    def _fetch(self) -> None:
        row = self.state.current
        if row is None:
            self.state.take_detail(None)
        elif row.qid != self._fetched:
            self._held.pressed()

    def _ask_for(self) -> None:
        row = self.state.current
        if row is not None:
            self._fetched = row.qid
            door = door_of(self).reviews  # here: a thread that starts when this screen is gone finds no app
            self.jobs.start("flip", lambda progress: door.flip(row.qid), self._told)

    def _told(self, detail: FlipView | None) -> None:
        row = self.state.current
        if row is not None and (detail is None or detail.qid == row.qid):
            self.state.take_detail(detail)
            self._fetch_texts()
            self.paint()

    def _fetch_texts(self) -> None:
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

    def _write(self, work: Callable[[], Change]) -> None:
        reviews = door_of(self).reviews
        self.jobs.queue("write", lambda: (work(), reviews.overview()), self._changed)

    def _changed(self, result: tuple[Change, View]) -> None:
        change, view = result
        if self.state.view is None:  # it is measured again meanwhile
            self.say(change.message, "done" if change.qid else "plain")
            return
        self.state.take(view)
        if change.qid and change.qid != (self.state.current.qid if self.state.current else ""):
            self.state.flips.go_to(change.qid)
        self._fetched = ""
        self._fetch()
        if not change.qid:
            self.say(change.message, "plain")
        elif self.state.done:
            self.say(self.state.done_words, "done", "done")
        else:
            self.say(change.message, "done", "changed")

    def _label(self, key: int, note: str | None = None) -> None:
        row = self.state.current
        if row is not None:
            self.state.flips.stay()
            reviews = door_of(self).reviews
            self._write(lambda: reviews.label(row.qid, key, note))

    do_label_0 = partialmethod(_label, 0)
    do_label_1 = partialmethod(_label, 1)
    do_label_2 = partialmethod(_label, 2)
    do_label_3 = partialmethod(_label, 3)
    do_label_4 = partialmethod(_label, 4)
    do_label_5 = partialmethod(_label, 5)
    do_label_6 = partialmethod(_label, 6)
    do_label_7 = partialmethod(_label, 7)

    def do_intended(self) -> None:
        row, detail = self.state.current, self.state.detail
        if row is None:
            return
        if row.moved:
            self.say("it only moved: that needs nobody's word", "plain")
            return
        said = detail.note if detail and detail.qid == row.qid and row.decided in ("intended", "expired") else ""
        reason = said or (_MENDS if row.change == "fixed" else self.state.reason or self.state.usual_reason)
        self.state.flips.stay()
        self.prompt("intended for 90 days, since", reason, partial(self._intended, row.qid))

    def _intended(self, qid: str, reason: str) -> None:
        reason = reason.strip()
        if not reason:
            self.say("a change is intended for a reason: say it", "warn")
            return
        if reason != _MENDS:
            self.state.reason = reason
        reviews = door_of(self).reviews
        self._write(lambda: reviews.intended(qid, reason))

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
        self.prompt(f"note on {row.qid}", old, lambda text: self._label(cause, text))

    def do_undo(self) -> None:
        self._write(door_of(self).reviews.undo)

    def do_redo(self) -> None:
        self._write(door_of(self).reviews.redo)

    def do_fix(self) -> None:
        if self.state.current is not None:
            self.state.flips.stay()
            self.owner.go("Add", qid=self.state.current.qid)

    # passages

    def do_relevant(self) -> None:
        self._judge(relevant=True)

    def do_not_relevant(self) -> None:
        self._judge(relevant=False)

    def _judge(self, *, relevant: bool) -> None:
        detail, chunk, view = self.state.detail, self.state.chunk, self.state.view
        if detail is None or chunk is None or view is None:
            return
        if self.state.active != "chunks":
            self.say("C goes to the chunks, where r and x judge the one under the cursor", "plain")
        elif self.state.side == "base" or not view.head.working:
            self.say("only chunks of the working tree are judged: C goes to the other side", "plain")
        else:
            judge_chunk(self, detail.qid, chunk.chunk_id, relevant=relevant, shown=self._judged)

    def _judged(self, qid: str) -> None:
        self._fetched = ""
        self._fetch()

    # jobs and other programs

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

    def do_copy(self) -> None:
        if text := self.state.text_under_cursor():
            self.owner.copy_text(text)

    def do_page(self) -> None:
        if text := self.state.as_text():
            outside(self, lambda: page_text(self.app, text))

    def do_edit(self) -> None:
        if self.state.current is not None:
            edit_question(self, self.state.current.qid, self._edited)

    def _edited(self, result: tuple[Change, Overview]) -> None:
        self._reload()
        triage_under(self).reload()
        self.say(result[0].message, "done", "changed")


def _wait(until: Callable[[], bool], what: str, progress: Progress) -> None:
    """Until something holds twice in a row: between two jobs neither runs; in a worker."""
    calm = 0
    while calm < 2:
        calm = calm + 1 if until() else 0
        if not calm:
            progress(what, 0, 0)
        time.sleep(_LOOK_S if calm < 2 else 0)


def _arrived(owner: RagtriageApp, view: View) -> None:
    """The review is measured, wherever the user is now."""
    for screen in owner.screen_stack:
        if isinstance(screen, ReviewScreen):
            screen.taken(view)
            return
    left = len(view.to_review) - view.reviewed
    owner.front.say(f"the review is measured, {left} to give a verdict on: R shows it", "plain")

"""Triage: see a failure, know why, label it."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from ragtriage_tui.answer_views import Consent
from ragtriage_tui.screens.asking import ask_consent, ask_model
from ragtriage_tui.screens.draft_keeper import draft_waits
from ragtriage_tui.screens.ranked_screen import WATCH_S, Verdicts
from ragtriage_tui.screens.triage_view import TriageView
from ragtriage_tui.state import Restored
from ragtriage_tui.views import Change, Opened, Overview, Progress, QuestionView
from ragtriage_tui.workers import NeedsWord

__all__ = ["TriageScreen"]


class TriageScreen(TriageView):
    """Questions and causes at the left; question, ranked chunks and answers at the right."""

    WHERE = "Triage"
    JOB = "question"

    def __init__(self, session: Restored | None = None) -> None:
        super().__init__()
        if session:
            self.state.restore(session)

    def restored(self) -> Restored:
        return self.state.restored()

    # data

    def on_mount(self) -> None:
        super().on_mount()
        self.call_after_refresh(self._start)  # the engine is imported after the first frame, not beside it
        self.set_interval(WATCH_S, self.look_again)

    def _start(self) -> None:
        self.jobs.start("open", self.owner.door.open, self._opened)

    def _opened(self, opened: Opened) -> None:
        self.renew(opened.overview)
        if problems := self.owner.settings.problems:
            self.say(problems[0], "warn")
        elif opened.overview.warning:
            self.say(opened.overview.warning, "warn")
        elif opened.overview.read_only:
            self.say(opened.overview.read_only, "plain")
        elif waits := draft_waits(self.owner.root):
            self.say(waits, "plain")
        if opened.measure:
            if opened.missing:
                self.jobs.start("measure", partial(self.owner.door.measure, bm25_only=True), partial(self._embed, opened))
            else:
                self._measure()

    def _embed(self, opened: Opened, overview: Overview) -> None:
        self.renew(overview)
        self._measure()
        self.say(f"BM25 alone so far; embedding {opened.missing:,} texts", "plain", "busy")

    def _measure(self, agreed: frozenset[str] = frozenset()) -> None:
        door = self.owner.door

        def work(progress: Progress) -> Overview | Consent:
            try:
                return door.measure(progress, agreed=agreed)
            except NeedsWord as needed:
                return needed.consent

        self.jobs.start("measure", work, partial(self._came, agreed))

    def _came(self, agreed: frozenset[str], result: Overview | Consent) -> None:
        if isinstance(result, Consent):
            ask_consent(self, result, agreed, self._measure)
        else:
            self._measured(result)

    def _measured(self, overview: Overview) -> None:
        self.renew(overview)
        self.say(f"measured {len(overview.questions)} questions")

    @property
    def verdicts(self) -> Verdicts:
        return self.owner.door

    @property
    def reader(self) -> Callable[[], Overview]:
        return self.owner.door.overview

    @property
    def watching(self) -> bool:
        return self.state.overview is not None

    @property
    def finder(self) -> Callable[[str], QuestionView | None]:
        return self.owner.door.question

    def take(self, view: Overview) -> None:
        self.state.take_overview(view)

    def job_failed(self, group: str, text: str) -> None:
        if group == "open":
            self.owner.leave(2, text)
            return
        super().job_failed(group, text)

    # labels

    def changed(self, result: tuple[Change, Overview]) -> None:
        super().changed(result)
        self.owner.save_session()

    def judged(self, qid: str) -> None:
        self.reload()  # there may be nothing left to judge of it, or less than of another one

    def edited(self, result: tuple[Change, Overview]) -> None:
        self.changed(result)

    def do_note(self) -> None:
        row, detail = self.state.current, self.state.detail
        if row is None:
            return
        cause = row.label or row.suggested
        if not cause:
            self.say("A note goes with a label; give one first", "plain")
            return
        old = detail.note if detail and detail.qid == row.qid else ""
        self.prompt(f"note on {row.qid}", old, lambda text: self.label(cause, text))

    # jobs

    def do_measure(self) -> None:
        if self.jobs.running("measure"):
            self.say("already measuring; c cancels", "plain")
        else:
            self._measure()

    def do_bm25_only(self) -> None:
        if self.jobs.running("measure"):
            self.jobs.start("measure", partial(self.owner.door.measure, bm25_only=True), self._measured)

    def do_ask(self) -> None:
        row = self.state.current
        if row is None:
            return
        if self.jobs.running("ask"):
            self.say("already asking; c cancels", "plain")
        else:
            ask_model(self, row.qid, self.renew)

"""Triage: see a failure, know why, label it."""

from __future__ import annotations

from functools import partial, partialmethod

from ragtriage_tui.external import page_text
from ragtriage_tui.screens.asking import ask_model
from ragtriage_tui.screens.draft_keeper import draft_waits
from ragtriage_tui.screens.held_key import HeldKey
from ragtriage_tui.screens.judging_chunks import judge_chunk
from ragtriage_tui.screens.outside import edit_question, outside
from ragtriage_tui.screens.triage_view import TriageView
from ragtriage_tui.state import Restored
from ragtriage_tui.views import Change, News, Opened, Overview, QuestionView

__all__ = ["TriageScreen"]

_WATCH_S = 10.0


class TriageScreen(TriageView):
    """Questions and causes at the left; question, ranked chunks and answers at the right."""

    WHERE = "Triage"

    def __init__(self, session: Restored | None = None) -> None:
        super().__init__()
        if session:
            self.state.restore(session)
        self._held = HeldKey(self, self._ask_for)
        self._fetched = ""

    def restored(self) -> Restored:
        return self.state.restored()

    # data

    def on_mount(self) -> None:
        super().on_mount()
        self.call_after_refresh(self._start)  # the engine is imported after the first frame, not beside it
        self.set_interval(_WATCH_S, self._watch)

    def _start(self) -> None:
        self.jobs.start("open", self.owner.door.open, self._opened)

    def _opened(self, opened: Opened) -> None:
        self._take(opened.overview)
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
        self._take(overview)
        self._measure()
        self.say(f"BM25 alone so far; embedding {opened.missing:,} texts", "plain", "busy")

    def _measure(self) -> None:
        self.jobs.start("measure", self.owner.door.measure, self._measured)

    def _measured(self, overview: Overview) -> None:
        self._take(overview)
        self.say(f"measured {len(overview.questions)} questions")

    def _take(self, overview: Overview) -> None:
        self.state.take_overview(overview)
        self._fetched = ""
        self._fetch()
        self.paint()

    def _watch(self) -> None:
        if self.state.overview is not None and not self.jobs.running("watch"):
            self.jobs.start("watch", lambda progress: self._look(), self._looked)

    def _look(self) -> tuple[News, Overview | None]:
        news = self.owner.door.changed()
        return news, self.owner.door.overview() if news.text else None

    def _looked(self, found: tuple[News, Overview | None]) -> None:
        news, overview = found
        if overview is not None:
            self._take(overview)
            self.say(news.text, "warn" if news.wrong else "plain")

    def reload(self, qid: str = "") -> None:
        """Read the list again after another screen wrote; `qid` puts the cursor there."""
        if qid:
            self.state.listing.wanted = qid
        self.jobs.queue("write", self.owner.door.overview, self._take)

    def job_failed(self, group: str, text: str) -> None:
        if group == "open":
            self.owner.leave(2, text)
            return
        super().job_failed(group, text)

    def _fetch(self) -> None:
        row = self.state.current
        if row is None:
            self.state.take_detail(None)
            return
        if row.qid == self._fetched:
            return
        self._held.pressed()

    def _ask_for(self) -> None:
        row = self.state.current
        if row is not None:
            self._fetched = row.qid
            door = self.owner.door  # here: a thread that starts when this screen is gone finds no app
            self.jobs.start("question", lambda progress: door.question(row.qid), self._told)

    def _told(self, detail: QuestionView | None) -> None:
        row = self.state.current
        if row is not None and (detail is None or detail.qid == row.qid):
            self.state.take_detail(detail)
            self.paint()

    # labels

    def _label(self, key: int, note: str | None = None) -> None:
        row = self.state.current
        if row is None:
            return
        door = self.owner.door
        self.jobs.queue("write", lambda: (door.label(row.qid, key, note), door.overview()), self._changed)

    def _changed(self, result: tuple[Change, Overview]) -> None:
        change, overview = result
        self.state.take_overview(overview)
        if change.qid and change.qid != (self.state.current.qid if self.state.current else ""):
            self.state.listing.go_to(change.qid)
        self._fetched = ""
        self._fetch()
        kind = "plain" if not change.qid else "warn" if change.warn else "done"
        self.say(change.message, kind, "changed" if change.qid else "")
        self.owner.save_session()

    do_label_0 = partialmethod(_label, 0)
    do_label_1 = partialmethod(_label, 1)
    do_label_2 = partialmethod(_label, 2)
    do_label_3 = partialmethod(_label, 3)
    do_label_4 = partialmethod(_label, 4)
    do_label_5 = partialmethod(_label, 5)
    do_label_6 = partialmethod(_label, 6)
    do_label_7 = partialmethod(_label, 7)

    def do_relevant(self) -> None:
        self._judge(relevant=True)

    def do_not_relevant(self) -> None:
        self._judge(relevant=False)

    def _judge(self, *, relevant: bool) -> None:
        """Judge the ranked chunk under the cursor."""
        detail, chunk = self.state.detail, self.state.chunk
        if detail is None or chunk is None or self.state.current is None or detail.qid != self.state.current.qid:
            return
        if self.state.active != "chunks":
            self.say("C goes to the chunks, where r and x judge the one under the cursor", "plain")
            return
        judge_chunk(self, detail.qid, chunk.chunk_id, relevant=relevant, shown=self._judged)

    def _judged(self, qid: str) -> None:
        """What was said is on disk: show it."""
        self._fetched = ""
        self._fetch()

    def do_note(self) -> None:
        row, detail = self.state.current, self.state.detail
        if row is None:
            return
        cause = row.label or row.suggested
        if not cause:
            self.say("A note goes with a label; give one first", "plain")
            return
        old = detail.note if detail and detail.qid == row.qid else ""
        self.prompt(f"note on {row.qid}", old, lambda text: self._label(cause, text))

    def do_undo(self) -> None:
        door = self.owner.door
        self.jobs.queue("write", lambda: (door.undo(), door.overview()), self._changed)

    def do_redo(self) -> None:
        door = self.owner.door
        self.jobs.queue("write", lambda: (door.redo(), door.overview()), self._changed)

    # jobs and other programs

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
            ask_model(self, row.qid, self._take)

    def do_fix(self) -> None:
        if self.state.current is not None:
            self.owner.go("Add", qid=self.state.current.qid)

    def do_copy(self) -> None:
        if text := self.state.text_under_cursor():
            self.owner.copy_text(text)

    def do_page(self) -> None:
        if text := self.state.as_text():
            outside(self, lambda: page_text(self.app, text))

    def do_edit(self) -> None:
        if self.state.current is not None:
            edit_question(self, self.state.current.qid, self._changed)

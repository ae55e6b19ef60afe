"""Triage: see a failure, know why, label it."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial, partialmethod

from ragtriage_tui.actions import Action
from ragtriage_tui.answer_views import Asked, Consent
from ragtriage_tui.drawing.triage import chunk_height, draw
from ragtriage_tui.editor import Editor
from ragtriage_tui.external import edit_text, page_text
from ragtriage_tui.geometry import Geometry, geometry, too_small
from ragtriage_tui.rows import BLANK, Drawing
from ragtriage_tui.screens.base import FrameScreen
from ragtriage_tui.screens.draft_keeper import draft_waits
from ragtriage_tui.screens.held_key import HeldKey
from ragtriage_tui.screens.judging_chunks import judge_chunk
from ragtriage_tui.state import Restored, TriageState
from ragtriage_tui.views import Change, News, Opened, Overview, Progress, QuestionView
from ragtriage_tui.workers import DoorError

__all__ = ["TriageScreen"]

_WATCH_S = 10.0
# What says nothing of the row under the cursor: after these it may still become another one, the first failure.
_ELSEWHERE = ("measure", "bm25-only", "cancel", "redraw", "help", "palette", "back", "suspend", "leave", "undo", "redo", "add")
_NAMES = {"list": "Questions", "question": "Question", "chunks": "Ranked chunks", "answers": "Answers"}


class TriageScreen(FrameScreen):
    """Questions and causes at the left; question, ranked chunks and answers at the right."""

    WHERE = "Triage"

    def __init__(self, session: Restored | None = None) -> None:
        super().__init__()
        self.state = TriageState()
        if session:
            self.state.restore(session)
        self._filter: Editor | None = None
        self._held = HeldKey(self, self._ask_for)
        self._fetched = ""

    def draw(self, width: int, height: int) -> Drawing:
        self.state.busy = self.owner.busy
        field = BLANK
        if self._filter is not None:
            cells = (width if self._geo.single or self.state.zoomed else self._geo.left) - 3
            field = self._filter.draw(cells, caret=self.field is self._filter)[0]
        return draw(self.state, width, height, field=field)

    def footer_state(self) -> str:
        if self._filter is not None:
            return "typing"
        if self.state.zoomed:
            return "zoomed"
        if self.state.active == "chunks" and self.state.chunks:
            return "chunks"
        return "busy" if self.owner.busy and self.state.overview is None else ""

    def pane_name(self) -> str:
        return _NAMES[self.state.active]

    @property
    def _geo(self) -> Geometry:
        return geometry(*self.extent)

    @property
    def _rows(self) -> int:
        return chunk_height(self.state, *self.extent)

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
        """Bring the right half to the question under the cursor; at once, or when the key is let go."""
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
            self.jobs.start("question", lambda progress: self.owner.door.question(row.qid), self._told)

    def _told(self, detail: QuestionView | None) -> None:
        row = self.state.current
        if row is not None and (detail is None or detail.qid == row.qid):
            self.state.take_detail(detail)
            self.paint()

    async def act(self, action: Action, key: str = "") -> None:
        if action.id not in _ELSEWHERE:
            self.state.listing.stay()
        await super().act(action, key)

    # moving

    def _step(self, moved: bool) -> None:
        if moved:
            self._fetch()

    def do_move_down(self) -> None:
        self._step(self.state.move(1, self._rows))

    def do_move_up(self) -> None:
        self._step(self.state.move(-1, self._rows))

    def do_page_down(self) -> None:
        self._step(self.state.move(self._page(), self._rows))

    def do_page_up(self) -> None:
        self._step(self.state.move(-self._page(), self._rows))

    def _page(self) -> int:
        return max(self.extent[1] // 2, 1)

    def do_first(self) -> None:
        self._step(self.state.go_end(last=False, height=self._rows))

    def do_last(self) -> None:
        self._step(self.state.go_end(last=True, height=self._rows))

    def do_next(self) -> None:
        self._failure(1)

    def do_previous(self) -> None:
        self._failure(-1)

    def _failure(self, step: int) -> None:
        said = self.state.listing.step_failure(step)
        self._fetch()
        if said:
            self.say(said, "plain")

    def do_next_pane(self) -> None:
        self.state.next_pane(self._geo, 1)

    def do_previous_pane(self) -> None:
        self.state.next_pane(self._geo, -1)

    def do_list(self) -> None:
        self.state.go_pane("list", self._geo)

    def do_chunks(self) -> None:
        self.state.go_pane("chunks", self._geo)

    def do_answers(self) -> None:
        self.state.go_pane("answers", self._geo)

    def do_zoom(self) -> None:
        self.state.zoomed = not self.state.zoomed

    def do_unfold(self) -> None:
        self.state.unfolded = not self.state.unfolded

    def do_fold(self) -> None:
        self.state.unfolded = False

    def do_view(self) -> None:
        self.state.toggle_view(self._geo)

    def do_next_part(self) -> None:
        self._cite(1)

    def do_previous_part(self) -> None:
        self._cite(-1)

    def _cite(self, step: int) -> None:
        if said := self.state.cite(step):
            answer = self.state.answer if self.state.active == "answers" else None
            opens = answer is not None and answer.passage(self.state.citation) is not None
            self.say(said, "plain", "cited" if opens else "")

    def picked(self, x: int, y: int, *, twice: bool) -> None:
        if self._geo.single or x <= self._geo.left:
            index = self.state.listing.window.top + y - 2 - (1 if self.state.overview and self.state.overview.notice else 0)
            self.state.active = "list"
            if 0 <= index < len(self.state.listing.visible):
                self._step(self.state.listing.go(index))
        self.paint()

    # filter

    def do_filter(self) -> None:
        self.state.active = "list"
        self._filter = self.field = Editor(self.state.listing.text)

    def field_changed(self) -> None:
        if self._filter is not None and self.state.overview is not None:
            self.state.listing.text = self._filter.text.strip()
            self.state.listing.update(self.state.overview)
            self._fetch()

    def do_close(self) -> None:
        if self._filter is not None or (not self.state.close_innermost() and self.state.listing.text):
            self._filter = self.field = None
            self.filter_by("")

    def do_back(self) -> None:
        if too_small(*self.extent) or not self.state.close_innermost():
            self.owner.do_back()

    def filter_by(self, text: str) -> None:
        """Show the questions that a filter lets through."""
        self.state.listing.text = text
        if self.state.overview is not None:
            self.state.listing.update(self.state.overview)
        self._fetch()
        self.paint()

    def do_open(self) -> None:
        if self._filter is not None:
            self._filter = self.field = None
            return
        place = self.state.place_to_open()
        if place is None:
            self.say(self.state.why_not_open(), "plain")
            return
        self.owner.go("Document", doc_id=place.doc_id, chunk_id=place.chunk_id, at=place.at, qid=place.qid)

    def offers(self) -> list[tuple[str, str, str]]:
        advice = self.state.overview.advice if self.state.overview else ()
        return [(f"set:{index}", "", f"Show: {item.text}") for index, item in enumerate(advice, start=1) if item.qids]

    def take_offer(self, offer_id: str) -> None:
        self.filter_by(offer_id)

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
        self.say(change.message, "done" if change.qid else "plain", "changed" if change.qid else "")
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
            self._ask_model(row.qid)

    def _ask_model(self, qid: str, agreed: frozenset[str] = frozenset()) -> None:
        door = self.owner.door

        def work(progress: Progress) -> tuple[Asked | Consent, Overview | None]:
            result = door.ask(qid, progress, agreed)
            return result, door.overview() if isinstance(result, Asked) else None

        self.jobs.start("ask", work, partial(self._answered, qid, agreed))

    def _answered(self, qid: str, agreed: frozenset[str], result: tuple[Asked | Consent, Overview | None]) -> None:
        came, overview = result
        if isinstance(came, Consent):
            if came.obstacle:
                self.say(came.obstacle, "warn")
            else:
                self.owner.front.ask(came.question, lambda: self._ask_model(qid, agreed | {came.token}), came.lines)
            return
        if overview is not None:
            self._take(overview)
        self.owner.front.say(came.message, "warn" if came.wrong else "done")

    def do_fix(self) -> None:
        if self.state.current is not None:
            self.owner.go("Add", qid=self.state.current.qid)

    def do_copy(self) -> None:
        if text := self.state.text_under_cursor():
            self.owner.copy_text(text)

    def do_page(self) -> None:
        if text := self.state.as_text():
            self._outside(lambda: page_text(self.app, text))

    def do_edit(self) -> None:
        row = self.state.current
        if row is None:
            return

        def edit() -> None:
            text = self.owner.door.raw(row.qid)
            edited = edit_text(self.app, text, ".json")
            if edited is None:
                self.say("nothing was changed", "plain")
                return
            door = self.owner.door
            self.jobs.queue("write", lambda: (door.replace(row.qid, edited), door.overview()), self._changed)

        self._outside(edit)

    def _outside(self, run: Callable[[], None]) -> None:
        try:
            run()
        except DoorError as error:
            self.say(str(error), "warn")

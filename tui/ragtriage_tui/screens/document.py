"""Document: read the source around a chunk, make a quote of it."""

from __future__ import annotations

from dataclasses import replace

from ragtriage_tui.add_state import DraftFor, Target
from ragtriage_tui.add_views import Marked
from ragtriage_tui.document_state import DocumentState
from ragtriage_tui.document_views import AskedView, DocumentView, ItemView, Passage
from ragtriage_tui.drawing.document import document_size, draw_document
from ragtriage_tui.rows import Drawing
from ragtriage_tui.screens.base import FrameScreen
from ragtriage_tui.screens.judging_chunks import judge_chunk
from ragtriage_tui.screens.outside import edit_source, page_source
from ragtriage_tui.screens.under import door_of, triage_under
from ragtriage_tui.screens.wrapping import wrap_beside
from ragtriage_tui.text import Extent
from ragtriage_tui.views import Change, Overview, QuestionView

__all__ = ["DocumentScreen"]


class DocumentScreen(FrameScreen):
    """Opened at a chunk or an offset, for a saved question (`qid`), for a draft, or for none."""

    WHERE = "Document"

    def __init__(
        self, doc_id: str, chunk_id: str = "", at: int | None = None, qid: str = "", draft: DraftFor | None = None
    ) -> None:
        super().__init__()
        self.state = DocumentState()
        self.target = Target(qid, draft)
        self._doc_id = doc_id
        self._place: tuple[str, int | None] = (chunk_id, at)

    def draw(self, width: int, height: int) -> Drawing:
        wrap_beside(self, self.state, self._cells)
        return draw_document(self.state, width, height)

    def footer_state(self) -> str:
        return "quote" if self.state.quote is not None else ""

    @property
    def _cells(self) -> int:
        return document_size(self.state, *self.extent)[0]

    # data

    def on_mount(self) -> None:
        super().on_mount()
        self._load()

    def _load(self) -> None:
        door, doc_id = door_of(self).documents, self._doc_id
        qid = "" if self.target.draft else self.target.qid
        self.jobs.start("document", lambda progress: door.document(doc_id, qid), self._loaded)

    def _loaded(self, view: DocumentView) -> None:
        if draft := self.target.draft:
            view = replace(view, asked=_of_draft(draft), evidence=_evidence(view.doc_id, draft.marks()))
        chunk_id, at = self._place
        self._place = ("", None)
        self.state.take(view, chunk_id=chunk_id, at=at)
        if view.uncut:
            self.say(f"without chunks: {view.uncut}", "warn")
        self.paint()

    def on_screen_resume(self) -> None:
        super().on_screen_resume()
        if self.state.view is not None:  # Find, on top of this, may have marked something
            self._load()

    # moving

    def do_move_down(self) -> None:
        self.state.move(1, self._cells)

    def do_move_up(self) -> None:
        self.state.move(-1, self._cells)

    def do_page_down(self) -> None:
        self.state.move(self._page(), self._cells)

    def do_page_up(self) -> None:
        self.state.move(-self._page(), self._cells)

    def _page(self) -> int:
        rows = document_size(self.state, *self.extent)[1]
        return 1 if self.state.quote else max(rows - 2, 1)

    def do_first(self) -> None:
        self.state.move(-(10**9), self._cells)

    def do_last(self) -> None:
        self.state.move(10**9, self._cells)

    def do_next_part(self) -> None:
        self.state.step_part(1)

    def do_previous_part(self) -> None:
        self.state.step_part(-1)

    def do_next_pane(self) -> None:
        self.state.active = "side" if self.state.active == "doc" else "doc"

    def do_previous_pane(self) -> None:
        self.do_next_pane()

    def do_zoom(self) -> None:
        self.state.zoomed = not self.state.zoomed

    def do_open(self) -> None:
        """Nothing lies deeper than the document."""

    def do_close(self) -> None:
        if self.state.quote is not None:
            self.state.quote = None
        elif self.state.zoomed:
            self.state.zoomed = False
        else:
            self.owner.do_back()

    def do_next(self) -> None:
        self._failure(1)

    def do_previous(self) -> None:
        self._failure(-1)

    def _failure(self, step: int) -> None:
        if self.target.draft:
            self.say("The draft comes first: s saves a quote for it, q goes back", "plain")
            return
        triage = triage_under(self)
        (triage.do_next if step > 0 else triage.do_previous)()
        said, row = triage.said, triage.state.current
        triage.hush()
        if row is None or row.state != "fails":
            self.say("Nothing fails here", "plain")
            return
        door = door_of(self)

        def read(_: object) -> tuple[QuestionView | None, DocumentView | None]:
            detail = door.question(row.qid)
            needs = detail.needs if detail else ()
            need = next((one for one in needs if not one.inside and one.doc_id and one.span), None)
            need = need or next((one for one in needs if one.doc_id and one.span), None)
            if need is None:
                return detail, None
            self._place = ("", need.span.start if need.span else None)
            return detail, door.documents.document(need.doc_id, row.qid)

        def done(found: tuple[QuestionView | None, DocumentView | None]) -> None:
            view = found[1]
            if view is None:
                self.say(f"{row.qid}: its evidence is in no document; n goes on", "plain")
                return
            self.target = Target(row.qid)
            self._doc_id = view.doc_id
            self.state = DocumentState(zoomed=self.state.zoomed)
            self._loaded(view)
            if said:
                self.say(said.text, "plain")

        self.jobs.start("document", read, done)

    # quote

    def do_mark(self) -> None:
        if self.state.quote is not None:
            self.state.quote = None
        elif not self.state.start_quote(self._cells):
            self.say("There is no sentence in this line, and no heading of one", "plain")

    def do_save(self) -> None:
        quote, view = self.state.quote, self.state.view
        if quote is None or view is None:
            self.say("Nothing is quoted yet: space starts a quote at this line", "plain")
        elif draft := self.target.draft:
            self._give(draft, Marked(view.doc_id, quote.span, self.state.quoted))
        elif not self.target.qid:
            self.state.quote = None
            self.owner.go("Add", marks=(Marked(view.doc_id, quote.span, view.text[slice(*quote.span)]),))
        elif view.read_only:
            self.say(view.read_only, "warn")
        else:
            self._write(self.target.qid, view.doc_id, quote.span)

    def _write(self, qid: str, doc_id: str, span: Extent) -> None:
        door = door_of(self).documents
        self.jobs.queue("write", lambda: door.add_evidence(qid, Passage(doc_id, span)), self._changed)

    def _give(self, draft: DraftFor, mark: Marked) -> None:
        if why := draft.take(mark):
            self.say(why, "plain")
            return
        while self.owner.front.WHERE in ("Document", "Find") and len(self.owner.screen_stack) > 1:
            self.owner.pop_screen()

    def _changed(self, change: Change) -> None:
        self.state.quote = None
        self._load()
        triage_under(self).reload(change.qid)
        self.say(change.message, "done" if change.qid else "plain", "changed" if change.qid else "")

    def do_relevant(self) -> None:
        self._judge(relevant=True)

    def do_not_relevant(self) -> None:
        self._judge(relevant=False)

    def _judge(self, *, relevant: bool) -> None:
        """Judge the chunk under the cursor for the question that the document is read for."""
        view, part = self.state.view, self.state.part
        if view is None or not 0 <= part < len(view.parts):
            return
        if self.target.draft or not self.target.qid:
            self.say("Passages are judged for a question of the set: it is not saved yet", "plain")
            return
        judge_chunk(self, self.target.qid, view.parts[part].chunk_id, relevant=relevant, shown=self._judged)

    def _judged(self, qid: str) -> None:
        self._load()
        triage_under(self).reload(qid)

    def do_undo(self) -> None:
        self.jobs.queue("write", door_of(self).undo, self._changed)

    def do_redo(self) -> None:
        self.jobs.queue("write", door_of(self).redo, self._changed)

    # jobs and other programs

    def do_measure(self) -> None:
        self.jobs.start("measure", door_of(self).measure, self._measured)

    def _measured(self, overview: Overview) -> None:
        triage_under(self).reload()
        self._load()
        self.say(f"measured {len(overview.questions)} questions")

    def do_copy(self) -> None:
        if text := self.state.text_under_cursor():
            self.owner.copy_text(text)

    def do_page(self) -> None:
        page_source(self, self.state)

    def do_edit(self) -> None:
        edit_source(self, self.state)


def _of_draft(draft: DraftFor) -> AskedView:
    items = tuple(ItemView(mark.quote, mark.doc_id, "whole", where=mark.doc_id) for mark in draft.marks())
    return AskedView(draft.name, draft.text, items=items)


def _evidence(doc_id: str, marks: tuple[Marked, ...]) -> tuple[Extent, ...]:
    return tuple(sorted(mark.span for mark in marks if mark.doc_id == doc_id and mark.span is not None))

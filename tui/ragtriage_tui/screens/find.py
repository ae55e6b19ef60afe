"""Find: evidence that retrieval missed, in the whole text of every document."""

from __future__ import annotations

from textual.timer import Timer

from ragtriage_tui.add_state import Target
from ragtriage_tui.add_views import Marked
from ragtriage_tui.document_state import Quote
from ragtriage_tui.document_views import DocumentView
from ragtriage_tui.drawing.find import draw_find, find_sizes
from ragtriage_tui.find_state import FindRow, FindState, library_rows
from ragtriage_tui.find_views import Found, Library, Sentence
from ragtriage_tui.rows import Drawing
from ragtriage_tui.screens.base import FrameScreen
from ragtriage_tui.screens.outside import edit_source, page_source
from ragtriage_tui.screens.under import door_of, target_under, triage_under
from ragtriage_tui.text import clip, one_line
from ragtriage_tui.views import Change, Progress

__all__ = ["FindScreen"]

_PAUSE_S = 0.12  # of the typing, before it is searched for


class FindScreen(FrameScreen):
    """Marks evidence for the draft or the question one came from."""

    WHERE = "Find"

    def __init__(self) -> None:
        super().__init__()
        self.state = FindState()
        self.target = Target()
        self.field = self.state.editor
        self._waiting: Timer | None = None
        self._documents: dict[str, DocumentView] = {}

    def draw(self, width: int, height: int) -> Drawing:
        self.state.typing = self.field is self.state.editor
        return draw_find(self.state, width, height)

    def footer_state(self) -> str:
        return "typing" if self.field is self.state.editor else ""

    # data

    def on_mount(self) -> None:
        self.target = target_under(self)
        super().on_mount()
        finder = door_of(self).finder

        def read(progress: Progress) -> tuple[Library, list[FindRow]]:
            library = finder.library(progress)
            return library, library_rows(library)

        self.jobs.start("library", read, self._listed)

    def _listed(self, listed: tuple[Library, list[FindRow]]) -> None:
        self.state.take_library(*listed)
        self._preview()
        self.paint()

    def field_changed(self) -> None:
        """Words are searched for when the typing pauses; a regular expression, which may be slow, on Enter."""
        if self._waiting is not None:
            self._waiting.stop()
            self._waiting = None
        if not self.state.words_changed():
            self._preview()
        elif not self.state.pattern.regex:
            self._waiting = self.set_timer(_PAUSE_S, self._search)

    def _search(self) -> None:
        pattern, finder = self.state.pattern, door_of(self).finder
        if pattern.text:
            self.jobs.start("find", lambda progress: finder.find(pattern.text, regex=pattern.regex), self._found)

    def _found(self, found: Found) -> None:
        self.state.take_found(found)
        self._preview()
        self.paint()

    def _preview(self) -> None:
        """Bring the document beside the list to the row under the cursor."""
        row = self.state.current
        if row is None:
            return
        if (known := self._documents.get(row.doc_id)) is not None:
            self._show_document(known)
            return
        door = door_of(self).documents
        qid = "" if self.target.draft else self.target.qid
        self.jobs.start("preview", lambda progress: door.document(row.doc_id, qid), self._came)

    def _came(self, view: DocumentView) -> None:
        if len(self._documents) > 30:
            self._documents.clear()
        self._documents[view.doc_id] = view
        row = self.state.current
        if row is not None and row.doc_id == view.doc_id:
            self._show_document(view)
            self.paint()

    def _show_document(self, view: DocumentView) -> None:
        row, preview = self.state.current, self.state.preview
        if row is None:
            return
        preview.take(view, at=row.at)
        preview.quote = Quote(0, 0, row.match.span) if row.match else None

    def job_failed(self, group: str, text: str) -> None:
        self.state.searching = False
        super().job_failed(group, text)

    # moving

    def _moved(self, moved: bool) -> None:
        if moved:
            self._preview()

    def _step(self, step: int) -> None:
        if self.state.active == "doc" and self.field is None:
            preview = self.state.preview
            preview.quote = None
            preview.move(step, max(find_sizes(self.state, *self.extent)[2] - 4, 1))
        else:
            self._moved(self.state.move(step))

    def do_move_down(self) -> None:
        self._step(1)

    def do_move_up(self) -> None:
        self._step(-1)

    def do_page_down(self) -> None:
        self._step(max(find_sizes(self.state, *self.extent)[1] - 1, 1))

    def do_page_up(self) -> None:
        self._step(-max(find_sizes(self.state, *self.extent)[1] - 1, 1))

    def do_first(self) -> None:
        self._moved(self.state.go(0))

    def do_last(self) -> None:
        self._moved(self.state.go(len(self.state.rows) - 1))

    def do_next_part(self) -> None:
        self._moved(self.state.step_document(1))

    def do_previous_part(self) -> None:
        self._moved(self.state.step_document(-1))

    def do_next_pane(self) -> None:
        if self.field is not None:
            self._to_list()
            return
        self.state.active = "doc" if self.state.active == "list" else "list"
        if self.state.active == "list":
            self._preview()

    def do_previous_pane(self) -> None:
        self.do_next_pane()

    def do_zoom(self) -> None:
        self.state.zoomed = not self.state.zoomed

    # words, and where they lead

    def do_filter(self) -> None:
        self.state.active = "list"
        self.field = self.state.editor

    def _to_list(self) -> None:
        self.field = None
        if self.state.pattern.regex and self.state.searching:
            self._search()

    def do_open(self) -> None:
        if self.field is not None:
            self._to_list()
            return
        place = self.state.place
        if place is None:
            self.say("Nothing to open here", "plain")
            return
        at = self.state.preview.cursor if self.state.active == "doc" else place.at
        draft = self.target.draft
        self.owner.go("Document", doc_id=place.doc_id, at=at, qid="" if draft else self.target.qid, draft=draft)

    def do_close(self) -> None:
        if self.state.zoomed:
            self.state.zoomed = False
        elif self.state.editor.text:
            self.state.editor.set("")
            self.field_changed()
        elif self.field is not None and self.state.rows:
            self.field = None
        else:
            self.owner.do_back()

    # evidence

    def do_mark(self) -> None:
        row, span = self.state.current, self.state.mark()
        if row is None or span is None:
            return
        if not self.target.name:
            self.say("No question to mark it for: a adds one", "plain")
            return
        finder, doc_id = door_of(self).finder, row.doc_id
        self.jobs.queue("write", lambda: finder.sentence(doc_id, span), lambda sentence: self._take(doc_id, sentence))

    def _take(self, doc_id: str, sentence: Sentence) -> None:
        draft = self.target.draft
        if draft is None:
            door, qid = door_of(self).documents, self.target.qid
            self.jobs.queue("write", lambda: door.add_evidence(qid, doc_id, sentence.span), self._changed)
        elif why := draft.take(Marked(doc_id, sentence.span, sentence.text)):
            self.say(why, "plain")
        else:
            self.say(f"evidence of {draft.name}: {clip(one_line(sentence.text), 32)}")

    def _changed(self, change: Change) -> None:
        self._documents.clear()
        self._preview()
        triage_under(self).reload(change.qid)
        self.say(change.message, "done" if change.qid else "plain", "changed" if change.qid else "")

    def do_undo(self) -> None:
        if self.target.draft is None:
            self.jobs.queue("write", door_of(self).undo, self._changed)
        else:
            self.say("q goes back to the draft; u undoes there", "plain")

    # other programs

    def do_copy(self) -> None:
        row = self.state.current
        text = row.match.context if row and row.match else row.text if row else ""
        if self.state.active == "doc":
            text = self.state.preview.text_under_cursor()
        if text:
            self.owner.copy_text(text)

    def do_page(self) -> None:
        page_source(self, self.state.preview)

    def do_edit(self) -> None:
        edit_source(self, self.state.preview)

"""Find: evidence that retrieval missed, in the whole text of every document. Marked first, and saved only by `s`."""

from __future__ import annotations

from textual.timer import Timer

from ragtriage_tui.add_state import Target
from ragtriage_tui.document_state import Quote
from ragtriage_tui.document_views import DocumentView
from ragtriage_tui.drawing.find import draw_find, find_sizes
from ragtriage_tui.find_state import FindRow, FindState, library_rows
from ragtriage_tui.find_views import Found, Library
from ragtriage_tui.rows import Drawing
from ragtriage_tui.screens.base import FrameScreen
from ragtriage_tui.screens.find_marking import Marking
from ragtriage_tui.screens.outside import edit_source, page_source
from ragtriage_tui.screens.under import door_of, target_under, triage_under, words_of
from ragtriage_tui.screens.wrapping import wrap_beside
from ragtriage_tui.views import Change, Progress

__all__ = ["FindScreen"]

_PAUSE_S = 0.12  # of the typing, before it is searched for


class FindScreen(FrameScreen):
    """Marks evidence for the draft or the question one came from; without one, what is marked starts a question."""

    WHERE = "Find"

    def __init__(self) -> None:
        super().__init__()
        self.state = FindState()
        self.target = Target()
        self.field = self.state.editor
        self._marking = Marking(self)
        self._waiting: Timer | None = None
        self._documents: dict[str, DocumentView] = {}

    def draw(self, width: int, height: int) -> Drawing:
        self.state.typing = self.field is self.state.editor
        wrap_beside(self, self.state.preview, find_sizes(self.state, width, height + 1)[2] - 4)
        return draw_find(self.state, width, height)

    def footer_state(self) -> str:
        if self.field is self.state.editor:
            return "typing"
        if self.state.marks:
            return "marked" if self.target.name else "begin"
        return ""

    # data

    def on_mount(self) -> None:
        self.target = target_under(self)
        self.state.asked, self.state.words = self.target.name, words_of(self, self.target)
        super().on_mount()
        finder = door_of(self).finder

        def read(progress: Progress) -> tuple[Library, list[FindRow]]:
            library = finder.library(progress)
            return library, library_rows(library)

        self.jobs.start("library", read, self._listed)

    def _listed(self, listed: tuple[Library, list[FindRow]]) -> None:
        self.state.take_library(*listed)
        self.preview()
        self.paint()

    def field_changed(self) -> None:
        """Words are searched for when the typing pauses; a regular expression, which may be slow, on Enter."""
        if self._waiting is not None:
            self._waiting.stop()
            self._waiting = None
        if not self.state.words_changed():
            self.preview()
        elif not self.state.pattern.regex:
            self._waiting = self.set_timer(_PAUSE_S, self._search)

    def _search(self) -> None:
        pattern, finder = self.state.pattern, door_of(self).finder
        if pattern.text:
            self.jobs.start("find", lambda progress: finder.find(pattern.text, regex=pattern.regex), self._found)

    def _found(self, found: Found) -> None:
        self.state.take_found(found)
        self.preview()
        self.paint()

    def preview(self) -> None:
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
        mark = self.state.marked(row)
        place = mark.span if mark else row.match.span if row.match else None
        preview.quote = Quote(0, 0, place) if place else None

    def job_failed(self, group: str, text: str) -> None:
        self.state.searching = False
        super().job_failed(group, text)

    # moving

    def _moved(self, moved: bool) -> None:
        if moved:
            self.preview()

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
            self.preview()

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
        elif self.state.marks and self.field is None:
            self._marking.drop()
        elif self.state.editor.text:
            self.state.editor.set("")
            self.field_changed()
        elif self.field is not None and self.state.rows:
            self.field = None
        else:
            self.owner.do_back()

    def do_back(self) -> None:
        number = len(self.state.marks)
        self.owner.do_back()
        if number:
            self.owner.front.say(f"what was marked is not saved: {number} sentence{'' if number == 1 else 's'}", "plain")

    # evidence

    def do_mark(self) -> None:
        self._marking.toggle()

    def do_save(self) -> None:
        self._marking.save()

    def changed(self, change: Change) -> None:
        """The golden set was written, or something in it undone."""
        self._documents.clear()
        self.preview()
        triage_under(self).reload(change.qid)
        self.say(change.message, "done" if change.qid else "plain", "changed" if change.qid else "")

    def do_undo(self) -> None:
        """The last mark, else the last thing that was saved."""
        if self.state.marks:
            self.state.marks.pop()
            self.preview()
        elif self.target.draft is None:
            self.jobs.queue("write", door_of(self).undo, self.changed)
        else:
            self.say("q goes back to the draft; u undoes there", "plain")

    def do_redo(self) -> None:
        if self.target.draft is None:
            self.jobs.queue("write", door_of(self).redo, self.changed)

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

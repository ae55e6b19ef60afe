"""Add: from a paste to a saved question, red first; and the same on a saved question."""

from __future__ import annotations

from dataclasses import replace

from ragtriage_tui.add_state import AddState, DraftFor, Target
from ragtriage_tui.add_views import AddStart, Draft, Marked
from ragtriage_tui.bridge.drafts import load_draft
from ragtriage_tui.drawing.add import draw_add, result_height
from ragtriage_tui.external import edit_text, page_text
from ragtriage_tui.rows import Drawing
from ragtriage_tui.screens.add_saving import Saving
from ragtriage_tui.screens.add_searching import Searching
from ragtriage_tui.screens.base import FrameScreen
from ragtriage_tui.screens.draft_keeper import DraftKeeper
from ragtriage_tui.screens.outside import outside
from ragtriage_tui.screens.under import door_of, triage_under

__all__ = ["AddScreen"]


class AddScreen(FrameScreen):
    """A new question, or a saved one (`qid`) whose evidence is to be fixed."""

    WHERE = "Add"

    def __init__(
        self, qid: str = "", marks: tuple[Marked, ...] = (), draft: Draft | None = None, *, reword: bool = False
    ) -> None:
        super().__init__()
        self.state = AddState(draft=draft or Draft(qid=qid), opened=draft)
        self.field = None if qid or draft else self.state.editor
        self._reword = reword
        self._marks = marks  # what Find or Inbox brings along
        self._kept: Draft | None = None
        self.keeper = DraftKeeper(self)
        self._searching = Searching(self)
        self._saving = Saving(self)

    def draw(self, width: int, height: int) -> Drawing:
        self.state.mentioning = self.prompted is not None
        self.state.offered = self._offered()
        return draw_add(self.state, width, height)

    def footer_state(self) -> str:
        state = self.state
        if state.phase == "typing":
            return "typing"
        if state.phase == "saved":
            return "passes" if state.passes else "changed"
        if state.twins or state.active == "record":
            return "similar" if state.twins else "record"
        return "marked" if state.draft.marks else ""

    def pane_name(self) -> str:
        return "Record" if self.state.active == "record" else "Results"

    @property
    def target(self) -> Target:
        """What Document and Find mark evidence for."""
        state = self.state
        if state.phase == "saved" and state.saved:
            return Target(state.saved.qid)
        name = state.draft.qid or (state.record.qid if state.record else "the draft")
        return Target("", DraftFor(name, state.draft.text, lambda: self.state.draft.marks, self._mark))

    # data

    def on_mount(self) -> None:
        super().on_mount()
        qid = self.state.draft.qid
        self._kept = load_draft(self.owner.root, self.state.draft.key)
        if self._kept is None and self.state.opened is not None:
            self._begin(self.state.opened)
            if self.state.draft.text != self.state.draft.first:  # worded anew in an editor
                self.state.opened = replace(self.state.opened, text=self.state.opened.first)
                self._keep()
            if self._reword:
                self.do_reword()
        elif self._kept is not None:
            early = self.state.editor.text  # typed before the screen was there
            self._begin(self._kept)
            self.state.editor.insert(early)
            self.say("your draft is back", "plain")
        for mark in self._marks:
            self.state.mark(mark)
        if self._marks:
            self._keep()
            self._searching.follow()
        door = door_of(self).adder
        self.jobs.start("start", lambda progress: door.start(qid), self._started)

    def _begin(self, draft: Draft) -> None:
        self.state.begin(draft)
        self.field = self.state.editor if self.state.phase == "typing" else None
        if self.state.phase == "results":
            self._searching.start()
        self.paint()

    def _started(self, start: AddStart) -> None:
        state = self.state
        state.start = start
        if start.gone:
            self.owner.do_back()
            self.owner.front.say(f"{state.draft.qid} is no longer in the golden set", "warn")
            return
        if start.question is not None and self._kept is None:
            self._begin(start.question)
        if start.read_only:
            self._say_read_only(start.read_only)
        self.paint()

    def _say_read_only(self, why: str) -> None:
        self.say(f"{why}; {self.keeper.where(self.state.draft.key)}", "warn")

    def job_failed(self, group: str, text: str) -> None:
        state = self.state
        self._searching.failed(group, text)
        if group == "write" and state.phase != "saved":
            text = f"not saved, {self.keeper.where(state.draft.key)}: {text}"
        super().job_failed(group, text)

    def _keep(self) -> None:
        if self.state.unchanged or self.state.untouched:
            self.keeper.drop(self.state.draft.key)
        else:
            self.keeper.write(self.state.draft)

    def keep(self) -> None:
        if self.state.phase != "saved" and not self.state.unchanged and not self.state.untouched:
            self.keeper.write_now(self.state.draft)

    # the words

    def field_changed(self) -> None:
        self.state.typed()
        self._keep()

    def _fix(self) -> None:
        if why := self.state.fix():
            self.say(why, "plain")
            return
        self.field = None
        self._keep()
        self._searching.start()

    def do_reword(self) -> None:
        if self.state.phase == "saved":
            self.say("It is saved: u undoes that first", "plain")
            return
        self.state.reword()
        self.field = self.state.editor

    def do_edit(self) -> None:
        """The words in $EDITOR; what comes back is fixed as with Enter."""

        def edit() -> None:
            edited = edit_text(self.app, self.state.draft.text, ".txt")
            if edited is not None and edited.strip():
                self.state.reword()
                self.state.editor.set(edited.strip())
                self._fix()

        if self.state.phase == "results":
            outside(self, edit)

    # moving

    def _step(self, step: int) -> None:
        if self.field is not None:
            self.state.editor.move_row(step, max(self.extent[0] - 3, 1))
        else:
            self.state.move(step)

    def do_move_down(self) -> None:
        self._step(1)

    def do_move_up(self) -> None:
        self._step(-1)

    def do_page_down(self) -> None:
        self._step(result_height(self.state, *self.extent))

    def do_page_up(self) -> None:
        self._step(-result_height(self.state, *self.extent))

    def do_first(self) -> None:
        self.state.move(-(10**9))

    def do_last(self) -> None:
        self.state.move(10**9)

    def do_next_pane(self) -> None:
        if self.prompted is not None:
            self._offer()
        elif self.field is None:
            self.state.next_pane()

    def do_previous_pane(self) -> None:
        self.do_next_pane()

    def do_zoom(self) -> None:
        self.state.zoomed = not self.state.zoomed

    def do_view(self) -> None:
        self.state.view_text = not self.state.view_text

    def do_close(self) -> None:
        state = self.state
        if self.field is not None and state.leave_words():
            self.field = None
            self._keep()
        elif state.twins:
            state.twins = False
        elif state.view_text or state.zoomed:
            state.view_text = state.zoomed = False
        elif state.active == "record" and self.field is None:
            state.active = "results"
        else:
            self.do_back()

    def do_back(self) -> None:
        state = self.state
        kept = state.phase != "saved" and bool(state.draft.text.strip()) and not (state.unchanged or state.untouched)
        self.owner.do_back()
        if kept:
            key = "f" if self.state.draft.qid else "a"
            self.owner.front.say(f"draft kept; {key} goes on with it", "plain")

    def do_open(self) -> None:
        state = self.state
        if self.field is not None:
            self._fix()
        elif state.phase == "saved" and state.saved:
            self._see(state.saved.qid)
        elif state.twins:
            self._take_twin()
        elif state.active == "record" and state.draft.marks:
            mark = state.draft.marks[min(state.item, len(state.draft.marks) - 1)]
            self._go(mark.doc_id, "", mark.span.start if mark.span else None)
        elif state.candidate is not None:
            one = state.candidate
            marked = [mark.span.start for mark in state.marked_in(one) if mark.span]
            self._go(one.chunk.doc_id, one.chunk.chunk_id, marked[0] if marked else one.best.span and one.best.span.start)

    def _go(self, doc_id: str, chunk_id: str, at: int | None) -> None:
        self.owner.go("Document", doc_id=doc_id, chunk_id=chunk_id, at=at, draft=self.target.draft)

    def _see(self, qid: str) -> None:
        triage = triage_under(self)
        self.owner.do_go_triage()
        triage.reload(qid)

    def _take_twin(self) -> None:
        twins = self.state.twin_rows
        if not twins:
            return
        qid = twins[min(self.state.twin, len(twins) - 1)].qid

        def take() -> None:
            self.keeper.drop(self.state.draft.key)
            self._see(qid)

        self.ask(f"Drop this draft and go to {qid} ?", take)

    # the record

    def _changed(self, why: str = "") -> None:
        if why:
            self.say(why, "plain")
            return
        self._keep()
        self._searching.follow()

    def _marked(self, why: str, before: Draft) -> None:
        """Evidence was marked, or taken off, or why not; `before` is the draft as it was."""
        self._changed(why)
        if self.state.replaced(before):
            self.say("replaces the lost quote; u keeps both", "done")

    def _open_for_changes(self) -> bool:
        if self.state.phase == "saved":
            self.say("It is saved: u undoes that, f in Triage changes it", "plain")
        return self.state.phase == "results"

    def _mark(self, mark: Marked) -> str:
        before = self.state.draft
        why = self.state.mark(mark)
        if not why:
            self._marked(why, before)
        return why

    def do_mark(self) -> None:
        if self._open_for_changes():
            before = self.state.draft
            self._marked(self.state.toggle(), before)

    def do_no_answer(self) -> None:
        if self._open_for_changes():
            self._changed(self.state.toggle_answer())

    def do_kind(self) -> None:
        if self._open_for_changes():
            self._changed(self.state.next_kind())

    def do_split(self) -> None:
        if self._open_for_changes():
            self.state.next_split()
            self._changed()

    def do_mention(self) -> None:
        """A line to write in, with what is mentioned already; Tab adds what the evidence suggests, which nothing else does."""
        if self._open_for_changes():
            self.prompt("must mention", "; ".join(self.state.draft.mentions), self._mentioned, whole=True)

    def _offered(self) -> tuple[str, ...]:
        """What the evidence suggests and the line does not hold yet."""
        editor, record = self.prompted, self.state.record
        written = _parts(editor.text) if editor else ()
        return tuple(word for word in record.mentions if word not in written) if editor and record else ()

    def _offer(self) -> None:
        editor, offered = self.prompted, self._offered()
        if editor is not None and offered:
            editor.set("; ".join((*_parts(editor.text), offered[0])))

    def _mentioned(self, text: str) -> None:
        self.state.take_mentions(_parts(text))
        self._changed()

    def do_duplicate(self) -> None:
        if self.state.phase == "results":
            self.state.twins = not self.state.twins
            self.state.active = "results"

    def do_undo(self) -> None:
        if self.state.phase == "saved":
            self._saving.undo()
        elif self.state.undo():
            self._changed()
        else:
            self.say("Nothing to undo", "plain")

    def do_redo(self) -> None:
        if self.state.phase == "results" and self.state.redo():
            self._changed()
        else:
            self.say("Nothing to do again", "plain")

    # saving

    def do_save(self) -> None:
        state = self.state
        if state.phase == "saved":
            self._saving.guard()
        elif why := state.why_not_save():
            if state.start is not None and why == state.start.read_only:
                self._say_read_only(why)
            else:
                self.say(why, "plain")
        else:
            self._saving.save()

    def do_drop(self) -> None:
        self._saving.drop()

    def do_add(self) -> None:
        if self.state.phase != "saved":
            self.say("s saves this question first; esc closes it, and the draft stays", "plain")
            return
        start = self.state.start
        self.state = AddState(start=start._replace(question=None) if start else None)
        self._begin(Draft())

    # jobs and other programs

    def do_bm25_only(self) -> None:
        self._searching.without_dense()

    def do_cancel(self) -> None:
        self.do_bm25_only()

    def do_copy(self) -> None:
        state = self.state
        one = state.candidate
        text = one.chunk.text if one else state.draft.text
        if state.active == "record" and state.draft.marks:
            text = state.draft.marks[min(state.item, len(state.draft.marks) - 1)].quote
        if text:
            self.owner.copy_text(text)

    def do_page(self) -> None:
        one = self.state.candidate
        if one is not None:
            outside(self, lambda: page_text(self.app, one.chunk.text))


def _parts(text: str) -> tuple[str, ...]:
    return tuple(part.strip() for part in text.split(";") if part.strip())

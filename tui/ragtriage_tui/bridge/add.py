"""Add: the saved question as a draft, what follows from a draft, and saving it."""

from __future__ import annotations

import json
import os
from importlib import import_module
from typing import TYPE_CHECKING, Any

from ragtriage_tui.add_views import AddStart, Clash, Draft, Marked, Measured, Record, Results, SavedView, Unsaved
from ragtriage_tui.bridge.candidates import candidates
from ragtriage_tui.bridge.document import chunks_of, setup_forms, written_items
from ragtriage_tui.bridge.edits import Edit
from ragtriage_tui.bridge.guard import guarded
from ragtriage_tui.bridge.measuring import measure_one, outcome
from ragtriage_tui.bridge.merging import Version, merged
from ragtriage_tui.bridge.report_draft import given_in, must_be_ready, retrieval_then
from ragtriage_tui.bridge.reports import ReportStep, origin_of
from ragtriage_tui.bridge.unsaid import unsaid_now, unsaid_phrases
from ragtriage_tui.text import Extent, one_line, scrub
from ragtriage_tui.views import Progress
from ragtriage_tui.workers import DoorError

if TYPE_CHECKING:
    from ragtriage.inbox.log import InboxLog, Item
    from ragtriage.project import Project
    from ragtriage.types import Question
    from ragtriage_tui.bridge.door import Door

__all__ = ["Adder"]

_TWINS = 8


class Adder:
    """`AddDoor` for the project of a door."""

    def __init__(self, door: Door) -> None:
        self._door = door

    @guarded
    def start(self, qid: str) -> AddStart:
        """See AddDoor."""
        door = self._door
        with door.held() as project:
            golden = project.golden_path
            shown = str(golden.relative_to(project.root)) if golden.is_relative_to(project.root) else golden.name
            why = "a BEIR folder is only looked at; nothing can be added" if project.beir else door.read_only
            if not why and golden.exists() and not (os.access(golden, os.W_OK) and golden.stat().st_mode & 0o222):
                why = f"{golden.name} is read-only"
            question = project.golden.get(door.names.raw(qid)) if qid else None
            draft = self._draft(project, question) if question else None
            chunks = chunks_of(project).chunks
            setup = ("  ".join(setup_forms(project, chunks)),)
            name = scrub(one_line(project.name))
            dense = chunks is not None and not project.beir and project.config.retrieval.mode != "bm25"
            asks = project.embedded.retriever if dense and not project.embedded.missing() else None
        import_module("ragtriage.golden.capture")  # which the first search would have to wait for
        if asks is not None:  # beside the lock: a search is not to wait for a process to start
            asks.start_encoder()  # a question that nobody asked before needs the model
        return AddStart(
            name, scrub(shown), setup, draft, gone=bool(qid) and question is None, read_only=scrub(why)
        )  # fmt: skip

    def _draft(self, project: Project, question: Question) -> Draft:
        from ragtriage.golden.evidence import resolve

        marks = []
        chunks = chunks_of(project).chunks
        for index, item in enumerate(resolve(question, project.corpus, chunks)):
            best = item.best
            located = best.spans[0] if best.spans else None
            doc_id = self._door.names.shown(located.doc_id if located else best.place.doc or best.place.chunk)
            quote = scrub(best.place.quote)
            span = Extent(*located.span) if located and quote else None
            known = chunks is not None or not best.place.chunk  # without chunks nobody can say where one is
            marks.append(Marked(doc_id, span, quote, index, gone=located is None and known))
        text = scrub(question.question)
        return Draft(
            text=text, first=text, marks=tuple(marks), kind=question.kind if question.kind != "unanswerable" else "",
            mentions=tuple(scrub(one[0]) for one in question.must_mention), split=question.split,
            answerable=question.answerable, qid=self._door.names.shown(question.qid),
            ref=scrub(str(question.source.get("ref", ""))), base=json.dumps(dict(question.raw)),
        )  # fmt: skip

    def search(self, text: str, progress: Progress, *, wait: bool, few: bool = False) -> Results:
        """See AddDoor."""
        return candidates(self._door, text, progress, wait=wait, few=few)

    @guarded
    def record(self, draft: Draft) -> Record:
        """See AddDoor."""
        from ragtriage.golden.capture import suggest_must_mention
        from ragtriage.ids import question_id

        door = self._door
        with door.held() as project:
            retriever = project.embedded.retriever
        quotes = [mark.quote for mark in draft.marks if mark.quote]
        mentions = tuple(map(scrub, suggest_must_mention(quotes)))
        own = set(retriever.terms(draft.text)) if quotes else set()  # stems, without stop words
        shared = own & {term for quote in quotes for term in retriever.terms(quote)}
        twins = door.likeness.twins(draft.text, limit=_TWINS, skip=door.names.raw(draft.qid)) if draft.fixed else ()
        then = self._then(draft) if draft.report and draft.marks else ""
        unsaid = self._unsaid(draft) if draft.mentions and draft.marks else ()
        return Record(draft.qid or question_id(draft.text), mentions, len(shared), len(own), twins, then, unsaid)

    def _then(self, draft: Draft) -> str:
        from ragtriage.errors import RagtriageError

        door = self._door
        try:
            with door.held() as project:
                return retrieval_then(door, draft, self._new(project, draft))
        except RagtriageError:  # saving says what is wrong with the draft
            return ""

    def _unsaid(self, draft: Draft) -> tuple[str, ...]:
        from ragtriage.errors import RagtriageError
        from ragtriage.golden.dialects import read_question

        door = self._door
        try:
            with door.held() as project:
                saved = project.golden.get(door.names.raw(draft.qid)) if draft.qid else None
                obj = self._changed(project, saved, self._draft(project, saved), draft) if saved else self._new(project, draft)
                question = read_question(obj, where=draft.qid, line=0)[0]
                return unsaid_phrases(project, question) if question else ()
        except RagtriageError:  # saving says what is wrong with the draft
            return ()

    @guarded
    def save(self, draft: Draft) -> SavedView | Clash:
        """See AddDoor."""
        door = self._door
        door.reread()
        with door.held() as project:
            overtaken = False
            if draft.qid:
                question = project.golden.get(door.names.raw(draft.qid))
                if question is None:
                    raise DoorError(f"{draft.qid} is no longer in the golden set; the draft stays")
                now = self._draft(project, question)
                overtaken = bool(draft.base) and draft.base != now.base
                if overtaken:
                    draft, clashes = merged(self._opened(project, draft), Version(now, written_items(question)), draft)
                    if clashes:
                        return Clash(draft.qid, ", ".join(clashes), draft)
                edit = Edit(question.qid, question.raw, self._changed(project, question, now, draft))
            else:
                obj = self._new(project, draft)
                edit = Edit(obj["qid"], None, obj)
            log = door.inbox.log(project)
            item = must_be_ready(door, log, draft, obj) if draft.report and not draft.qid else None
            depth = door.edits.depth
            door.edits.write(edit, row=draft.report)
            beside = self._done(log, item, edit.qid) if item else ""
            saved = project.golden.get(edit.qid)
            unsaid = unsaid_now(project, [edit.qid])
        return SavedView(door.names.shown(edit.qid), saved.line if saved else 0, overtaken, depth, beside, unsaid)

    def _done(self, log: InboxLog, item: Item, qid: str) -> str:
        """The report of a question that is on disk is done; what became of that."""
        from ragtriage.errors import RagtriageError

        door = self._door
        try:
            step = ReportStep.set(door, log, item, "done", qid)
        except RagtriageError as error:  # the question is saved, whatever the inbox says
            return f"but its report stays {item.state}: {scrub(str(error))}"
        door.edits.beside(step)
        door.inbox.wrote(step.path)
        before = f", which was {item.state} as {door.names.shown(item.qid)}" if item.qid and item.qid != qid else ""
        return f"{origin_of(item.report)} is done{before}"

    def _opened(self, project: Project, draft: Draft) -> Version:
        """The saved question as it was when the draft was begun."""
        from ragtriage.golden.dialects import read_question
        from ragtriage.json_lines import load_json

        try:
            value = load_json(draft.base, exact=True)
        except ValueError:
            value = None
        question = read_question(value, where=draft.qid, line=0)[0] if isinstance(value, dict) else None
        if question is None:  # it was one when it was written down
            raise DoorError(f"it cannot be told what the kept draft of {draft.qid} changed; nothing was written")
        return Version(self._draft(project, question), written_items(question))

    def _new(self, project: Project, draft: Draft) -> dict[str, Any]:
        from ragtriage.golden.capture import new_question

        given = given_in(draft)
        source = given.get("source") or ({"ref": draft.ref} if draft.ref else {})
        if draft.first and draft.first != draft.text:
            source = {**source, "text": source.get("text") or draft.first}
        mentions: Any = draft.mentions
        offered = given.get("answer_must_mention") or []
        if mentions == tuple(scrub(one if isinstance(one, str) else one[0]) for one in offered):
            mentions = offered  # with the alternatives that the screen does not show
        kind: Any = draft.kind if draft.answerable else "unanswerable"
        split: Any = draft.split
        return new_question(
            draft.text, [self._mark(mark) for mark in draft.marks], project.corpus, chunks_of(project).chunks, kind=kind,
            split=split, answerable=draft.answerable, must_mention=mentions, source=source,
            expected_answer=str(given.get("expected_answer") or ""),
        )  # fmt: skip

    def _mark(self, mark: Marked) -> Any:
        from ragtriage.golden.capture import Mark
        from ragtriage.types import Span

        return Mark(self._door.names.raw(mark.doc_id), Span(*mark.span) if mark.span else None)

    def _changed(self, project: Project, question: Question, before: Draft, draft: Draft) -> dict[str, Any]:
        """The question's own object with what was edited in its place, and all else as it stands. `before`: it as a draft."""
        from ragtriage.golden.capture import label

        chunks = chunks_of(project).chunks
        obj = dict(question.raw)
        if draft.text != before.text:
            key = next((name for name in ("question", "q", "text") if isinstance(obj.get(name), str)), "question")
            obj[key] = draft.text
            if isinstance(obj.get("source", {}), dict):
                obj["source"] = {"text": question.question, **obj.get("source", {})}
        if draft.marks != before.marks:
            written = written_items(question)
            obj["evidence"] = [
                written[mark.kept] if 0 <= mark.kept < len(written) else label(self._mark(mark), project.corpus, chunks)
                for mark in draft.marks
            ]
        if draft.answerable != before.answerable:
            obj["answerable"] = draft.answerable
        kind = draft.kind if draft.answerable else "unanswerable"
        if kind != (question.kind or ""):
            obj["kind"] = kind
        if not obj.get("kind"):
            obj.pop("kind", None)
        if draft.split != before.split:
            obj["split"] = draft.split
        if draft.mentions != before.mentions:
            obj["answer_must_mention"] = list(draft.mentions)
        return obj

    @guarded
    def measure(self, qid: str) -> Measured:
        """See AddDoor."""
        door = self._door
        found = outcome(measure_one(door, door.names.raw(qid)), door)
        return Measured(qid, found.state, found.cause, found.sentence)

    @guarded
    def guard(self, qid: str) -> None:
        """See AddDoor."""
        door = self._door
        door.reread()
        with door.held() as project:
            question = project.golden.get(door.names.raw(qid))
            if question is None:
                raise DoorError(f"{qid} is no longer in the golden set")
            door.edits.write(Edit(question.qid, question.raw, {**question.raw, "expect": "guard"}))

    @guarded
    def unsave(self, saved: SavedView) -> Unsaved:
        """See AddDoor."""
        edits = self._door.edits
        if edits.depth <= saved.depth:
            raise DoorError(f"nothing that was done to {saved.qid} here can be undone")
        message = edits.undo().message
        return Unsaved(message, edits.depth <= saved.depth)

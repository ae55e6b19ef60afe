"""What people say of passages, relevant to a question or not: events beside the golden set, shown as marks and counted."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING

from ragtriage_tui.bridge.candidates import best_sentence
from ragtriage_tui.bridge.document import chunks_of
from ragtriage_tui.bridge.edits import Edit
from ragtriage_tui.bridge.guard import guarded
from ragtriage_tui.bridge.journal import Undone
from ragtriage_tui.bridge.measuring import measure_one, outcome
from ragtriage_tui.judgement_views import Also, Judged
from ragtriage_tui.text import Extent, scrub
from ragtriage_tui.views import Change, QuestionView
from ragtriage_tui.workers import DoorError

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path
    from typing import Any, Literal

    from ragtriage.chunking.base import Chunks
    from ragtriage.measure.results import QuestionResult, Run
    from ragtriage.project import Project
    from ragtriage.triage.judgements import JudgedPassages, JudgementLog
    from ragtriage.types import Question, Span
    from ragtriage_tui.bridge.door import Door

__all__ = ["Judgements"]

_FILE = "judgements.jsonl"
_REWORDED = 20  # judgements that are looked for reworded: a rewritten corpus must not keep anybody waiting


class Judgements:
    """The judgements of a door's project, looked up in its documents once as long as neither changes."""

    def __init__(self, door: Door) -> None:
        self._door = door
        self._known: tuple[object, object, JudgedPassages] | None = None
        self._looked: tuple[JudgedPassages, Run, tuple[str, ...]] | None = None

    def log(self, project: Project) -> JudgementLog:
        """The file. Every step has an object of its own, which undoes exactly that."""
        from ragtriage.triage.judgements import JudgementLog

        return JudgementLog(project.evals / _FILE)

    def standing(self, project: Project) -> JudgedPassages:
        """What counts, in today's documents."""
        from ragtriage.triage.judgements import JudgedPassages

        log = self.log(project)
        stamp = _stamp(log.path)
        if self._known is None or self._known[0] != stamp or self._known[1] is not project.corpus:
            self._known = (stamp, project.corpus, JudgedPassages(log.standing(), project.corpus, reworded=_REWORDED))
        return self._known[2]

    def mark(self, project: Project, qid: str, doc_id: str, span: Span) -> Literal["+", "-", ""]:
        """The mark of a passage; `qid` and `doc_id` are raw."""
        found = self.standing(project).judged(qid, doc_id, span)
        return "" if found is None else "+" if found.relevant else "-"

    def onto(self, view: QuestionView, project: Project, result: QuestionResult | None, chunks: Chunks | None) -> QuestionView:
        """A question's view with the marks of its chunks, and how many of the first k nobody judged: those above evidence are
        to be looked at."""
        from ragtriage.measure.holes import holes

        if result is None or chunks is None or not view.chunks:
            return view
        judged = self.standing(project)
        (found,) = holes([result], judged, chunks, view.k)
        above = found.above if result.items else ()
        marked = []
        for chunk in view.chunks:
            row = chunks.row(self._door.names.raw(chunk.chunk_id))
            mark = self.mark(project, result.qid, chunks.document_of(row).doc_id, chunks.span(row)) if row is not None else ""
            if not mark and chunk.rank in above:
                marked.append(dataclasses.replace(chunk, judged="?"))
            else:
                marked.append(dataclasses.replace(chunk, judged=mark) if mark else chunk)
        return dataclasses.replace(view, chunks=tuple(marked), unjudged=len(found.positions), above=len(above))

    def to_look(self, project: Project, run: Run | None) -> tuple[str, ...]:
        """The ids of the questions with unjudged passages above their evidence, raw, those that lost it first. No run: none.

        Worked out again when the judgements, the documents or the run are others.
        """
        from ragtriage.measure.foreign_passages import passages_of
        from ragtriage.measure.holes import holes, to_look

        chunks = chunks_of(project).chunks if run is not None and run.questions else None
        if run is None or chunks is None:
            return ()
        judged = self.standing(project)
        if self._looked is None or self._looked[0] is not judged or self._looked[1] is not run:
            chunks = passages_of(run.questions, chunks)
            found = {one.qid: one for one in holes(run.questions, judged, chunks, int(run.manifest["k"])) if one.above}
            told = [one.qid for one in to_look(found.values()) if one.position in found[one.qid].above]
            with_items = {one.qid for one in run.questions if one.items}
            self._looked = (judged, run, tuple(qid for qid in dict.fromkeys(told) if qid in with_items))
        return self._looked[2]

    @guarded
    def judge(self, qid: str, chunk_id: str, *, relevant: bool) -> Judged:
        """See JudgementDoor."""
        from ragtriage.measure.foreign_passages import passages_of

        door = self._door
        door.must_write()
        with door.held() as project:
            if project.beir:
                raise DoorError("a BEIR folder is only looked at; nothing is judged here")
            question = project.golden.get(door.names.raw(qid))
            found = door.result(question.qid) if question is not None else None
            chunks = passages_of([found] if found else [], project.chunks)
            row = chunks.row(door.names.raw(chunk_id))
            if question is None or row is None:
                gone = (
                    f"{qid} is no longer in the golden set" if question is None else f"{chunk_id} is not among today's chunks"
                )
                raise DoorError(gone)
            document, span = chunks.document_of(row), chunks.span(row)
            if self._is_evidence(question.qid, document.doc_id, span, document.text):
                other = "that counts as judged" if relevant else "f fixes the label"
                return Judged("", f"{chunk_id} holds evidence of {qid}: {other}")
            now = self.standing(project).judged(question.qid, document.doc_id, span)
            word = "relevant" if relevant else "not relevant"
            if now is not None and now.relevant is relevant:
                return Judged("", f"{chunk_id} is judged {word} to {qid} already")
            log = self.log(project)
            log.record(question.qid, document.doc_id, document.text[span.start : span.end], relevant)
            step = _Given(door, log, qid, chunk_id, word)
            door.edits.journal.did(step)
            also = self._also(project, question, chunks, chunk_id, row) if relevant else None
        return Judged(qid, f"{chunk_id} is {word} to {qid}", also)

    @guarded
    def add_place(self, qid: str, also: Also) -> Change:
        """See JudgementDoor."""
        from ragtriage.golden.capture import Mark
        from ragtriage.golden.other_places import with_other_place
        from ragtriage.types import Span

        door = self._door
        door.reread()
        with door.held() as project:
            question = project.golden.get(door.names.raw(qid))
            if question is None:
                raise DoorError(f"{qid} is no longer in the golden set")
            mark = Mark(door.names.raw(also.doc_id), Span(*also.span))
            obj: Mapping[str, Any] = with_other_place(question, also.item, mark, project.corpus, project.chunks)
            door.edits.write(Edit(question.qid, question.raw, obj))
        what = f"{qid} has another place of its evidence" if also.item is not None else f"{qid} has its first evidence"
        try:
            today = outcome(measure_one(door, question.qid), door).sentence
        except DoorError as error:  # it is saved, whatever measuring says
            today = str(error)
        return Change(qid, f"{what}: {today}")

    # inside

    def _is_evidence(self, raw: str, doc_id: str, span: Span, text: str) -> bool:
        from ragtriage.triage.judgements import same_passage
        from ragtriage.types import Span

        result = self._door.result(raw)
        return any(
            name == doc_id and same_passage(text, Span(start, end), span)
            for item in (result.items if result else ())
            for name, start, end in item.spans
        )

    def _also(self, project: Project, question: Question, chunks: Chunks, chunk_id: str, row: int) -> Also | None:
        """The place that the label may lack, and of which item; None where nobody can tell."""
        from ragtriage.measure.holes import lacking_places

        door = self._door
        if not question.answerable:
            return None
        result = door.result(question.qid)
        lacking = lacking_places([result], self.standing(project), chunks) if result else []
        raw = door.names.raw(chunk_id)
        found = next((one for one in lacking if one.chunk_id == raw), None)
        if found is None and len(question.evidence) > 1:
            return None
        item = found.item if found is not None else 0 if question.evidence else None
        document, span = chunks.document_of(row), chunks.span(row)
        best = best_sentence(document, Extent(*span), project.embedded.retriever, question.question)
        if best.start >= best.end:
            return None
        why = scrub(found.message) if found is not None else ""
        quote = scrub(document.text[best.start : best.end])
        return Also(door.names.shown(document.doc_id), best, quote, item, why)


def _stamp(path: Path) -> tuple[int, int, int]:
    try:
        found = path.stat()
    except OSError:
        return (0, 0, 0)
    return found.st_size, found.st_mtime_ns, found.st_ino


class _Given:
    """A judgement, as a step of the session. `log` has recorded it and nothing else."""

    def __init__(self, door: Door, log: JudgementLog, qid: str, chunk_id: str, word: str) -> None:
        self._door = door
        self._log = log
        self._qid = qid
        self._chunk_id = chunk_id
        self._word = word

    def undo(self) -> Undone:
        self._log.undo()
        return Undone(f"{self._chunk_id} is judged as before", self._qid)

    def redo(self) -> Undone:
        self._log.redo()
        return Undone(f"{self._chunk_id} is {self._word} to {self._qid} again", self._qid)

"""Labels that no longer fit: which there are, where they may belong, and giving them their new place."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

from ragtriage_tui.bridge.edits import Edit
from ragtriage_tui.bridge.guard import engine_progress
from ragtriage_tui.bridge.measuring import measure_one, outcome
from ragtriage_tui.bridge.unsaid import unsaid_now
from ragtriage_tui.inbox_views import DiffPart, InboxChange, LabelDetail, LabelRow, Mended, NewPlaceView
from ragtriage_tui.text import Extent, one_line, scrub
from ragtriage_tui.views import Progress
from ragtriage_tui.workers import DoorError

if TYPE_CHECKING:
    from ragtriage.golden.anchors import Anchor
    from ragtriage.golden.new_place import NewPlace
    from ragtriage.project import Project
    from ragtriage_tui.bridge.door import Door

__all__ = ["Looked", "Reanchoring"]

_AROUND = 400  # characters shown before and after a new place
_LONGEST = 4_000  # characters of old and new text that are shown and compared
_STATES = {
    "moved": "moved", "reworded": "reworded", "ambiguous": "ambiguous", "stale-chunk": "stale chunk", "gone": "gone",
}  # fmt: skip


class Looked(NamedTuple):
    """What the last look at all labels found, less what was mended since. `fresh`: nothing was changed since."""

    labels: tuple[LabelRow, ...]
    safe: tuple[Mended, ...]
    fresh: bool = False


class Reanchoring:
    """Looks at all labels once, and again when golden set, documents or chunks have changed."""

    def __init__(self, door: Door) -> None:
        self._door = door
        self._of: tuple[str, str] | None = None
        self._found: dict[str, Anchor] = {}
        self._safe: tuple[Anchor, ...] = ()
        self._lines: dict[str, Mapping[str, Any]] = {}
        self._looked = Looked((), ())

    def known(self, project: Project) -> Looked:
        """What was found so far."""
        fresh = self._of == (project.golden.fingerprint, project.corpus.fingerprint)
        return self._looked._replace(fresh=fresh)

    def look(self, progress: Progress) -> None:
        """Look at every label, unless that was done."""
        from ragtriage.golden.anchors import anchors
        from ragtriage.measure.corpus_then import stood_before
        from ragtriage.measure.label_shas import known_label_shas
        from ragtriage_tui.bridge.document import chunks_of

        with self._door.held() as project:
            if self.known(project).fresh:
                return
            golden, corpus, chunks = project.golden, project.corpus, chunks_of(project).chunks
            shas, before = known_label_shas(project), stood_before(project)
        # beside the lock: nobody waits for a long look
        found = anchors(golden, corpus, chunks, shas, stood_before=before, progress=engine_progress(progress))
        open_ = {self._id(anchor): anchor for anchor in found if anchor.open}
        safe = tuple(anchor for anchor in found if anchor.safe and anchor.state != "exact")
        rows = tuple(
            LabelRow(name, self._door.names.shown(one.qid), self._old(one, 400), _STATES[one.state])
            for name, one in open_.items()
        )
        mended = tuple(
            Mended(
                self._door.names.shown(one.qid), self._old(one, 400), scrub(one.places[0].doc_id), scrub(one.why)
            )
            for one in safe
        )  # fmt: skip
        self._found, self._safe, self._looked = open_, safe, Looked(rows, mended)
        self._lines = {question.qid: question.raw for question in golden.questions}
        self._of = (golden.fingerprint, corpus.fingerprint)

    def detail(self, label_id: str) -> LabelDetail | None:
        """See InboxDoor.label."""
        anchor = self._found.get(label_id)
        if anchor is None:
            return None
        with self._door.held() as project:
            question = project.golden.get(anchor.qid)
            places = tuple(self._place(project, anchor, one) for one in anchor.places)
        place = anchor.place
        where = " ".join(part for part in (place.doc or place.chunk, place.section and f"section {place.section}") if part)
        return LabelDetail(
            label_id, self._door.names.shown(anchor.qid), scrub(question.question) if question else "",
            _STATES[anchor.state], scrub(anchor.why), scrub(anchor.old[:_LONGEST]), scrub(where), places,
        )  # fmt: skip

    def accept(self, label_id: str, place: int) -> InboxChange:
        """See InboxDoor."""
        from ragtriage.golden.anchoring import reanchored

        anchor = self._anchor(label_id)
        if not 0 <= place < len(anchor.places):
            raise DoorError("there is no new place to accept: f fixes the evidence by hand, x says that it is asked no more")
        door = self._door
        door.reread()
        with door.held() as project:
            raw = self._raw(project, anchor)
            new = anchor.places[place]
            obj = reanchored(raw, anchor.index, new, project.corpus.document(new.doc_id))
            door.edits.write(Edit(anchor.qid, raw, obj), row=label_id)
            self._wrote(anchor.qid, obj, {label_id})
            unsaid = unsaid_now(project, [anchor.qid])
        qid = door.names.shown(anchor.qid)
        if unsaid:
            return InboxChange(f"accepted, but {unsaid}: {self._today(anchor.qid)}", label_id, qid, warn=True)
        return InboxChange(f"{qid} has its label in {scrub(new.doc_id)} now: {self._today(anchor.qid)}", label_id, qid)

    def mend(self, row: str) -> InboxChange:
        """See InboxDoor."""
        from ragtriage.golden.anchoring import reanchored

        door = self._door
        door.reread()
        with door.held() as project:
            before = {anchor.qid: self._raw(project, anchor) for anchor in self._safe}
            after = dict(before)
            for anchor in self._safe:
                new = anchor.places[0]
                after[anchor.qid] = reanchored(after[anchor.qid], anchor.index, new, project.corpus.document(new.doc_id))
            if not before:
                raise DoorError("there is no label to mend")
            count = len(self._safe)
            labels = "1 label" if count == 1 else f"{count} labels"
            verb = "is" if count == 1 else "are"
            edits = [Edit(qid, before[qid], after[qid]) for qid in before]
            door.edits.write(*edits, row=row, said=(f"{labels} {verb} as before", f"{labels} {verb} mended again"))
            for qid, obj in after.items():
                self._wrote(qid, obj)
            self._safe, self._looked = (), self._looked._replace(safe=())
            unsaid = unsaid_now(project, after)
        if unsaid:
            return InboxChange(f"{labels} {verb} mended, but {unsaid}", row, warn=True)
        return InboxChange(f"{labels} {verb} mended; ctrl+r in Triage measures", row)

    def obsolete(self, label_id: str, reason: str) -> InboxChange:
        """See InboxDoor."""
        from ragtriage.golden.anchoring import obsoleted

        anchor = self._anchor(label_id)
        door = self._door
        door.reread()
        with door.held() as project:
            raw = self._raw(project, anchor)
            qid = door.names.shown(anchor.qid)
            said = (f"{qid} is asked again", f"{qid} is obsolete again")
            obj = obsoleted(raw, reason)
            door.edits.write(Edit(anchor.qid, raw, obj), row=label_id, said=said)
            self._wrote(anchor.qid, obj, {name for name, one in self._found.items() if one.qid == anchor.qid})
        return InboxChange(f"{qid} is obsolete: it stays in the file and leaves every mean", label_id, qid)

    # inside

    def _id(self, anchor: Anchor) -> str:
        return f"{self._door.names.shown(anchor.qid)} {anchor.index.item}.{anchor.index.place}"

    def _anchor(self, label_id: str) -> Anchor:
        anchor = self._found.get(label_id)
        if anchor is None:
            raise DoorError("that label is no longer in the list")
        return anchor

    def _raw(self, project: Project, anchor: Anchor) -> dict[str, Any]:
        """The line of a label, which must be as it was looked at. Raises DoorError where it is another."""
        question = project.golden.get(anchor.qid)
        if question is None:
            raise DoorError(f"{self._door.names.shown(anchor.qid)} is no longer in the golden set")
        same = self._of is not None and self._of[1] == project.corpus.fingerprint
        if not same or dict(question.raw) != self._lines.get(anchor.qid):
            self._of = None
            raise DoorError("it was changed meanwhile: the labels are looked at again, nothing was written")
        return dict(question.raw)

    def _wrote(self, qid: str, obj: Mapping[str, Any], rows: Collection[str] = ()) -> None:
        """A question is another one now; these rows are done with."""
        self._lines[qid] = obj
        if self._of is not None:
            self._of = ("", self._of[1])  # it may be undone: what was found then is no longer all
        self._looked = self._looked._replace(labels=tuple(one for one in self._looked.labels if one.id not in rows))

    def _today(self, raw: str) -> str:
        try:
            return outcome(measure_one(self._door, raw), self._door).sentence
        except DoorError as error:  # it is saved, whatever measuring says
            return str(error)

    def _old(self, anchor: Anchor, most: int) -> str:
        place = anchor.place
        return scrub(one_line(anchor.old[:most] or place.doc or place.chunk))

    def _place(self, project: Project, anchor: Anchor, one: NewPlace) -> NewPlaceView:
        from ragtriage.corpus.sections import heading_at
        from ragtriage.golden.word_diff import word_diff

        document = project.corpus.document(one.doc_id)
        text, (start, end) = document.text, one.span
        heading = heading_at(document, start)
        new = text[start : min(end, start + _LONGEST)]
        diff = word_diff(anchor.old[:_LONGEST], new) if anchor.old else ()
        return NewPlaceView(
            self._door.names.shown(one.doc_id), Extent(start, end), scrub(one_line(heading[-1])) if heading else "",
            scrub(text[max(start - _AROUND, 0) : start]), scrub(new), scrub(text[end : end + _AROUND]), one.score,
            one.same_numbers, tuple(DiffPart(run.kind, scrub(run.text)) for run in diff),
        )  # fmt: skip

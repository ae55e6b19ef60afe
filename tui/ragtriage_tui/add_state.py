"""From a paste to a saved question, as states: typing, results, saved. No Textual and no engine in here.

The wording is fixed with Enter before any result shows: nobody should write a question that the system already answers.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Literal, NamedTuple

from ragtriage_tui.add_views import AddStart, Candidate, Clash, Draft, Marked, Measured, Record, Results, SavedView, Twin
from ragtriage_tui.editor import Editor
from ragtriage_tui.listing import Window
from ragtriage_tui.text import Extent
from ragtriage_tui.views import ChunkView

__all__ = ["KINDS", "AddState", "DraftFor", "Phase", "Target"]

KINDS = ("paraphrase", "exact", "multi-part", "ambiguous")
Phase = Literal["typing", "results", "saved"]
_UNDO = 200


class DraftFor(NamedTuple):
    """The draft that Document and Find mark evidence for. `marks()` are its items as they are now; `take` returns why an item
    was not taken, or an empty string."""

    name: str
    text: str
    marks: Callable[[], tuple[Marked, ...]]
    take: Callable[[Marked], str]


class Target(NamedTuple):
    """For which question evidence is marked: a saved one by its id, or a draft; neither: for none."""

    qid: str = ""
    draft: DraftFor | None = None

    @property
    def name(self) -> str:
        return self.draft.name if self.draft else self.qid


@dataclass
class AddState:
    """Everything that the drawing of Add depends on. `results` and `record` may lag behind the draft; `opened` is the draft
    that a report gave."""

    draft: Draft = field(default_factory=Draft)
    phase: Phase = "typing"
    editor: Editor = field(default_factory=lambda: Editor(lines=2))
    start: AddStart | None = None
    opened: Draft | None = None
    results: Results | None = None
    record: Record | None = None
    chunk_id: str = ""
    window: Window = field(default_factory=Window)
    active: Literal["results", "record"] = "results"
    item: int = 0
    twins: bool = False
    twin: int = 0
    zoomed: bool = False
    text_top: int = 0
    view_text: bool = False
    mentioning: bool = False
    offered: tuple[str, ...] = ()
    saved: SavedView | None = None
    measured: Measured | None = None
    _clash: tuple[Draft, Clash] | None = None
    _words: str = ""
    _before: list[Draft] = field(default_factory=list)
    _after: list[Draft] = field(default_factory=list)

    # the words

    def begin(self, draft: Draft) -> None:
        """Go on with a draft, or with a saved question."""
        self.draft = draft
        self.editor.set(draft.text)
        self.phase = "results" if draft.fixed else "typing"

    def typed(self) -> None:
        """The field has another text."""
        self.draft = replace(self.draft, text=self.editor.text)

    def fix(self) -> str:
        """Take the wording; why it cannot be taken, or an empty string."""
        words = self.editor.text.strip()
        if not words:
            return "Type or paste the question first"
        self.draft = replace(self.draft, text=words, first=self.draft.first or words)
        self.editor.set(words)
        self.phase = "results"
        if self.results is not None and self.results.text != words:
            self.results = None
        return ""

    def reword(self) -> None:
        """Back to the words; the first wording is kept."""
        self.phase = "typing"
        self.twins = False
        self._words = self.draft.text
        self.editor.set(self._words)

    def leave_words(self) -> bool:
        """Give up rewording; False where the words were never fixed."""
        if not self.draft.fixed:
            return False
        self.draft = replace(self.draft, text=self._words)
        self.editor.set(self._words)
        self.phase = "results"
        return True

    # the results

    def take_results(self, results: Results) -> bool:
        """Rows for the words as they are; whether they were taken. The cursor stays on its chunk, at first on the first."""
        if results.text != self.draft.text or not self.draft.fixed:
            return False
        moved = self.results is not None and self.chunk_id != self._first(self.results)
        self.results = results
        known = any(one.chunk.chunk_id == self.chunk_id for one in results.candidates)
        if not (moved and known):
            self.chunk_id = self._first(results)
        return True

    def _first(self, results: Results) -> str:
        return results.candidates[0].chunk.chunk_id if results.candidates else ""

    @property
    def candidates(self) -> tuple[Candidate, ...]:
        return self.results.candidates if self.results else ()

    @property
    def at(self) -> int:
        """Index of the candidate under the cursor."""
        return next((index for index, one in enumerate(self.candidates) if one.chunk.chunk_id == self.chunk_id), 0)

    @property
    def candidate(self) -> Candidate | None:
        return self.candidates[self.at] if self.candidates else None

    def marked_in(self, candidate: Candidate) -> list[Marked]:
        """Items of the draft that lie in a candidate, whole or in part."""
        span = candidate.span
        return [
            mark
            for mark in self.draft.marks
            if mark.doc_id == candidate.chunk.doc_id
            and mark.span is not None
            and mark.span.start < span.end
            and span.start < mark.span.end
        ]

    def shown(self, candidate: Candidate) -> ChunkView:
        """The candidate's row with the marked evidence in it."""
        marks = self.marked_in(candidate)
        low, high = candidate.span
        places = tuple(
            sorted(Extent(max(mark.span.start, low) - low, min(mark.span.end, high) - low) for mark in marks if mark.span)
        )
        whole = any(mark.span and low <= mark.span.start and mark.span.end <= high for mark in marks)
        return replace(candidate.chunk, evidence=places, holds="whole" if whole else "part" if marks else "none")

    def move(self, step: int) -> None:
        """Move in the active pane."""
        if self.twins:
            self.twin = min(max(self.twin + step, 0), max(len(self.twin_rows) - 1, 0))
        elif self.active == "record":
            self.item = min(max(self.item + step, 0), max(len(self.draft.marks) - 1, 0))
        elif self.view_text:
            self.text_top = max(self.text_top + step, 0)
        elif self.candidates:
            at = min(max(self.at + step, 0), len(self.candidates) - 1)
            self.chunk_id = self.candidates[at].chunk.chunk_id

    def next_pane(self) -> None:
        self.active = "record" if self.active == "results" else "results"
        self.twins = False

    @property
    def twin_rows(self) -> tuple[Twin, ...]:
        return self.record.twins if self.record else ()

    # the draft

    def replaced(self, before: Draft) -> bool:
        """Whether an item that was gone gave way to another since the draft was `before`."""
        old, new = before.marks, self.draft.marks
        return len(old) == len(new) and sum(mark.gone for mark in new) < sum(mark.gone for mark in old)

    def change(self, draft: Draft) -> None:
        """Replace the draft by an edited one; undo brings the old one back."""
        if draft == self.draft:
            return
        self._before = [*self._before[-_UNDO:], self.draft]
        self._after.clear()
        self.draft = draft

    def undo(self) -> bool:
        """Bring the draft back to before the last change; the words stay."""
        return self._step(self._before, self._after)

    def redo(self) -> bool:
        return self._step(self._after, self._before)

    def _step(self, source: list[Draft], target: list[Draft]) -> bool:
        if not source:
            return False
        target.append(self.draft)
        old = source.pop()
        self.draft = replace(old, text=self.draft.text, first=self.draft.first)
        self.item = min(self.item, max(len(self.draft.marks) - 1, 0))
        return True

    def toggle(self) -> str:
        """Mark the best sentence of the chunk under the cursor, or take away what is marked in it; why not, or nothing."""
        if self.active == "record":
            return self._drop_item()
        candidate = self.candidate
        if candidate is None:
            return "Nothing to mark here"
        if marked := self.marked_in(candidate):
            self.change(replace(self.draft, marks=tuple(mark for mark in self.draft.marks if mark not in marked)))
            return ""
        return self.mark(candidate.best)

    def _drop_item(self) -> str:
        marks = self.draft.marks
        if not marks:
            return "No evidence is marked"
        at = min(self.item, len(marks) - 1)
        self.change(replace(self.draft, marks=marks[:at] + marks[at + 1 :]))
        self.item = max(min(at, len(marks) - 2), 0)
        return ""

    def mark(self, mark: Marked) -> str:
        """Add an item of evidence; why not, or an empty string. The first that is gone gives way to it, which undo takes back:
        as long as both are wanted, such a question can never pass."""
        if not mark.quote.strip():
            return "There is no sentence to quote in this chunk; enter opens the document"
        if any(mark.doc_id == one.doc_id and mark.span == one.span for one in self.draft.marks):
            return "That is marked already"
        old = self.draft.marks
        gone = next((at for at, one in enumerate(old) if one.gone), None)
        self.change(replace(self.draft, marks=(*old, mark), answerable=True))
        if gone is not None:
            self.change(replace(self.draft, marks=(*old[:gone], mark, *old[gone + 1 :])))
        return ""

    def toggle_answer(self) -> str:
        """Say that the corpus has no answer, or take that back; why not, or an empty string."""
        if self.draft.marks and self.draft.answerable:
            return "Evidence is marked: take it off with space, or there is an answer"
        self.change(replace(self.draft, answerable=not self.draft.answerable))
        return ""

    def next_kind(self) -> str:
        if not self.draft.answerable:
            return "A question without an answer has no other kind; - takes that back"
        at = KINDS.index(self.draft.kind) if self.draft.kind in KINDS else -1
        self.change(replace(self.draft, kind=KINDS[(at + 1) % len(KINDS)]))
        return ""

    def next_split(self) -> None:
        self.change(replace(self.draft, split="holdout" if self.draft.split == "dev" else "dev"))

    def suggested(self) -> tuple[str, ...]:
        """Mentions that the evidence suggests and that are not taken."""
        return tuple(word for word in self.record.mentions if word not in self.draft.mentions) if self.record else ()

    def unsaid(self) -> tuple[str, ...]:
        """Mentions of the draft that its evidence does not say."""
        return tuple(word for word in self.draft.mentions if word in self.record.unsaid) if self.record else ()

    def take_mentions(self, mentions: tuple[str, ...]) -> None:
        self.change(replace(self.draft, mentions=tuple(dict.fromkeys(word.strip() for word in mentions if word.strip()))))

    @property
    def unchanged(self) -> bool:
        """A saved question is open, and nothing about it was changed."""
        return self.start is not None and self.start.question == self.draft

    @property
    def untouched(self) -> bool:
        """It is still what a report gave."""
        return self.opened is not None and self.opened == self.draft

    def why_not_save(self) -> str:
        """What a question still lacks; empty when it can be saved."""
        if self.draft.answerable and not self.draft.marks:
            return "No evidence yet: space marks it, - says that there is none, F searches every document"
        if self.start is not None and self.start.read_only:
            return self.start.read_only
        return "Nothing was changed" if self.unchanged else ""

    # after saving

    def take_clash(self, clash: Clash) -> None:
        """The draft was not saved; as long as it stays as it is, saving again writes ours over theirs."""
        self._clash = (self.draft, clash)

    @property
    def to_save(self) -> Draft:
        """What saving writes: the draft, or what was agreed on after a clash."""
        return self._clash[1].draft if self._clash and self._clash[0] == self.draft else self.draft

    def take_saved(self, saved: SavedView) -> None:
        self._clash = None
        self.saved = saved
        self.measured = None
        self.phase = "saved"

    def take_unsaved(self) -> None:
        """The save was undone: the draft is as it was before it."""
        self.saved = self.measured = None
        self.phase = "results"

    @property
    def passes(self) -> bool:
        """Saved as a new question, and it passes today: guard or drop. Of a fixed one nobody expects that it fails."""
        passes = self.measured is not None and self.measured.state == "passes"
        return self.phase == "saved" and passes and not self.draft.qid

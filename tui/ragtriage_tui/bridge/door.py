"""The door itself: the orders that Triage gives, and the ways to those of the other screens."""

from __future__ import annotations

import contextlib
import dataclasses
import functools
from pathlib import Path
from typing import TYPE_CHECKING

from ragtriage_tui.answer_views import Asked, Consent
from ragtriage_tui.bridge.asking import Asking
from ragtriage_tui.bridge.calibration import calibration_of_run
from ragtriage_tui.bridge.edits import Edit
from ragtriage_tui.bridge.gaps import gap_of
from ragtriage_tui.bridge.guard import engine_progress, guarded
from ragtriage_tui.bridge.holder import Holder, need_golden
from ragtriage_tui.bridge.overviews import overview_of
from ragtriage_tui.bridge.questions import question_view
from ragtriage_tui.bridge.shown import best_run
from ragtriage_tui.bridge.unsaid import unsaid_now
from ragtriage_tui.estimates import EMBEDDING
from ragtriage_tui.views import Change, News, Opened, Overview, Progress, QuestionView
from ragtriage_tui.workers import DoorError

if TYPE_CHECKING:
    from ragtriage.project import Project
    from ragtriage.types import Question
    from ragtriage_tui.bridge.add import Adder
    from ragtriage_tui.bridge.document import Documents
    from ragtriage_tui.bridge.find import Finder
    from ragtriage_tui.bridge.inbox import Inbox
    from ragtriage_tui.bridge.judgements import Judgements
    from ragtriage_tui.bridge.judging import Judging
    from ragtriage_tui.bridge.levers import Levers
    from ragtriage_tui.bridge.likeness import Likeness
    from ragtriage_tui.bridge.review import Reviews
    from ragtriage_tui.bridge.sweeps import Sweeps

__all__ = ["Door"]


class Door(Holder):
    """Everything is read when `open` is called, in a worker. Measuring has a project of its own, so that looking and labelling
    go on meanwhile."""

    def __init__(
        self, path: Path, *, overrides: tuple[str, ...] = (), groups: tuple[str, ...] | None = None, read_only: bool = False,
        trusted: bool = False,
    ) -> None:  # fmt: skip
        super().__init__(path, overrides=overrides, groups=groups, read_only=read_only, trusted=trusted)
        self._missing = 0  # texts to embed before the first run of today's files
        self._asking = Asking(self)

    # what the other screens ask; read when they are first opened

    @functools.cached_property
    def documents(self) -> Documents:
        from ragtriage_tui.bridge.document import Documents

        return Documents(self)

    @functools.cached_property
    def finder(self) -> Finder:
        from ragtriage_tui.bridge.find import Finder

        return Finder(self)

    @functools.cached_property
    def adder(self) -> Adder:
        from ragtriage_tui.bridge.add import Adder

        return Adder(self)

    @functools.cached_property
    def judging(self) -> Judging:
        from ragtriage_tui.bridge.judging import Judging

        return Judging(self)

    @functools.cached_property
    def inbox(self) -> Inbox:
        from ragtriage_tui.bridge.inbox import Inbox

        return Inbox(self)

    @functools.cached_property
    def judgements(self) -> Judgements:
        from ragtriage_tui.bridge.judgements import Judgements

        return Judgements(self)

    @functools.cached_property
    def reviews(self) -> Reviews:
        from ragtriage_tui.bridge.review import Reviews

        return Reviews(self)

    @functools.cached_property
    def sweeps(self) -> Sweeps:
        from ragtriage_tui.bridge.sweeps import Sweeps

        return Sweeps(self)

    @functools.cached_property
    def levers(self) -> Levers:
        from ragtriage_tui.bridge.levers import Levers

        return Levers(self)

    @functools.cached_property
    def likeness(self) -> Likeness:
        from ragtriage_tui.bridge.likeness import Likeness

        return Likeness(self)

    # what Triage asks

    @guarded
    def open(self, progress: Progress) -> Opened:
        told = engine_progress(progress)
        with self._lock:
            self._project = project = self._new_project(told)
            told("reading", 0, 0)
            self._log = project.verdicts
            self._watch.seen(self._watched(project))
            if found := best_run(project):
                with contextlib.suppress(DoorError):
                    self._show(guarded(project.runs.load)(found.id))
            if not project.golden.questions or (self._run is not None and self._fit(project).ranks):
                return Opened(self._overview(project), measure=False)
            try:
                self._missing = guarded(_to_embed)(project)
            except DoorError as error:
                if self._run is None:
                    raise
                # what was measured before can be looked at without a model
                return Opened(dataclasses.replace(self._overview(project), warning=str(error)), measure=False)
            return Opened(self._overview(project), measure=True, missing=self._missing)

    @guarded
    def overview(self) -> Overview:
        with self.held() as project:
            return self._overview(project)

    @guarded
    def question(self, qid: str) -> QuestionView | None:
        with self.held() as project:
            question = project.golden.get(self.names.raw(qid))
            if question is None:
                return None
            verdict = self._verdicts().get(question.qid)
            result = self._results.get(question.qid)
            for hit in result.hits if result else ():
                self.names.shown(hit.chunk_id)
            chunks = project.chunks if self._run is None or self._fit(project).texts else None
            if chunks is not None and result is not None and result.places:
                from ragtriage.measure.foreign_passages import passages_of

                chunks = passages_of([result], chunks)
            calibration = calibration_of_run(project, self._run.manifest if self._run else {})
            view = question_view(question, result, self._run, chunks, verdict.note if verdict else "", calibration)
            view = dataclasses.replace(view, gap=gap_of(project, question))
            return self.judgements.onto(view, project, result, chunks if self._run is not None else None)

    def label(self, qid: str, key: int, note: str | None = None) -> Change:
        return self.labels.record(qid, key, note)

    def undo(self) -> Change:
        return self.labels.undo()

    def redo(self) -> Change:
        return self.labels.redo()

    @guarded
    def measure(self, progress: Progress, *, bm25_only: bool = False, agreed: frozenset[str] = frozenset()) -> Overview:
        from ragtriage.measure.evaluate import evaluate

        told = engine_progress(progress)
        if self._missing and not bm25_only:
            told(EMBEDDING, 0, self._missing)  # the estimate stands there while the model starts
        else:
            told("measuring", 0, 0)
        overrides = (*self._overrides, "retrieval.mode=bm25") if bm25_only else self._overrides
        fresh = self._new_project(told, overrides)
        try:
            with self._asking.first(fresh, agreed, "measure"):
                run = evaluate(fresh, store=not (bm25_only or self._forced_read_only), progress=told)
        except BaseException:
            fresh.close()
            raise
        with self._lock:
            self._bm25_only = bm25_only
            self._show(run)
            if bm25_only:
                fresh.close()
            else:
                old = self._project
                self._missing = 0
                fresh.refresh()  # questions and labels may have come while it was measured
                need_golden(fresh)
                self._take(fresh)
                self._watch.seen(self._watched(fresh)[:2])
                if old is not None:
                    self._retire(old)
            return self.overview()

    def ask(self, qid: str, progress: Progress, agreed: frozenset[str] = frozenset()) -> Asked | Consent:
        return self._asking.ask(qid, progress, agreed)

    @guarded
    def changed(self) -> News:
        with self.held() as project:
            return self._reread(project)

    @guarded
    def raw(self, qid: str) -> str:
        from ragtriage.json_lines import dump_pretty

        with self.held() as project:
            self._not_beir(project)
            question = project.golden.get(self.names.raw(qid))
            if question is None:
                raise DoorError(f"{qid} is no longer in the golden set")
            self._given[question.qid] = question.raw
            return dump_pretty(dict(question.raw)).decode()

    @guarded
    def replace(self, qid: str, text: str) -> Change:
        from ragtriage.golden.dialects import qid_of
        from ragtriage.json_lines import load_json

        self.must_write()
        try:
            value = load_json(text, exact=True)
        except ValueError as error:
            raise DoorError(f"what was written is not JSON ({error}); nothing was changed") from None
        if not isinstance(value, dict):
            raise DoorError("what was written is not a JSON object; nothing was changed")
        raw = self.names.raw(qid)
        self.edits.write(Edit(raw, self._given.get(raw, {}), value))
        self._given[qid_of(value)] = value
        now = qid_of(value)
        with self.held() as project:
            unsaid = unsaid_now(project, [now])
        said = f"changed, but {unsaid}" if unsaid else f"{qid} was changed; ctrl+r measures again"
        return Change(self.names.shown(now), said, warn=bool(unsaid))

    def close(self) -> None:
        if self._lock.acquire(timeout=0.5):
            try:
                if self._project is not None:
                    self._project.close()
            finally:
                self._lock.release()

    # inside

    def _overview(self, project: Project) -> Overview:
        questions: tuple[Question, ...] = tuple(
            one for one in project.golden.questions if one.split == "dev" and not one.obsolete
        )
        for question in questions:
            self.names.shown(question.qid)
        return overview_of(
            project, self._run, questions, self._verdicts(), notice=self._notice(project), read_only=self.read_only,
            reports=self.inbox.waiting(project), look=self.judgements.to_look(project, self.run),
        )  # fmt: skip

    def _not_beir(self, project: Project) -> None:
        if project.beir:
            raise DoorError("a BEIR folder is only looked at; its questions are not changed here")


def _to_embed(project: Project) -> int:
    """How many texts must go through the model before the project can be measured."""
    return project.system.missing() if project.config.retrieval.mode != "bm25" else 0

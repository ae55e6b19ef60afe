"""The door itself: one project, the run that is shown, and the orders that Triage gives."""

from __future__ import annotations

import contextlib
import dataclasses
import functools
import re
import threading
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ragtriage_tui.answer_views import Asked, Consent
from ragtriage_tui.bridge.asking import Asking
from ragtriage_tui.bridge.calibration import calibration_of_run
from ragtriage_tui.bridge.edits import Edit, Edits
from ragtriage_tui.bridge.guard import engine_progress, guarded
from ragtriage_tui.bridge.labels import Labels
from ragtriage_tui.bridge.names import Names
from ragtriage_tui.bridge.overviews import overview_of
from ragtriage_tui.bridge.questions import question_view
from ragtriage_tui.bridge.shown import Fit, best_run, fit_of
from ragtriage_tui.bridge.watch import Watch
from ragtriage_tui.estimates import EMBEDDING
from ragtriage_tui.text import scrub
from ragtriage_tui.views import Change, News, Opened, Overview, Progress, QuestionView
from ragtriage_tui.workers import DoorError

if TYPE_CHECKING:
    from ragtriage.measure.results import QuestionResult, Run
    from ragtriage.project import Project
    from ragtriage.triage.verdicts import Verdict, VerdictLog
    from ragtriage.types import Question
    from ragtriage_tui.bridge.add import Adder
    from ragtriage_tui.bridge.document import Documents
    from ragtriage_tui.bridge.find import Finder
    from ragtriage_tui.bridge.judging import Judging

__all__ = ["Door"]

_NAMES = ("the golden set", "the verdicts", "the configuration")  # as `_watched` lists them


class Door:
    """Everything is read when `open` is called, in a worker. One lock guards the project; measuring has a project of its own,
    so that looking and labelling go on meanwhile."""

    def __init__(
        self, path: Path, *, overrides: tuple[str, ...] = (), groups: tuple[str, ...] | None = None, read_only: bool = False,
        trusted: bool = False,
    ) -> None:  # fmt: skip
        self._path = path
        self._overrides = overrides
        self._groups = groups
        self._forced_read_only = read_only
        self._trusted = trusted
        self._lock = threading.RLock()
        self._project: Project | None = None
        self._log: VerdictLog | None = None
        self._run: Run | None = None
        self._results: dict[str, QuestionResult] = {}
        self._watch = Watch()
        self._bm25_only = False
        self._missing = 0  # texts to embed before the first run of today's files
        self._given: dict[str, Mapping[str, Any]] = {}  # lines that were handed out to be edited, by raw id
        self.names = Names()
        self.labels = Labels(self)
        self.edits = Edits(self)
        self._asking = Asking(self)

    # what other parts of the bridge build on

    @contextlib.contextmanager
    def held(self) -> Iterator[Project]:
        """The project, for one thread at a time."""
        with self._lock:
            if self._project is None:
                raise DoorError("the project is not read yet")
            self._project.progress = _quiet  # that of the job which opened it would stop whoever reads on
            yield self._project

    @property
    def read_only(self) -> str:
        """Why nothing may be written; empty: it may."""
        return self._read_only()

    def must_write(self) -> None:
        """Raise DoorError where nothing may be written."""
        if why := self._read_only():
            raise DoorError(why)

    def wrote(self) -> None:
        """This process has just written the golden set or the verdicts itself: they are read again and nobody is told."""
        with self.held() as project:
            project.refresh()
            _need_golden(project)
            self._watch.seen(self._watched(project))

    def reread(self) -> News:
        """Read in what somebody else has changed, and say what that was; called before each write."""
        with self.held() as project:
            return self._reread(project)

    @property
    def log(self) -> VerdictLog:
        """The verdicts. Raises DoorError before the project is read."""
        return self._logged()

    def wrote_log(self) -> None:
        """This process has just written a verdict."""
        self._watch.seen([self._logged().path])

    @property
    def kept_run(self) -> str:
        """The id of the run that is shown, empty where it is not kept."""
        return self._run.id if self._run and not self._bm25_only else ""

    @property
    def shown_run(self) -> Run | None:
        """The run that is shown, whatever files it is of."""
        with self._lock:
            return self._run

    @property
    def notice(self) -> str:
        """What sets that run apart from today's files; empty where nothing does."""
        with self.held() as project:
            return self._notice(project)

    @property
    def run(self) -> Run | None:
        """The run that is shown; None also where its chunk ids and places are not those of today's documents."""
        with self._lock:
            return self._run if self._run and self._project and self._fit(self._project).texts else None

    def result(self, raw: str) -> QuestionResult | None:
        """What `run` says of a question, by its raw id."""
        return self._results.get(raw) if self.run else None

    def seen(self, raw: str) -> str:
        """What one looks at who looks at a question in the list, as verdicts keep it."""
        found = self._results.get(raw)
        return found.seen if found else ""

    def verdict(self, raw: str) -> Verdict | None:
        """What a person said of a question, by its raw id."""
        return self._verdicts().get(raw)

    def put(self, result: QuestionResult, timings: Sequence[Mapping[str, Any]] = ()) -> bool:
        """One question was measured by itself: what it did takes its place in the run that is shown, if that measured as it
        was measured; whether it did. `timings` are those of its answers."""
        with self._lock:
            run, project = self._run, self._project
            if run is None or project is None or not self._fit(project).ranks:
                return False
            others = tuple(one for one in run.questions if one.qid != result.qid)
            kept = tuple(one for one in run.timings if one.get("qid") != result.qid)
            own = tuple(one for one in timings if one.get("qid") == result.qid)
            self._show(dataclasses.replace(run, questions=(*others, result), timings=(*kept, *own)))
            return True

    def fresh(self, progress: Progress) -> Project:
        """A project of its own on today's files, for work that takes long. Who has it closes it."""
        return self._new_project(progress)

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
            calibration = calibration_of_run(project, self._run.manifest if self._run else {})
            return question_view(question, result, self._run, chunks, verdict.note if verdict else "", calibration)

    def label(self, qid: str, key: int, note: str | None = None) -> Change:
        return self.labels.record(qid, key, note)

    def undo(self) -> Change:
        return self.labels.undo()

    def redo(self) -> Change:
        return self.labels.redo()

    @guarded
    def measure(self, progress: Progress, *, bm25_only: bool = False) -> Overview:
        from ragtriage.measure.evaluate import evaluate

        told = engine_progress(progress)
        if self._missing and not bm25_only:
            told(EMBEDDING, 0, self._missing)  # the estimate stands there while the model starts
        else:
            told("measuring", 0, 0)
        overrides = (*self._overrides, "retrieval.mode=bm25") if bm25_only else self._overrides
        fresh = self._new_project(told, overrides)
        try:
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
                _need_golden(fresh)
                self._take(fresh)
                self._watch.seen(self._watched(fresh)[:2])
                if old is not None:
                    old.close()
            return self.overview()

    def ask(self, qid: str, progress: Progress, agreed: frozenset[str] = frozenset()) -> Asked | Consent:
        return self._asking.ask(qid, progress, agreed)

    @guarded
    def changed(self) -> News:
        with self.held() as project:
            return self._reread(project)

    @guarded
    def raw(self, qid: str) -> str:
        from ragtriage.files import dump_pretty

        with self.held() as project:
            self._not_beir(project)
            question = project.golden.get(self.names.raw(qid))
            if question is None:
                raise DoorError(f"{qid} is no longer in the golden set")
            self._given[question.qid] = question.raw
            return dump_pretty(dict(question.raw)).decode()

    @guarded
    def replace(self, qid: str, text: str) -> Change:
        from ragtriage.files import load_json
        from ragtriage.golden.dialects import qid_of

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
        return Change(self.names.shown(qid_of(value)), f"{qid} was changed; ctrl+r measures again")

    def close(self) -> None:
        if self._lock.acquire(timeout=0.5):
            try:
                if self._project is not None:
                    self._project.close()
            finally:
                self._lock.release()

    # inside

    def _new_project(self, told: Progress, overrides: tuple[str, ...] | None = None) -> Project:
        from ragtriage.project import Project

        chosen = self._overrides if overrides is None else overrides
        project = Project.open(self._path, overrides=chosen, groups=self._groups, trusted=self._trusted, progress=told)
        _need_golden(project)
        return project

    def _watched(self, project: Project) -> list[Path]:
        config = project.config.source or project.root / "ragtriage.toml"
        return [project.golden_path, self._logged().path, config]

    def _reread(self, project: Project) -> News:
        """Read in what somebody else changed, and say what that was."""
        changed = self._watch.changed()
        if not changed:
            return News()
        watched = self._watched(project)
        what = [name for path, name in zip(watched, _NAMES, strict=True) if path in changed]
        wrong = ""
        if watched[2] in changed:
            try:
                self._take(guarded(self._new_project)(project.progress))
                project.close()
            except DoorError as error:  # half written, say
                what.remove(_NAMES[2])
                wrong = _what_is_wrong(error)
        if self._project is project:
            project.refresh()
            _need_golden(project)
        self._watch.seen(watched)
        told = [f"{' and '.join(what)} changed on disk and {'were' if len(what) > 1 else 'was'} read again"] if what else []
        return News("; ".join([*([wrong] if wrong else []), *told]), bool(wrong))

    def _take(self, project: Project) -> None:
        """Put a project that was just opened in the place of the one there was."""
        self._project = project
        if self._log is None or self._log.path != project.verdicts.path:
            # another golden set has verdicts of its own, and nothing of it was edited yet
            self._log = project.verdicts
            self._given.clear()
            self.edits = Edits(self)
            self._watch = Watch()
            self._watch.seen(self._watched(project))

    def _fit(self, project: Project) -> Fit:
        return fit_of(self._run.manifest if self._run else {}, project)

    def _show(self, run: Run) -> None:
        self._run = run
        self._results = {result.qid: result for result in run.questions}

    def _overview(self, project: Project) -> Overview:
        questions: tuple[Question, ...] = tuple(one for one in project.golden.questions if one.split == "dev")
        for question in questions:
            self.names.shown(question.qid)
        return overview_of(
            project, self._run, questions, self._verdicts(), notice=self._notice(project), read_only=self._read_only()
        )

    def _notice(self, project: Project) -> str:
        if self._run is None:
            return ""
        if self._bm25_only:
            return "BM25 alone, as long as not everything is embedded"
        return self._fit(project).notice

    def _read_only(self) -> str:
        if self._forced_read_only:
            return "opened with --read-only; nothing is written"
        if self._project is not None and self._project.read_only and not self._project.beir:
            return f"{self._project.root} is read-only"
        return ""

    def _logged(self) -> VerdictLog:
        if self._log is None:
            raise DoorError("the project is not read yet")
        return self._log

    def _verdicts(self) -> dict[str, Verdict]:
        return self._logged().current()

    def _not_beir(self, project: Project) -> None:
        if project.beir:
            raise DoorError("a BEIR folder is only looked at; its questions are not changed here")


def _quiet(stage: str, done: int, total: int) -> None:
    """Progress that nobody looks at."""


def _to_embed(project: Project) -> int:
    """How many texts must go through the model before the project can be measured."""
    return project.system.missing() if project.config.retrieval.mode != "bm25" else 0


def _what_is_wrong(error: DoorError) -> str:
    """Why a configuration cannot be used, the line first: a footer is short."""
    from ragtriage.config import FILE_NAME

    first, *others = str(error).splitlines() or [""]
    said = first.rpartition(f"/{FILE_NAME}:")[2].strip()
    at = re.search(r" \(at line (\d+), column \d+\)$", said)
    if at is not None:
        said = f"{at[1]}: {said[: at.start()]}"
    place = f"{FILE_NAME}:{said}" if said[:1].isdigit() else said
    more = f" and {len(others)} more" if others else ""
    return scrub(f"the old configuration stays: {place}{more}")


def _need_golden(project: Project) -> None:
    """A project without a golden file has an empty golden set here: the app is where the first question is added."""
    from ragtriage.golden.file import GoldenSet

    if not project.beir and not project.golden_path.exists():
        project.__dict__["golden"] = GoldenSet(project.golden_path, ())

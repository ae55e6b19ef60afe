"""The project that the app holds: its files, the run that is shown, one lock. What all parts of the bridge build on."""

from __future__ import annotations

import contextlib
import dataclasses
import re
import threading
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ragtriage_tui.bridge.edits import Edits
from ragtriage_tui.bridge.guard import guarded
from ragtriage_tui.bridge.labels import Labels
from ragtriage_tui.bridge.names import Names
from ragtriage_tui.bridge.shown import Fit, fit_of
from ragtriage_tui.bridge.watch import Watch
from ragtriage_tui.text import scrub
from ragtriage_tui.views import News, Progress
from ragtriage_tui.workers import DoorError

if TYPE_CHECKING:
    from ragtriage.measure.results import QuestionResult, Run
    from ragtriage.project import Project
    from ragtriage.triage.verdicts import Verdict, VerdictLog

__all__ = ["Holder", "need_golden"]

_NAMES = ("the golden set", "the verdicts", "the configuration")  # as `_watched` lists them


class Holder:
    """One lock guards the project; what takes long works on a project of its own, see `fresh`."""

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
        self._lent: list[Project] = []
        self._given: dict[str, Mapping[str, Any]] = {}  # lines that were handed out to be edited, by raw id
        self.names = Names()
        self.labels = Labels(self)
        self.edits = Edits(self)

    @contextlib.contextmanager
    def held(self) -> Iterator[Project]:
        """The project, for one thread at a time."""
        with self._lock:
            if self._project is None:
                raise DoorError("the project is not read yet")
            self._project.progress = _quiet  # that of the job which opened it would stop whoever reads on
            yield self._project

    @property
    def overrides(self) -> tuple[str, ...]:
        """The keys that were set on the command line."""
        return self._overrides

    @property
    def read_only(self) -> str:
        """Why nothing may be written; empty: it may."""
        if self._forced_read_only:
            return "opened with --read-only; nothing is written"
        if self._project is not None and self._project.read_only and not self._project.beir:
            return f"{self._project.root} is read-only"
        return ""

    def must_write(self) -> None:
        """Raise DoorError where nothing may be written."""
        if why := self.read_only:
            raise DoorError(why)

    def must_keep(self) -> None:
        """Raise DoorError where not even what is measured may be kept."""
        if self._forced_read_only:
            raise DoorError(self.read_only)

    def wrote(self) -> None:
        """This process has just written the golden set or the verdicts itself: they are read again and nobody is told."""
        with self.held() as project:
            project.refresh()
            need_golden(project)
            self._watch.seen(self._watched(project))

    def reread(self) -> News:
        """Read in what somebody else has changed, and say what that was; called before each write."""
        with self.held() as project:
            return self._reread(project)

    @property
    def log(self) -> VerdictLog:
        """The verdicts. Raises DoorError before the project is read."""
        if self._log is None:
            raise DoorError("the project is not read yet")
        return self._log

    def wrote_log(self) -> None:
        """This process has just written a verdict."""
        self._watch.seen([self.log.path])

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

    @contextlib.contextmanager
    def lent(self, progress: Progress) -> Iterator[Project]:
        """A project for work that takes long, over the documents, the golden set and the encoder process of the one that is
        held; that one is not closed meanwhile, whatever takes its place."""
        with self.held() as held:
            own = held.variant(held.config)
            self._lent.append(held)
        own.progress = progress
        try:
            yield own
        finally:
            own.close()
            with self._lock:
                self._lent.remove(held)
                if held is not self._project and held not in self._lent:
                    held.close()

    def wrote_config(self) -> None:
        """This process has just written the configuration: it is the one in use."""
        with self.held() as old:
            self._take(guarded(self._new_project)(_quiet))
            self._retire(old)
            self._watch.seen(self._watched(self._project or old))

    # inside

    def _retire(self, project: Project) -> None:
        """Another project has taken its place: close it, or let who has it lent do so."""
        if project not in self._lent:
            project.close()

    def _new_project(self, told: Progress, overrides: tuple[str, ...] | None = None) -> Project:
        from ragtriage.project import Project

        chosen = self._overrides if overrides is None else overrides
        project = Project.open(self._path, overrides=chosen, groups=self._groups, trusted=self._trusted, progress=told)
        need_golden(project)
        return project

    def _watched(self, project: Project) -> list[Path]:
        config = project.config.source or project.root / "ragtriage.toml"
        return [project.golden_path, self.log.path, config]

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
                self._retire(project)
            except DoorError as error:  # half written, say
                what.remove(_NAMES[2])
                wrong = _what_is_wrong(error)
        if self._project is project:
            project.refresh()
            need_golden(project)
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

    def _notice(self, project: Project) -> str:
        if self._run is None:
            return ""
        if self._bm25_only:
            return "BM25 alone, as long as not everything is embedded"
        return self._fit(project).notice

    def _verdicts(self) -> dict[str, Verdict]:
        return self.log.current()


def _quiet(stage: str, done: int, total: int) -> None:
    """Progress that nobody looks at."""


def _what_is_wrong(error: DoorError) -> str:
    """Why a configuration cannot be used, the line first: a footer is short."""
    from ragtriage.config_file import FILE_NAME

    first, *others = str(error).splitlines() or [""]
    said = first.rpartition(f"/{FILE_NAME}:")[2].strip()
    at = re.search(r" \(at line (\d+), column \d+\)$", said)
    if at is not None:
        said = f"{at[1]}: {said[: at.start()]}"
    place = f"{FILE_NAME}:{said}" if said[:1].isdigit() else said
    more = f" and {len(others)} more" if others else ""
    return scrub(f"the old configuration stays: {place}{more}")


def need_golden(project: Project) -> None:
    """A project without a golden file has an empty golden set here: the app is where the first question is added."""
    from ragtriage.golden.file import GoldenSet

    if not project.beir and not project.golden_path.exists():
        project.__dict__["golden"] = GoldenSet(project.golden_path, ())

"""A project as a revision has it: its own configuration and documents, with caches, runs and agreements of today's project."""

from __future__ import annotations

import contextlib
import dataclasses
import hashlib
import os
from collections.abc import Callable, Iterator, Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from ragtriage.config import Config
from ragtriage.config_file import FILE_NAME, config_of, load_config
from ragtriage.dangers import BEIR_FILES
from ragtriage.errors import ConfigError, UsageError
from ragtriage.git import Repository
from ragtriage.project import Project
from ragtriage.project_places import NO_MODEL, SHIPPED_VECTORS
from ragtriage.project_root import is_beir
from ragtriage.revisions.export import Entry, Export
from ragtriage.revisions.naming import Revision
from ragtriage.revisions.slots import export_folder
from ragtriage.revisions.sparse import absent_from_checkout, sparse_note

if TYPE_CHECKING:
    from ragtriage.corpus.base import Corpus
    from ragtriage.golden.file import GoldenSet
    from ragtriage.measure.runs import RunStore
    from ragtriage.triage.verdicts import VerdictLog

__all__ = ["RevisionProject", "Side", "opened"]

_NAMED = 5


class RevisionProject(Project):
    """The project of an export at `root`. What a person agreed to, and where a program runs, is today's project: a program that
    only the export holds is never run. With `golden` that golden set is measured instead of the revision's own. `label` is how
    messages call the revision.
    """

    def __init__(
        self, today: Project, root: Path, config: Config, *, beir: Path | None, golden: GoldenSet | None, label: str
    ) -> None:
        super().__init__(
            root, config, beir=beir, groups=today.groups, qrels=today.qrels, typed=today.typed, trusted=today.trusted,
            progress=today.progress,
        )  # fmt: skip
        self.__dict__["consent"] = today.consent
        self.today = today
        self.label = label
        self._golden = golden
        self.documents_outside = False
        self.fill: Callable[[], None] = lambda: None
        """Exports the documents; called before they are read, which often they need not be."""

    @property
    def name(self) -> str:
        return self.today.name

    @property
    def agreed_root(self) -> Path:
        return self.today.agreed_root

    @property
    def corpus_root(self) -> Path:
        return self.today.corpus_root if self.documents_outside else super().corpus_root

    @cached_property
    def corpus(self) -> Corpus:
        self.fill()
        root = self.corpus_root
        if not root.is_dir():  # every file that the patterns take led out, or is a pointer
            root.mkdir(parents=True, exist_ok=True)
        return super().corpus

    @cached_property
    def read_only(self) -> bool:
        return self.today.read_only

    @cached_property
    def state(self) -> Path:
        return self.today.state

    @cached_property
    def runs(self) -> RunStore:
        return self.today.runs

    @cached_property
    def verdicts(self) -> VerdictLog:
        return self.today.verdicts

    @cached_property
    def golden(self) -> GoldenSet:
        if self._golden is not None:
            return self._golden
        own = super().golden
        shown = f"{self.label}:{self.config.golden.path}"  # the export is gone when somebody reads this
        told = (dataclasses.replace(one, where=shown) if one.where == str(own.path) else one for one in own.problems)
        return dataclasses.replace(own, problems=tuple(told))

    def _model(self, name: str) -> str:
        """A folder of the export; one that git does not keep is where it is today."""
        found = super()._model(name)
        return self.today._model(name) if found == name else found


class Side(NamedTuple):
    """One revision, exported but for its documents, which are when they are first read.

    `content` hashes all that it is, documents too; "" where that cannot be told. `golden_file` is None where it has none;
    `golden_is_given`: another golden set than its own is measured. `filtered` are the files that a filter makes others in a
    working tree.
    """

    project: RevisionProject
    revision: Revision
    export: Export
    content: str
    told: tuple[str, ...]
    golden_file: Path | None
    golden_is_given: bool = False
    filtered: tuple[str, ...] = ()

    @property
    def notes(self) -> tuple[str, ...]:
        """Sentences about what is not as one would think."""
        links = sorted(self.export.links_out)[:_NAMED]
        return (*self.told, *(f"link out of the repository, left alone: {name}" for name in links))

    @property
    def incomplete(self) -> str:
        """Why its figures cannot be compared, "" where they can; known when its documents have been read."""
        if missing := sorted(self.export.missing):
            return f"Git LFS keeps {_few(missing)} elsewhere and it is not here; git lfs fetch brings it"
        if self.filtered:
            return f"a filter of .gitattributes makes {_few(self.filtered)} what it is in a checkout, and none runs here"
        return ""


@contextlib.contextmanager
def opened(
    today: Project,
    repository: Repository,
    revision: Revision,
    *,
    overrides: Sequence[str] = (),
    golden: GoldenSet | None = None,
) -> Iterator[Side]:
    """`revision` of today's project, exported while the context lasts. Raises UsageError, ConfigError, StorageError."""
    with export_folder(today.cache, today.root) as folder:
        export = Export(repository, revision, folder)
        side = _Opening(today, repository, revision, export, tuple(overrides)).side(golden)
        try:
            yield side
        finally:
            side.project.close()


class _Opening:
    """Finding out which files of a revision matter, in the order in which that can be known."""

    def __init__(
        self, today: Project, repository: Repository, revision: Revision, export: Export, overrides: tuple[str, ...]
    ) -> None:
        self.today = today
        self.repository = repository
        self.revision = revision
        self.export = export
        self.overrides = overrides
        self.notes: list[str] = []
        self.taken: list[Entry] = []
        self.documents: list[Entry] = []

    def side(self, golden: GoldenSet | None) -> Side:
        folder = self._folder()
        root = self.export.tree / folder
        root.mkdir(parents=True, exist_ok=True)
        config = self._config(root)
        beir = self._take_beir(folder, config) if self.today.beir else None
        project = RevisionProject(self.today, root, config, beir=beir, golden=golden, label=self.revision.label)
        golden_file = None
        if beir is None:
            golden_file = self._take_inside(folder, "golden.path", config.golden.path)
            self._take_inside(folder, "answers.prompt", config.answers.prompt)
            model = config.embedding.model if config.embedding.provider == "local" else ""
            recorded = config.retrieval.recorded if config.retrieval.system == "recorded" else ""
            for name in (SHIPPED_VECTORS, model, config.embedding.tokenizer, config.retrieval.rerank, recorded):
                if name and name not in NO_MODEL:
                    self._take(folder, name)
            project.documents_outside = not self._find_documents(folder, config)
            project.fill = lambda: self.export.write(self.documents)
        if golden is None and beir is None and golden_file is None:
            raise UsageError(f"{self.revision.label}: has no golden set at {config.golden.path}")
        filtered = tuple(sorted(self.export.filtered(self.taken)))
        content = self._content(project) if not filtered else ""
        given = golden is not None
        return Side(project, self.revision, self.export, content, tuple(self.notes), golden_file, given, filtered)

    def _folder(self) -> str:
        """The project's folder in this revision: where it is today, else the one place that has a configuration."""
        here = self.repository.prefix
        if _join(here, FILE_NAME) in self.export.entries or self.today.config.source is None:
            return here
        others = sorted(path for path in self.export.entries if path.rpartition("/")[2] == FILE_NAME)
        if len(others) == 1:
            folder = others[0].rpartition("/")[0]
            self.notes.append(f"{self.revision.label} has its {FILE_NAME} in {folder or 'the top folder'}; that one counts")
            return folder
        if others:
            raise UsageError(
                f"{self.revision.label}: there is no {_join(here, FILE_NAME)}, and which of these was it is not plain: "
                + ", ".join(others[:5])
            )
        if not self.export.below(here):
            raise UsageError(f"{self.revision.label}: the folder {here or '.'} has no files there; name a later revision")
        self.notes.append(f"{self.revision.label} has no {FILE_NAME}; everything is at its default there")
        return here

    def _config(self, root: Path) -> Config:
        prefix = os.path.relpath(root, self.export.tree)
        self._take("" if prefix == "." else prefix, FILE_NAME)
        file = root / FILE_NAME
        try:
            return load_config(config_of(root), self.overrides)
        except ConfigError as error:
            shown = f"{self.revision.label}:{FILE_NAME}"
            problems = [dataclasses.replace(one, where=shown) if one.where == str(file) else one for one in error.problems]
            text = "\n".join(map(str, problems)) if problems else str(error).replace(str(file), shown)
            raise ConfigError(text, problems) from None

    def _take(self, folder: str, name: str) -> None:
        """`name` of the project's folder with everything under it, where it is in this revision at all."""
        path = _inside(folder, name)
        if path is not None:
            self.taken += self.export.take(path)

    def _take_inside(self, folder: str, key: str, name: str) -> Path | None:
        """A file that has to lie in the project; None where this revision does not have it. Raises ConfigError."""
        if not name:
            return None
        root = (self.export.tree / folder).resolve()
        path = _inside(folder, name)
        if path is None or not (self.export.tree / path).resolve().is_relative_to(root):
            raise ConfigError(f"{self.revision.label}:{FILE_NAME}: {key}: {name} lies outside the project")
        self.taken += self.export.take(path)
        place = self.export.tree / path
        if not place.is_file():
            return None
        if not place.resolve().is_relative_to(root):
            raise ConfigError(f"{self.revision.label}:{FILE_NAME}: {key}: {name} lies outside the project")
        return place

    def _find_documents(self, folder: str, config: Config) -> bool:
        """Find the corpus. False where it lies outside the repository, where no revision of it is known."""
        from ragtriage.corpus.walk import matcher

        path = _inside(folder, config.corpus.path or ".")
        if path is None:
            if config.corpus.path != self.today.config.corpus.path:
                raise UsageError(f"{self.revision.label}: its documents ({config.corpus.path}) lie outside the repository")
            self.notes.append(
                f"the documents ({config.corpus.path}) lie outside the repository: both sides are measured on today's"
            )
            return False
        takes, absent = matcher(config.corpus.include), absent_from_checkout(self.repository)
        self.documents = [entry for entry in self.export.find(path, takes) if entry.path not in absent]
        self.taken += self.documents
        if note := sparse_note(absent, path, takes, shown=config.corpus.path):
            self.notes.append(note)
        for name in self.export.submodules(path)[:5]:
            self.notes.append(f"{name} is a submodule: {self.revision.label} only knows its commit, so its files are left out")
        if not self.export.is_folder(path):
            raise UsageError(f"{self.revision.label}: has no documents in {config.corpus.path}{self._submodule_hint(path)}")
        return True

    def _submodule_hint(self, path: str) -> str:
        names = self.export.submodules(path)
        return f"; {names[0]} is a submodule, whose files are not in this repository" if names else ""

    def _take_beir(self, folder: str, config: Config) -> Path:
        base = self.today.beir.relative_to(self.today.root).as_posix() if self.today.beir else "."
        place = _inside(folder, base)
        for name in BEIR_FILES:
            self.taken += self.export.take(_join(place or "", name))
        beir = self.export.tree / (place or "")
        if not is_beir(beir):
            raise UsageError(f"{self.revision.label}: has no BEIR set (queries.jsonl with corpus.jsonl) in {base}")
        return beir

    def _content(self, project: RevisionProject) -> str:
        rows = sorted({(entry.mode, entry.oid, entry.path) for entry in self.taken})
        text = b"\0".join(os.fsencode(" ".join(row)) for row in rows)
        return hashlib.sha256(text).hexdigest() if not self.export.missing and not project.documents_outside else ""


def _few(names: Sequence[str]) -> str:
    return ", ".join(names[:3]) + (f" and {len(names) - 3} more" if len(names) > 3 else "")


def _join(folder: str, name: str) -> str:
    return f"{folder}/{name}" if folder else name


def _inside(folder: str, name: str) -> str | None:
    """`name` of a folder as a path below the repository's top, "" for the top itself; None where it leads out of it."""
    if not name.strip() or "\0" in name or name.startswith("/"):
        return None
    path = os.path.normpath(_join(folder, name))
    if path == ".." or path.startswith(("../", "/")):
        return None
    return "" if path == "." else path

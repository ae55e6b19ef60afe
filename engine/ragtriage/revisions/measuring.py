"""Measuring one side: a commit's own configuration and documents, or the working tree as it is now."""

from __future__ import annotations

import copy
import dataclasses
import os
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from ragtriage.chunking.chunks import stored_columns
from ragtriage.errors import StorageError, UsageError
from ragtriage.git import Repository, said
from ragtriage.ids import fingerprint
from ragtriage.measure.corpus_then import remember_documents, remembered_documents
from ragtriage.measure.evaluate import AnswersMode, SplitChoice, evaluate
from ragtriage.measure.label_shas import known_label_shas
from ragtriage.measure.results import Run
from ragtriage.project import Project
from ragtriage.project_fingerprint import ENGINE_VERSION
from ragtriage.remote.estimate import Agree
from ragtriage.revisions.kept import keep_run, kept_run
from ragtriage.revisions.labels import as_labelled_then, own_golden
from ragtriage.revisions.lfs import kept_elsewhere
from ragtriage.revisions.naming import Revision
from ragtriage.revisions.side import Side, opened
from ragtriage.types import Progress, no_progress
from ragtriage.versions import installed_version

if TYPE_CHECKING:
    from ragtriage.golden.file import GoldenSet

__all__ = [
    "Asking", "Measured", "in_revisions", "left_out_notes", "measure_revision", "measure_side", "measure_working_tree",
]  # fmt: skip

_VERSION = 1  # of what is kept of a measured revision


class Asking(NamedTuple):
    """Which answers are made, and who is asked before a model is; without anybody only what is known already is used."""

    answers: AnswersMode = "both"
    ask: Agree | None = None
    split: SplitChoice = "dev"


class Measured(NamedTuple):
    """A side's run, the texts that were embedded for it (0 where it was known), and what is worth knowing about it.

    `own_golden` is the revision's own golden set where another one was measured, None where it has none.
    """

    run: Run
    encoded: int
    notes: tuple[str, ...] = ()
    incomplete: str = ""
    own_golden: GoldenSet | None = None


def measure_revision(
    project: Project,
    repository: Repository,
    revision: Revision,
    asking: Asking,
    *,
    golden: GoldenSet,
    overrides: Sequence[str] = (),
    progress: Progress = no_progress,
) -> Measured:
    """Measure `project` as `revision` has it, over `golden`. Nothing is stored in the project.

    `overrides` are the keys set on the command line, which count for every side. Raises UsageError, ConfigError, StorageError.
    """
    with opened(project, repository, revision, overrides=overrides, golden=golden) as side:
        return measure_side(side, asking, progress=progress)


def measure_side(side: Side, asking: Asking, *, progress: Progress = no_progress) -> Measured:
    """Measure an exported revision, or take what is known of it.

    Where it was measured over another golden set than its own, its run says of each question how it was labelled then.
    """
    project = side.project
    key = _key(side, asking)
    run = kept_run(project.cache, key) if key else None
    encoded = 0
    if run is not None and _still_known(project, run):
        side.export.links_out += run.manifest.get("links_out", [])
    else:
        run = evaluate(project, split=asking.split, answers=asking.answers, ask=asking.ask, store=False, progress=progress)
        encoded = int(run.manifest["encoded"])
        remember_documents(project)
        if key and not side.incomplete and not any(question.status == "failed" for question in run.questions):
            run = dataclasses.replace(run, manifest={**run.manifest, "links_out": list(side.export.links_out)})
            keep_run(project.cache, key, run)
    about = {"project": project.name, "revision": _revision(side.revision)}
    name = f"{side.revision.short}-{fingerprint([run.manifest['fingerprints']])[:8]}"  # a kept one may be another commit's
    run = dataclasses.replace(run, id=name, manifest={**run.manifest, **about})
    own = own_golden(side) if side.golden_is_given else None
    if own is not None:
        run = as_labelled_then(run, own, project.golden)
    return Measured(run, encoded, (*side.notes, *_not_agreed(side), *_asked_now(side)), side.incomplete, own)


def measure_working_tree(
    project: Project,
    repository: Repository,
    revision: Revision,
    asking: Asking,
    *,
    store: bool,
    progress: Progress = no_progress,
) -> Measured:
    """Measure the files as they are; the newest run of exactly these is taken where there is one.

    What .gitignore names and what submodules hold is no part of a revision, so it is left out here too: then the run is not
    stored with the others.
    """
    whole, project = project, in_revisions(project, repository)
    left_out = project is not whole
    incomplete = kept_elsewhere(project.corpus.documents)
    run: Run | None = None
    if asking.split == "dev" and asking.answers == "both" and asking.ask is None and not project.is_asked_live:
        info = project.runs.newest(project.fingerprints())
        try:
            run = project.runs.load(info.id) if info else None
        except StorageError:  # a damaged run is measured again
            run = None
        if run is not None and any(question.status == "failed" for question in run.questions):
            run = None
    encoded = 0
    if run is None:
        if store and not left_out:
            hide_state(project)
        run = evaluate(
            project,
            split=asking.split,
            answers=asking.answers,
            ask=asking.ask,
            store=store and not left_out,
            progress=progress,
        )
        encoded = int(run.manifest["encoded"])
        remember_documents(project)
    run = dataclasses.replace(run, manifest={**run.manifest, "revision": _revision(revision)})
    return Measured(run, encoded, left_out_notes(project), incomplete)


def in_revisions(project: Project, repository: Repository) -> Project:
    """The project without the documents that no commit of the repository can have: those that .gitignore names and those in
    submodules. The project itself where there are none. Raises UsageError."""
    left_out = [*_ignored(project, repository), *_in_submodules(project, repository)]
    return _without(project, left_out) if left_out else project


def left_out_notes(project: Project) -> tuple[str, ...]:
    """A sentence about the documents that `in_revisions` left out; none where it left out nothing."""
    number = len(project.ignored)
    files = "1 file" if number == 1 else f"{number} files"
    where = project.config.corpus.path
    return (f"in no commit, because git ignores it or a submodule has it, so left out: {files} of {where}",) if number else ()


def hide_state(project: Project) -> None:
    """Make `.ragtriage` with its .gitignore in one step, so that git never sees a file in there, whenever we are killed."""
    folder = project.state
    ignore = folder / ".gitignore"
    if folder.parent != project.root or ignore.exists() or not hasattr(os, "O_TMPFILE"):
        return
    try:
        folder.mkdir(exist_ok=True)
        descriptor = os.open(folder, os.O_TMPFILE | os.O_WRONLY, 0o644)
    except OSError:  # a file system without such files: the usual way will do
        return
    try:
        os.write(descriptor, b"*\n")
        os.fsync(descriptor)
        os.link(f"/proc/self/fd/{descriptor}", ignore, follow_symlinks=True)
    except OSError:
        pass
    finally:
        os.close(descriptor)


def _not_agreed(side: Side) -> list[str]:
    """What the revision's own configuration would run or send without anybody's word: it is not, and that is said."""
    from ragtriage.trust import untrusted

    project = side.project
    if project.trusted:
        return []
    dangers = untrusted(project.agreed_root, project.config, typed=project.typed)
    return [
        f"{side.revision.label}: nobody has agreed to its {one.table}, so nothing of it runs: {one.summary}" for one in dangers
    ]


def _asked_now(side: Side) -> list[str]:
    """A system that is not ours has no revisions that are known here, and that is said."""
    project = side.project
    if not project.is_asked_live:
        return []
    name = project.config.retrieval.system
    return [f"{side.revision.label}: its system ({name}) is asked as it is now, not as it was then; the documents are as then"]


def _revision(revision: Revision) -> dict[str, object]:
    return {"name": revision.name, "commit": revision.commit, "working_tree": revision.working}


def _key(side: Side, asking: Asking) -> str:
    """What a side's run depends on; "" where that cannot be told, or where more may be known of its answers tomorrow."""
    project = side.project
    if (
        not side.content
        or side.incomplete
        or project.config.answers.generator != "extractive"
        or project.config.judge.provider != "none"
        or project.is_foreign  # it is asked as it is now
        or project.config.retrieval.rerank == "command"  # a question that it failed at may be found tomorrow
    ):
        return ""
    versions = [installed_version(name) for name in ("ragtriage", "tantivy", "usearch", "numpy")]
    shas = sorted(known_label_shas(project).items())
    tables = {**project.config.as_dict(), "run": {}}
    return fingerprint(
        [_VERSION, ENGINE_VERSION, versions, side.content, tables, project.config_fingerprint(), project.golden.fingerprint,
         project.beir is not None, asking.answers, asking.split, shas]
    )  # fmt: skip


def _still_known(project: Project, run: Run) -> bool:
    """Whether what goes with a kept run is there too: documents and chunks, by which sides are told apart."""
    corpus = str(run.manifest.get("fingerprints", {}).get("corpus", ""))
    chunks = str(run.manifest.get("chunk_fingerprint", ""))
    return remembered_documents(project.cache, corpus) is not None and stored_columns(project.cache, chunks) is not None


def _ignored(project: Project, repository: Repository) -> list[Path]:
    """Documents by the configuration that .gitignore names and that are in no commit."""
    from ragtriage.corpus.walk import matcher

    folder = project.corpus_root.resolve()
    if project.beir or not folder.is_relative_to(repository.top):
        return []
    listing = ("ls-files", "-z", "--others", "--ignored", "--exclude-standard", "--")
    done = repository.ask("--literal-pathspecs", *listing, os.fspath(folder))
    if done.returncode:
        raise UsageError(f"{repository.top}: git does not list what is ignored: {said(done)}")
    takes = matcher(project.config.corpus.include)
    paths = [repository.top / os.fsdecode(name) for name in done.stdout.split(b"\0") if name]
    below = [(path, path.relative_to(folder)) for path in paths if path.is_relative_to(folder)]
    return [path for path, name in below if takes(name.as_posix()) and not any(part.startswith(".") for part in name.parts)]


def _in_submodules(project: Project, repository: Repository) -> list[Path]:
    """Documents by the configuration that lie in submodules: a commit of this repository only knows which commit of theirs."""
    from ragtriage.corpus.walk import matcher, walk

    folder = project.corpus_root.resolve()
    if project.beir or not folder.is_relative_to(repository.top):
        return []
    done = repository.ask("--literal-pathspecs", "ls-files", "-z", "-s", "--", os.fspath(folder))
    if done.returncode:
        raise UsageError(f"{repository.top}: git does not list its submodules: {said(done)}")
    rows = (row.partition(b"\t") for row in done.stdout.split(b"\0") if row.startswith(b"160000 "))
    holding = [os.path.realpath(repository.top / os.fsdecode(name)) + os.sep for _, _, name in rows]
    if not holding:
        return []
    found, _ = walk(folder, matcher(project.config.corpus.include), frozenset())
    real = [os.path.realpath(one.path) for one in found]
    return [Path(path) for path in real if path.startswith(tuple(holding))]


def _without(project: Project, ignored: Sequence[Path]) -> Project:
    """The project with some files left out; the given one is not touched."""
    other = copy.copy(project)
    for name in ("corpus", "chunks", "system", "embedded", "generator", "judge"):
        other.__dict__.pop(name, None)
    other.ignored = ignored
    return other

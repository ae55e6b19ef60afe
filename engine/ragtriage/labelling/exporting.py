"""`golden export` of a project: the set as other tools have it, in memory or in a new file or folder."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Literal, NamedTuple, TypeAlias, get_args

from ragtriage.errors import Problem, StorageError, UsageError
from ragtriage.files import atomic_write
from ragtriage.golden.evidence import ResolvedItem, resolve
from ragtriage.golden.export import as_csv, as_jsonl
from ragtriage.golden.export_beir import as_beir, judged_documents
from ragtriage.golden.export_tools import as_promptfoo, as_ragas
from ragtriage.golden.gap import evidence_texts
from ragtriage.interchange.qrels import qrels_bytes
from ragtriage.measure.label_shas import known_label_shas
from ragtriage.types import Question, Split

if TYPE_CHECKING:
    from ragtriage.project import Project

__all__ = ["FORMATS", "ExportFormat", "Exported", "export_golden"]

ExportFormat: TypeAlias = Literal["jsonl", "csv", "beir", "qrels", "ragas", "promptfoo"]
FORMATS: tuple[ExportFormat, ...] = get_args(ExportFormat)


class Exported(NamedTuple):
    """The export in memory. `files` are the bytes by name in the folder; the one file of every form but beir has the name "".

    `lost` are the ids of questions whose labels are in no document; `problems` are errors of the set: what cannot be used of
    it is left out.
    """

    questions: tuple[Question, ...]
    files: Mapping[str, bytes]
    lost: tuple[str, ...]
    problems: tuple[Problem, ...]

    @property
    def data(self) -> bytes:
        """The one file. Raises UsageError for beir, which is a folder."""
        if "" not in self.files:
            raise UsageError("beir is a folder; where to?")
        return self.files[""]


def export_golden(
    project: Project,
    form: ExportFormat = "jsonl",
    *,
    to: Path | str | None = None,
    split: Literal[Split, "all"] = "all",
) -> Exported:
    """The golden set for other tools; with `to`, written into that new file, for beir a new folder, whole or not at all.

    Judgements with the suffix .csv are a table. Raises UsageError for a form or a split that is none and where `to` is there
    already, GoldenError, CorpusError, StorageError.
    """
    if form not in FORMATS:
        raise UsageError(f"{form}: is no form of export; there are {', '.join(FORMATS)}")
    if split not in ("all", *get_args(Split)):
        raise UsageError(f"{split}: is no split; there are {', '.join(get_args(Split))}, all")
    target = Path(to) if to is not None else None
    if target is not None and (target.exists() or target.is_symlink()):
        raise UsageError(f"{target}: is there already; nothing was written")
    questions = tuple(one for one in project.golden.questions if split in ("all", one.split))
    files, lost = _files(form, project, questions, "" if target is None else target.suffix)
    if target is not None:
        _write(target, files)
    problems = tuple(problem for problem in project.golden.problems if problem.severity == "error")
    return Exported(questions, files, tuple(lost), problems)


def _files(
    form: ExportFormat, project: Project, questions: Sequence[Question], suffix: str
) -> tuple[Mapping[str, bytes], Sequence[str]]:
    if form in ("jsonl", "csv"):
        return {"": (as_csv if form == "csv" else as_jsonl)(project.golden, questions)}, ()
    if form == "promptfoo":
        return {"": as_promptfoo(questions)}, ()
    items = _items(project, questions)
    if form == "ragas":
        texts = {qid: evidence_texts(several, project.corpus) for qid, several in items.items()}
        return {"": as_ragas(questions, texts, items)}, ()
    if form == "beir":
        found = as_beir(questions, project.corpus, items)
        return found.files, found.unlabelled
    judged = judged_documents(questions, project.corpus, items)
    lost = [one.qid for one in questions if one.evidence and not judged[one.qid]]
    return {"": qrels_bytes(judged, suffix, str(project.golden_path))}, lost


def _items(project: Project, questions: Sequence[Question]) -> Mapping[str, Sequence[ResolvedItem]]:
    shas = known_label_shas(project)
    return {one.qid: resolve(one, project.corpus, project.chunks, shas) for one in questions}


def _write(to: Path, files: Mapping[str, bytes]) -> None:
    """One file, or a folder that is there whole or not at all."""
    if "" in files:
        atomic_write(to, files[""])
        return
    try:
        to.parent.mkdir(parents=True, exist_ok=True)
        folder = Path(tempfile.mkdtemp(prefix=f".{to.name[:100]}.", dir=to.parent))
    except OSError as error:
        raise StorageError(f"{to}: {error.strerror or error}; nothing was written") from error
    try:
        for name, data in files.items():
            atomic_write(folder / name, data)
        folder.chmod(0o755)
        folder.rename(to)
    except OSError as error:
        raise StorageError(f"{to}: {error.strerror or error}; nothing was written") from error
    finally:
        shutil.rmtree(folder, ignore_errors=True)

"""`ragtriage golden export`: the golden set for other tools, on standard output or in a new file or folder."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from ragtriage_tui.call import Call
from ragtriage_tui.figures import count, some
from ragtriage_tui.output import print_bytes

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from ragtriage.golden.evidence import ResolvedItem
    from ragtriage.project import Project
    from ragtriage.types import Question

__all__ = ["arguments", "run"]

_FORMATS = ("jsonl", "csv", "beir", "qrels", "ragas", "promptfoo")


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.description = (
        "jsonl and csv hold everything that the set holds, in the standard dialect. ragas has questions, expected answers and "
        "what the labels say; promptfoo has questions, and must-mentions as assertions; beir is a folder with the documents, "
        "and judges whole documents; qrels are these judgements alone, as TREC has them. Files that are there already are not "
        "replaced."
    )
    parser.add_argument("path", nargs="?", metavar="PATH", help="the project (default: here)")
    parser.add_argument("--format", choices=_FORMATS, default="jsonl", help="(default: jsonl)")
    parser.add_argument("--to", metavar="PATH", help="a file, for beir a folder, to make (default: standard output)")
    parser.add_argument("--split", choices=("dev", "holdout", "all"), default="all", help="which questions (default: all)")
    parser.add_argument("--qrels", metavar="FILE", help="which judgements of a BEIR folder that has several")


def run(call: Call) -> int:
    from ragtriage.errors import UsageError

    args = call.args
    if args.to is None and (args.format == "beir" or args.json):
        raise UsageError(
            f"--to PATH: {'beir is a folder' if args.format == 'beir' else '--json tells what was written'}; where to?"
        )
    to = Path(args.directory or ".") / args.to if args.to is not None else None
    if to is not None:
        call.must_write()
        if to.exists() or to.is_symlink():
            raise UsageError(f"{to}: is there already; nothing was written")
    project = call.project()
    try:
        questions = [one for one in project.golden.questions if args.split in ("all", one.split)]
        files, notes = _files(args.format, project, questions, "" if to is None else to.suffix)
    finally:
        project.close()
    errors = sum(problem.severity == "error" for problem in project.golden.problems)
    if errors:
        notes.append(
            f"{count(errors, 'problem')} of the golden set; ragtriage golden check names them, such questions are left out"
        )
    if to is None:
        print_bytes(call.out, files[""])
    else:
        _write(to, files)
    if args.json:
        document = {
            "format": 1,
            "to": str(to),
            "as": args.format,
            "questions": len(questions),
            "files": sorted(filter(None, files)),
        }
        call.out.document({**document, "notes": notes})
    else:
        if to is not None:
            held = sum(one.split == "holdout" for one in questions)
            aside = f", {held} of them holdout" if held else ""
            call.out.text(f"{count(len(questions), 'question')}{aside} written to {to}")
        call.out.say(*notes)
    return 2 if errors else 0


def _files(name: str, project: Project, questions: Sequence[Question], suffix: str) -> tuple[dict[str, bytes], list[str]]:
    """What to write, by name in the folder ("" is the one file), and what is worth knowing about it."""
    if name in ("jsonl", "csv"):
        from ragtriage.golden.export import as_csv, as_jsonl

        return {"": (as_csv if name == "csv" else as_jsonl)(project.golden, questions)}, []
    if name == "promptfoo":
        from ragtriage.golden.export_tools import as_promptfoo

        return {"": as_promptfoo(questions)}, []
    items = _items(project, questions)
    if name == "ragas":
        from ragtriage.golden.export_tools import as_ragas
        from ragtriage.golden.gap import evidence_texts

        texts = {qid: evidence_texts(several, project.corpus) for qid, several in items.items()}
        return {"": as_ragas(questions, texts, items)}, []
    from ragtriage.golden.export_beir import as_beir, judged_documents

    if name == "qrels":
        from ragtriage.interchange.qrels import qrels_bytes

        judged = judged_documents(questions, project.corpus, items)
        lost = [one.qid for one in questions if one.evidence and not judged[one.qid]]
        files = {"": qrels_bytes(judged, suffix, str(project.golden_path))}
    else:
        found = as_beir(questions, project.corpus, items)
        files, lost = found.files, list(found.unlabelled)
    notes = [f"{count(len(lost), 'question')} whose labels are in no document: {some(lost)}"] if lost else []
    return files, notes


def _items(project: Project, questions: Sequence[Question]) -> Mapping[str, Sequence[ResolvedItem]]:
    from ragtriage.golden.evidence import resolve
    from ragtriage.measure.label_shas import known_label_shas

    shas = known_label_shas(project)
    return {one.qid: resolve(one, project.corpus, project.chunks, shas) for one in questions}


def _write(to: Path, files: Mapping[str, bytes]) -> None:
    """One file, or a folder that is there whole or not at all."""
    from ragtriage.errors import StorageError
    from ragtriage.files import atomic_write

    if "" in files:
        atomic_write(to, files[""])
        return
    import shutil
    import tempfile

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

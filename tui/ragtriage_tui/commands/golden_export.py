"""`ragtriage golden export`: the golden set for other tools, on standard output or in a new file or folder."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from ragtriage_tui.call import Call
from ragtriage_tui.figures import count, some
from ragtriage_tui.output import print_bytes

if TYPE_CHECKING:
    from ragtriage.labelling.exporting import Exported

__all__ = ["arguments", "run"]


def arguments(parser: argparse.ArgumentParser) -> None:
    from ragtriage.labelling.exporting import FORMATS

    parser.description = (
        "jsonl and csv hold everything that the set holds, in the standard dialect. ragas has questions, expected answers and "
        "what the labels say; promptfoo has questions, and must-mentions as assertions; beir is a folder with the documents, "
        "and judges whole documents; qrels are these judgements alone, as TREC has them. Files that are there already are not "
        "replaced."
    )
    parser.add_argument("path", nargs="?", metavar="PATH", help="the project (default: here)")
    parser.add_argument("--format", choices=FORMATS, default="jsonl", help="(default: jsonl)")
    parser.add_argument("--to", metavar="PATH", help="a file, for beir a folder, to make (default: standard output)")
    parser.add_argument("--split", choices=("dev", "holdout", "all"), default="all", help="which questions (default: all)")
    parser.add_argument("--qrels", metavar="FILE", help="which judgements of a BEIR folder that has several")


def run(call: Call) -> int:
    from ragtriage.errors import UsageError
    from ragtriage.labelling.exporting import export_golden

    args = call.args
    if args.to is None and (args.format == "beir" or args.json):
        raise UsageError(
            f"--to PATH: {'beir is a folder' if args.format == 'beir' else '--json tells what was written'}; where to?"
        )
    to = Path(args.directory or ".") / args.to if args.to is not None else None
    if to is not None:
        call.must_write()
    project = call.project()
    try:
        found = export_golden(project, args.format, to=to, split=args.split)
    finally:
        project.close()
    notes = _notes(found)
    if to is None:
        print_bytes(call.out, found.data)
    if args.json:
        document = {
            "format": 1,
            "to": str(to),
            "as": args.format,
            "questions": len(found.questions),
            "files": sorted(filter(None, found.files)),
        }
        call.out.document({**document, "notes": notes})
    else:
        if to is not None:
            held = sum(one.split == "holdout" for one in found.questions)
            aside = f", {held} of them holdout" if held else ""
            call.out.text(f"{count(len(found.questions), 'question')}{aside} written to {to}")
        call.out.say(*notes)
    return 2 if found.problems else 0


def _notes(found: Exported) -> list[str]:
    """What of the set is not in the export."""
    notes = []
    if found.lost:
        notes.append(f"{count(len(found.lost), 'question')} whose labels are in no document: {some(found.lost)}")
    if found.problems:
        notes.append(
            f"{count(len(found.problems), 'problem')} of the golden set; ragtriage golden check names them, such questions are "
            "left out"
        )
    return notes

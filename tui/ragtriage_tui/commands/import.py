# ruff: noqa: N999  # the module is named like its command, a word of the language; it is only ever loaded by name
"""`ragtriage import FILE`: reports of bad answers from what other systems export, masked, into the inbox."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ragtriage_tui.call import Call, clean
from ragtriage_tui.figures import Marks, clip_text, count

if TYPE_CHECKING:
    from ragtriage.labelling.importing import Imported

__all__ = ["arguments", "run"]

_MOST_SHOWN = 30
_MOST_KEYS = 12
_KINDS = {"e-mail": "e-mail address", "token": "token", "card": "card number", "iban": "IBAN"}


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("file", metavar="FILE", help="what another system exported; - reads standard input")
    parser.add_argument(
        "--format",
        choices=("chat", "csv", "json", "jsonl", "promptfoo", "ragas", "text", "trace", "trec", "tsv"),
        help="how to read it (default: told by what is in it)",
    )
    parser.add_argument(
        "--map",
        action="append",
        default=[],
        metavar="FIELD=KEY",
        help="which key of the file is a field, e.g. question=user_query, text=ticket.body; may be repeated",
    )
    parser.add_argument(
        "--from",
        dest="source",
        choices=("log", "ticket", "chat", "owner", "builder", "synthetic"),
        help="where the reports come from, where they do not say it",
    )
    parser.add_argument("--keep-personal", action="store_true", help="mask no addresses, tokens, card numbers and IBANs")
    parser.add_argument("--dry-run", action="store_true", help="say what would be imported, and write nothing")


def run(call: Call) -> int:
    from ragtriage.inbox.fields import parse_maps
    from ragtriage.labelling.importing import import_reports

    args = call.args
    if not args.dry_run:
        call.must_write()
    maps = parse_maps(map(clean, args.map))
    project = call.project()
    try:
        found = import_reports(
            project,
            _source(call),
            format=args.format or "",
            maps=maps,
            origin=args.source or "",
            keep_personal=args.keep_personal,
            write=not args.dry_run,
            where="standard input" if args.file == "-" else "",
            progress=call.progress(),
        )
    finally:
        project.close()
    if call.out.json:
        call.out.document(_document(found))
    else:
        call.out.text(*map(Marks(call.out.ascii), _lines(found, dry=args.dry_run)))
        call.out.say(*map(str, found.reading.problems), *([found.twins.problem] if found.twins.problem else []))
    return 2 if found.reading.problems else 0


def _source(call: Call) -> Path | bytes:
    """The file, or what is read from standard input. Raises UsageError where that is the terminal."""
    from ragtriage.errors import UsageError
    from ragtriage.inbox.reading import MOST_BYTES

    name: str = call.args.file
    if name != "-":
        return Path(call.args.directory or ".") / name
    if sys.stdin is None or sys.stdin.isatty():
        raise UsageError("-: standard input is the terminal; pipe something in, or name a file")
    return sys.stdin.buffer.read(MOST_BYTES + 1)


def _document(found: Imported) -> dict[str, Any]:
    from ragtriage.labelling.proposals import question_of

    reading, added, twins = found.reading, found.added, found.twins
    reports = []
    for new, report in [*((True, one) for one in added.new), *((False, one) for one in added.known)]:
        twin = twins.found.get(report.id) if new else None
        reports.append(
            {
                "id": report.id,
                "new": new,
                "from": report.source,
                "ref": report.ref,
                "question": question_of(report).question,
                "masked": list(report.masked),
                "synthetic": report.synthetic,
                "twin": {"qid": twin.qid, "score": twin.score, "same_source": twin.same_source} if twin else None,
            }
        )
    return {
        "format": 1,
        "file": found.where,
        "read_as": reading.format,
        "inbox": str(found.path),
        "written": found.written,
        "new": len(added.new),
        "known": len(added.known),
        "masked": dict(found.masked),
        "left": dict(reading.left),
        "problems": [{"line": one.line or None, "key": one.key or None, "message": one.message} for one in reading.problems],
        "note": twins.problem,
        "reports": reports,
    }


def _lines(found: Imported, *, dry: bool) -> list[str]:
    from ragtriage.labelling.proposals import question_of

    reading, added, twins = found.reading, found.added, found.twins
    lines = []
    for report in added.new[:_MOST_SHOWN]:
        twin = twins.found.get(report.id)
        origin = " ".join(part for part in (report.source, clip_text(report.ref, 24)) if part)
        lines.append(f"{report.id}  {origin:<20} {clip_text(question_of(report).question, 72)}")
        if twin is not None:
            why = "was made of it" if twin.same_source else f"asks nearly the same ({twin.score:.2f})"
            lines.append(f"{'':<10}{'':<20} {twin.qid} {why}: {clip_text(twin.question, 60)}")
    if len(added.new) > _MOST_SHOWN:
        lines.append(f"and {len(added.new) - _MOST_SHOWN:,} more")
    if lines:
        lines.append("")
    parts = [f"{len(added.new):,} new"] if added.new or not added.known else []
    parts += [f"{len(added.known):,} already there"] if added.known else []
    lines.append(f"{found.where}, read as {reading.format}: {' · '.join(parts)}")
    if twins.found:
        lines.append(f"{count(len(twins.found), 'report')} like a question of the golden set")
    if masked := found.masked:
        said = ", ".join(_counted(masked[kind], noun) for kind, noun in _KINDS.items() if masked[kind])
        lines.append(f"masked: {said}; --keep-personal leaves them as they are")
    if synthetic := sum(report.synthetic for report in added.new):
        lines.append(f"{synthetic:,} written by a model: each stays here until its wording is edited and its evidence chosen")
    if reading.left:
        keys = [f"{clip_text(key, 40)} ({number})" for key, number in list(reading.left.items())[:_MOST_KEYS]]
        more = len(reading.left) - len(keys)
        lines.append(f"no field, kept under extra: {', '.join(keys)}{f' and {more} more' if more > 0 else ''}; --map FIELD=KEY")
    if dry:
        lines.append("nothing was written")
    elif added.new:
        lines.append(f"{found.path} has them; ragtriage inbox lists what is open")
    return lines


def _counted(number: int, noun: str) -> str:
    plural = f"{noun}es" if noun.endswith("s") else f"{noun}s"
    return f"{number:,} {noun if number == 1 else plural}"

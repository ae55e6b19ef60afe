"""`ragtriage golden anchor`: what labels need a look since the documents changed; the safe ones are mended in one batch."""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from typing import TYPE_CHECKING, Any

from ragtriage_tui.call import Call, clean
from ragtriage_tui.figures import Marks, clip_text, count

if TYPE_CHECKING:
    from ragtriage.golden.anchors import Anchor
    from ragtriage.labelling.mending import Anchored
    from ragtriage.project import Project

__all__ = ["arguments", "run"]

_SHOWN = 300


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("path", nargs="?", metavar="PATH", help="the project (default: here)")
    parser.add_argument("--list", action="store_true", help="list only, write nothing")
    parser.add_argument(
        "--moved", action="store_true", help="also rewrite labels whose text moved, or changed in white space, signs or case"
    )
    parser.add_argument("--yes", action="store_true", help="write without asking")
    parser.add_argument("--obsolete", metavar="QID", help="mark a question as asked no more; it leaves every mean")
    parser.add_argument("--reason", metavar="TEXT", help="why, for --obsolete (default: today's date)")
    parser.add_argument("--check", action="store_true", help="exit code 2 where a label is gone")


def run(call: Call) -> int:
    from ragtriage.labelling.mending import anchor_labels

    project = call.project()
    try:
        if call.args.obsolete is not None:
            return _obsolete(call, project)
        found = anchor_labels(project, moved=call.args.moved, progress=call.progress())
        if not call.out.json:
            _print(call, found)
        written = _write(call, project, found)
        if call.out.json:
            call.out.document(_document(found, written, project))
    finally:
        project.close()
    return 2 if call.args.check and any(anchor.state == "gone" for anchor in found.anchors) else 0


def _obsolete(call: Call, project: Project) -> int:
    from ragtriage.labelling.mending import mark_obsolete

    call.must_write()
    qid = clean(call.args.obsolete)
    reason = mark_obsolete(project, qid, clean(call.args.reason or ""))
    if call.out.json:
        call.out.document({"format": 1, "qid": qid, "obsolete": reason})
    else:
        call.out.text(f"{qid} is obsolete now ({reason}): it stays in the file, and leaves every mean")
    return 0


def _write(call: Call, project: Project, found: Anchored) -> int:
    """Write what there is to write, once somebody has agreed. The number of questions written."""
    from ragtriage.labelling.mending import write_anchors

    changes = len(found.changes)
    if not changes or call.args.list or call.args.read_only:
        return 0
    if not call.args.yes:
        if not (_is_terminal(sys.stdin) and _is_terminal(sys.stderr)):
            call.out.say(f"{count(changes, 'question')} would be rewritten: --yes does it")
            return 0
        call.out.say(f"Rewrite {count(changes, 'question')} of {project.golden_path}? Y does, anything else does not.")
        if sys.stdin.readline().strip() != "Y":
            call.out.say("nothing was written")
            return 0
    unsaid = write_anchors(project, found)
    if not call.out.json:
        call.out.text(f"{count(changes, 'question')} of {project.golden_path} rewritten")
    call.out.say(*(f"! {told}" for told in unsaid))
    return changes


def _print(call: Call, found: Anchored) -> None:
    queue, moved, quotes = found.open, found.moved, found.unquoted
    lines: list[str] = []
    for anchor in queue:
        lines += [*_described(anchor), ""]
    if moved:
        lines.append(f"{count(len(moved), 'label')} with the same text elsewhere or in other signs; --moved rewrites them:")
        lines += [f"  {anchor.qid} {anchor.places[0].doc_id}: {clip_text(anchor.old, 90)} ({anchor.why})" for anchor in moved]
        lines.append("")
    if quotes:
        named = ", ".join(list(quotes)[:8]) + (" …" if len(quotes) > 8 else "")
        lines += [f"{count(len(quotes), 'question')} with a chunk's name alone, to be given quote and hash: {named}", ""]
    for one in found.appeared:
        lines.append(
            f"{one.qid} is unanswerable, and {one.chunk_id} seems to answer it ({one.fit:.2f}): {clip_text(one.question, 90)}"
        )
    if found.unseen:
        lines.append(f"Unanswerable questions were not looked at: {found.unseen}")
    states = Counter(anchor.state for anchor in found.anchors)
    lines.append(
        f"{count(len(found.anchors), 'label')}: {' · '.join(f'{name} {states[name]}' for name in states)}"
        if found.anchors
        else "No labels."
    )
    if queue:
        lines.append(f"{len(queue)} to look at; the inbox of the app (I) has the old text beside the new")
    call.out.text(*map(Marks(call.out.ascii), lines))


def _described(anchor: Anchor) -> list[str]:
    where = f"{anchor.qid}, line {anchor.line}: {anchor.state}" + (f" ({anchor.why})" if anchor.why else "")
    lines = [where, f"  was: {clip_text(anchor.old or anchor.place.doc or anchor.place.chunk, _SHOWN)}"]
    if not anchor.places:
        return [*lines, "  nothing like it is in the corpus"]
    best = anchor.places[0]
    lines.append(f"  now: {best.doc_id} at {best.span.start} ({best.score:g}): {clip_text(best.text, _SHOWN)}")
    if not best.same_numbers:
        lines.append("       other numbers")
    signs = {"removed": ("[-", "-]"), "added": ("{+", "+}"), "kept": ("", "")}
    diff = "".join(f"{signs[run.kind][0]}{run.text}{signs[run.kind][1]}" for run in anchor.diff)
    if diff and best.text != anchor.old:
        lines.append(f"  diff: {clip_text(diff, 2 * _SHOWN)}")
    lines += [f"  or:  {other.doc_id} at {other.span.start} ({other.score:g})" for other in anchor.places[1:]]
    return lines


def _document(found: Anchored, written: int, project: Project) -> dict[str, Any]:
    return {
        "format": 1,
        "labels": dict(Counter(anchor.state for anchor in found.anchors)),
        "queue": [_json(anchor) for anchor in found.open],
        "safe": [_json(anchor) for anchor in found.moved],
        "without_quote": list(found.unquoted),
        "appeared": [one._asdict() for one in found.appeared],
        "obsolete": [question.qid for question in project.golden.questions if question.obsolete],
        "written": written,
    }


def _json(anchor: Anchor) -> dict[str, Any]:
    return {
        "qid": anchor.qid,
        "line": anchor.line,
        "item": anchor.index.item + 1,
        "place": anchor.index.place,
        "state": anchor.state,
        "why": anchor.why or None,
        "old": anchor.old,
        "places": [
            {
                "doc": place.doc_id,
                "start": place.span.start,
                "end": place.span.end,
                "text": place.text,
                "score": place.score,
                "same_numbers": place.same_numbers,
                "chunk_id": place.chunk_id or None,
                "section": place.section or None,
            }
            for place in anchor.places
        ],
        "diff": [run._asdict() for run in anchor.diff],
    }


def _is_terminal(stream: object) -> bool:
    isatty = getattr(stream, "isatty", None)
    return bool(isatty and isatty())

"""`ragtriage golden diff [REF]`: what differs between the golden set and a git revision of it, question by question."""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from ragtriage_tui.call import Call
from ragtriage_tui.commands.golden_check import problem_json
from ragtriage_tui.figures import Marks, clip_text

if TYPE_CHECKING:
    from ragtriage.golden.diff import Change, Changed, GoldenDiff

__all__ = ["arguments", "run"]

_TEXT = 200


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.description = (
        "Questions that were added, removed, edited, relabelled (where the evidence lies, or that there is none) or given "
        "another id; the order of lines and keys is no difference. The project is that of -C, or this folder."
    )
    parser.add_argument("ref", nargs="?", default="HEAD", metavar="REF", help="a commit, branch or tag (default: HEAD)")


def run(call: Call) -> int:
    from ragtriage.labelling.formatting import diff_golden_set

    ref = call.args.ref
    found = diff_golden_set(call.project(), ref)
    if call.out.json:
        call.out.document(_document(ref, found))
    else:
        problems = [f"{problem.severity}: {problem}" for problem in found.problems]
        call.out.text(*map(Marks(call.out.ascii), [*problems, *([""] if problems else []), *_told(ref, found)]))
    return 2 if found.problems else 0


def _document(ref: str, found: GoldenDiff) -> dict[str, Any]:
    def changed(several: Sequence[Changed], name: str) -> list[dict[str, Any]]:
        return [
            {"qid": one.qid, "question": one.question, "changes": [_change(change) for change in getattr(one, name)]}
            for one in several
        ]

    return {
        "format": 1,
        "ref": ref,
        "added": list(found.added),
        "removed": list(found.removed),
        "edited": changed(found.edited, "edits"),
        "relabelled": changed(found.relabelled, "labels"),
        "renamed": [{"was": one.was, "qid": one.qid, "question": one.question} for one in found.renamed],
        "problems": [problem_json(problem) for problem in found.problems],
    }


def _change(change: Change) -> dict[str, Any]:
    """A key with both values; a side that does not have the key has no `old` or `new`."""
    sides = ({"old": change.old} if change.had else {}) | ({"new": change.new} if change.has else {})
    return {"key": change.key, **sides}


def _told(ref: str, found: GoldenDiff) -> Iterator[str]:
    from ragtriage.golden.dialects import qid_of

    for sign, several in (("+", found.added), ("-", found.removed)):
        yield from (f"{sign} {qid_of(one)}  {clip_text(_text(one), _TEXT)}" for one in several)
    for one in found.changed:
        yield f"~ {one.qid}{f' (was {one.was})' if one.was != one.qid else ''}  {clip_text(one.question, _TEXT)}"
        yield from (f"    {change.key}: {_shown(change)}" for change in (*one.edits, *one.labels))
    counts = [
        (len(found.added), "added"), (len(found.removed), "removed"), (len(found.edited), "edited"),
        (len(found.relabelled), "relabelled"), (len(found.renamed), "with another id"),
    ]  # fmt: skip
    told = [f"{number} {what}" for number, what in counts if number]
    yield " · ".join(told) if told else f"No question differs from {ref}."


def _shown(change: Change) -> str:
    old = _value(change.old) if change.had else "(none)"
    return f"{old} → {_value(change.new) if change.has else '(none)'}"


def _value(value: Any) -> str:
    return clip_text(value if isinstance(value, str) else json.dumps(value, ensure_ascii=False), _TEXT)


def _text(value: Mapping[str, Any]) -> str:
    return next((value[key] for key in ("question", "q", "text") if isinstance(value.get(key), str)), "")

"""`ragtriage golden anchor`: what labels need a look since the documents changed; the safe ones are mended in one batch."""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from collections.abc import Collection, Sequence
from typing import TYPE_CHECKING, Any

from ragtriage_tui.call import Call, clean
from ragtriage_tui.figures import Marks, clip_text, count

if TYPE_CHECKING:
    from ragtriage.golden.anchors import Anchor
    from ragtriage.golden.appeared import Appeared
    from ragtriage.golden.file import Replacement
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
    from ragtriage.golden.anchors import anchors
    from ragtriage.measure.corpus_then import stood_before
    from ragtriage.measure.label_shas import known_label_shas

    project = call.project()
    try:
        if call.args.obsolete is not None:
            return _obsolete(call, project)
        progress = call.progress()
        shas, before = known_label_shas(project), stood_before(project)
        found = anchors(project.golden, project.corpus, project.chunks, shas, stood_before=before, progress=progress)
        quotes = _quotes(project)
        moved = [anchor for anchor in found if anchor.safe and anchor.state != "exact"]
        changes = _changes(project, quotes, moved if call.args.moved else [])
        appeared, unseen = _appeared(project)
        if not call.out.json:
            _print(call, found, moved, quotes, appeared, unseen)
        written = _write(call, project, changes)
        if call.out.json:
            call.out.document(_document(found, moved, quotes, written, appeared, project))
    finally:
        project.close()
    return 2 if call.args.check and any(anchor.state == "gone" for anchor in found) else 0


def _obsolete(call: Call, project: Project) -> int:
    from datetime import UTC, datetime

    from ragtriage.errors import UsageError
    from ragtriage.golden.anchoring import obsoleted
    from ragtriage.golden.file import replace_question

    _writable(call, project)
    qid = clean(call.args.obsolete)
    question = project.golden.get(qid)
    if question is None:
        raise UsageError(project.golden.why_unused(qid) or f"{qid}: no such question in {project.golden_path}")
    reason = clean(call.args.reason or "").strip() or f"{datetime.now(UTC):%Y-%m-%d}"
    replace_question(project.golden_path, qid, obsoleted(question.raw, reason), expected=question.raw)
    if call.out.json:
        call.out.document({"format": 1, "qid": qid, "obsolete": reason})
    else:
        call.out.text(f"{qid} is obsolete now ({reason}): it stays in the file, and leaves every mean")
    return 0


def _writable(call: Call, project: Project) -> None:
    from ragtriage.errors import UsageError

    call.must_write()
    if project.beir:
        raise UsageError(f"{project.root} is a BEIR folder, which is only read; ragtriage init makes a project")


def _quotes(project: Project) -> dict[str, dict[str, Any]]:
    """Questions whose labels name chunks alone, with a quote and a hash at each."""
    from ragtriage.golden.anchoring import anchored
    from ragtriage.measure.label_shas import known_label_shas

    known = known_label_shas(project)
    if project.beir:
        return {}
    live = [question for question in project.golden.questions if not question.obsolete]
    written = ((question.qid, anchored(question.raw, project.corpus, project.chunks, known)) for question in live)
    return {qid: obj for qid, obj in written if obj is not None}


def _changes(project: Project, quotes: dict[str, dict[str, Any]], moved: Sequence[Anchor]) -> dict[str, Replacement]:
    from ragtriage.golden.anchoring import reanchored
    from ragtriage.golden.file import Replacement

    changed = dict(quotes)
    raw = {question.qid: question.raw for question in project.golden.questions}
    for anchor in moved if not project.beir else ():
        new = anchor.places[0]
        before = changed.get(anchor.qid, raw[anchor.qid])
        changed[anchor.qid] = reanchored(before, anchor.index, new, project.corpus.document(new.doc_id))
    return {qid: Replacement(obj, raw[qid]) for qid, obj in changed.items()}


def _write(call: Call, project: Project, changes: dict[str, Replacement]) -> int:
    """Write what there is to write, once somebody has agreed. The number of questions written."""
    from ragtriage.golden.file import replace_questions

    if not changes or call.args.list or call.args.read_only:
        return 0
    if not call.args.yes:
        if not (_is_terminal(sys.stdin) and _is_terminal(sys.stderr)):
            call.out.say(f"{count(len(changes), 'question')} would be rewritten: --yes does it")
            return 0
        call.out.say(f"Rewrite {count(len(changes), 'question')} of {project.golden_path}? Y does, anything else does not.")
        if sys.stdin.readline().strip() != "Y":
            call.out.say("nothing was written")
            return 0
    _writable(call, project)
    replace_questions(project.golden_path, changes)
    project.refresh()
    if not call.out.json:
        call.out.text(f"{count(len(changes), 'question')} of {project.golden_path} rewritten")
    _say_unsaid(call, project, changes)
    return len(changes)


def _say_unsaid(call: Call, project: Project, changes: Collection[str]) -> None:
    """What the rewritten questions' answers must mention and their evidence no longer says, on standard error."""
    from ragtriage.golden.unsaid import unsaid_in
    from ragtriage.measure.label_shas import known_label_shas

    rewritten = [question for question in project.golden.questions if question.qid in changes]
    for told in unsaid_in(rewritten, project.corpus, project.chunks, known_label_shas(project)):
        call.out.say(f"! {told}")


def _appeared(project: Project) -> tuple[list[Appeared], str]:
    """Unanswerable questions whose answer seems to stand there now; and why nobody looked."""
    from ragtriage.errors import RagtriageError
    from ragtriage.golden.appeared import appeared

    if all(question.answerable or question.obsolete for question in project.golden.questions):
        return [], ""
    try:
        if missing := project.embedded.missing():
            return [], f"{count(missing, 'chunk')} not embedded yet; ragtriage index does that"
        return appeared(project), ""
    except RagtriageError as error:  # the model or an index; the labels are told of all the same
        return [], str(error)


def _print(
    call: Call, found: Sequence[Anchor], moved: Sequence[Anchor], quotes: dict[str, Any], new: Sequence[Appeared], unseen: str
) -> None:
    queue = [anchor for anchor in found if anchor.open]
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
    for one in new:
        lines.append(
            f"{one.qid} is unanswerable, and {one.chunk_id} seems to answer it ({one.fit:.2f}): {clip_text(one.question, 90)}"
        )
    if unseen:
        lines.append(f"Unanswerable questions were not looked at: {unseen}")
    states = Counter(anchor.state for anchor in found)
    lines.append(
        f"{count(len(found), 'label')}: {' · '.join(f'{name} {states[name]}' for name in states)}" if found else "No labels."
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


def _document(
    found: Sequence[Anchor],
    moved: Sequence[Anchor],
    quotes: dict[str, Any],
    written: int,
    new: Sequence[Appeared],
    project: Project,
) -> dict[str, Any]:
    return {
        "format": 1,
        "labels": dict(Counter(anchor.state for anchor in found)),
        "queue": [_json(anchor) for anchor in found if anchor.open],
        "safe": [_json(anchor) for anchor in moved],
        "without_quote": list(quotes),
        "appeared": [one._asdict() for one in new],
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

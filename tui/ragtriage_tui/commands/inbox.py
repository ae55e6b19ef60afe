"""`ragtriage inbox`: the reports that wait, one of them with all that is proposed for it, and what became of each."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING, Any

from ragtriage_tui.call import Call, clean
from ragtriage_tui.figures import Marks, clip_text, count

if TYPE_CHECKING:
    from ragtriage.inbox.log import InboxLog, Item
    from ragtriage.labelling.production import Aligned, Production
    from ragtriage.labelling.proposals import Proposal
    from ragtriage.project import Project

__all__ = ["arguments", "run"]

_STATES = ("open", "done", "dismissed", "duplicate")
_MOST_CANDIDATES = 10
_WORDS = {"list": 0, "show": 1, "dismiss": 1, "duplicate": 2, "undo": 0}


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("action", nargs="?", choices=tuple(_WORDS), default="list", help="the default is list")
    parser.add_argument("words", nargs="*", metavar="ID [QID]", help="a report by id or number; of which question a duplicate")
    parser.add_argument("--state", choices=(*_STATES, "all"), default="open", help="which to list (default: open)")


def run(call: Call) -> int:
    from ragtriage.errors import UsageError
    from ragtriage.labelling.importing import open_inbox

    args = call.args
    words = [clean(word) for word in args.words]
    if len(words) != _WORDS[args.action]:
        form = {0: "", 1: " ID", 2: " ID QID"}[_WORDS[args.action]]
        raise UsageError(f"ragtriage inbox {args.action}{form} is the form")
    if args.action not in ("list", "show"):
        call.must_write()
    project = call.project()
    try:
        inbox = open_inbox(project)
        if args.action == "list":
            return _list(call, project, inbox)
        if args.action == "undo":
            return _undo(call, inbox)
        item = inbox.named(words[0])
        if args.action == "show":
            return _show(call, project, inbox, item)
        if args.action == "dismiss":
            change = inbox.set(item.report.id, "dismissed")
        else:
            if project.golden.get(words[1]) is None:
                raise UsageError(
                    project.golden.why_unused(words[1]) or f"{words[1]}: no such question in {project.golden_path}"
                )
            change = inbox.set(item.report.id, "duplicate", words[1])
    finally:
        project.close()
    said = "is dismissed" if change.state == "dismissed" else f"is a duplicate of {change.qid}"
    if call.out.json:
        call.out.document({"format": 1, "id": change.report, "state": change.state, "qid": change.qid or None})
    else:
        call.out.text(f"{change.report} {said}; ragtriage inbox undo takes that back")
    return 0


def _undo(call: Call, inbox: InboxLog) -> int:
    from ragtriage.errors import UsageError

    change = inbox.undo()
    if change is None:
        raise UsageError(f"there is no change of yours to take back in {inbox.path}")
    item = inbox.get(change.report)
    state, qid = (item.state, item.qid) if item else ("open", "")
    if call.out.json:
        call.out.document({"format": 1, "id": change.report, "state": state, "qid": qid or None})
    else:
        call.out.text(f"{change.report} is {state} again")
    return 0


def _list(call: Call, project: Project, inbox: InboxLog) -> int:
    from ragtriage.labelling.proposals import question_of
    from ragtriage.labelling.twins import twins_of

    items = inbox.current()
    problems = inbox.problems()
    shown = [item for item in items if call.args.state in (item.state, "all")]
    twins = twins_of([item.report for item in shown if item.state == "open"], project).found
    counts = {state: sum(item.state == state for item in items) for state in _STATES}
    asked = {item.report.id: question_of(item.report) for item in shown}
    if call.out.json:
        rows = []
        for report, state, qid in shown:
            twin = twins.get(report.id)
            rows.append(
                {
                    "id": report.id,
                    "from": report.source,
                    "ref": report.ref,
                    "at": report.at,
                    "state": state,
                    "qid": qid or None,
                    "question": asked[report.id].question,
                    "masked": list(report.masked),
                    "synthetic": report.synthetic,
                    "passages": len(report.passages),
                    "twin": {"qid": twin.qid, "score": twin.score, "same_source": twin.same_source} if twin else None,
                }
            )
        found = [{"line": one.line or None, "key": one.key or None, "message": one.message} for one in problems]
        call.out.document({"format": 1, "inbox": str(inbox.path), "counts": counts, "problems": found, "reports": rows})
    else:
        lines = []
        for report, state, qid in shown:
            origin = " ".join(part for part in (report.source, clip_text(report.ref, 24)) if part)
            marks = [] if state == "open" else [f"{state} {qid}".strip()]
            marks += [f"like {twins[report.id].qid}"] if report.id in twins else []
            marks += ["written by a model"] if report.synthetic else []
            tail = f"  ({', '.join(marks)})" if marks else ""
            lines.append(f"{report.id}  {origin:<20} {clip_text(asked[report.id].question, 72)}{tail}")
        said = " · ".join(f"{number:,} {state}" for state, number in counts.items() if number) or "nothing"
        lines += [*([""] if lines else []), f"{said} in {inbox.path}"]
        if not items:
            lines.append(
                "ragtriage import FILE takes reports in; ragtriage golden anchor lists labels that the documents left behind"
            )
        call.out.text(*map(Marks(call.out.ascii), lines))
        call.out.say(*(f"{one.severity}: {one}" for one in problems))
    return 2 if any(problem.severity == "error" for problem in problems) else 0


def _show(call: Call, project: Project, inbox: InboxLog, item: Item) -> int:
    from ragtriage.labelling.proposing import propose_question

    proposal, production = propose_question(project, item)
    if call.out.json:
        call.out.document(_document(inbox, item, proposal, production))
    else:
        call.out.text(*map(Marks(call.out.ascii), _report_lines(item, proposal, production)))
    return 0


def _document(inbox: InboxLog, item: Item, proposal: Proposal, production: Production | None) -> dict[str, Any]:
    report = {key: value for key, value in item.report.to_dict().items() if key not in ("state", "qid")}
    return {
        "format": 1,
        "report": report,
        "state": item.state,
        "qid": item.qid or None,
        "history": [change.to_dict() for change in inbox.history(item.report.id)],
        "question": proposal.question,
        "origin": proposal.origin,
        "twins": [
            {"qid": one.qid, "question": one.question, "score": one.score, "same_numbers": one.same_numbers}
            for one in proposal.twins
        ],
        "candidates": [
            {"rank": one.rank, "chunk_id": one.hit.chunk_id, "doc_id": one.doc_id, "start": one.span.start,
             "end": one.span.end, "text": one.text}
            for one in proposal.candidates
        ],
        "complete": proposal.complete,
        "problem": proposal.problem,
        "passages": [_aligned(one) for one in proposal.passages],
        "evidence": [_aligned(one) for one in proposal.evidence],
        "production": None
        if production is None
        else {
            "was_retrieval": production.was_retrieval,
            "why": production.why,
            "ranks": list(production.ranks),
            "ladder": [[rung._asdict() for rung in rungs] for rungs in production.rungs],
        },
    }  # fmt: skip


def _aligned(one: Aligned) -> dict[str, Any]:
    where = {"start": None, "end": None} if one.how == "missing" else {"start": one.span.start, "end": one.span.end}
    return {**one.passage.to_dict(), "how": one.how, "doc_id": one.doc_id or None, **where}


def _report_lines(item: Item, proposal: Proposal, production: Production | None) -> list[str]:
    report = item.report
    origin = " ".join(part for part in (report.source, report.ref, report.at) if part)
    lines = [f"{report.id}  {origin}  {item.state} {item.qid}".rstrip(), "", *report.text.split("\n")]
    if report.masked:
        lines += ["", f"masked: {', '.join(dict.fromkeys(report.masked))}"]
    if report.synthetic:
        lines += ["", "written by a model: edit the wording and choose the evidence before it can be saved"]
    lines += ["", f"question ({_ORIGINS[proposal.origin]}): {proposal.question}"]
    for name, text in (("answered", report.answer), ("feedback", report.feedback), ("expected", report.expected)):
        if text:
            lines.append(f"{name}: {clip_text(text, 400)}")
    if proposal.twins:
        lines += ["", "in the golden set:"]
        lines += [f"  {one.score:.2f}  {one.qid}  {clip_text(one.question, 90)}" for one in proposal.twins]
    if proposal.passages:
        lines += ["", f"the production system had {count(len(proposal.passages), 'passage')}:"]
        lines += [f"  {_place(one)}  {clip_text(one.passage.text or one.passage.id, 80)}" for one in proposal.passages]
    if production is not None:
        lines.append(f"  {production.why}")
    if proposal.candidates:
        lines += ["", "found now" if proposal.complete else "found now, by BM25 alone:"]
        lines += [
            f"  {one.rank:>2}  {one.hit.chunk_id}  {clip_text(one.text, 80)}" for one in proposal.candidates[:_MOST_CANDIDATES]
        ]
    if proposal.problem:
        lines += ["", proposal.problem]
    return lines


_ORIGINS = {"question": "as it was asked", "sentence": "from the text", "text": "the text"}


def _place(one: Aligned) -> str:
    rank = f"{one.passage.rank or '':>2}"
    return f"{rank}  {one.doc_id or one.passage.doc or '-'} ({one.how})"

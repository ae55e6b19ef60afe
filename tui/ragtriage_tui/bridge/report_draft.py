"""A report as the draft of a question, and what is still wanted of it before it may be saved."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from ragtriage_tui.add_views import Draft
from ragtriage_tui.bridge.reports import aligned_passages, origin_of, production_of
from ragtriage_tui.inbox_views import DraftOf
from ragtriage_tui.text import scrub
from ragtriage_tui.workers import DoorError

if TYPE_CHECKING:
    from ragtriage.inbox.log import InboxLog, Item
    from ragtriage.project import Project
    from ragtriage_tui.bridge.door import Door

__all__ = ["draft_of_report", "given_in", "must_be_ready", "retrieval_then"]


def draft_of_report(door: Door, project: Project, item: Item) -> DraftOf:
    """The question as the person wrote it, with all that the report says of it."""
    from ragtriage.labelling.proposals import Proposal, draft_of, question_of

    report = item.report
    if item.state == "done" and item.qid and project.golden.get(item.qid) is not None:
        return DraftOf(None, f"{origin_of(report)} is {door.names.shown(item.qid)} already: enter goes there")
    asked = question_of(report)
    given = draft_of(report, Proposal(asked.question, asked.origin))
    mentions = tuple(scrub(one if isinstance(one, str) else one[0]) for one in given.get("answer_must_mention", ()))
    text = scrub(asked.question)
    draft = Draft(
        text=text, first=text, mentions=mentions, ref=origin_of(report), report=door.names.shown(report.id),
        given=json.dumps(given),
    )  # fmt: skip
    return DraftOf(draft, reword=report.synthetic)


def given_in(draft: Draft) -> dict[str, Any]:
    """What a report says of its question: `source`, and what a right answer is."""
    try:
        value = json.loads(draft.given) if draft.given else {}
    except (ValueError, RecursionError):
        value = {}
    return value if isinstance(value, dict) else {}


def must_be_ready(door: Door, log: InboxLog, draft: Draft, obj: dict[str, Any]) -> Item | None:
    """The report of a draft. Raises DoorError where its question may not leave the inbox yet."""
    from ragtriage.labelling.proposals import ready

    item = log.get(door.names.raw(draft.report))
    if item is None:  # it was taken out of the file: the question is none the worse
        return None
    if why := ready(item.report, obj):
        raise DoorError(f"{scrub(why)}; / goes back to the words")
    return item


def retrieval_then(door: Door, draft: Draft, obj: dict[str, Any]) -> str:
    """Whether it was retrieval when the report came, by the evidence of the draft; "" where nothing tells."""
    from ragtriage.golden.dialects import read_question

    question = read_question(obj, where="", line=0)[0]
    with door.held() as project:
        item = door.inbox.log(project).get(door.names.raw(draft.report))
        if item is None or question is None:
            return ""
        if not item.report.passages:
            return "the report carries no passages"
        return scrub(production_of(project, item.report, question, aligned_passages(project, item.report)).why)

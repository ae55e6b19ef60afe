"""`golden anchor` of a project: which labels need a look since the documents changed, and the safe ones mended in one batch."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, NamedTuple

from ragtriage.errors import RagtriageError, UsageError
from ragtriage.golden.anchoring import anchored, obsoleted, reanchored
from ragtriage.golden.anchors import Anchor, anchors
from ragtriage.golden.file import Replacement, replace_question, replace_questions
from ragtriage.golden.unsaid import unsaid_in
from ragtriage.labelling.appeared import Appeared, appeared
from ragtriage.labelling.formatting import must_be_written
from ragtriage.measure.corpus_then import stood_before
from ragtriage.measure.label_shas import known_label_shas
from ragtriage.types import Progress, no_progress

if TYPE_CHECKING:
    from ragtriage.project import Project

__all__ = ["Anchored", "anchor_labels", "mark_obsolete", "write_anchors"]


class Anchored(NamedTuple):
    """How the labels stand in today's corpus.

    `anchors` are all places of all labels. `moved` are those of them whose text stands elsewhere, or in other white space,
    signs or case: safe to rewrite. `unquoted` are questions whose labels name chunks alone, each as it would be with quotes
    and hashes. `changes` is what `write_anchors` writes. `appeared` are unanswerable questions whose answer seems to stand
    there now; `unseen` says why nobody looked for these.
    """

    anchors: tuple[Anchor, ...]
    moved: tuple[Anchor, ...]
    unquoted: Mapping[str, Mapping[str, Any]]
    changes: Mapping[str, Replacement]
    appeared: tuple[Appeared, ...] = ()
    unseen: str = ""

    @property
    def open(self) -> tuple[Anchor, ...]:
        """The places that a person has to look at."""
        return tuple(anchor for anchor in self.anchors if anchor.open)


def anchor_labels(project: Project, *, moved: bool = False, progress: Progress = no_progress) -> Anchored:
    """Look every label up in today's corpus. Nothing is written, and nothing embedded.

    With `moved`, `changes` holds the labels of `moved`, too. In a BEIR folder there is nothing to change. Raises GoldenError,
    CorpusError, StorageError.
    """
    shas, before = known_label_shas(project), stood_before(project)
    found = anchors(project.golden, project.corpus, project.chunks, shas, stood_before=before, progress=progress)
    safe = tuple(anchor for anchor in found if anchor.safe and anchor.state != "exact")
    unquoted = _unquoted(project, shas)
    changes = _changes(project, unquoted, safe if moved else ())
    return Anchored(found, safe, unquoted, changes, *_appeared(project))


def write_anchors(project: Project, found: Anchored) -> list[str]:
    """Write `found.changes`, all or none; the golden set is read again when next asked for.

    What the rewritten questions' answers must mention and their evidence no longer says is returned, a sentence each. Raises
    UsageError for a BEIR folder, GoldenError where a line was changed meanwhile, StorageError.
    """
    must_be_written(project)
    replace_questions(project.golden_path, found.changes)
    project.refresh()
    rewritten = [question for question in project.golden.questions if question.qid in found.changes]
    return unsaid_in(rewritten, project.corpus, project.chunks, known_label_shas(project))


def mark_obsolete(project: Project, qid: str, reason: str = "") -> str:
    """Mark a question as asked no more: it stays in the file and leaves every mean. The reason that was written.

    It is today's date, UTC, where none is given. Raises UsageError where there is no such question and for a BEIR folder,
    GoldenError, StorageError.
    """
    must_be_written(project)
    question = project.golden.get(qid)
    if question is None:
        raise UsageError(project.golden.why_unused(qid) or f"{qid}: no such question in {project.golden_path}")
    reason = reason.strip() or f"{datetime.now(UTC):%Y-%m-%d}"
    replace_question(project.golden_path, qid, obsoleted(question.raw, reason), expected=question.raw)
    project.refresh()
    return reason


def _unquoted(project: Project, shas: Mapping[str, str]) -> dict[str, dict[str, Any]]:
    if project.beir:
        return {}
    live = [question for question in project.golden.questions if not question.obsolete]
    written = ((question.qid, anchored(question.raw, project.corpus, project.chunks, shas)) for question in live)
    return {qid: obj for qid, obj in written if obj is not None}


def _changes(project: Project, unquoted: Mapping[str, dict[str, Any]], moved: Sequence[Anchor]) -> dict[str, Replacement]:
    changed = dict(unquoted)
    raw = {question.qid: question.raw for question in project.golden.questions}
    for anchor in moved if not project.beir else ():
        new = anchor.places[0]
        before = changed.get(anchor.qid, raw[anchor.qid])
        changed[anchor.qid] = reanchored(before, anchor.index, new, project.corpus.document(new.doc_id))
    return {qid: Replacement(obj, raw[qid]) for qid, obj in changed.items()}


def _appeared(project: Project) -> tuple[tuple[Appeared, ...], str]:
    if all(question.answerable or question.obsolete for question in project.golden.questions):
        return (), ""
    try:
        if missing := project.embedded.missing():
            chunks = "1 chunk" if missing == 1 else f"{missing:,} chunks"
            return (), f"{chunks} not embedded yet; ragtriage index does that"
        return tuple(appeared(project)), ""
    except RagtriageError as error:  # the model or an index; the labels are told of all the same
        return (), str(error)

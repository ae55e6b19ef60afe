"""A review as text: the outcome first, what differs, what people said, then every flip as in a comparison. 80 columns."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ragtriage_tui.compare_text import comparison_lines
from ragtriage_tui.figures import clip_text, wrapped
from ragtriage_tui.text import one_line

if TYPE_CHECKING:
    from ragtriage.review.review import Review
    from ragtriage.revisions.naming import Revision

__all__ = ["review_lines"]

_MOST = 40
_LONG = 1_000


def review_lines(review: Review) -> list[str]:
    """The whole report."""
    from ragtriage.review.words import difference_lines, gate_sentences, nothing_differs, plain_sentences

    lines = [_side("base", review.base), _side("head", review.head), ""]
    for sentence in (*gate_sentences(review), *plain_sentences(review)):
        lines += wrapped(one_line(sentence))
    lines += [row for note in (*review.gate.warnings, *review.notes) for row in wrapped(f"! {one_line(note)}")]
    different = [f"differs: {clip_text(line, _LONG)}" for line in difference_lines(review.differences)]
    different = different or [f"differs: {nothing_differs(review)}"]
    lines += ["", *(row for line in different[:_MOST] for row in wrapped(line, indent="         "))]
    if len(different) > _MOST:
        lines.append(f"         … and {len(different) - _MOST} more; --json has them all")
    if review.to_review:
        lines += ["", *_decisions(review)]
    texts = {question.qid: question.question for question in review.golden.questions}
    return [*lines, "", *comparison_lines(review.comparison, texts)]


def _side(name: str, revision: Revision) -> str:
    why = f" ({one_line(revision.why)})" if revision.why else ""
    return f"{name}  {clip_text(revision.label, 200)}{why}"


def _decisions(review: Review) -> list[str]:
    """`7 of 13 reviewed`, how to see the first that waits, and what was said."""
    import shlex

    from ragtriage.review.words import decision_text

    lines = [f"{review.reviewed} of {len(review.to_review)} reviewed"]
    waiting = [flip.qid for flip in review.to_review if not review.decisions[flip.qid].reviewed]
    if waiting and review.head.working:
        base = shlex.quote(review.base.short or review.base.name)
        lines += [f"one at a time: ragtriage show {shlex.quote(clip_text(waiting[0], _LONG))} --against {base}"]
    for qid, decision in review.decisions.items():
        if said := decision_text(decision):
            lines += wrapped(f"  {clip_text(qid, 40)}: {clip_text(said, _LONG)}", indent="    ")
    return lines

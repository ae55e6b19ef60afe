"""A review for a pull request: what a non-engineer reads first, then the outcome, the figures, every flipped question.

Whatever questions, documents and people say is shown as text: nothing of it is formatted, linked, or calls anybody.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterable

from ragtriage.compare.comparison import Flip
from ragtriage.markup import code, escape
from ragtriage.review.review import Review
from ragtriage.review.words import (
    decision_text,
    difference_lines,
    gate_sentences,
    happened,
    nothing_differs,
    plain_sentences,
    quantity,
)

__all__ = ["LIMIT", "markdown"]

LIMIT = 60_000
"""Characters; GitHub takes 65,536 in a comment."""

_TAIL = 1_500  # kept free for what says how much was cut
_MOST_METRICS = 30
_TEXT, _WHY = 240, 400  # characters of a question, and of why it flipped
_GROUPS = (
    ("Broken", ("broken",)),
    ("Could not be compared", ("errored",)),
    ("Fixed", ("fixed",)),
)


def markdown(review: Review, *, limit: int = LIMIT) -> str:
    """The whole text, at most `limit` characters; rows that do not fit are counted at its end."""
    out = _Budget(limit - _TAIL)
    out.always(" ".join(plain_sentences(review)), "")
    out.always(*(f"**{escape(sentence, _WHY)}**  " for sentence in gate_sentences(review)[:5]), "")
    for warning in (*review.gate.warnings, *review.incomplete, *review.notes)[:10]:
        out.always(f"- {escape(warning, _WHY)}")
    out.always("", f"Base {code(_side(review, base=True))}, head {code(_side(review, base=False))}.", "")
    out.always(*_table(review), "")
    for title, changes in _GROUPS:
        flips = [flip for flip in review.comparison.flips if flip.change in changes]
        if flips:
            out.rows([f"### {title}: {len(flips)}", ""], [_flip(review, flip) for flip in flips])
    if review.to_review:
        qid = shlex.quote(review.to_review[0].qid)
        base = shlex.quote(review.base.commit[:12] or review.base.name)
        reviewed = f"{review.reviewed} of {len(review.to_review)} reviewed."
        out.always("", f"{reviewed} To look at one: {code(f'ragtriage show {qid} --against {base}')}", "")
    if different := difference_lines(review.differences):
        out.folded("What differs", [f"- {escape(line, 2_000)}" for line in different])
    else:
        out.always(f"What differs: {escape(nothing_differs(review), _WHY)}.", "")
    if moved := review.moved:
        out.folded(
            f"{quantity(len(moved), 'question')} moved, passing or failing as before", [_flip(review, flip) for flip in moved]
        )
    return out.text()


def _side(review: Review, *, base: bool) -> str:
    revision = review.base if base else review.head
    return f"{revision.label} ({revision.why})" if revision.why else revision.label


def _table(review: Review) -> list[str]:
    gated = {result.metric for result in review.gate.metrics}
    rows = ["| metric | base | head | change | n |", "|---|---:|---:|---:|---:|"]
    found = sorted(review.comparison.metrics.items(), key=lambda item: item[0] not in gated)
    for name, metric in found[:_MOST_METRICS]:
        figures = (_number(metric.base), _number(metric.head), _number(metric.change, sign=True))
        shown = f"**{code(name)}**" if name in gated else code(name)
        rows.append(f"| {shown} | {' | '.join(figures)} | {metric.n} |")
    return rows


def _number(value: float | None, *, sign: bool = False) -> str:
    if value is None:
        return "–"
    return f"{value:+.3f}" if sign and round(value, 3) else f"{value:.3f}"


def _flip(review: Review, flip: Flip) -> str:
    question = review.golden.get(flip.qid)
    text = f" {escape(question.question, _TEXT)}" if question else ""
    why = escape(happened(flip, k=review.comparison.k_head), _WHY)
    decision = review.decisions.get(flip.qid)
    said = escape(decision_text(decision), _WHY) if decision is not None else ""
    return f"- {code(flip.qid[:100])}{text}<br>{why}" + (f"<br>*{said}*" if said else "")


class _Budget:
    """Lines until they are too many; what is left out is counted."""

    def __init__(self, limit: int) -> None:
        self._left = limit
        self._lines: list[str] = []
        self._cut = 0

    def always(self, *lines: str) -> None:
        for line in lines:
            self._add(line)

    def rows(self, before: list[str], rows: Iterable[str], after: list[str] | None = None) -> None:
        """Rows, as many as fit, between lines that are there where at least one of them is."""
        rows = list(rows)
        around = [*before, *(after or [])]
        room = self._left - sum(len(line) + 1 for line in around)
        fitting = 0
        for row in rows:
            room -= len(row) + 1
            if room < 0:
                break
            fitting += 1
        self._cut += len(rows) - fitting
        if fitting:
            for line in (*before, *rows[:fitting], *(after or []), ""):
                self._add(line)

    def folded(self, title: str, rows: Iterable[str]) -> None:
        self.rows(["<details>", f"<summary>{title}</summary>", ""], rows, ["", "</details>"])

    def text(self) -> str:
        if self._cut:
            self._lines.append(f"… and {self._cut} more rows that do not fit here; `ragtriage review --json` has them all.")
        return re.sub(r"\n{3,}", "\n\n", "\n".join(self._lines)).rstrip() + "\n"

    def _add(self, line: str) -> None:
        self._left -= len(line) + 1
        self._lines.append(line)

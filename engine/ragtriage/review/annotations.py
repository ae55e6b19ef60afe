"""Annotations of a GitHub build: one a flipped question, at its line in the golden set."""

from __future__ import annotations

from collections.abc import Iterator

from ragtriage.compare.comparison import Flip
from ragtriage.review.review import Review
from ragtriage.review.words import gate_sentences, happened, stand_in

__all__ = ["workflow_commands"]

_MOST = 10  # that GitHub shows of a kind, in one step
_LONGEST = 1_000


def workflow_commands(review: Review, path: str) -> Iterator[str]:
    """Workflow commands, one a line; `path` is the golden set's below the top of the repository.

    A broken question is an error where the gate regressed, else a warning; one that somebody marked as intended is a notice.
    """
    outcome = review.gate.outcome
    level = {"ok": "notice", "regressed": "error", "cannot-tell": "warning"}[outcome]
    yield _command(level, f"review: {outcome}", " ".join(gate_sentences(review)))
    picked = stand_in(review)
    found: dict[str, list[Flip]] = {}
    for flip in review.comparison.flips:
        if flip.change in ("broken", "errored"):
            decision = review.decisions.get(flip.qid)
            reviewed = decision is not None and decision.state == "intended"
            broken = "error" if outcome == "regressed" else "warning"
            found.setdefault("notice" if reviewed else broken if flip.change == "broken" else "warning", []).append(flip)
    for kind, flips in found.items():
        most = _MOST - (kind == level) - (len(flips) > _MOST - (kind == level))
        for flip in flips[:most]:
            question = review.golden.get(flip.qid)
            text = f"{question.question} " if question else ""
            line = question.line if question else 0
            said = f"{text}({happened(flip, k=review.comparison.k_head, picked=picked)})"
            yield _command(kind, f"{flip.qid} {flip.change}", said, path, line)
        if len(flips) > most:
            yield _command(kind, "review", f"{len(flips) - most} more questions are broken or could not be compared")


def _command(kind: str, title: str, message: str, path: str = "", line: int = 0) -> str:
    where = [f"file={_property(path)}"] if path else []
    where += [f"line={line}"] if path and line else []
    where.append(f"title={_property(title[:200])}")
    return f"::{kind} {','.join(where)}::{_data(message[:_LONGEST])}"


def _data(text: str) -> str:
    """Text as a workflow command takes it: what would end the command is written as its number."""
    flat = "".join(character if character.isprintable() or character in "\r\n" else " " for character in text)
    return flat.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")

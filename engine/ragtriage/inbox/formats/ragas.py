"""Ragas datasets: `user_input`, `retrieved_contexts`, `response`, `reference`, or as once `question`, `contexts`, `answer`.

A test set that Ragas wrote itself says so by who wrote each question: those are synthetic.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import Any

from ragtriage.inbox.formats.base import Content, Format, Found, Record, member
from ragtriage.inbox.formats.chat import is_messages, question_in, text_of
from ragtriage.inbox.formats.records import rows

__all__ = ["FORMAT", "is_synthetic"]

_OWN = frozenset(("user_input", "retrieved_contexts", "reference_contexts", "ground_truths"))
_WRITTEN_BY = ("synthesizer_name", "evolution_type", "persona_name", "query_style", "episode_done")
_MESSAGES = ("multi_turn", "user_input")


def is_synthetic(value: Mapping[str, Any]) -> bool:
    """Whether a record says that a model wrote its question."""
    said = value.get("synthetic")
    return said is True or member(value, *_WRITTEN_BY) is not None


def _fits(content: Content) -> bool:
    if not content.is_json:
        return False
    return any(
        _OWN & record.values.keys() or {"question", "ground_truth"} <= record.values.keys()
        for record in rows(content).records[:50]
    )


def _read(content: Content) -> Found:
    found = rows(content)
    return Found([_one(record) for record in found.records], found.problems)


def _one(record: Record) -> Record:
    values = dict(record.values)
    known: dict[str, Any] = {}
    turns = values.get("user_input")
    if isinstance(turns, list) and turns and is_messages([_roled(one) for one in turns]):
        messages = [_roled(one) for one in turns]
        last = next((at for at in reversed(range(len(messages))) if messages[at]["role"] == "human"), len(messages))
        known["question"] = question_in(messages)
        if last + 1 < len(messages) and "response" not in values:
            known["answer"] = text_of(messages[-1])
        values.pop("user_input")
        if last:
            values["before"] = [f"{one['role']}: {text_of(one)}" for one in messages[:last]]
    synthetic = is_synthetic(values)
    return dataclasses.replace(
        record, values=values, known=known, source="synthetic" if synthetic else "builder", synthetic=synthetic
    )


def _roled(message: Any) -> dict[str, Any]:
    if not isinstance(message, Mapping):
        return {}
    return {**message, "role": message.get("role") or message.get("type") or ""}


FORMAT = Format("ragas", "Ragas datasets", _fits, _read)

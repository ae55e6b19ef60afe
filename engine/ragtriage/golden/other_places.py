"""Give an item of evidence another place that states the same fact: the object of the golden file with an `also` more."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from ragtriage.errors import GoldenError
from ragtriage.golden.capture import Mark, label
from ragtriage.golden.dialects import read_question
from ragtriage.golden.references import parse_reference
from ragtriage.types import Evidence, Place, Question

if TYPE_CHECKING:
    from ragtriage.chunking.base import Chunks
    from ragtriage.corpus.base import Corpus

__all__ = ["with_other_place"]


def with_other_place(
    question: Question, item: int | None, mark: Mark, corpus: Corpus, chunks: Chunks | None = None
) -> dict[str, Any]:
    """The question's object with `mark` as another place of its item number `item` (from 0), or as an item of its own (None).

    Labels that stand elsewhere than in `evidence` are written there, and every other key stays as it is. Raises GoldenError
    where the item or the mark does not exist or the place is there already, CorpusError for its document.
    """
    if item is not None and not 0 <= item < len(question.evidence):
        raise GoldenError(f"{question.qid} has no item of evidence number {item + 1}")
    if not question.answerable:
        raise GoldenError(f"{question.qid} is marked as one that the corpus does not answer; change that first")
    new = label(mark, corpus, chunks)
    place = parse_reference(new)
    if any(place in evidence.places for evidence in question.evidence):
        raise GoldenError(f"{question.qid}: this place is in its label already")
    wanted = _with(question.evidence, item, place)
    for key in ("evidence", "references"):
        written = _as_list(question.raw.get(key))
        if written and len(written) == len(question.evidence):
            obj = {**question.raw, key: _added(written, question.evidence, item, new)}
            if _reads_as(obj, wanted):
                return obj
    written = [_written(evidence) for evidence in question.evidence]
    obj = {**question.raw, "evidence": _added(written, question.evidence, item, new)}
    if not _reads_as(obj, wanted):
        raise GoldenError(f"{question.qid}: its label stands where no place can be added; move it to evidence")
    return obj


def _with(evidence: tuple[Evidence, ...], item: int | None, place: Place) -> tuple[Evidence, ...]:
    if item is None:
        return (*evidence, Evidence(place))
    changed = dataclasses.replace(evidence[item], also=(*evidence[item].also, place))
    return (*evidence[:item], changed, *evidence[item + 1 :])


def _added(written: list[Any], evidence: tuple[Evidence, ...], item: int | None, new: Mapping[str, Any]) -> list[Any]:
    if item is None:
        return [*written, dict(new)]
    there = written[item]
    obj = dict(there) if isinstance(there, Mapping) else _object(evidence[item].place)
    obj["also"] = [*_as_list(obj.get("also")), dict(new)]
    return [*written[:item], obj, *written[item + 1 :]]


def _written(evidence: Evidence) -> dict[str, Any]:
    obj = _object(evidence.place)
    if evidence.also:
        obj["also"] = [_object(place) for place in evidence.also]
    return obj if evidence.gain == 1 else {**obj, "gain": evidence.gain}


def _object(place: Place) -> dict[str, Any]:
    return {name: value for name, value in dataclasses.asdict(place).items() if value not in ("", None)}


def _as_list(value: Any) -> list[Any]:
    return [] if value is None else list(value) if isinstance(value, list) else [value]


def _reads_as(obj: Mapping[str, Any], evidence: tuple[Evidence, ...]) -> bool:
    read = read_question(obj, where="", line=0).question
    return read is not None and read.evidence == evidence

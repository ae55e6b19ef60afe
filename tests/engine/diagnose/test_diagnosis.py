from __future__ import annotations

import json

from tests.engine.diagnose.planted import WINGS, chunks_of, filler

from ragtriage.diagnose.asking import Asked, Reached
from ragtriage.diagnose.diagnosis import OrphanDocument, diagnose

DOCS = {
    "sound": [filler(at) for at in range(20)],
    "faulty": [WINGS, WINGS, "# Alone", f"{filler(30)} You may send goods back within 30 days of delivery.", filler(31, 90)],
    "stale": ["You may send goods back within 14 days of delivery."],
    "thin": ["To do."],
}


def test_every_fault_that_was_planted_is_found_and_counted() -> None:
    asked = Asked(tuple(Reached((22, at % 20, 21), frozenset()) for at in range(20)), k=2, pool=3, lexical=4, reranked=False)
    found = diagnose(chunks_of(DOCS), window=64, asked=asked)
    assert found.counts == {
        "contradictions": 1, "contradictions_by_year": 0, "exact_duplicates": 1,
        "near_duplicates": 0, "unread": 1, "fragments": 2, "thin_documents": 1,
        "hubs": 1, "orphans": 5,
    }  # fmt: skip
    assert found.questions is not None
    assert found.questions.hubs[0].place.chunk_id == "faulty#3"
    assert found.questions.documents == (
        OrphanDocument("stale", 1, 1, 20, False),
        OrphanDocument("thin", 1, 1, 20, False),
        OrphanDocument("faulty", 5, 3, 20, False),
    )
    assert json.loads(json.dumps(found.to_dict()))["counts"] == found.counts


def test_a_sound_corpus_has_no_findings() -> None:
    found = diagnose(chunks_of({"sound": DOCS["sound"]}), window=64)
    assert set(found.counts.values()) == {0}
    assert found.questions is None


def test_an_empty_corpus_has_none_either() -> None:
    found = diagnose(chunks_of({}), window=64, asked=Asked((Reached((), frozenset()),), 5, 50, 0, False))
    assert (found.passages, found.questions) == (0, None)
    assert found.to_dict()["questions"] is None


def test_passages_that_no_question_may_see_are_said_to_be_hidden() -> None:
    asked = Asked((Reached((0,), frozenset({0})),), k=1, pool=1, lexical=0, reranked=False, readers=(1, 0))
    found = diagnose(chunks_of({"open": [WINGS], "closed": [filler(1)]}), asked=asked)
    assert found.questions is not None
    assert found.questions.documents == (OrphanDocument("closed", 1, 1, 0, True),)

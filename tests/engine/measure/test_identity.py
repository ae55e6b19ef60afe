"""What makes a question the same in two runs."""

from __future__ import annotations

import dataclasses

import pytest

from ragtriage.measure.identity import identity_of, sameness
from ragtriage.types import Evidence, Place, Question

QUOTE = Evidence(Place(doc="refunds", quote="within 30 days"))
CHUNK = Evidence(Place(chunk="refunds#3"))
ONE = Question("q1", "how long do i have", (QUOTE, CHUNK), must_mention=(("30 days",),))


def how(**changed: object) -> str:
    return sameness(identity_of(ONE), identity_of(dataclasses.replace(ONE, **changed)))  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("changed", "expected"),
    [
        ({}, "same"),
        ({"qid": "q2", "kind": "exact", "split": "holdout", "tags": ("a",), "line": 7, "source": {"from": "log"}}, "same"),
        ({"question": "how long have i got"}, "edited"),
        ({"query": "time limit for returns"}, "edited"),
        ({"question": "how long have i got", "evidence": (QUOTE,)}, "edited"),
        ({"evidence": (QUOTE,)}, "relabelled"),
        ({"evidence": (CHUNK, QUOTE)}, "relabelled"),
        ({"evidence": (dataclasses.replace(QUOTE, gain=2.0), CHUNK)}, "relabelled"),
        ({"evidence": (dataclasses.replace(QUOTE, also=(Place(doc="faq"),)), CHUNK)}, "relabelled"),
        ({"evidence": (Evidence(Place(doc="refunds", quote="within 30 days", at=4)), CHUNK)}, "relabelled"),
        ({"needs": "any"}, "relabelled"),
        ({"answerable": False}, "relabelled"),
        ({"access": ("staff",)}, "relabelled"),
        ({"access": ()}, "relabelled"),  # () sees nothing, None the public
        ({"must_mention": (("60 days",),)}, "regraded"),
        ({"must_not_mention": ("14 days",)}, "regraded"),
        ({"expected_answer": "30 days"}, "regraded"),
    ],
)
def test_what_differs(changed: dict[str, object], expected: str) -> None:
    assert how(**changed) == expected


def test_the_hash_of_a_chunk_may_be_added_and_not_changed() -> None:
    def labelled(sha: str) -> str:
        return identity_of(dataclasses.replace(ONE, evidence=(QUOTE, Evidence(Place(chunk="refunds#3", chunk_sha=sha)))))

    assert sameness(identity_of(ONE), labelled("aa")) == "same"
    assert sameness(labelled("aa"), identity_of(ONE)) == "same"
    assert sameness(labelled("aa"), labelled("bb")) == "relabelled"


@pytest.mark.parametrize("other", ["", "x", "a.b", "..", identity_of(ONE)[:8]])
def test_a_run_that_does_not_say(other: str) -> None:
    assert sameness("", other) == "unknown"
    assert sameness(other, "a.b") == "unknown"

"""What a review says of answers that no model gave."""

from __future__ import annotations

from dataclasses import replace

import pytest
from tests.engine.revisions.conftest import Repo

from ragtriage.compare.comparison import Flip
from ragtriage.config import Config
from ragtriage.project import Project
from ragtriage.review.annotations import workflow_commands
from ragtriage.review.differences import KeyChange, config_changes
from ragtriage.review.review import Review, review
from ragtriage.review.words import happened, plain_sentences


@pytest.fixture
def broken(repo: Repo) -> Review:
    """One question is broken, in its answer alone."""
    repo.write("docs/refunds.md", "# Refunds\n\nWrite to us.\n")
    found = review(Project.open(repo.root))
    (flip,) = found.comparison.of("broken")
    head = replace(flip.head, suggested="refused-wrongly")
    flips = (flip._replace(half="answer", head=head),)
    return replace(found, comparison=replace(found.comparison, flips=flips))


def by_a_model(found: Review) -> Review:
    run = found.comparison.head
    config = {**run.manifest["config"], "answers": {"generator": "openai"}}
    manifest = {**run.manifest, "config": config}
    return replace(found, comparison=replace(found.comparison, head=replace(run, manifest=manifest)))


def only(found: Review) -> Flip:
    (flip,) = found.comparison.flips
    return flip


def test_flips_of_the_stand_in_are_told_apart(broken: Review) -> None:
    assert plain_sentences(broken)[2:] == (
        "It changed in its answer alone, which the extractive stand-in gave, not a model of yours.",
    )
    assert plain_sentences(by_a_model(broken))[2:] == ()


def test_an_annotation_names_who_answered(broken: Review) -> None:
    assert "(the stand-in's answer: now refused wrongly)" in list(workflow_commands(broken, "golden.jsonl"))[1]
    assert "(the answer: now refused wrongly)" in list(workflow_commands(by_a_model(broken), "golden.jsonl"))[1]
    assert happened(only(broken), k=5) == "the answer: now refused wrongly"


def test_a_key_that_an_older_run_does_not_know_has_its_default_there() -> None:
    known = Config().as_dict()["chunking"]
    older = {key: value for key, value in known.items() if key not in ("child_size", "break_at", "threshold")}
    assert config_changes({"chunking": known}, {"chunking": older}) == ()
    assert config_changes({"chunking": older}, {"chunking": {**known, "child_size": 32}}) == (
        KeyChange("chunking.child_size", 64, 32),
    )
    assert config_changes({"chunking": older, "gone": {"key": 1}}, {"chunking": known}) == (KeyChange("gone.key", 1, None),)

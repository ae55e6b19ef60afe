"""What the extractive generator comes to on questions of people, half of which its passages do not answer.

The constants that decide were not chosen on this set: `python -m tests.benchmarks refusal_threshold` shows how they were. The
real encoder is needed: the first run takes half a minute, later ones find the vectors in pytest's cache.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from statistics import fmean

import pytest
from tests.benchmarks.contexts import Asked, asked_of, selected_sentences
from tests.benchmarks.refusal_threshold import K, refuses, said
from tests.shared_data import shared

from ragtriage.answers.extractive import ExtractiveGenerator
from ragtriage.project import Project

pytestmark = pytest.mark.xdist_group("clapnq")  # what is asked is asked once


@pytest.fixture(scope="module")
def folder() -> Path:
    return shared("clapnq-dev")


@pytest.fixture(scope="module")
def asked(
    folder: Path, request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[tuple[ExtractiveGenerator, list[Asked]]]:
    kept = getattr(request.config, "cache", None)
    home = kept.mkdir("clapnq-vectors") if kept is not None else tmp_path_factory.mktemp("home")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("RAGTRIAGE_HOME", str(home))
        project = Project.open(folder)
        yield asked_of(project, K)
        project.close()


def test_it_knows_when_it_does_not_know(asked: tuple[ExtractiveGenerator, list[Asked]]) -> None:
    generator, every = asked
    answered = fmean(not refuses(generator, one) for one in every if one.question.answerable)
    refused = fmean(refuses(generator, one) for one in every if not one.question.answerable)
    assert len(every) == 600
    assert (answered + refused) / 2 >= 0.75, (answered, refused)


def test_with_the_evidence_it_says_more_of_what_people_chose(
    asked: tuple[ExtractiveGenerator, list[Asked]], folder: Path
) -> None:
    generator, every = asked
    live, oracle = said(generator, every, selected_sentences(folder))
    assert len(live) == len(oracle) >= 290
    assert fmean(oracle) > fmean(live)
    assert fmean(live) > 0.5

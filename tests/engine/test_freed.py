"""What was read and measured goes when nobody uses it any more, without a search for garbage: it is in no circle."""

from __future__ import annotations

import gc
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.engine.revisions.conftest import CONFIG, Repo, home

from ragtriage.measure.evaluate import evaluate
from ragtriage.project import Project
from ragtriage.review.review import review

__all__ = ["home"]

LARGE = ("Project", "RevisionProject", "Export", "Corpus", "Chunks", "LexicalIndex", "DenseIndex")
MODELS = """
[answers]
generator = "command"
command = ["./model.py"]
[judge]
provider = "command"
command = ["./model.py"]
"""


@pytest.fixture(autouse=True)
def unsearched() -> Iterator[None]:
    gc.collect()
    gc.disable()
    yield
    gc.enable()


def held() -> Counter[str]:
    """How many there are of what is large, or holds it."""
    return Counter(name for one in gc.get_objects() if (name := type(one).__name__) in LARGE)


@pytest.mark.parametrize("more", ["", MODELS], ids=["stand-in", "models"])
def test_a_closed_project_and_its_corpus_go(tmp_path: Path, more: str) -> None:
    repo = Repo(tmp_path / "shop").fill()
    repo.write("ragtriage.toml", CONFIG + more)
    repo.commit()
    before = held()
    project = Project.open(repo.root)
    run = evaluate(project)
    assert (held() - before)["Chunks"] == (held() - before)["LexicalIndex"] == 1
    project.close()
    del project
    assert not held() - before
    assert len(run.questions) == 3


def test_both_sides_of_a_review_go(tmp_path: Path) -> None:
    repo = Repo(tmp_path / "shop").fill()
    repo.commit()
    repo.write("docs/refunds.md", "# Refunds\n\nWrite to us.\n")
    before = held()
    project = Project.open(repo.root)
    found = review(project)
    project.close()
    del project
    assert not held() - before
    assert len(found.comparison.flips) == 1

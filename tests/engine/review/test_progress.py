"""What is said while a review is measured, and what its gate warns of."""

from __future__ import annotations

from tests.engine.revisions.conftest import PAGES, Repo

from ragtriage.project import Project
from ragtriage.review.review import review


def test_progress_says_which_side_is_measured(repo: Repo) -> None:
    repo.write("docs/refunds.md", "# Refunds\n\nWrite to us.\n")
    told: list[str] = []

    def progress(stage: str, done: int, total: int) -> None:
        if stage not in told:
            told.append(stage)

    project = Project.open(repo.root, progress=progress)
    review(project, progress=progress)
    sides = [stage.partition(": ")[0] for stage in told]
    assert set(sides) == {"head", "base"}
    assert sides == sorted(sides, reverse=True)  # all of the head, then all of the base
    assert {"head: reading", "head: cutting", "head: measuring", "base: reading", "base: measuring"} <= set(told)
    assert project.progress is progress


def test_a_label_whose_text_is_gone_is_warned_of(repo: Repo) -> None:
    repo.write("docs/refunds.md", "# Refunds\n\nWrite to us.\n")
    found = review(Project.open(repo.root))
    assert any("gone from the documents; ragtriage golden anchor looks for it" in warning for warning in found.gate.warnings)
    repo.write("docs/refunds.md", PAGES["refunds.md"])
    assert not any("gone from" in warning for warning in review(Project.open(repo.root)).gate.warnings)

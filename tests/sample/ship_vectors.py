"""Makes `sample_corpus/vectors.sqlite` anew: `python -m tests.sample.ship_vectors`, after a page or a question has changed.

All chunks, of the branch of `ragtriage demo review` too, and questions are embedded by the real encoder in an empty
cache, so that nothing of an older file lives on.
"""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Sequence
from pathlib import Path

from ragtriage.project import Project
from ragtriage.project_places import SHIPPED_VECTORS
from ragtriage.search.pipeline import Query
from ragtriage.types import Question
from ragtriage_tui.demo_history import take_steps

__all__ = ["SAMPLE", "branch_texts", "copy_of_the_sample", "texts_of", "write_vectors"]

SAMPLE = Path(__file__).resolve().parents[2] / "sample_corpus"


def copy_of_the_sample(target: Path, *, vectors: bool) -> Path:
    """The sample in `target`, without what a person's own runs left in the checkout, with or without its vectors."""
    left_out = [".ragtriage", "holdout.jsonl", *([] if vectors else [SHIPPED_VECTORS])]
    return Path(shutil.copytree(SAMPLE, target, ignore=shutil.ignore_patterns(*left_out)))


def texts_of(questions: Sequence[Question]) -> list[str]:
    """What has to have a vector for these questions: each wording, and what is sent to the retriever in its place."""
    return list(dict.fromkeys(text for question in questions for text in (question.question, question.sent)))


def branch_texts(folder: Path) -> list[str]:
    """What the branch of `ragtriage demo review` would embed; `folder` is an empty place for a copy of the sample."""
    project = _branch(folder)
    try:
        return list(project.chunks.indexed_texts())
    finally:
        project.close()


def _branch(folder: Path) -> Project:
    root = copy_of_the_sample(folder / "branch", vectors=False)
    take_steps(root)
    return Project.open(root)


def write_vectors(target: Path) -> int:
    """Embed the sample and write its vectors to `target`. Returns how many there are."""
    with tempfile.TemporaryDirectory() as folder:
        os.environ["RAGTRIAGE_HOME"] = str(Path(folder) / "home")
        project = Project.open(copy_of_the_sample(Path(folder) / "sample", vectors=False))
        try:
            retriever = project.system.retriever
            texts = texts_of(project.golden.questions)
            retriever.search([Query(text, ("*",)) for text in texts])
            branch = _branch(Path(folder))
            branch.system.retriever.search([Query(texts[0], ("*",))])
            branch.close()
            return retriever.indexes.export_vectors(target, [*texts, *branch.chunks.indexed_texts()])
        finally:
            project.close()


if __name__ == "__main__":
    path = SAMPLE / SHIPPED_VECTORS
    print(f"{write_vectors(path)} vectors, {path.stat().st_size} bytes: {path}")

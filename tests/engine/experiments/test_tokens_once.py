"""Whatever is varied, a document is tokenised once by each model, and the project is afterwards as it was."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest
from tests.engine.experiments.planted import write_model
from tests.engine.experiments.projects import TOPICS, make

from ragtriage.chunking.base import TokenOffsets
from ragtriage.chunking.tokens import ModelTokens
from ragtriage.experiments.grid import grid_of
from ragtriage.experiments.sweep import Swept, sweep
from ragtriage.experiments.what_if import what_if
from ragtriage.project import Project

CONFIG = '[embedding]\nmodel = "one"\n[retrieval]\nmode = "bm25"\nk = 3\npool = 20\n'


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Project]:
    monkeypatch.setenv("RAGTRIAGE_HOME", str(tmp_path / "home"))
    made = make(tmp_path / "project", config=CONFIG)
    for name in ("one", "two"):
        write_model(made.root / name)
    (made.root / "two" / "tokenizer.json").write_bytes((made.root / "one" / "tokenizer.json").read_bytes() + b"\n")
    yield made
    made.close()


@pytest.fixture
def read(monkeypatch: pytest.MonkeyPatch) -> Counter[tuple[str, str]]:
    """How often each text was tokenised by each tokenizer."""
    found: Counter[tuple[str, str]] = Counter()
    offsets = ModelTokens.offsets

    def counted(self: ModelTokens, texts: Sequence[str]) -> Iterator[TokenOffsets]:
        found.update((self.identity, text) for text in texts)
        return offsets(self, texts)

    monkeypatch.setattr(ModelTokens, "offsets", counted)
    return found


def test_a_document_is_tokenised_once_by_each_model(project: Project, read: Counter[tuple[str, str]]) -> None:
    tokens = project.tokens
    came: list[Swept] = []
    grid = grid_of({"model": ["one", "two"], "size": [40, 80], "overlap": [0, 8]}, project.config)
    sweep(project, grid, told=came.append)
    assert len(came) == 9
    whole = {document.text for document in project.corpus.documents}
    assert len(whole) == len(TOPICS)
    assert {number for (_, text), number in read.items() if text in whole} == {1}
    assert sum(text in whole for _, text in read) == 2 * len(TOPICS)
    assert project.tokens is tokens
    models = [one.candidate.config.embedding.model for one in came]
    assert models == ["one"] * 5 + ["two"] * 4


def test_what_if_leaves_the_project_as_it_was(project: Project, read: Counter[tuple[str, str]]) -> None:
    tokens = project.tokens
    what_if(project)
    what_if(project)
    assert project.tokens is tokens
    assert max(read.values()) == 1

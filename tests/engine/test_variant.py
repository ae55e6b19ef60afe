"""A project under another configuration."""

from __future__ import annotations

import dataclasses
from pathlib import Path

import pytest

from ragtriage.project import Project


@pytest.fixture
def project(tmp_path: Path) -> Project:
    (tmp_path / "docs").mkdir()
    (tmp_path / "evals").mkdir()
    (tmp_path / "docs" / "refunds.md").write_text("# Refunds\n\n" + "Refunds are paid within thirty days. " * 20)
    (tmp_path / "evals" / "golden.jsonl").write_text('{"qid":"q1","question":"When?","evidence":["refunds.md#refunds"]}\n')
    (tmp_path / "ragtriage.toml").write_text('[retrieval]\nmode = "bm25"\n')
    return Project.open(tmp_path)


def test_what_both_can_share_is_shared(project: Project) -> None:
    config = project.config
    mode = project.variant(dataclasses.replace(config, retrieval=dataclasses.replace(config.retrieval, k=3)))
    assert mode.corpus is project.corpus
    assert mode.golden is project.golden
    assert mode.chunks is project.chunks
    assert mode.indexes is project.indexes
    size = project.variant(dataclasses.replace(config, chunking=dataclasses.replace(config.chunking, size=50)))
    assert size.corpus is project.corpus
    assert size.encoder is project.encoder
    assert len(size.chunks) > len(project.chunks)
    model = project.variant(dataclasses.replace(config, embedding=dataclasses.replace(config.embedding, dtype="bfloat16")))
    assert model.encoder is not project.encoder
    assert model.corpus is project.corpus


def test_another_corpus_is_read_by_itself(project: Project) -> None:
    config = project.config
    other = project.variant(dataclasses.replace(config, corpus=dataclasses.replace(config.corpus, include=("*.txt",))))
    assert other.corpus is not project.corpus
    assert not other.corpus.documents


class Closed:
    def __init__(self) -> None:
        self.times = 0

    def close(self) -> None:
        self.times += 1


def test_closing_a_variant_ends_nothing_of_its_origin(project: Project) -> None:
    held = {name: Closed() for name in ("encoder", "indexes", "chunks", "tokens")}
    project.__dict__.update(held)
    project.variant(project.config).close()
    assert [each.times for each in held.values()] == [0, 0, 0, 0]
    project.close()
    assert held["encoder"].times == 1
    assert held["indexes"].times == 1

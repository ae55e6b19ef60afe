from __future__ import annotations

import json
from pathlib import Path

import pytest
from tests.engine.corpus.reading import files
from tests.engine.diagnose.planted import filler

from ragtriage.diagnose.asking import asked
from ragtriage.project import Project

CONFIG = '[corpus]\naccess_key = "access"\n[retrieval]\nmode = "bm25"\nk = 1\n'
QUESTIONS = (
    {"qid": "q1", "question": "wbxaaa", "evidence": [{"doc": "one", "quote": filler(1)}]},
    {"qid": "q2", "question": "wcxaaa", "evidence": [{"doc": "one", "quote": filler(1)}]},
    {"qid": "q3", "question": "wdxaaa", "split": "holdout"},
    {"qid": "q4", "question": "wexaaa"},
)


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Project:
    monkeypatch.setenv("RAGTRIAGE_HOME", str(tmp_path / "home"))
    root = files(
        tmp_path / "project",
        {
            "ragtriage.toml": CONFIG,
            "evals/golden.jsonl": "".join(json.dumps(question) + "\n" for question in QUESTIONS),
            "docs/one.md": filler(1),
            "docs/two.md": filler(2),
            "docs/three.md": filler(3),
            "docs/four.md": f"---\naccess: [staff]\n---\n{filler(4)}",
        },
    )
    return Project.open(root)


def test_dev_questions_are_asked_and_evidence_is_told_from_the_rest(project: Project) -> None:
    found = asked(project)
    one, two = (project.chunks.row(f"{name}#1") for name in ("one", "two"))
    assert [(question.pool, question.evidence) for question in found.questions] == [
        ((one,), {one}), ((two,), set()), ((), set()),
    ]  # fmt: skip
    assert (found.k, found.pool, found.lexical, found.reranked, found.readers) == (1, 50, 0, False, (0, 3, 3, 3))


def test_what_some_question_may_see_is_not_hidden(project: Project) -> None:
    project.groups = ("staff",)
    found = asked(project)
    assert (set(found.readers), found.questions[2].pool) == ({3}, (project.chunks.row("four#1"),))


def test_without_vectors_bm25_asks_alone_and_no_model_starts(project: Project) -> None:
    hybrid = Project.open(project.root, overrides=["retrieval.mode=hybrid"])
    found = asked(hybrid)
    assert (found.lexical, len(found.questions), hybrid.system.encoded) == (3, 3, 0)


def test_without_questions_nothing_is_asked(project: Project) -> None:
    project.golden_path.write_text("", encoding="utf-8")
    assert asked(project).questions == ()

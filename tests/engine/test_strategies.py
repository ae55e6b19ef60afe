"""A whole evaluation under the strategies that embed more than chunks, with an encoder that counts."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from tests.engine.search.conftest import FakeEncoder

from ragtriage.measure.evaluate import evaluate
from ragtriage.measure.results import Run
from ragtriage.project import Project
from ragtriage.search.pipeline import Query
from ragtriage.types import Progress, Ranking, no_progress

PAGES = {
    "refunds": "# Refunds\n\nRefunds take thirty days. Refunds are paid to the card.\n\n## Gifts\n\nGift cards have no refund. "
    "Gift cards never expire.",
    "shipping": "# Shipping\n\nParcels leave on Monday. Parcels go by ship. The ship is slow.\n\nRefunds are on another page.",
    "staff": "---\naccess: [staff]\n---\n# Limits\n\nRefunds above ninety need a signature. Parcels above ninety, too.",
}
GOLDEN = [
    {"qid": "q1", "question": "thirty days refunds", "evidence": [{"doc": "refunds", "quote": "Refunds take thirty days."}]},
    {"qid": "q2", "question": "slow ship", "evidence": [{"doc": "shipping", "quote": "The ship is slow."}]},
    {"qid": "q3", "question": "signature", "access": ["staff"], "evidence": [{"doc": "staff", "quote": "need a signature"}]},
]
STRATEGIES = {
    "small_to_big": ("chunking.strategy=small_to_big", "chunking.size=40", "chunking.child_size=12"),
    "semantic": ("chunking.strategy=semantic", "chunking.size=40", "chunking.threshold=50"),
    "absolute": ("chunking.strategy=semantic", "chunking.size=40", "chunking.break_at=absolute", "chunking.threshold=0.6"),
}


class Words(FakeEncoder):
    def encode(self, texts: Sequence[str], progress: Progress = no_progress) -> np.ndarray:
        progress("embed", len(texts), len(texts))
        return super().encode(texts, progress)


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("RAGTRIAGE_HOME", str(tmp_path / "home"))
    root = tmp_path / "project"
    (root / "docs").mkdir(parents=True)
    (root / "evals").mkdir()
    for name, text in PAGES.items():
        (root / "docs" / f"{name}.md").write_text(text, encoding="utf-8")
    (root / "evals" / "golden.jsonl").write_text("".join(json.dumps(line) + "\n" for line in GOLDEN), encoding="utf-8")
    (root / "ragtriage.toml").write_text('[corpus]\naccess_key = "access"\n', encoding="utf-8")
    return root


def opened(root: Path, *overrides: str) -> tuple[Project, Words]:
    project, encoder = Project.open(root, overrides=overrides), Words()
    project.__dict__["encoder"] = encoder
    return project, encoder


def measured(root: Path, *overrides: str) -> tuple[Run, Words]:
    project, encoder = opened(root, *overrides)
    try:
        return evaluate(project, answers="none", store=False), encoder
    finally:
        project.close()


@pytest.mark.parametrize("name", STRATEGIES)
@pytest.mark.parametrize("mode", ["bm25", "dense", "hybrid"])
def test_warm_it_is_the_same_and_no_encoder_is_needed(root: Path, name: str, mode: str) -> None:
    overrides = (*STRATEGIES[name], f"retrieval.mode={mode}")
    first, encoder = measured(root, *overrides)
    assert first.manifest["encoded"] == len(encoder.asked) == len(set(encoder.asked))
    assert (first.manifest["encoded"] > 0) is (mode != "bm25" or "small" not in name)
    again, unused = measured(root, *overrides)
    assert (unused.asked, unused.starts, again.manifest["encoded"]) == ([], 0, 0)
    assert again.questions == first.questions
    assert all(question.status != "failed" for question in first.questions)


def test_children_are_embedded_and_searched_and_parents_are_ranked(root: Path) -> None:
    project, encoder = opened(root, *STRATEGIES["small_to_big"])
    chunks = project.chunks
    assert len(chunks.units) > len(chunks)
    (found,) = project.system.search([Query("thirty days refunds", ("*",))])
    assert isinstance(found, Ranking)
    assert set(encoder.asked) == {*chunks.units.indexed_texts(), "thirty days refunds"}
    for ids in (found.ids, *found.stages.values()):
        assert len(set(ids)) == len(ids)
        assert set(ids) <= set(chunks.ids)
    assert set(found.stages["dense"]) == set(chunks.ids)
    similar = project.system.retriever.similarity("thirty days refunds", found.stages["dense"])
    assert similar is not None
    assert similar.tolist() == sorted(similar.tolist(), reverse=True)
    project.close()


def test_access_holds_for_children(root: Path) -> None:
    project, _ = opened(root, *STRATEGIES["small_to_big"])
    public, staff = project.system.search([Query("refunds above ninety"), Query("refunds above ninety", ("staff",))])
    assert isinstance(public, Ranking)
    assert isinstance(staff, Ranking)
    assert not any(name.startswith("staff") for ids in public.stages.values() for name in ids)
    assert all(any(name.startswith("staff") for name in ids) for ids in staff.stages.values())
    project.close()


def test_an_edit_embeds_the_sentences_that_are_new(root: Path) -> None:
    overrides = (*STRATEGIES["absolute"], "retrieval.mode=bm25")
    measured(root, *overrides)
    page = root / "docs" / "shipping.md"
    page.write_text(PAGES["shipping"].replace("The ship is slow.", "The ship is fast now."), encoding="utf-8")
    run, encoder = measured(root, *overrides)
    assert encoder.asked == ["The ship is fast now."]
    assert run.manifest["encoded"] == 1


def test_what_a_strategy_does_not_look_at_makes_no_other_configuration(root: Path) -> None:
    def fingerprint(*overrides: str) -> str:
        return Project.open(root, overrides=overrides).config_fingerprint()

    assert fingerprint() == fingerprint("chunking.child_size=9", "chunking.threshold=3", "chunking.break_at=absolute")
    small, semantic = "chunking.strategy=small_to_big", "chunking.strategy=semantic"
    assert len({fingerprint(), fingerprint(small), fingerprint(small, "chunking.child_size=9"), fingerprint(semantic)}) == 4
    assert fingerprint(semantic) != fingerprint(semantic, "chunking.threshold=80")


def test_another_language_of_sentences_is_another_cut(root: Path) -> None:
    project, _ = opened(root, *STRATEGIES["small_to_big"])
    config = project.config
    german = project.variant(Project.open(root, overrides=[*STRATEGIES["small_to_big"], "retrieval.language=de"]).config)
    assert german.chunks is not project.chunks
    assert german.chunks.fingerprint != project.chunks.fingerprint
    assert project.variant(config).chunks is project.chunks

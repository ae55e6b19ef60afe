"""For each rung, a tiny corpus and made-up stage lists in which exactly that rung is the first to break."""

from __future__ import annotations

from pathlib import Path

import pytest

from ragtriage.answers.context import prompt_texts
from ragtriage.chunking.base import Chunks
from ragtriage.golden.evidence import resolve
from ragtriage.golden.ranks import PromptTexts
from ragtriage.measure.ladder import LEVERS, RUNGS, Stages, first_broken, lost_at, walk
from ragtriage.measure.results import Rung
from ragtriage.project import Project
from ragtriage.types import Evidence, Groups, Place, Question

FILLER = "Nothing to see here, only words that stand for a page. " * 3
PAGES = {
    "refunds": f"# Refunds\n\n{FILLER}\n\nGoods may be sent back within 30 days of delivery.\n",
    "shipping": f"# Shipping\n\n{FILLER}\n",
    "secret": "---\naccess: [staff]\n---\n# Secret\n\nThe code of the safe is 7731.\n",
    **{f"other-{number}": f"# Other {number}\n\n{FILLER}\n" for number in range(8)},
}


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Project:
    monkeypatch.setenv("RAGTRIAGE_HOME", str(tmp_path / "home"))
    root = tmp_path / "handbook"
    (root / "docs").mkdir(parents=True)
    for name, text in PAGES.items():
        (root / "docs" / f"{name}.md").write_text(text, encoding="utf-8")
    (root / "ragtriage.toml").write_text('[corpus]\naccess_key = "access"\n', encoding="utf-8")
    return Project.open(root)


def rungs_of(
    chunks: Chunks, place: Place, lists: dict[str, list[str]], *, k: int = 3, window: int = 256, groups: Groups = None
) -> dict[str, Rung]:
    (item,) = resolve(Question("q", "?", (Evidence(place),)), chunks.corpus, chunks)
    final = lists.get("reranked") or lists.get("fused") or next(iter(lists.values()))
    stages = Stages(
        {name: PromptTexts(prompt_texts(ids, chunks)) for name, ids in lists.items()},
        PromptTexts(prompt_texts(final, chunks)),
    )
    return {rung.name: rung for rung in walk(item, stages, chunks, groups, k=k, window=window)}


def broken(rungs: dict[str, Rung]) -> str:
    return first_broken(list(rungs.values()))


OTHERS = [f"other-{number}#1" for number in range(8)]
QUOTE = Place("refunds", quote="within 30 days of delivery")


def test_every_rung_has_a_lever():
    assert set(LEVERS) == set(RUNGS)


def test_corpus_when_the_document_is_missing(project):
    rungs = rungs_of(project.chunks, Place("gone", quote="x"), {"bm25": OTHERS})
    assert broken(rungs) == "corpus"
    assert rungs["corpus"].note == "missing-document"
    assert list(rungs) == ["corpus"]


def test_corpus_when_the_quote_is_missing(project):
    rungs = rungs_of(project.chunks, Place("refunds", quote="no such words at all in here"), {"bm25": OTHERS})
    assert rungs["corpus"] == Rung("corpus", "broken", note="missing-quote")


def test_chunk_when_the_evidence_is_cut(project):
    small = Project.open(project.root, overrides=["chunking.strategy=fixed", "chunking.size=8"])
    rungs = rungs_of(small.chunks, Place("refunds", quote="Goods may be sent back within 30 days of delivery."), {"bm25": []})
    assert broken(rungs) == "chunk"
    assert rungs["chunk"].note.startswith("split over #")


def test_window_when_the_evidence_is_behind_it(project):
    whole = Project.open(project.root, overrides=["chunking.strategy=whole"])
    assert broken(rungs_of(whole.chunks, QUOTE, {"bm25": OTHERS}, window=20)) == "window"
    assert broken(rungs_of(whole.chunks, QUOTE, {"bm25": OTHERS}, window=256)) == "bm25"
    assert rungs_of(whole.chunks, QUOTE, {"bm25": OTHERS}, window=0)["window"].state == "skipped"


def test_window_looks_at_what_is_embedded(project):
    keys = ["chunking.strategy=small_to_big", "chunking.child_size=12"]
    small = Project.open(project.root, overrides=keys)
    assert len(small.chunks.rows_of("refunds")) == 1
    assert broken(rungs_of(small.chunks, QUOTE, {"bm25": OTHERS}, window=20)) == "bm25"
    assert broken(rungs_of(small.chunks, QUOTE, {"bm25": OTHERS}, window=3)) == "window"


def test_access_when_the_page_is_hidden_from_who_asks(project):
    place = Place("secret", quote="The code of the safe is 7731.")
    assert broken(rungs_of(project.chunks, place, {"bm25": OTHERS})) == "access"
    assert broken(rungs_of(project.chunks, place, {"bm25": OTHERS}, groups=("staff",))) == "bm25"


def test_retrievers_when_neither_has_it(project):
    rungs = rungs_of(project.chunks, QUOTE, {"bm25": OTHERS, "dense": OTHERS, "fused": OTHERS})
    assert broken(rungs) == "bm25"
    assert (rungs["bm25"].state, rungs["dense"].state, rungs["fused"].state) == ("broken", "broken", "skipped")


def test_one_retriever_without_it_breaks_nothing(project):
    dense = [*OTHERS[:4], "refunds#1"]
    rungs = rungs_of(project.chunks, QUOTE, {"bm25": OTHERS, "dense": dense, "fused": [*OTHERS, "refunds#1"]})
    assert rungs["bm25"] == Rung("bm25", "absent")
    assert rungs["dense"] == Rung("dense", "ok", 5)
    assert rungs["fused"] == Rung("fused", "ok", 9)
    assert broken(rungs) == "context"
    assert rungs["context"].rank == 9


def test_fusion_that_sinks_what_one_retriever_had_high(project):
    dense = ["refunds#1", *OTHERS]
    rungs = rungs_of(project.chunks, QUOTE, {"bm25": OTHERS, "dense": dense, "fused": [*OTHERS[:4], "refunds#1"]})
    assert broken(rungs) == "fused"
    assert rungs["fused"].rank == 5


def test_fusion_that_drops_it_from_the_pool(project):
    dense = [*OTHERS[:4], "refunds#1"]
    rungs = rungs_of(project.chunks, QUOTE, {"bm25": OTHERS, "dense": dense, "fused": OTHERS})
    assert broken(rungs) == "fused"
    assert rungs["fused"].note == "not in the pool"
    assert rungs["context"].rank is None


def test_a_reranker_that_demotes_it(project):
    fused = ["refunds#1", *OTHERS]
    lists = {"bm25": fused, "dense": fused, "fused": fused, "reranked": [*OTHERS, "refunds#1"]}
    rungs = rungs_of(project.chunks, QUOTE, lists)
    assert broken(rungs) == "reranked"
    assert rungs["reranked"].rank == 9


def test_a_single_retriever_has_no_fusion(project):
    rungs = rungs_of(project.chunks, QUOTE, {"bm25": [*OTHERS, "refunds#1"]})
    assert broken(rungs) == "context"
    assert (rungs["dense"].state, rungs["fused"].state, rungs["reranked"].state) == ("skipped", "skipped", "skipped")


def test_a_question_is_lost_where_its_first_item_was():
    assert lost_at(["context", "", "chunk"], "all") == "chunk"
    assert lost_at(["", ""], "all") == ""


def test_of_several_readings_the_one_that_got_furthest_counts():
    assert lost_at(["corpus", "context", "bm25"], "any") == "context"

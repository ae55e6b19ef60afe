"""What a real cluster answers, measured as any system is: as good as the embedded engine, nothing forbidden, no node needed."""

from __future__ import annotations

import shutil
import threading
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest
from tests.qdrant.made import configure, made_project, plant
from tests.qdrant.nodes import Nodes
from tests.shared_data import shared
from tests.soak import rounds

from ragtriage.measure.evaluate import evaluate
from ragtriage.measure.results import Run
from ragtriage.project import Project
from ragtriage.search.access import visible
from ragtriage.search.pipeline import Query
from ragtriage.search.systems.qdrant_cluster import Cluster, Found, Wanted
from ragtriage.search.systems.qdrant_upload import upload_project
from ragtriage.types import Groups, Ranking


@pytest.fixture(scope="module", autouse=True)
def _home(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """One cache for all of these: what is embedded or indexed for one is known to the others."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("RAGTRIAGE_HOME", str(tmp_path_factory.mktemp("home")))
        patch.setenv("RAGTRIAGE_TRUST", "1")
        yield


def rankings(project: Project, queries: Sequence[Query]) -> list[Ranking]:
    found = project.system.search(queries)
    assert all(isinstance(one, Ranking) for one in found), found
    return [one for one in found if isinstance(one, Ranking)]


def queries_of(project: Project) -> list[Query]:
    return [Query(question.sent, question.access) for question in project.golden.questions]


def may_see(project: Project, groups: Groups) -> set[str]:
    return {chunk.chunk_id for chunk in project.chunks if visible(project.corpus.document(chunk.doc_id).access, groups)}


def test_over_500_questions_nobody_finds_what_he_may_not_see(nodes: Nodes, tagged: Path) -> None:
    project = Project.open(tagged)
    queries = queries_of(project)
    found = rankings(project, queries)
    forbidden = [set(one.ids) - may_see(project, query.groups) for query, one in zip(queries, found, strict=True)]
    assert len(queries) == 500
    assert sum(map(len, forbidden)) == 0
    assert sum(len(one.ids) for one in found) > 10_000
    project.close()


@pytest.mark.parametrize("mode", ["hybrid", "dense", "bm25"])
def test_everybody_finds_all_that_he_may_see(nodes: Nodes, tagged: Path, mode: str) -> None:
    project = Project.open(tagged, overrides=[f"retrieval.mode={mode}", "retrieval.depth=400", "retrieval.pool=400"])
    asked = queries_of(project)[: rounds(24, 500)]
    asked += [Query(asked[0].text, groups) for groups in (("*",), (), None, ("public",), ("board", "*"))]
    for query, one in zip(asked, rankings(project, asked), strict=True):
        may = may_see(project, query.groups)
        assert set(one.ids) <= may
        assert mode == "bm25" or set(one.ids) == may
    project.close()


def test_what_may_not_be_seen_takes_no_place_in_either_list(nodes: Nodes, tagged: Path) -> None:
    project = Project.open(tagged, overrides=["retrieval.depth=10", "retrieval.pool=10"])
    queries = [Query(query.text, ("board",)) for query in queries_of(project)[::20]]
    assert {len(one.ids) for one in rankings(project, queries)} == {10}
    project.close()


def test_a_node_killed_in_the_middle_of_an_evaluation_fails_no_question(
    nodes: Nodes, tagged: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    killing = threading.Lock()
    asked = 0
    search = Cluster.search

    def with_a_kill(self: Cluster, wanted: Wanted) -> list[Found]:
        nonlocal asked
        with killing:
            asked += 1
            if asked == 150:
                nodes.kill(0)  # the one that is asked
        return search(self, wanted)

    monkeypatch.setattr(Cluster, "search", with_a_kill)
    try:
        run = measured(tagged)
    finally:
        nodes.settle()
    assert asked >= 500
    assert [question.reason for question in run.questions if question.status == "failed"] == []
    assert len(run.questions) == 500


def test_a_node_that_hangs_is_left_and_the_next_one_asked(nodes: Nodes, tmp_path: Path) -> None:
    root = made_project(tmp_path / "few", [{"id": f"p{number}", "text": f"item{number}"} for number in range(20)], [])
    configure(root, nodes.urls[1:], "hanging", shards=1, replicas=3, mode="bm25")
    upload_project(Project.open(root))  # a collection is made slowly; only the questions are in a hurry
    with (root / "ragtriage.toml").open("a", encoding="utf-8") as file:
        file.write("[run]\ntimeout_s = 4.0\n")
    project = Project.open(root)
    nodes.pause(1)
    try:
        found = rankings(project, [Query(f"item{number}") for number in range(8)])
    finally:
        nodes.proceed(1)
        nodes.settle()
    assert [one.ids[0] for one in found] == [f"p{number}#1" for number in range(8)]
    project.close()


def test_cranfield_is_found_as_well_as_in_the_embedded_engine(nodes: Nodes, tmp_path: Path) -> None:
    """By default with vectors of words, which both sides get; `make soak` embeds with the model."""
    root = tmp_path / "cranfield"
    root.mkdir()
    for name in ("corpus.jsonl", "queries.jsonl", "qrels.tsv"):
        shutil.copy(shared("cranfield") / name, root / name)
    if rounds(1, 0):
        plant(root)
    configure(root, nodes.urls, "cranfield", k=10)
    project = Project.open(root)
    upload_project(project)
    theirs = evaluate(project, answers="none", store=False)
    queries = [Query(question.sent) for question in project.golden.questions[:40]]
    assert [one.hits for one in rankings(project, queries)] == [one.hits for one in rankings(project, queries)]
    project.close()
    project = Project.open(root, overrides=["retrieval.system=embedded"])
    ours = evaluate(project, answers="none", store=False)
    project.close()
    values = [run.manifest["metrics"]["recall@10"]["value"] for run in (ours, theirs)]
    assert theirs.manifest["failed"] == ours.manifest["failed"] == 0
    assert abs(values[0] - values[1]) <= 0.02, values
    assert values[1] >= (0.22 if rounds(1, 0) else 0.43), values


def test_small_pieces_are_searched_and_their_chunks_returned(nodes: Nodes, tmp_path: Path) -> None:
    text = "\n\n".join(f"Paragraph {number} of the page tells of item{number} and of little else." for number in range(60))
    root = made_project(tmp_path / "nested", [{"id": "page", "text": text}], [])
    configure(root, nodes.urls, "nested")
    with (root / "ragtriage.toml").open("a", encoding="utf-8") as file:
        file.write('[chunking]\nstrategy = "small_to_big"\nsize = 100\nchild_size = 20\n')
    plant(root)
    project = Project.open(root)
    assert upload_project(project).points == len(project.chunks.units) > len(project.chunks) > 3
    project.close()
    plan = [Query(f"item{number}") for number in (3, 30, 57)]
    project = Project.open(root, overrides=["retrieval.mode=bm25"])
    for query, ranking in zip(plan, rankings(project, plan), strict=True):
        row = project.chunks.row(ranking.ids[0])
        assert row is not None
        assert query.text in project.chunks.text(row)
        assert len(set(ranking.ids)) == len(ranking.ids)
        assert ranking.repeated == 0
    project.close()


def measured(root: Path, groups: Groups = None) -> Run:
    project = Project.open(root, groups=groups)
    try:
        return evaluate(project, answers="none", store=False)
    finally:
        project.close()

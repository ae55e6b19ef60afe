"""`ragtriage index --to qdrant` on a real cluster: complete, stopped and gone on with, of another state, in the wrong place."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.qdrant.made import configure, made_project, plant, ragtriage
from tests.qdrant.nodes import Nodes
from tests.soak import rounds

from ragtriage.errors import ConfigError, MissingExtra, RagtriageError, SystemFailed
from ragtriage.project import Project
from ragtriage.search.systems import qdrant_upload
from ragtriage.search.systems.qdrant import configured_cluster
from ragtriage.search.systems.qdrant_cluster import Cluster, Shape
from ragtriage.search.systems.qdrant_points import Point, generation_of, ids_of
from ragtriage.search.systems.qdrant_upload import upload, upload_project

PAGES = [
    {
        "id": f"page-{number}",
        "text": f"Page {number} tells of topic {number % 7} and of item{number}, to word{number % 13} and back.",
        **({"access": ["staff"]} if number % 5 == 0 else {}),
    }
    for number in range(rounds(900, 4000))
]
QUESTIONS = [
    {"qid": f"q{number}", "question": f"what is item{number} of topic {number % 7}", "relevant_doc_ids": [f"page-{number}"]}
    for number in range(30)
]

KILLED = """
import os, signal, threading
from ragtriage.search.systems.qdrant_cluster import Cluster
from ragtriage_tui.cli import main

put, written = Cluster.put, []

def put_and_die(self, points, options):
    written.append(len(points))
    if len(written) == 3:  # while its points are on the way
        threading.Timer(0.02, os.kill, (os.getpid(), signal.SIGKILL)).start()
    put(self, points, options)
    if len(written) == 3:
        threading.Event().wait()

Cluster.put = put_and_die
main(["index", "--to", "qdrant"])
"""


@pytest.fixture(autouse=True)
def _home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RAGTRIAGE_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("RAGTRIAGE_TRUST", "1")


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return made_project(tmp_path / "pages", PAGES, QUESTIONS)


def cluster_of(project: Project) -> Cluster:
    return configured_cluster(project, lambda: None)


def everything(root: Path) -> dict[str, tuple[dict[str, Any], np.ndarray]]:
    """What the collection of a project holds, by the ids that its points must have."""
    project = Project.open(root)
    cluster = cluster_of(project)
    try:
        generation = generation_of(project.chunks, project.embedder.identity, "en")
        ids = list(ids_of(project.chunks, generation))
        found = {}
        for start in range(0, len(ids), 200):
            found |= cluster.read(ids[start : start + 200])
        assert cluster.count() == len(found)
        return {point_id: (one.payload, one.vector) for point_id, one in found.items()}
    finally:
        cluster.close()
        project.close()


def test_an_upload_that_was_killed_goes_on_and_ends_as_one_that_was_not(nodes: Nodes, root: Path) -> None:
    configure(root, nodes.urls, "whole", shards=6, replicas=2)
    done = ragtriage(root, "index", "--to", "qdrant")
    assert done.code == 0, done.err
    assert f"{len(PAGES):,} points - {len(PAGES):,} sent" in done.out
    assert "6 shards, 2 replicas of each" in done.out
    whole = everything(root)
    assert len(whole) == len(PAGES)
    assert {payload["text"] for payload, _ in whole.values()} == {page["text"] for page in PAGES}

    configure(root, nodes.urls, "stopped", shards=6, replicas=2)
    killed = subprocess.run([sys.executable, "-c", KILLED], cwd=root, timeout=60)
    assert killed.returncode == -signal.SIGKILL
    project = Project.open(root)
    cluster = cluster_of(project)
    there = cluster.count()
    cluster.close()
    project.close()
    assert 0 < there < len(PAGES)

    refused = ragtriage(root, "eval", "--json")
    assert refused.code == 2
    assert f"of {len(PAGES):,} points: an upload was not finished" in refused.err
    again = ragtriage(root, "index", "--to", "qdrant", "--json").json["upload"]
    assert 0 < again["sent"] <= len(PAGES) - there
    assert again["points"] == len(PAGES)
    resumed = everything(root)
    assert resumed.keys() == whole.keys()
    for point_id, (payload, vector) in whole.items():
        assert resumed[point_id][0] == payload
        assert np.array_equal(resumed[point_id][1], vector)
    third = ragtriage(root, "index", "--to", "qdrant", "--json").json["upload"]
    assert (third["sent"], third["removed"]) == (0, 0)


def test_of_another_state_nothing_is_searched_and_after_the_next_upload_nothing_is_left(nodes: Nodes, tmp_path: Path) -> None:
    root = made_project(tmp_path / "few", PAGES[:40], QUESTIONS[:5])
    configure(root, nodes.urls, "states", mode="bm25")
    first = Project.open(root)
    assert upload_project(first)[:3] == (40, 40, 0)
    first.close()
    changed = [PAGES[0] | {"access": []}, *PAGES[1:39]]
    (root / "docs" / "pages.jsonl").write_text("".join(json.dumps(row) + "\n" for row in changed), encoding="utf-8")
    plant(root)
    done = ragtriage(root, "eval")
    assert done.code == 2
    assert "40 points of another state" in done.err
    assert "ragtriage index --to qdrant" in done.err
    second = Project.open(root)
    assert upload_project(second)[:3] == (39, 39, 40)
    second.close()
    assert ragtriage(root, "eval").code == 0


def test_who_may_see_what_is_a_state_of_its_own(tmp_path: Path) -> None:
    generations = set()
    for number, access in enumerate(({}, {"access": []}, {"access": ["a"]}, {"access": ["b"]})):
        root = made_project(tmp_path / str(number), [{"id": "one", "text": "words"} | access], [])
        project = Project.open(root)
        generations.add(generation_of(project.chunks, "model", "en"))
        generations.add(generation_of(project.chunks, "model", "de"))
        project.close()
    assert len(generations) == 8


def test_a_collection_that_is_not_ours_is_left_alone(nodes: Nodes, tmp_path: Path) -> None:
    from qdrant_client import QdrantClient, models

    root = made_project(tmp_path / "few", PAGES[:3], [])
    configure(root, nodes.urls, "theirs")
    project = Project.open(root)
    client = QdrantClient(url=nodes.urls[0], check_compatibility=False, timeout=30)
    client.create_collection("theirs", vectors_config=models.VectorParams(size=2, distance=models.Distance.DOT))
    with pytest.raises(ConfigError, match="not ragtriage's; name another one"):
        upload_project(project)
    client.delete_collection("theirs")
    cluster = cluster_of(project)
    cluster.create(Shape(1, 1, 384))
    client.upsert("theirs", [models.PointStruct(id=1, vector={"dense": [1.0] * 384}, payload={"own": True})], wait=True)
    with pytest.raises(ConfigError, match="1 points that ragtriage has not written"):
        upload_project(project)
    client.delete("theirs", [1], wait=True)
    for key, value in (("shards", 2), ("replicas", 2)):
        configure(root, nodes.urls, "theirs", **{key: value})
        other = Project.open(root)
        with pytest.raises(ConfigError, match=f"retrieval.{key} is 2; set it to 1"):
            upload_project(other)
        other.close()
    cluster.close()
    client.close()
    project.close()


def test_what_is_stored_otherwise_than_it_was_sent_is_said(
    nodes: Nodes, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    root = made_project(tmp_path / "few", PAGES[:20], [])
    configure(root, nodes.urls, "altered")
    project = Project.open(root)
    cluster = cluster_of(project)

    def altered(points: list[Point], options: dict[str, Any]) -> None:
        Cluster.put(cluster, [point._replace(payload=point.payload | {"text": "other"}) for point in points], options)

    monkeypatch.setattr(cluster, "put", altered)
    with pytest.raises(SystemFailed, match=r"stored otherwise than it was sent \(text\)"):
        upload(cluster, project.indexes, project.embedder.identity, project.config.retrieval)
    monkeypatch.setattr(cluster, "put", lambda points, options: Cluster.put(cluster, points[1:], options))
    configure(root, nodes.urls, "fewer")
    cluster.collection = "fewer"
    with pytest.raises(SystemFailed, match="20 points were sent, and 19 are there"):
        upload(cluster, project.indexes, project.embedder.identity, project.config.retrieval)
    cluster.close()
    project.close()


def test_points_are_sent_a_few_at_a_time(nodes: Nodes, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    long = [{"id": f"p{number}", "text": f"word{number} " * 60} for number in range(10)]
    root = made_project(tmp_path / "long", long, [])
    configure(root, nodes.urls, "long")
    project = Project.open(root)
    cluster = cluster_of(project)
    sizes: list[int] = []

    def counted(points: list[Point], options: dict[str, Any]) -> None:
        sizes.append(len(points))
        Cluster.put(cluster, points, options)

    monkeypatch.setattr(cluster, "put", counted)
    monkeypatch.setattr(qdrant_upload, "_CHARACTERS", 1000)
    done = upload(cluster, project.indexes, project.embedder.identity, project.config.retrieval)
    assert done.points == sum(sizes) == len(project.chunks)
    assert len(sizes) > 4
    cluster.close()
    project.close()


def test_the_key_comes_from_the_variable_and_a_wrong_one_is_told(
    program: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    secret = "s3cret-of-the-cluster"
    root = made_project(tmp_path / "few", PAGES[:5], QUESTIONS[:2])
    locked = Nodes(program, tmp_path / "locked", 1, api_key=secret)
    try:
        locked.start()
        configure(root, locked.urls, "locked", api_key_env="CLUSTER_KEY")
        project = Project.open(root)
        with pytest.raises(ConfigError, match="CLUSTER_KEY, which is not set"):
            upload_project(project)
        monkeypatch.setenv("CLUSTER_KEY", "another-key-than-that")
        with pytest.raises(ConfigError, match=r"the key was refused \(401\)") as refused:
            upload_project(project)
        assert "another-key" not in str(refused.value)
        monkeypatch.setenv("CLUSTER_KEY", secret)
        assert upload_project(project).points == 5
        project.close()
        done = ragtriage(root, "eval", "--json")
        assert done.code == 0, done.err
        assert secret not in done.out + done.err
    finally:
        locked.close()


def test_without_the_package_the_line_that_installs_it_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    root = made_project(tmp_path / "few", PAGES[:2], [])
    configure(root, ["http://127.0.0.1:9"], "none")
    monkeypatch.setitem(sys.modules, "qdrant_client", None)
    project = Project.open(root)
    with pytest.raises(MissingExtra, match=r"pip install 'ragtriage\[qdrant\]'"):
        upload_project(project)
    project.close()


def test_nobody_there_is_one_message(tmp_path: Path) -> None:
    root = made_project(tmp_path / "few", PAGES[:2], [])
    configure(root, ["http://127.0.0.1:9", "http://127.0.0.1:10"], "none")
    with (root / "ragtriage.toml").open("a", encoding="utf-8") as file:
        file.write("[run]\nretries = 0\n")
    project = Project.open(root)
    with pytest.raises(RagtriageError, match=r"127.0.0.1:9: .*; 127.0.0.1:10: "):
        upload_project(project)
    project.close()

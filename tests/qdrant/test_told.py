"""What `eval` and `doctor` say of a cluster."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.qdrant.made import ragtriage
from tests.qdrant.nodes import Nodes


@pytest.fixture(autouse=True)
def _home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RAGTRIAGE_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("RAGTRIAGE_TRUST", "1")


def test_an_evaluation_says_what_was_asked_and_how_many_shards(nodes: Nodes, tagged: Path) -> None:
    done = ragtriage(tagged, "eval", "--only", "q1,q2")
    assert done.code == 0, done.err
    assert "retrieval.collection=tagged" in done.out
    assert "retrieval.shards=6" in done.out
    assert "with 6 rankings differ from one's" in done.out
    assert "127.0.0.1" not in done.out
    document = ragtriage(tagged, "eval", "--only", "q1,q2", "--json").json
    assert document["system"]["spec"] == "qdrant(tagged, hybrid, 6 shards)"
    wrong = ragtriage(tagged, "eval", "--set", "retrieval.shards=3")
    assert wrong.code == 2
    assert "has 6 shards, and retrieval.shards is 3" in wrong.err


def test_the_doctor_says_what_the_cluster_holds(nodes: Nodes, tagged: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def says(*words: str) -> list[tuple[str, str]]:
        done = ragtriage(tagged, "doctor", "--json", *words)
        return [(one["state"], one["says"]) for one in done.json["findings"] if one["what"] == "cluster"]

    where, shards, held = says("--trust")
    assert where[1].startswith("tagged on http://127.0.0.1:")
    assert where[1].endswith("; 6 shards, 2 replicas of each")
    assert shards[0] == "note"
    assert held == ("ok", "it holds this project's 400 points, and nothing else")
    assert says("--trust", "--set", "chunking.heading_prefix=false")[2][0] == "wrong"
    monkeypatch.delenv("RAGTRIAGE_TRUST")
    assert "not agreed" in says()[2][1]
    assert "not agreed" in says("--set", "retrieval.system=embedded")[2][1]

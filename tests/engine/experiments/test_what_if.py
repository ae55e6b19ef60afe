"""What would have found it, where exactly one lever finds each lost question: the real pipeline over planted vectors."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from tests.engine.experiments.planted import CONFIG, OTHER_MODEL, TOPICS, Topic, embed, make

from ragtriage.config import Config
from ragtriage.config_file import with_settings
from ragtriage.errors import UsageError
from ragtriage.experiments.advice import advice_for, advice_for_all
from ragtriage.experiments.levers import levers
from ragtriage.experiments.what_if import WhatIf, cheapest, in_order_for, most_mending, what_if
from ragtriage.project import Project
from ragtriage_tui.cli import main

MORE: list[dict[str, object]] = [
    {"qid": "gone", "question": "quarzo gone", "evidence": [{"doc": "nowhere", "quote": "a page that is not there"}]},
    {"qid": "aside", "question": "quarzo aside", "split": "holdout", "evidence": [{"doc": "modlost", "quote": "modlost"}]},
    {"qid": "moon", "question": "quarzo moon", "answerable": False},
    {"qid": "found", "question": "quarzo", "evidence": [{"doc": "moda0", "quote": "moda0"}]},
]


class World(NamedTuple):
    project: Project
    found: WhatIf
    encoded: int


def planted(root: Path, config: str = CONFIG, more: list[dict[str, object]] = MORE) -> World:
    """All levers tried on a corpus whose vectors all lie in the cache."""
    project = make(root, config=config, more=more)
    wanted = levers(project.config, models=[OTHER_MODEL])
    embed(project, [project.config, *(lever.candidate.config for lever in wanted)])
    found = what_if(project, models=[OTHER_MODEL])
    return World(project, found, project.encoder.encoded)


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> Iterator[World]:
    folder = tmp_path_factory.mktemp("planted")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("RAGTRIAGE_HOME", str(folder / "home"))
        made = planted(folder / "project")
        yield made
        made.project.close()


@pytest.mark.parametrize("topic", TOPICS, ids=[f"{topic.lever}-{topic.name}" for topic in TOPICS])
def test_the_one_lever_that_finds_a_question_is_named(world: World, topic: Topic, capsys: pytest.CaptureFixture[str]) -> None:
    today = world.found.current.get(topic.name)
    assert today is not None
    assert today.status == "missed"
    able = {tried.lever.kind for tried in world.found.tried if tried.finds(topic.name)}
    assert able == {topic.lever}
    best = cheapest(world.found, topic.name)
    assert best is not None
    assert best.lever.kind == topic.lever
    assert in_order_for(world.found, topic.name)[0] is best

    words = ["what-if", topic.name, "-C", str(world.project.root), "--models", OTHER_MODEL]
    assert main([*words, "--json"]) == 0
    document = json.loads(capsys.readouterr().out)
    assert document["cheapest"] == best.lever.name
    assert {one["kind"] for one in document["levers"] if one["finds"]} == {topic.lever}
    assert main(words) == 0
    said = capsys.readouterr().out
    (marked,) = [line for line in said.splitlines() if line.startswith("▸")]
    assert marked[2:].startswith(best.lever.name)
    assert f"{best.lever.name[:1].upper()}{best.lever.name[1:]} brings it inside k" in " ".join(said.split())


def test_at_least_eight_kinds_of_levers_find_something() -> None:
    assert len({topic.lever for topic in TOPICS}) == 10
    assert len(TOPICS) == 11


def test_nothing_was_embedded(world: World) -> None:
    assert world.encoded == 0
    assert all(tried.run is not None for tried in world.found.tried)


def test_the_second_look_measures_nothing(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    def never(*_: object, **__: object) -> None:
        raise AssertionError("measured again")

    monkeypatch.setattr("ragtriage.experiments.trial.Trials.make", never)
    again = what_if(Project.open(world.project.root), models=[OTHER_MODEL])
    assert [tried.versus for tried in again.tried] == [tried.versus for tried in world.found.tried]


def test_what_a_lever_mends_and_breaks_stands_beside_it(world: World) -> None:
    for tried in world.found.tried:
        assert tried.run is not None
        assert tried.versus is not None
        before = {question.qid for question in world.found.current.questions if question.status == "found"}
        after = {question.qid for question in tried.run.questions if question.status == "found"}
        assert set(tried.versus.won) == after - before
        assert set(tried.versus.lost) == before - after
    order = most_mending(world.found)
    assert [len(tried.versus.won) for tried in order if tried.versus] == sorted(
        (len(tried.versus.won) for tried in order if tried.versus), reverse=True
    )


def test_the_costs_of_levers(world: World) -> None:
    costs = {tried.lever.name: tried.cost for tried in world.found.tried}
    assert costs["dense"] == costs["rrf_k 5"] == costs["depth 20"] == (0, 0, 0)
    assert costs["rerank lexical"] == (0, 0, 10)
    assert costs["size 32"].all_texts > costs["size 128"].all_texts > 0
    assert costs["model models/other"].all_texts > 0


def test_what_is_not_in_the_corpus_no_lever_finds(world: World) -> None:
    assert cheapest(world.found, "gone") is None
    said = advice_for(world.found, "gone")
    assert said.startswith("Lost at corpus: ")
    assert "no lever" in said


def test_what_is_in_no_pool_no_reranker_finds(world: World) -> None:
    unseen = [question.qid for question in world.found.lost if all(rank is None for rank in question.ranks)]
    assert {"dep", "dwn", "upp", "ove", "sma", "mdl"} <= set(unseen)
    (line,) = [line for line in advice_for_all(world.found) if "reranking cannot help" in line]
    assert line.startswith(f"{len(unseen)} of {len(world.found.lost)} ")
    for qid in unseen:
        reranked = [tried for tried in world.found.tried if tried.lever.kind == "reranker"]
        assert not any(tried.finds(qid) for tried in reranked)


def test_a_question_in_no_pool_that_nothing_finds(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RAGTRIAGE_HOME", str(tmp_path / "home"))
    far: dict[str, object] = {"qid": "far", "question": "unheard", "evidence": [{"doc": "uppa0", "quote": "uppa0"}]}
    made = planted(tmp_path / "project", more=[far])
    assert cheapest(made.found, "far") is None
    said = advice_for(made.found, "far")
    assert "RR = 0" in said
    assert "a reranker cannot help" in said


def test_a_hidden_page_is_no_matter_of_levers(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RAGTRIAGE_HOME", str(tmp_path / "home"))
    project = make(tmp_path / "project", config='[corpus]\naccess_key = "access"\n' + CONFIG)
    pages = project.corpus_root / "pages.jsonl"
    rows = [json.loads(line) for line in pages.read_text(encoding="utf-8").splitlines()]
    for row in rows:
        if row["id"] == "modlost":
            row["access"] = ["staff"]
    pages.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    project = Project.open(project.root)
    embed(project, [project.config])
    found = what_if(project)
    today = found.current.get("mod")
    assert today is not None
    assert today.lost_at == "access"
    assert cheapest(found, "mod") is None
    assert advice_for(found, "mod").startswith("Lost at access: ")
    assert any("lost at access" in line for line in advice_for_all(found))


def test_the_pool_matters_to_a_reranker(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RAGTRIAGE_HOME", str(tmp_path / "home"))
    config = CONFIG.replace("pool = 10", 'pool = 2\nrerank = "lexical"')
    found = planted(tmp_path / "project", config).found
    assert {tried.lever.kind for tried in found.tried if tried.finds("rer")} == {"pool"}
    best = cheapest(found, "rer")
    assert best is not None
    assert best.lever.name == "pool 4"
    assert best.cost.pairs == 4


def test_without_embed_the_price_is_said_and_nothing_embedded(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("RAGTRIAGE_HOME", str(tmp_path / "home"))
    project = make(tmp_path / "project")
    embed(project, [project.config])
    found = what_if(project)
    recut = {tried.lever.name: tried for tried in found.tried if tried.run is None}
    assert set(recut) == {"heading prefix off", "size 32", "size 128", "overlap 16", "small to big"}
    for tried in recut.values():
        assert tried.versus is None
        assert 0 < tried.cost.texts <= tried.cost.all_texts
        assert not tried.finds("dwn")
    assert recut["size 32"].cost.texts < 20  # only what is cut otherwise
    assert project.encoder.encoded == 0
    assert advice_for(found, "dwn").endswith("5 levers need texts embedded first.")

    assert main(["what-if", "dwn", "-C", str(project.root), "--json"]) == 0
    document = json.loads(capsys.readouterr().out)
    assert document["cheapest"] is None
    by_name = {one["name"]: one for one in document["levers"]}
    assert by_name["size 32"]["tried"] is False
    assert by_name["size 32"]["cost"]["texts"] == recut["size 32"].cost.texts
    assert main(["what-if", "-C", str(project.root)]) == 0
    said = capsys.readouterr().out
    assert f"embed {recut['size 32'].cost.texts} texts, about " in said
    assert "--embed tries the levers" in said


def test_a_model_that_is_not_there_is_a_reason_and_no_end(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("RAGTRIAGE_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    project = make(tmp_path / "project")
    embed(project, [project.config])
    words = ["what-if", "-C", str(project.root), "--models", "models/none,no/such", "--rerankers", "no/reranker", "--json"]
    assert main(words) == 0
    levers_said: list[dict[str, Any]] = json.loads(capsys.readouterr().out)["levers"]
    reasons = {one["name"]: one["reason"] for one in levers_said if one["reason"]}
    assert set(reasons) == {"model models/none", "model no/such", "rerank no/reranker"}
    assert all("\n" not in reason for reason in reasons.values())


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["aside"], "kept aside"),
        (["nobody"], "no such question"),
        (["mod", "--read-only"], "--read-only"),
    ],
)
def test_what_is_refused(world: World, words: list[str], says: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["what-if", *words, "-C", str(world.project.root)]) == 2
    streams = capsys.readouterr()
    assert streams.out == ""
    assert says in streams.err


def test_a_question_that_is_found_needs_no_lever(world: World, capsys: pytest.CaptureFixture[str]) -> None:
    main(["what-if", "found", "-C", str(world.project.root)])
    said = capsys.readouterr().out
    assert "nothing has to be found" in said
    assert "▸" not in said


def test_without_evidence_no_lever_is_listed(world: World, capsys: pytest.CaptureFixture[str]) -> None:
    main(["what-if", "moon", "-C", str(world.project.root)])
    said = capsys.readouterr().out
    assert "no evidence to be found, so no lever can be told from another." in said
    assert "mends" not in said


def test_over_all_of_them(world: World, capsys: pytest.CaptureFixture[str]) -> None:
    words = ["what-if", "-C", str(world.project.root), "--models", OTHER_MODEL]
    main([*words, "--json"])
    document = json.loads(capsys.readouterr().out)
    assert document["qid"] is None
    assert set(document["lost"]) == {*(topic.name for topic in TOPICS), "gone"}
    main(words)
    said = capsys.readouterr().out
    assert document["mends_most"] in said
    main([*words, "--ascii"])
    assert capsys.readouterr().out.isascii()
    assert all(len(line) <= 80 for line in said.splitlines())


def test_a_question_that_was_not_measured(world: World) -> None:
    with pytest.raises(UsageError, match="not among"):
        cheapest(world.found, "aside")
    assert "not measured" in advice_for(world.found, "aside")


def test_levers_are_single_changes_that_mean_something() -> None:
    for settings in (
        {},
        {"retrieval.mode": "bm25"},
        {"retrieval.mode": "dense"},
        {"retrieval.rerank": "lexical"},
        {"retrieval.fusion": "zscore"},
        {"chunking.strategy": "whole"},
        {"chunking.strategy": "small_to_big"},
        {"chunking.size": 8},
        {"retrieval.depth": 10_000, "retrieval.pool": 10_000},
    ):
        config = with_settings(Config(), settings)
        found = levers(config, models=["a", config.embedding.model], rerankers=["b", "lexical"])
        kinds = {lever.kind for lever in found}
        names = [lever.name for lever in found]
        assert len(set(names)) == len(names)
        assert all(lever.candidate.config != config for lever in found)
        assert ("pool" in kinds) == bool(config.retrieval.rerank)
        assert ("fusion" in kinds) == (config.retrieval.mode == "hybrid")
        assert ("depth" in kinds) == (
            config.retrieval.depth < 10_000 and (config.retrieval.mode == "hybrid" or "pool" in kinds)
        )
        assert ("model" in kinds) == (config.retrieval.mode != "bm25")
        assert ("no reranker" in names) == bool(config.retrieval.rerank)
        assert "reranker" in kinds


def test_levers_that_lack_questions_say_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RAGTRIAGE_HOME", str(tmp_path / "home"))
    (tmp_path / "project").mkdir()
    program = tmp_path / "project" / "rr.py"
    program.write_text("import sys\nsys.exit(3)\n", encoding="utf-8")
    ranked = f'rerank = "command"\nrerank_command = ["{sys.executable}", "rr.py"]\n'
    make(tmp_path / "project", config=f'[retrieval]\nmode = "bm25"\n{ranked}').close()
    project = Project.open(tmp_path / "project", trusted=True)
    try:
        found = what_if(project)
    finally:
        project.close()
    assert any(question.status == "failed" for question in found.current.questions)
    said = advice_for_all(found)
    assert "not measured (" in said[0]
    assert "exit code 3" in said[0]
    assert not any("Nothing is lost" in sentence for sentence in said)
    reasons = {tried.lever.name: tried.reason for tried in found.tried}
    assert reasons["no reranker"] == ""
    assert "not measured (" in reasons["heading prefix off"]

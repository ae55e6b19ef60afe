"""A program as a reranker: what it is asked, what becomes of what it says, and whose word it needs."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from ragtriage.config import Config, RetrievalConfig
from ragtriage.config_file import load_config
from ragtriage.errors import ConfigError, Untrusted
from ragtriage.project import Project
from ragtriage.search.command_rerank import CommandReranker
from ragtriage.search.pipeline import Query
from ragtriage.search.reranking import Asked
from ragtriage.trust import agree, settings
from ragtriage.types import Failure, Ranking, no_progress

PROGRAM = Path(__file__).resolve().parents[2] / "fakes" / "reranker.py"


@pytest.fixture(autouse=True)
def _home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RAGTRIAGE_HOME", str(tmp_path / "home"))
    monkeypatch.delenv("RAGTRIAGE_TRUST", raising=False)


@pytest.fixture
def reranker(tmp_path: Path) -> Iterator[CommandReranker]:
    one = CommandReranker((sys.executable, str(PROGRAM)), tmp_path, timeout_s=30.0, permit=lambda: None)
    yield one
    one.close()


def outcome(reranker: CommandReranker, question: str) -> list[float] | str:
    (found,) = reranker.score("command", [Asked(question, ("four", "a", "of you"))], no_progress)
    return found.reason if isinstance(found, Failure) else found.tolist()


def test_scores_are_one_a_passage(reranker: CommandReranker) -> None:
    asked = [Asked("q", ("four", "a")), Asked("die", ("x",)), Asked("r", ()), Asked("s", ("é\ud800",))]
    first, failed, none, odd = reranker.score("command", asked, no_progress)
    assert isinstance(failed, Failure)
    assert failed.reason == f"reranker: {PROGRAM.name} ended with exit code 1: CUDA is not there"
    assert [some.tolist() for some in (first, none, odd) if not isinstance(some, Failure)] == [[-4.0, -1.0], [], [-2.0]]


@pytest.mark.parametrize(
    ("said", "reason"),
    [
        ('{"scores": [1, 2]}', "it sent 2 scores for 3 passages"),
        ('{"scores": [1, 2, 3, 4]}', "it sent 4 scores for 3 passages"),
        ('{"scores": {"1": 2}}', "its answer has no list of scores"),
        ("{}", "its answer has no list of scores"),
        ('{"scores": [1, NaN, 3]}', "it sent a score that is not finite"),
        ('{"scores": [1, 1e999, 3]}', "it sent a score that is not finite"),
        ('{"scores": [1, 1e300, 3]}', "it sent a score that is not finite"),
        (f'{{"scores": [1, {"9" * 400}, 3]}}', "it sent a score that is not finite"),
        ('{"scores": [1, "2", 3]}', "it sent a score that is no number"),
        ('{"scores": [1, true, 3]}', "it sent a score that is no number"),
        ('{"scores": [1, null, 3]}', "it sent a score that is no number"),
        ('{"error": "no such model"}', f"{PROGRAM.name} failed: no such model"),
    ],
)
def test_what_is_no_score_is_a_failure_of_that_question(reranker: CommandReranker, said: str, reason: str) -> None:
    assert outcome(reranker, f"raw:{said}") == f"reranker: {reason}"
    assert outcome(reranker, "next") == [-4.0, -1.0, -6.0]


# -- in a project

Make = Callable[..., Project]


@pytest.fixture
def make(tmp_path: Path) -> Iterator[Make]:
    """make(…): a project of three pages whose command is a copy of the program in it."""
    root = tmp_path / "project"
    for name, text in {"a": "refunds take thirty days", "b": "refunds", "c": "shipping takes a week or two"}.items():
        (root / "docs").mkdir(parents=True, exist_ok=True)
        (root / "docs" / f"{name}.md").write_text(text, encoding="utf-8")
    (root / "evals").mkdir()
    (root / "evals" / "golden.jsonl").write_text("", encoding="utf-8")
    (root / "rr.py").write_text(PROGRAM.read_text(encoding="utf-8"), encoding="utf-8")
    command = json.dumps([sys.executable, "rr.py", str(tmp_path / "log")])
    (root / "ragtriage.toml").write_text(
        f'[retrieval]\nmode = "bm25"\nrerank = "command"\nrerank_command = {command}\n', encoding="utf-8"
    )
    made: list[Project] = []

    def open_it(**more: bool) -> Project:
        made.append(Project.open(root, **more))  # type: ignore[arg-type]
        return made[-1]

    yield open_it
    for one in made:
        one.close()


def searched(project: Project, question: str) -> Ranking | Failure:
    return project.system.search([Query(question)])[0]


def test_nothing_runs_before_the_user_has_agreed_to_it(make: Make, tmp_path: Path) -> None:
    project = make()
    with pytest.raises(Untrusted, match="retrieval: runs a program in ") as caught:
        searched(project, "refunds")
    assert '"rr.py" is sha256' in str(caught.value)
    assert not (tmp_path / "log").exists()
    agree(project.root, settings(project.root, project.config))
    found = searched(project, "refunds")
    assert isinstance(found, Ranking)
    assert found.ids == ("b#1", "a#1")


def test_scores_are_kept_until_the_program_changes(make: Make, tmp_path: Path) -> None:
    log = tmp_path / "log"
    searched(make(trusted=True), "refunds")
    first = make()  # what is known needs no word
    assert isinstance(searched(first, "refunds"), Ranking)
    assert log.read_text(encoding="utf-8").split("\n") == ["start", "2 refunds", ""]
    before = first.config_fingerprint()
    program = first.root / "rr.py"
    program.write_text(program.read_text(encoding="utf-8") + "\n", encoding="utf-8")
    assert make().config_fingerprint() != before
    with pytest.raises(Untrusted):
        searched(make(), "refunds")


def test_a_question_it_fails_at_has_failed_alone(make: Make, tmp_path: Path) -> None:
    project = make(trusted=True)
    failed, found = project.system.search([Query("die refunds: takes"), Query("refunds")])
    assert isinstance(found, Ranking)
    assert isinstance(failed, Ranking)  # the word is no way to misbehave
    (failed,) = project.system.search([Query("die: refunds")])
    assert failed == Failure("reranker: rr.py ended with exit code 1: CUDA is not there")
    assert isinstance(searched(project, "shipping"), Ranking)


def test_variants_share_the_program(make: Make, tmp_path: Path) -> None:
    import dataclasses

    project = make(trusted=True)
    searched(project, "refunds")
    config = dataclasses.replace(project.config, retrieval=dataclasses.replace(project.config.retrieval, pool=7))
    other = project.variant(config)
    searched(other, "takes")
    other.close()
    searched(project, "shipping")
    assert (tmp_path / "log").read_text(encoding="utf-8").count("start") == 1


def test_the_configuration(tmp_path: Path) -> None:
    file = tmp_path / "ragtriage.toml"
    file.write_text('[retrieval]\nrerank = "command"\n', encoding="utf-8")
    with pytest.raises(ConfigError, match=r"ragtriage.toml:2: retrieval.rerank: command needs retrieval.rerank_command"):
        load_config(file)
    assert settings(tmp_path, Config(retrieval=RetrievalConfig(rerank="lexical", rerank_command=("x",)))) == ()
    (tmp_path / "lexical").mkdir()
    (tmp_path / "evals").mkdir()
    (tmp_path / "evals" / "golden.jsonl").write_text("", encoding="utf-8")
    file.write_text('[retrieval]\nrerank = "lexical"\n', encoding="utf-8")
    assert Project.open(tmp_path).rerank == "lexical"

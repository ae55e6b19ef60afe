"""What is said of the language models of a configuration before anything is sent to them."""

from __future__ import annotations

import socket
from collections.abc import Callable
from pathlib import Path

import pytest

from ragtriage.project import Project
from ragtriage.setup.findings import Finding
from ragtriage.setup.models import check_answers, check_judge, check_reranker

PRICES = "no prices: input_price and output_price under [answers] are for a million tokens"
NOT_AGREED = "not agreed to yet, so nothing is run or sent: ragtriage trust shows it and asks"


@pytest.fixture
def opened(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., Project]:
    monkeypatch.setenv("RAGTRIAGE_HOME", str(tmp_path / "home"))
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    root = tmp_path / "project"
    (root / "docs").mkdir(parents=True)
    (root / "docs" / "a.md").write_text("A text.\n", encoding="utf-8")
    (root / "evals").mkdir()
    (root / "evals" / "golden.jsonl").write_bytes(b"")

    def make(*overrides: str, trusted: bool = True) -> Project:
        return Project.open(root, overrides=overrides, trusted=trusted)

    return make


@pytest.fixture
def no_network(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object, **__: object) -> socket.socket:
        raise AssertionError("something was asked")

    monkeypatch.setattr(socket, "create_connection", refuse)


def said(findings: list[Finding], state: str) -> list[str]:
    return [one.says for one in findings if one.state == state]


def test_no_model_needs_nothing(opened: Callable[..., Project]) -> None:
    assert check_answers(opened()) == [Finding("ok", "answers", "extractive stand-in; no model is asked")]
    assert check_judge(opened()) == []
    assert check_reranker(opened("retrieval.rerank=lexical")) == [Finding("ok", "reranker", "lexical; no model is asked")]


def test_a_program_is_looked_for_and_not_run(opened: Callable[..., Project]) -> None:
    project = opened("answers.generator=command", 'answers.command=["./answer.sh"]')
    missing = "./answer.sh cannot be run: there is no such program, or it is not executable"
    assert said(check_answers(project), "wrong") == [missing]
    script = project.root / "answer.sh"
    script.write_text("#!/bin/sh\ntouch was-run\n", encoding="utf-8")
    assert said(check_answers(project), "wrong") == [missing]
    script.chmod(0o755)
    assert said(check_answers(project), "wrong") == []
    assert f"runs {script}" in said(check_answers(project), "ok")
    assert said(check_answers(project), "note") == [PRICES]
    assert not (project.root / "was-run").exists()


@pytest.mark.usefixtures("no_network")
def test_a_server_elsewhere_is_not_asked_and_needs_a_key(
    opened: Callable[..., Project], monkeypatch: pytest.MonkeyPatch
) -> None:
    project = opened("answers.generator=openai", "answers.model=small", "answers.input_price=1")
    found = check_answers(project)
    assert said(found, "wrong") == ["$OPENAI_API_KEY is not set; it must hold the key for api.openai.com"]
    assert "api.openai.com was not contacted" in said(found, "ok")
    assert said(found, "note") == []
    for value, held in (("  ", False), ("s3cret", True)):
        monkeypatch.setenv("OPENAI_API_KEY", value)
        found = check_answers(project)
        assert ("the key is in $OPENAI_API_KEY" in said(found, "ok")) is held
        assert bool(said(found, "wrong")) is not held
        assert "s3cret" not in str(found)


def test_a_server_on_this_machine_is_looked_for(opened: Callable[..., Project]) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
        settings = ("answers.generator=openai", "answers.model=small", f"answers.base_url=http://127.0.0.1:{port}/v1")
        found = check_answers(opened(*settings))
        assert said(found, "wrong") == []
        assert f"something answers at 127.0.0.1:{port}" in said(found, "ok")
    (wrong,) = said(check_answers(opened(*settings)), "wrong")
    assert wrong == f"nothing answers at 127.0.0.1:{port}: Connection refused; start the server"


@pytest.mark.usefixtures("no_network")
def test_nothing_is_looked_for_that_was_not_agreed_to(opened: Callable[..., Project]) -> None:
    settings = ("answers.generator=openai", "answers.model=small", "answers.base_url=http://127.0.0.1:9/v1")
    (root := opened().root).joinpath("ragtriage.toml").write_text(
        '[answers]\ngenerator = "openai"\nmodel = "small"\nbase_url = "http://127.0.0.1:9/v1"\n', encoding="utf-8"
    )
    found = check_answers(Project.open(root))
    assert said(found, "note") == [NOT_AGREED, PRICES]
    assert "127.0.0.1:9 was not contacted" in said(found, "ok")
    with pytest.raises(AssertionError, match="something was asked"):
        check_answers(opened(*settings))


def test_a_package_that_is_missing_is_named(opened: Callable[..., Project], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    project = opened("answers.generator=openai", "answers.model=small", "answers.api_key_env=HOME")
    assert said(check_answers(project), "wrong") == [
        "openai and httpx2 not installed; install with: pip install 'ragtriage[openai]'"
    ]


def test_a_judge_is_uncalibrated_until_people_were_compared(opened: Callable[..., Project]) -> None:
    project = opened("judge.provider=command", 'judge.command=["true"]', "judge.input_price=1")
    assert said(check_judge(project), "note") == ["uncalibrated: ragtriage judge calibrate compares it with people"]


def test_a_program_that_reranks(opened: Callable[..., Project]) -> None:
    project = opened("retrieval.rerank=command", 'retrieval.rerank_command=["./none"]')
    assert [one.state for one in check_reranker(project)] == ["wrong"]

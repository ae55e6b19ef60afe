"""What is secret in a configuration reaches nothing that is stored, shown or sent elsewhere, however badly things go."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.engine.search.systems.test_http import Server, say

from ragtriage.measure.evaluate import evaluate
from ragtriage.project import Project

SECRET = "hunter2-hunter2"
COMPLAINS = """
import sys
for line in sys.stdin:
    sys.stderr.write("cannot use " + " ".join(sys.argv[1:])); sys.stderr.flush(); raise SystemExit(3)
"""


def left(folder: Path) -> list[str]:
    """The files in which the secret stands, but for the configuration itself."""
    files = [path for path in folder.rglob("*") if path.is_file() and path.name != "ragtriage.toml"]
    assert any(path.name == "run.json" for path in files)
    return [str(path) for path in files if SECRET.encode() in path.read_bytes()]


def test_a_key_in_the_address_of_a_server(opened: Callable[..., Project], tmp_path: Path) -> None:
    """The server has it; it gives it back in its errors, and where it sends one to."""
    server = Server()
    replies = [
        lambda handler: say(handler, {"error": f"no such key: {SECRET}"}, 403),
        lambda handler: say(handler, b"", 302, location=f"/there?key={SECRET}"),
        lambda handler: say(handler, f"?key={SECRET}".encode()),
        lambda handler: say(handler, {"hits": ["refunds#1"]}),
    ]
    try:
        for server.reply in replies:
            project = opened(["how long"], "retrieval.system=http", f"retrieval.url={server.url}?key={SECRET}")
            run = evaluate(project)
            assert run.manifest["config"]["retrieval"]["url"] == f"{server.url}?key=…"
            assert SECRET not in "".join(one.reason for one in run.questions)
    finally:
        server.close()
    assert [path.partition("?")[2] for path, _, _ in server.seen] == [f"key={SECRET}"] * len(replies)
    assert left(tmp_path) == []


@pytest.mark.parametrize(
    "settings",
    [
        ("retrieval.system=command", "retrieval.command={}"),
        ("retrieval.rerank=command", "retrieval.rerank_command={}"),
        ("answers.generator=command", "answers.command={}"),
        ("judge.provider=command", "judge.command={}", "answers.generator=extractive"),
    ],
)
def test_a_token_among_the_arguments_of_a_program(
    opened: Callable[..., Project], tmp_path: Path, settings: tuple[str, ...]
) -> None:
    command = json.dumps([sys.executable, "-c", COMPLAINS, "--token", SECRET, f"--api-key={SECRET}"])
    project = opened(["how long"], "run.retries=0", *(setting.format(command) for setting in settings))
    run = evaluate(project, ask=lambda _: None, ask_judge=lambda _: None)
    lines = b"".join(run.lines).decode()
    assert SECRET not in lines
    assert "cannot use" in lines + json.dumps(dict(run.manifest))
    assert left(tmp_path) == []


def test_another_token_is_another_configuration(opened: Callable[..., Project]) -> None:
    one, other = (
        opened(["x"], "answers.generator=command", f'answers.command=["./gen", "--token", "{token}"]') for token in "ab"
    )
    assert one.config.as_dict() == other.config.as_dict()
    assert one.config_fingerprint() != other.config_fingerprint()

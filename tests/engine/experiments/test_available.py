"""Models that a sweep names, looked for before anything is paid."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from tests.engine.experiments.projects import make

from ragtriage.config import Config
from ragtriage.config_file import with_settings
from ragtriage.errors import ConfigError
from ragtriage.experiments.available import must_be_there
from ragtriage.project import Project


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Project:
    monkeypatch.setenv("RAGTRIAGE_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    monkeypatch.setenv("HF_HUB_CACHE", str(tmp_path / "hub"))
    return make(tmp_path / "project")


def configs(project: Project, wanted: Sequence[dict[str, Any]]) -> list[Config]:
    return [with_settings(project.config, settings) for settings in wanted]


def folder(root: Path) -> None:
    root.mkdir(parents=True)
    (root / "config.json").write_text("{}", encoding="utf-8")
    (root / "model.safetensors").write_bytes(b"")


def test_what_is_not_there_is_named_all_at_once_and_each_once(project: Project) -> None:
    wanted = [
        {"retrieval.rerank": "./gone"}, {"retrieval.rerank": "./gone", "retrieval.depth": 30}, {"retrieval.rerank": "no/one"},
        {"embedding.model": "no/one"},
    ]  # fmt: skip
    with pytest.raises(ConfigError) as caught:
        must_be_there(project, configs(project, wanted))
    said = str(caught.value).splitlines()
    assert said[0] == "retrieval.rerank: there is no folder './gone'"
    assert [line.partition(" is neither")[0] for line in said[1:]] == ["retrieval.rerank: no/one", "embedding.model: no/one"]


def test_folders_of_the_project_and_what_needs_no_model_are_there(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    folder(project.root / "models" / "mine")
    monkeypatch.chdir(project.root.parent)  # from wherever the command runs
    wanted = [{"retrieval.rerank": name} for name in ("", "lexical", "models/mine")] + [{"embedding.model": "models/mine"}]
    must_be_there(project, configs(project, wanted))
    (project.root / "models" / "mine" / "model.safetensors").unlink()
    with pytest.raises(ConfigError, match=r"holds no config.json with \*.safetensors"):
        must_be_there(project, configs(project, wanted))

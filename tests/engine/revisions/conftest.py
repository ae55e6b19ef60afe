"""A small project in a real git repository, measured with BM25 so that no model is needed."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

PAGES = {
    "refunds.md": "# Refunds\n\nYou may send goods back within 30 days of delivery.\n",
    "shipping.md": "# Shipping\n\nParcels leave the warehouse on the next working day.\n",
    "notes.md": "# Notes\n\nSupport may give a voucher of 15 euros without asking.\n",
}
QUESTIONS: list[dict[str, Any]] = [
    {"qid": "q1", "question": "how long may i send goods back", "evidence": [{"doc": "refunds", "quote": "within 30 days"}]},
    {"qid": "q2", "question": "when do parcels leave", "evidence": [{"doc": "shipping", "quote": "the next working day"}]},
    {"qid": "q3", "question": "what may support give", "evidence": [{"doc": "notes", "quote": "a voucher of 15 euros"}]},
]
CONFIG = '[retrieval]\nmode = "bm25"\nk = 2\n'


class Repo:
    """A git repository with a project in it, whose configuration is nobody's."""

    def __init__(self, top: Path, *, project: str = "", object_format: str = "sha1") -> None:
        self.top = top
        self.root = top / project
        top.mkdir(parents=True, exist_ok=True)
        self.git("init", "-q", "--initial-branch=main", f"--object-format={object_format}")

    def git(self, *words: str, check: bool = True, cwd: Path | None = None) -> str:
        people = {f"GIT_{who}_{what}": "a@b.c" for who in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")}
        env = {**os.environ, **people, "GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1"}
        allowed = ("-c", "protocol.file.allow=always")
        done = subprocess.run(["git", *allowed, *words], cwd=cwd or self.top, env=env, capture_output=True, text=True)
        if check and done.returncode:
            raise RuntimeError(done.stderr)
        return done.stdout.strip()

    def write(self, name: str, text: str | bytes) -> Path:
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        return path

    def questions(self, questions: Sequence[Mapping[str, Any]], name: str = "evals/golden.jsonl") -> None:
        self.write(name, "".join(json.dumps(one) + "\n" for one in questions))

    def commit(self, message: str = "a change") -> str:
        self.git("add", "-A")
        self.git("commit", "-q", "-m", message)
        return self.git("rev-parse", "HEAD")

    def fill(self) -> Repo:
        for name, text in PAGES.items():
            self.write(f"docs/{name}", text)
        self.questions(QUESTIONS)
        self.write("ragtriage.toml", CONFIG)
        return self


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RAGTRIAGE_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", os.devnull)


@pytest.fixture
def repo(tmp_path: Path) -> Repo:
    """A repository with one commit on main, and a branch checked out on top of it."""
    made = Repo(tmp_path / "shop").fill()
    made.commit("everything")
    made.git("switch", "-q", "-c", "change")
    return made

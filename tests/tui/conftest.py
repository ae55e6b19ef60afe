"""A small project, a home of its own for every test, and the command line as a real process."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from tests.soak import rounds
from tests.tui.forks import Forks

DOCUMENTS = {
    "refunds.md": """# Refunds

## Time limit

You may send goods back within 30 days of delivery. The parcel must be closed, and the receipt must lie in it.

## Who pays

We pay the way back when the goods were damaged. In every other case you pay it yourself.
""",
    "shipping.md": """# Shipping

Parcels leave the warehouse on the next working day. Delivery takes two to four days in the country.

## Abroad

We ship to Norway, Iceland and Switzerland. Customs duties are paid by whoever receives the parcel.
""",
    "errors.md": """# Error codes

ERR_4021 means that the card was declined. Ask the customer for another card.

ERR_4022 means that the session has expired. Sign in again.
""",
    "staff/goodwill.md": """---
access: [staff]
---
# Goodwill

Support may give a voucher of 15 euros without asking.
""",
}

QUESTIONS: list[dict[str, Any]] = [
    {
        "qid": "q001",
        "question": "may i send goods back for days after delivery",
        "kind": "paraphrase",
        "evidence": [{"doc": "refunds", "quote": "within 30 days of delivery"}],
        "answer_must_mention": ["30 days"],
    },
    {
        "qid": "q002",
        "question": "ERR_4021",
        "kind": "exact",
        "evidence": [{"doc": "errors", "quote": "ERR_4021 means that the card was declined."}],
        "answer_must_mention": ["declined"],
    },
    {
        "qid": "q003",
        "question": "what voucher may support give",
        "kind": "exact",
        "evidence": [{"doc": "staff/goodwill", "quote": "a voucher of 15 euros"}],
        "answer_must_mention": ["15 euros"],
    },
    {"qid": "q004", "question": "do you ship to the moon", "kind": "unanswerable", "answerable": False},
    {
        "qid": "q005",
        "question": "who pays customs",
        "kind": "exact",
        "split": "holdout",
        "evidence": [{"doc": "shipping", "quote": "Customs duties are paid by whoever receives the parcel."}],
    },
]

CONFIG = """[corpus]
access_key = "access"

[retrieval]
mode = "bm25"
k = 2
"""


class Done(NamedTuple):
    """A finished command."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        return json.loads(self.out)


Command = Callable[..., Done]


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Cache, state and settings of this test alone."""
    folder = tmp_path / "home"
    monkeypatch.setenv("RAGTRIAGE_HOME", str(folder))
    return folder


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """Four documents and five questions, one of them aside, searched with BM25 alone: no model is needed."""
    root = tmp_path / "handbook"
    for name, text in DOCUMENTS.items():
        path = root / "docs" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    golden = root / "evals" / "golden.jsonl"
    golden.parent.mkdir()
    golden.write_text("".join(json.dumps(question) + "\n" for question in QUESTIONS), encoding="utf-8")
    (root / "ragtriage.toml").write_text(CONFIG, encoding="utf-8")
    return root


@pytest.fixture(scope="session")
def forks() -> Iterator[Forks]:
    with Forks() as one:
        yield one


_STARTED: set[tuple[str, str]] = set()
"""The commands that were started as users start them, each in each file of tests."""


@pytest.fixture
def ragtriage(project: Path, forks: Forks, request: pytest.FixtureRequest) -> Command:
    """Run `ragtriage …` in the small project as a process of its own, without a terminal.

    In each file of tests, a command is a new interpreter the first time, where `fresh` is given, and always when soaking; it is
    forked from one that has loaded what it needs the other times.
    """

    def run(
        *words: str | bytes, cwd: Path = project, stdin: str = "", env: dict[str, str] | None = None, fresh: bool = False
    ) -> Done:
        start = (request.module.__name__, os.fsdecode(words[0]) if words else "")
        environment = {**os.environ, **(env or {})}
        if fresh or env or start not in _STARTED or sys.platform != "linux" or rounds(0, 1):
            _STARTED.add(start)
            done = subprocess.run(
                [sys.executable, "-X", "utf8", "-W", "error", "-m", "ragtriage_tui", *words],
                cwd=cwd,
                input=stdin.encode(),
                capture_output=True,
                timeout=120,
                env=environment,
            )
            return Done(done.returncode, done.stdout.decode(), done.stderr.decode())
        ended = forks.run([os.fsdecode(word) for word in words], cwd=cwd, stdin=stdin.encode(), env=environment, timeout=120)
        return Done(ended.code, ended.out.decode(), ended.err.decode())

    return run

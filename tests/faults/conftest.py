"""A small project for every test, measured with BM25 so that no model is needed."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

PAGES = {
    "refunds.md": "# Refunds\n\n## Time limit\n\nYou may send goods back within 30 days of delivery.\n\n"
    "## Who pays\n\nWe pay the way back when the goods were damaged.\n",
    "shipping.md": "# Shipping\n\nParcels leave the warehouse on the next working day. We ship to Norway and Iceland.\n",
    "errors.html": "<h1>Error codes</h1><p>ERR_4021 means that the card was declined.</p><p>ERR_4022 means a timeout.</p>",
    "notes.txt": "Support may give a voucher of 15 euros without asking.\n",
}
QUESTIONS: list[dict[str, Any]] = [
    {
        "qid": "q1",
        "question": "how long may i send goods back",
        "evidence": [{"doc": "refunds", "quote": "within 30 days of delivery"}],
        "answer_must_mention": ["30 days"],
    },
    {"qid": "q2", "question": "ERR_4021", "kind": "exact", "evidence": [{"doc": "errors", "quote": "the card was declined"}]},
    {
        "qid": "q3",
        "question": "what may support give",
        "evidence": [{"doc": "notes", "quote": "a voucher of 15 euros"}],
    },
    {"qid": "q4", "question": "do you ship to the moon", "kind": "unanswerable", "answerable": False},
]
CONFIG = '[retrieval]\nmode = "bm25"\nk = 2\n'

MakeProject = Callable[..., Path]


def write_project(
    root: Path,
    pages: Mapping[str, str | bytes] = PAGES,
    questions: Sequence[Mapping[str, Any]] = QUESTIONS,
    config: str = CONFIG,
) -> Path:
    """A project at `root`; pages are text or bytes by their names."""
    for name, text in pages.items():
        path = root / "docs" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
    (root / "evals").mkdir(parents=True, exist_ok=True)
    (root / "evals" / "golden.jsonl").write_text("".join(json.dumps(line) + "\n" for line in questions), encoding="utf-8")
    (root / "ragtriage.toml").write_text(config, encoding="utf-8")
    return root


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """Caches and state of this test alone; made by the first command."""
    return tmp_path / "home"


@pytest.fixture
def make_project(tmp_path: Path) -> MakeProject:
    def make(*args: Any, name: str = "handbook", **kwargs: Any) -> Path:
        return write_project(tmp_path / name, *args, **kwargs)

    return make


@pytest.fixture
def project(make_project: MakeProject) -> Path:
    return make_project()

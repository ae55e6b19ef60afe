"""A small project whose retriever is somebody's own."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from ragtriage.project import Project

PAGES = {
    "refunds": "# Refunds\n\nGoods may be sent back within 30 days of delivery.\n",
    "shipping": "# Shipping\n\nParcels leave on the next working day. We ship to Norway.\n",
    "vouchers": "---\naccess: [staff]\n---\n# Goodwill\n\nSupport may give a voucher of 15 euros to whoever waited.\n",
}


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("RAGTRIAGE_HOME", str(tmp_path / "home"))
    folder = tmp_path / "handbook"
    (folder / "docs").mkdir(parents=True)
    for name, text in PAGES.items():
        (folder / "docs" / f"{name}.md").write_text(text, encoding="utf-8")
    (folder / "evals").mkdir()
    (folder / "ragtriage.toml").write_text('[corpus]\naccess_key = "access"\n[retrieval]\nmode = "bm25"\n', encoding="utf-8")
    return folder


@pytest.fixture
def opened(root: Path) -> Iterator[Callable[..., Project]]:
    """opened(questions, "table.key=value", …): the project with these questions, all of them about the refunds page."""
    made: list[Project] = []

    def make(questions: list[str], *overrides: str, trusted: bool = True) -> Project:
        lines = [
            {
                "qid": f"q{number}",
                "question": text,
                "evidence": [{"doc": "refunds", "quote": "within 30 days of delivery"}],
                "answer_must_mention": ["30 days"],
            }
            for number, text in enumerate(questions, start=1)
        ]
        (root / "evals" / "golden.jsonl").write_text("".join(json.dumps(one) + "\n" for one in lines), encoding="utf-8")
        made.append(Project.open(root, overrides=overrides, trusted=trusted))
        return made[-1]

    yield make
    for one in made:
        one.close()

"""One cluster of three nodes for all tests here, which therefore run in one worker."""

from __future__ import annotations

import os
import random
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.qdrant.made import configure, made_project
from tests.qdrant.nodes import Nodes, qdrant_program

from ragtriage.project import Project
from ragtriage.search.systems.qdrant_upload import upload_project

HERE = Path(__file__).parent
_ROOM = 1 << 30
NAMES = ("sales", "legal", "staff", "public", "board")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if item.path.is_relative_to(HERE):
            item.add_marker(pytest.mark.xdist_group("qdrant"))


@pytest.fixture(scope="session")
def program() -> Path:
    return qdrant_program()


@pytest.fixture(scope="session")
def nodes(program: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Nodes]:
    """Three nodes that all run and are whole when the tests begin; a test that hurts one lets them settle."""
    cluster = Nodes(program, _folder(tmp_path_factory), 3)
    try:
        cluster.start()
        yield cluster
    finally:
        cluster.close()


def _folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """In memory where there is room: a cluster makes thousands of small files, which some disks take seconds to remove."""
    memory = Path("/dev/shm")
    if os.access(memory, os.W_OK) and shutil.disk_usage(memory).free > _ROOM:
        return Path(tempfile.mkdtemp(prefix="ragtriage-qdrant-", dir=memory))
    return tmp_path_factory.mktemp("qdrant")


@pytest.fixture(scope="session")
def tagged(nodes: Nodes, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """400 pages, most of them for some groups only, on 6 shards of 2 replicas each, and 500 questions with groups."""
    pick = random.Random(7)
    rows: list[dict[str, Any]] = []
    for number in range(400):
        access = None if pick.random() < 0.3 else pick.sample(NAMES, pick.randrange(3))
        text = f"page {number} on topic{number % 11} by writer{number % 17} tells of item{number}"
        rows.append({"id": f"page-{number}", "text": text} | ({} if access is None else {"access": access}))
    questions = [
        {
            "qid": f"q{number}",
            "question": f"who tells of item{number % 400} on topic{number % 11} by writer{number % 5}",
            "relevant_doc_ids": [f"page-{number % 400}"],
            **({"access": pick.sample([*NAMES, "nobody"], pick.randrange(4))} if number % 4 else {}),
        }
        for number in range(500)
    ]
    root = made_project(tmp_path_factory.mktemp("tagged") / "pages", rows, questions)
    configure(root, nodes.urls, "tagged", shards=6, replicas=2)
    project = Project.open(root, trusted=True)
    assert upload_project(project).points == 400
    project.close()
    return root

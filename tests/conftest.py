"""No test ever touches the caches, runs and settings of whoever runs it, and none slows the others down."""

from __future__ import annotations

import gc
import os
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest

# Workers share the cores: threads of torch that wait for one another in a loop take them from each other, and what is
# embedded in half a second takes ten. Here, for torch reads it once, and encoders in processes of their own take it on.
os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> Any:
    """Files that name a group, or whose folder does, go to one worker.

    pytest-xdist 3.8 tells the groups by the ids of tests, which pytest 9.2 no longer lets it change: without this, the groups
    are passed over in silence, and what one worker was to make once is made by each.
    """
    if config.getvalue("dist") != "loadgroup":
        return None
    from xdist.scheduler import LoadGroupScheduling

    class Scheduling(LoadGroupScheduling):
        def _split_scope(self, nodeid: str) -> str:
            return _group_of(config.rootpath / nodeid.partition("::")[0]) or str(super()._split_scope(nodeid))

    return Scheduling(config, log)


@cache
def _group_of(file: Path) -> str | None:
    """The group that a file of tests is marked with, or that the `conftest.py` beside it marks its tests with."""
    for path in (file, file.with_name("conftest.py")):
        if path.is_file() and (found := re.search(r'xdist_group\("([\w-]+)"\)', path.read_text(encoding="utf-8"))):
            return found[1]
    return None


def pytest_collection_finish() -> None:
    """What thousands of collected tests are made of lives to the end: looking for rubbish in it took a third of a second."""
    gc.collect()
    gc.freeze()


@pytest.fixture(scope="session", autouse=True)
def _own_home(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """RAGTRIAGE_HOME of this session; tests that need one to themselves set their own over it."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("RAGTRIAGE_HOME", str(tmp_path_factory.mktemp("home")))
        yield

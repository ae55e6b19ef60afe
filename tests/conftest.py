"""No test ever touches the caches, runs and settings of whoever runs it, and none slows the others down."""

from __future__ import annotations

import gc
import os
from collections.abc import Iterator

import pytest

# Workers share the cores: threads of torch that wait for one another in a loop take them from each other, and what is
# embedded in half a second takes ten. Here, for torch reads it once, and encoders in processes of their own take it on.
os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")


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

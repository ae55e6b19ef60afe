"""No test ever touches the caches, runs and settings of whoever runs it."""

from __future__ import annotations

from collections.abc import Iterator

import pytest


@pytest.fixture(scope="session", autouse=True)
def _own_home(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """RAGTRIAGE_HOME of this session; tests that need one to themselves set their own over it."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("RAGTRIAGE_HOME", str(tmp_path_factory.mktemp("home")))
        yield

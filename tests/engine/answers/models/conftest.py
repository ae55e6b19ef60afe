"""Providers' libraries that wait milliseconds where they would wait seconds, and nothing of the user's environment."""

from __future__ import annotations

import os

import pytest

KEY = "sk-test-4f9a07c1e2b8d653"


@pytest.fixture
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """Short waits between attempts, and a key in the usual places."""
    for library in ("openai", "anthropic"):
        monkeypatch.setattr(f"{library}._base_client.INITIAL_RETRY_DELAY", 0.002)
        monkeypatch.setattr(f"{library}._base_client.MAX_RETRY_DELAY", 0.01)
    for name in [name for name in os.environ if name.startswith(("OPENAI_", "ANTHROPIC_")) or name.lower().endswith("_proxy")]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    monkeypatch.setenv("ANTHROPIC_API_KEY", KEY)

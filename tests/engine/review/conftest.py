"""The repositories that revisions are tried on."""

from tests.engine.revisions.conftest import home, repo

__all__ = ["home", "repo"]

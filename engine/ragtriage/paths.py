"""Where ragtriage keeps what is not in the user's repository. `RAGTRIAGE_HOME` puts all of it in one folder."""

from __future__ import annotations

import os
from pathlib import Path

__all__ = ["cache_dir", "config_dir", "state_dir"]

_APP = "ragtriage"


def _home(kind: str) -> Path | None:
    override = os.environ.get("RAGTRIAGE_HOME")
    return Path(override).expanduser() / kind if override else None


def cache_dir() -> Path:
    """Indexes, vectors, extracted text, answers. May be deleted at any time; costs time and nothing else."""
    from platformdirs import user_cache_path

    return _home("cache") or user_cache_path(_APP, appauthor=False)


def state_dir() -> Path:
    """Drafts, sessions, logs, trust, and the runs of projects that cannot be written."""
    from platformdirs import user_state_path

    return _home("state") or user_state_path(_APP, appauthor=False)


def config_dir() -> Path:
    """The user's own settings: theme and keys."""
    from platformdirs import user_config_path

    return _home("config") or user_config_path(_APP, appauthor=False)

"""The folders and files of the user's own that the app needs before any engine is loaded."""

from __future__ import annotations

from pathlib import Path

__all__ = ["session_file", "settings_file", "state_folder", "write_file"]


def state_folder() -> Path:
    """Drafts, sessions and the log."""
    from ragtriage.paths import state_dir

    return state_dir()


def settings_file() -> Path:
    """The user's theme and keys."""
    from ragtriage.paths import config_dir

    return config_dir() / "config.toml"


def session_file(root: Path) -> Path:
    """Where the session of a project is kept, by the project's path."""
    from ragtriage.ids import text_sha

    return state_folder() / "sessions" / f"{text_sha(str(root.absolute()))[:16]}.json"


def write_file(path: Path, data: bytes) -> None:
    """Replace a file of the user's own, atomically. Raises OSError's message as DoorError."""
    from ragtriage.errors import StorageError
    from ragtriage.files import atomic_write
    from ragtriage_tui.workers import DoorError

    try:
        atomic_write(path, data)
    except StorageError as error:
        raise DoorError(str(error)) from error

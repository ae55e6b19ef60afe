"""Other programs on the same terminal: $EDITOR and $PAGER. The app steps aside while they run."""

from __future__ import annotations

import contextlib
import os
import shlex
import signal
import subprocess
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ragtriage_tui.workers import DoorError

if TYPE_CHECKING:
    from textual.app import App

__all__ = ["edit_file", "edit_text", "editor_command", "page_text", "pager_command"]

_TAKES_LINE = {"vi", "vim", "nvim", "view", "nano", "pico", "emacs", "emacsclient", "micro", "kak", "joe", "mg", "ne", "jed"}


def editor_command(environ: Mapping[str, str], path: str, line: int = 0) -> list[str]:
    """What to run to edit a file at a line (from 1; 0: anywhere). Raises DoorError."""
    words = _words(environ.get("VISUAL") or environ.get("EDITOR") or "vi", "$EDITOR")
    if line > 0 and Path(words[0]).name in _TAKES_LINE:
        words.append(f"+{line}")
    return [*words, path]


def pager_command(environ: Mapping[str, str], path: str) -> list[str]:
    """What to run to read a file. Raises DoorError."""
    return [*_words(environ.get("PAGER") or "less", "$PAGER"), path]


def _words(value: str, name: str) -> list[str]:
    try:
        words = shlex.split(value)
    except ValueError as error:
        raise DoorError(f"{name} cannot be read: {error}") from None
    if not words:
        raise DoorError(f"{name} is empty")
    return words


def edit_text(app: App[Any], text: str, suffix: str, line: int = 0) -> str | None:
    """Let the user edit `text`; None when nothing changed, or when the editor said by its exit code to discard it.

    Raises DoorError where the editor cannot be started.
    """
    with tempfile.TemporaryDirectory(prefix="ragtriage-") as folder:
        path = Path(folder) / f"edit{suffix}"
        path.write_text(text, encoding="utf-8")
        if _run(app, editor_command(os.environ, str(path), line)) != 0:
            raise DoorError("the editor left with an error; nothing was changed")
        try:
            edited = path.read_text(encoding="utf-8")
        except (OSError, ValueError) as error:
            raise DoorError(f"what the editor left cannot be read: {error}") from None
    return edited if edited != text else None


def edit_file(app: App[Any], path: str, line: int) -> None:
    """Let the user edit a file of theirs, at a line. Raises DoorError where the editor cannot be started, or failed."""
    if _run(app, editor_command(os.environ, path, line)) != 0:
        raise DoorError("the editor left with an error")


def page_text(app: App[Any], text: str) -> None:
    """Let the user read `text` in the pager. Raises DoorError where it cannot be started."""
    with tempfile.TemporaryDirectory(prefix="ragtriage-") as folder:
        path = Path(folder) / "ragtriage.txt"
        path.write_text(text, encoding="utf-8")
        _run(app, pager_command(os.environ, str(path)))


def _run(app: App[Any], command: Sequence[str]) -> int:
    from textual.app import SuspendNotSupported

    try:
        with app.suspend(), _keys_are_the_others():
            return subprocess.run(list(command), check=False).returncode
    except SuspendNotSupported:
        raise DoorError("this terminal cannot be lent to another program") from None
    except OSError as error:
        raise DoorError(f"{command[0]} cannot be started: {error.strerror}") from None


@contextlib.contextmanager
def _keys_are_the_others() -> Iterator[None]:
    """Let ctrl+c and ctrl+\\ be the other program's: the terminal sends them to us as well, and they would end the app.

    Not SIG_IGN, which the other program would inherit.
    """
    before = {number: signal.signal(number, lambda *_: None) for number in (signal.SIGINT, signal.SIGQUIT)}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)

"""A file as a git revision has it. Git is only asked to read: no hook, filter or program of the repository runs."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

from ragtriage.errors import GoldenError

__all__ = ["file_at"]

_TIMEOUT_S = 60
_OURS = ("GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_PREFIX", "GIT_OBJECT_DIRECTORY", "GIT_NAMESPACE")
"""What git sets for its hooks; a hook that calls us means the repository that the file lies in."""


def file_at(path: Path, ref: str) -> bytes:
    """The bytes of `path` at `ref`, any name of a commit. Raises GoldenError: no git, repository, revision or file."""
    path = path.resolve()
    top = _git(path, "rev-parse", "--show-toplevel")
    if top.returncode:
        why = _said(top)
        if "not a git repository" in why:
            raise GoldenError(f"{path}: lies in no git repository, so there is no version before to compare with")
        raise GoldenError(f"{path}: git does not open its repository: {why}")
    commit = _git(path, "rev-parse", "--verify", "--quiet", "--end-of-options", f"{ref}^{{commit}}")
    name = commit.stdout.decode("ascii", "replace").strip()
    if commit.returncode or not name:
        root = top.stdout.decode("utf-8", "replace").strip()
        if ref == "HEAD":
            raise GoldenError(f"{root}: nothing has been committed yet, so there is no version before to compare with")
        raise GoldenError(f"{ref!r}: no such revision in {root}")
    found = _git(path, "cat-file", "blob", f"{name}:./{path.name}")
    if found.returncode:
        if _git(path, "cat-file", "-e", f"{name}:./{path.name}").returncode:
            raise GoldenError(f"{path}: is not in {ref}; it was added later, or under another name")
        raise GoldenError(f"{path}: git cannot read it in {ref}: {_said(found)}")
    return found.stdout


def _git(path: Path, *words: str) -> subprocess.CompletedProcess[bytes]:
    """`git WORDS` in the folder of `path`, whether or not that folder still has the file."""
    keep = {key: value for key, value in os.environ.items() if key not in _OURS}
    env = {**keep, "LC_ALL": "C", "GIT_OPTIONAL_LOCKS": "0", "GIT_NO_LAZY_FETCH": "1", "GIT_TERMINAL_PROMPT": "0"}
    try:
        return subprocess.run(
            ["git", *words],
            cwd=path.parent,
            env=env,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=_TIMEOUT_S,
            check=False,
        )
    except FileNotFoundError:
        if not path.parent.is_dir():
            raise GoldenError(f"{path.parent}: no such folder") from None
        raise GoldenError("git is not installed, or not in PATH; it is what knows the version before") from None
    except subprocess.TimeoutExpired:
        raise GoldenError(f"{path}: git has not answered for {_TIMEOUT_S} s") from None
    except (OSError, ValueError) as error:  # a name with a zero byte, or half a character
        why = error.strerror if isinstance(error, OSError) else error
        raise GoldenError(f"{path}: git cannot be asked: {why}") from None


def _said(done: subprocess.CompletedProcess[bytes]) -> str:
    lines = [line for line in done.stderr.decode("utf-8", "replace").splitlines() if line.strip()]
    return lines[0].removeprefix("fatal: ") if lines else f"exit code {done.returncode}"

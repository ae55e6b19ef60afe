"""Asking git about the user's repository. Only to read: no hook, filter, pager or program of anybody runs, nothing is fetched,
no lock is taken, and the index stays as it is."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

from ragtriage.errors import UsageError

__all__ = ["Repository", "has_changes", "run_git", "said"]

_TIMEOUT_S = 300
_STEADY = ("-c", "core.fsmonitor=false", "-c", "core.untrackedCache=false", "-c", f"core.hooksPath={os.devnull}")
_FOR_HOOKS = (
    "GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_PREFIX", "GIT_OBJECT_DIRECTORY", "GIT_ALTERNATE_OBJECT_DIRECTORIES",
    "GIT_COMMON_DIR", "GIT_NAMESPACE", "GIT_EXTERNAL_DIFF", "GIT_SHALLOW_FILE", "GIT_GRAFT_FILE", "GIT_QUARANTINE_PATH",
    "GIT_INTERNAL_SUPER_PREFIX", "GIT_LITERAL_PATHSPECS", "GIT_GLOB_PATHSPECS", "GIT_NOGLOB_PATHSPECS", "GIT_ICASE_PATHSPECS",
)  # fmt: skip
"""What git sets for its hooks, and what changes how it reads paths; a hook that calls us means the repository that the project
lies in.
"""


class Repository(NamedTuple):
    """Where a project lies in its repository.

    `prefix` is the project's folder below `top`, with `/` and without one at the end; "" where they are the same. `objects` is
    the object store, `common` the git directory that all worktrees share, `object_format` sha1 or sha256.
    """

    top: Path
    prefix: str
    objects: Path
    common: Path
    object_format: str

    @classmethod
    def of(cls, folder: Path) -> Repository:
        """The repository that `folder` lies in. Raises UsageError that says why there is none."""
        folder = folder.resolve()
        asked = ("--is-bare-repository", "--is-inside-work-tree", "--show-object-format")
        done = run_git(folder, "rev-parse", *asked)
        if done.returncode:
            why = said(done)
            if "not a git repository" in why:
                raise UsageError(f"{folder}: lies in no git repository, so there is no other revision to compare with")
            raise UsageError(f"{folder}: git does not open its repository: {why}")
        bare, inside, object_format = done.stdout.decode("utf-8", "replace").split()
        if bare == "true" or inside != "true":
            raise UsageError(f"{folder}: a bare repository, or the inside of .git: review works in a clone with its files")
        top = Path(_line(run_git(folder, "rev-parse", "--show-toplevel"))).resolve()
        prefix = os.fsdecode(os.fsencode(folder.relative_to(top).as_posix()))
        objects = Path(folder, _line(run_git(folder, "rev-parse", "--git-path", "objects"))).resolve()
        common = Path(folder, _line(run_git(folder, "rev-parse", "--git-common-dir"))).resolve()
        return cls(top, "" if prefix == "." else prefix, objects, common, object_format)

    def ask(self, *words: str, stdin: bytes = b"") -> subprocess.CompletedProcess[bytes]:
        """`git WORDS` at the top of the repository."""
        return run_git(self.top, *words, stdin=stdin)

    def line(self, *words: str) -> str:
        """What `git WORDS` prints, without its line end; "" where it fails."""
        done = self.ask(*words)
        return "" if done.returncode else os.fsdecode(done.stdout).rstrip("\n")

    @property
    def is_shallow(self) -> bool:
        return self.line("rev-parse", "--is-shallow-repository") == "true"


def run_git(
    folder: Path, *words: str, stdin: bytes = b"", env: Mapping[str, str] | None = None
) -> subprocess.CompletedProcess[bytes]:
    """`git WORDS` in `folder`; its exit code is the caller's business. `env` replaces the environment. Raises UsageError."""
    if env is None:
        kept = {key: value for key, value in os.environ.items() if key not in _FOR_HOOKS}
        env = {**kept, "GIT_OPTIONAL_LOCKS": "0", "GIT_NO_LAZY_FETCH": "1", "GIT_ALLOW_PROTOCOL": "none"}
    env = {**env, "LC_ALL": "C", "GIT_TERMINAL_PROMPT": "0", "GIT_PAGER": "cat"}
    try:
        return subprocess.run(
            ["git", *_STEADY, *words], cwd=folder, env=env, input=stdin, capture_output=True, timeout=_TIMEOUT_S, check=False
        )
    except FileNotFoundError:
        if not folder.is_dir():
            raise UsageError(f"{folder}: no such folder") from None
        raise UsageError("git is not installed, or not in PATH; it is what knows the other revision") from None
    except subprocess.TimeoutExpired:
        raise UsageError(f"{folder}: git has not answered for {_TIMEOUT_S} s") from None
    except (OSError, ValueError) as error:  # a name with a zero byte, or half a character
        why = error.strerror if isinstance(error, OSError) else error
        raise UsageError(f"{folder}: git cannot be asked: {why}") from None


def has_changes(folder: Path) -> bool:
    """Whether a tracked file differs from the last commit. Filters do not run: a file that one changes may count as changed."""
    found = run_git(folder, "config", "--null", "--name-only", "--get-regexp", r"^filter\..*\.(clean|process|smudge|required)$")
    keys = dict.fromkeys(os.fsdecode(found.stdout).split("\0"))
    off = [word for key in keys if key for word in ("-c", f"{key}={'false' if key.endswith('.required') else ''}")]
    # what a submodule's own files are like would be asked under its own configuration
    status = ("status", "--porcelain", "--untracked-files=no", "--ignore-submodules=dirty", "-z")
    done = run_git(folder, *off, *status)
    return bool(done.returncode or done.stdout)


def said(done: subprocess.CompletedProcess[bytes]) -> str:
    """Why git failed, in its own words: one line."""
    lines = [line.strip() for line in done.stderr.decode("utf-8", "replace").splitlines() if line.strip()]
    fatal = [line for line in lines if line.startswith(("fatal: ", "error: "))]
    return (fatal or lines or [f"exit code {done.returncode}"])[0].removeprefix("fatal: ").removeprefix("error: ")[:500]


def _line(done: subprocess.CompletedProcess[bytes]) -> str:
    if done.returncode:
        raise UsageError(f"git does not open the repository: {said(done)}")
    return os.fsdecode(done.stdout).rstrip("\n")

"""A file as a git revision has it."""

from __future__ import annotations

from pathlib import Path

from ragtriage.errors import GoldenError, UsageError
from ragtriage.git import run_git, said

__all__ = ["file_at"]


def file_at(path: Path, ref: str) -> bytes:
    """The bytes of `path` at `ref`, any name of a commit. Raises GoldenError: no git, repository, revision or file."""
    try:
        return _file_at(path.resolve(), ref)
    except UsageError as error:  # git cannot be asked
        raise GoldenError(str(error)) from None


def _file_at(path: Path, ref: str) -> bytes:
    folder = path.parent  # whether or not it still has the file
    top = run_git(folder, "rev-parse", "--show-toplevel")
    if top.returncode:
        why = said(top)
        if "not a git repository" in why:
            raise GoldenError(f"{path}: lies in no git repository, so there is no version before to compare with")
        raise GoldenError(f"{path}: git does not open its repository: {why}")
    commit = run_git(folder, "rev-parse", "--verify", "--quiet", "--end-of-options", f"{ref}^{{commit}}")
    name = commit.stdout.decode("ascii", "replace").strip()
    if commit.returncode or not name:
        root = top.stdout.decode("utf-8", "replace").strip()
        if ref == "HEAD":
            raise GoldenError(f"{root}: nothing has been committed yet, so there is no version before to compare with")
        raise GoldenError(f"{ref!r}: no such revision in {root}")
    found = run_git(folder, "cat-file", "blob", f"{name}:./{path.name}")
    if found.returncode:
        if run_git(folder, "cat-file", "-e", f"{name}:./{path.name}").returncode:
            raise GoldenError(f"{path}: is not in {ref}; it was added later, or under another name")
        raise GoldenError(f"{path}: git cannot read it in {ref}: {said(found)}")
    return found.stdout

"""What a sparse checkout leaves out of the working tree: git has it, the files of the head do not, so that no side is measured
with it. In a clone that is partial, too, its content is often not on this machine at all.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Collection
from pathlib import Path

from ragtriage.errors import UsageError
from ragtriage.git import Repository, run_git, said
from ragtriage.project import Project

__all__ = ["absent_from_checkout", "sparse_note", "working_tree_note"]


def absent_from_checkout(repository: Repository) -> frozenset[str]:
    """The paths below the top that git keeps and a sparse checkout does not show; none where the checkout is whole.

    Raises UsageError.
    """
    if not _is_sparse(repository.top):
        return frozenset()
    done = repository.ask("ls-files", "-t", "-z")
    if done.returncode:
        raise UsageError(f"{repository.top}: git does not list its files: {said(done)}")
    skipped = (os.fsdecode(row[2:]) for row in done.stdout.split(b"\0") if row.startswith(b"S "))
    return frozenset(path for path in skipped if not os.path.lexists(Path(repository.top, path)))


def sparse_note(absent: Collection[str], folder: str, wanted: Callable[[str], bool], *, shown: str) -> str:
    """A sentence about those of `absent` that are documents: at `folder` (below the top, "" for it), or below it and `wanted`.

    `shown` is what the configuration calls the folder. "" where there is none.
    """
    below = folder + "/" if folder else ""
    number = sum(path == folder or (path.startswith(below) and wanted(path[len(below) :])) for path in absent)
    if not number:
        return ""
    files = "1 file" if number == 1 else f"{number} files"
    return f"left out by the sparse checkout, so measured on no side: {files} of {shown}; git sparse-checkout add brings them"


def working_tree_note(project: Project) -> str:
    """The same sentence about the project as it is; "" where no repository holds its documents. Raises UsageError."""
    from ragtriage.corpus.walk import matcher

    folder = project.corpus_root.resolve()
    try:
        repository = Repository.of(project.root) if _is_sparse(project.root) else None
    except UsageError:  # no git, no revision
        return ""
    if project.beir or repository is None or not folder.is_relative_to(repository.top):
        return ""
    path = folder.relative_to(repository.top).as_posix()
    absent, config = absent_from_checkout(repository), project.config.corpus
    return sparse_note(absent, "" if path == "." else path, matcher(config.include), shown=config.path)


def _is_sparse(folder: Path) -> bool:
    return run_git(folder, "config", "--bool", "--get", "core.sparseCheckout").stdout.strip() == b"true"

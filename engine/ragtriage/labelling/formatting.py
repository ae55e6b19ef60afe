"""`golden fmt` and `golden diff` of a project: its golden file put in form, and compared with a git revision."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from ragtriage.errors import GoldenError, Problem, UsageError
from ragtriage.files import read_file, rewrite
from ragtriage.golden.diff import GoldenDiff, diff_golden
from ragtriage.golden.file import read_golden
from ragtriage.golden.fmt import Formatted, format_golden
from ragtriage.golden.revision import file_at

if TYPE_CHECKING:
    from pathlib import Path

    from ragtriage.project import Project

__all__ = ["FormattedFile", "diff_golden_set", "format_golden_set", "must_be_written"]


class FormattedFile(NamedTuple):
    """The golden file in form and what that took; whether that is another file than it was; and the lines that cannot be used
    as the file stands now."""

    formatted: Formatted
    changed: bool
    problems: tuple[Problem, ...]


def must_be_written(project: Project) -> None:
    """Raise UsageError for a BEIR folder, to which nothing is written."""
    if project.beir:
        raise UsageError(f"{project.root} is a BEIR folder, which is only read; ragtriage init makes a project")


def format_golden_set(project: Project, *, fix: bool = False, write: bool = True) -> FormattedFile:
    """Put the golden file in its one form; on disk when this returns. With `write` False nothing is written.

    With conflict markers of a merge it is left alone, unless `fix`: see `format_golden`. `project.refresh()` has the set read
    again. Raises UsageError for a BEIR folder, GoldenError where there is no file or it does not read, StorageError.
    """
    path = project.golden_path
    must_be_written(project)
    old = _bytes(path, "there is no golden set yet; `ragtriage add` starts one")
    found = Formatted(b"")
    changed = False

    def change(old: bytes) -> bytes:
        nonlocal found, changed
        found = format_golden(old, str(path), fix=fix)
        changed = found.data != old
        return found.data

    if write:
        rewrite(path, change)
    else:
        change(old)
    return FormattedFile(found, changed, tuple(one for one in read_golden(path).problems if one.severity == "error"))


def diff_golden_set(project: Project, ref: str = "HEAD") -> GoldenDiff:
    """What differs between the golden file at a git revision and the file as it is, question by question.

    Raises GoldenError where one of the two is not there, or there is no such revision or no git.
    """
    path = project.golden_path
    new = _bytes(path, f"there is no golden set; {ref} may still have it")
    return diff_golden(file_at(path, ref), new, old_name=f"{ref}:{path.name}", new_name=str(path))


def _bytes(path: Path, missing: str) -> bytes:
    """The file's content. Raises GoldenError, which says `missing` where there is none."""
    try:
        return read_file(path)
    except FileNotFoundError:
        raise GoldenError(f"{path}: {missing}") from None
    except OSError as error:
        raise GoldenError(f"{path}: cannot be read: {error.strerror}") from error

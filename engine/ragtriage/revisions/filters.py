"""Files that a filter of .gitattributes makes what they are in a working tree. None runs here, so an export has them as git
stores them: encrypted, for one with git-crypt."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from ragtriage.git import Repository

__all__ = ["changed_by_filters", "drivers"]

_NO_DRIVER = ("unspecified", "unset", "set", "lfs")  # what Git LFS keeps is told by its pointers
_AS_IT_IS = ("", "cat")


def drivers(asked: bytes) -> Iterator[tuple[str, bytes]]:
    """The driver and the path of each file that names one, of what `git check-attr -z filter` prints."""
    fields = asked.split(b"\0")
    for path, driver in zip(fields[::3], fields[2::3], strict=False):
        name = driver.decode("utf-8", "surrogateescape")
        if name not in _NO_DRIVER:
            yield name, path


def changed_by_filters(repository: Repository) -> Callable[[str], bool]:
    """A test of a driver's name: whether, as this machine is configured, files come out of it otherwise in a checkout."""
    known: dict[str, bool] = {}

    def changed(driver: str) -> bool:
        if driver not in known:
            commands = [repository.line("config", "--get", f"filter.{driver}.{kind}").strip() for kind in ("process", "smudge")]
            known[driver] = any(command not in _AS_IT_IS for command in commands)
        return known[driver]

    return changed

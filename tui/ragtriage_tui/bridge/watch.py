"""Which files somebody else has changed, by stat; what this process wrote itself does not count."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

__all__ = ["Watch"]

_Stamp = tuple[int, int, int] | None


class Watch:
    """Stamps of a few files."""

    def __init__(self) -> None:
        self._stamps: dict[Path, _Stamp] = {}

    def seen(self, paths: Iterable[Path]) -> None:
        """These files are known as they are now."""
        for path in paths:
            self._stamps[path] = _stamp(path)

    def changed(self) -> set[Path]:
        """The known files that are other ones now."""
        return {path for path, stamp in self._stamps.items() if _stamp(path) != stamp}


def _stamp(path: Path) -> _Stamp:
    try:
        found = path.stat()
    except OSError:
        return None
    return found.st_size, found.st_mtime_ns, found.st_ino

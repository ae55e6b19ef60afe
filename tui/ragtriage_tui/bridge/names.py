"""Ids on the screen and ids in files: they differ only where an id holds what no terminal may see."""

from __future__ import annotations

from ragtriage_tui.text import scrub

__all__ = ["Names"]


class Names:
    """Remembers the raw id behind each scrubbed one that is another."""

    def __init__(self) -> None:
        self._raw: dict[str, str] = {}

    def shown(self, raw: str) -> str:
        """An id as it may be shown."""
        seen = scrub(raw)
        if seen != raw:
            self._raw[seen] = raw
        return seen

    def raw(self, seen: str) -> str:
        """The id as the files have it."""
        return self._raw.get(seen, seen)

"""Replies by content: nothing that was paid for is asked again, by whatever configuration, branch, run or process.

One small file a reply, written whole and synced before the reply is used, so that a crash loses none. One that is damaged is
as good as absent and costs one question.
"""

from __future__ import annotations

from pathlib import Path

from ragtriage.answers.models.base import Reply
from ragtriage.json_lines import dump_line, load_json
from ragtriage.stored import read_blob, write_blob

__all__ = ["ReplyCache"]

_ROOM = 1 << 18  # bytes: what several replies take that come at once


class ReplyCache:
    """Replies in a folder, by the 64 hex digits of `Request.key`. Safe for several processes and threads."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def get(self, key: str) -> Reply | None:
        """The reply, None where there is none or where its file does not read."""
        data = read_blob(self._path(key))
        if data is None:
            return None
        try:
            return Reply(**load_json(bytes(data)))
        except (ValueError, TypeError):  # of a later version
            return None

    def put(self, key: str, reply: Reply) -> None:
        """On disk when this returns. Raises StorageError."""
        write_blob(self._path(key), dump_line(reply._asdict()), must=True)

    def must_take(self) -> None:
        """Raise StorageError where no reply could be kept: better before one is paid for than after."""
        probe = self._folder / "probe"
        write_blob(probe, bytes(_ROOM), must=True)
        probe.unlink(missing_ok=True)

    def _path(self, key: str) -> Path:
        return self._folder / key[:2] / key[2:]

"""From a file to the inbox of a project: what `ragtriage import` does, and what a notebook calls."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from ragtriage.errors import UsageError
from ragtriage.files import read_file
from ragtriage.inbox.fields import SOURCES, parse_maps
from ragtriage.inbox.log import Added, InboxLog
from ragtriage.inbox.reading import MOST_BYTES, Reading, read_reports
from ragtriage.labelling.twins import Twins, twins_of
from ragtriage.surrogates import clean_text
from ragtriage.types import Progress, no_progress

if TYPE_CHECKING:
    from ragtriage.project import Project

__all__ = ["FILE_NAME", "Imported", "import_reports", "open_inbox"]

FILE_NAME = "inbox.jsonl"
"""The inbox beside a golden set."""


class Imported(NamedTuple):
    """What became of a file's reports.

    `where` names the file. `reading` is all that it held, with the problems of single records; `added` says which reports are
    new in the inbox and which were there before; `twins` are the questions of the golden set that the new ones are like.
    `path` is the inbox; `written` is False where nothing was new, or nothing was to be written.
    """

    where: str
    reading: Reading
    added: Added
    twins: Twins
    path: Path
    written: bool

    @property
    def masked(self) -> Counter[str]:
        """How many addresses, tokens, card numbers and IBANs of the new reports were masked, by kind."""
        return Counter(kind for report in self.added.new for kind in report.masked)


def open_inbox(project: Project) -> InboxLog:
    """The inbox beside the project's golden set, whether or not it is there yet. Nothing is read."""
    return InboxLog(project.evals / FILE_NAME)


def import_reports(
    project: Project,
    source: Path | str | bytes,
    *,
    format: str = "",  # noqa: A002  # the option's name
    maps: Mapping[str, str] | None = None,
    origin: str = "",
    keep_personal: bool = False,
    write: bool = True,
    where: str = "",
    progress: Progress = no_progress,
) -> Imported:
    """Take the reports of a file, or of its bytes, into the project's inbox, once each, with what is personal masked.

    `format` is told by the content where it is ""; `maps` says which key of the file is which field; `origin` is where reports
    come from that do not say it themselves: log, ticket, chat, owner, builder or synthetic. With `write` False nothing is
    written, and all else is the same. `where` is what problems call the source: the file's name, unless given.

    New reports are compared with the golden set, by vectors too where the configuration has some; reports are on disk before
    that. Raises UsageError for a file that cannot be read and for arguments that mean nothing, GoldenError for a file without
    any report or an inbox that is broken, StorageError.
    """
    maps = parse_maps(f"{field}={key}" for field, key in (maps or {}).items())
    if origin and origin not in SOURCES:
        raise UsageError(f"{origin}: reports come from {', '.join(SOURCES)}")
    data = source if isinstance(source, bytes) else _content(Path(source))
    where = where or ("the text" if isinstance(source, bytes) else clean_text(str(source)))
    reading = read_reports(data, where, format=format, maps=maps, source=origin, keep_personal=keep_personal)
    inbox = open_inbox(project)
    added = inbox.add(reading.reports) if write else inbox.known(reading.reports)
    # they are safe by now: what follows only compares
    twins = twins_of(added.new, project, wait=True, progress=progress)
    return Imported(where, reading, added, twins, inbox.path, write and bool(added.new))


def _content(path: Path) -> bytes:
    try:
        if path.stat().st_size > MOST_BYTES:
            raise UsageError(f"{path}: more than {MOST_BYTES:,} bytes; split it")
        return read_file(path)
    except FileNotFoundError:
        raise UsageError(f"{path}: no such file") from None
    except (OSError, ValueError) as error:
        why = error.strerror if isinstance(error, OSError) else str(error)
        raise UsageError(f"{path}: cannot be read: {why}; standard input takes anything: ragtriage import -") from None

"""Logs of what people decided, as events that only ever grow: verdicts on questions, reviews of answers.

The order of events is (`at`, `id`), not the line, so that logs of two branches merge line by line. Undo is an event that names
another; undoing an undo brings that one back. The latest event of a subject that nothing has undone is the one that counts.
"""

from __future__ import annotations

import dataclasses
import os
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from functools import lru_cache
from pathlib import Path
from typing import Any, ClassVar, Generic, Protocol, TypeVar

from ragtriage.errors import GoldenError, Problem
from ragtriage.files import read_file, rewrite
from ragtriage.json_lines import dump_line
from ragtriage.log_lines import parse_log
from ragtriage.surrogates import clean_text

__all__ = ["Event", "EventLog", "author", "read_texts"]

_OLDEST = datetime(1, 1, 1, tzinfo=UTC)
_LAST_YEAR = 9000  # no clock says more, and what comes after an event must still have a date


class Event(Protocol):
    """A frozen dataclass. `subject` is what it is about, `decides` False where it only clears what was said before.

    `undoes` names the event that this one takes back. `at` is UTC as in 2026-11-30T14:02:11.250000Z.
    """

    __dataclass_fields__: ClassVar[dict[str, Any]]

    @property
    def id(self) -> str: ...
    @property
    def qid(self) -> str: ...
    @property
    def by(self) -> str: ...
    @property
    def at(self) -> str: ...
    @property
    def undoes(self) -> str | None: ...
    @property
    def subject(self) -> str: ...
    @property
    def decides(self) -> bool: ...
    def to_dict(self) -> dict[str, Any]: ...


E = TypeVar("E", bound=Event)


@lru_cache(maxsize=8)
def author(folder: Path | None = None) -> str:
    """Who is at the keyboard: RAGTRIAGE_AUTHOR, git's user.name in `folder`, the login name; "" where none of them is set.

    A folder that is only made with the first event has the author of its nearest parent: else the second is somebody else's.
    """
    if named := os.environ.get("RAGTRIAGE_AUTHOR") or os.environ.get("GIT_AUTHOR_NAME"):
        return clean_text(named)
    import getpass
    import subprocess

    while folder is not None and not folder.is_dir() and folder != folder.parent:
        folder = folder.parent
    try:
        told = subprocess.run(["git", "config", "user.name"], cwd=folder, capture_output=True, timeout=2, check=False).stdout
        name = told.decode("utf-8", "replace").strip()
    except (OSError, subprocess.SubprocessError):
        name = ""
    try:
        return name or getpass.getuser()
    except (OSError, KeyError):
        return ""


class EventLog(ABC, Generic[E]):
    """Events of one kind beside a golden set. Every call looks at the file as it is now: others may write to it too.

    Undo and redo walk through what this object recorded; in a new process undo takes back the person's own latest event.
    """

    noun: ClassVar[str]

    def __init__(self, path: Path, *, clock: Callable[[], datetime] | None = None) -> None:
        self.path = path
        self._clock = clock or (lambda: datetime.now(UTC))
        self._done: list[str] = []
        self._undone: list[str] = []

    @staticmethod
    @abstractmethod
    def parse(value: Mapping[str, Any]) -> E:
        """The event of one line's object. Raises GoldenError."""

    @staticmethod
    @abstractmethod
    def undoing(event: E, by: str) -> E:
        """A new event by which `by` takes back `event`; its time is given when it is written."""

    def undo(self, *, by: str | None = None) -> E | None:
        """Take back the latest event recorded here (or, where there is none, the latest of this person); returns it."""
        by = author(self.path.parent) if by is None else by
        events = self.events()
        target = self._done.pop() if self._done else _latest_of(events, by)
        event = next((one for one in events if one.id == target), None)
        if event is None:
            return None
        try:
            mark = self._append(self.undoing(event, by))
        except BaseException:
            self._done.append(event.id)
            raise
        self._undone.append(mark.id)
        return event

    def redo(self, *, by: str | None = None) -> E | None:
        """Take back the latest undo made here; returns the event that counts again, None where there is nothing to redo."""
        if not self._undone:
            return None
        by = author(self.path.parent) if by is None else by
        events = {one.id: one for one in self.events()}
        mark = events.get(self._undone[-1])
        event = events.get(mark.undoes or "") if mark else None
        if mark is None or event is None:
            self._undone.pop()
            return None
        self._append(self.undoing(mark, by))
        self._undone.pop()
        self._done.append(event.id)
        return event

    def withdraw(self, event: E, *, by: str | None = None) -> E:
        """Take back one event, whoever recorded it and when; returns the event that does. It can be undone like any other."""
        return self._write(self.undoing(event, author(self.path.parent) if by is None else by))

    def current(self) -> dict[str, E]:
        """The event that counts, by subject, the latest last; cleared and undone ones are not in it."""
        out: dict[str, E] = {}
        for event in _standing(self.events()):
            subject = event.subject
            out.pop(subject, None)  # it takes the latest event's turn
            out[subject] = event
        return {subject: event for subject, event in out.items() if event.decides}

    def history(self, qid: str) -> list[E]:
        """Every event of a question, undone ones too, oldest first."""
        return [event for event in self.events() if event.qid == qid]

    def events(self) -> list[E]:
        """Every event that could be read, oldest first."""
        return self._read()[0]

    def problems(self) -> list[Problem]:
        """What is wrong with the file, by line."""
        return self._read()[1]

    def _write(self, event: E) -> E:
        """Write down a decision; it is on disk when this returns."""
        event = self._append(event)
        self._done.append(event.id)
        self._undone.clear()
        return event

    def _read(self) -> tuple[list[E], list[Problem]]:
        try:
            data = read_file(self.path)
        except FileNotFoundError:
            return [], []
        except OSError as error:
            return [], [Problem(str(self.path), 0, f"cannot be read: {error.strerror}")]
        return self._events_of(data)

    def _append(self, event: E) -> E:
        """Write one event with a time after every event of its subject: a clock that is behind must not lose it."""
        dated = event

        def change(old: bytes) -> bytes:
            nonlocal dated
            events, _ = self._events_of(old)
            latest = max((_time(one.at) for one in events if one.subject == event.subject), default=_OLDEST)
            moment = max(self._clock(), latest + timedelta(microseconds=1))
            dated = dataclasses.replace(event, at=moment.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%S.%fZ"))
            return (old if not old or old.endswith(b"\n") else old + b"\n") + dump_line(dated.to_dict())

        rewrite(self.path, change)
        return dated

    def _events_of(self, data: bytes) -> tuple[list[E], list[Problem]]:
        where = str(self.path)
        lines, problems = parse_log(data, where)
        events: dict[str, E] = {}
        for line, value in lines:
            try:
                event = self.parse(value)
            except GoldenError as error:
                problems.append(Problem(where, line, str(error)))
                continue
            known = events.setdefault(event.id, event)
            if known != event:  # a line that both branches took over is the same and says nothing new
                message = f"{event.id} is the id of another {self.noun}; the first one counts"
                problems.append(Problem(where, line, message, "id"))
        problems.sort(key=lambda problem: problem.line)
        return sorted(events.values(), key=lambda event: (_time(event.at), event.id)), problems


def read_texts(value: Mapping[str, Any], names: Sequence[str], noun: str) -> dict[str, str]:
    """Those of `names` that an event's object has, all of them strings; id, qid and a time are there. Raises GoldenError."""
    texts: dict[str, str] = {}
    for name in names:
        found = value.get(name)
        if found is not None and not isinstance(found, str):
            raise GoldenError(f"{name}: a string is needed")
        if found is not None:
            texts[name] = found
    if not texts.get("id") or not texts.get("qid"):
        raise GoldenError(f"a {noun} needs an id and a qid")
    if not texts.get("at") or _time(texts["at"]) == _OLDEST:
        raise GoldenError("at: a time such as 2026-11-30T14:02:11Z is needed")
    return texts


@lru_cache(maxsize=65536)
def _time(at: str) -> datetime:
    try:
        moment = datetime.fromisoformat(at)
        moment = moment.replace(tzinfo=UTC) if moment.tzinfo is None else moment.astimezone(UTC)
    except (ValueError, OverflowError):
        return _OLDEST
    return moment if moment.year <= _LAST_YEAR else _OLDEST


def _standing(events: Iterable[E]) -> list[E]:
    """The events that no standing undo names. Chains are followed, whatever the clocks said; a circle undoes nothing."""
    events = list(events)
    undone_by: dict[str, list[str]] = {}
    for event in events:
        if event.undoes:
            undone_by.setdefault(event.undoes, []).append(event.id)
    standing: dict[str, bool] = {}
    for event in events:
        chain = [event.id]
        while chain:
            top = chain[-1]
            waiting = [one for one in undone_by.get(top, []) if one not in standing and one not in chain]
            if waiting:
                chain.append(waiting[0])
                continue
            standing[top] = not any(standing.get(one, False) for one in undone_by.get(top, []))
            chain.pop()
    return [event for event in events if standing[event.id] and not event.undoes]


def _latest_of(events: list[E], by: str) -> str:
    return next((event.id for event in reversed(_standing(events)) if event.by == by), "")

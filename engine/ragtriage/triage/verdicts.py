"""verdicts.jsonl: what people decided about failing questions, as events that only ever grow.

The order of events is (`at`, `id`), not the line, so that logs of two branches merge line by line. Undo is an event that names
another; undoing an undo brings the verdict back. The latest verdict of a question that no event has undone is the current one.
"""

from __future__ import annotations

import dataclasses
import os
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import lru_cache
from pathlib import Path
from typing import Any

from ragtriage.errors import GoldenError, Problem
from ragtriage.files import clean_text, dump_line, parse_log, read_file, rewrite
from ragtriage.ids import fresh_id
from ragtriage.triage.categories import CATEGORIES, category

__all__ = ["Verdict", "VerdictLog", "author"]

_SLUGS = frozenset(one.slug for one in CATEGORIES)
_OLDEST = datetime(1, 1, 1, tzinfo=UTC)
_LAST_YEAR = 9000  # no clock says more, and what comes after an event must still have a date


@dataclass(frozen=True, slots=True)
class Verdict:
    """One event. `category` "" clears the question's verdict; `undoes` names the event that this one takes back.

    `seen` identifies what the person looked at (question, evidence, status, top-k, answer), `run` the run it was shown from.
    `at` is UTC as in 2026-11-30T14:02:11.250000Z.
    """

    id: str
    qid: str
    category: str
    note: str = ""
    by: str = ""
    at: str = ""
    run: str = ""
    seen: str = ""
    decision: str | None = None
    expires: str | None = None
    undoes: str | None = None

    def fits(self, seen: str) -> bool:
        """Whether it was given on what the question looks like now; one given without looking at a run always was.

        Answers are compared where both sides have one: `retrieved.answered`, the second half is missing where none was made.
        """
        retrieved, _, answered = self.seen.partition(".")
        now, _, answered_now = seen.partition(".")
        return not self.seen or (retrieved == now and (not answered or not answered_now or answered == answered_now))

    def to_dict(self) -> dict[str, Any]:
        """The event as it stands in the file."""
        names = ("id", "qid", "category", "decision", "note", "expires", "by", "at", "run", "seen", "undoes")
        return {name: getattr(self, name) for name in names}


@lru_cache(maxsize=8)
def author(folder: Path | None = None) -> str:
    """Who is at the keyboard: RAGTRIAGE_AUTHOR, git's user.name in `folder`, the login name; "" where none of them is set.

    A folder that is only made with the first verdict has the author of its nearest parent: else the second is somebody else's.
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


class VerdictLog:
    """The verdicts beside a golden set. Every call looks at the file as it is now: others may write to it too.

    Undo and redo walk through what this object recorded; in a new process undo takes back the person's own latest event.
    """

    def __init__(self, path: Path, *, clock: Callable[[], datetime] | None = None) -> None:
        self.path = path
        self._clock = clock or (lambda: datetime.now(UTC))
        self._done: list[str] = []
        self._undone: list[str] = []

    def record(
        self,
        qid: str,
        slug: str | None,
        *,
        run: str = "",
        seen: str = "",
        note: str = "",
        by: str | None = None,
        decision: str | None = None,
        expires: str | None = None,
    ) -> Verdict:
        """Write down a decision; None or "" clears. It is on disk when this returns. Raises UsageError, StorageError."""
        slug = category(slug).slug if slug else ""
        by = author(self.path.parent) if by is None else by
        event = Verdict(fresh_id("v"), qid, slug, note, by, "", run, seen, decision, expires)
        event = self._append(event)
        self._done.append(event.id)
        self._undone.clear()
        return event

    def undo(self, *, by: str | None = None) -> Verdict | None:
        """Take back the latest event recorded here (or, where there is none, the latest of this person); returns it."""
        by = author(self.path.parent) if by is None else by
        events = self.events()
        target = self._done.pop() if self._done else _latest_of(events, by)
        event = next((one for one in events if one.id == target), None)
        if event is None:
            return None
        try:
            mark = self._append(Verdict(fresh_id("v"), event.qid, event.category, by=by, run=event.run, undoes=event.id))
        except BaseException:
            self._done.append(event.id)
            raise
        self._undone.append(mark.id)
        return event

    def redo(self, *, by: str | None = None) -> Verdict | None:
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
        self._append(Verdict(fresh_id("v"), event.qid, event.category, by=by, run=event.run, undoes=mark.id))
        self._undone.pop()
        self._done.append(event.id)
        return event

    def current(self) -> dict[str, Verdict]:
        """The verdict that counts, by question id; cleared and undone ones are not in it."""
        out: dict[str, Verdict] = {}
        for event in _standing(self.events()):
            out[event.qid] = event
        return {qid: event for qid, event in out.items() if event.category}

    def history(self, qid: str) -> list[Verdict]:
        """Every event of a question, undone ones too, oldest first."""
        return [event for event in self.events() if event.qid == qid]

    def events(self) -> list[Verdict]:
        """Every event that could be read, oldest first."""
        return self._read()[0]

    def problems(self) -> list[Problem]:
        """What is wrong with the file, by line."""
        return self._read()[1]

    def _read(self) -> tuple[list[Verdict], list[Problem]]:
        try:
            data = read_file(self.path)
        except FileNotFoundError:
            return [], []
        except OSError as error:
            return [], [Problem(str(self.path), 0, f"cannot be read: {error.strerror}")]
        return _events_of(data, str(self.path))

    def _append(self, event: Verdict) -> Verdict:
        """Write one event with a time after every event of its question: a clock that is behind must not lose it."""
        dated = event

        def change(old: bytes) -> bytes:
            nonlocal dated
            events, _ = _events_of(old, str(self.path))
            latest = max((_time(one.at) for one in events if one.qid == event.qid), default=_OLDEST)
            moment = max(self._clock(), latest + timedelta(microseconds=1))
            dated = dataclasses.replace(event, at=moment.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%S.%fZ"))
            return (old if not old or old.endswith(b"\n") else old + b"\n") + dump_line(dated.to_dict())

        rewrite(self.path, change)
        return dated


def _events_of(data: bytes, where: str) -> tuple[list[Verdict], list[Problem]]:
    lines, problems = parse_log(data, where)
    events: dict[str, Verdict] = {}
    for line, value in lines:
        try:
            event = _event(value)
        except GoldenError as error:
            problems.append(Problem(where, line, str(error)))
            continue
        known = events.setdefault(event.id, event)
        if known != event:  # a line that both branches took over is the same and says nothing new
            problems.append(Problem(where, line, f"{event.id} is the id of another verdict; the first one counts", "id"))
    problems.sort(key=lambda problem: problem.line)
    return sorted(events.values(), key=lambda event: (_time(event.at), event.id)), problems


def _event(value: Mapping[str, Any]) -> Verdict:
    texts: dict[str, str] = {}
    for name in ("id", "qid", "category", "note", "by", "at", "run", "seen", "decision", "expires", "undoes"):
        found = value.get(name)
        if found is not None and not isinstance(found, str):
            raise GoldenError(f"{name}: a string is needed")
        if found is not None:
            texts[name] = found
    if not texts.get("id") or not texts.get("qid"):
        raise GoldenError("a verdict needs an id and a qid")
    slug = texts.setdefault("category", "")
    if slug and slug not in _SLUGS:
        raise GoldenError(f"{slug!r} is no category; known are {', '.join(one.slug for one in CATEGORIES)}")
    if not texts.get("at") or _time(texts["at"]) == _OLDEST:
        raise GoldenError("at: a time such as 2026-11-30T14:02:11Z is needed")
    return Verdict(**texts)


@lru_cache(maxsize=65536)
def _time(at: str) -> datetime:
    try:
        moment = datetime.fromisoformat(at)
        moment = moment.replace(tzinfo=UTC) if moment.tzinfo is None else moment.astimezone(UTC)
    except (ValueError, OverflowError):
        return _OLDEST
    return moment if moment.year <= _LAST_YEAR else _OLDEST


def _standing(events: Iterable[Verdict]) -> list[Verdict]:
    """The verdicts that no standing undo names. Chains are followed, whatever the clocks said; a circle undoes nothing."""
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


def _latest_of(events: list[Verdict], by: str) -> str:
    return next((event.id for event in reversed(_standing(events)) if event.by == by), "")

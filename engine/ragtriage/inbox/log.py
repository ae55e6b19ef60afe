"""inbox.jsonl: the reports that came, and what became of each, in one file that branches merge line by line.

A report's line never changes. Its state is the latest event about it (see events.py), so that two branches may both work
through the inbox; a report that both took in is one, as its id is a hash of where it comes from.
"""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any, Literal, NamedTuple, TypeAlias, get_args

from ragtriage.errors import GoldenError, Problem, UsageError
from ragtriage.events import EventLog, author, read_texts
from ragtriage.files import read_file, rewrite
from ragtriage.ids import fresh_id
from ragtriage.inbox.reports import LONG, SHORT, UNSAID, Report, identity, report_id, same_anywhere
from ragtriage.json_lines import dump_line
from ragtriage.log_lines import LogLine, parse_log

__all__ = ["STATES", "Added", "Change", "InboxLog", "Item", "State"]

State: TypeAlias = Literal["open", "done", "dismissed", "duplicate"]
STATES: tuple[State, ...] = get_args(State)
_OWN_ID = re.compile(rf"r-(?:[2-9a-z]{{{SHORT}}}|[2-9a-z]{{{LONG}}})")
_NAMES = ("id", "report", "state", "qid", "by", "at", "undoes")


@dataclass(frozen=True, slots=True)
class Change:
    """One event: a report is in another state. `qid` is the question it became, or of which it is a duplicate."""

    id: str
    report: str
    state: State
    qid: str = ""
    by: str = ""
    at: str = ""
    undoes: str | None = None

    @property
    def subject(self) -> str:
        return self.report

    @property
    def decides(self) -> bool:
        return True

    def to_dict(self) -> dict[str, Any]:
        """The event as it stands in the file."""
        return {name: getattr(self, name) for name in _NAMES} | {"qid": self.qid or None}


class Item(NamedTuple):
    """A report and its state."""

    report: Report
    state: State
    qid: str = ""


class Added(NamedTuple):
    """The reports of an import, with the ids they have in the inbox: those that are new, and those that were there already."""

    new: tuple[Report, ...]
    known: tuple[Report, ...]


class _Changes(EventLog[Change]):
    """The events among the lines."""

    noun = "change"

    def change(self, report: str, state: State, qid: str, by: str | None) -> Change:
        by = author(self.path.parent) if by is None else by
        return self._write(Change(fresh_id("i"), report, state, qid, by))

    @staticmethod
    def parse(value: Mapping[str, Any]) -> Change:
        """See EventLog."""
        state = value.get("state")
        if state not in STATES:
            raise GoldenError(f"state: {state!r} is none of {', '.join(STATES)}")
        about_a_question = {**value, "qid": value.get("qid") or "-"}  # an event about none is fine
        texts = read_texts(about_a_question, _NAMES, _Changes.noun)
        if not texts.get("report"):
            raise GoldenError("report: the id of a report is needed")
        texts.pop("state")
        texts["qid"] = value.get("qid") or ""
        return Change(state=state, **texts)

    @staticmethod
    def undoing(event: Change, by: str) -> Change:
        """See EventLog."""
        return dataclasses.replace(event, id=fresh_id("i"), by=by, at="", undoes=event.id)

    def _events_of(self, data: bytes) -> tuple[list[Change], list[Problem]]:
        reports = {line for line, value in parse_log(data, "")[0] if "report" not in value}
        lines = data.split(b"\n")
        return super()._events_of(b"\n".join(b"" if number in reports else line for number, line in enumerate(lines, 1)))


class InboxLog:
    """The inbox beside a golden set. Every call looks at the file as it is now: others may write to it too."""

    def __init__(self, path: Path, *, clock: Callable[[], datetime] | None = None) -> None:
        self.path = path
        self._changes = _Changes(path, clock=clock)

    def add(self, reports: Iterable[Report]) -> Added:
        """Take in what is not there yet; all or nothing, on disk when this returns. Raises GoldenError, StorageError."""
        reports = list(reports)
        added = Added((), ())

        def change(old: bytes) -> bytes:
            nonlocal added
            lines, problems = parse_log(old, str(self.path))
            if broken := [problem for problem in problems if not problem.line]:
                raise GoldenError.of(broken)
            known = _Known(_reports(lines, str(self.path))[0])
            new: list[Report] = []
            there: list[Report] = []
            for report in reports:
                named, fresh = known.take(report)
                (new if fresh else there).append(named)
            added = Added(tuple(new), tuple(there))
            if not new:
                return old
            closed = old if not old or old.endswith(b"\n") else old + b"\n"
            return closed + b"".join(dump_line(report.to_dict()) for report in new)

        rewrite(self.path, change)
        return added

    def known(self, reports: Iterable[Report]) -> Added:
        """What `add` would return, with nothing written."""
        known = _Known([item.report for item in self.current()])
        taken = [known.take(report) for report in reports]
        return Added(tuple(one for one, fresh in taken if fresh), tuple(one for one, fresh in taken if not fresh))

    def current(self) -> list[Item]:
        """Every report with its state, in the order in which they came."""
        data, _ = self._data()
        lines, _ = parse_log(data, str(self.path))
        reports, _ = _reports(lines, str(self.path))
        states = self._changes.current()
        out = []
        for report in reports:
            change = states.get(report.id)
            out.append(Item(report, change.state, change.qid) if change else Item(report, "open"))
        return out

    def get(self, report_id: str) -> Item | None:
        """The report of that id."""
        return next((item for item in self.current() if item.report.id == report_id), None)

    def named(self, name: str) -> Item:
        """The report of that id, else the one of that number where it comes from. Raises UsageError for none, and several."""
        items = self.current()
        found = [item for item in items if item.report.id == name] or [item for item in items if item.report.ref == name]
        if len(found) > 1:
            raise UsageError(f"{name}: say which: {', '.join(item.report.id for item in found)}")
        if not found:
            raise UsageError(f"{name}: no such report in {self.path}; ragtriage inbox --state all lists them")
        return found[0]

    def set(self, report_id: str, state: State, qid: str = "", *, by: str | None = None) -> Change:
        """Write down what became of a report; on disk when this returns. Raises UsageError, StorageError."""
        if state not in STATES:
            raise UsageError(f"{state!r} is no state of a report; known are {', '.join(STATES)}")
        if self.get(report_id) is None:
            raise UsageError(f"{report_id}: no such report in {self.path}")
        return self._changes.change(report_id, state, qid, by)

    def undo(self, *, by: str | None = None) -> Change | None:
        """Take back the latest change made here or, where there is none, the latest of this person; returns it."""
        return self._changes.undo(by=by)

    def redo(self, *, by: str | None = None) -> Change | None:
        """Take back the latest undo made here; returns the change that counts again."""
        return self._changes.redo(by=by)

    def history(self, report_id: str) -> list[Change]:
        """Every change of a report, undone ones too, oldest first."""
        return [change for change in self._changes.events() if change.report == report_id]

    def problems(self) -> list[Problem]:
        """What is wrong with the file, by line."""
        data, problems = self._data()
        if problems:
            return problems
        where = str(self.path)
        lines, _ = parse_log(data, where)
        reports, problems = _reports(lines, where)
        names = {report.id for report in reports}
        problems = [*self._changes.problems(), *problems]
        problems += [
            Problem(where, line, f"{value['report']} is the id of no report here", "report", "warning")
            for line, value in lines
            if isinstance(value.get("report"), str) and value["report"] not in names
        ]
        return sorted(problems, key=lambda problem: problem.line)

    def _data(self) -> tuple[bytes, list[Problem]]:
        try:
            return read_file(self.path), []
        except FileNotFoundError:
            return b"", []
        except OSError as error:
            return b"", [Problem(str(self.path), 0, f"cannot be read: {error.strerror}")]


class _Known:
    """Reports by id, and by identity where somebody else gave the id. Six letters of a hash may be another report's."""

    def __init__(self, reports: Sequence[Report]) -> None:
        self._ids = {report.id: report for report in reports}
        self._named = {_identity(report): report for report in reports if _OWN_ID.fullmatch(report.id) is None}
        self._anywhere: dict[tuple[str, ...], Report] = {}
        for report in reports:
            self._keep(report)

    def _keep(self, report: Report) -> None:
        if same := same_anywhere(report.ref, report.text):
            self._anywhere.setdefault(same, report)

    def _elsewhere(self, report: Report) -> Report | None:
        """The same report, where nobody said of one of the two where it comes from."""
        known = self._anywhere.get(same_anywhere(report.ref, report.text))
        return known if known is not None and UNSAID in (known.source, report.source) else None

    def take(self, report: Report) -> tuple[Report, bool]:
        """The report with its id, and whether it is new."""
        same = _identity(report)
        if (known := self._named.get(same) or self._elsewhere(report)) is not None:
            self._named[same] = known  # and so is another of its number in the same file
            return dataclasses.replace(report, id=known.id), False
        for length in (SHORT, LONG):
            named = dataclasses.replace(report, id=report_id(same, length))
            holder = self._ids.setdefault(named.id, named)
            if holder is named:
                self._keep(named)
                return named, True
            if _identity(holder) == same:
                return named, False
        raise GoldenError(f"{report.ref or report.text[:40]!r}: both of its ids belong to other reports")


def _identity(report: Report) -> tuple[str, ...]:
    return identity(report.source, report.ref, report.text)


def _reports(lines: Sequence[LogLine], where: str) -> tuple[list[Report], list[Problem]]:
    """The reports among the lines: of one that stands there twice the first; and what is wrong with the others.

    Two reports of one id, from two branches, are both kept: the second has a longer one.
    """
    out: dict[str, Report] = {}
    problems = []
    for line, value in lines:
        if "report" in value:
            continue
        try:
            report = Report.from_dict(value)
        except GoldenError as error:
            problems.append(Problem(where, line, str(error)))
            continue
        first = out.setdefault(report.id, report)
        if first is not report and (same := _identity(report)) != _identity(first):
            longer = report_id(same, LONG)
            out.setdefault(longer, dataclasses.replace(report, id=longer))
    return list(out.values()), problems

"""From a file to reports: told apart by content, keys mapped, masked, with everything that is wrong in it said together."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

from ragtriage.corpus.decoding import NotText, decode, scrub, unify_newlines
from ragtriage.errors import GoldenError, Problem
from ragtriage.inbox.fields import source_of, split
from ragtriage.inbox.formats import format_of
from ragtriage.inbox.formats.base import Content, Record
from ragtriage.inbox.formats.ragas import is_synthetic
from ragtriage.inbox.masking import mask, mask_value
from ragtriage.inbox.passages import read_passages
from ragtriage.inbox.reports import UNSAID, Report, ReportPassage, identity, report_id

__all__ = ["MOST_BYTES", "Reading", "read_reports"]

MOST_BYTES = 100_000_000
"""Size of the largest file that is read."""

_LONGEST = 1_000_000  # characters of one text
_MOST_PASSAGES = 1_000
_MOST_PROBLEMS = 200


@dataclass(frozen=True, slots=True)
class Reading:
    """What a file held. `left` counts the records in which a key was no field and is kept under `extra`."""

    format: str
    reports: tuple[Report, ...]
    problems: tuple[Problem, ...] = ()
    left: Mapping[str, int] = field(default_factory=dict)


def read_reports(
    data: bytes,
    where: str,
    *,
    format: str = "",  # noqa: A002  # the option's name
    maps: Mapping[str, str] | None = None,
    source: str = "",
    keep_personal: bool = False,
) -> Reading:
    """The reports of a file's bytes; `where` names it in the problems.

    `maps` says which key is which field, `source` where reports come from that do not say it themselves. The reports have
    their ids, but for those that the inbox gives where an id is taken. Raises GoldenError where nothing can be read at all,
    UsageError for a format that is none.
    """
    if len(data) > MOST_BYTES:
        raise GoldenError(f"{where}: {len(data):,} bytes; at most {MOST_BYTES:,} are read at once, so split it")
    try:
        content = Content(where, scrub(unify_newlines(decode(data))))
    except NotText as error:
        raise GoldenError(f"{where}: {'empty' if error.reason == 'empty' else error}") from None
    if not content.text.strip():
        raise GoldenError(f"{where}: empty")
    kind = format_of(content, format)
    found = kind.read(content)
    builder = _Builder(where, maps or {}, source, keep_personal)
    reports = [report for record in found.records if (report := builder.report(record)) is not None]
    problems = [*found.problems, *builder.problems]
    problems += [
        Problem(where, 0, f"no record has {key!r}, which --map {field}={key} names; keys are {_some(builder.keys)}")
        for field, key in (maps or {}).items()
        if key not in builder.mapped and found.records
    ]
    problems.sort(key=lambda problem: problem.line)
    if len(problems) > _MOST_PROBLEMS:
        more = len(problems) - _MOST_PROBLEMS
        problems = [*problems[:_MOST_PROBLEMS], Problem(where, 0, f"and {more:,} more problems")]
    if not reports:
        raise GoldenError.of(problems or [Problem(where, 0, f"nothing to import in it, read as {kind.what}")])
    return Reading(kind.name, tuple(reports), tuple(problems), dict(builder.left.most_common()))


def _some(names: Mapping[str, int]) -> str:
    shown = list(names)[:12]
    return ", ".join(shown) + (f" and {len(names) - 12} more" if len(names) > 12 else "")


class _Builder:
    """Makes the reports of one file, and keeps what there is to say of it."""

    def __init__(self, where: str, maps: Mapping[str, str], source: str, keep_personal: bool) -> None:
        self.where = where
        self.problems: list[Problem] = []
        self.left: Counter[str] = Counter()
        self.keys: Counter[str] = Counter()
        self.mapped: set[str] = set()
        self._maps = maps
        self._source = source
        self._keep = keep_personal

    def report(self, record: Record) -> Report | None:
        """The report of a record; None where it is none, which is then a problem."""
        try:
            return self._report(record)
        except RecursionError:
            self._problem(record, "nested too deeply")
            return None

    def _report(self, record: Record) -> Report | None:
        self.keys.update(str(key) for key in record.values)
        known = {name: value for name, value in record.known.items() if name not in self._maps}
        fields, left = split(record.values, self._maps, tuple(known))
        fields = {**{name: ("", value) for name, value in known.items()}, **fields}
        self.mapped |= {key for key, _ in fields.values()}
        extra = {**record.extra, **left}
        if any(name not in fields for name in record.known):  # mapped away, to a key that this record does not have
            fields |= {name: ("", value) for name, value in record.known.items() if name not in fields}
        values: dict[str, Any] = {}
        sound = True
        for name, (key, value) in fields.items():
            try:
                values[name] = _READ.get(name, _text)(value)
            except ValueError as error:
                self._problem(record, str(error), key or name)
                sound = False
        for name in ("passages", "evidence"):
            if name in values:
                values[name], beside = values[name]
                if beside:
                    extra[f"{name}_also"] = beside
        if not sound:
            return None
        text, question = values.get("text", ""), values.get("question", "")
        if not text.strip() and not question.strip():
            self._problem(record, self._nothing(record))
            return None
        if "from" in values and not values["from"]:
            extra[fields["from"][0]] = fields["from"][1]
        self.left.update(str(key) for key in extra)
        kinds: list[str] = []
        origin = values.get("from") or self._source or record.source or UNSAID
        synthetic = record.synthetic or origin == "synthetic" or is_synthetic(record.values)
        same = identity("synthetic" if synthetic else origin, values.get("ref", "").strip(), text.strip() or question.strip())

        def hidden(value: str) -> str:
            if self._keep:
                return value
            masked = mask(value)
            kinds.extend(masked.kinds)
            return masked.text

        text, question = (
            (hidden(text.strip()), hidden(question.strip()))
            if text.strip() != question.strip()
            else (hidden(text.strip()),) * 2
        )
        return Report(
            report_id(same), text or question, "synthetic" if synthetic else origin, hidden(values.get("ref", "").strip()),
            hidden(values.get("at", "")), question, hidden(values.get("answer", "")),
            tuple(_hidden(passage, hidden) for passage in values.get("passages", ())), hidden(values.get("feedback", "")),
            hidden(values.get("expected", "")),
            tuple(tuple(hidden(form) for form in choice) for choice in values.get("mentions", ())),
            tuple(_hidden(passage, hidden) for passage in values.get("evidence", ())),
            extra=extra if self._keep else mask_value(extra, kinds), masked=tuple(kinds), synthetic=synthetic,
        )  # fmt: skip

    def _problem(self, record: Record, message: str, key: str = "") -> None:
        key = ".".join(part for part in (record.key, key) if part)
        self.problems.append(Problem(self.where, record.line, message, key))

    @staticmethod
    def _nothing(record: Record) -> str:
        keys = [str(key) for key in record.values]
        if not keys:
            return "no question and no text"
        return f"no question and no text among {', '.join(keys[:12])}; name the key: --map question={keys[0]}"


def _hidden(passage: ReportPassage, hidden: Any) -> ReportPassage:
    return ReportPassage(hidden(passage.doc), hidden(passage.text), passage.rank, hidden(passage.id))


def _text(value: Any) -> str:
    if isinstance(value, list) and len(value) == 1:
        value = value[0]
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int | float):
        return str(value)
    if not isinstance(value, str):
        raise ValueError(f"a string is needed, this is {'a list' if isinstance(value, list) else 'an object'}")
    if len(value) > _LONGEST:
        raise ValueError(f"{len(value):,} characters; at most {_LONGEST:,} are taken in one text")
    return value


def _any(value: Any) -> str:
    """Feedback: whatever it is, as text."""
    if isinstance(value, dict | list):
        import json

        return json.dumps(value, ensure_ascii=False)[:_LONGEST]
    return _text(value)


def _time(value: Any) -> str:
    """A time as it is written; a number of seconds, milliseconds or nanoseconds since 1970 as a time."""
    text = _text(value).strip()
    if text.isdecimal() and text.isascii() and 9 <= len(text) <= 19:
        seconds = int(text) / 10 ** max(0, len(text) - 10)
        return datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
    return text


def _passages(value: Any) -> tuple[tuple[ReportPassage, ...], list[dict[str, Any]]]:
    found = read_passages(value)
    return _few(found.passages), found.left


def _evidence(value: Any) -> tuple[tuple[ReportPassage, ...], list[dict[str, Any]]]:
    found = read_passages(value, ranked=False)
    return _few(found.passages), found.left


def _few(passages: Sequence[ReportPassage]) -> tuple[ReportPassage, ...]:
    if len(passages) > _MOST_PASSAGES:
        raise ValueError(f"{len(passages):,} passages; at most {_MOST_PASSAGES:,} are taken")
    return tuple(passages)


def _mentions(value: Any) -> tuple[tuple[str, ...], ...]:
    choices = [item if isinstance(item, list) else [item] for item in (value if isinstance(value, list) else [value])]
    return tuple(tuple(_text(form) for form in choice) for choice in choices if choice)


_READ: Mapping[str, Any] = {
    "passages": _passages, "evidence": _evidence, "feedback": _any, "at": _time, "from": source_of, "mentions": _mentions,
}  # fmt: skip

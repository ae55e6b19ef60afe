"""What a system said before, from a file: a run file, JSON lines, or exported traces. Nothing is called.

A question is found by its qid, else by its words, whatever their case and white space.
"""

from __future__ import annotations

import hashlib
import math
import os
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from ragtriage.errors import ConfigError, InputError, SystemFailed
from ragtriage.inside import is_inside
from ragtriage.json_lines import load_json
from ragtriage.search.systems.foreign import ForeignHit, OwnAnswers
from ragtriage.search.systems.hits import LISTS, hits_of
from ragtriage.surrogates import clean_text
from ragtriage.types import Failure, Groups, Passage

__all__ = ["RecordedAsker"]

_LARGEST = 1 << 30  # bytes of a run file, which is read line by line
_LARGEST_JSON = 256 << 20
_MOST_HITS = 1_000
_QIDS = ("qid", "query_id", "question_id", "id", "_id")
_QUESTIONS = ("question", "query", "user_input", "input", "q")
_ANSWERS = ("answer", "response", "output", "generated_answer")


class _Said(NamedTuple):
    hits: tuple[ForeignHit, ...] | Failure
    answer: str | None = None


class RecordedAsker:
    """An `Asker` that reads `path` when it is first asked. `roots` are the folders in which a file may lie without anybody's
    word; `shown` is how the configuration calls it. `names` maps the text of each golden question to its qid."""

    def __init__(
        self,
        path: Path,
        roots: Sequence[Path],
        shown: str,
        *,
        names: Callable[[], Mapping[str, str]],
        permit: Callable[[], None],
    ) -> None:
        self.spec = f"recorded({Path(shown).name})"
        self.own = OwnAnswers()
        self._path = path
        self._roots = [os.path.realpath(root) for root in roots]
        self._shown = shown
        self._names = names
        self._permit = permit
        self._lock = threading.Lock()
        self._said: dict[str, _Said] | None = None
        self._qids: Mapping[str, str] = {}
        self._identity = ""

    @property
    def identity(self) -> str:
        """The hash of the file; of one that cannot be read, or may not be, its name."""
        if not self._identity:
            try:
                self._open()
                with self._path.open("rb") as file:
                    self._identity = hashlib.file_digest(file, "sha256").hexdigest()[:16]
            except (OSError, InputError):
                return f"unread {self._shown}"
        return self._identity

    def ask(self, question: str, k: int, groups: Groups) -> Sequence[ForeignHit] | Failure:
        """See Asker: what the file has for this question. Raises Untrusted, ConfigError."""
        with self._lock:
            if self._said is None:
                self._open()
                self._said, self._qids = self._read(), self._names()
        found = self._said.get("qid " + self._qids.get(question, "\0")) or self._said.get("text " + _words(question))
        if found is None:
            return Failure(f"{self._shown} has nothing for this question")
        self.own.keep(question, groups, found.answer)
        return found.hits if isinstance(found.hits, Failure) else found.hits[:k]

    def took(self) -> None:
        """See Timed: how quickly a file is read says nothing of the system."""

    def answer(self, question: str, passages: Sequence[Passage]) -> str | Failure:
        """Nothing is called."""
        return Failure("a recorded system answers nothing new")

    def close(self) -> None:
        """Forget what was read; it is read again when it is asked for."""
        with self._lock:
            self._said = None

    def _open(self) -> None:
        """Raises Untrusted where the file lies elsewhere and nobody agreed to that, ConfigError where it is none."""
        real = os.path.realpath(self._path)
        if not any(is_inside(root, real) for root in self._roots):
            self._permit()
            if real != os.path.realpath(Path(self._roots[-1], self._shown)):  # which is what was shown to whoever agreed
                raise ConfigError(f"retrieval.recorded: {self._shown} leads out of the project")
        try:
            if not os.path.isfile(real):  # noqa: PTH113  # the path that was looked at, not one that is resolved again
                raise ConfigError(f"retrieval.recorded: {self._shown}: no such file")
            size = os.stat(real).st_size  # noqa: PTH116
        except OSError as error:
            raise ConfigError(f"retrieval.recorded: {self._shown}: {error.strerror}") from None
        self._path = Path(real)
        if size > _LARGEST:
            raise ConfigError(f"retrieval.recorded: {self._shown}: {size:,} bytes; at most {_LARGEST:,} are read")

    def _read(self) -> dict[str, _Said]:
        try:
            with self._path.open("rb") as file:
                head = file.read(4096).removeprefix(b"\xef\xbb\xbf").lstrip()[:1]
            if head not in (b"{", b"["):
                return self._run()
            if self._path.stat().st_size > _LARGEST_JSON:
                raise ConfigError(f"retrieval.recorded: {self._shown}: more than {_LARGEST_JSON:,} bytes of JSON")
            data = self._path.read_bytes()
        except OSError as error:
            raise ConfigError(f"retrieval.recorded: {self._shown}: cannot be read ({error.strerror})") from None
        found: dict[str, _Said] = {}
        for value in _objects(data):
            _take(found, value)
        return found or self._reports(data)

    def _run(self) -> dict[str, _Said]:
        from ragtriage.interchange.runs import RunFile

        found: dict[str, _Said] = {}
        try:
            for one in RunFile(self._path).questions():
                scored = sorted(zip(one.docs, one.scores, strict=True), key=lambda pair: -pair[1])  # stable: else as listed
                hits = tuple(
                    ForeignHit(clean_text(doc.decode("utf-8", "replace")), score=score if math.isfinite(score) else None)
                    for doc, score in scored[:_MOST_HITS]
                )
                found["qid " + clean_text(one.qid.decode("utf-8", "replace"))] = _Said(hits)
        except InputError as error:
            raise ConfigError(f"retrieval.recorded: {self._shown}: no run: {str(error).splitlines()[0]}") from None
        return found

    def _reports(self, data: bytes) -> dict[str, _Said]:
        """Traces and other exports, as `ragtriage import` reads them."""
        from ragtriage.inbox.reading import read_reports

        try:
            reading = read_reports(data, self._shown, keep_personal=True)
        except InputError as error:
            raise ConfigError(f"retrieval.recorded: {self._shown}: {str(error).splitlines()[0]}") from None
        if not any(report.passages for report in reading.reports):
            raise ConfigError(f"retrieval.recorded: {self._shown}: nothing retrieved is in it ({reading.format})")
        found: dict[str, _Said] = {}
        for report in reading.reports:
            ordered = sorted(report.passages, key=lambda one: (one.rank is None, one.rank or 0))
            hits = tuple(ForeignHit(one.id, one.text, one.doc) for one in ordered[:_MOST_HITS])
            said = _Said(hits, report.answer or None)
            found.setdefault("text " + _words(report.wording), said)
            if report.ref:
                found.setdefault("qid " + report.ref, said)
        return found


def _objects(data: bytes) -> Iterator[Mapping[str, Any]]:
    """The objects of JSON lines or of a list; what is none is passed over."""
    if data.lstrip()[:1] == b"[":
        try:
            values = load_json(data)
        except ValueError:
            return
        yield from (value for value in values if isinstance(value, Mapping))
        return
    for line in data.splitlines():
        try:
            value = load_json(line) if line.strip() else None
        except ValueError:
            continue
        if isinstance(value, Mapping):
            yield value


def _take(found: dict[str, _Said], value: Mapping[str, Any]) -> None:
    """A line with a question and the list of what was retrieved for it; anything else is left to other formats."""
    name = next((name for name in (*LISTS, "ids", "texts") if isinstance(value.get(name), list)), None)
    if name is None or any(key in value for key in ("trace_id", "traceId", "run_type", "resourceSpans", "spans")):
        return
    items = [{"text": one} if name == "texts" and isinstance(one, str) else one for one in value[name]]
    said: tuple[ForeignHit, ...] | Failure
    try:
        said = hits_of(items, _MOST_HITS)
    except SystemFailed as error:
        said = Failure(str(error))
    answer = next((value[key] for key in _ANSWERS if isinstance(value.get(key), str)), None)
    one = _Said(said, answer)
    for key in _QIDS:
        if isinstance(value.get(key), str | int) and not isinstance(value[key], bool):
            found.setdefault(f"qid {value[key]}", one)
    for key in _QUESTIONS:
        if isinstance(value.get(key), str):
            found.setdefault("text " + _words(value[key]), one)


def _words(text: str) -> str:
    return " ".join(text.split()).casefold()

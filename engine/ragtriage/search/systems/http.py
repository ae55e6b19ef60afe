"""The user's retriever behind HTTP: one request a question, made from a template; the hits stand somewhere in its JSON.

Only the standard library speaks here. Redirects are not followed: what was agreed to is one address. Each attempt is bounded in
time, from the first byte sent to the last one read, and in size.
"""

from __future__ import annotations

import codecs
import contextlib
import http.client
import json
import re
import socket
import threading
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote, urlsplit

from ragtriage.config import RunConfig
from ragtriage.errors import SystemFailed
from ragtriage.programs.words import clipped, message_of
from ragtriage.remote.wording import is_loopback
from ragtriage.search.systems.foreign import ForeignHit, OwnAnswers, Took
from ragtriage.search.systems.hits import Paths, at_path, hits_of
from ragtriage.search.systems.passages_json import passages_json
from ragtriage.surrogates import clean_text
from ragtriage.types import Failure, Groups, Passage, Progress

__all__ = ["ANSWER_REQUEST", "SEARCH_REQUEST", "HttpAsker", "Sent", "filled"]

_LARGEST = 16 << 20  # bytes of a reply
_LONGEST_WAIT = 30.0  # seconds between two attempts, whatever a server asks for
_AGAIN = {408, 425, 429, 500, 502, 503, 504}
_UNREACHABLE = 3  # questions in a row at which nobody listened: the rest would only take as long
_PLACE = re.compile(r"\{\{(\w+)\}\}")
_TICK_S = 0.1
_NO_CHARSETS = {"punycode", "idna", "unicode-escape", "raw-unicode-escape", "undefined"}
"""Python decodes these, but nobody writes JSON in them; the first takes hours for some megabytes."""
SEARCH_REQUEST = '{"question": "{{question}}", "k": "{{k}}", "groups": "{{groups}}"}'
ANSWER_REQUEST = '{"question": "{{question}}", "passages": "{{passages}}"}'


@dataclass(frozen=True, slots=True)
class Sent:
    """What is sent where. `headers` have their secrets in them; `hide` takes these out of a text."""

    url: str
    method: str
    headers: Mapping[str, str]
    body: str
    hide: Callable[[str], str]


class _Unreachable(SystemFailed):
    """Nobody listens there."""


class _Again(SystemFailed):
    """May be better in a moment; `after` is how many seconds the server asks for."""

    def __init__(self, message: str, after: float = 0.0) -> None:
        super().__init__(message)
        self.after = after


class HttpAsker:
    """An `Asker` and `Answerer` behind HTTP. `search` and `answers` make what is sent, once `permit` did not raise."""

    def __init__(
        self,
        search: Callable[[], Sent],
        answers: Callable[[], Sent] | None,
        run: RunConfig,
        *,
        paths: Paths,
        answer_at: str,
        spec: str,
        identity: str,
        permit: Callable[[], None],
    ) -> None:
        self.spec = spec
        self.identity = identity
        self.own = OwnAnswers()
        self._search, self._answers = search, answers
        self._run = run
        self._paths = paths
        self._answer_at = answer_at
        self._permit = permit
        self._stop = threading.Event()
        self._lock = threading.Lock()
        self._unreachable = 0
        self._took = Took()

    def prepare(self, questions: Sequence[str], progress: Progress) -> None:
        """See Prepares: a server that could not be reached before may be there now."""
        self._unreachable = 0

    def took(self) -> float | None:
        """See Timed: the attempt that brought the hits, from the first byte sent to the last one read."""
        return self._took.seconds

    def ask(self, question: str, k: int, groups: Groups) -> Sequence[ForeignHit] | Failure:
        """See Asker. Raises Untrusted, ConfigError."""
        self._permit()
        values = {"question": question, "k": k, "groups": None if groups is None else list(groups)}
        try:
            reply = self._said(self._search(), values)
            found = hits_of(reply, k, self._paths)
        except SystemFailed as error:
            return Failure(str(error))
        self.own.keep(question, groups, at_path(reply, self._answer_at or "answer"))
        return found

    def answer(self, question: str, passages: Sequence[Passage]) -> str | Failure:
        """See Answerer. Raises Untrusted, ConfigError."""
        self._permit()
        if self._answers is None:
            return Failure("there is no answer_url")
        try:
            reply = self._said(self._answers(), {"question": question, "passages": passages_json(passages)})
        except SystemFailed as error:
            return Failure(str(error))
        text = reply if isinstance(reply, str) else at_path(reply, self._answer_at or "answer")
        return clean_text(text) if isinstance(text, str) else Failure(f"its reply has no text at {self._answer_at or 'answer'}")

    def close(self) -> None:
        """Let go of what is being asked."""
        self._stop.set()
        self._stop = threading.Event()
        self._unreachable = 0

    def _said(self, sent: Sent, values: Mapping[str, Any]) -> Any:
        stop = self._stop
        host = sent.hide(urlsplit(sent.url).netloc)
        if self._unreachable >= _UNREACHABLE:
            raise SystemFailed(f"not asked: {host} could not be reached {_UNREACHABLE} times in a row")
        body = json.dumps(filled(json.loads(sent.body), values)).encode("utf-8", "replace") if sent.method == "POST" else None
        url = _PLACE.sub(lambda match: quote(_plain(values.get(match[1], "")), safe=""), sent.url)
        tried = 0
        while True:
            tried += 1
            began = time.perf_counter()
            try:
                said = self._once(url, sent, body, stop)
                self._took.seconds = time.perf_counter() - began
                self._unreachable = 0
                return said
            except _Unreachable as error:
                with self._lock:
                    self._unreachable += 1
                raise SystemFailed(f"{host} {clipped(sent.hide(str(error)))}") from None
            except _Again as error:
                if tried > self._run.retries:
                    times = f", {tried} times" if tried > 1 else ""
                    raise SystemFailed(f"{host} {clipped(sent.hide(str(error)))}{times}") from None
                if stop.wait(max(min(error.after, _LONGEST_WAIT), min(0.25 * 2**tried, 8.0))):
                    raise SystemFailed("it was stopped") from None
            except SystemFailed as error:
                raise SystemFailed(f"{host} {clipped(sent.hide(str(error)))}") from None

    def _once(self, url: str, sent: Sent, body: bytes | None, stop: threading.Event) -> Any:
        headers = {"Accept": "application/json", "User-Agent": "ragtriage", **sent.headers}
        if body is not None:
            headers = {"Content-Type": "application/json", **headers}
        request = urllib.request.Request(url, data=body, headers=headers, method=sent.method)
        with _watched(self._run.timeout_s, stop) as watch:
            opener = urllib.request.build_opener(_NoRedirect, watch.http, watch.https, *_proxies(url))
            try:
                with opener.open(request, timeout=self._run.timeout_s) as response:
                    content = response.read(_LARGEST + 1)
                    if watch.late or stop.is_set():  # what was cut looks like what has ended
                        raise TimeoutError
                    if len(content) <= _LARGEST and response.length:
                        raise http.client.IncompleteRead(content, response.length)
                    return _read(content, response.headers.get_content_charset() or "utf-8")
            except urllib.error.HTTPError as error:
                with contextlib.closing(error), contextlib.suppress(OSError, http.client.HTTPException):
                    raise _of_status(error.code, error.headers, error.read(20_000)) from None
                raise _of_status(error.code, error.headers, b"") from None
            except (OSError, http.client.HTTPException, ValueError) as error:
                if stop.is_set():
                    raise SystemFailed("it was stopped") from None
                if watch.late or isinstance(_cause(error), TimeoutError):
                    raise SystemFailed(f"did not answer within {self._run.timeout_s:g} s") from None
                raise _of_connection(_cause(error)) from None


class _NoRedirect(urllib.request.HTTPRedirectHandler):
    def redirect_request(self, *_: Any) -> None:
        """None: the answer stays what it is, an error."""


class _Watch:
    """The sockets of one attempt. `late` when they were cut because the time was over."""

    def __init__(self) -> None:
        self.late = False
        self.sockets: list[socket.socket] = []
        sockets = self.sockets

        class Plain(http.client.HTTPConnection):
            def connect(self) -> None:
                super().connect()
                sockets.append(self.sock)

        class Safe(http.client.HTTPSConnection):
            def connect(self) -> None:
                super().connect()
                sockets.append(self.sock)

        class PlainHandler(urllib.request.HTTPHandler):
            def http_open(self, req: urllib.request.Request) -> http.client.HTTPResponse:
                return self.do_open(Plain, req)

        class SafeHandler(urllib.request.HTTPSHandler):
            def https_open(self, req: urllib.request.Request) -> http.client.HTTPResponse:
                return self.do_open(Safe, req)

        self.http, self.https = PlainHandler(), SafeHandler()

    def cut(self) -> None:
        for one in self.sockets:
            with contextlib.suppress(OSError):
                one.shutdown(socket.SHUT_RDWR)


@contextlib.contextmanager
def _watched(seconds: float, stop: threading.Event) -> Iterator[_Watch]:
    """Cut the connection after so many seconds, or when `stop` is set: a socket's own limit is for each read alone."""
    watch, done = _Watch(), threading.Event()
    until = time.monotonic() + seconds

    def look() -> None:
        while not done.wait(_TICK_S):
            watch.late = time.monotonic() >= until
            if watch.late or stop.is_set():
                watch.cut()

    looking = threading.Thread(target=look, daemon=True)
    looking.start()
    try:
        yield watch
    finally:
        done.set()
        looking.join()


def _proxies(url: str) -> list[urllib.request.BaseHandler]:
    """What the environment says of proxies, but never for a server on this machine."""
    return [urllib.request.ProxyHandler({})] if is_loopback(urlsplit(url).hostname or "") else []


def _read(content: bytes, charset: str) -> Any:
    if len(content) > _LARGEST:
        raise SystemFailed(f"sent more than {_LARGEST >> 20} MB")
    try:
        known = codecs.lookup(charset).name not in _NO_CHARSETS
        text = content.decode(charset if known else "utf-8", "replace")
    except (LookupError, ValueError):
        text = content.decode("utf-8", "replace")
    try:
        return json.loads(text.removeprefix("\ufeff"))
    except (ValueError, RecursionError):
        said = text[:20_000].strip()
        raise SystemFailed(f"sent an answer that is no JSON: {said}" if said else "sent an empty answer") from None


def _of_status(status: int, headers: Any, content: bytes) -> SystemFailed:
    if 300 <= status < 400:
        return SystemFailed(f"answers {status}: what is asked for is at {headers.get('location', 'another address')}")
    try:
        said = message_of(json.loads(content))
    except (ValueError, RecursionError):
        said = content.decode("utf-8", "replace")
    says = f"answers {status}" + (f": {said}" if said.strip() else "")
    if status not in _AGAIN:
        return SystemFailed(says)
    after = headers.get("retry-after", "") if headers is not None else ""
    return _Again(says, float(after) if re.fullmatch(r"\d{1,5}(\.\d+)?", after) else 0.0)


def _cause(error: BaseException) -> BaseException:
    return error.reason if isinstance(error, urllib.error.URLError) and isinstance(error.reason, BaseException) else error


def _of_connection(cause: BaseException) -> SystemFailed:
    why = getattr(cause, "strerror", None) or str(cause) or type(cause).__name__
    if isinstance(cause, ConnectionRefusedError | socket.gaierror):
        return _Unreachable(f"cannot be reached ({why})")
    if isinstance(cause, ValueError) and not isinstance(cause, OSError):
        return SystemFailed(f"cannot be asked ({why})")
    return _Again(f"broke off ({why})")


def filled(template: Any, values: Mapping[str, Any]) -> Any:
    """A JSON value with {{name}} replaced in its strings; a string that is nothing else becomes the value itself."""
    if isinstance(template, str):
        whole = _PLACE.fullmatch(template)
        if whole and whole[1] in values:
            return values[whole[1]]
        return _PLACE.sub(lambda match: _plain(values[match[1]]) if match[1] in values else match[0], template)
    if isinstance(template, list):
        return [filled(item, values) for item in template]
    if isinstance(template, dict):
        return {key: filled(item, values) for key, item in template.items()}
    return template


def _plain(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)

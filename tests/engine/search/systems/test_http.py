"""A system behind HTTP: what is sent, which replies count, and what a bad server costs."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest

from ragtriage.errors import ConfigError
from ragtriage.measure.evaluate import evaluate
from ragtriage.project import Project
from ragtriage.remote.estimate import Estimate
from ragtriage.remote.wording import is_free
from ragtriage.search.systems.foreign import ForeignHit
from ragtriage.search.systems.http import filled
from ragtriage.types import Failure

Opened = Callable[..., Project]


class Server:
    """What it gets is in `seen`; `reply` is called with the handler."""

    def __init__(self, port: int = 0) -> None:
        self.seen: list[tuple[str, dict[str, str], Any]] = []
        self.reply: Callable[[BaseHTTPRequestHandler], None] = lambda handler: say(handler, {"hits": ["refunds#1"]})
        outer = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                self.answer()

            def do_GET(self) -> None:
                self.answer()

            def answer(self) -> None:
                body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
                outer.seen.append((self.path, dict(self.headers), json.loads(body) if body else None))
                outer.reply(self)

            def log_message(self, *_: Any) -> None: ...

        class Listening(ThreadingHTTPServer):
            daemon_threads = True
            block_on_close = False

            def handle_error(self, *_: Any) -> None: ...

        self.listening = Listening(("127.0.0.1", port), Handler)
        self.url = f"http://127.0.0.1:{self.listening.server_port}/search"
        self.thread = threading.Thread(target=self.listening.serve_forever, args=(0.02,))
        self.thread.start()

    def close(self) -> None:
        self.listening.shutdown()
        self.thread.join()
        self.listening.server_close()


def say(handler: BaseHTTPRequestHandler, value: Any, status: int = 200, **headers: str) -> None:
    body = value if isinstance(value, bytes) else json.dumps(value).encode()
    handler.send_response(status)
    for name, content in headers.items():
        handler.send_header(name.replace("_", "-"), content)
    handler.send_header("Content-Length", str(len(body)))
    handler.end_headers()
    handler.wfile.write(body)


@pytest.fixture
def server() -> Iterator[Server]:
    one = Server()
    yield one
    one.close()


@pytest.fixture
def ask(opened: Opened, server: Server) -> Callable[..., list[ForeignHit] | str]:
    def one(*overrides: str, url: str = "", timeout: float = 5) -> list[ForeignHit] | str:
        project = opened(
            ["x"], "retrieval.system=http", f"retrieval.url={url or server.url}", f"run.timeout_s={timeout}", "run.retries=2",
            *overrides,
        )  # fmt: skip
        found = project.open_asker().ask('how "long"?', 7, ("staff",))
        return found.reason.partition(" ")[2] if isinstance(found, Failure) else list(found)

    return one


def test_what_is_sent(ask: Callable[..., list[ForeignHit] | str], server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HTTP_PROXY", "http://127.0.0.1:9")
    assert ask() == [ForeignHit("refunds#1")]
    path, headers, body = server.seen[0]
    assert (path, body) == ("/search", {"question": 'how "long"?', "k": 7, "groups": ["staff"]})
    assert {"Authorization", "Cookie"} & set(headers) == set()
    monkeypatch.setenv("TOKEN_OF_MINE", "abcdefgh12345678")
    request = json.dumps({"q": "about {{question}}", "top": "{{k}}", "as": "{{groups}}", "same": "{{other}}"})
    ask(f"retrieval.request='{request}'", 'retrieval.headers=["X-Key: k=${TOKEN_OF_MINE}", "X-Plain: 1"]')
    _, headers, body = server.seen[1]
    assert body == {"q": 'about how "long"?', "top": 7, "as": ["staff"], "same": "{{other}}"}
    assert (headers["X-Key"], headers["X-Plain"]) == ("k=abcdefgh12345678", "1")
    ask("retrieval.method=GET", url=server.url + "?q={{question}}&n={{k}}")
    assert server.seen[2][0] == "/search?q=how%20%22long%22%3F&n=7"


@pytest.mark.parametrize("charset", ["punycode", "idna", "unicode_escape", "undefined", "zlib", "no-such", "utf-8"])
def test_a_charset_that_nobody_writes_json_in_is_passed_over(
    ask: Callable[..., list[ForeignHit] | str], server: Server, charset: str
) -> None:
    body = json.dumps({"hits": [{"id": "a-b9c", "text": "£"}]}, ensure_ascii=False).encode()
    server.reply = lambda handler: say(handler, body, Content_Type=f"application/json; charset={charset}")
    assert ask() == [ForeignHit("a-b9c", "£")]


def test_a_secret_that_is_not_set(ask: Callable[..., list[ForeignHit] | str], server: Server) -> None:
    with pytest.raises(ConfigError, match=r"retrieval.headers: the environment variable NOT_SET is not set"):
        ask('retrieval.headers=["X-Key: ${NOT_SET}"]')
    assert server.seen == []


@pytest.mark.parametrize(
    ("value", "status", "headers", "expected", "asked"),
    [
        ({"detail": "bad key abcdefgh12345678"}, 401, {}, "answers 401: bad key ***", 1),
        ({"error": {"message": "slow down"}}, 429, {}, "answers 429: slow down, 3 times", 3),
        (
            {},
            302,
            {"Location": "http://elsewhere.example/"},
            "answers 302: what is asked for is at http://elsewhere.example/",
            1,
        ),
        (b"<html>not this</html>", 200, {}, "sent an answer that is no JSON: <html>not this</html>", 1),
        (b"", 200, {}, "sent an empty answer", 1),
        (b"[" * 200_000, 200, {}, "sent an answer that is no JSON: [[[", 1),
        (b"[" + b" " * (17 << 20) + b"]", 200, {}, "sent more than 16 MB", 1),
        ({"answer": 1}, 200, {}, "answer has no list of hits under any of hits, results, documents, passages", 1),
    ],
)
def test_replies_that_are_none(
    ask: Callable[..., list[ForeignHit] | str], server: Server, monkeypatch: pytest.MonkeyPatch, value: Any, status: int,
    headers: dict[str, str], expected: str, asked: int,
) -> None:  # fmt: skip
    monkeypatch.setenv("TOKEN_OF_MINE", "abcdefgh12345678")
    server.reply = lambda handler: say(handler, value, status, **headers)
    found = ask('retrieval.headers=["X-Key: ${TOKEN_OF_MINE}"]')
    assert isinstance(found, str)
    assert found.startswith(expected)
    assert len(server.seen) == asked


def test_other_encodings(ask: Callable[..., list[ForeignHit] | str], server: Server) -> None:
    body = '{"hits": [{"text": "café"}]}'
    for written, charset in (
        (body.encode("latin-1"), "iso-8859-1"),
        (body.encode("utf-8-sig"), "utf-8"),
        (body.encode(), "no"),
    ):
        server.reply = lambda handler, written=written, charset=charset: say(  # type: ignore[misc]
            handler, written, Content_Type=f"application/json; charset={charset}"
        )
        assert ask() == [ForeignHit("", "café")]


def test_a_cut_connection_is_tried_again(ask: Callable[..., list[ForeignHit] | str], server: Server) -> None:
    def cut(handler: BaseHTTPRequestHandler) -> None:
        if len(server.seen) < 3:
            handler.wfile.write(b"HTTP/1.1 200 OK\r\nContent-Length: 900\r\n\r\n{")
        else:
            say(handler, ["refunds#1"])

    server.reply = cut
    assert ask() == [ForeignHit("refunds#1")]
    assert len(server.seen) == 3


@pytest.mark.parametrize("head", [b"", b"HTTP/1.1 200 OK\r\nX-", b"HTTP/1.1 200 OK\r\nContent-Length: 9999\r\n\r\n["])
def test_whoever_drips_is_cut_off(ask: Callable[..., list[ForeignHit] | str], server: Server, head: bytes) -> None:
    def drip(handler: BaseHTTPRequestHandler) -> None:
        handler.wfile.write(head)
        for _ in range(600):
            if head:
                handler.wfile.write(b" " if head.endswith(b"[") else b"x")
            time.sleep(0.05)

    server.reply = drip
    assert ask(timeout=0.5) == "did not answer within 0.5 s"


def test_nobody_listens(opened: Opened, server: Server) -> None:
    server.listening.server_close()
    project = opened(["a", "b", "c", "d"], "retrieval.system=http", f"retrieval.url={server.url}", "run.concurrency=1")
    reasons = [one.reason for one in evaluate(project, store=False).questions]
    assert "cannot be reached (Connection refused)" in reasons[0]
    assert reasons[3].startswith("not asked: ")
    assert reasons[3].endswith(" could not be reached 3 times in a row")


def test_a_server_that_came_back_is_asked_by_the_next_evaluation(opened: Opened, server: Server) -> None:
    port = server.listening.server_port
    server.listening.server_close()
    project = opened(["a", "b", "c", "d"], "retrieval.system=http", f"retrieval.url={server.url}", "run.concurrency=1")
    assert {one.status for one in evaluate(project, store=False).questions} == {"failed"}
    back = Server(port)
    try:
        assert {one.status for one in evaluate(project, store=False).questions} == {"found"}
    finally:
        back.close()


def test_waits_between_attempts_are_not_the_servers_time(opened: Opened, server: Server) -> None:
    def reply(handler: BaseHTTPRequestHandler) -> None:
        if len(server.seen) == 1:
            say(handler, {}, 503, Retry_After="1")
        else:
            say(handler, ["refunds#1"])

    server.reply = reply
    project = opened(["a"], "retrieval.system=http", f"retrieval.url={server.url}", "run.retries=1")
    began = time.monotonic()
    run = evaluate(project, store=False)
    whole = time.monotonic() - began
    assert (run.questions[0].status, len(server.seen)) == ("found", 2)
    assert run.manifest["system"]["seconds"]["p99"] < whole - 1.0


def test_it_answers_from_what_it_is_given(opened: Opened, server: Server) -> None:
    def reply(handler: BaseHTTPRequestHandler) -> None:
        body = server.seen[-1][2]
        say(handler, {"said": {"text": f"30 days from {len(body['passages'])}"}} if "passages" in body else ["refunds#1"])

    server.reply = reply
    project = opened(
        ["how long?"], "retrieval.system=http", f"retrieval.url={server.url}", f"retrieval.answer_url={server.url}/answer",
        "retrieval.answer_at=said.text", "answers.generator=system",
    )  # fmt: skip
    told: list[Estimate] = []
    result = evaluate(project, store=False, ask=told.append).questions[0]
    assert [(one.endpoint.model, one.endpoint.where, is_free(one.endpoint)) for one in told] == [
        ("your system", f"{server.url}/answer", True)
    ]
    assert result.live is not None
    assert result.oracle is not None
    assert (result.live.text, result.oracle.text) == ("30 days from 1", "30 days from 1")
    assert [path for path, _, _ in server.seen] == ["/search", "/search/answer", "/search/answer"]


def test_a_template_is_filled_after_it_was_read() -> None:
    values = {"question": '", "k": 9', "k": 5, "groups": None}
    assert filled({"a": ["{{question}}", "{{k}} of {{groups}}", 1, None]}, values) == {
        "a": ['", "k": 9', "5 of null", 1, None]
    }  # fmt: skip

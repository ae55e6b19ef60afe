"""Nodes that are no Qdrant, or a hostile one: each call ends with one message, in bounded time, and goes nowhere else."""

from __future__ import annotations

import contextlib
import json
import threading
import time
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import numpy as np
import pytest

from ragtriage.config import Config, RetrievalConfig, RunConfig
from ragtriage.errors import ConfigError, RagtriageError, SystemFailed, Untrusted
from ragtriage.project import Project
from ragtriage.remote.keys import Key
from ragtriage.search.systems import qdrant_transport
from ragtriage.search.systems.qdrant import configured_cluster
from ragtriage.search.systems.qdrant_cluster import Cluster, Wanted

Reply = Callable[[BaseHTTPRequestHandler], None]
SECRET = "a-key-of-some-length"
WANTED = Wanted("g", None, "words", {}, np.ones(3, np.float16), 60, 10, 20)


class Host:
    """A server that answers everything in one way, and knows what it was asked."""

    def __init__(self) -> None:
        self.paths: list[str] = []
        self.headers: list[dict[str, str]] = []
        self.reply: Reply = sends(200, b"{}")
        host = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self) -> None:
                self.rfile.read(int(self.headers.get("content-length") or 0))
                host.paths.append(self.path)
                host.headers.append({name.lower(): value for name, value in self.headers.items()})
                host.reply(self)

            do_GET = do_PUT = do_POST  # noqa: N815

            def log_message(self, *_: object) -> None:
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        self._thread = threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.01})
        self._thread.start()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._server.server_address[1]}"

    def close(self) -> None:
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()


def sends(status: int, content: bytes, **headers: str) -> Reply:
    def reply(handler: BaseHTTPRequestHandler) -> None:
        handler.send_response(status)
        for name, value in {"Content-Length": str(len(content)), **headers}.items():
            handler.send_header(name.replace("_", "-"), value)
        handler.end_headers()
        handler.wfile.write(content)

    return reply


def drips(handler: BaseHTTPRequestHandler) -> None:
    handler.send_response(200)
    handler.send_header("Content-Length", "100000")
    handler.end_headers()
    try:
        while True:
            handler.wfile.write(b" ")
            handler.wfile.flush()
            time.sleep(0.05)
    except OSError:
        handler.close_connection = True


def hits(*points: object) -> bytes:
    return json.dumps({"result": {"points": list(points)}, "status": "ok", "time": 0.1}).encode()


@pytest.fixture
def host() -> Iterator[Host]:
    one = Host()
    yield one
    one.close()


def cluster(*urls: str, timeout_s: float = 2.0, permit: Callable[[], None] = lambda: None) -> Cluster:
    return Cluster(urls, "some", key=lambda: Key(SECRET), timeout_s=timeout_s, rounds=1, connections=2, permit=permit)


@pytest.mark.parametrize(
    "content",
    [
        b"", b"no json", b"[]", b"null", b"{}", b'{"result": 5}', b"[" * 100_000, b"\xff\xfe", b'{"result": {"points": 7}}',
        hits({"id": 1, "version": 1, "score": "high", "payload": {"chunk_id": "a"}}),
        hits({"id": 1, "version": 1, "score": 0.5, "payload": {}}),
        hits({"id": 1, "version": 1, "score": 0.5, "payload": {"chunk_id": 7}}),
        b'{"result": {"points": [{"id": 1, "version": 1, "score": NaN, "payload": {"chunk_id": "a"}}]}}',
    ],
)  # fmt: skip
def test_what_is_no_answer_of_qdrants_is_told(host: Host, content: bytes) -> None:
    host.reply = sends(200, content)
    some = cluster(host.url)
    with pytest.raises(SystemFailed) as told:
        some.search(WANTED)
    some.close()
    assert len(str(told.value)) < 500
    assert "\n" not in str(told.value)


@pytest.mark.parametrize("status", [301, 307, 400, 404, 408, 413, 422, 429, 500, 503])
def test_a_refusal_is_told_without_the_key(host: Host, status: int) -> None:
    said = json.dumps({"status": {"error": f"no {SECRET}\x1b[31m " + "x" * 5000}}).encode()
    host.reply = sends(status, said, Location="http://127.0.0.1:1/elsewhere", Retry_After="3600")
    some = cluster(host.url)
    with pytest.raises(SystemFailed) as told:
        some.search(WANTED)
    some.close()
    assert len(host.paths) == 1
    assert SECRET not in str(told.value)
    assert "\x1b" not in str(told.value)
    assert len(str(told.value)) < 500


def test_a_refused_key_is_the_users_to_mend(host: Host) -> None:
    host.reply = sends(403, b"forbidden")
    some = cluster(host.url, host.url)
    with pytest.raises(ConfigError, match="api_key_env"):
        some.search(WANTED)
    some.close()
    assert len(host.paths) == 1


def test_a_node_in_trouble_is_passed_over(host: Host) -> None:
    other = Host()
    try:
        host.reply = sends(503, b"")
        other.reply = sends(200, hits({"id": 1, "version": 1, "score": 0.5, "payload": {"chunk_id": "a"}}))
        some = cluster(host.url, other.url)
        assert [some.search(WANTED)[0].chunk_id for _ in range(3)] == ["a"] * 3
        some.close()
        assert (len(host.paths), len(other.paths)) == (1, 3)
        assert {headers["api-key"] for headers in other.headers} == {SECRET}
    finally:
        other.close()


def test_one_that_sends_a_byte_now_and_then_is_left(host: Host) -> None:
    host.reply = drips
    some = cluster(host.url, timeout_s=1.0)
    with pytest.raises(SystemFailed, match="no whole answer"):
        some.search(WANTED)
    some.close()


def test_a_flood_is_cut_off(host: Host, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(qdrant_transport, "_LARGEST", 100_000)
    host.reply = sends(200, b" " * 200_000)
    some = cluster(host.url)
    with pytest.raises(SystemFailed, match="it sent more than"):
        some.search(WANTED)
    some.close()


def test_nothing_is_unpacked(host: Host) -> None:
    import gzip

    host.reply = sends(200, gzip.compress(b" " * 1_000_000), Content_Encoding="gzip")
    some = cluster(host.url)
    with pytest.raises(SystemFailed):
        some.search(WANTED)
    some.close()
    assert host.headers[0]["accept-encoding"] == "identity"


def test_without_the_users_word_nothing_is_sent(host: Host) -> None:
    def refuse() -> None:
        raise Untrusted("not agreed")

    some = cluster(host.url, permit=refuse)
    for call in (some.shape, some.count, lambda: some.search(WANTED)):
        with pytest.raises(Untrusted):
            call()
    assert host.paths == []


def test_after_close_it_may_be_asked_again(host: Host) -> None:
    host.reply = sends(200, hits())
    some = cluster(host.url)
    assert some.search(WANTED) == []
    some.close()
    some.close()
    assert some.search(WANTED) == []
    some.close()


def test_proxies_of_the_environment_are_not_for_this_machine(host: Host, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("http_proxy", "HTTP_PROXY", "ALL_PROXY"):
        monkeypatch.setenv(name, "http://127.0.0.1:1")
    host.reply = sends(200, hits())
    some = cluster(host.url)
    assert some.search(WANTED) == []
    some.close()


def test_an_address_with_a_password_is_refused() -> None:
    with pytest.raises(RagtriageError, match="no name or password"):
        cluster("http://user:word@127.0.0.1:6333")


def test_a_node_gets_the_longer_of_its_share_and_what_an_upload_gives_it(host: Host, tmp_path: Path) -> None:
    def late(handler: BaseHTTPRequestHandler) -> None:
        time.sleep(2.5)
        with contextlib.suppress(OSError):
            sends(400, b'{"status": {"error": "not today"}}')(handler)

    host.reply = late
    retrieval = RetrievalConfig(system="qdrant", urls=(host.url,), collection="some")
    project = Project(tmp_path, Config(retrieval=retrieval, run=RunConfig(timeout_s=1.0, retries=0)))
    for each_s, says in ((0.0, "timed out"), (60.0, "refused: 400: not today")):
        one = configured_cluster(project, lambda: None, each_s=each_s)
        with pytest.raises(SystemFailed, match=says):
            one.shape()
        one.close()

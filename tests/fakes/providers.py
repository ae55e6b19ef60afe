"""Servers on loopback that speak like OpenAI and like Anthropic, and misbehave to order: real HTTP, nothing else is faked."""

from __future__ import annotations

import hashlib
import json
import random
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, NamedTuple

__all__ = ["FINE", "Act", "FakeAnthropic", "FakeEmbeddings", "FakeOpenAI", "FakeProvider", "Seen", "error", "flaky"]


class Act(NamedTuple):
    """How one request is served. `body` None is the right answer, with `text` in it.

    `cut`: the connection is closed after so many bytes of the body. `drip_s`: seconds before each byte of the body.
    """

    status: int = 200
    body: bytes | None = None
    headers: Mapping[str, str] = {}
    cut: int | None = None
    drip_s: float = 0.0
    delay_s: float = 0.0
    text: str | None = None


class Seen(NamedTuple):
    """A request that came in. `prompt` is the user's message."""

    path: str
    headers: Mapping[str, str]
    body: dict[str, Any]
    prompt: str


FINE = Act()


def error(status: int, message: str, headers: Mapping[str, str] | None = None, **more: Any) -> Act:
    """An error in the shape that both providers use."""
    body = {"type": "error", "error": {"message": message, "type": "some_error"} | more}
    return Act(status, json.dumps(body).encode(), headers or {})


def flaky(seed: int, share: float, bad: Sequence[Act]) -> Callable[[Seen], Act]:
    """`share` of the requests get one of `bad`, the others are fine."""
    rng = random.Random(seed)
    lock = threading.Lock()

    def script(_: Seen) -> Act:
        with lock:
            return rng.choice(bad) if rng.random() < share else FINE

    return script


class FakeProvider:
    """A server for a `with` block. `script` is the acts of the first requests, or a function of each.

    `requests` holds all that came in, `finished` the prompts whose right answer was sent in full.
    """

    provider = ""
    path = ""

    def __init__(self, script: Sequence[Act] | Callable[[Seen], Act] = ()) -> None:
        self.requests: list[Seen] = []
        self.finished: list[str] = []
        self._acts = script if callable(script) else None
        self._left = [] if callable(script) else list(script)
        self._lock = threading.Lock()
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), self._handler())
        self._server.daemon_threads = True
        self._server.handle_error = lambda *_: None  # type: ignore[method-assign]  # a client that hangs up is none of ours
        self.port = self._server.server_address[1]

    @property
    def url(self) -> str:
        raise NotImplementedError

    def answer(self, seen: Seen, text: str) -> dict[str, Any]:
        """The right answer in the provider's own shape."""
        raise NotImplementedError

    def prompt(self, body: dict[str, Any]) -> str:
        """What a request asks."""
        return str(body["messages"][-1]["content"])

    def __enter__(self) -> FakeProvider:
        threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self._server.shutdown()
        self._server.server_close()

    def _next(self, seen: Seen) -> Act:
        with self._lock:
            self.requests.append(seen)
            if self._acts is None:
                return self._left.pop(0) if self._left else FINE
        return self._acts(seen)

    def _handler(self) -> type[BaseHTTPRequestHandler]:
        fake = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self) -> None:
                body = json.loads(self.rfile.read(int(self.headers["content-length"])))
                seen = Seen(self.path, dict(self.headers.items()), body, fake.prompt(body))
                act = fake._next(seen) if self.path == fake.path else error(404, f"there is nothing at {self.path}")
                time.sleep(act.delay_s)
                text = f"re: {seen.prompt}" if act.text is None else act.text
                data = json.dumps(fake.answer(seen, text)).encode() if act.body is None else act.body
                self.send_response(act.status)
                for name, value in {
                    "content-type": "application/json",
                    "content-length": str(len(data)),
                    **act.headers,
                }.items():
                    self.send_header(name, value)
                self.end_headers()
                self._send(data, act)
                if act.status == 200 and act.body is None and act.cut is None:
                    fake.finished.append(seen.prompt)

            def _send(self, data: bytes, act: Act) -> None:
                if act.cut is not None:
                    self.wfile.write(data[: act.cut])
                    self.close_connection = True
                elif act.drip_s:
                    for position in range(len(data)):
                        time.sleep(act.drip_s)
                        self.wfile.write(data[position : position + 1])
                else:
                    self.wfile.write(data)

            def log_message(self, *_: object) -> None: ...

        return Handler


class FakeOpenAI(FakeProvider):
    provider = "openai"
    path = "/v1/chat/completions"

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}/v1"

    def answer(self, seen: Seen, text: str) -> dict[str, Any]:
        return {
            "id": "c-1", "object": "chat.completion", "model": "fake-1",
            "choices": [{"index": 0, "finish_reason": "stop", "message": {"role": "assistant", "content": text}}],
            "usage": {"prompt_tokens": 11, "completion_tokens": 7, "total_tokens": 18},
        }  # fmt: skip


class FakeEmbeddings(FakeProvider):
    """Vectors from a hash of each word: texts that share words are near. `dimension` is how many values they have."""

    provider = "openai"
    path = "/v1/embeddings"
    dimension = 32

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}/v1"

    @property
    def texts(self) -> list[str]:
        """All texts that came in, in order."""
        return [text for seen in self.requests for text in seen.body["input"]]

    def prompt(self, body: dict[str, Any]) -> str:
        return "\n".join(body["input"])

    def vector(self, text: str) -> list[float]:
        out = [0.0] * self.dimension
        for word in text.lower().split() or [""]:
            digest = hashlib.sha256(word.encode()).digest()
            for place in range(self.dimension):
                out[place] += digest[place % 32] / 128 - 1
        return out

    def answer(self, seen: Seen, text: str) -> dict[str, Any]:
        rows = [
            {"object": "embedding", "index": place, "embedding": self.vector(one)}
            for place, one in enumerate(seen.body["input"])
        ]
        words = sum(len(one.split()) for one in seen.body["input"])
        return {"object": "list", "model": "fake-embed", "data": rows, "usage": {"prompt_tokens": words, "total_tokens": words}}

    def changed(self, seen: Seen, change: Callable[[dict[str, Any]], None]) -> Act:
        """The right answer with something done to it."""
        body = self.answer(seen, "")
        change(body)
        return Act(body=json.dumps(body).encode())


class FakeAnthropic(FakeProvider):
    provider = "anthropic"
    path = "/v1/messages"

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def answer(self, seen: Seen, text: str) -> dict[str, Any]:
        block = {"type": "text", "text": text}
        if "tools" in seen.body:
            block = {"type": "tool_use", "id": "t-1", "name": seen.body["tools"][0]["name"], "input": json.loads(text)}
        return {
            "id": "m-1", "type": "message", "role": "assistant", "model": "fake-1", "content": [block],
            "stop_reason": "end_turn", "usage": {"input_tokens": 11, "output_tokens": 7},
        }  # fmt: skip

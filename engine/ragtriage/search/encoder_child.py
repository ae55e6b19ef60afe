"""The encoder process: `python -P -m ragtriage.search.encoder_child`. Loads models when first asked and answers over its pipes.

It lives exactly as long as its parent listens: a thread waits on the request pipe, whose end means that the parent is gone,
however it went. (Linux's parent-death signal is not used: it fires when the *thread* that started the child ends.) What
libraries print never reaches the pipe: standard output is moved away before anything is imported.
"""

from __future__ import annotations

import os
import queue
import select
import signal
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ragtriage.errors import RagtriageError
from ragtriage.search.wire import Inbox, Message, send, unpack_texts

if TYPE_CHECKING:
    from ragtriage.search.encoder import Encoded

__all__ = ["main"]

_LOOK_FOR_PARENT_S = 2.0


def main() -> None:
    """Answer requests until the parent is gone."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent decides what Ctrl-C means
    requests, replies = os.dup(0), os.dup(1)
    nowhere = os.open(os.devnull, os.O_RDWR)
    os.dup2(nowhere, 0)
    os.dup2(nowhere, 1)
    waiting: queue.SimpleQueue[Message] = queue.SimpleQueue()
    threading.Thread(target=_listen, args=(requests, waiting), daemon=True).start()
    models: dict[str, Any] = {}
    while True:
        message = waiting.get()
        try:
            _answer(message, models, waiting, replies)
        except BrokenPipeError:
            os._exit(0)


def _listen(requests: int, waiting: queue.SimpleQueue[Message]) -> None:
    inbox, parent = Inbox(requests), os.getppid()
    try:
        while os.getppid() == parent:
            if not select.select([requests], [], [], _LOOK_FOR_PARENT_S)[0]:
                continue
            if not inbox.fill():
                break
            while (message := inbox.take()) is not None:
                waiting.put(message)
    finally:
        os._exit(0)  # no clean-up: the main thread may be deep in a matrix product


def _answer(message: Message, models: dict[str, Any], waiting: queue.SimpleQueue[Message], replies: int) -> None:
    """Send results batch by batch, then `done`; stop early when another message waits, which means this one is given up."""
    number = message.header["id"]
    try:
        if message.header["do"] == "load":
            _model(message.header, models)
        elif message.header["do"] != "stop":
            for some in _results(message, models):
                header = {"id": number, "places": some.places, "dtype": some.values.dtype.str, "shape": some.values.shape}
                send(replies, header, some.values.tobytes())
                if not waiting.empty():
                    return
        send(replies, {"id": number, "done": True})
    except BrokenPipeError:
        raise
    except MemoryError:
        send(replies, {"id": number, "error": "out of memory; try a smaller embedding.batch_size"})
    except Exception as error:  # whatever a model does wrong is the answer to this request, not the end of the process
        send(replies, {"id": number, "error": _one_line(error)})


def _results(message: Message, models: dict[str, Any]) -> Iterator[Encoded]:
    header = message.header
    model = _model(header, models)
    texts = unpack_texts(header["lengths"], message.body)
    batch_size = int(header["batch_size"])
    if header["kind"] == "encode":
        yield from model.encode(texts, batch_size)
    else:
        half = len(texts) // 2
        yield from model.score(texts[:half], texts[half:], batch_size)


def _model(header: dict[str, Any], models: dict[str, Any]) -> Any:
    """The model that a request names, loaded once."""
    name = f"{header['kind']}\0{header['folder']}\0{header['dtype']}\0{header['device']}"
    if name not in models:
        from ragtriage.search.encoder import ModelEncoder
        from ragtriage.search.rerank import ModelReranker

        made = ModelEncoder if header["kind"] == "encode" else ModelReranker
        models[name] = made(Path(header["folder"]), device=header["device"], dtype=header["dtype"])
    return models[name]


def _one_line(error: Exception) -> str:
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    said = lines[0] if lines else ""
    if isinstance(error, RagtriageError):
        return said
    return f"{type(error).__name__}: {said}" if said else type(error).__name__


if __name__ == "__main__":
    main()

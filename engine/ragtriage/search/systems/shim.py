"""Run in the user's own interpreter, never imported by ragtriage: calls their function, and speaks JSON lines for it.

Nothing but the standard library of Python 3.8, and nothing of ragtriage: this file is all that runs there. What it is started
with are the function and, if there is one, the function that answers, each as `module:name`.

What the user's code prints goes to standard error. When standard input ends, nobody listens any more, and the process ends at
once, whatever the user's code does.
"""

from __future__ import annotations

import contextlib
import importlib
import inspect
import json
import os
import queue
import sys
import threading
import time
import traceback
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any, BinaryIO

COUNTS = ("k", "top_k", "topk", "limit", "n", "n_results", "num_results", "size")
TEXTS = ("text", "page_content", "content", "passage", "chunk_text", "body")
IDS = ("id", "chunk_id", "_id", "id_", "node_id", "passage_id")
DOCS = ("doc", "doc_id", "document_id", "document", "source", "file_path", "file_name", "filename", "path", "url", "title")
SCORES = ("score", "similarity", "relevance_score", "_score")


def main(names: Sequence[str]) -> None:
    answers = os.fdopen(os.dup(1), "wb")
    requests = os.fdopen(os.dup(0), "rb")
    os.dup2(2, 1)
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.close(nothing)
    lines: queue.Queue[bytes] = queue.Queue()
    threading.Thread(target=listen, args=(requests, lines), daemon=True).start()
    functions: dict[str, Any] = {}
    while True:
        line = lines.get()
        request: dict[str, Any] = {}
        try:
            request = json.loads(line.decode("utf-8"))
            answer = serve(request, names, functions)
        except BaseException as error:  # also SystemExit: the user's code is a guest, and so are its ways out
            traceback.print_exc()
            answer = {"error": f"{type(error).__name__}: {error}"[:1000]}
        answer["id"] = request.get("id")
        with contextlib.suppress(Exception):
            sys.stdout.flush()
        answers.write(json.dumps(answer).encode("ascii") + b"\n")
        answers.flush()


def listen(requests: BinaryIO, lines: queue.Queue[bytes]) -> None:
    for line in requests:
        lines.put(line)
    os._exit(0)


def serve(request: dict[str, Any], names: Sequence[str], functions: dict[str, Any]) -> dict[str, Any]:
    wanted = "answer" if request.get("task") == "answer" else "search"
    name = names[1 if wanted == "answer" else 0]
    if name not in functions:
        functions[name] = find(name)
    function = functions[name]
    if wanted == "answer":
        said = waited(function(request["question"], request["passages"]))
        return {"answer": said if isinstance(said, str) else answer_in(said)}
    began = time.perf_counter()
    out = searched(waited(function(request["question"], **wishes(function, request))))
    out["seconds"] = time.perf_counter() - began
    return out


def find(name: str) -> Any:
    module, _, path = name.partition(":")
    if "" in sys.path:  # the folder it was started in, wherever the user's code goes
        sys.path[sys.path.index("")] = str(Path.cwd())
    found = importlib.import_module(module)
    for part in path.split("."):
        found = getattr(found, part)
    return found


def wishes(function: Any, request: dict[str, Any]) -> dict[str, Any]:
    """How many passages and for whom, as far as the function takes that."""
    try:
        parameters = inspect.signature(function).parameters
    except (TypeError, ValueError):
        return {}
    out = {}
    taken = [one for one in parameters.values() if one.kind in (one.POSITIONAL_OR_KEYWORD, one.KEYWORD_ONLY)]
    named = [one.name for one in taken]
    count = next((name for name in COUNTS if name in named and name != named[0]), None)
    if count:
        out[count] = request["k"]
    if "groups" in named:
        out["groups"] = request["groups"]
    return out


LOOPS: list[Any] = []


def waited(value: Any) -> Any:
    """What an asynchronous function comes to, all of them in one loop; what an asynchronous generator gives."""
    if not (inspect.isawaitable(value) or hasattr(value, "__aiter__")):
        return value
    import asyncio

    if not LOOPS:
        LOOPS.append(asyncio.new_event_loop())
        asyncio.set_event_loop(LOOPS[0])

    async def whole() -> Any:
        found = await value if inspect.isawaitable(value) else value
        return [one async for one in found] if hasattr(found, "__aiter__") else found

    return LOOPS[0].run_until_complete(whole())


def searched(value: Any) -> dict[str, Any]:
    out: dict[str, Any] = {}
    inner = None
    if isinstance(value, dict):
        inner = next((value[name] for name in ("hits", "results", "documents", "passages", "contexts") if name in value), None)
        if inner is None and not any(name in value for name in TEXTS + IDS):
            raise TypeError("a dict with hits, or a list, is needed")
        if isinstance(value.get("answer"), str):
            out["answer"] = value["answer"]
    if inner is None:
        inner = getattr(value, "source_nodes", None)  # a response of LlamaIndex
        if inner is not None and isinstance(getattr(value, "response", None), str):
            out["answer"] = value.response
    if inner is None:
        inner = [value] if isinstance(value, (str, dict)) else value
    out["hits"] = [hit(one) for one in (inner or ())]
    return out


def answer_in(value: Any) -> str:
    for name in ("answer", "content", "response", "text"):
        found = value.get(name) if isinstance(value, dict) else getattr(value, name, None)
        if isinstance(found, str):
            return found
    return str(value)


def hit(value: Any) -> dict[str, Any]:
    """One passage as id, text, doc and score: from a string (an id), a dict, a pair with a score, or a document object."""
    if isinstance(value, (list, tuple)) and len(value) == 2 and not isinstance(value[0], (list, tuple)):
        value, score = value
        found = hit(value)
        if number(score) is not None:
            found["score"] = number(score)
        return found
    if type(value).__module__ == "numpy" and callable(getattr(value, "item", None)):
        value = value.item()
    if value is None or isinstance(value, (str, int)):
        return {"id": "" if value is None else str(value)}
    if isinstance(value, dict):
        return fields(value.get, (value.get("metadata"), value.get("node"), value.get("document")))
    node = getattr(value, "node", None) or value
    found = fields(lambda name: member(node, name), (member(node, "metadata"),))
    if not found.get("text") and callable(getattr(node, "get_content", None)):
        found["text"] = str(node.get_content())
    score = number(getattr(value, "score", None))
    if score is not None:
        found["score"] = score
    return found


def member(value: Any, name: str) -> Any:
    with contextlib.suppress(Exception):
        found = getattr(value, name, None)
        return None if callable(found) else found


def fields(of: Callable[[str], Any], beside: Iterable[Any]) -> dict[str, Any]:
    inner = [one for one in beside if isinstance(one, dict)]

    def text_of(names: Sequence[str]) -> str:
        for get in [of] + [one.get for one in inner]:
            for name in names:
                found = get(name)
                if isinstance(found, str) and found:
                    return found
                if isinstance(found, int) and not isinstance(found, bool) and names is not TEXTS:
                    return str(found)
                if names is IDS and found is not None and type(found).__name__ == "UUID":
                    return str(found)
        return ""

    out: dict[str, Any] = {"id": text_of(IDS), "text": text_of(TEXTS), "doc": text_of(DOCS)}
    score = next((number(of(name)) for name in SCORES if number(of(name)) is not None), None)
    if score is not None:
        out["score"] = score
    return out


def number(value: Any) -> float | None:
    if value is None or isinstance(value, (bool, str)):
        return None
    try:
        return float(value)
    except (TypeError, ValueError, OverflowError):
        return None


if __name__ == "__main__":
    main(sys.argv[1:])

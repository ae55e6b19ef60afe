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
import itertools
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
LISTS = (
    "hits",
    "results",
    "documents",
    "passages",
    "contexts",
    "source_nodes",
    "source_documents",
    "points",
    "matches",
    "context",
)
ANSWERS = ("answer", "response", "result")
INSIDE = ("metadata", "payload", "_source", "node", "document")
METHODS = ("invoke", "retrieve", "search", "query", "get_relevant_documents")
MOST = 10_000  # of an endless generator


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
    outer: Any = None
    for part in path.split("."):
        outer, found = found, getattr(found, part)
    last = path.rpartition(".")[2]
    if inspect.isclass(found):
        raise TypeError(f"{name} is a class: name a function, or a method of an object that the module makes of it")
    if inspect.isclass(outer) and inspect.isfunction(inspect.getattr_static(outer, last, None)):
        raise TypeError(
            f"{name} needs an object: write retriever = {outer.__name__}() in {module}, and name {module}:retriever.{last}"
        )
    if not callable(found):
        has = next((method for method in METHODS if callable(getattr(found, method, None))), "")
        raise TypeError(f"{name} is {kind(found)}, no function" + (f"; it has {name}.{has}" if has else ""))
    if "asyncio" in sys.modules:  # what asks for the loop of this thread finds one
        loop()
    return found


def kind(value: Any) -> str:
    if value is None:
        return "None"
    called = type(value).__name__
    return ("an " if called[:1].lower() in "aeiou" else "a ") + called


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

    async def whole() -> Any:
        found = await value if inspect.isawaitable(value) else value
        if not hasattr(found, "__aiter__"):
            return found
        out: list[Any] = []
        async for one in found:
            out.append(one)
            if len(out) == MOST:
                break
        return out

    return loop().run_until_complete(whole())


def loop() -> Any:
    """The one event loop of this process, set anew: asyncio.run leaves none behind."""
    import asyncio

    if not LOOPS:
        LOOPS.append(asyncio.new_event_loop())
    asyncio.set_event_loop(LOOPS[0])
    return LOOPS[0]


def searched(value: Any) -> dict[str, Any]:
    out: dict[str, Any] = {}
    for name in ANSWERS:
        said = value.get(name) if isinstance(value, dict) else member(value, name)
        if isinstance(said, str) and "answer" not in out:
            out["answer"] = said
    out["hits"] = [hit(one, number) for number, one in enumerate(itertools.islice(listed(value), MOST), start=1)]
    return out


def listed(value: Any) -> Iterable[Any]:
    """The passages in what a function returned, in their order."""
    if value is None:
        raise TypeError("it returned None, which is no list of passages; a list without any says that nothing was found")
    if isinstance(value, str):
        return (value,)
    if isinstance(value, dict):
        if isinstance(value.get("ids"), list):  # Chroma: a column each, with one list a question
            return columns(value)
        inner = next((value[name] for name in LISTS if not isinstance(value.get(name), (str, type(None)))), None)
        if inner is None and not any(name in value for name in TEXTS + IDS):
            raise TypeError("a dict with hits, or a list, is needed")
        return (value,) if inner is None else listed(inner)
    for name in LISTS:  # a response of LlamaIndex, Qdrant, or of their own
        inner = member(value, name)
        if isinstance(inner, (list, tuple)):
            return list(inner)
    if callable(getattr(value, "iterrows", None)) and callable(getattr(value, "to_dict", None)):
        return list(value.to_dict("records"))  # a table of pandas
    if isinstance(value, (set, frozenset, bytes, bytearray)):
        raise TypeError(f"it returned {kind(value)}, which is no list of passages in an order")
    if isinstance(value, tuple) and len(value) == 2 and all(is_listing(one) and not len(one) for one in value):
        return ()
    if isinstance(value, tuple) and len(value) == 2 and are_scores(value[1]):  # what was found, and how near each is
        if are_scores(value[0]) or len(value[0]) != len(value[1]):
            raise TypeError("it returned two lists, which may mean anything: return pairs of what was found and its score")
        return [(value[0][at], value[1][at]) for at in range(len(value[1]))]
    if isinstance(value, (list, tuple)) and len(value) == 1 and isinstance(value[0], list) and not is_scored(value[0]):
        return list(value[0])  # one list a question
    if not hasattr(value, "__iter__"):
        raise TypeError(f"it returned {kind(value)}, which is no list of passages")
    found: Iterable[Any] = value
    return found


def are_scores(value: Any) -> bool:
    return is_listing(value) and len(value) > 0 and all(number(one) is not None for one in value)


def is_scored(value: Sequence[Any]) -> bool:
    """Whether it is one hit and its score, in whatever order: a single one is not taken for a list of two hits."""
    return len(value) == 2 and (number(value[0]) is None) != (number(value[1]) is None)


def is_listing(value: Any) -> bool:
    return isinstance(value, (list, tuple)) or (type(value).__module__ == "numpy" and bool(getattr(value, "shape", ())))


def columns(value: dict[str, Any]) -> list[dict[str, Any]]:
    def column(name: str) -> list[Any]:
        found = value.get(name)
        if isinstance(found, list) and len(found) == 1 and isinstance(found[0], list):
            found = found[0]
        return found if isinstance(found, list) else []

    rows = itertools.zip_longest(column("ids"), column("documents"), column("metadatas"))
    return [{"id": one, "text": text, "metadata": more} for one, text, more in rows]


def answer_in(value: Any) -> str:
    for name in ("answer", "content", "response", "text"):
        found = value.get(name) if isinstance(value, dict) else getattr(value, name, None)
        if isinstance(found, str):
            return found
    return str(value)


def hit(value: Any, at: int = 1) -> dict[str, Any]:
    """One passage as id, text, doc and score: from a string (an id), a dict, a pair with a score, or a document object."""
    plain = isinstance(value, (list, tuple)) and not any(hasattr(value, name) for name in IDS + TEXTS)  # not one with names
    if plain and len(value) == 2 and not isinstance(value[0], (list, tuple)):
        if isinstance(value[0], str) and isinstance(value[1], str):
            return {"id": value[0], "text": value[1]}
        first_is_score = number(value[0]) is not None and not isinstance(value[0], int) and number(value[1]) is None
        value, score = reversed(value) if first_is_score else value
        found = hit(value, at)
        if number(score) is not None:
            found["score"] = number(score)
        return found
    if plain or value is None or isinstance(value, (float, bytes, bool)):
        many = f" of {len(value)}" if plain else ""
        raise TypeError(f"hit {at} is {kind(value)}{many}: an id, a dict, a document, or one of them with its score is needed")
    if type(value).__module__ == "numpy" and callable(getattr(value, "item", None)):
        value = value.item()
    if isinstance(value, (str, int)):
        return {"id": str(value)}
    if isinstance(value, dict):
        return known(fields(value.get, [value.get(name) for name in INSIDE]), value, at)
    node = getattr(value, "node", None) or value
    found = fields(lambda name: member(node, name), [member(node, name) for name in INSIDE])
    if not found.get("text") and callable(getattr(node, "get_content", None)):
        found["text"] = str(node.get_content())
    known(found, node, at)
    score = number(getattr(value, "score", None))
    if score is not None:
        found["score"] = score
    return found


def known(found: dict[str, Any], value: Any, at: int) -> dict[str, Any]:
    """Raises where nothing of what a passage has is in a value, under any name."""
    if not (found["id"] or found["text"] or found["doc"]):
        names = value if isinstance(value, dict) else [name for name in IDS + TEXTS + DOCS if hasattr(value, name)]
        if not any(name in names for name in IDS + TEXTS + DOCS):
            said = " with " + ", ".join(map(str, list(value)[:5])) if isinstance(value, dict) and value else ""
            raise TypeError(f"hit {at} is {kind(value)}{said}: it has neither id nor text nor doc")
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

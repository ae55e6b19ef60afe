"""A function in the user's interpreter: what it may return, that what it prints breaks nothing, and how it may fail."""

from __future__ import annotations

import ast
import json
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from ragtriage.measure.evaluate import evaluate
from ragtriage.project import Project
from ragtriage.search.systems import shim
from ragtriage.search.systems.foreign import ForeignHit
from ragtriage.types import Failure

Opened = Callable[..., Project]
TEXT = "Goods may be sent back within 30 days of delivery."

MODULE = f"""
import asyncio, sys, os
from dataclasses import dataclass, field

TEXT = {TEXT!r}
print("loaded")
os.write(1, b'{{"hits": ["no"]}}\\n')


@dataclass
class Document:
    page_content: str
    metadata: dict
    id: object = None


class Node:
    node_id = "n1"
    metadata = {{"file_name": "refunds.md"}}

    def get_content(self):
        return TEXT


class NodeWithScore:
    node = Node()
    score = 0.25


def ids(question):
    print("asked", question)
    sys.stdin.read()
    return ["refunds#1"]

def dicts(question, top_k):
    return [{{"id": 1, "text": TEXT, "doc": "refunds", "score": 2}}][:top_k]

def langchain(question, config=None):
    return [(Document(TEXT, {{"source": "docs/refunds.md"}}), 0.5), Document(TEXT, {{"source": "refunds"}}, id="i1")]

def llama(question, k=3):
    return [NodeWithScore()] * min(k, 2)

def generator(question, *, limit):
    yield "refunds#1"

async def later(question, k):
    await asyncio.sleep(0)
    return {{"hits": ["refunds#1"], "answer": "30 days"}}

async def stream(question):
    yield "refunds#1"

class Retriever:
    def invoke(self, question, config=None):
        return ["refunds#1"]

retriever = Retriever()

def groups(question, k, groups):
    return [",".join(groups or ["nobody"])]

def raises(question):
    raise ValueError("no index\\nhere")

def leaves(question):
    sys.exit(3)

def dies(question):
    os._exit(4)

def none(question):
    pass

def hit_of_none(question):
    return ["refunds#1", None]

def empty(question):
    return []

def odd(question):
    return {{"what": 1}}

def surrogate(question):
    return [{{"text": "\\ud800 and so on"}}]

class Score:  # as numpy's
    def __init__(self, value):
        self.value = value
    def __float__(self):
        return self.value

class Array:
    def __init__(self, *values):
        self.values = values
    def __bool__(self):
        raise ValueError("The truth value of an array is ambiguous")
    def __iter__(self):
        return iter(self.values)

class Table:
    def iterrows(self):
        return iter(())
    def to_dict(self, how):
        return [{{"chunk_id": "refunds#1", "score": 0.5}}]
    def __iter__(self):
        return iter(["chunk_id", "score"])

@dataclass
class Point:
    id: int
    payload: dict
    score: float

@dataclass
class Response:
    points: list

class Pair(tuple):
    id = property(lambda self: self[0])
    text = property(lambda self: self[1])

def scored(question):
    return tuple([("refunds#1", Score(0.5))])

def scored_before(question):
    return [(0.5, Document(TEXT, {{}}))]

def ids_and_scores(question):
    return ["refunds#1"], [0.5]

def two_empty_lists(question):
    return [], []

def two_lists(question):
    return [3, 7], [0.5, 0.25]

def one_pair(question):
    return [["refunds#1", 0.5]]

def one_list(question):
    return [["refunds#1", "77"]]

def id_and_text(question):
    return [("77", TEXT), Pair(("78", TEXT))]

def three(question):
    return [("77", TEXT, 0.5)]

def array(question):
    return Array("refunds#1")

def no_array(question):
    return Array()

def table(question):
    return Table()

def qdrant(question):
    return Response([Point(5, {{"text": TEXT, "source": "refunds"}}, 0.5)])

def chroma(question):
    return {{"ids": [["a", "refunds#1"]], "documents": [[TEXT, None]], "metadatas": [[{{"source": "refunds"}}, None]]}}

def elastic(question):
    return {{"took": 3, "hits": {{"total": 1, "hits": [{{"_id": "7", "_score": 0.5, "_source": {{"text": TEXT}}}}]}}}}

def chain(question):
    return {{"input": question, "context": [Document(TEXT, {{}})], "answer": "30 days"}}

def one_text(question):
    return TEXT

def nan(question):
    return [{{"id": "refunds#1", "score": float("nan")}}]

def unordered(question):
    return {{"refunds#1", "shipping#1"}}

def number_alone(question):
    return 3

def pages(question):
    return [{{"url": "https://help.example.com/refunds"}}]

def strange(question):
    return ["refunds#1", object()]

def other_names(question):
    return [{{"words": TEXT, "rank": 1}}]

def endless(question):
    while True:
        yield "refunds#1"

async def endless_stream(question):
    while True:
        yield "refunds#1"

def own_loop(question):
    assert asyncio.run(asyncio.sleep(0, "x")) == "x"
    return ["refunds#1"]

def this_loop(question):
    return asyncio.get_event_loop().run_until_complete(later(question, 3))["hits"]

async def same_loop(question):
    LOOPS.append(asyncio.get_running_loop())
    return ["refunds#1"] if len(set(LOOPS)) == 1 else []

LOOPS = []

async def fails_later(question):
    raise KeyError("index")

class Called:
    def __call__(self, question):
        return ["refunds#1"]
    @classmethod
    def made(cls, question):
        return ["refunds#1"]
    @staticmethod
    def alone(question):
        return ["refunds#1"]

called = Called()

def answer(question, passages):
    return f"{{len(passages)}}: {{passages[0]['text']}}"
"""


@pytest.fixture
def retrieve(opened: Opened, root: Path) -> Callable[..., list[ForeignHit] | str]:
    (root / "mine.py").write_text(MODULE, encoding="utf-8")

    def ask(name: str, groups: tuple[str, ...] | None = None) -> list[ForeignHit] | str:
        project = opened(
            ["x"], "retrieval.system=python", f"retrieval.python={sys.executable}", f"retrieval.callable=mine:{name}",
            "run.concurrency=1",
        )  # fmt: skip
        found = project.open_asker().ask("how long?", 7, groups)
        return found.reason if isinstance(found, Failure) else list(found)

    return ask


OURS = [ForeignHit("refunds#1")]


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("ids", OURS),
        ("dicts", [ForeignHit("1", TEXT, "refunds", 2.0)]),
        ("langchain", [ForeignHit("", TEXT, "docs/refunds.md", 0.5), ForeignHit("i1", TEXT, "refunds")]),
        ("llama", [ForeignHit("n1", TEXT, "refunds.md", 0.25)] * 2),
        ("generator", OURS),
        ("later", OURS),
        ("stream", OURS),
        ("retriever.invoke", OURS),
        ("none", "failed: TypeError: it returned None, which is no list of passages"),
        ("hit_of_none", "failed: TypeError: hit 2 is None: an id, a dict, a document"),
        ("empty", []),
        ("surrogate", [ForeignHit("", "\ufffd and so on")]),
        ("raises", "failed: ValueError: no index here"),
        ("leaves", "failed: SystemExit: 3"),
        ("dies", "ended with exit code 4"),
        ("odd", "failed: TypeError: a dict with hits, or a list, is needed"),
        ("scored", [ForeignHit("refunds#1", score=0.5)]),
        ("scored_before", [ForeignHit("", TEXT, "", 0.5)]),
        ("ids_and_scores", [ForeignHit("refunds#1", score=0.5)]),
        ("two_empty_lists", []),
        ("two_lists", "failed: TypeError: it returned two lists, which may mean anything: return pairs"),
        ("one_pair", [ForeignHit("refunds#1", score=0.5)]),
        ("one_list", [*OURS, ForeignHit("77")]),
        ("id_and_text", [ForeignHit("77", TEXT), ForeignHit("78", TEXT)]),
        ("three", "failed: TypeError: hit 1 is a tuple of 3: an id, a dict, a document, or one of them with its score"),
        ("array", OURS),
        ("no_array", []),
        ("table", [ForeignHit("refunds#1", score=0.5)]),
        ("qdrant", [ForeignHit("5", TEXT, "refunds", 0.5)]),
        ("chroma", [ForeignHit("a", TEXT, "refunds"), *OURS]),
        ("elastic", [ForeignHit("7", TEXT, "", 0.5)]),
        ("chain", [ForeignHit("", TEXT)]),
        ("one_text", [ForeignHit(TEXT)]),
        ("nan", OURS),
        ("unordered", "failed: TypeError: it returned a set, which is no list of passages in an order"),
        ("number_alone", "failed: TypeError: it returned an int, which is no list of passages"),
        ("pages", [ForeignHit("", "", "https://help.example.com/refunds")]),
        ("strange", "failed: TypeError: hit 2 is an object: it has neither id nor text nor doc"),
        ("other_names", "failed: TypeError: hit 1 is a dict with words, rank: it has neither id nor text nor doc"),
        ("own_loop", OURS),
        ("this_loop", OURS),
        ("same_loop", OURS),
        ("fails_later", "failed: KeyError: 'index'"),
        ("called", OURS),
        ("Called.made", OURS),
        ("Called.alone", OURS),
        ("Called", "failed: TypeError: mine:Called is a class: name a function, or a method of an object"),
        (
            "Retriever.invoke",
            "failed: TypeError: mine:Retriever.invoke needs an object: write retriever = Retriever() in mine,"
            " and name mine:retriever.invoke",
        ),
        ("retriever", "failed: TypeError: mine:retriever is a Retriever, no function; it has mine:retriever.invoke"),
        ("absent", "failed: AttributeError: module 'mine' has no attribute 'absent'"),
    ],
)
def test_what_a_function_returns(
    retrieve: Callable[..., list[ForeignHit] | str], name: str, expected: list[ForeignHit] | str
) -> None:
    found = retrieve(name)
    if isinstance(found, str) and isinstance(expected, str):
        assert found.startswith(f"mine:{name} {expected}")
    else:
        assert found == expected


@pytest.mark.parametrize("name", ["endless", "endless_stream"])
def test_an_endless_generator_has_an_end(retrieve: Callable[..., list[ForeignHit] | str], name: str) -> None:
    found = retrieve(name)
    assert set(found) == set(OURS)
    assert len(found) <= 10_000


def test_its_loop_stays_the_same_and_is_there_after_another_one(root: Path, opened: Opened) -> None:
    (root / "mine.py").write_text(MODULE, encoding="utf-8")
    for name in ("same_loop", "own_loop", "this_loop"):
        project = opened(
            ["x"], "retrieval.system=python", f"retrieval.python={sys.executable}", f"retrieval.callable=mine:{name}",
            "run.concurrency=1",
        )  # fmt: skip
        asker = project.open_asker()
        assert [asker.ask(question, 7, None) for question in ("one", "two", "three")] == [tuple(OURS)] * 3


def test_it_is_told_who_asks(retrieve: Callable[..., list[ForeignHit] | str]) -> None:
    assert retrieve("groups") == [ForeignHit("nobody")]
    assert retrieve("groups", ("staff", "legal")) == [ForeignHit("staff,legal")]


def test_it_answers_from_what_it_is_given(opened: Opened, root: Path) -> None:
    (root / "mine.py").write_text(MODULE, encoding="utf-8")
    project = opened(
        ["how long?"], "retrieval.system=python", f"retrieval.python={sys.executable}", "retrieval.callable=mine:dicts",
        "retrieval.answer_callable=mine:answer", "answers.generator=system",
    )  # fmt: skip
    silent = evaluate(project, store=False).questions[0]
    assert silent.live is None
    told = []
    result = evaluate(project, store=False, ask=told.append).questions[0]
    assert [one.requests for one in told] == [2]
    assert result.live is not None
    assert result.oracle is not None
    assert result.live.text == f"1: {TEXT}"
    assert result.oracle.text == f"1: # Refunds\n\n{TEXT}"
    assert (result.live.correct, result.live.passages) == (True, ("1",))


def test_what_comes_with_its_passages_is_its_own_answer_and_has_no_oracle(opened: Opened, root: Path) -> None:
    (root / "mine.py").write_text(MODULE, encoding="utf-8")
    project = opened(
        ["how long?"], "retrieval.system=python", f"retrieval.python={sys.executable}", "retrieval.callable=mine:later",
        "retrieval.own_answers=true", "answers.generator=system",
    )  # fmt: skip
    result = evaluate(project, store=False).questions[0]
    assert result.live is not None
    assert (result.live.text, result.oracle) == ("30 days", None)
    assert result.no_oracle == "the system answers from passages of its own choice"


def test_what_is_imported_first_is_not_the_functions_time(opened: Opened, root: Path) -> None:
    (root / "mine.py").write_text("import time\ntime.sleep(0.5)\n\ndef ids(question):\n    return ['refunds#1']\n", "utf-8")
    project = opened(["x"], "retrieval.system=python", f"retrieval.python={sys.executable}", "retrieval.callable=mine:ids")
    began = time.monotonic()
    run = evaluate(project, store=False)
    whole = time.monotonic() - began
    assert 0 <= run.manifest["system"]["seconds"]["p99"] < whole - 0.5


def test_another_function_of_the_same_file_is_another_configuration(opened: Opened, root: Path) -> None:
    (root / "mine.py").write_text(MODULE, encoding="utf-8")

    def fingerprint(*overrides: str) -> str:
        return opened(["x"], "retrieval.system=python", *overrides).config_fingerprint()

    one = fingerprint("retrieval.callable=mine:ids")
    assert one == fingerprint("retrieval.callable=mine:ids")
    others = {
        fingerprint("retrieval.callable=mine:dicts"),
        fingerprint("retrieval.callable=mine:ids", "retrieval.answer_callable=mine:answer"),
    }
    (root / "mine.py").write_text(MODULE + "#", encoding="utf-8")
    others.add(fingerprint("retrieval.callable=mine:ids"))
    assert len(others - {one}) == 3


def test_the_shim_needs_nothing_but_an_old_python() -> None:
    source = Path(shim.__file__).read_text(encoding="utf-8")
    ast.parse(source, "shim.py", feature_version=(3, 8))
    assert "ragtriage." not in source
    for new in ("match ", "except*", "removeprefix", "zip(strict", "|="):
        assert new not in source, new


def test_a_value_that_is_no_text_is_no_hit() -> None:
    assert shim.hit(("refunds#1", 0.5)) == {"id": "refunds#1", "score": 0.5}
    assert json.loads(json.dumps(shim.searched({"id": "x", "score": float("inf")})))["hits"][0]["id"] == "x"

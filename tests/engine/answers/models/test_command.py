"""A program as a model: what it is told, what becomes of what it says, and that nothing of it is left."""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from tests.engine.answers.models.conftest import KEY
from tests.processes import gone

from ragtriage.answers.models.base import Reply, Request
from ragtriage.answers.models.command import CommandModel
from ragtriage.errors import ModelFailed
from ragtriage.remote.endpoint import Endpoint
from ragtriage.types import Passage, Span

PROGRAM = str(Path(__file__).resolve().parents[3] / "fakes" / "answerer.py")
ENDPOINT = Endpoint("command", command=(sys.executable, PROGRAM), retries=1, timeout_s=30.0)


@pytest.fixture(autouse=True)
def _key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MY_KEY", KEY)


def asked(question: str, prompt: str = "") -> Request:
    return Request("", prompt, question)


def outcomes(*requests: Request | str, **more: Any) -> list[Reply | ModelFailed]:
    """What becomes of requests that are asked at once."""

    async def work() -> list[Any]:
        model = CommandModel(replace(ENDPOINT, **more))
        try:
            wanted = [asked(one) if isinstance(one, str) else one for one in requests]
            return await asyncio.gather(*map(model.complete, wanted), return_exceptions=True)
        finally:
            await model.close()

    found = asyncio.run(work())
    for one in found:
        if not isinstance(one, (Reply, ModelFailed)):
            raise one
    return found


def reason(question: str, **more: Any) -> str:
    (failure,) = outcomes(question, **more)
    assert isinstance(failure, ModelFailed)
    assert str(failure).isprintable()
    assert KEY not in str(failure)
    return str(failure).partition(" ")[2]


def text(question: str, **more: Any) -> str:
    (reply,) = outcomes(question, **more)
    assert isinstance(reply, Reply), reply
    return reply.text


def test_a_reply_with_all_that_it_told():
    (reply,) = outcomes("how long?")
    assert isinstance(reply, Reply)
    assert reply._replace(seconds=0.0) == Reply("re: how long?", "mine-1", 11, 7)


def test_it_gets_the_passages_the_prompt_and_the_schema():
    passage = Passage(2, "refunds#1", "refunds", Span(0, 9), ("Time limit",), "Refunds", "within \ud800 30 days")
    request = Request("Be brief.", "[2] …", "all:", (passage,), schema='{"type": "object"}')
    (reply,) = outcomes(request, max_tokens=9, temperature=0.5)
    assert isinstance(reply, Reply)
    assert json.loads(reply.text) == {
        "id": "1", "question": "all:", "system": "Be brief.", "prompt": "[2] …", "max_tokens": 9, "temperature": 0.5,
        "passages": [
            {"number": 2, "doc": "refunds", "title": "Refunds", "heading": ["Time limit"], "text": "within ? 30 days"}
        ],
        "schema": {"type": "object"},
    }  # fmt: skip


def test_its_surroundings_are_small_and_its_folder_is_the_projects(tmp_path, monkeypatch):
    monkeypatch.setenv("OTHER_SECRET", "x")
    monkeypatch.setenv("LC_TIME", "C")
    seen = json.loads(text("env:", api_key_env="MY_KEY"))
    assert (
        {"PATH", "MY_KEY", "LC_TIME"} <= seen.keys() <= {"PATH", "HOME", "LANG", "TMPDIR", "MY_KEY", *filter(_is_locale, seen)}
    )
    assert seen["MY_KEY"] == "***", "the program has it, its answer does not"
    assert "MY_KEY" not in json.loads(text("env:"))
    assert text("cwd:", folder=str(tmp_path)) == os.path.realpath(tmp_path)


def _is_locale(name: str) -> bool:
    return name.startswith("LC_")


def test_answers_come_in_any_order_and_to_whom_they_belong():
    found = outcomes(*(asked("later", f"p{number}") for number in range(2)), *(f"q{number}" for number in range(30)))
    assert [one.text for one in found if isinstance(one, Reply)] == ["p0", "p1", *(f"re: q{number}" for number in range(30))]


def test_noise_pieces_strangers_and_repetitions_do_no_harm():
    assert text("garbage:") == "after all that"
    assert text("partial:") == "in pieces"


@pytest.mark.parametrize(
    ("line", "says"),
    [
        ({"error": "out of\nluck"}, "failed: out of luck"),
        ({"error": {"message": "no"}}, "failed: no"),
        ({"error": [7]}, "failed: it does not say why"),
        ({"error": f"the key {KEY} is bad"}, "failed: the key *** is bad"),
        ({}, "sent an answer without a text"),
        ({"text": None}, "sent an answer without a text"),
        ({"text": ["a"]}, "sent an answer without a text"),
    ],
)
def test_an_answer_that_is_none_is_a_reason(line, says):
    assert reason(f"raw:{json.dumps(line)}", api_key_env="MY_KEY") == says


def test_fields_of_wrong_types_are_unknown():
    line = {"text": f"\ud800 {KEY}", "input_tokens": "1", "output_tokens": -1, "model": 5}
    (reply,) = outcomes(f"raw:{json.dumps(line)}", api_key_env="MY_KEY")
    assert isinstance(reply, Reply)
    assert reply._replace(seconds=0.0) == Reply("\ufffd ***")


def test_one_that_dies_is_started_again(tmp_path):
    assert text(f"once:{tmp_path / 'died'}") == "the second time"


def test_one_that_always_dies_says_how_and_is_hopeless():
    assert reason("die:", api_key_env="MY_KEY") == "ended with exit code 3: I cannot go on with *** [31m, 2 times"
    assert reason("killed:", retries=0) == "was killed by signal 9"
    (failure,) = outcomes("die:")
    assert isinstance(failure, ModelFailed)
    assert failure.hopeless


def test_one_that_dies_of_a_question_answers_the_others():
    async def work() -> list[Any]:
        model = CommandModel(ENDPOINT)
        found = []
        for question in ("a", "die:", "b"):
            try:
                found.append((await model.complete(asked(question))).text)
            except ModelFailed as failure:
                found.append(failure.hopeless)
        await model.close()
        return found

    assert asyncio.run(work()) == ["re: a", False, "re: b"]


def test_one_that_hangs_floods_or_chatters_is_stopped():
    assert reason("hang:", timeout_s=0.3) == "did not answer within 0.3 s, 2 times"
    assert reason("flood:") == "wrote a line of more than 10 MB, 2 times"
    assert (
        reason("chatter:", timeout_s=0.5, retries=0)
        == "did not answer within 0.5 s; it wrote what answers nothing: still loading"
    )
    assert reason("close:", retries=0) == "closed its standard output"


def test_one_that_is_slow_is_waited_for_and_not_asked_twice():
    code = (
        "import json, sys, time\n"
        "for n, line in enumerate(sys.stdin):\n"
        "    time.sleep(0.4)\n"
        "    print(json.dumps({'id': json.loads(line)['id'], 'text': str(n)}), flush=True)"
    )
    found = outcomes("a", "b", "c", command=(sys.executable, "-c", code), timeout_s=0.6, retries=3)
    assert [one.text for one in found if isinstance(one, Reply)] == ["0", "1", "2"]


@pytest.mark.parametrize("command", [("no-such-program-7",), ("/",), ("",), ()])
def test_one_that_cannot_be_started_is_hopeless(command):
    (failure,) = outcomes("a", command=command)
    assert isinstance(failure, ModelFailed)
    assert failure.hopeless
    assert "cannot be started: " in str(failure)
    assert "No such file" in reason("a", folder="/no/such/folder")


@pytest.mark.skipif(not Path("/proc").is_dir(), reason="looks at processes through /proc")
@pytest.mark.parametrize("question", ["a", "die:", "hang:", "flood:", "close:"])
def test_nothing_of_it_is_left(question, tmp_path):
    pids = tmp_path / "pids"
    outcomes(question, question, command=(sys.executable, PROGRAM, str(pids)), timeout_s=0.5)
    for pid in pids.read_text(encoding="utf-8").split() if pids.exists() else ():
        assert gone(int(pid))


@pytest.mark.skipif(not Path("/proc").is_dir(), reason="looks at processes through /proc")
def test_a_cancel_ends_it_with_all_that_it_started(tmp_path):
    pids = tmp_path / "pids"

    async def work() -> None:
        model = CommandModel(replace(ENDPOINT, command=(sys.executable, PROGRAM, str(pids))))
        asking = asyncio.create_task(model.complete(asked("hang:")))
        while not pids.exists() or not pids.read_text(encoding="utf-8").endswith("\n"):
            await asyncio.sleep(0.01)
        asking.cancel()
        with pytest.raises(asyncio.CancelledError):
            await asking
        await model.close()

    asyncio.run(asyncio.wait_for(work(), 60))
    assert gone(int(pids.read_text(encoding="utf-8")))


LEAVES = """
import asyncio, pathlib, sys, threading, time
from ragtriage.answers.models.base import Request
from ragtriage.remote.endpoint import Endpoint
from ragtriage.answers.models.command import CommandModel

async def ask():
    await CommandModel(Endpoint("command", command=tuple(sys.argv[1:]))).complete(Request("", "", "hang:"))

threading.Thread(target=lambda: asyncio.run(ask()), daemon=True).start()
pids = pathlib.Path(sys.argv[-1])
while not pids.exists() or not pids.read_text().endswith("\\n"):
    time.sleep(0.01)
"""


@pytest.mark.skipif(not Path("/proc").is_dir(), reason="looks at processes through /proc")
def test_nothing_of_it_is_left_where_the_process_leaves_without_waiting(tmp_path):
    pids = tmp_path / "pids"
    subprocess.run([sys.executable, "-c", LEAVES, sys.executable, PROGRAM, str(pids)], check=True, timeout=60)
    started = pids.read_text(encoding="utf-8").split()
    assert started
    assert all(gone(int(pid)) for pid in started)

"""A program that is asked one thing after the other: what becomes of what it says, and that nothing of it is left."""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.processes import gone

from ragtriage.errors import Cancelled, SystemFailed
from ragtriage.programs.conversation import Conversation

PROGRAM = str(Path(__file__).resolve().parents[2] / "fakes" / "answerer.py")


def nothing() -> None:
    pass


@pytest.fixture
def talk() -> Iterator[Callable[..., Conversation]]:
    """talk("argument", …, timeout_s=…): a conversation that is closed in the end."""
    made: list[Conversation] = []

    def make(*words: str, timeout_s: float = 30.0, command: tuple[str, ...] = (sys.executable, PROGRAM)) -> Conversation:
        made.append(Conversation((*command, *words), "", timeout_s=timeout_s))
        return made[-1]

    yield make
    for one in made:
        one.close()


def asked(one: Conversation, question: str) -> dict[str, Any]:
    return one.ask({"question": question}, nothing)


def reason(one: Conversation, question: str) -> str:
    with pytest.raises(SystemFailed) as caught:
        asked(one, question)
    assert str(caught.value).isprintable()
    return str(caught.value).partition(" ")[2]


def written(*lines: str) -> tuple[str, ...]:
    """A program that answers each request with these lines."""
    return sys.executable, "-c", f"import sys\nfor _ in sys.stdin: sys.stdout.write({''.join(lines)!r}); sys.stdout.flush()"


def test_one_process_answers_many_requests(talk: Callable[..., Conversation]) -> None:
    one = talk()
    assert [asked(one, text)["text"] for text in ("a", "b", "partial")] == ["re: a", "re: b", "in pieces"]
    environment = json.loads(asked(one, "env")["text"])
    assert environment.keys() <= {"PATH", "HOME", "LANG", "TMPDIR", "LC_ALL", "LC_CTYPE"}
    assert json.loads(asked(one, "all")["text"]) == {"id": "5", "question": "all"}


def test_a_request_larger_than_a_pipe_comes_whole(talk: Callable[..., Conversation]) -> None:
    text = "all" + "é\ud800" * 200_000
    command = (sys.executable, "-c", "import sys, json\nfor l in sys.stdin:\n  sys.stderr.write('x' * 300000)\n"
               "  print(json.dumps({'n': len(json.loads(l)['question'])}), flush=True)")  # fmt: skip
    one = talk(command=command)
    assert [one.ask({"question": text}, nothing)["n"] for _ in range(2)] == [400_003, 400_003]


def test_one_that_dies_is_asked_once_more(talk: Callable[..., Conversation], tmp_path: Path) -> None:
    one = talk()
    assert asked(one, f"once:{tmp_path / 'seen'}")["text"] == "the second time"
    assert reason(one, "die") == "ended with exit code 3: I cannot go on with nothing [31m"
    assert reason(one, "killed") == "was killed by signal 9"
    assert asked(one, "well again")["text"] == "re: well again"


@pytest.mark.parametrize(
    ("question", "says"),
    [
        ("hang", "did not answer within 1 s"),
        ("chatter", "wrote more than 10 MB without an answer"),
        ("flood", "wrote more than 10 MB without an answer"),
        ("garbage", "answered one request twice"),
        ('raw:{"error": "out of memory"}', "failed: out of memory"),
        ('raw:{"error": {"message": "no\\u001b[2J GPU"}}', "failed: no [2J GPU"),
        (
            'raw:{"id": "99", "text": "?"}',
            'did not answer within 1 s; it wrote what answers nothing: {"id": "99", "text": "?"}',
        ),
    ],
)
def test_what_is_no_answer_is_a_failure_with_its_reason(talk: Callable[..., Conversation], question: str, says: str) -> None:
    one = talk(timeout_s=30.0 if "10 MB" in says else 1.0)
    assert reason(one, question) == says
    one._timeout_s = 30.0
    assert asked(one, "and then")["text"] == "re: and then"


def test_one_that_closes_its_output_has_ended(talk: Callable[..., Conversation]) -> None:
    assert reason(talk(), "close") == "closed its standard output"


def test_a_late_line_without_an_id_is_not_taken_for_the_next_answer(talk: Callable[..., Conversation]) -> None:
    late = "import sys, time\nfor n, _ in enumerate(sys.stdin):\n  print('{\"n\": %d}' % n, flush=True)\n"
    late += "  if n == 0: time.sleep(.2); print('{\"n\": 99}\\nlog', flush=True)"
    one = talk(command=(sys.executable, "-c", late))
    assert one.ask({}, nothing)["n"] == 0
    time.sleep(0.6)
    assert one.ask({}, nothing)["n"] == 0  # of a fresh one
    two = talk(command=written('{"n": 1}\n{"n": 2}\n'))
    with pytest.raises(SystemFailed, match="answered one request twice"):
        two.ask({}, nothing)


def test_logs_around_an_answer_and_a_last_line_without_an_end(talk: Callable[..., Conversation]) -> None:
    one = talk(command=written("loading\n", '{"n": 1}\n', "scored\n"))
    assert [one.ask({}, nothing)["n"] for _ in range(3)] == [1, 1, 1]
    two = talk(command=(sys.executable, "-c", "import sys; sys.stdin.readline(); sys.stdout.write('{\"n\": 2}')"))
    assert [two.ask({}, nothing)["n"] for _ in range(2)] == [2, 2]


def test_one_that_is_lost_again_and_again_is_given_up(talk: Callable[..., Conversation], tmp_path: Path) -> None:
    starts = tmp_path / "starts"
    one = talk(command=(sys.executable, "-c", f"open({str(starts)!r}, 'a').write('x'); raise SystemExit('no model')"))
    with pytest.raises(SystemFailed, match=r"ended with exit code 1: no model$"):
        one.ask({}, nothing)
    for _ in range(20):
        with pytest.raises(SystemFailed, match="no model"):
            one.ask({}, nothing)
    assert len(starts.read_text(encoding="utf-8")) == 6  # two for each of three
    with pytest.raises(SystemFailed, match="not asked: the 3 before it were lost, and nothing answered in between"):
        one.ask({}, nothing)
    for command in (("./absent-program",), ()):
        with pytest.raises(SystemFailed, match="cannot be started: "):
            talk(command=command).ask({}, nothing)


def test_it_ends_with_all_that_it_started(talk: Callable[..., Conversation], tmp_path: Path) -> None:
    pids = tmp_path / "pids"
    one = talk(str(pids))
    asked(one, "here")
    while not (pids.exists() and pids.read_text(encoding="utf-8").endswith("\n")):
        time.sleep(0.01)
    one.close()
    assert gone(int(pids.read_text(encoding="utf-8")))
    assert asked(one, "and again")["text"] == "re: and again"


def test_a_wait_can_be_cancelled(talk: Callable[..., Conversation]) -> None:
    one = talk()
    ticks = 0

    def tick() -> None:
        nonlocal ticks
        ticks += 1
        if ticks > 1:
            raise Cancelled("stopped")

    with pytest.raises(Cancelled):
        one.ask({"question": "hang"}, tick)
    assert asked(one, "on we go")["text"] == "re: on we go"

"""Lists of questions asked of servers that fail now and then: what each ends as, what a second run asks, what a kill costs."""

from __future__ import annotations

import logging
import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest
from tests.engine.answers.models.conftest import KEY
from tests.fakes.providers import Act, FakeAnthropic, FakeOpenAI, FakeProvider, error, flaky
from tests.soak import rounds

from ragtriage.answers.models.asking import Asker
from ragtriage.answers.models.base import Reply, Request
from ragtriage.answers.models.replies import ReplyCache
from ragtriage.errors import Cancelled
from ragtriage.remote.endpoint import Endpoint
from ragtriage.types import Failure

pytestmark = pytest.mark.usefixtures("quick")

ROOT = Path(__file__).resolve().parents[4]
BOTH = pytest.mark.parametrize("kind", [FakeOpenAI, FakeAnthropic])
BAD = [
    error(429, f"slow down, {KEY}", {"retry-after": "0.005"}),
    error(500, f"an error about {KEY}", {"x-echo": KEY}),
    Act(200, f'{{"choices": [{{"mess {KEY}'.encode()),
    Act(cut=40),
    Act(delay_s=1.5),
    Act(text=f"I was given {KEY}."),
]


def asker_of(fake: FakeProvider, folder: Path, **more: Any) -> Asker:
    endpoint = Endpoint(fake.provider, model="m", base_url=fake.url, **{"retries": 1, "timeout_s": 1.0} | more)  # type: ignore[arg-type]
    return Asker(endpoint, ReplyCache(folder / "replies"), permit=lambda: None)


def questions(count: int) -> list[Request]:
    return [Request("", f"q{number}") for number in range(count)]


def ask(asker: Asker, count: int) -> list[Reply | Failure]:
    return asker.ask(questions(count), lambda _: None, stage="answering")


def nothing_holds_the_key(folder: Path) -> None:
    for path in folder.rglob("*"):
        assert not path.is_file() or KEY.encode() not in path.read_bytes(), path


@BOTH
def test_every_question_ends_and_a_second_run_asks_only_what_is_missing(kind, tmp_path, caplog):
    count = rounds(24, 600)
    with kind(flaky(7, 0.2, BAD)) as fake, caplog.at_level(logging.DEBUG):
        first = ask(asker_of(fake, tmp_path), count)
        failed = [one for one in first if isinstance(one, Failure)]
        assert 0 < len(failed) < count / 4
        assert all(one.reason.startswith(f"127.0.0.1:{fake.port} ") for one in failed)
        again = asker_of(fake, tmp_path)
        second = ask(again, count)
        assert again.asked == len(failed)
        assert [two for one, two in zip(first, second, strict=True) if isinstance(one, Reply)] == [
            one for one in first if isinstance(one, Reply)
        ]
        for _ in range(20):
            if all(isinstance(one, Reply) for one in second):
                break
            second = ask(asker_of(fake, tmp_path), count)
        before = len(fake.requests)
        assert ask(asker_of(fake, tmp_path), count) == second
        assert len(fake.requests) == before
    texts = {one.text for one in second if isinstance(one, Reply)}
    assert texts <= {f"re: q{number}" for number in range(count)} | {"I was given ***."}
    assert "httpcore2" in {record.name.partition(".")[0] for record in caplog.records}, "the libraries were as loud as they get"
    assert KEY not in caplog.text
    assert KEY not in repr([first, second])
    nothing_holds_the_key(tmp_path)


@BOTH
def test_a_refused_key_stops_the_list(kind, tmp_path):
    with kind(lambda _: error(401, f"no such key: {KEY}")) as fake:
        found = ask(asker_of(fake, tmp_path), 40)
        assert len(fake.requests) <= 4
    assert found == [Failure(f"127.0.0.1:{fake.port} answers 401: no such key: ***")] * 40


@BOTH
def test_a_cancel_from_the_progress_stops_what_is_on_its_way(kind, tmp_path):
    def cancel(stage: str, done: int, total: int) -> None:
        if done >= 3:
            raise Cancelled("stopped")

    with kind(lambda _: Act(delay_s=0.02)) as fake:
        with pytest.raises(Cancelled):
            asker_of(fake, tmp_path, timeout_s=30.0).ask(questions(400), lambda _: None, stage="answering", progress=cancel)
        sent = len(fake.requests)
        time.sleep(0.1)
        assert len(fake.requests) == sent < 100
        again = asker_of(fake, tmp_path, timeout_s=30.0)
        assert sum(one is not None for one in again.known(questions(400))) >= 3


def start(fake: FakeProvider, count: int, cache: Path) -> subprocess.Popen[str]:
    words = [sys.executable, "-m", "tests.fakes.asking", fake.provider, fake.url, str(count), str(cache)]
    env = os.environ | {"OPENAI_LOG": "debug", "ANTHROPIC_LOG": "debug"}
    return subprocess.Popen(words, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=env)


@BOTH
def test_a_kill_loses_nothing_that_had_come(kind, tmp_path):
    rng = random.Random(3)
    count = 60
    with kind(lambda _: Act(delay_s=0.02)) as fake:
        for number in range(rounds(2, 40)):
            cache = tmp_path / str(number)
            fake.requests.clear()
            with start(fake, count, cache) as process:
                if process.stdout is None:
                    raise RuntimeError("the process has no pipe")
                process.stdout.readline()
                while not fake.finished and process.poll() is None:
                    time.sleep(0.01)
                time.sleep(rng.uniform(0, 0.35))
                process.kill()
                said = [line.split() for line in process.stdout.read().splitlines()]
            acknowledged = max([int(words[1]) for words in said if words[:1] == ["have"]], default=0)
            sent = len(fake.requests)
            kept = sum(path.is_file() and "." not in path.name for path in cache.rglob("*")) if cache.exists() else 0
            assert acknowledged <= kept <= sent <= kept + 4, "at most those on their way are asked again"
            with start(fake, count, cache) as process:
                out, err = process.communicate(timeout=60)
            assert out.count("Reply(") == count
            assert "DEBUG" in err
            assert len(fake.requests) == sent + count - kept
            assert KEY not in out + err
            nothing_holds_the_key(cache)


@BOTH
def test_an_interrupt_stops_at_once_and_quietly(kind, tmp_path):
    with kind(lambda _: Act(delay_s=600.0)) as fake, start(fake, 9, tmp_path) as process:
        while not fake.requests:
            time.sleep(0.01)
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=60)  # the answers would come later
    assert out.splitlines()[-1] == "interrupted"
    assert "Traceback" not in err
    assert KEY not in out + err
    assert len(fake.requests) <= 4

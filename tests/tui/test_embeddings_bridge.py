"""A server that embeds, in the app: nothing is sent before a word for it nor, where it costs, before one for each sending."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.fakes.providers import FakeEmbeddings
from tests.tui.demo import DemoDoor
from tests.tui.test_app import until
from tests.tui.test_cli_embeddings import configured
from tests.tui.test_judge_app import OneDriver, run_one

from ragtriage_tui.answer_views import Consent
from ragtriage_tui.bridge.door import Door
from ragtriage_tui.views import Overview, Progress
from ragtriage_tui.workers import NeedsWord


def quiet(stage: str, done: int, total: int) -> None: ...


@contextlib.contextmanager
def opened(project: Path) -> Iterator[tuple[FakeEmbeddings, Door]]:
    """A project with a server on this machine, which is free."""
    with FakeEmbeddings() as fake:
        configured(project, fake.url)
        door = Door(project)
        door.open(quiet)
        yield fake, door
        door.close()


def needed(door: Door, agreed: frozenset[str] = frozenset()) -> NeedsWord:
    with pytest.raises(NeedsWord) as caught:
        door.measure(quiet, agreed=agreed)
    return caught.value


def test_a_server_that_costs_is_trusted_then_paid(project: Path) -> None:
    with FakeEmbeddings() as fake:
        configured(project, fake.url, "price = 2.0")
        door = Door(project)
        assert door.open(quiet).missing == 5
        assert door.measure(quiet, bm25_only=True).figures
        trusting = needed(door)
        assert trusting.consent.question == "Trust this from now on, and measure?"
        assert trusting.consent.lines[1].startswith(f"embedding: sends the texts of the corpus and questions to {fake.url}, ")
        assert "nothing was run, read or sent" in str(trusting)
        agreed = frozenset({trusting.consent.token})
        passages = needed(door, agreed)
        assert passages.consent.question == "Send them?"
        (line,) = passages.consent.lines
        assert line.startswith(f"embedding passages: 5 texts to embedder-x at 127.0.0.1:{fake.port}: about ")
        assert "cost about " in line
        assert str(passages) == f"{line}; nothing was sent"
        assert needed(door).consent == passages.consent  # trusted from now on
        assert fake.requests == []
        agreed |= {passages.consent.token}
        questions = needed(door, agreed)
        assert questions.consent.lines[0].startswith("embedding questions: ")
        assert len(fake.texts) == 5
        assert door.measure(quiet, agreed=agreed | {questions.consent.token}).figures
        sent = len(fake.texts)
        assert door.measure(quiet).figures  # all is known
        assert len(fake.texts) == len(set(fake.texts)) == sent
        door.close()


def test_a_server_on_this_machine_needs_trust_alone(project: Path) -> None:
    with opened(project) as (_, door):
        token = needed(door).consent.token
        assert door.measure(quiet, agreed=frozenset({token})).figures


def test_what_was_not_shown_is_not_agreed_to(project: Path) -> None:
    with opened(project) as (fake, door):
        token = needed(door).consent.token
        other = Door(project)
        other.open(quiet)
        assert needed(other, frozenset({token, "trust:made up"})).consent.token == token
        assert fake.requests == []
        other.close()


def test_a_question_is_embedded_with_the_same_words(project: Path) -> None:
    with opened(project) as (fake, door):
        came = door.ask("q001", quiet)
        assert isinstance(came, Consent)
        assert came.question == "Trust this from now on, and ask?"
        assert any("embedding: sends" in line for line in came.lines)
        assert fake.requests == []


class Costly(DemoDoor):
    """Measures after two words."""

    def measure(self, progress: Progress, *, bm25_only: bool = False, agreed: frozenset[str] = frozenset()) -> Overview:
        for token, line in (
            ("trust:1", "embedding: sends the texts"),
            ("cost:2", "5 texts to e at api.example: about 900 tokens"),
        ):
            if token not in agreed:
                raise NeedsWord("nothing was sent", Consent(f"{token}?", (line,), token))
        return super().measure(progress, bm25_only=bm25_only)


def test_the_app_asks_for_both_words_and_only_y_gives_one() -> None:
    door = Costly()

    async def work(driver: OneDriver) -> None:
        await driver.press("ctrl+r")
        await until(lambda: "trust:1?   Y do it   any other key no" in driver.text)
        assert "embedding: sends the texts" in driver.text
        await driver.press("n")
        assert door.events == []
        await driver.press("ctrl+r")
        await until(lambda: "trust:1?" in driver.text)
        await driver.press("Y")
        await until(lambda: "cost:2?" in driver.text)
        assert "5 texts to e at api.example: about 900 tokens" in driver.text
        assert door.events == []
        await driver.press("Y")
        await until(lambda: "measured" in driver.text)
        assert door.events == ["measure"]

    run_one(work, door)

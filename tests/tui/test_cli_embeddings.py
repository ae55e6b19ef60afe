"""Embeddings from a server on the command line: trusted first, told and agreed to, asked once, and what fails is told."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from tests.fakes.providers import FINE, Act, FakeEmbeddings, Seen, error

if TYPE_CHECKING:
    from tests.tui.conftest import Command


def configured(project: Path, url: str, more: str = "") -> None:
    file = project / "ragtriage.toml"
    table = f'[embedding]\nprovider = "openai"\nmodel = "embedder-x"\nbase_url = "{url}"\n{more}\n'
    before = file.read_text(encoding="utf-8").replace('mode = "bm25"', 'mode = "hybrid"')
    file.write_text(before + table, encoding="utf-8")


def test_nothing_is_sent_that_nobody_trusts(project: Path, ragtriage: Command) -> None:
    with FakeEmbeddings() as fake:
        configured(project, fake.url)
        for words in (["eval"], ["index", "--yes"], ["search", "refunds"], ["sweep", "--mode", "dense", "--yes"]):
            done = ragtriage(*words)
            assert done.code == 2, done
            assert f"embedding: sends the texts of the corpus and questions to {fake.url}, with the key in" in done.err
        assert fake.requests == []
        assert ragtriage("eval", "--mode", "bm25").code == 0
        assert fake.requests == []


def test_a_free_server_is_told_and_asked_once(project: Path, ragtriage: Command) -> None:
    with FakeEmbeddings() as fake:
        configured(project, fake.url)
        done = ragtriage("eval", "--trust", "--json")
        assert done.code == 0, done
        assert f"embedding passages: 5 texts to embedder-x at 127.0.0.1:{fake.port}: about" in done.err
        assert "embedding questions: " in done.err
        assert len(fake.texts) == len(set(fake.texts)) == done.json["encoded"]
        before = len(fake.texts)
        again = ragtriage("eval", "--json")  # nothing is sent, so nobody's word is needed
        assert again.json["metrics"] == done.json["metrics"]
        assert len(fake.texts) == before
        assert again.json["encoded"] == 0


def test_what_costs_needs_a_word(project: Path, ragtriage: Command) -> None:
    with FakeEmbeddings() as fake:
        configured(project, fake.url, "price = 2.0")
        refused = ragtriage("eval", "--trust")
        assert refused.code == 2
        assert "cost about" in refused.err
        assert "--yes agrees to this" in refused.err
        other = ragtriage("--trust", "--plain")  # a command that cannot ask
        assert other.code == 2
        assert "`ragtriage index` asks first" in other.err
        assert fake.requests == []
        assert ragtriage("index", "--trust", "--yes").code == 0
        assert ragtriage("sweep", "--trust", "--yes", "--size", "32,64", "--no-confirm").code == 0
        assert len(fake.texts) == len(set(fake.texts))


def test_a_question_that_the_server_refuses_fails_alone(project: Path, ragtriage: Command) -> None:
    def script(seen: Seen) -> Act:
        return error(400, "I do not like this") if "ERR_4021" in seen.body["input"] else FINE

    with FakeEmbeddings(script) as fake:
        configured(project, fake.url)
        done = ragtriage("eval", "--trust", "--json")
    assert done.code == 3
    failed = [one for one in done.json["per_question"] if one["status"] == "failed"]
    assert len(failed) == 1
    assert failed[0]["reason"] == f"the question has no vector: 127.0.0.1:{fake.port} answers 400: I do not like this"


def test_a_server_that_goes_leaves_what_came(project: Path, ragtriage: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    with FakeEmbeddings([FINE, FINE]) as fake:
        configured(project, fake.url, "batch_size = 2\n\n[run]\nconcurrency = 1\nretries = 0")
        fake._acts = lambda seen: FINE if len(fake.requests) <= 2 else Act(cut=40)
        done = ragtriage("index", "--trust")
        assert done.code == 3
        assert "1 of 5 passages have no vector" in done.err
        assert "The other 4 are kept; the same command asks for what is missing" in done.err
        fake._acts = lambda seen: FINE
        before = len(fake.texts)
        done = ragtriage("index", "--trust")
        assert done.code == 0, done
        assert "1 text embedded" in done.out
        assert len(fake.texts) == before + 1


def test_doctor_says_which_server_and_sends_nothing(project: Path, ragtriage: Command) -> None:
    with FakeEmbeddings() as fake:
        configured(project, fake.url)
        done = ragtriage("doctor")
        assert f"embedder-x at 127.0.0.1:{fake.port}" in done.out
        assert fake.requests == []

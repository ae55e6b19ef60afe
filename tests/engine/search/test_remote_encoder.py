"""Embeddings from a server that misbehaves in every way it can: real HTTP on loopback, each text embedded once or failed."""

from __future__ import annotations

import itertools
import json
import logging
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.fakes.embedding import embedder, texts
from tests.fakes.providers import FINE, Act, FakeEmbeddings, Seen, error

from ragtriage.config import EmbeddingConfig, RunConfig
from ragtriage.errors import Cancelled, ConfigError, EncoderFailed, Untrusted, UsageError
from ragtriage.remote.estimate import Consent, Estimate
from ragtriage.search.encoder import AskedEncoder, Encoder, TextsFailed
from ragtriage.search.indexes import Indexes
from ragtriage.search.remote_encoder import RemoteEncoder
from ragtriage.types import no_progress

ROOT = Path(__file__).resolve().parents[3]
KEY = "sk-a-very-secret-key-of-mine"
SOON = {"retry-after": "0.01"}


@pytest.fixture(autouse=True)
def key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", KEY)


def unit(values: list[float]) -> np.ndarray:
    vector = np.asarray(values)
    return (vector / np.linalg.norm(vector)).astype(np.float16)


def expected(fake: FakeEmbeddings, asked: list[str]) -> np.ndarray:
    return np.stack([unit(fake.vector(text)) for text in asked])


def test_vectors_are_those_of_the_server_normalised(tmp_path: Path) -> None:
    with FakeEmbeddings() as fake:
        one = embedder(fake.url, tmp_path)
        asked = texts(50)
        assert (one.embed([*asked, *asked], no_progress)[:50] == expected(fake, asked)).all()
        assert sorted(fake.texts) == sorted(asked)
        assert one.encoded == 50
        assert all(len(seen.body["input"]) <= 8 for seen in fake.requests)
        assert fake.requests[0].body.keys() == {"model", "input", "encoding_format"}
        assert fake.requests[0].headers["authorization"] == f"Bearer {KEY}"
        one.embed(asked, no_progress)
        assert len(fake.texts) == 50
    assert isinstance(one.encoder, AskedEncoder)
    assert isinstance(one.encoder, RemoteEncoder)
    encoder: Encoder = one.encoder
    assert encoder.window == 512
    assert one.encoder.tokens == 150  # three words a text
    assert one.encoder.manifest() == {"server": f"127.0.0.1:{fake.port}", "dimension": 32, "models": ["fake-embed"]}


def test_long_texts_go_in_smaller_batches(tmp_path: Path) -> None:
    with FakeEmbeddings() as fake:
        embedder(fake.url, tmp_path).embed([f"{number} " + "word " * 8_000 for number in range(4)], no_progress)
        assert [len(seen.body["input"]) for seen in fake.requests] == [1, 1, 1, 1]


def test_a_server_that_is_busy_is_asked_again(tmp_path: Path) -> None:
    turns = itertools.count()
    busy = error(429, "slow down", SOON)
    with FakeEmbeddings(lambda _: busy if next(turns) % 2 == 0 else FINE) as fake:
        asked = texts(40)
        one = embedder(fake.url, tmp_path, retries=10)
        assert (one.embed(asked, no_progress) == expected(fake, asked)).all()


@pytest.mark.parametrize("cut", [0, 200])
def test_a_connection_that_is_cut_is_made_again(tmp_path: Path, cut: int) -> None:
    turns = itertools.count()
    with FakeEmbeddings(lambda _: Act(cut=cut) if next(turns) == 3 else FINE) as fake:
        asked = texts(60)
        assert (embedder(fake.url, tmp_path).embed(asked, no_progress) == expected(fake, asked)).all()


def test_rows_in_another_order_go_to_their_texts(tmp_path: Path) -> None:
    with FakeEmbeddings(lambda seen: fake.changed(seen, lambda body: body["data"].reverse())) as fake:
        asked = texts(30)
        assert (embedder(fake.url, tmp_path).embed(asked, no_progress) == expected(fake, asked)).all()


def test_rows_without_index_stand_in_order(tmp_path: Path) -> None:
    def without(body: dict[str, Any]) -> None:
        for row in body["data"]:
            del row["index"]

    with FakeEmbeddings(lambda seen: fake.changed(seen, without)) as fake:
        asked = texts(30)
        assert (embedder(fake.url, tmp_path).embed(asked, no_progress) == expected(fake, asked)).all()


def bad_row(body: dict[str, Any], value: Any) -> None:
    body["data"][-1]["embedding"] = value


BROKEN: dict[str, tuple[Callable[[dict[str, Any]], object], str]] = {
    "nan": (lambda body: bad_row(body, [float("nan")] * 32), "a value that is no number"),
    "infinite": (lambda body: bad_row(body, [float("inf")] * 32), "a value that is no number"),
    "huge": (lambda body: bad_row(body, [10**400] * 32), "no list of numbers"),
    "zeros": (lambda body: bad_row(body, [0.0] * 32), "a vector of zeros"),
    "short": (lambda body: bad_row(body, [0.5] * 12), "a vector of 12 values for it, and others have 32"),
    "words": (lambda body: bad_row(body, ["0.5"] * 32), "no list of numbers"),
    "nested": (lambda body: bad_row(body, [[0.5]] * 32), "no list of numbers"),
    "ragged": (lambda body: bad_row(body, [[0.5], *[0.5] * 31]), "no list of numbers"),
    "nothing": (lambda body: bad_row(body, None), "no vector"),
    "missing": (lambda body: body["data"].pop(), "no vector"),
    "twice": (lambda body: body["data"][-1].update(index=0), "no vector"),
    "beyond": (lambda body: body["data"][-1].update(index=99), "no vector"),
}


@pytest.mark.parametrize("how", BROKEN)
def test_a_text_without_a_usable_vector_is_asked_again_once_and_fails(tmp_path: Path, how: str) -> None:
    change, says = BROKEN[how]
    victim = "text number 7"

    def script(seen: Seen) -> Act:
        return fake.changed(seen, change) if victim in seen.body["input"] else FINE

    with FakeEmbeddings(script) as fake:
        one = embedder(fake.url, tmp_path)
        asked = texts(16)
        failed = one.each(asked, no_progress, "passages")
        assert victim in failed
        assert all(says in failure.reason for failure in failed.values())
        # which of two is meant, nobody can tell; where one is none of theirs, none of those that were sent together
        doubtful = {"twice": ["text number 0"], "beyond": asked[:8]}.get(how, [])
        assert set(failed) <= {victim, *doubtful}
        assert fake.texts.count(victim) == 2
        kept = [text for text in asked if text not in failed]
        assert (one.read(kept) == expected(fake, kept)).all()
        before = len(fake.texts)
        one.each(asked, no_progress, "passages")
        assert set(fake.texts[before:]) == set(failed)


def test_a_server_that_counts_from_one_gives_no_text_the_vector_of_another(tmp_path: Path) -> None:
    def shifted(body: dict[str, Any]) -> None:
        for row in body["data"]:
            row["index"] += 1

    asked = texts(16)
    with FakeEmbeddings(lambda seen: fake.changed(seen, shifted)) as fake:
        one = embedder(fake.url, tmp_path)
        assert set(one.each(asked, no_progress, "passages")) == set(asked)
    with FakeEmbeddings(lambda _: FINE) as fake:
        assert (embedder(fake.url, tmp_path).embed(asked, no_progress) == expected(fake, asked)).all()
        assert set(fake.texts) == set(asked)  # nothing was kept of the other replies


def test_a_text_that_the_server_refuses_is_found_among_the_others(tmp_path: Path) -> None:
    def script(seen: Seen) -> Act:
        return error(413, "input is too long") if "text number 11" in seen.body["input"] else FINE

    with FakeEmbeddings(script) as fake:
        one = embedder(fake.url, tmp_path)
        asked = texts(40)
        failed = one.each(asked, no_progress, "passages")
        assert list(failed) == ["text number 11"]
        assert failed["text number 11"].reason == f"127.0.0.1:{fake.port} answers 413: input is too long"
        assert fake.texts.count("text number 11") == 4  # of 8, 4, 2 and alone


def test_a_server_that_takes_nothing_is_not_asked_for_every_text(tmp_path: Path) -> None:
    with FakeEmbeddings(lambda _: error(400, "unknown model m")) as fake:
        failed = embedder(fake.url, tmp_path).each(texts(400), no_progress, "passages")
        assert len(fake.requests) < 40
    assert len(failed) == 400
    assert {failure.reason for failure in failed.values()} == {f"127.0.0.1:{fake.port} answers 400: unknown model m"}


@pytest.mark.parametrize("act", [error(500, "down", SOON), Act(cut=10), Act(body=b"<html>"), Act(body=b'{"data": 1}')])
def test_a_server_that_only_fails_is_given_up(tmp_path: Path, act: Act) -> None:
    with FakeEmbeddings(lambda _: act) as fake:
        failed = embedder(fake.url, tmp_path, retries=0).each(texts(400), no_progress, "passages")
        assert len(fake.requests) < 10
    assert len(failed) == 400


def test_another_dimension_is_an_error_that_names_both(tmp_path: Path) -> None:
    with FakeEmbeddings() as fake:
        one = embedder(fake.url, tmp_path)
        one.ensure(texts(10), no_progress)
        fake.dimension = 24
        with pytest.raises(EncoderFailed, match=r"of 24 values; those that are kept have 32.*embedding\.dimensions = 24"):
            one.ensure(texts(20), no_progress)
        again = embedder(fake.url, tmp_path)  # another process knows it, too
        with pytest.raises(EncoderFailed, match="24 values"):
            again.ensure(texts(20), no_progress)
        named = embedder(fake.url, tmp_path, dimensions=24)
        assert named.encoder.fingerprint != one.encoder.fingerprint
        assert named.embed(texts(20), no_progress).shape == (20, 24)
        assert fake.requests[-1].body["dimensions"] == 24
        with pytest.raises(EncoderFailed, match=r"vectors of 24 values; embedding\.dimensions asks for 48"):
            embedder(fake.url, tmp_path, dimensions=48).ensure(texts(3), no_progress)


def test_another_model_in_the_reply_is_noted(tmp_path: Path) -> None:
    names = iter(["fake-1", "fake-2", "fake-2", "fake-2"])
    with FakeEmbeddings(lambda seen: fake.changed(seen, lambda body: body.update(model=next(names)))) as fake:
        one = embedder(fake.url, tmp_path)
        one.ensure(texts(5), no_progress)
        assert isinstance(one.encoder, RemoteEncoder)
        assert one.encoder.notes == ()
        one.ensure(texts(10), no_progress)
        (note,) = one.encoder.notes
        assert "fake-1, fake-2" in note
        assert one.encoder.manifest()["models"] == ["fake-1", "fake-2"]


def test_what_came_before_the_server_went_is_kept_and_the_rest_asked_for(tmp_path: Path) -> None:
    turns = itertools.count()
    asked = texts(100)
    with FakeEmbeddings(lambda _: FINE if next(turns) < 8 else Act(cut=60)) as fake:
        one = embedder(fake.url, tmp_path, retries=0)
        with pytest.raises(TextsFailed) as caught:
            one.ensure(asked, no_progress)
        kept = set(one.known(asked))
        assert kept == {text for seen in fake.requests[:8] for text in seen.body["input"]}
        assert set(caught.value.failed) == set(asked) - kept
        assert len(kept) == 64
    with FakeEmbeddings() as fake:
        pass
    with FakeEmbeddings() as fresh:
        # the same server at another port: its address is part of what vectors are kept under
        again = embedder(fresh.url, tmp_path)
        again.encoder.__dict__["fingerprint"] = one.encoder.fingerprint
        again.ensure(asked, no_progress)
        assert set(fresh.texts) == set(asked) - kept
        assert len(fresh.texts) == len(asked) - len(kept)


def test_a_server_that_is_not_there_is_told_at_once(tmp_path: Path) -> None:
    with FakeEmbeddings() as fake:
        url = fake.url
    failed = embedder(url, tmp_path, retries=0).each(texts(50), no_progress, "passages")
    assert {failure.reason.split(" (")[0] for failure in failed.values()} == {f"127.0.0.1:{fake.port} cannot be reached"}


def test_a_cancel_stops_and_keeps(tmp_path: Path) -> None:
    def cancel(stage: str, done: int, total: int) -> None:
        if done:
            raise Cancelled("stopped")

    with FakeEmbeddings(lambda _: Act(delay_s=0.05)) as fake:
        one = embedder(fake.url, tmp_path)
        with pytest.raises(Cancelled):
            one.ensure(texts(400), cancel)
        assert 0 < len(one.known(texts(400))) < 400


def test_a_killed_process_loses_nothing_that_had_come(tmp_path: Path) -> None:
    asked = texts(200)
    with FakeEmbeddings(lambda _: Act(delay_s=0.02)) as fake:
        words = [sys.executable, "-m", "tests.fakes.embedding", fake.url, str(len(asked)), str(tmp_path)]
        with subprocess.Popen(words, cwd=ROOT, stdout=subprocess.PIPE, text=True) as process:
            assert process.stdout is not None
            for line in process.stdout:
                if int(line.split()[1]) >= 8:
                    break
            process.kill()
        one = embedder(fake.url, tmp_path)
        kept = set(one.known(asked))
        assert 8 <= len(kept) < 200
        before = len(fake.texts)
        one.ensure(asked, no_progress)
        assert sorted(fake.texts[before:]) == sorted(set(asked) - kept)
        assert (one.read(asked) == expected(fake, asked)).all()


def test_no_key_stands_anywhere(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    with (
        caplog.at_level(logging.DEBUG),
        FakeEmbeddings([error(400, f"no such key: {KEY}"), error(500, KEY, SOON), FINE]) as fake,
    ):
        failed = embedder(fake.url, tmp_path, retries=1).each(["one"], no_progress, "passages")
        embedder(fake.url, tmp_path, retries=1).each(["one"], no_progress, "passages")
    assert failed["one"].reason.endswith("no such key: ***")
    assert KEY not in caplog.text
    files = [path for path in tmp_path.rglob("*") if path.is_file()]
    assert files
    assert not [path for path in files if KEY.encode() in path.read_bytes()]


def test_without_a_key_a_server_elsewhere_is_not_asked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OPENAI_API_KEY")
    with pytest.raises(ConfigError, match="environment variable OPENAI_API_KEY"):
        embedder("https://example.invalid/v1", tmp_path).ensure(["a"], no_progress)


def remote(url: str, cache: Path, **more: Any) -> RemoteEncoder:
    config = EmbeddingConfig(provider="openai", model="m", base_url=url, **{k: v for k, v in more.items() if k == "price"})
    return RemoteEncoder(
        config, RunConfig(), cache=cache, permits=more.get("permits", lambda: None), agree=more.get("agree", Consent())
    )


def test_nothing_is_sent_without_the_word(tmp_path: Path) -> None:
    def refuse() -> None:
        raise Untrusted("not agreed")

    with FakeEmbeddings() as fake:
        with pytest.raises(Untrusted):
            remote(fake.url, tmp_path, permits=refuse).encode(["a"], no_progress)
        with pytest.raises(UsageError, match=r"embedding texts: 2 texts \(about 3 tokens, cost about 6e-06\) would be sent"):
            remote(fake.url, tmp_path, price=2.0).encode(["a", "b c d e"], no_progress)
        assert fake.requests == []
        assert remote(fake.url, tmp_path).encode(["a"], no_progress).shape == (1, 32)  # on this machine, and free
        told: list[Estimate] = []
        remote(fake.url, tmp_path, price=2.0, agree=told.append).encode(["a", "b c d e"], no_progress)
    assert [(one.stage, one.texts, one.requests, one.input_tokens) for one in told] == [("embedding texts", 2, 1, 3)]


@pytest.fixture
def indexes(tmp_path: Path, chunks_of: Callable[..., Any]) -> Iterator[Callable[..., Indexes]]:
    opened: list[Indexes] = []

    def make(url: str, **table: Any) -> Indexes:
        one = embedder(url, tmp_path, **table)
        chunks = chunks_of(("a", "refunds within thirty days"), ("b", "parcels leave on monday"), ("c", "cards are declined"))
        config = EmbeddingConfig(provider="openai", model="m", base_url=url, **table)
        opened.append(Indexes(chunks, config, cache=tmp_path, encoder=one.encoder, embedder=one))
        return opened[-1]

    yield make
    for one in opened:
        one.close()


def test_a_passage_without_a_vector_stops_with_its_name(indexes: Callable[..., Indexes]) -> None:
    def script(seen: Seen) -> Act:
        return error(400, "no") if any("monday" in text for text in seen.body["input"]) else FINE

    with FakeEmbeddings(script) as fake, pytest.raises(EncoderFailed) as caught:
        indexes(fake.url).dense()
    assert str(caught.value) == (
        f"1 of 3 passages have no vector (b): 127.0.0.1:{fake.port} answers 400: no. The other 2 are kept; the same command "
        "asks for what is missing"
    )


def test_a_question_without_a_vector_is_failed_alone(indexes: Callable[..., Indexes]) -> None:
    def script(seen: Seen) -> Act:
        return error(400, "no") if any("moon" in text for text in seen.body["input"]) else FINE

    with FakeEmbeddings(script) as fake:
        one = indexes(fake.url)
        found = one.asked(["refunds days", "the moon"], no_progress, wait=True)
        assert list(found.vectors) == ["refunds days"]
        assert list(found.failed) == ["the moon"]
        with pytest.raises(TextsFailed):
            one.question_vectors(["the moon"], no_progress, wait=True)
        assert one.question_vectors(["the moon"], no_progress, wait=False) == {}


def test_prefixes_stand_before_what_is_sent(tmp_path: Path, indexes: Callable[..., Indexes]) -> None:
    with FakeEmbeddings() as fake:
        plain = indexes(fake.url)
        plain.dense()
        one = indexes(fake.url, query_prefix="query: ", document_prefix="passage: ")
        before = len(fake.texts)
        assert one.missing() == 3
        one.dense()
        one.question_vectors(["refunds days"], no_progress, wait=True)
        assert all(text.startswith("passage: ") for text in fake.texts[before:-1])
        assert fake.texts[-1] == "query: refunds days"
        assert one.missing() == 0
        assert one.export_vectors(tmp_path / "shipped.sqlite", ["refunds days"]) == 4


def test_the_reply_may_be_nonsense_of_any_kind(tmp_path: Path) -> None:
    bodies = [b"null", b"[]", b"{}", b'{"data": []}', b'{"data": [null]}', b'{"data": [{"index": true}]}', b"\xff\xfe"]
    bodies.append(json.dumps({"data": [{"index": 0, "embedding": {}}], "model": 3, "usage": "x"}).encode())
    for body in bodies:
        with FakeEmbeddings(lambda _, body=body: Act(body=body)) as fake:
            failed = embedder(fake.url, tmp_path / str(fake.port), retries=0).each(["a"], no_progress, "passages")
        assert list(failed) == ["a"]

"""Where models are asked: nothing twice, a few at a time, and whatever stops the work keeps what came."""

from __future__ import annotations

import asyncio

import pytest
from tests.engine.answers.models.fakes import ENDPOINT, FakeModel, asker, failing

from ragtriage.answers.models.base import Reply, Request
from ragtriage.errors import Cancelled, ModelFailed, StorageError, Untrusted
from ragtriage.ids import canonical_json, sha256_hex
from ragtriage.remote.endpoint import Endpoint
from ragtriage.remote.estimate import Estimate
from ragtriage.types import Failure


def requests(*texts: str) -> list[Request]:
    return [Request("", text) for text in texts]


def agreed(estimate: Estimate) -> None: ...


def echo(request: Request) -> str:
    return f"re {request.user}"


def test_each_request_is_asked_once_and_known_ever_after(tmp_path):
    model = FakeModel(echo)
    first = asker(tmp_path, model)
    replies = first.ask(requests("a", "b", "a"), agreed, stage="answering")
    assert [reply.text for reply in replies if isinstance(reply, Reply)] == ["re a", "re b", "re a"]
    assert (first.asked, model.closed) == (2, 1)
    second = asker(tmp_path, model)
    assert second.ask(requests("b", "a", "c"), agreed, stage="answering")[2] == Reply("re c", "fake-1", 100, 10, 0.5)
    assert second.asked == 1
    assert [one.text if one else None for one in second.known(requests("a", "d"))] == ["re a", None]


def test_another_model_prompt_or_schema_is_another_request(tmp_path):
    model = FakeModel(echo)
    one = Request("s", "u", "q")
    others = [one._replace(system="t"), one._replace(question="r"), one._replace(schema="{}")]
    asker(tmp_path, model).ask([one], agreed, stage="")
    assert asker(tmp_path, model).known(others) == [None] * 3
    warmer = Endpoint("command", command=("fake",), temperature=0.5)
    assert asker(tmp_path, model, warmer).known([one]) == [None]
    patient = Endpoint("command", command=("fake",), timeout_s=9.0, retries=0, concurrency=1, api_key_env="K", input_price=3)
    assert patient.spec == ENDPOINT.spec
    assert asker(tmp_path, model, patient).known([one]) != [None]


def test_each_repeat_has_a_reply_of_its_own_and_the_first_is_kept_as_it_was(tmp_path):
    model = FakeModel(echo)
    one = Request("s", "u", "q")
    assert one.key("m") == sha256_hex(canonical_json(["m", "s", "u", "q", [], ""]))  # replies that were paid for stay known
    asker(tmp_path, model).ask([one], agreed, stage="")
    again = one._replace(repeat=1)
    assert asker(tmp_path, model).known([again]) == [None]
    asker(tmp_path, model).ask([again], agreed, stage="")
    assert None not in asker(tmp_path, model).known([one, again])
    assert asker(tmp_path, model).known([one._replace(repeat=2)]) == [None]


def test_no_more_than_the_limit_at_once(tmp_path):
    model = FakeModel(echo, delay_s=0.01)
    asker(tmp_path, model).ask(requests(*map(str, range(12))), agreed, stage="")
    assert model.most_at_once == 2


def test_a_failure_is_an_outcome_and_is_asked_again_next_time(tmp_path):
    def says(request: Request) -> str:
        if request.user == "b":
            raise ModelFailed("429: slow down")
        return "fine"

    found = asker(tmp_path, FakeModel(says)).ask(requests("a", "b", "c"), agreed, stage="")
    assert found[1] == Failure("429: slow down")
    again = FakeModel(echo)
    assert asker(tmp_path, again).ask(requests("a", "b", "c"), agreed, stage="")[1] == Reply("re b", "fake-1", 100, 10, 0.5)
    assert [request.user for request in again.requests] == ["b"]


def test_what_is_hopeless_is_not_tried_with_every_question(tmp_path):
    model = FakeModel(failing("401: the key is refused", hopeless=True), delay_s=0.005)
    found = asker(tmp_path, model).ask(requests(*map(str, range(50))), agreed, stage="")
    assert found == [Failure("401: the key is refused")] * 50
    assert len(model.requests) <= 2


def test_cancel_keeps_what_came(tmp_path):
    model = FakeModel(echo, delay_s=0.01)

    def cancel(stage: str, done: int, total: int) -> None:
        assert (stage, total) == ("answering", 40)
        if done >= 4:
            raise Cancelled("stopped")

    model.says = echo
    with pytest.raises(Cancelled):
        asker(tmp_path, model).ask(requests(*map(str, range(40))), agreed, stage="answering", progress=cancel)
    assert model.closed == 1
    known = [one for one in asker(tmp_path, model).known(requests(*map(str, range(40)))) if one]
    assert len(known) >= 4


def test_nothing_is_sent_without_permission_or_agreement(tmp_path):
    model = FakeModel(echo)

    def refuse(*_: object) -> None:
        raise Untrusted("not agreed to")

    for refusing in (asker(tmp_path, model, permit=refuse), asker(tmp_path, model)):
        with pytest.raises(Untrusted):
            refusing.ask(requests("a"), refuse, stage="")
    assert model.requests == []
    asker(tmp_path, model).ask(requests("a"), agreed, stage="")
    # what is known needs neither
    assert asker(tmp_path, model, permit=refuse).ask(requests("a"), refuse, stage="") == [Reply("re a", "fake-1", 100, 10, 0.5)]


def test_the_estimate_counts_what_is_missing_and_learns_from_what_is_known(tmp_path):
    model = FakeModel(lambda request: "x" * 400)
    priced = Endpoint("command", command=("fake",), concurrency=2, input_price=2.0, output_price=10.0)
    told: list[Estimate] = []
    asker(tmp_path, model, priced).ask(requests("x" * 4000), told.append, stage="answering")
    asker(tmp_path, model, priced).ask(requests("x" * 4000, "y" * 8000, "z" * 8000), told.append, stage="judging")
    first, second = told
    assert (first.requests, first.known, first.input_tokens, first.output_tokens, first.seconds) == (1, 0, 1000, 150, None)
    assert first.cost == pytest.approx((1000 * 2 + 150 * 10) / 1e6)
    assert (second.stage, second.requests, second.known, second.input_tokens) == ("judging", 2, 1, 4000)
    assert second.output_tokens == 20  # the known one took 10
    assert second.seconds == pytest.approx(0.5)  # half a second each, two at once


def test_nothing_is_sent_where_no_reply_could_be_kept(tmp_path):
    (tmp_path / "replies").write_text("a file where the folder should be")
    model = FakeModel(echo)
    with pytest.raises(StorageError):
        asker(tmp_path, model).ask(requests("a"), agreed, stage="")
    assert model.requests == []
    (tmp_path / "replies").unlink()
    asker(tmp_path, model).ask(requests("a"), agreed, stage="")
    assert len([path for path in (tmp_path / "replies").rglob("*") if path.is_file()]) == 1


def test_a_reply_that_cannot_be_kept_stops_the_work(tmp_path):
    def says(request: Request) -> str:
        (tmp_path / "replies").rmdir()
        (tmp_path / "replies").write_text("a file where the folder was")
        return echo(request)

    model = FakeModel(lambda request: echo(request) if (tmp_path / "replies").is_file() else says(request))
    with pytest.raises(StorageError):
        asker(tmp_path, model).ask(requests(*map(str, range(30))), agreed, stage="")
    assert len(model.requests) <= 4
    assert model.closed == 1


def test_it_can_be_asked_where_a_loop_runs_already(tmp_path):
    async def notebook() -> list[Reply | Failure]:
        return asker(tmp_path, FakeModel(echo)).ask(requests("a"), agreed, stage="")

    assert asyncio.run(notebook()) == [Reply("re a", "fake-1", 100, 10, 0.5)]


def test_a_damaged_reply_is_asked_again(tmp_path):
    model = FakeModel(echo)
    asker(tmp_path, model).ask(requests("a", "b"), agreed, stage="")
    for path in (tmp_path / "replies").rglob("*"):
        if path.is_file():
            data = bytearray(path.read_bytes())
            data[-2] ^= 1
            path.write_bytes(bytes(data))
    assert asker(tmp_path, model).known(requests("a", "b")) == [None, None]
    assert len(asker(tmp_path, model).ask(requests("a", "b"), agreed, stage="")) == 2

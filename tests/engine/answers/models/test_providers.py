"""Both providers through their real libraries against servers that misbehave: a reply or one short reason, never the key."""

from __future__ import annotations

import asyncio
import json
import socket
import traceback
import tracemalloc
import zlib
from collections.abc import Iterable
from dataclasses import replace
from typing import Any

import pytest
from tests.engine.answers.models.conftest import KEY
from tests.fakes.providers import FINE, Act, FakeAnthropic, FakeOpenAI, FakeProvider, Seen, error

from ragtriage.answers.models.base import Reply, Request
from ragtriage.answers.models.opening import open_model
from ragtriage.errors import ConfigError, ModelFailed
from ragtriage.remote.endpoint import Endpoint

pytestmark = pytest.mark.usefixtures("quick")

BOTH = pytest.mark.parametrize("kind", [FakeOpenAI, FakeAnthropic])
ASK = Request("Be brief.", "how long?")
SCHEMA = json.dumps({"type": "object", "properties": {"days": {"type": "integer"}}, "required": ["days"]})


def endpoint(fake: FakeProvider, **more: Any) -> Endpoint:
    return replace(Endpoint(fake.provider, model="m", base_url=fake.url, retries=2, timeout_s=5.0), **more)


def ask(fake: FakeProvider, *requests: Request, **more: Any) -> list[Reply]:
    """Replies of one model object, one request after the other."""

    async def work() -> list[Reply]:
        model = open_model(endpoint(fake, **more))
        try:
            return [await model.complete(request) for request in requests or (ASK,)]
        finally:
            await model.close()

    return asyncio.run(work())


def fails(fake: FakeProvider, **more: Any) -> ModelFailed:
    """The failure, after a look at what nobody may see of it."""
    with pytest.raises(ModelFailed) as caught:
        ask(fake, **more)
    shown = "".join(traceback.format_exception(caught.value))
    assert KEY not in shown
    assert caught.value.__context__ is None
    reason = str(caught.value)
    assert reason.isprintable()
    assert len(reason) < 300
    assert reason.startswith(f"127.0.0.1:{fake.port} ")
    return caught.value


@BOTH
def test_a_reply_with_all_that_the_server_told(kind):
    with kind() as fake:
        (reply,) = ask(fake)
    assert reply._replace(seconds=0.0) == Reply("re: how long?", "fake-1", 11, 7, 0.0)
    assert reply.seconds > 0
    (seen,) = fake.requests
    assert (seen.body["model"], seen.body["max_tokens"], seen.body["temperature"]) == ("m", 500, 0.0)
    assert "Be brief." in json.dumps(seen.body)


@BOTH
def test_nothing_is_sent_that_was_not_configured(kind, monkeypatch):
    for name in ("BASE_URL", "ORG_ID", "PROJECT_ID", "CUSTOM_HEADERS", "AUTH_TOKEN", "ADMIN_KEY"):
        for library in ("OPENAI", "ANTHROPIC"):
            monkeypatch.setenv(f"{library}_{name}", "x-leak: leaked-7" if name == "CUSTOM_HEADERS" else "leaked-7")
    monkeypatch.setenv("HTTP_PROXY", "http://127.0.0.1:9")
    monkeypatch.setenv("ALL_PROXY", "http://127.0.0.1:9")
    with kind() as fake:
        ask(fake)
    headers = {name.lower(): value for name, value in fake.requests[0].headers.items()}
    assert not [name for name, value in headers.items() if "leaked" in value or name.startswith("x-stainless")]
    assert KEY in (headers.get("authorization", "") + headers.get("x-api-key", ""))


@BOTH
@pytest.mark.parametrize(
    "bad",
    [
        error(429, "slow down", {"retry-after": "0.01"}),
        error(500, "oh"),
        error(529, "overloaded"),
        Act(503, b""),
        Act(cut=20),
        Act(cut=0),
        Act(200, b"", {"content-length": "x"}),
        Act(200, b"not gzip", {"content-encoding": "gzip"}),
    ],
    ids=str,
)
def test_what_may_pass_is_tried_again(kind, bad):
    with kind([bad, bad]) as fake:
        assert ask(fake)[0].text == "re: how long?"
        assert len(fake.requests) == 3
    with kind([bad] * 3) as fake:
        assert not fails(fake).hopeless
        assert len(fake.requests) == 3


def packed(pieces: Iterable[bytes]) -> bytes:
    packer = zlib.compressobj(wbits=31)
    return b"".join([*map(packer.compress, pieces), packer.flush()])


@BOTH
def test_what_is_packed_unasked_is_unpacked_within_the_same_limit(kind):
    with kind() as fake:
        right = json.dumps(fake.answer(Seen(fake.path, {}, {"model": "m"}, ""), "thirty days")).encode()
    with kind([Act(200, packed([right]), {"content-encoding": "gzip"})]) as fake:
        assert ask(fake)[0].text == "thirty days"
        assert {name.lower(): value for name, value in fake.requests[0].headers.items()}["accept-encoding"] == "identity"
    bomb = packed(b" " * 2**20 for _ in range(60))
    for content, how, says in (
        (bomb, "gzip", "it sent more than 8 MB"),
        (packed([bomb]), "gzip, gzip", "broke off (it packed its answer, unasked)"),
    ):
        with kind([Act(200, content, {"content-encoding": how})]) as fake:
            tracemalloc.start()
            said = str(fails(fake, retries=0))
            most = tracemalloc.get_traced_memory()[1]
            tracemalloc.stop()
        assert says in said
        assert most < 40 << 20


@BOTH
def test_bytes_that_drip_are_an_attempt_that_failed(kind):
    with kind([Act(drip_s=0.05), Act(delay_s=1.0)]) as fake:
        assert ask(fake, timeout_s=0.3)[0].text == "re: how long?"
    with kind(lambda _: Act(drip_s=0.05)) as fake:
        assert "did not answer within 0.3 s, 2 times" in str(fails(fake, timeout_s=0.3, retries=1))


@BOTH
@pytest.mark.parametrize(
    ("bad", "says"),
    [
        (
            Act(200, b"<html><b>Sign in</b></html>", {"content-type": "text/html"}),
            "sent an answer that is no JSON object: Sign in",
        ),
        (Act(200, b'{"choices": [{"mess'), "no JSON"),
        (Act(200, b""), "sent an empty answer"),
        (Act(200, b"[" * 100_000), "no JSON"),
        (Act(200, b"[]"), "no JSON object"),
        (Act(200, b"\xff\xfe\x00"), "no JSON"),
        (Act(200, b'{"a": ' + b"9" * 9000 + b"}"), "no JSON"),
        (Act(200, b"{}"), "without"),
        (Act(200, b'{"choices": [], "content": []}'), "without"),
        (Act(200, b'{"choices": {"0": 1}, "content": {"text": "x"}}'), "without"),
        (Act(200, b'{"choices": [7], "content": [7]}'), "without"),
        (Act(200, b'{"choices": [{"message": null}], "content": null}'), "without"),
        (Act(200, b'{"choices": [{"message": {"content": null}}], "content": [{"type": "text", "text": 5}]}'), "without text"),
        (Act(200, b'{"choices": [{"message": {"content": {"a": 1}}}], "content": [{"type": "thinking"}]}'), "without text"),
        (Act(200, json.dumps({"error": {"message": "no\nprovider \x1b[31mis\u202e up"}}).encode()), "failed: no provider"),
        (Act(200, b'{"x": "' + b"a" * (10 << 20) + b'"}'), "it sent more than 8 MB"),
        (Act(400, json.dumps({"error": {"message": "m" * 9999}}).encode()), "…"),
        (Act(418, json.dumps([{"error": {"message": "a teapot"}}]).encode()), "answers 418: a teapot"),
        (
            Act(422, json.dumps({"detail": [{"loc": ["body"], "msg": "field required"}]}).encode()),
            "answers 422: field required",
        ),
        (error(429, "come back tomorrow", {"retry-after": "86400"}), "answers 429: come back tomorrow"),
        (error(503, "at noon", {"retry-after": "Fri, 31 Dec 2088 23:59:59 GMT"}), "answers 503: at noon"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_what_will_not_pass_is_one_reason_at_once(kind, bad, says):
    with kind([bad]) as fake:
        failure = fails(fake)
        assert says in str(failure)
        assert not failure.hopeless
        assert len(fake.requests) == 1


@BOTH
@pytest.mark.parametrize(
    ("bad", "says"),
    [
        (error(401, f"Incorrect API key provided: {KEY}."), "answers 401: Incorrect API key provided: ***."),
        (error(402, "pay"), "answers 402"),
        (error(403, "not from there"), "answers 403: not from there"),
        (error(404, "model m not found"), "answers 404: model m not found"),
        (error(429, "You exceeded your quota", code="insufficient_quota"), "quota"),
        (error(400, "Your credit balance is too low"), "credit"),
        (Act(307, b"", {"location": "http://evil.example/v1"}), "answers 307: what is asked for is at http://evil.example/v1"),
        (Act(301, b"", {"location": f"/?k={KEY}"}), "***"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_what_is_hopeless_says_so(kind, bad, says):
    with kind([bad] * 3) as fake:
        failure = fails(fake)
        assert says in str(failure)
        assert failure.hopeless
        assert all(one.path == fake.path for one in fake.requests)


@BOTH
def test_nobody_there_is_hopeless(kind):
    with kind() as fake:
        pass
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))  # nobody listens
        fake.port = taken.getsockname()[1]
        failure = fails(fake)
    assert failure.hopeless
    assert "cannot be reached" in str(failure)
    assert str(failure).endswith(", 3 times")


@BOTH
def test_a_key_that_is_echoed_is_hidden_everywhere(kind):
    text = f"your key is {KEY}, and {KEY[:-1]} is not"
    with kind(
        [Act(text=text), Act(200, KEY.encode()), Act(cut=30), Act(500, KEY.encode()), error(418, f"{'x' * 225} {KEY}")]
    ) as fake:
        assert ask(fake)[0].text == f"your key is ***, and {KEY[:-1]} is not"
        assert "***" in str(fails(fake))
        assert "***" in str(fails(fake, retries=1))
        assert KEY[:6] not in str(fails(fake))


@BOTH
def test_lone_surrogates_neither_go_out_nor_come_in(kind):
    with kind([Act(text="half a \ud83d letter"), FINE]) as fake:
        replies = ask(fake, ASK, Request("\udc80", "a \ud800 b"))
    assert replies[0].text == "half a \ufffd letter"
    assert replies[1].text == "re: a \ufffd b"


@BOTH
def test_tokens_and_names_of_wrong_types_are_unknown(kind):
    def script(seen: Seen) -> Act:
        fake_answer: dict[str, Any] = kind.answer(fake, seen, "fine")
        usage = {"prompt_tokens": "11", "completion_tokens": True, "input_tokens": -1, "output_tokens": 1.5}
        return Act(200, json.dumps(fake_answer | {"model": ["x"], "usage": usage}).encode())

    with kind(script) as fake:
        assert ask(fake)[0]._replace(seconds=0.0) == Reply("fine")


@BOTH
def test_a_parameter_that_is_refused_is_left_out_from_then_on(kind):
    def script(seen: Seen) -> Act:
        if "temperature" in seen.body:
            return error(400, "`temperature` is deprecated for this model.", code="unsupported_value", param="temperature")
        return FINE

    with kind(script) as fake:
        assert [reply.text for reply in ask(fake, ASK, ASK)] == ["re: how long?"] * 2
        assert ["temperature" in seen.body for seen in fake.requests] == [True, False, False]


def test_openai_has_another_name_for_the_limit():
    def script(seen: Seen) -> Act:
        if "max_tokens" in seen.body:
            return error(400, "Unsupported parameter: 'max_tokens' is not supported. Use 'max_completion_tokens' instead.")
        return FINE

    with FakeOpenAI(script) as fake:
        ask(fake, max_tokens=77)
        assert fake.requests[1].body["max_completion_tokens"] == 77
        assert "max_tokens" not in fake.requests[1].body


@BOTH
def test_a_prompt_that_is_too_long_is_no_parameter_that_is_unknown(kind):
    long = "'max_tokens' is too large: 500. This model's maximum context length is 2048 tokens."
    with kind([error(400, long)]) as fake:
        assert "context length" in str(fails(fake))
        assert len(fake.requests) == 1


@pytest.mark.parametrize(("status", "refused", "asked"), [(400, 0, 1), (400, 1, 2), (422, 2, 3), (500, 1, 2)])
def test_openai_is_asked_for_json_by_schema_then_for_json_then_in_words(status, refused, asked):
    def script(seen: Seen) -> Act:
        kind = seen.body.get("response_format", {}).get("type", "")
        if kind in ("json_schema", "json_object")[:refused]:
            return error(status, f"1 validation error: response_format {kind} is not known")
        return Act(text='{"days": 30}')

    with FakeOpenAI(script) as fake:
        assert ask(fake, ASK._replace(schema=SCHEMA), retries=0)[0].text == '{"days": 30}'
        assert len(fake.requests) == asked
        sent = fake.requests[0].body["response_format"]["json_schema"]
        assert (sent["strict"], sent["schema"]) == (True, json.loads(SCHEMA))
        assert fake.requests[-1].body.get("response_format", {}).get("type") == ("json_schema", "json_object", None)[refused]


def test_anthropic_is_asked_for_json_as_the_input_of_a_tool():
    def script(seen: Seen) -> Act:
        return Act(text='{"days": 30, "why": "é"}')

    with FakeAnthropic(script) as fake:
        assert json.loads(ask(fake, ASK._replace(schema=SCHEMA))[0].text) == {"days": 30, "why": "é"}
        (seen,) = fake.requests
        assert seen.body["tools"][0]["input_schema"] == json.loads(SCHEMA)
        assert seen.body["tool_choice"] == {"type": "tool", "name": seen.body["tools"][0]["name"]}


def test_finish_reasons_of_openai():
    def body(reason: str, message: Any) -> Act:
        return Act(200, json.dumps({"choices": [{"finish_reason": reason, "message": message}]}).encode())

    parts = [{"type": "text", "text": "a"}, {"type": "x"}, {"type": "text", "text": "b"}]
    with FakeOpenAI(
        [body("length", {"content": ""}), body("stop", {"content": parts}), body("stop", {"refusal": "no"})]
    ) as fake:
        assert [(one.text, one.cut) for one in ask(fake, ASK, ASK, ASK)] == [("", True), ("ab", False), ("no", False)]
    with FakeOpenAI([body("content_filter", {"content": "half"})]) as fake:
        assert "content filter" in str(fails(fake))


def test_stop_reasons_of_anthropic():
    def body(reason: str, content: Any) -> Act:
        return Act(200, json.dumps({"stop_reason": reason, "content": content}).encode())

    with FakeAnthropic([body("max_tokens", [{"type": "text", "text": "a"}])]) as fake:
        assert ask(fake)[0].cut
    with FakeAnthropic([body("refusal", [])]) as fake:
        assert "content filter" in str(fails(fake))


@BOTH
def test_many_at_once_each_get_their_own(kind):
    async def work() -> list[str]:
        model = open_model(endpoint(fake))
        try:
            replies = await asyncio.gather(*(model.complete(Request("", f"q{number}")) for number in range(30)))
        finally:
            await model.close()
        return [reply.text for reply in replies]

    with kind() as fake:
        assert asyncio.run(work()) == [f"re: q{number}" for number in range(30)]


@BOTH
def test_a_cancel_stops_at_once_and_closes(kind):
    async def work() -> None:
        model = open_model(endpoint(fake, timeout_s=60.0))
        asking = asyncio.create_task(model.complete(ASK))
        while not fake.requests:
            await asyncio.sleep(0.01)
        asking.cancel()
        with pytest.raises(asyncio.CancelledError):
            await asking
        await model.close()

    with kind(lambda _: Act(delay_s=0.5)) as fake:
        asyncio.run(asyncio.wait_for(work(), 10))
        assert len(fake.requests) == 1


@pytest.mark.parametrize("provider", ["openai", "anthropic"])
@pytest.mark.parametrize(
    ("base_url", "key", "says"),
    [
        ("", "", "environment variable MY_KEY, which is not set"),
        ("https://models.example/v1", " ", "the key for models.example is read from the environment variable MY_KEY"),
        ("http://127.0.0.1:8091/v1", "two words", "MY_KEY holds what no key does"),
        ("http://127.0.0.1:8091/v1", "clé", "MY_KEY holds what no key does"),
        ("http://me:secret-word@127.0.0.1/v1", "k", "no name or password belongs into the address"),
        ("http://[::1", "k", "is no address"),
        ("http://localhost:99999/v1", "k", "is no address"),
        ("ftp://localhost/v1", "k", "is no address"),
    ],
)
def test_what_cannot_be_used_is_said_before_anything_is_sent(provider, base_url, key, says, monkeypatch):
    monkeypatch.setenv("MY_KEY", key)

    async def work() -> None:
        open_model(Endpoint(provider, model="m", base_url=base_url, api_key_env="MY_KEY"))

    with pytest.raises(ConfigError, match=says) as caught:
        asyncio.run(work())
    assert "secret-word" not in str(caught.value)
    assert "two words" not in str(caught.value)


@BOTH
def test_a_server_on_this_machine_needs_no_key(kind, monkeypatch):
    monkeypatch.delenv("OPENAI_API_KEY")
    monkeypatch.delenv("ANTHROPIC_API_KEY")
    with kind() as fake:
        assert ask(fake)[0].text == "re: how long?"
        assert "no-key" in str(fake.requests[0].headers)

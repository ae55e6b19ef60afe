"""Messages of Anthropic, and of whatever speaks like it. JSON is asked for as the input of a tool that the model must use."""

from __future__ import annotations

import json
from functools import partial
from typing import Any

from ragtriage.answers.models.base import Reply, Request
from ragtriage.errors import MissingExtra
from ragtriage.remote.endpoint import Endpoint
from ragtriage.remote.exchange import Exchange, Said
from ragtriage.remote.fields import count_of, name_of, text_of
from ragtriage.remote.keys import read_key
from ragtriage.remote.wording import address_of
from ragtriage.surrogates import clean_text

__all__ = ["AnthropicChat"]

_TOOL = "answer"


class AnthropicChat:
    """A `Model` behind an Anthropic-compatible address. Made inside the event loop that uses it."""

    def __init__(self, endpoint: Endpoint) -> None:
        """Raises MissingExtra, ConfigError (no key, no address)."""
        try:
            import anthropic

            from ragtriage.remote.transport import Transport
        except ImportError:
            raise MissingExtra("anthropic is not installed; install it with: pip install 'ragtriage[anthropic]'") from None
        address = address_of(endpoint.where)
        key = read_key(endpoint, address)
        self._endpoint = endpoint
        self._refused: set[str] = set()
        self._client = anthropic.AsyncAnthropic(
            api_key=key.reveal(),
            base_url=address.url,
            max_retries=endpoint.retries,
            timeout=endpoint.timeout_s,
            open_telemetry=False,
            http_client=Transport({"x-api-key": key.reveal()}, timeout_s=endpoint.timeout_s, loopback=address.loopback),
        )
        self._exchange = Exchange(anthropic, endpoint, address, key)

    async def complete(self, request: Request) -> Reply:
        """See Model. A parameter that the server refuses costs one more request, once."""
        send = self._client.messages.with_raw_response.create
        return self._reply(await self._exchange.ask(partial(self._parameters, request), send, self._adapt))

    async def close(self) -> None:
        """See Model."""
        await self._exchange.close(self._client)

    def _parameters(self, request: Request) -> dict[str, Any]:
        parameters: dict[str, Any] = {
            "model": self._endpoint.model,
            "max_tokens": self._endpoint.max_tokens,
            "messages": [{"role": "user", "content": clean_text(request.user)}],
        }
        if request.system:
            parameters["system"] = clean_text(request.system)
        if "temperature" not in self._refused:
            # the library has no such parameter any longer, some models do; 1 is the most that they take
            parameters["extra_body"] = {"temperature": min(self._endpoint.temperature, 1.0)}
        if request.schema and "tool" not in self._refused:
            tool = {"name": _TOOL, "description": "Gives the answer.", "input_schema": json.loads(request.schema)}
            parameters |= {"tools": [tool], "tool_choice": {"type": "tool", "name": _TOOL}}
        return parameters

    def _adapt(self, words: str, sent: dict[str, Any]) -> bool:
        """Whether there is something in `sent` that the server refuses, and that can be left out."""
        for name, part in (("temperature", "extra_body"), ("tool", "tools")):
            if part in sent and name in words:
                self._refused.add(name)
                return True
        return False

    def _reply(self, said: Said) -> Reply:
        stop = said.body.get("stop_reason")
        text = _tool_input(said.body.get("content"))
        if text is None:
            text = text_of(said.body.get("content"))
        if text is None and stop == "refusal":
            raise self._exchange.failed("withheld the answer: its content filter stepped in")
        if text is None:
            raise self._exchange.failed("sent a message without text")
        usage = said.body.get("usage")
        return Reply(
            text=self._exchange.hide(text),
            model=self._exchange.hide(name_of(said.body.get("model"))),
            input_tokens=count_of(usage, "input_tokens"),
            output_tokens=count_of(usage, "output_tokens"),
            seconds=said.seconds,
            cut=stop == "max_tokens",
        )


def _tool_input(content: Any) -> str | None:
    """The input of the tool that was used, as JSON text; None where none was."""
    for part in content if isinstance(content, list) else ():
        if isinstance(part, dict) and part.get("type") == "tool_use" and isinstance(part.get("input"), dict):
            return json.dumps(part["input"], ensure_ascii=False)
    return None

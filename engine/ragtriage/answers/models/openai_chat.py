"""Chat completions of OpenAI, and of whatever speaks like it: vLLM, Ollama, llama.cpp, OpenRouter.

Not every model takes every parameter. What a server refuses is left out, or said in the other way that there is, from then on.
"""

from __future__ import annotations

import json
from functools import partial
from typing import Any

from ragtriage.answers.models.base import Reply, Request
from ragtriage.remote.endpoint import Endpoint
from ragtriage.remote.exchange import Said
from ragtriage.remote.fields import count_of, name_of, text_of
from ragtriage.remote.openai_client import openai_client
from ragtriage.surrogates import clean_text

__all__ = ["OpenAIChat"]

_TOO_LONG = ("context", "too large", "at most", "exceed", "maximum")  # a limit that is too high is no limit that is unknown


class OpenAIChat:
    """A `Model` behind an OpenAI-compatible address. Made inside the event loop that uses it."""

    def __init__(self, endpoint: Endpoint) -> None:
        """Raises MissingExtra, ConfigError (no key, no address)."""
        self._endpoint = endpoint
        self._refused: set[str] = set()
        self._client, self._exchange = openai_client(endpoint)

    async def complete(self, request: Request) -> Reply:
        """See Model. A parameter that the server refuses costs one more request, once."""
        send = self._client.chat.completions.with_raw_response.create
        return self._reply(await self._exchange.ask(partial(self._parameters, request), send, self._adapt))

    async def close(self) -> None:
        """See Model."""
        await self._exchange.close(self._client)

    def _parameters(self, request: Request) -> dict[str, Any]:
        roles = (("system", request.system), ("user", request.user))
        messages = [{"role": role, "content": clean_text(text)} for role, text in roles if text]
        limit = "max_completion_tokens" if "max_tokens" in self._refused else "max_tokens"
        parameters: dict[str, Any] = {
            "model": self._endpoint.model, "messages": messages, limit: self._endpoint.max_tokens,
        }  # fmt: skip
        if "temperature" not in self._refused:
            parameters["temperature"] = self._endpoint.temperature
        if request.schema and "json_schema" not in self._refused:
            schema = {"name": "answer", "strict": True, "schema": json.loads(request.schema)}
            parameters["response_format"] = {"type": "json_schema", "json_schema": schema}
        elif request.schema and "json_object" not in self._refused:
            parameters["response_format"] = {"type": "json_object"}
        return parameters

    def _adapt(self, words: str, sent: dict[str, Any]) -> bool:
        """Whether there is something in `sent` that the server refuses, and that can be left out or said otherwise."""
        kind = sent.get("response_format", {}).get("type", "")
        if "temperature" in sent and "temperature" in words:
            self._refused.add("temperature")
        elif "max_tokens" in sent and "max_tokens" in words and not any(word in words for word in _TOO_LONG):
            self._refused.add("max_tokens")
        elif kind and any(word in words for word in ("response_format", "json", "schema")):
            self._refused.add(kind)
        else:
            return False
        return True

    def _reply(self, said: Said) -> Reply:
        choices = said.body.get("choices")
        choice = choices[0] if isinstance(choices, list) and choices else None
        message = choice.get("message") if isinstance(choice, dict) else None
        if not isinstance(choice, dict) or not isinstance(message, dict):
            raise self._exchange.failed("sent an answer without a message")
        if choice.get("finish_reason") == "content_filter":
            raise self._exchange.failed("withheld the answer: its content filter stepped in")
        text = text_of(message.get("content"))
        if text is None:
            text = text_of(message.get("refusal"))
        if text is None:
            raise self._exchange.failed("sent a message without text")
        usage = said.body.get("usage")
        return Reply(
            text=self._exchange.hide(text),
            model=self._exchange.hide(name_of(said.body.get("model"))),
            input_tokens=count_of(usage, "prompt_tokens"),
            output_tokens=count_of(usage, "completion_tokens"),
            seconds=said.seconds,
            cut=choice.get("finish_reason") == "length",
        )

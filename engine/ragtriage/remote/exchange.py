"""One question to a provider through its official library: what came back as JSON, or one ModelFailed with a short reason.

Both libraries are made by the same generator and raise errors of the same names. The answer is read here rather than by them:
they build objects from whatever a server sends, without looking at its types.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Awaitable, Callable
from typing import Any, NamedTuple

from ragtriage.errors import ModelFailed
from ragtriage.programs.words import clipped, json_of, message_of
from ragtriage.remote.endpoint import Endpoint
from ragtriage.remote.keys import Key, guard_logs
from ragtriage.remote.wording import Address, refusal_words, server_words
from ragtriage.surrogates import clean_text

__all__ = ["Exchange", "Refused", "Said"]

_HOPELESS = {401, 402, 403, 404}
_MALFORMED = {400, 413, 422}
_OUT_OF_MONEY = ("insufficient_quota", "credit balance is too low")


class Said(NamedTuple):
    """A server's answer. `seconds` is how long the attempt took that brought it."""

    body: dict[str, Any]
    seconds: float


class Refused(ModelFailed):
    """The server does not take the request as it stands. `words` is what it said about it, in lower case."""

    def __init__(self, message: str, words: str) -> None:
        super().__init__(message)
        self.words = words


class Exchange:
    """Asks one server with one key. `sdk` is the library, whose errors it knows."""

    def __init__(self, sdk: Any, endpoint: Endpoint, address: Address, key: Key) -> None:
        self._sdk = sdk
        self._timeout_s = endpoint.timeout_s
        self._host = address.host
        self._key = key
        self._unguard = guard_logs(key)

    async def ask(
        self,
        parameters: Callable[[], dict[str, Any]],
        send: Callable[..., Awaitable[Any]],
        adapt: Callable[[str, dict[str, Any]], bool],
    ) -> Said:
        """What the server answers to `send(**parameters())`, a call of the library for the raw response. Raises ModelFailed.

        Where the server refuses them, `adapt` gets its words and what was sent, and tells whether `parameters` are others now:
        one more request each time.
        """
        while True:
            sent = parameters()
            try:
                return await self._once(send, sent)
            except Refused as refusal:
                if not adapt(refusal.words, sent):
                    raise

    async def _once(self, send: Callable[..., Awaitable[Any]], parameters: dict[str, Any]) -> Said:
        try:
            response = (await send(**parameters)).http_response
            return self._read(response.content, response.elapsed.total_seconds())
        except ModelFailed as error:
            failure = error
        except self._sdk.APIStatusError as error:
            failure = self._of_status(error.response)
        except self._sdk.APITimeoutError as error:
            failure = self.failed(f"did not answer within {self._timeout_s:g} s{_tries(error.request)}")
        except self._sdk.APIConnectionError as error:
            failure = self._of_connection(error.__cause__, _tries(error.request))
        except Exception as error:  # of the library, which raises what it likes; a cancel is none of these
            failure = self.failed(f"could not be asked: {type(error).__name__}: {error}")
        raise failure  # here, where no error of the library's, which holds the key, is its context

    def hide(self, text: str) -> str:
        """`text` as it may be kept: without the key, and without lone surrogates."""
        return self._key.hide(clean_text(text))

    def failed(self, says: str, *, hopeless: bool = False) -> ModelFailed:
        """The server's name and what is wrong with it, clipped and without the key."""
        return ModelFailed(f"{self._host} {clipped(self._key.hide(says))}", hopeless=hopeless)

    async def close(self, client: Any) -> None:
        """Close the library's client; what goes wrong with that, nobody needs to know."""
        self._unguard()
        with contextlib.suppress(Exception):
            async with asyncio.timeout(2.0):
                await client.close()

    def _read(self, content: bytes, seconds: float) -> Said:
        body = json_of(content)
        if not isinstance(body, dict):
            said = server_words(content).strip()
            raise self.failed(f"sent an answer that is no JSON object: {said}" if said else "sent an empty answer")
        if body.get("error"):
            raise self.failed(f"failed: {message_of(body) or 'it does not say why'}")
        return Said(body, seconds)

    def _of_status(self, response: Any) -> ModelFailed:
        status, content = response.status_code, response.content
        said = server_words(content)
        if 300 <= status < 400:
            target = response.headers.get("location", "another address")
            return self.failed(f"answers {status}: what is asked for is at {target}; check base_url", hopeless=True)
        words = refusal_words(content)
        says = f"answers {status}: {said}" if said.strip() else f"answers {status} and says no more"
        says += _tries(response.request)
        failure = self.failed(says, hopeless=status in _HOPELESS or any(sign in words for sign in _OUT_OF_MONEY))
        refused = status in _MALFORMED or (status == 500 and "validation error" in words)  # as llama-cpp-python has it
        return Refused(str(failure), words) if refused and not failure.hopeless else failure

    def _of_connection(self, cause: BaseException | None, tries: str) -> ModelFailed:
        import httpx2

        why = str(cause or "").strip() or type(cause).__name__
        if isinstance(cause, httpx2.ConnectError):
            return self.failed(f"cannot be reached ({why}){tries}", hopeless=True)
        return self.failed(f"broke off ({why}){tries}")


def _tries(request: Any) -> str:
    """How often it was sent, where that was more than once: the libraries number their attempts."""
    again = request.headers.get("x-stainless-retry-count", "0")
    return f", {int(again) + 1} times" if again.isdecimal() and again != "0" else ""

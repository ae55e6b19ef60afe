"""The key of a provider: where it is found, and how it is kept out of all that is shown, logged or stored."""

from __future__ import annotations

import json
import logging
import os
import re
from collections.abc import Callable, Iterable, Sequence
from urllib.parse import quote, unquote, urlsplit

from ragtriage.errors import ConfigError
from ragtriage.remote.endpoint import OWN, Endpoint
from ragtriage.remote.wording import Address

__all__ = ["PLACEHOLDER", "Key", "guard_logs", "hiding", "program_secrets", "read_key", "told_secrets"]

PLACEHOLDER = "no-key"  # what a server on this machine gets, which as a rule asks for none
_SHORTEST = 8  # what is shorter is no secret but a word, like `ollama`, that answers may hold
_HIDDEN = "***"
_LIBRARIES = ("openai", "anthropic", "httpx2", "httpcore2")
_LATE = [f"httpcore2.{name}" for name in ("connection", "http11", "http2", "proxy", "socks")]  # made with the first connection


class Key:
    """A secret text. Only `reveal` gives it away; `hide` takes it out of a text, also where it stands escaped."""

    __slots__ = ("_escaped", "_value")

    def __init__(self, value: str) -> None:
        self._value = value
        secret = value if len(value) >= _SHORTEST else ""
        self._escaped = re.compile("".join(map(_letter, secret))) if secret else None

    def __repr__(self) -> str:
        return f"Key({_HIDDEN})"

    def reveal(self) -> str:
        """The key itself, for the one place that sends it."""
        return self._value

    def hide(self, text: str) -> str:
        """`text` with `***` where the key stood. A key of less than eight characters is a word, and stays."""
        if self._escaped is None:
            return text
        text = text.replace(self._value, _HIDDEN)
        return self._escaped.sub(_HIDDEN, text) if any(sign in text for sign in "\\%&+") else text


def hiding(values: Iterable[str]) -> Callable[[str], str]:
    """What takes these secrets out of a text, the longest first."""
    keys = [Key(value) for value in sorted(set(values), key=len, reverse=True)]

    def hide(text: str) -> str:
        for key in keys:
            text = key.hide(text)
        return text

    return hide


def program_secrets(command: Sequence[str], variables: Iterable[str]) -> list[str]:
    """What of its arguments and of the `variables` that it is given a program may repeat, and should not be seen."""
    from ragtriage.secret_texts import command_secrets, is_secret_name

    return [*command_secrets(command), *(os.environ.get(name, "").strip() for name in variables if is_secret_name(name))]


def told_secrets(command: Sequence[str], variables: Iterable[str]) -> list[str]:
    """What of these is left out of what a program says when it fails: also the values of variables that have no secret name,
    since DATABASE_URL or SLACK_PAT is none; each of their lines, and the password where one is an address."""
    from ragtriage.secret_texts import command_secrets

    out = command_secrets(command)
    for name in variables:
        value = os.environ.get(name, "").strip()
        out += [value, *map(str.strip, value.splitlines())]
        try:
            password = urlsplit(value).password or ""
        except ValueError:
            password = ""
        out += [password, unquote(password)]
    return out


def _letter(letter: str) -> str:
    """A pattern for one letter of a key, as it is or as JSON, a URL or HTML may have it. What repeats is bounded: the text
    that it is looked for in is anybody's."""
    code = f"{ord(letter):x}"
    spelled = "|".join(
        re.escape(form)
        for form in sorted({letter, json.dumps(letter)[1:-1], quote(letter, safe=""), *("+" if letter == " " else "")})
    )
    return rf"\\{{0,4}}(?:{spelled}|(?i:u{code:0>4}|%{code:0>2}|&#x0{{0,6}}{code};|&#0{{0,6}}{ord(letter)};))"


def read_key(endpoint: Endpoint, address: Address) -> Key:
    """The key from the environment variable that the endpoint names, else from the provider's usual one. A server on this
    machine gets a placeholder where there is none. Raises ConfigError that names the variable."""
    name = endpoint.api_key_env or OWN[endpoint.provider].key_variable
    value = os.environ.get(name, "").strip()
    if not value and address.loopback:
        return Key(PLACEHOLDER)
    if not value:
        raise ConfigError(
            f"the key for {address.host} is read from the environment variable {name}, which is not set; set it, or name"
            " another one with api_key_env"
        )
    if not re.fullmatch("[!-~]+", value):
        raise ConfigError(f"the environment variable {name} holds what no key does: spaces, line ends or letters beyond ASCII")
    return Key(value)


def guard_logs(key: Key) -> Callable[[], None]:
    """Keep `key` out of what the providers' libraries log, however loud the user has made them. Call the result to stop.

    A filter on a logger does not see what its children log, so each gets one.
    """

    def hide(record: logging.LogRecord) -> bool:
        if record.exc_info and not record.exc_text:
            record.exc_text = logging.Formatter().formatException(record.exc_info)
        said, trace = record.getMessage(), record.exc_text or ""
        record.msg, record.args = key.hide(said), ()
        record.exc_info, record.exc_text = None, key.hide(trace) or None
        return True

    names = [name for name in logging.root.manager.loggerDict if name.partition(".")[0] in _LIBRARIES]
    loggers = [logging.getLogger(name) for name in dict.fromkeys([*names, *_LATE])]
    for logger in loggers:
        logger.addFilter(hide)

    def stop() -> None:
        for logger in loggers:
            logger.removeFilter(hide)

    return stop

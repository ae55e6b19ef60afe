"""What looks like a secret in a command or an address, and how these are written where they are kept or shown.

What stands behind a name such as `--password` is one whatever it looks like, and so is each value in the query of an address;
what is filled in there, `{{question}}`, is none. All else is searched for tokens alone.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from ragtriage.secret_tokens import TOKEN, token_spans

__all__ = [
    "address_secrets",
    "command_secrets",
    "hidden_address",
    "hidden_command",
    "hidden_tables",
    "hidden_text",
    "is_secret_name",
    "secret_keys",
]

_SECRET_WORDS = {
    "token", "secret", "password", "passwd", "passphrase", "pwd", "apikey", "authorization", "auth", "credential",
    "credentials", "cookie",
}  # fmt: skip
_KINDS_OF_KEY = {"api", "access", "secret", "private", "account", "auth", "client", "shared", "signing", "session"}
_WORD = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])")
_SET = re.compile(r"""(['"]?-{0,2}[A-Za-z][\w.-]*)(=)(.+)""", re.DOTALL)
_HEADER = re.compile(r"(['\"]?[A-Za-z][\w-]*)(:\s*)(.+)", re.DOTALL)
_SCHEMES = ("bearer", "basic", "token")  # what may stand before the secret of a header
_LOGIN = ("-u", "--user", "--proxy-user")  # curl's: name:password
_ADDRESS = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*://[^\s\"'<>]+")
_PARTS = re.compile(r"""\s+|(?:'[^']*'|"[^"]*"|\S)+""")  # as a shell cuts a line
_FILLED = re.compile(r"(?:\{\{\w+\}\})+")
_LOGGED_IN = re.compile(
    r"""(?i)(?<![a-z0-9+.-])([a-z][a-z0-9+.-]{0,20}://)
    (?:[^\s/?\#"'<>]{1,2000}|[^\s:/@"'<>]{0,500}:(?!\d{1,5}[/?\#])[^\s"'<>@]{1,2000})@""",
    re.VERBOSE,
)
_ASKED = re.compile(r"""(?i)([?&](?:key|sig|signature|x-amz-signature|x-goog-signature)=)[^\s&#"'<>]+""")
_NAMED = re.compile(r"""(?<![\w.-])(-{0,2}[A-Za-z_][\w.-]{0,80})\\{0,2}["'`]?\s{0,2}(=>|[=:])\s{0,2}""")
_VALUE = re.compile(
    r"""\\{0,2}(?P<quote>["'`])(?P<quoted>(?:(?!\\{0,2}(?P=quote)).)+)
    |(?:(?i:bearer|basic|token)\s{1,3})?["'`]?(?P<bare>(?:(?!&[A-Za-z_][\w.-]{0,60}=)[^\s"'`<>])+)""",
    re.VERBOSE | re.DOTALL,
)
_CALLED_SECRET = ("password", "passwd", "passphrase", "secret", "apikey")  # PGPASSWORD
_SPOKEN_OF = {"token", "auth", "authorization", "credential", "credentials", "cookie"}  # `unexpected token: end of file`
_PLAIN = re.compile(r"[A-Za-z]{1,20}|\d{1,5}|\W+")
_NO_SECRET = re.compile(
    r"(?i)none|null|nil|true|false|empty|missing|required|incorrect|invalid|wrong|expected|expired|not|no|is|was|must|cannot|the|an?"
    r"|authentication|\W+"
)


def is_secret_name(name: str) -> bool:
    """Whether what goes by this name is secret: `--api-key`, `OPENAI_API_KEY`, `accessToken`, but not `--max-tokens`."""
    words = [word.lower() for word in _WORD.findall(name)]
    return bool(words) and (words[-1] in _SECRET_WORDS or (words[-1] == "key" and not _KINDS_OF_KEY.isdisjoint(words)))


def hidden_address(url: str) -> str:
    """An address without a name and password, without the values of its query, and without tokens."""
    return _address(url, [])


def address_secrets(url: str) -> list[str]:
    """What of an address `hidden_address` leaves out."""
    found: list[str] = []
    _address(url, found)
    return found


def hidden_command(words: Sequence[str]) -> list[str]:
    """The words of a command, without what looks secret in them."""
    return _command(words, [])


def command_secrets(words: Sequence[str]) -> list[str]:
    """What looks secret in a command."""
    found: list[str] = []
    _command(words, found)
    return found


def hidden_text(text: str) -> str:
    """What a program or a server said, in anybody's words, without what looks secret in it: tokens, what stands behind
    `password: ` or `api_key=`, and the login and the secret values of the query in an address."""
    text = _ASKED.sub(rf"\1{TOKEN}", _LOGGED_IN.sub(rf"\1{TOKEN}@", text))
    out: list[str] = []
    at = 0
    for match in _NAMED.finditer(text):
        value = _VALUE.match(text, match.end()) if match.start() >= at and _is_said_secret(match[1]) else None
        if value is not None and (span := _said_secret(match, value)) is not None:
            out += [text[at : span[0]], TOKEN]
            at = span[1]
    return _text("".join([*out, text[at:]]), [])


def secret_keys(tables: Mapping[str, Mapping[str, Any]]) -> list[str]:
    """The commands, addresses, headers and requests of a configuration, as `table.key`, that hold what looks like a secret. Of
    a query's values these are only those that have the name of one."""
    out = []
    for name, table in tables.items():
        for key in ("command", "rerank_command", "headers", "url", "answer_url"):
            value = table.get(key) or ()
            words = re.split(r"[?&]", value) if isinstance(value, str) else value
            if command_secrets([word.replace("key=", "api_key=", 1) if word.startswith("key=") else word for word in words]):
                out.append(f"{name}.{key}")
        requests = {key: str(table.get(key) or "") for key in ("request", "answer_request")}
        out += [f"{name}.{key}" for key, request in requests.items() if _template(request) != request]
    return out


def hidden_tables(tables: Mapping[str, Mapping[str, Any]]) -> dict[str, dict[str, Any]]:
    """The tables of a configuration as plain JSON values, as they are kept and shown."""
    out = {name: dict(table) for name, table in tables.items()}
    for table in out.values():
        for key, hide in _HIDE.items():
            if table.get(key):
                table[key] = hide(table[key])
    return out


def _address(url: str, found: list[str]) -> str:
    parts = re.fullmatch(r"([^?#]*?://)?([^/?#]*@)?([^?#]*)(\?[^#]*)?(#.*)?", url, re.DOTALL)
    if parts is None:
        return "…"
    scheme, login, rest, query, fragment = (part or "" for part in parts.groups())
    found += [part for part in (login.rstrip("@"), login.rstrip("@").partition(":")[2], fragment[1:]) if part]
    pairs = [_pair(pair, found) for pair in query[1:].split("&")] if len(query) > 1 else []
    return scheme + _text(rest, found) + ("?" + "&".join(pairs) if query else "") + ("#…" if len(fragment) > 1 else fragment)


def _pair(pair: str, found: list[str]) -> str:
    name, equals, value = pair.partition("=")
    said = value if equals else name
    if not said or _FILLED.fullmatch(said):
        return pair
    found.append(said)
    return f"{name}=…" if equals else "…"


def _command(words: Sequence[str], found: list[str]) -> list[str]:
    out: list[str] = []
    named = ""  # what the next word is the value of
    for word in words:
        if named and word.lower().strip("'\"") in _SCHEMES:
            out.append(word)
        elif named in _LOGIN and ":" in word:
            found += [word, word.partition(":")[2]]
            out.append(f"{word.partition(':')[0]}:{TOKEN}")
            named = ""
        elif named and named not in _LOGIN and word and not word.startswith("--"):
            out.append(_secret(word, found))
            named = ""
        else:
            out.append(_word(word, found))
            named = word if _names_next(word) else ""
    return out


def _names_next(word: str) -> bool:
    bare = word.strip("'\"")
    return bare in _LOGIN or (
        is_secret_name(bare) and (bare.endswith(":") or re.fullmatch(r"--?[A-Za-z][\w.-]*", bare) is not None)
    )


def _word(word: str, found: list[str]) -> str:
    for pattern in (_SET, _HEADER):
        match = pattern.fullmatch(word)
        if match and is_secret_name(match[1]) and not match[3].startswith("//"):
            scheme, blank, value = match[3].partition(" ")
            if blank and scheme.lower() in _SCHEMES:
                return f"{match[1]}{match[2]}{scheme} {_secret(value, found)}"
            if pattern is _HEADER or re.fullmatch(r"\S+|'[^']*'|\"[^\"]*\"", match[3]):
                return f"{match[1]}{match[2]}{_secret(match[3], found)}"
    if re.search(r"\s", word):  # a line for a shell
        return _line(word, found)
    at = 0
    out = []
    for address in _ADDRESS.finditer(word):
        out += [_text(word[at : address.start()], found), _address(address[0], found)]
        at = address.end()
    return "".join([*out, _text(word[at:], found)])


def _line(line: str, found: list[str]) -> str:
    quoted = re.fullmatch(r"(['\"])(.*)\1", line, re.DOTALL)
    if quoted:
        return quoted[1] + _word(quoted[2], found) + quoted[1]
    parts = _PARTS.findall(line)
    if parts == [line]:  # a quote begins in the middle of it
        parts = re.findall(r"\s+|\S+", line)
    words = [part for part in parts if not part.isspace()]
    hidden = iter(_command(words, found))
    return "".join(part if part.isspace() else next(hidden) for part in parts)


def _secret(value: str, found: list[str]) -> str:
    if re.search(r"\$(?:\{|[A-Z])", value) or not value.strip("'\""):  # the name of a variable, not what it holds
        return value
    found.append(value.strip("'\""))
    closes = value[-1] in "'\"" and value.count(value[-1]) % 2  # it was opened before the name
    return TOKEN + value[-1] if closes else TOKEN


def _text(text: str, found: list[str]) -> str:
    out: list[str] = []
    at = 0
    for start, end in sorted(token_spans(text)):
        if start >= at:
            found.append(text[start:end])
            out += [text[at:start], TOKEN]
            at = end
    return "".join([*out, text[at:]])


def _is_said_secret(name: str) -> bool:
    return is_secret_name(name) or "".join(_WORD.findall(name)[-1:]).lower().endswith(_CALLED_SECRET)


def _said_secret(name: re.Match[str], value: re.Match[str]) -> tuple[int, int] | None:
    """Where the secret stands in what follows its name; None where that is but a word of a sentence."""
    group = "quoted" if value["quoted"] else "bare"
    said = value[group] if group == "quoted" else value[group].rstrip(".,;:!)}]")
    if said.startswith((TOKEN.rstrip("]"), "***", "…", "$", "{{")) or _NO_SECRET.fullmatch(said) or not said:
        return None
    if group == "bare" and name[2] == ":" and _WORD.findall(name[1])[-1].lower() in _SPOKEN_OF and _PLAIN.fullmatch(said):
        return None
    return value.start(group), value.start(group) + len(said)


def _template(text: str) -> str:
    """The JSON of a request, without what looks secret in it."""
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return _text(text, [])
    hidden = _member("", value)
    return text if hidden == value else json.dumps(hidden, ensure_ascii=False)


def _member(name: str, value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _member(key, item) for key, item in value.items()}
    if isinstance(value, list):
        return [_member(name, item) for item in value]
    if not isinstance(value, str) or _FILLED.fullmatch(value):
        return value
    return _secret(value, []) if is_secret_name(name) else _text(value, [])


_HIDE: Mapping[str, Callable[[Any], Any]] = {
    "command": hidden_command, "rerank_command": hidden_command, "headers": lambda lines: [_word(line, []) for line in lines],
    "url": hidden_address, "answer_url": hidden_address, "base_url": hidden_address,
    "urls": lambda urls: [*map(hidden_address, urls)], "request": _template, "answer_request": _template,
}  # fmt: skip

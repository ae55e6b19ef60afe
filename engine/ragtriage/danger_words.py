"""The words in which it is said what a configuration would do, so that nothing of it is hidden."""

from __future__ import annotations

import json
import re
from urllib.parse import urlsplit

__all__ = ["escaped", "folder_text", "host_of", "length", "plain", "unencrypted", "variable"]

_LONG = 1000  # characters from which on the length is said too: the rest may have left the screen


def escaped(text: str) -> str:
    """`text` in double quotes as JSON has it, all of it in printable ASCII: no control, no mark that turns the direction of
    text, no letter that only looks like another."""
    return json.dumps(text).replace("\x7f", "\\u007f")


def folder_text(path: str) -> str:
    """A folder of the user's, in the user's letters; escaped where one of them cannot be seen."""
    return path if path.isprintable() and '"' not in path else escaped(path)


def host_of(url: str) -> str:
    """`evil.example:8080` of `https://api.openai.com:x@evil.example:8080/v1`."""
    authority = re.split(r"[/?#]", url.partition("://")[2], maxsplit=1)[0]
    host = authority.rpartition("@")[2]
    return host if _is_plain(host) else escaped(host)


def _loopback(host: str) -> bool:
    from ragtriage.remote.wording import is_loopback

    try:
        return is_loopback(urlsplit(f"//{host}").hostname or "")
    except ValueError:
        return False


def unencrypted(url: str) -> str:
    """A remark behind an address, where what goes there can be read on its way."""
    return " (not encrypted)" if url.startswith("http://") and not _loopback(host_of(url)) else ""


def _is_plain(text: str) -> bool:
    return re.fullmatch(r"[!-~]+", text) is not None and '"' not in text


def plain(text: str) -> str:
    """`text` as it stands where all of it is visible, else escaped."""
    return text if _is_plain(text) else escaped(text)


def variable(name: str) -> str:
    """The name of a variable of the environment, as a shell has it."""
    return "$" + (name if re.fullmatch(r"[A-Za-z_][A-Za-z0-9_]*", name) else escaped(name))


def length(text: str) -> str:
    """A remark behind a long text: how long it is."""
    return f" ({len(text):,} characters)" if len(text) >= _LONG else ""

"""JSON as users' files hold it, and as ragtriage writes it."""

from __future__ import annotations

import json
import re
from typing import Any

import orjson

from ragtriage.surrogates import clean_text, escaped_surrogates

__all__ = ["dump_line", "dump_pretty", "dump_spaced", "load_json", "not_json"]

_LONG_NUMBER = re.compile(rb"[0-9]{19}")
_PLACE = re.compile(r": line 1 column (\d+) \(char \d+\)$")


def load_json(data: bytes | str, *, exact: bool = False) -> Any:
    """JSON, with what orjson refuses and users' files hold: a BOM, lone surrogates (read as U+FFFD), NaN.

    `exact` keeps whole numbers of any length, which would else become floats. Raises ValueError with a message fit for a user.
    """
    try:
        if exact and _LONG_NUMBER.search(data.encode("utf-8", "replace") if isinstance(data, str) else data):
            return _scrub(json.loads(data))
        return orjson.loads(data)
    except (ValueError, RecursionError) as strict:  # orjson's own error is a ValueError
        try:
            text = data.decode("utf-8-sig") if isinstance(data, bytes) else data.removeprefix("\ufeff")
            return _scrub(json.loads(text))
        except (ValueError, RecursionError) as error:
            said = error if "byte order mark" in str(strict) else strict  # a BOM is fine, so it is something else
            raise ValueError(str(said) or "nested too deeply") from None


def _scrub(value: Any) -> Any:
    if isinstance(value, str):
        return clean_text(value)
    if isinstance(value, list):
        return [_scrub(item) for item in value]
    if isinstance(value, dict):
        return {_scrub(key): _scrub(item) for key, item in value.items()}
    return value


def dump_line(value: Any) -> bytes:
    """One JSON value on one line, with its line end. Keys keep their order; a lone surrogate is written as its escape."""
    try:
        return orjson.dumps(value, option=orjson.OPT_APPEND_NEWLINE)
    except TypeError:  # a lone surrogate, or a whole number of more than 64 bits
        return dump_spaced(value)


def dump_spaced(value: Any) -> bytes:
    """One JSON value on one line with a space after each comma and colon, as people write it in a file they edit.

    Whole numbers of any length are kept; NaN and infinity raise ValueError, what JSON cannot hold TypeError.
    """
    text = json.dumps(value, ensure_ascii=False, allow_nan=False)
    return escaped_surrogates(text).encode() + b"\n"


def dump_pretty(value: Any) -> bytes:
    """JSON for a file that people read and git diffs."""
    try:
        return orjson.dumps(value, option=orjson.OPT_INDENT_2 | orjson.OPT_APPEND_NEWLINE)
    except TypeError:  # a lone surrogate, or a whole number of more than 64 bits
        text = json.dumps(value, ensure_ascii=False, indent=2)
        return escaped_surrogates(text).encode() + b"\n"


def not_json(error: ValueError) -> str:
    """What is wrong with one line, of an error of `load_json`: the line is known, so only the column is said."""
    return "not JSON: " + _PLACE.sub(r" at column \1", str(error))

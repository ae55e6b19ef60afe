"""One value of a configuration: of the type that its key has, and within bounds."""

from __future__ import annotations

import math
import types
from collections.abc import Iterable
from typing import Any, Literal, Union, get_args, get_origin

__all__ = ["checked", "nearest", "shown"]

_MODEL_MINIMUM = {"temperature": 0.0, "max_tokens": 1, "input_price": 0.0, "output_price": 0.0}
_MODEL_MAXIMUM = {"temperature": 2.0, "max_tokens": 10_000_000, "input_price": 1e9, "output_price": 1e9}
_PLURALS = {str: "strings", int: "whole numbers", bool: "true and false"}
_LONGEST_SHOWN = 200  # characters of a value that a message repeats
_MINIMUM = {
    "chunking.size": 1, "chunking.overlap": 0, "chunking.child_size": 1, "chunking.threshold": 0.0, "embedding.batch_size": 1,
    "embedding.price": 0.0, "embedding.dimensions": 0, "embedding.window": 1,
    "retrieval.k": 1, "retrieval.rrf_k": 0, "retrieval.shards": 1, "retrieval.replicas": 1,
    "retrieval.depth": 1, "retrieval.pool": 1, "answers.max_context_tokens": 1, "run.keep": 1, "gate.tolerance": 0.0,
    "run.timeout_s": 0.1, "run.concurrency": 1, "run.retries": 0,
    **{f"{table}.{key}": least for table in ("answers", "judge") for key, least in _MODEL_MINIMUM.items()},
}  # fmt: skip
_MAXIMUM = {
    "retrieval.k": 1000, "retrieval.shards": 10_000, "retrieval.replicas": 100,
    "retrieval.depth": 10_000, "retrieval.pool": 10_000, "chunking.size": 100_000, "gate.tolerance": 1.0,
    "chunking.child_size": 100_000, "chunking.threshold": 100.0,
    "embedding.price": 1e9, "embedding.dimensions": 65_536, "embedding.window": 10_000_000,
    "run.timeout_s": 3600.0, "run.concurrency": 64, "run.retries": 20,
    **{f"{table}.{key}": most for table in ("answers", "judge") for key, most in _MODEL_MAXIMUM.items()},
}  # fmt: skip


def checked(key: str, hint: Any, value: Any) -> Any:
    """`value` as the field `table.key` of type `hint` takes it. Raises ValueError with what is wrong, in words for a user."""
    if any("\0" in item for item in (value if isinstance(value, list) else [value]) if isinstance(item, str)):
        raise ValueError("it holds a NUL character, which no name of a file or model can")
    origin = get_origin(hint)
    if origin is Literal:
        choices = get_args(hint)
        if value not in choices:
            raise ValueError(f"{shown(repr(value))} is not one of {', '.join(choices)}{nearest(str(value), choices)}")
        return value
    if origin is tuple:
        kind = get_args(hint)[0]
        if not isinstance(value, list) or not all(type(item) is kind for item in value):
            raise ValueError(f"a list of {_PLURALS[kind]} is needed")
        return tuple(value)
    if origin in (Union, types.UnionType):  # a number, or a word instead
        words = [word for part in get_args(hint) if get_origin(part) is Literal for word in get_args(part)]
        (hint,) = [part for part in get_args(hint) if get_origin(part) is not Literal]
        if value in words:
            return value
        if isinstance(value, str):
            raise ValueError(f"{_type_name(hint)} is needed, or {' or '.join(words)}, not {shown(repr(value))}")
    if hint is float and isinstance(value, int) and not isinstance(value, bool):
        value = float(value) if abs(value) < 1e300 else math.inf  # which is refused below
    if not isinstance(value, hint) or (isinstance(value, bool) and hint is not bool):
        said = str(value).lower() if isinstance(value, bool) else repr(value)  # as TOML has it
        raise ValueError(f"{_type_name(hint)} is needed, not {shown(said)}")
    if isinstance(value, float) and not math.isfinite(value):  # nan is neither below nor above anything
        raise ValueError(f"{value} is no number that can be counted with")
    if key in _MINIMUM and value < _MINIMUM[key]:
        raise ValueError(f"{shown(str(value))} is below the smallest allowed value, {_MINIMUM[key]}")
    if key in _MAXIMUM and value > _MAXIMUM[key]:
        raise ValueError(f"{shown(str(value))} is above the largest allowed value, {_MAXIMUM[key]}")
    return value


def shown(text: str) -> str:
    """`text` as a message repeats it: not longer than a reader wants."""
    return text if len(text) <= _LONGEST_SHOWN else text[: _LONGEST_SHOWN - 1] + "…"


def _type_name(hint: type) -> str:
    return {int: "a whole number", float: "a number", str: "a string", bool: "true or false"}[hint]


def nearest(name: str, known: Iterable[str]) -> str:
    """`; did you mean …?`, or all that are known where none is near."""
    import difflib

    known = list(known)
    close = difflib.get_close_matches(name, known, n=1, cutoff=0.5)
    return f"; did you mean {close[0]}?" if close else f"; known are {', '.join(known)}"

"""Front matter of Markdown: YAML between `---` lines or TOML between `+++` lines, at the very top."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, NamedTuple

__all__ = ["FrontMatter", "split_front_matter"]

_FENCES = {"---": re.compile(r"^(?:---|\.\.\.)[ \t]*$", re.M), "+++": re.compile(r"^\+\+\+[ \t]*$", re.M)}


class FrontMatter(NamedTuple):
    """`values` by key; `error` says why they could not be read; `body` starts at offset `start` of the file's text.

    `unclosed` holds what follows an opening line that no closing line answers: it is text then, not front matter.
    """

    values: Mapping[str, Any]
    error: str
    start: int
    unclosed: str = ""


def split_front_matter(text: str) -> FrontMatter:
    """Read the front matter of `text`. Scalars stay strings: no dates, no booleans, nothing that runs code."""
    first, newline, _ = text.partition("\n") if text.startswith(("---", "+++")) else ("", "", "")
    fence = first.rstrip(" \t")
    if fence not in _FENCES or not newline:
        return FrontMatter({}, "", 0)
    opened = len(first) + 1
    closing = _FENCES[fence].search(text, opened)
    if closing is None:
        return FrontMatter({}, "", 0, text[opened:])
    inner = text[opened : closing.start()]
    start = min(closing.end() + 1, len(text))
    try:
        values = _yaml(inner) if fence == "---" else _toml(inner)
    except ValueError as error:
        return FrontMatter({}, str(error), start)
    if values is None:
        return FrontMatter({}, "", start)
    if not isinstance(values, dict):
        return FrontMatter({}, "no list of keys", start)
    return FrontMatter({str(key): value for key, value in values.items()}, "", start)


def _yaml(inner: str) -> Any:
    if not inner.strip():
        return None
    import yaml  # type: ignore[import-untyped]  # it ships no types

    try:
        return yaml.load(inner, Loader=yaml.BaseLoader)
    except yaml.MarkedYAMLError as error:
        line = f" (line {error.problem_mark.line + 2})" if error.problem_mark else ""
        raise ValueError(f"not YAML: {error.problem or error.context}{line}") from None
    except (yaml.YAMLError, ValueError, RecursionError, TypeError) as error:
        raise ValueError(f"not YAML: {str(error).splitlines()[0] if str(error) else type(error).__name__}") from None


def _toml(inner: str) -> Any:
    import tomllib

    try:
        return tomllib.loads(inner)
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        raise ValueError(f"not TOML: {error}") from None

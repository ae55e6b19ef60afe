"""A value from front matter, a meta tag or a JSON object -> the groups that may see a document."""

from __future__ import annotations

from typing import Any

from ragtriage.errors import Problem

__all__ = ["HIDDEN", "groups_of", "read_access"]

HIDDEN: tuple[str, ...] = ()
_NO_GROUP = {"", "~", "null", "true", "false", "yes", "no", "on", "off"}


def groups_of(value: Any) -> tuple[str, ...]:
    """One group, several separated by commas, or a list of them. Raises ValueError for anything else.

    An empty list is a list: nobody but `*` sees the document.
    """
    if isinstance(value, str):
        value = value.split(",")
    if not isinstance(value, list):
        raise ValueError("a group or a list of groups is needed")
    groups = []
    for item in value:
        if isinstance(item, bool) or not isinstance(item, str | int):
            raise ValueError("every group must be a string")
        name = str(item).strip()
        if name.lower() in _NO_GROUP:
            raise ValueError(f"{name!r} is not a group")
        groups.append(name)
    return tuple(dict.fromkeys(groups))


def read_access(value: Any, where: str, line: int, key: str) -> tuple[tuple[str, ...], list[Problem]]:
    """The groups, or HIDDEN with the Problem that says why: what cannot be read must not become public."""
    try:
        return groups_of(value), []
    except ValueError as error:
        message = f"{error}; the document is hidden from everybody until this is mended"
        return HIDDEN, [Problem(where, line, message, key)]

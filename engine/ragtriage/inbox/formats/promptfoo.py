"""promptfoo: `tests` with `vars` and `assert`, as YAML or JSON. `contains` says what an answer must mention."""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import date
from typing import Any

from ragtriage.errors import Problem
from ragtriage.inbox.formats.base import Content, Format, Found, Record

__all__ = ["FORMAT"]

_TESTS = re.compile(r"(?m)^(?:tests|scenarios)[ \t]*:|^-[ \t]+(?:vars|description)[ \t]*:")
_ONE = frozenset(("contains", "icontains"))
_EVERY = frozenset(("contains-all", "icontains-all"))
_ANY = frozenset(("contains-any", "icontains-any"))
_WHOLE = frozenset(("equals", "similar", "factuality", "model-graded-factuality", "answer-correctness"))
_MOST = 1_000_000  # values of a YAML file, each mention of an alias counted
_LONGEST = 20_000_000


def _fits(content: Content) -> bool:
    if content.is_json:
        value = content.json
        tests = value.get("tests") if isinstance(value, Mapping) else value
        if isinstance(tests, list):
            return any(isinstance(one, Mapping) and isinstance(one.get("vars"), Mapping) for one in tests[:50])
        return any(isinstance(one.values.get("vars"), Mapping) for one in content.objects.records[:50])
    return _TESTS.search(content.text) is not None and "vars" in content.text and not content.head.startswith("<")


def _read(content: Content) -> Found:
    where = content.where
    if content.is_json:
        value, lines = content.json, [1]
        if value is None:  # a test a line
            found = content.objects
            value, lines = [one.values for one in found.records], [one.line for one in found.records]
        problems = list(content.items[1]) if content.json is None else []
    else:
        value, lines, problems = *_yaml(content), []
        if isinstance(value, Problem):
            return Found([], [value])
    shared = value.get("defaultTest") if isinstance(value, Mapping) else None
    tests = value.get("tests") if isinstance(value, Mapping) else value
    if isinstance(tests, str):
        return Found([], [Problem(where, 0, f"the tests lie in another file: import {tests.removeprefix('file://')}", "tests")])
    if not isinstance(tests, list):
        return Found([], [Problem(where, 0, "a list of tests is needed", "tests")])
    records = []
    for number, test in enumerate(tests, start=1):
        place, line = f"tests[{number}]", lines[number - 1] if len(lines) == len(tests) else 0
        if isinstance(test, str):
            problems.append(Problem(where, line, f"lies in another file: import {test.removeprefix('file://')}", place))
        elif not isinstance(test, Mapping) or not isinstance(test.get("vars", {}), Mapping):
            problems.append(Problem(where, line, "an object with vars is needed", place))
        else:
            records.append(_record(test, shared if isinstance(shared, Mapping) else {}, line, place))
    return Found(records, problems)


def _record(test: Mapping[str, Any], shared: Mapping[str, Any], line: int, place: str) -> Record:
    values = {**(shared["vars"] if isinstance(shared.get("vars"), Mapping) else {}), **test.get("vars", {})}
    mentions: list[list[str]] = []
    known: dict[str, Any] = {}
    left = []
    for one in [*_asserts(shared), *_asserts(test)]:
        kind, value = (str(one.get("type")), one.get("value")) if isinstance(one, Mapping) else ("", None)
        listed = [str(item) for item in value if isinstance(item, str | int | float)] if isinstance(value, list) else []
        if kind in _ONE and isinstance(value, str | int | float):
            mentions.append([str(value)])
        elif kind in _EVERY and listed:
            mentions += [[item] for item in listed]
        elif kind in _ANY and listed:
            mentions.append(listed)
        elif kind in _WHOLE and isinstance(value, str) and "expected" not in known:
            known["expected"] = value
        else:
            left.append(one)
    if mentions:
        known["mentions"] = mentions
    extra = {key: value for key, value in test.items() if key not in ("vars", "assert")}
    if left:
        extra["assert"] = left
    if isinstance(extra.get("metadata"), Mapping) and extra["metadata"].get("id") is not None:
        known["ref"] = extra["metadata"]["id"]
    return Record(line, values, known, extra, source="builder", key=place)


def _asserts(test: Mapping[str, Any]) -> list[Any]:
    """A test's assertions, sets of them taken apart."""
    found = test.get("assert")
    out = []
    for one in found if isinstance(found, list) else [found] if found else []:
        if isinstance(one, Mapping) and one.get("type") == "assert-set" and isinstance(one.get("assert"), list):
            out += one["assert"]
        else:
            out.append(one)
    return out


def _yaml(content: Content) -> tuple[Any, list[int]]:
    """The value, and the line of each test; a Problem in its place where it is not YAML."""
    import yaml  # type: ignore[import-untyped]  # it ships no types

    if len(content.text) > _LONGEST:
        return Problem(content.where, 0, f"YAML of more than {_LONGEST // 1_000_000} MB is not read; save it as JSON"), []

    class Loader(yaml.SafeLoader):  # type: ignore[misc]  # not the faster one in C: deep nesting ends the process there
        """Says where a value is not what it looks like, such as a date in month 99."""

        def construct_object(self, node: Any, deep: bool = False) -> Any:
            try:
                return super().construct_object(node, deep=deep)
            except (ValueError, LookupError, AttributeError, OverflowError):
                what = f"{str(node.value)[:40]!r} is no {node.tag.rpartition(':')[2]}; put it in quotes"
                raise yaml.MarkedYAMLError(None, None, what, node.start_mark) from None

    loader = Loader(content.text)
    try:
        node = loader.get_single_node()
        if node is None or _size(node, {}) > _MOST:
            raise ValueError
        value = _plain(loader.construct_document(node))
    except yaml.MarkedYAMLError as error:
        line = error.problem_mark.line + 1 if error.problem_mark else 0
        return Problem(content.where, line, f"not YAML: {error.problem or error.context}"), []
    except yaml.YAMLError as error:
        return Problem(content.where, 0, f"not YAML: {str(error).splitlines()[0]}"), []
    except (RecursionError, ValueError, OverflowError):
        return Problem(content.where, 0, "not YAML that is read here: nested too deeply, or too large"), []
    return value, _lines(node)


def _lines(node: Any) -> list[int]:
    for key, inner in node.value if node is not None and node.id == "mapping" else ():
        if getattr(key, "value", "") == "tests":
            node = inner
    if node is None or node.id != "sequence":
        return []
    return [one.start_mark.line + 1 for one in node.value]


def _size(node: Any, sizes: dict[int, int | None]) -> int:
    """How many values a node stands for, each mention of an alias counted. Raises ValueError where one holds itself."""
    if (known := sizes.get(id(node), 0)) is None:
        raise ValueError
    if known == 0:
        sizes[id(node)] = None
        inner = node.value if node.id != "scalar" else ()
        known = 1 + sum(_size(one, sizes) for pair in inner for one in (pair if isinstance(pair, tuple) else (pair,)))
        sizes[id(node)] = known
    return known


def _plain(value: Any) -> Any:
    """JSON's values: dates as text, names as strings."""
    if isinstance(value, Mapping):
        return {str(key): _plain(one) for key, one in value.items()}
    if isinstance(value, list | tuple | set):
        return [_plain(one) for one in value]
    if isinstance(value, date):
        return value.isoformat()
    if isinstance(value, bytes):
        return value.decode("utf-8", "replace")
    return value


FORMAT = Format("promptfoo", "promptfoo tests, YAML or JSON", _fits, _read)

"""What differs between two versions of a golden file, question by question: not the lines, and not their order.

A question is known by its id; one that has another id and the very same wording is renamed. What says where the evidence lies
(or that there is none) is a label, everything else of a question is edited.
"""

from __future__ import annotations

import json
from collections import defaultdict, deque
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from ragtriage.errors import Problem
from ragtriage.golden.dialects import qid_of
from ragtriage.log_lines import parse_log

__all__ = ["Change", "Changed", "GoldenDiff", "diff_golden"]

LABELS = frozenset(
    ("evidence", "references", "relevant", "relevant_ids", "relevant_chunk_ids", "relevant_doc_ids", "answerable")
)
_IDS = ("qid", "id", "_id")
_TEXTS = ("question", "q", "text")


class Change(NamedTuple):
    """One key. `old` is None where the key is new, `new` where it is gone: `had` and `has` tell that from a null."""

    key: str
    old: Any
    new: Any
    had: bool = True
    has: bool = True


class Changed(NamedTuple):
    """A question that both versions have: what of it was edited, and what of its labels. `was` is its id before."""

    qid: str
    was: str
    question: str
    edits: tuple[Change, ...]
    labels: tuple[Change, ...]


class GoldenDiff(NamedTuple):
    """Questions by what became of them, in the order of the new version (`removed`: of the old one).

    `added` and `removed` are objects as they stand. A question that was renamed, edited and relabelled is in all three.
    `problems` are the lines of either version that no question could be read from.
    """

    added: tuple[Mapping[str, Any], ...]
    removed: tuple[Mapping[str, Any], ...]
    changed: tuple[Changed, ...]
    problems: tuple[Problem, ...]

    @property
    def edited(self) -> tuple[Changed, ...]:
        return tuple(one for one in self.changed if one.edits)

    @property
    def relabelled(self) -> tuple[Changed, ...]:
        return tuple(one for one in self.changed if one.labels)

    @property
    def renamed(self) -> tuple[Changed, ...]:
        return tuple(one for one in self.changed if one.was != one.qid)


_Object = Mapping[str, Any]


def diff_golden(old: bytes, new: bytes, *, old_name: str, new_name: str) -> GoldenDiff:
    """The difference between two files' bytes; the names are how problems call them."""
    before, old_problems = _objects(old, old_name)
    after, new_problems = _objects(new, new_name)
    pairs, removed, added = _paired(before, after, qid_of)
    renamed, removed, added = _paired(removed, added, _wording)
    order = {id(value): at for at, value in enumerate(after)}
    together = sorted([*pairs, *renamed], key=lambda pair: order[id(pair[1])])
    changed = (_changed(*pair) for pair in together)
    return GoldenDiff(
        tuple(added),
        tuple(removed),
        tuple(one for one in changed if one.edits or one.labels or one.was != one.qid),
        (*old_problems, *new_problems),
    )


def _objects(data: bytes, name: str) -> tuple[list[_Object], list[Problem]]:
    lines, problems = parse_log(data, name)
    found: list[_Object] = []
    for line, value in lines:
        if qid_of(value):
            found.append(value)
        else:
            problems.append(Problem(name, line, "there is no question", "question"))
    return found, problems


class _Paired(NamedTuple):
    pairs: list[tuple[_Object, _Object]]
    removed: list[_Object]
    added: list[_Object]


def _paired(before: Sequence[_Object], after: Sequence[_Object], name: Callable[[_Object], str]) -> _Paired:
    """Objects of the same name, equal ones first where several have it; the rest of both versions in their order."""
    partner: dict[int, _Object] = {}
    taken: set[int] = set()
    for key in (lambda value: (name(value), _spelled(value)), name):
        waiting: dict[object, deque[_Object]] = defaultdict(deque)
        for value in before:
            if id(value) not in taken and name(value):
                waiting[key(value)].append(value)
        for value in after:
            if id(value) not in partner and (others := waiting.get(key(value))):
                partner[id(value)] = others.popleft()
                taken.add(id(partner[id(value)]))
    pairs = [(partner[id(value)], value) for value in after if id(value) in partner]
    left = [value for value in before if id(value) not in taken]
    return _Paired(pairs, left, [value for value in after if id(value) not in partner])


def _wording(value: _Object) -> str:
    return " ".join(_text(value).split())


def _text(value: _Object) -> str:
    return next((value[key] for key in _TEXTS if isinstance(value.get(key), str)), "")


def _changed(old: _Object, new: _Object) -> Changed:
    edits: list[Change] = []
    labels: list[Change] = []
    for key in _keys(old, new):
        if key in _IDS:
            continue
        if key in old and key in new and _spelled(old[key]) == _spelled(new[key]):
            continue
        change = Change(key, old.get(key), new.get(key), key in old, key in new)
        (labels if _is_label(key, change) else edits).append(change)
    return Changed(qid_of(new), qid_of(old), _text(new), tuple(edits), tuple(labels))


def _is_label(key: str, change: Change) -> bool:
    """`source` is a label where it is a reference rather than an object that tells where the question comes from."""
    return key in LABELS or (key == "source" and any(isinstance(value, str | list) for value in (change.old, change.new)))


def _keys(old: _Object, new: _Object) -> Iterable[str]:
    return dict.fromkeys([*new, *old])


def _spelled(value: Any) -> str:
    """Equal for equal JSON: 1, 1.0 and true are different, the order of keys makes no difference."""
    return json.dumps(value, sort_keys=True)

"""Question, document and value of each line of a file, a block of lines at a time.

A block whose lines all fit is taken apart by the C loops of Python alone; only one that does not is looked at line by line.
Ids stay bytes: they are compared and sorted as trec_eval does it, and decoded where somebody reads them.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from ragtriage.errors import InputError
from ragtriage.interchange.lines import Block, Faults, blocks
from ragtriage.interchange.tables import Form, cells_of, form_of

__all__ = ["Columns", "columns"]

_LOOKED_AT = 50  # lines, until one has a form that is known

_WANTED = {
    "run": "a run has six columns (question Q0 document rank score tag), or question, document and score or rank",
    "qrels": "judgements have four columns (question 0 document grade), or question, document and grade",
}


class Columns(NamedTuple):
    """The good lines of one block. `values` are finite; ranks are negated, so that more is always better."""

    form: Form
    lines: Sequence[int]
    qids: list[bytes]
    docs: list[bytes]
    values: list[float]


def columns(path: Path, kind: str, faults: Faults) -> Iterator[Columns]:
    """The lines of a "run" or "qrels", those that cannot be used going to `faults`.

    Raises InputError where the file cannot be read, is empty, or where none of its first lines has a known form.
    """
    form: Form | None = None
    for block in blocks(path, faults):
        if form is None:
            if not block.data.strip():
                continue
            form = form_of(block.lines[:_LOOKED_AT], kind)
            if form is None:
                raise InputError(f"{path}: {_WANTED[kind]}; its first lines have neither")
            if form.named:
                block = _without_names(block)
        if block.data:
            yield _at_once(block, form) or _line_by_line(block, form, faults)
    if form is None:
        raise InputError(f"{path}: is empty")


def _without_names(block: Block) -> Block:
    lines = block.lines
    first = next(place for place, line in enumerate(lines) if line.strip()) + 1
    return Block(block.first + first, b"\n".join(lines[first:]))


def _at_once(block: Block, form: Form) -> Columns | None:
    """The block's columns where every line is as it should be, else None."""
    data, by, width = block.data, form.by, form.width
    if b"\0" in data or (by in (b",", b";") and b'"' in data):
        return None
    # one split for all lines: a mark takes the place of each line end, and every line is whole where marks stand evenly
    count = data.count(b"\n") + 1
    cells = data.replace(b"\n", (by or b" ") + b"\0" + (by or b" ")).split(by)
    step = width + 1
    if len(cells) != count * step - 1 or cells[width::step] != [b"\0"] * (count - 1):
        return None
    qids, docs, said = cells[form.qid :: step], cells[form.doc :: step], cells[form.value :: step]
    if by is not None:
        qids, docs, said = (list(map(bytes.strip, column)) for column in (qids, docs, said))
        if not all(qids) or not all(docs):
            return None
    try:
        values = list(map(float, said))
    except ValueError:
        return None
    # a sum that is finite has finite parts; float takes 1_000, which nobody means
    if not math.isfinite(sum(values)) or b"_" in b"".join(said):
        return None
    lines = range(block.first, block.first + count)
    return Columns(form, lines, qids, docs, [-value for value in values] if form.ranked else values)


def _line_by_line(block: Block, form: Form, faults: Faults) -> Columns:
    lines: list[int] = []
    qids: list[bytes] = []
    docs: list[bytes] = []
    values: list[float] = []
    for number, line in enumerate(block.lines, start=block.first):
        if not line.strip():
            continue
        cells = cells_of(line, form.by)
        if form.by is None and len(cells) != form.width and line.count(b"\t") == form.width - 1:
            cells = cells_of(line, b"\t")  # ids that hold spaces
        if len(cells) != form.width:
            faults.bad(number, f"{form.width} columns are needed, this line has {len(cells)}")
        elif not cells[form.qid] or not cells[form.doc]:
            faults.bad(number, f"the {'question' if not cells[form.qid] else 'document'} is empty")
        elif (value := _number(cells[form.value])) is None:
            shown = cells[form.value][:40].decode("utf-8", "replace")
            faults.bad(number, f"{shown!r} is no finite number")
        else:
            lines.append(number)
            qids.append(cells[form.qid])
            docs.append(cells[form.doc])
            values.append(-value if form.ranked else value)
    return Columns(form, lines, qids, docs, values)


def _number(cell: bytes) -> float | None:
    try:
        value = float(cell)
    except ValueError:
        return None
    return value if math.isfinite(value) and b"_" not in cell else None

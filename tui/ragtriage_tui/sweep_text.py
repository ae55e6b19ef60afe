"""A sweep's table as text: the rows that are not dominated, what wins and how far that is to be trusted. 80 columns."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from ragtriage_tui.estimates import duration
from ragtriage_tui.figures import count, number, signed, wrapped
from ragtriage_tui.text import fit, one_line, take, width

if TYPE_CHECKING:
    from ragtriage.experiments.confirm import Confirmed
    from ragtriage.experiments.sweep import Swept
    from ragtriage.experiments.table import Row, Table

__all__ = ["table_lines", "trial_line"]

_NAME = 30
_MOST_UNUSABLE = 5
_KEY = re.compile(r"[a-z_]+=(?=[^,() ]+[,)])")  # inside the brackets of a chunker
_SETTING = re.compile(r"[a-z_]+=[^,() ]+")


def trial_line(swept: Swept, left_s: float | None = None) -> str:
    """`3 of 27  recall@5 0.812  recursive(size=128)  about 2 min left`, as each row comes."""
    k = swept.run.manifest["k"]
    found = swept.run.manifest["metrics"].get(f"recall@{k}")
    known = "  measured before" if swept.found else ""
    value = number(found["value"] if found else None)
    left = f"  about {duration(left_s)} left" if left_s else ""
    return f"{swept.place} of {swept.total}  recall@{k} {value}  {one_line(swept.candidate.name)}{known}{left}"


def table_lines(table: Table, confirmed: Confirmed | None = None, *, everything: bool = False) -> list[str]:
    """The report. Dominated rows are left out and counted unless `everything` is wanted."""
    from ragtriage.experiments.words import confirmed_sentence, winner_sentence

    shown = [row for row in table.rows if everything or not row.dominated or row is table.current or row is table.winner]
    names = _names([one_line(row.name) for row in shown], _NAME)
    lines = [_head(table), *(_line(table, row, name) for row, name in zip(shown, names, strict=True))]
    if hidden := len(table.rows) - len(shown):
        lines.append(f"  {count(hidden, 'row')} dominated: another finds no less and costs no more; --all shows them")
    lines += [*_notes(shown), ""]
    if len(table.winners) > 1:
        lines += [f"{one_line(model)}: {one_line(row.name)}" for model, row in table.winners.items()]
    lines += wrapped(winner_sentence(table))
    if confirmed is not None:
        lines += wrapped(confirmed_sentence(confirmed))
    for one in table.unusable[:_MOST_UNUSABLE]:
        settings = ", ".join(f"{key}={value}" for key, value in one.settings.items())
        lines += wrapped(f"left out: {settings}: {one.reason}")
    if len(table.unusable) > _MOST_UNUSABLE:
        lines.append(f"left out: {len(table.unusable) - _MOST_UNUSABLE} more")
    return lines


def _head(table: Table) -> str:
    budgets = (f"@{tokens // 1000}k" for tokens in _budgets(table))
    change = f"+/-@{table.budget // 1000}k" if table.budget else "change"
    names = ("configuration", f"recall@{table.at}", change, "flips@k" if table.budget else "flips", *budgets, "p50 ms")
    return _fields(" ", names)


def _line(table: Table, row: Row, name: str) -> str:
    mark = "■" if row is table.current else "▸" if row is table.winner else " "
    flips = f"+{len(row.versus.won)} -{len(row.versus.lost)}" if row.versus else ""
    change = signed(row.deciding.change) if row.deciding else ""
    took = row.timings.get("query_ms")
    budgets = (_budget(row, tokens) for tokens in _budgets(table))
    return _fields(mark, (name, number(row.metric(f"recall@{row.k}")), change, flips, *budgets, _ms(took)))


def _names(names: Sequence[str], cells: int) -> list[str]:
    """The names in at most `cells`, in the first form in which no two are alike: the middle of a longer one left out, then
    without what all share, then without the names of the keys."""
    shared = set.intersection(*(set(_SETTING.findall(name)) for name in names)) if len(names) > 1 else set()
    forms = [
        list(names),
        [_without(name, shared) if width(name) > cells else name for name in names],
        [_KEY.sub("", name) if width(name) > cells else name for name in names],
    ]
    cut = [[_without_middle(name, cells) for name in form] for form in forms]
    return next((form for form in cut if len(set(form)) == len(set(names))), cut[-1])


def _without(name: str, settings: set[str]) -> str:
    """`recursive(overlap=16) k=5` of `recursive(size=128,overlap=16) k=5`."""
    name = _SETTING.sub(lambda found: "" if found[0] in settings else found[0], name)
    name = re.sub(r",+(?=[,)])|(?<=\(),+", "", name).replace("()", "")
    return " ".join(name.split())


def _without_middle(name: str, cells: int) -> str:
    if width(name) <= cells:
        return name
    end = take(name[::-1], cells // 2)[::-1]
    return f"{take(name, cells - 1 - width(end))}…{end}"


def _fields(mark: str, values: Sequence[str]) -> str:
    name, *rest = values
    widths = (8, 7, 8, 6, 6, 7)
    return f"{mark} {fit(name, _NAME)} " + " ".join(value.rjust(width) for value, width in zip(rest, widths, strict=True))


def _budgets(table: Table) -> tuple[int, int]:
    """The two that are shown; the one that decides is among them."""
    return (2000, 4000) if table.budget == 4000 else (1000, 2000)


def _budget(row: Row, tokens: int) -> str:
    value = row.budget(tokens)
    return number(value) + ("*" if tokens in row.figures["short"] else "")


def _ms(value: Any) -> str:
    return "–" if value is None else f"{value:.1f}"


def _notes(rows: Sequence[Row]) -> list[str]:
    """What must be known of rows, each sentence once with the rows that it is about."""
    said: dict[str, list[str]] = {}
    for row in rows:
        for note in row.notes:
            said.setdefault(note, []).append(row.name)
    lines = []
    for note, names in said.items():
        who = one_line(names[0]) if len(names) == 1 else f"{count(len(names), 'row')}"
        lines += wrapped(f"  ! {who}: {one_line(note)}", "    ")
    return lines

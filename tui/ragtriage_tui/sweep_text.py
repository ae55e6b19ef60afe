"""A sweep's table as text: the rows that are not dominated, what wins and how far that is to be trusted. 80 columns."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from ragtriage_tui.estimates import duration
from ragtriage_tui.figures import count, number, signed, wrapped
from ragtriage_tui.short_names import short_names
from ragtriage_tui.text import fit, one_line

if TYPE_CHECKING:
    from ragtriage.experiments.confirm import Confirmed
    from ragtriage.experiments.sweep import Swept
    from ragtriage.experiments.table import Row, Table

__all__ = ["table_lines", "trial_line"]

_NAME = 30
_MOST_UNUSABLE = 5


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
    names = short_names(tuple(one_line(row.name) for row in shown), _NAME)
    lines = [_head(table), *(_line(table, row, name) for row, name in zip(shown, names, strict=True))]
    if any(_is_short(row, tokens) for row in shown for tokens in _budgets(table)):
        lines.append("  ? the pool does not fill that budget: a larger one might find more")
    if hidden := len(table.rows) - len(shown):
        lines.append(f"  {count(hidden, 'row')} dominated: another finds no less and costs no more; --all shows them")
    lines += [*_notes(shown, names), ""]
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
    from ragtriage.experiments.figures import budget_name

    budgets = (budget_name(tokens) for tokens in _budgets(table))
    change = f"+/-{budget_name(table.budget)}" if table.budget else "change"
    flips = "flips@k" if table.budget else "flips"
    sent = () if table.one_k else ("tokens",)
    return _fields(" ", ("configuration", f"recall@{table.at}", change, flips, *sent, *budgets, "p50 ms"))


def _line(table: Table, row: Row, name: str) -> str:
    mark = "■" if row is table.current else "▸" if row is table.winner else " "
    flips = f"+{len(row.versus.won)} -{len(row.versus.lost)}" if row.versus else ""
    change = signed(row.deciding.change) if row.deciding else ""
    took = row.timings.get("query_ms")
    budgets = (_budget(row, tokens) for tokens in _budgets(table))
    sent = () if table.one_k else ("–" if row.sent is None else f"{row.sent:,.0f}",)
    return _fields(mark, (name, number(row.metric(f"recall@{row.k}")), change, flips, *sent, *budgets, _ms(took)))


def _fields(mark: str, values: Sequence[str]) -> str:
    name, *rest = values
    widths = (8, 7, 8, 6, 6, 7)
    return f"{mark} {fit(name, _NAME)} " + " ".join(value.rjust(width) for value, width in zip(rest, widths, strict=True))


def _budgets(table: Table) -> tuple[int, ...]:
    """Those that are shown, the one that decides among them; what rows send takes the place of one where they differ in k."""
    if not table.one_k:
        return (table.budget or 1000,)
    if table.budget is not None and table.budget < 1000:
        return table.budget, 1000
    return (2000, 4000) if table.budget == 4000 else (1000, 2000)


def _budget(row: Row, tokens: int) -> str:
    value = row.budget(tokens)
    return number(value) + ("?" if _is_short(row, tokens) else "")


def _is_short(row: Row, tokens: int) -> bool:
    return tokens in row.figures["short"]


def _ms(value: Any) -> str:
    return "–" if value is None else f"{value:.1f}"


def _notes(rows: Sequence[Row], shown: Sequence[str]) -> list[str]:
    """What must be known of rows, each sentence once with the rows that it is about."""
    said: dict[str, list[str]] = {}
    for row, name in zip(rows, shown, strict=True):
        for note in row.notes:
            said.setdefault(note, []).append(name)
    lines = []
    for note, names in said.items():
        who = names[0] if len(names) == 1 else f"{count(len(names), 'row')}"
        lines += wrapped(f"  ! {who}: {one_line(note)}", "    ")
    return lines

"""What a sweep says in sentences: who wins, by how much, and how far that is to be trusted."""

from __future__ import annotations

from ragtriage.experiments.confirm import Confirmed
from ragtriage.experiments.table import Row, Table
from ragtriage.experiments.versus import Versus, is_loss, versus

__all__ = ["adopting_sentence", "confirmed_sentence", "versus_sentence", "winner_sentence"]

_NEVER = ": never wins"  # how notes end that bar a row


def winner_sentence(table: Table) -> str:
    """Which configuration finds most, and what that rests on."""
    row = table.winner
    if row is None:
        said = f"Nothing beats the configuration in use, {table.current.name}, by {table.by}."
        return f"{said}{_full(table)}{_barred(table.current)}"
    found = row.deciding
    said = versus_sentence(found, by=_by(table.budget)) if found is not None else ""
    tried = len(table.rows) - 1
    luck = f" It is the best of {tried} on these questions, which flatters it." if tried > 1 else ""
    return f"{row.name} finds most by {table.by}. {said}{_sent(row, table.current)}{luck}"


def adopting_sentence(row: Row, base: Row) -> str:
    """What taking `row` over in the place of `base` wins and loses at k, with a warning where that is a loss."""
    found = versus(base.run, row.run)
    if found.change is None:
        return f"Against {base.name} nothing was measured on both sides."
    at = f"recall@{row.k}" if row.k == base.k else f"recall@{base.k} to recall@{row.k}"
    against = "Careful, it is a loss at k against" if is_loss(found) else "Against"
    return f"{against} {base.name}: {_flips(found, 'recall@k')} at k, {at} {_signed(found.change)}.{_sent(row, base)}"


def _sent(row: Row, base: Row) -> str:
    """What a larger k pays for what it finds, and what it would find without."""
    if row.k == base.k or row.sent is None or base.sent is None:
        return ""
    value = row.metric(f"recall@{base.k}")
    same = f"; at k={base.k} it finds {value:.3f}" if value is not None else ""
    return f" It sends {row.sent:,.0f} tokens a question in the place of {base.sent:,.0f}{same}."


def versus_sentence(found: Versus, *, by: str = "recall@k") -> str:
    """`Against the one in use: 5 won, 2 lost of 78; recall@k +0.038 (95 % -0.010 to +0.087, p 0.45 after Holm).`

    `by` names what changes. Questions are won and lost at k, whatever it is.
    """
    if found.change is None:
        return "Against the one in use: nothing was measured on both sides."
    said = f"Against the one in use: {_flips(found, by)}; {by} "
    if found.low is None or found.high is None:
        return said + "did not change."
    said += f"{found.change:+.3f} (95 % {found.low:+.3f} to {found.high:+.3f}, p {found.p_holm:.2g} after Holm)."
    if found.p_holm < 0.05:
        return said
    more = f"; about {found.more:,} questions more would show a change of this size" if found.more else ""
    return f"{said} That may be chance{more}."


def confirmed_sentence(found: Confirmed) -> str:
    """What the questions kept aside say of the winner."""
    change = found.versus.change
    if change is None:
        return "On the holdout nothing was measured on both sides."
    by = _by(found.budget)
    sides = f"{_flips(found.versus, by)}, {by} {_signed(change)}"
    if found.versus.low is not None and found.versus.high is not None:
        sides += f" (95 % {found.versus.low:+.3f} to {found.versus.high:+.3f})"
    before = " This winner had been looked at there before." if found.again else ""
    more = f" Sweeps have looked at {found.look} winners there: each look makes it more a part of the choice."
    return f"{_verdict(found)}: {sides}.{before}{more if found.look > 1 else ''}"


def _verdict(found: Confirmed) -> str:
    """What the holdout says in front of its figures. A difference that may be chance confirms nothing."""
    if not (found.versus.change or found.versus.won or found.versus.lost):
        return "The holdout shows no difference"
    chance = ", but that may be chance" if found.chance else ""
    if not found.holds:
        return "The win does not show on the holdout" if chance else "The win is a loss on the holdout"
    if is_loss(found.versus):
        return f"On the holdout more is found, but more questions are lost at k than won{chance.replace('but ', 'and ')}"
    if not found.versus.won:
        return f"On the holdout nothing is won at k; more is found there{chance}"
    return f"The holdout points the same way{chance}" if chance else "The win holds on the holdout"


def _signed(change: float) -> str:
    return "0.000" if round(change, 3) == 0 else f"{change:+.3f}"


def _full(table: Table) -> str:
    """Whether the configuration in use finds all there is inside the budget, so that none could find more."""
    if table.budget is None or table.current.budget(table.budget) != 1.0:
        return ""
    return " It finds all evidence there, so that none could find more: that budget cannot tell them apart on these questions."


def _barred(row: Row) -> str:
    """Why the configuration in use is no winner, either."""
    why = [note.removesuffix(_NEVER) for note in row.notes if note.endswith(_NEVER)]
    return f" It could not win itself: {'; '.join(why)}." if row.barred else ""


def _by(budget: int | None) -> str:
    return "recall@k" if budget is None else f"recall in {budget:,} tokens"


def _flips(found: Versus, by: str) -> str:
    at = "" if by == "recall@k" else " at k"
    return f"{len(found.won)} won, {len(found.lost)} lost of {found.n}{at}"

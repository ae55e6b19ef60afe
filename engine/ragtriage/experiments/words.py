"""What a sweep says in sentences: who wins, by how much, and how far that is to be trusted."""

from __future__ import annotations

from ragtriage.experiments.confirm import Confirmed
from ragtriage.experiments.table import Row, Table
from ragtriage.experiments.versus import Versus

__all__ = ["confirmed_sentence", "versus_sentence", "winner_sentence"]


def winner_sentence(table: Table) -> str:
    """Which configuration finds most, and what that rests on."""
    if table.winner is None:
        return f"Nothing beats the configuration in use, {table.current.name}, by {table.by}."
    return f"{table.winner.name} finds most by {table.by}. {_against(table.winner)}"


def _against(row: Row) -> str:
    return versus_sentence(row.versus) if row.versus is not None else ""


def versus_sentence(found: Versus) -> str:
    """`Against the one in use: 5 won, 2 lost of 78; recall +0.038 (95 % -0.010 to +0.087, p 0.45 after Holm).`"""
    if found.change is None:
        return "Against the one in use: nothing was measured on both sides."
    said = f"Against the one in use: {len(found.won)} won, {len(found.lost)} lost of {found.n}; recall@k "
    if found.low is None or found.high is None:
        return said + "did not change."
    said += f"{found.change:+.3f} (95 % {found.low:+.3f} to {found.high:+.3f}, p {found.p_holm:.2g} after Holm)."
    if found.p_holm < 0.05:
        return said
    more = f"; about {found.more:,} questions more would settle a change of this size" if found.more else ""
    return f"{said} That may be chance{more}."


def confirmed_sentence(found: Confirmed) -> str:
    """What the questions kept aside say of the winner."""
    change = found.versus.change
    if change is None:
        return "On the holdout nothing was measured on both sides."
    verdict = "holds on the holdout" if found.holds else "does not hold on the holdout"
    before = ", looked at before" if found.again else ""
    sides = f"{len(found.versus.won)} won, {len(found.versus.lost)} lost of {found.versus.n}, recall@k {change:+.3f}"
    return f"The win {verdict}: {sides}{before}."

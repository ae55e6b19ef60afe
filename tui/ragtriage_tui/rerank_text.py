"""What a reranker gains and costs, as text of 80 columns: the table of an audit, and the lines in a run's report."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from ragtriage_tui.figures import change_interval, clip_text, count, number, signed, some, wrapped
from ragtriage_tui.naming import config_name
from ragtriage_tui.text import clip, clip_middle, fit, one_line

if TYPE_CHECKING:
    from ragtriage.experiments.accountant import Audit, PoolRow
    from ragtriage.measure.rerank_account import Move

__all__ = ["audit_lines", "report_lines"]

_COLUMNS = 80
_QID, _RANKS = 16, 9
_MOST_MOVES = 12


def audit_lines(audit: Audit, texts: Mapping[str, str], *, config: Mapping[str, Mapping[str, Any]], pool: int) -> list[str]:
    """The whole audit. `texts` maps a qid to its question's text; moves are listed of the pool that the budget allows, else of
    `pool`, else of the largest."""
    blocks = [
        [*wrapped(config_name(config)), _measured(audit)],
        _table(audit),
        _steps(audit.rows),
        _budget(audit),
        _alarms(audit),
        _moves(audit, texts, pool),
        _failed(audit),
    ]
    lines: list[str] = []
    for block in blocks:
        if block:
            lines += ["", *block] if lines else block
    return lines


def report_lines(manifest: Mapping[str, Any]) -> list[str]:
    """Two lines and the alarms of a run that was reranked; none of another."""
    found = manifest.get("rerank")
    if not found:
        return []
    k = manifest["k"]
    reached = f"recall@{k} {number(found['before'])} → {number(found['after'])} of at most {number(found['ceiling'])}"
    lines = [
        *wrapped(f"reranked: {reached} in the pool of {found['pool']}; {_share(found['used'])}"),
        f"into k: {_who(found['promoted'])} · out of k: {_who(found['demoted'])}",
    ]
    return lines + [line for alarm in found["alarms"] for line in wrapped(f"! {alarm['says']}")]


def _measured(audit: Audit) -> str:
    """`23 dev questions with evidence`, and of how many of them the figures are, where some failed."""
    measured = max((row.account.n for row in audit.rows), default=0)
    asked = measured + len(audit.failed)
    return f"{count(asked, 'dev question')} with evidence{f', {measured} of {asked} measured' if audit.failed else ''}"


def _share(used: float | None) -> str:
    if used is None:
        return "there is no headroom"
    return f"{used:.0%} of the headroom used" if used >= 0 else "less than before"


def _who(moves: Sequence[Mapping[str, Any]]) -> str:
    return f"{len(moves)} ({some(list(dict.fromkeys(move['qid'] for move in moves)), 4)})" if moves else "0"


def _table(audit: Audit) -> list[str]:
    k = audit.k
    head = f"{'pool':>6}{'before':>8}{'after':>8}{'ceiling':>9}{'used':>8}{'in':>5}{'out':>5}"
    lines = [f"recall@{k}", head + f"{'p50 ms':>10}{'p95 ms':>10}{'ms/point':>11}"]
    for row in audit.rows:
        found, latency = row.account, row.latency
        used = "–" if found.used is None else f"{found.used:.0%}"
        times = (latency.p50_ms, latency.p95_ms) if latency else (None, None)
        cells = f"{found.pool:>6}{number(found.before):>8}{number(found.after):>8}{number(found.ceiling):>9}{used:>8}"
        cells += f"{len(found.promoted):>5}{len(found.demoted):>5}"
        lines.append(cells + "".join(f"{_ms(ms):>10}" for ms in times) + f"{_ms(row.ms_per_point):>11}")
    timed = next((row.latency for row in reversed(audit.rows) if row.latency), None)
    says = "used: of the headroom, which is ceiling - before. in, out: items of evidence over the edge of k."
    if timed is not None:
        says += f" ms: one question, warm and uncached, over {timed.n}; a point is a hundredth of recall."
    last = audit.rows[-1]
    if last.latency is not None and last.latency.passages < last.account.pool:
        says += f" At {last.account.pool}, retrieval had {last.latency.passages:.0f} passages in the mean."
    interval = change_interval(last.interval.low, last.interval.high)
    return [*lines, *wrapped(says, ""), f"after - before at {last.account.pool}: {interval} (95 %)"]


def _steps(rows: Sequence[PoolRow]) -> list[str]:
    """What the next larger pool gains and costs, and how much that would be for one of twice the size."""
    lines = []
    for row in rows:
        step = row.step
        if step is not None:
            pools = f"{step.smaller} → {row.account.pool}"
            cost = f"{step.ms:+.1f} ms" if step.ms is not None else "–"
            twice = "" if abs(step.doublings - 1) < 1e-9 else f"   a doubling: {signed(step.gain / step.doublings)}"
            if twice and step.ms is not None:
                twice += f" for {step.ms / step.doublings:+.1f} ms"
            lines.append(f"{pools:>12}  {signed(step.gain):>7} for {cost}{twice}")
    return ["a larger pool", *lines] if lines else []


def _budget(audit: Audit) -> list[str]:
    if audit.budget_ms is None:
        return []
    if audit.within_budget is not None:
        return [f"The largest of these pools within {audit.budget_ms:g} ms (p95) is {audit.within_budget}."]
    least = next((row for row in audit.rows if row.latency), None)
    if least is None or least.latency is None:
        return [f"Nothing could be timed, so no pool is within {audit.budget_ms:g} ms."]
    takes = f"{least.account.pool} takes {_ms(least.latency.p95_ms)}"
    return [f"No pool is within {audit.budget_ms:g} ms (p95): {takes} ms."]


def _alarms(audit: Audit) -> list[str]:
    """Each alarm with the pools it is about; the same sentence is said once."""
    said: dict[str, list[str]] = {}
    for row in audit.rows:
        for alarm in row.alarms:
            said.setdefault(alarm.says, []).append(str(row.account.pool))
    return [line for says, pools in said.items() for line in wrapped(f"! pool {', '.join(pools)}: {says}")]


def _moves(audit: Audit, texts: Mapping[str, str], pool: int) -> list[str]:
    wanted = audit.within_budget or pool
    row = next((one for one in audit.rows if one.account.pool == wanted), audit.rows[-1])
    found = row.account
    if not (found.promoted or found.demoted):
        return []
    lines = [f"evidence over the edge of k = {found.k}, pool {found.pool}: {len(found.promoted)} in, {len(found.demoted)} out"]
    for mark, moves in (("↑", found.promoted), ("↓", found.demoted)):
        lines += [_move(mark, move, texts) for move in moves[:_MOST_MOVES]]
        if len(moves) > _MOST_MOVES:
            lines.append(f"{mark} … and {len(moves) - _MOST_MOVES} more; --json has all")
    return lines


def _move(mark: str, move: Move, texts: Mapping[str, str]) -> str:
    ranks = f"{'–' if move.before is None else move.before} → {'–' if move.after is None else move.after}"
    qid = fit(clip_middle(one_line(move.qid), _QID), _QID)
    return clip(f"{mark} {qid}  {ranks:<{_RANKS}}  {one_line(texts.get(move.qid, ''))}".rstrip(), _COLUMNS)


def _failed(audit: Audit) -> list[str]:
    if not audit.failed:
        return []
    reasons: dict[str, list[str]] = {}
    for qid, reason in audit.failed:
        reasons.setdefault(reason, []).append(qid)
    lines = [f"{count(len(audit.failed), 'question')} could not be reranked"]
    return lines + [
        line for reason, qids in reasons.items() for line in wrapped(f"! {clip_text(reason, 200)}: {some(qids, 4)}")
    ]


def _ms(value: float | None) -> str:
    if value is None:
        return "–"
    return f"{value:.1f}" if value < 100 else f"{value:,.0f}"

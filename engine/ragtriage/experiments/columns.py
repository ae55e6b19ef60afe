"""The columns of a sweep's table, in one place: the text, the screen and the exports take them from here."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from ragtriage.experiments.figures import budget_name
from ragtriage.experiments.grid import chunked_alike
from ragtriage.experiments.table import Row, Table

__all__ = ["CUTS", "Built", "Column", "columns_of"]

CUTS = (5, 10, 20)


class Column(NamedTuple):
    """`key` is its JSON key and CSV header, `head` its title on a screen; `value` gives a number, a string or None.

    `timed`: it differs from one measurement to the next. `higher` tells whether more is better, None where neither is.
    """

    key: str
    head: str
    value: Callable[[Row], Any]
    timed: bool = False
    higher: bool | None = True


def columns_of(table: Table) -> tuple[Column, ...]:
    """The columns of `table`, the most telling first. Answers have one where they were made.

    `recall@k` and `hit@k` are at each row's own k, which its title names where it is that of all rows. `change` and `p_holm`
    are those of what rows are chosen by; where that is a budget of tokens, those of recall@k have columns of their own. Won and
    lost are at k, always.
    """
    at = table.at
    by = f" {budget_name(table.budget)}" if table.budget else ""
    built = Built(table.rows)
    out = [
        Column("recall@k", f"recall@{at}", lambda row: row.metric(f"recall@{row.k}")),
        Column("change", f"change{by}", lambda row: row.deciding.change if row.deciding else None),
        Column("won", "won", lambda row: len(row.versus.won) if row.versus else None),
        Column("lost", "lost", lambda row: len(row.versus.lost) if row.versus else None, higher=False),
        *(Column(f"recall@{tokens}_tokens", budget_name(tokens), _budget(tokens)) for tokens in table.budgets),
        Column("hit@k", f"hit@{at}", lambda row: row.metric(f"hit@{row.k}")),
        Column("mrr", "mrr", lambda row: row.metric("mrr")),
        *(Column(f"recall@{cut}", f"recall@{cut}", _recall(cut)) for cut in CUTS if str(cut) != at),
        Column("accuracy", "accuracy", lambda row: row.accuracy),
        Column("p_holm", f"p{by}", lambda row: row.deciding.p_holm if row.deciding else None, higher=False),
        Column("change_at_k", f"change of recall@{at}", lambda row: row.versus.change if row.versus else None),
        Column("p_holm_at_k", f"p of recall@{at}", lambda row: row.versus.p_holm if row.versus else None, higher=False),
        Column("context_tokens", "tokens", lambda row: row.run.manifest.get("context_tokens"), higher=False),
        Column("token_precision", "precision", lambda row: row.figures["tokens"]["precision"]),
        Column("token_iou", "iou", lambda row: row.figures["tokens"]["iou"]),
        Column("token_recall", "tok recall", lambda row: row.figures["tokens"]["recall"]),
        Column("chunks", "chunks", lambda row: row.figures["chunks"], higher=None),
        Column("texts", "texts", lambda row: row.figures["texts"], higher=False),
        Column("unembedded", "unembedded", lambda row: row.figures["unembedded"], higher=False),
        Column("index_bytes", "index MB", lambda row: row.timings.get("index_bytes"), timed=True, higher=False),
        Column("build_s", "build s", built.seconds, timed=True, higher=False),
        Column("query_ms", "p50 ms", lambda row: row.timings.get("query_ms"), timed=True, higher=False),
        Column("query_ms_p95", "p95 ms", lambda row: row.timings.get("query_ms_p95"), timed=True, higher=False),
    ]
    left_out = set() if table.budget else {"change_at_k", "p_holm_at_k"}
    if all(row.accuracy is None for row in table.rows):
        left_out.add("accuracy")
    return tuple(column for column in out if column.key not in left_out)


class Built:
    """What it takes from nothing to a searchable index, put together from what the trials of a table saw.

    Rows that share chunks or an index made them once: the first measured them for all. `pace` are the texts embedded a second
    over all that had to be; None where nothing had to.
    """

    def __init__(self, rows: Sequence[Row]) -> None:
        embedded = [(row.timings.get("embedded") or 0, row.timings.get("embed_s") or 0.0) for row in rows]
        texts, seconds = sum(one for one, _ in embedded), sum(took for one, took in embedded if one)
        self.pace = texts / seconds if texts and seconds else None
        self._seen: dict[tuple[str, ...], float] = {}
        for row in rows:
            for key in _parts(row):
                if (took := row.timings.get(key[0])) is not None:
                    self._seen.setdefault(key, took)

    def seconds(self, row: Row) -> float | None:
        """Cutting and indexing as measured, and all texts at the pace of embedding.

        None where a part was there already when the first trial that needs it was made, so that nobody saw what it takes.
        """
        parts: list[float | None] = [self._seen.get(key) for key in _parts(row)]
        if row.figures["texts"]:
            parts.append(row.figures["texts"] / self.pace if self.pace else None)
        seen = [part for part in parts if part is not None]
        return round(sum(seen), 2) if len(seen) == len(parts) else None


def _parts(row: Row) -> list[tuple[str, ...]]:
    """What is built for a row beside its vectors: the key of its time, and what rows have in common that share it."""
    config = row.candidate.config
    chunks = chunked_alike(config)
    indexed = config.retrieval.mode != "dense"
    return [("cut_s", chunks), *([("index_s", chunks, config.retrieval.language)] if indexed else [])]


def _budget(tokens: int) -> Callable[[Row], float | None]:
    return lambda row: row.budget(tokens)


def _recall(cut: int) -> Callable[[Row], float | None]:
    return lambda row: row.metric(f"recall@{cut}")

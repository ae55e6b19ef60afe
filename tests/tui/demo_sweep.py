"""A hand-made sweep and levers: the drawings' rows as view models, and doors that answer with them."""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Mapping
from dataclasses import replace

from ragtriage_tui.sweep_views import (
    Against,
    AskedQuestion,
    FailLine,
    FlipLine,
    LeverRow,
    LeverView,
    Offer,
    SweepColumn,
    SweepDetail,
    SweepRow,
    SweepView,
)
from ragtriage_tui.views import Change, Progress
from ragtriage_tui.workers import DoorError

COLUMNS = (
    SweepColumn("name", "configuration", "name", 0), SweepColumn("recall@k", "recall@5", "share", 1),
    SweepColumn("change", "change", "change", 2), SweepColumn("flips", "flips", "flips", 3),
    SweepColumn("hit@k", "hit@5", "share", 7), SweepColumn("mrr", "mrr", "share", 8),
    SweepColumn("recall@1000_tokens", "@1k", "share", 9), SweepColumn("recall@2000_tokens", "@2k", "share", 5),
    SweepColumn("recall@4000_tokens", "@4k", "share", 10), SweepColumn("chunks", "chunks", "count", 11, False),
    SweepColumn("build_s", "build s", "s", 12, False), SweepColumn("query_ms", "p50 ms", "ms", 6, False),
    SweepColumn("p_holm", "p", "p", 14, False), SweepColumn("note", "", "note", 13),
)  # fmt: skip
_ROWS = (  # name, recall@5, hit, mrr, @1k, @2k, @4k, chunks, build, ms, what it is
    ("recursive(size=128,overlap=0)", .82, .88, .71, .62, .74, .80, 612, 8.1, 14.0, "in use"),
    ("small_to_big(child=128,parent=512)", .88, .92, .76, .66, .81, .86, 655, 11.9, 19.0, "best"),
    ("recursive(size=256,overlap=32)", .86, .90, .74, .60, .80, .87, 341, 6.2, 13.0, ""),
    ("small_to_big(child=128,parent=256)", .85, .90, .75, .65, .77, .82, 648, 11.7, 18.0, ""),
    ("recursive(size=256,overlap=0)", .84, .88, .73, .58, .79, .86, 318, 5.8, 13.0, ""),
    ("recursive(size=128,overlap=32)", .83, .88, .72, .63, .75, .81, 702, 9.0, 14.0, ""),
    ("semantic(percentile=90,size=256)", .82, .87, .71, .57, .76, .84, 377, 14.2, 13.0, "dominated"),
    ("fixed(size=256,overlap=32)", .80, .85, .70, .52, .73, .83, 352, 5.5, 13.0, "dominated"),
    ("fixed(size=256,overlap=0)", .78, .85, .68, .50, .71, .82, 325, 5.1, 13.0, "dominated"),
    ("fixed(size=128,overlap=0)", .77, .83, .69, .58, .70, .77, 630, 7.7, 14.0, "dominated"),
    ("recursive(size=512,overlap=32)", .76, .83, .66, .31, .62, .84, 188, 5.2, 12.0, "barred"),
    ("recursive(size=512,overlap=0)", .75, .83, .65, .30, .61, .84, 171, 4.9, None, "dominated"),
)  # fmt: skip
FLIPS = (
    FlipLine("q009", "webhook fires twice for one refund, which one counts", 8, 2, True),
    FlipLine("q017", "can i send the terminal back if i just don't like it", 7, 3, True),
    FlipLine("q021", "what do i pay when i cancel in the middle of a month", None, 4, True),
    FlipLine("q028", "how long can i return a gift and when is the money back", 14, 5, True),
    FlipLine("q052", "which countries get free delivery and how fast is it", 9, 4, True),
    FlipLine("q011", "FW-T210-DOCK compatible with T200", 2, 6, False),
    FlipLine("q019", "ERR_7003", 1, None, False),
)
FAILING = (
    FailLine("q003", "how long till the money is back on my card", None, "missed"),
    FailLine("q011", "FW-T210-DOCK compatible with T200", 6, "partly"),
    FailLine("q060", "what could not be measured", None, "failed"),
)


def rows(count: int = 99) -> tuple[SweepRow, ...]:
    """The rows of the drawing, the one in use first."""
    keys = [column.key for column in COLUMNS if column.key in {"recall@k", "hit@k", "mrr", "chunks", "build_s", "query_ms"}]
    out = []
    for number, (name, recall, hit, mrr, one, two, four, chunks, build, took, what) in enumerate(_ROWS[:count]):
        values = dict(zip(keys, (recall, hit, mrr, chunks, build, took), strict=True))
        values |= {"recall@1000_tokens": one, "recall@2000_tokens": two, "recall@4000_tokens": four}
        notes = ("11% of its tokens are beyond the encoder's window: never wins",) if what == "barred" else ()
        out.append(
            SweepRow(
                f"t{number}", name, values, (one, two, four), what == "in use", what == "best",
                _ROWS[1][0] if what == "dominated" else "", what == "barred", notes,
            )
        )  # fmt: skip
    return tuple(out)


def beside(base: str, among: tuple[SweepRow, ...]) -> dict[str, Against]:
    """All rows beside one of them."""
    values = {row.id: row.values["recall@k"] or 0.0 for row in among}
    return {
        name: Against(round(value - values[base], 6), 3 + number % 3, number % 4, 0.04 if number == 1 else 0.45)
        for number, (name, value) in enumerate(values.items())
        if name != base
    }


def view(count: int = 99, **more: object) -> SweepView:
    found = rows(count)
    made = SweepView(
        "fernway-help", "hybrid k=5", n=52, rows=found, columns=COLUMNS, base="t0", against=beside("t0", found),
        by="recall in 2,000 tokens", again="27 configurations of [sweep]",
    )  # fmt: skip
    return replace(made, **more)  # type: ignore[arg-type]


def detail(row_id: str, base_id: str, **more: object) -> SweepDetail:
    same = row_id == base_id
    made = SweepDetail(
        row_id, base_id, 5, 0.06, -0.02, 0.14, 0.45, 120, 11, flips=() if same else FLIPS, failing=FAILING, n=52,
    )  # fmt: skip
    return replace(made, **more)  # type: ignore[arg-type]


class Sweeps:
    """Answers from memory. `swept`: how many rows a sweep brings, one after the other; `step_s` is how long each takes."""

    def __init__(self) -> None:
        self.now = view()
        self.details: Callable[[str, str], SweepDetail] = detail
        self.swept = len(_ROWS)
        self.step_s = 0.0
        self.refuse = ""
        self.lines: tuple[str, ...] = ()
        self.written: list[str] = []
        self.undone: list[str] = []
        self.offered = ""
        self.compared: list[str] = []

    def view(self, progress: Progress) -> SweepView:
        return self.now

    def sweep(self, progress: Progress, told: Callable[[SweepView], None]) -> SweepView:
        if self.refuse:
            raise DoorError(self.refuse)
        for count in range(1, self.swept + 1):
            progress(f"{count - 1} of {self.swept} done", 0, 0)
            time.sleep(self.step_s)
            self.now = view(count, running=_ROWS[count][0] if count < len(_ROWS) else "")
            told(self.now)
        self.now = view(self.swept)
        return self.now

    def against(self, base_id: str) -> Mapping[str, Against]:
        self.compared.append(base_id)
        return beside(base_id, self.now.rows)

    def row(self, row_id: str, base_id: str) -> SweepDetail | None:
        return self.details(row_id, base_id)

    def offer(self, row_id: str) -> Offer:
        if self.refuse:
            raise DoorError(self.refuse)
        self.offered = row_id
        name = next(row.name for row in self.now.rows if row.id == row_id)
        return Offer(name, "ragtriage.toml", "chunking.size 128 → 256, overlap 0 → 32", self.lines)

    def adopt(self) -> Change:
        self.written.append(self.offered)
        used = tuple(replace(row, in_use=row.id == self.offered) for row in self.now.rows)
        self.now = replace(self.now, rows=used, base=self.offered, against=beside(self.offered, used))
        return Change("ragtriage.toml", "ragtriage.toml: chunking.size 128 → 256, overlap 0 → 32")


LEVERS = (
    LeverRow("dense", "4", "none", 5, 3, finds=True, best=True),
    LeverRow("rerank lexical", "5", "50 pairs a question", 1, 4, finds=True),
    LeverRow("bm25", "–", "none", 1, 2),
    LeverRow("zscore", "10", "none", 2, 1),
    LeverRow("size 100", "", "embed 381 texts, about 24 s", texts=381),
    LeverRow("model broken/model", "", "broken/model: no such model", reason="broken/model: no such model"),
)


class Levers:
    """Answers from memory, one lever after the other."""

    def __init__(self) -> None:
        self.rows = LEVERS
        self.asked: list[tuple[str, frozenset[str]]] = []
        self.step_s = 0.0
        self.refuse = ""
        self.lost = True
        self.written: list[str] = []
        self.offered = ""

    def _view(self, qid: str, count: int) -> LeverView:
        asked = AskedQuestion(qid, "can i send the terminal back if i just don't like it", "7", self.lost) if qid else None
        advice = (
            "Dense brings it inside k, the cheapest of 2 levers that do. Of the other questions it mends 4 and breaks 3.",
        )
        todo = len(self.rows) - count
        return LeverView("fernway-help", "hybrid k=5", 5, asked, self.rows[:count], 12, 60, todo, () if todo else advice)

    def levers(
        self, qid: str, progress: Progress, told: Callable[[LeverView], None], embed: frozenset[str] = frozenset()
    ) -> LeverView:
        self.asked.append((qid, embed))
        if self.refuse:
            raise DoorError(self.refuse)
        self.rows = tuple(
            replace(row, texts=0, rank="3", mends=2, breaks=0, cost="all embedded already") if row.id in embed else row
            for row in self.rows
        )
        for count in range(len(self.rows)):
            progress(f"lever {count} of {len(self.rows)}", 0, 0)
            time.sleep(self.step_s)
            told(self._view(qid, count))
        return self._view(qid, len(self.rows))

    def offer(self, lever: str) -> Offer:
        if self.refuse:
            raise DoorError(self.refuse)
        self.offered = lever
        return Offer(f"mode={lever}", "ragtriage.toml", f"retrieval.mode hybrid → {re.sub(' ', '_', lever)}")

    def adopt(self) -> Change:
        self.written.append(self.offered)
        return Change("ragtriage.toml", f"ragtriage.toml: retrieval.mode hybrid → {self.offered}")

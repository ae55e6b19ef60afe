"""A hand-made review: the drawings' content as view models, and the part of the door that answers with it."""

from __future__ import annotations

import time
from dataclasses import replace

from tests.tui.demo import CATEGORIES, QUOTE, answer

from ragtriage_tui.answer_views import MarkView
from ragtriage_tui.review_views import (
    Asked,
    ChangeKind,
    Difference,
    FigureChange,
    FlipRow,
    FlipView,
    Half,
    PlacedChunk,
    ReviewView,
    RungView,
    Side,
    SideName,
    SideView,
    TextPart,
    Texts,
)
from ragtriage_tui.text import Extent
from ragtriage_tui.views import Change, NeedView, Progress
from ragtriage_tui.workers import DoorError

_FLIPS: tuple[tuple[str, ChangeKind, Half, int, str], ...] = (
    ("q002", "broken", "retrieval", 2, "what does ERR_4021 mean"),
    ("q006", "broken", "retrieval", 1, "do you deliver on sundays"),
    ("q017", "broken", "retrieval", 2, "can i send the terminal back if i just don't like it"),
    ("q050", "broken", "answer", 3, "amex fees"),
    ("q047", "errored", "retrieval", 0, "puis-je avoir la facture en euros"),
    ("q009", "fixed", "retrieval", 0, "webhook fires twice for one payment"),
    ("q052", "fixed", "answer", 0, "which countries get free delivery"),
    ("q004", "better", "retrieval", 0, "webhook signature header name"),
    ("q014", "worse", "retrieval", 0, "money from the weekend is missing"),
)

_BASE = (
    ("policy-shipping#1", 1), ("policy-refunds#3", 7), ("orders/change#2", 3), ("policy-returns-eu#2", 2),
    ("gift-cards#4", None),
    ("terminals/t210#2", 5), ("faq-damaged-goods#1", 4), ("account/close#1", 8), ("policy-refunds#2", None),
    ("terminals/t200#2", 6),
)  # fmt: skip
_HEAD = (
    ("policy-shipping#1", 1), ("policy-returns-eu#1", 4), ("orders/change#1", 3), ("faq-damaged-goods#1", 7),
    ("terminals/t210#1", 6), ("terminals/t200#1", 10), ("policy-refunds#2", 2), ("account/close#1", 8),
    ("orders/change#3", None),
    ("terminals/dock#1", None),
)  # fmt: skip
_TEXT = f"## Time limits\n\nA return must be started {QUOTE}. The parcel then has 14 more days."
_BEFORE = "## What can be sent back\n\nTerminals, docks, cables and unopened packs of paper rolls.\n\n"


def rows(reviewed: int = 0) -> tuple[FlipRow, ...]:
    """The flips; the first of them labelled."""
    out = []
    for index, (qid, change, half, suggested, text) in enumerate(_FLIPS):
        done = index < reviewed and change not in ("better", "worse")
        label = (suggested or 6) if done else 0
        tags = ("refund",) if "back" in text else ()
        out.append(FlipRow(qid, text, change, half, "labelled" if done else "open", suggested, label, "", "paraphrase", tags))
    return tuple(out)


def review(flips: tuple[FlipRow, ...] | None = None) -> ReviewView:
    return ReviewView(
        SideName("main", "4f2c1e9", "size=128"), SideName("rechunk-256", "aa00c1d", "size=256", working=True), 5, 5,
        rows() if flips is None else flips, CATEGORIES,
        (FigureChange("recall@5", 0.82, 0.78, 52), FigureChange("hit@5", 0.88, 0.83, 52), FigureChange("mrr", 0.71, 0.7, 52)),
        (
            Difference("chunking.size", "128 → 256"), Difference("documents", "1 edited", ("edited: policy-refunds",)),
            Difference("chunks", "412 → 230, 190 with other borders"), Difference("golden set", "the same"),
        ),
        ("size 128 → 256, 1 document",), common=60,
    )  # fmt: skip


def _side(side: Side, ranks: tuple[tuple[str, int | None], ...], found: int) -> SideView:
    other = _HEAD if side == "base" else _BASE
    chunks = []
    for rank, (chunk_id, there) in enumerate(ranks, start=1):
        holds = rank == found
        text = _TEXT if holds else f"What {chunk_id} says."
        at = text.find(QUOTE)
        places = (Extent(at, at + len(QUOTE)),) if holds else ()
        other_id = other[there - 1][0] if there else ""
        chunks.append(
            PlacedChunk(rank, chunk_id, chunk_id.split("#")[0], text, "whole" if holds else "none", places, there, other_id, 0)
        )
    if side == "base":
        said = answer(True, "", "You have 30 days from delivery to start a return [2]. After that 14 more [2].",
                      (MarkView(True, "says", "30 days"),), ("policy-shipping#1", "policy-refunds#3"))  # fmt: skip
    else:
        said = answer(False, "", "Shops in the EU have a right of withdrawal of 14 days [2].",
                      (MarkView(False, "lacks", "30 days"),), ("policy-shipping#1", "policy-returns-eu#1"))  # fmt: skip
    return SideView(tuple(chunks), answer=said)


def flip(row: FlipRow) -> FlipView:
    """All of one flip: evidence at 2 in the base, at 7 in the head."""
    need = NeedView("policy-refunds", "Time limits", QUOTE, rank=7, span=Extent(120, 146))
    rungs = (
        RungView("corpus", "ok"), RungView("one chunk", "ok"), RungView("window", "ok"), RungView("allowed", "ok"),
        RungView("bm25 2 → 31", "broken", True, True), RungView("dense 4 → 4", "plain", True),
        RungView("fused 2 → 7", "plain", True), RungView("inside k 5", "plain", True),
    )  # fmt: skip
    proof = ("evidence 2 → 7, k = 5", "2 → 7, k = 5", "2 → 7")
    reason = ""
    if row.change == "errored":
        proof, rungs, reason = (
            ("not measured on the head: the model is gone",),
            (),
            "not measured on the head: the model is gone",
        )
    said = {"labelled": f"{row.label} given", "intended": "intended until 3 March"}.get(row.decided, "")
    return FlipView(
        row.qid, row.text, row.change, row.half, _side("base", _BASE, 2), _side("head", _HEAD, 7), 5, 5, "paraphrase", "dev",
        proof, (need,), rungs, "#3 (97 tokens) is now part of #2 (241 tokens)", "", said, reason, 2, 7,
    )  # fmt: skip


def texts(side: Side = "base", chunk_id: str = "policy-refunds#3") -> Texts:
    at = _TEXT.index(QUOTE)
    base = TextPart("#3", "97 tokens", _TEXT, (Extent(at, at + len(QUOTE)),), (), "whole")
    whole = _BEFORE + _TEXT
    at = whole.index(QUOTE)
    head = TextPart("#2", "241 tokens", whole, (Extent(at, at + len(QUOTE)),), ((len(_BEFORE), "was #3"),), "whole")
    return Texts(side, chunk_id, (TextPart("#2", "80 tokens", _BEFORE, main=False), base), (head,))


class Reviews:
    """Answers from memory. `refuse`: what every write says; `fails`: why it cannot be measured; `measure_s`: how long it is."""

    def __init__(self) -> None:
        self.now = review()
        self.notes: dict[str, str] = {}
        self.events: list[str] = []
        self.done: list[ReviewView] = []
        self.undone: list[ReviewView] = []
        self.refuse = ""
        self.fails = ""
        self.measure_s = 0.0
        self.measured = False

    def check(self, asked: Asked) -> None:
        if self.fails:
            raise DoorError(self.fails)

    def kept(self, asked: Asked) -> ReviewView | None:
        return self.now if self.measured else None

    def review(self, asked: Asked, progress: Progress) -> ReviewView:
        self.events.append(f"review {asked.base} {asked.head}")
        until = time.monotonic() + self.measure_s
        while time.monotonic() < until:
            progress("embedding", 1, 3)
            time.sleep(0.01)
        self.measured = True
        return self.now

    def overview(self) -> ReviewView:
        return self.now

    def flip(self, qid: str) -> FlipView | None:
        row = next((row for row in self.now.flips if row.qid == qid), None)
        return replace(flip(row), note=self.notes.get(qid, "")) if row else None

    def texts(self, qid: str, side: Side, chunk_id: str) -> Texts:
        return texts(side, chunk_id)

    def _set(self, qid: str, **changes: object) -> None:
        if self.refuse:
            raise DoorError(self.refuse)
        self.done.append(self.now)
        self.undone.clear()
        flips = tuple(replace(row, **changes) if row.qid == qid else row for row in self.now.flips)  # type: ignore[arg-type]
        self.now = replace(self.now, flips=flips)

    def label(self, qid: str, key: int, note: str | None = None) -> Change:
        self._set(qid, label=key, decided="labelled" if key else "open", until="")
        self.events.append(f"{qid}={key}")
        self.notes[qid] = note or ""
        return Change(qid, f"{qid} is now {key} {CATEGORIES[key - 1].short}" if key else f"{qid} has no verdict now")

    def intended(self, qid: str, reason: str) -> Change:
        self._set(qid, decided="intended", until="3 March")
        self.notes[qid] = reason
        self.events.append(f"{qid} intended: {reason}")
        return Change(qid, f"{qid} is intended until 3 March")

    def undo(self) -> Change:
        if not self.done:
            return Change("", "Nothing to undo")
        self.undone.append(self.now)
        self.now = self.done.pop()
        return Change(self.now.flips[0].qid, "as before")

    def redo(self) -> Change:
        if not self.undone:
            return Change("", "Nothing to do again")
        self.done.append(self.now)
        self.now = self.undone.pop()
        return Change(self.now.flips[0].qid, "again")

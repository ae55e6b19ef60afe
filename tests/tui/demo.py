"""A hand-made project without an engine: the drawings' content as view models, and a door that answers with it."""

from __future__ import annotations

import re
import time
from dataclasses import replace

from tests.tui.demo_judge import Judging
from tests.tui.demo_sweep import Levers, Sweeps

from ragtriage_tui.answer_views import AnswerView, Asked, CalibrationView, CitationView, Consent, JudgeView, MarkView, SentView
from ragtriage_tui.text import Extent, scrub
from ragtriage_tui.views import (
    Advice,
    CategoryView,
    Change,
    ChunkView,
    Figure,
    NeedView,
    News,
    Opened,
    Overview,
    Progress,
    QuestionRow,
    QuestionView,
    RungView,
)  # fmt: skip

CATEGORIES = (
    CategoryView(1, "not-retrieved", "not retrieved", "not retrieved"),
    CategoryView(2, "ranked-too-low", "ranked too low", "ranked too low"),
    CategoryView(3, "misused", "retrieved but misused", "misused"),
    CategoryView(4, "made-up", "made something up", "made up"),
    CategoryView(5, "should-have-refused", "should have refused", "should refuse"),
    CategoryView(6, "bad-label", "bad question or label", "bad label"),
    CategoryView(7, "refused-wrongly", "refused wrongly", "wrong refusal"),
)

_FAILING = (
    ("q003", 1, 1, "how long till the money is back on my card"),
    ("q009", 2, 2, "webhook fires twice for one payment"),
    ("q017", 2, 0, "can i send the terminal back if i just don't like it"),
    ("q021", 1, 0, "what do i pay when i cancel half way"),
    ("q024", 3, 3, "does the new one take the same dock"),
    ("q028", 2, 0, "how long can i return a gift and when is the money back"),
    ("q033", 2, 0, "ERR_4021 keeps coming back after the update"),
    ("q036", 2, 2, "parcel says delivered but nothing came"),
    ("q041", 1, 0, "can my accountant see payouts"),
    ("q044", 5, 5, "do you ship to the moon"),
    ("q052", 3, 0, "which countries get free delivery"),
    ("q057", 6, 6, "is there a limit"),
)
_PASSING = (
    "how long do i have to send something back", "what does ERR_4021 mean", "webhook signature header name",
    "terminal won't wake up after the update", "do you deliver on sundays", "fees for amex and how do i pay them",
    "customer wants an invoice with vat", "FW-T210-DOCK compatible with the T200", "shop moved, where do i change it",
    "how do i reset it", "money from the weekend is missing", "retry schedule invoice.paid",
)  # fmt: skip

_REFUNDS = "## Time limits\n\nA return must be started within 30 days of delivery. The parcel then has 14 more days."
_CHUNKS = (
    (1, "policy-shipping#1", "Terminals leave our warehouse on every working day before 15:00.", 1, 9),
    (2, "terminals/t210#2", "If you do not like the screen's brightness, open Settings.", 3, 5),
    (3, "faq-damaged-goods#1", "Send us a picture of the broken terminal and of the box.", 2, 12),
    (4, "terminals/t200#2", "If you do not like the keypad tone, open Settings.", 6, 8),
    (5, "account/close#1", "You can close your account at any time in Settings.", 4, 21),
    (6, "runbooks/payout-delay#3", "Do not send the merchant back to the bank.", 7, 14),
    (7, "policy-refunds#3", _REFUNDS, 31, 4),
    (8, "policy-returns-eu#2", "Shops in the EU have a right of withdrawal of 14 days.", None, 6),
    (9, "orders/change#2", "Until the parcel is packed you can change the order.", 5, 33),
    (10, "gift-cards#4", "A gift card cannot be exchanged for money.", None, 7),
    (11, "billing/disputes#1", "A customer who wants the money back opens a dispute.", 8, 40),
    (12, "terminals/t210#5", "To reset the terminal hold the power key.", 10, 19),
    (13, "policy-refunds#1", "Refunds and returns. This page says what can be sent back.", 9, None),
    (14, "policy-shipping#3", "A courier tries twice. After that the parcel comes back.", 12, 28),
    (15, "terminals/t200#1", "The T200 is our terminal with keys. It has no touch screen.", None, 10),
    (16, "account/plans#2", "You can move to a smaller plan whenever you like.", 11, 37),
)  # fmt: skip

QUOTE = "within 30 days of delivery"


def chunks(turn: int = 0) -> tuple[ChunkView, ...]:
    """The drawing's ranking; with `turn`, all but the evidence at 7 change places, as they do from question to question."""
    others = [entry[1:] for entry in _CHUNKS if entry[0] != 7]
    others = others[turn % len(others) :] + others[: turn % len(others)]
    turned = [*others[:6], _CHUNKS[6][1:], *others[6:]]
    out = []
    for rank, (chunk_id, text, bm25, dense) in enumerate(turned, start=1):
        at = text.find(QUOTE)
        places = (Extent(at, at + len(QUOTE)),) if at >= 0 else ()
        view = ChunkView(rank, chunk_id, chunk_id.split("#")[0], text, evidence=places, ranks=(bm25, dense))
        out.append(replace(view, holds="whole") if places else view)
    out[3], out[12] = replace(out[3], judged="-"), replace(out[12], judged="+")
    return tuple(out)


def rows(passing: int = 47) -> tuple[QuestionRow, ...]:
    failing = [
        QuestionRow(qid, text, "fails", suggested, label, kind="paraphrase", tags=("refund",) if "back" in text else ())
        for qid, suggested, label, text in _FAILING
    ]
    taken = {row.qid for row in failing}
    free = [f"q{number:03d}" for number in range(1, 300) if f"q{number:03d}" not in taken]
    others = [QuestionRow(free[index], _PASSING[index % len(_PASSING)], "passes") for index in range(passing)]
    others.insert(5, QuestionRow("q900", "who founded fernway", "nothing"))
    return tuple(sorted([*failing, *others], key=lambda row: row.qid))


def overview(*, questions: tuple[QuestionRow, ...] | None = None) -> Overview:
    return Overview(
        project="fernway-help", setup="hybrid k=5", k=5, questions=rows() if questions is None else questions,
        categories=CATEGORIES, figures=(Figure("recall@5", 0.82, 52), Figure("hit@5", 0.88, 52), Figure("mrr", 0.71, 52)),
        tax=Figure("tax", 0.09, 46), run_id="2026",
        advice=(Advice("For 2 questions the evidence is below k: a reranker could win .11.", ("q009", "q017")),),
    )  # fmt: skip


def answer(
    good: bool | None, given: str, text: str, marks: tuple[MarkView, ...] = (), ids: tuple[str, ...] = (), *,
    judge: JudgeView | None = None, cost: tuple[str, ...] = (),
) -> AnswerView:  # fmt: skip
    """An answer whose citations are found, given chunks by their ids."""
    sent = tuple(SentView(chunk_id, chunk_id.split("#")[0]) for chunk_id in ids)
    cited = tuple(CitationView(Extent(*one.span()), (int(one[1]),)) for one in re.finditer(r"\[(\d)\]", text))
    return AnswerView(good, given, text, marks, sent, cited, judge, cost)


def question(row: QuestionRow) -> QuestionView:
    need = NeedView(
        "policy-refunds", "Time limits", QUOTE, rank=7, inside=False, lever="a reranker could win .11", span=Extent(120, 146),
        rungs=(
            RungView("corpus", "ok"), RungView("one chunk", "ok"), RungView("window", "ok"), RungView("allowed", "ok"),
            RungView("bm25 31", "ok", ranked=True), RungView("dense 4", "ok", ranked=True),
            RungView("fused 7", "ok", ranked=True), RungView("inside k 5", "broken", ranked=True),
        ),
    )  # fmt: skip
    oracle = answer(
        True, "given the evidence",
        "You have 30 days from delivery to start a return [1]. After that the parcel has 14 more days to arrive [1].",
        (MarkView(True, "says", "30 days"), MarkView(True, "[1] exists")), ("policy-refunds#3",),
        cost=("139 tokens", "118 + 21 tokens · 0.7 s"),
    )  # fmt: skip
    live = answer(
        False, "given ranks 1-5",
        "Terminals leave our warehouse on every working day before 15:00 [1]. You can close your account at any time [5].",
        (MarkView(False, "lacks", "30 days"), MarkView(True, "[1] [5] exist")),
        ("policy-shipping#1", "terminals/t210#2", "faq-damaged-goods#1", "terminals/t200#2", "account/close#1"),
        cost=("457 tokens", "433 + 24 tokens · 0.9 s"),
    )  # fmt: skip
    if row.qid == "q021":
        live = answer(
            None, "given ranks 1-5", "You pay what is left of the term [2]. The way back is free of charge [7].",
            (
                MarkView(False, "blocked:", "cites [7], which was not given"), MarkView(True, "says", "the term"),
                MarkView(True, "says", "30 days"), MarkView(True, "[2] exists"),
            ),
            tuple(sent.chunk_id for sent in live.passages), cost=live.cost,
            judge=JudgeView((True, False, None, True, True), claims=("The way back is free of charge.",)),
        )  # fmt: skip
    turn = 0 if row.qid == "q017" else int(row.qid[1:])
    return QuestionView(
        qid=row.qid, text=row.text, k=5, state=row.state, kind="paraphrase", split="dev",
        proof="evidence at 7, k = 5" if row.state == "fails" else "evidence at 1, k = 5",
        needs=(need,), stages=("bm25", "dense"), pool=50, chunks=chunks(turn), oracle=oracle, live=live,
    )  # fmt: skip


class DemoDoor:
    """Answers from memory. `delay_s` makes every question slow; `hostile` puts a text into every place."""

    def __init__(self, start: Overview | None = None) -> None:
        from tests.tui.demo_review import Reviews  # which takes its answers from here

        self.now = start or overview()
        self.reviews = Reviews()
        self.done: list[tuple[str, int, int]] = []
        self.undone: list[tuple[str, int, int]] = []
        self.notes: dict[str, str] = {}
        self.events: list[str] = []
        self.change = ""
        self.missing = 0
        self.closed = False
        self.crash = False
        self.judging = Judging()
        self.sweeps = Sweeps()
        self.levers = Levers()
        self.consent: list[Consent] = []
        self.answer_s = 0.0

    def open(self, progress: Progress) -> Opened:
        progress("reading", 0, 1)
        return Opened(self.now, measure=self.missing > 0, missing=self.missing)

    def overview(self) -> Overview:
        return self.now

    def question(self, qid: str) -> QuestionView | None:
        if self.crash and self.events:
            secret = "a local value"
            raise KeyError("unforeseen", len(secret))
        found = next((row for row in self.now.questions if row.qid == qid), None)
        return replace(question(found), note=self.notes.get(qid, "")) if found else None

    def _set(self, qid: str, key: int) -> int:
        old = 0
        out = []
        for row in self.now.questions:
            if row.qid == qid:
                old = row.label
                row = replace(row, label=key)
            out.append(row)
        self.now = replace(self.now, questions=tuple(out))
        return old

    def label(self, qid: str, key: int, note: str | None = None) -> Change:
        self.done.append((qid, self._set(qid, key), key))
        self.undone.clear()
        self.notes[qid] = note if note is not None else self.notes.get(qid, "")
        self.events.append(f"{qid}={key}")
        return Change(qid, f"{qid} is now {key} {CATEGORIES[key - 1].short}" if key else f"{qid} has no label now")

    def undo(self) -> Change:
        if not self.done:
            return Change("", "Nothing to undo")
        qid, old, new = self.done.pop()
        self.undone.append((qid, old, new))
        self._set(qid, old)
        return Change(qid, f"{qid} is as before")

    def redo(self) -> Change:
        if not self.undone:
            return Change("", "Nothing to do again")
        qid, old, new = self.undone.pop()
        self.done.append((qid, old, new))
        self._set(qid, new)
        return Change(qid, f"{qid} is {new} again")

    def measure(self, progress: Progress, *, bm25_only: bool = False, agreed: frozenset[str] = frozenset()) -> Overview:
        self.events.append("measure bm25" if bm25_only else "measure")
        if not bm25_only:
            for step in range(self.missing):
                progress("embedding", step, self.missing)
                time.sleep(0.01)
        return self.now

    def ask(self, qid: str, progress: Progress, agreed: frozenset[str] = frozenset()) -> Asked | Consent:
        for consent in self.consent:
            if consent.token not in agreed:
                return consent
        until = time.monotonic() + self.answer_s
        while time.monotonic() < until:
            progress("answering", 0, 2)
            time.sleep(0.01)
        self.events.append(f"ask {qid}")
        return Asked(qid, f"{qid} answered: oracle ✓, live ✗")

    def changed(self) -> News:
        text, self.change = self.change, ""
        return News(text)

    def raw(self, qid: str) -> str:
        return '{"qid": "' + qid + '"}\n'

    def replace(self, qid: str, text: str) -> Change:
        self.events.append(f"replace {qid}")
        return Change(qid, f"{qid} was changed")

    def close(self) -> None:
        self.closed = True


HOSTILE = (
    "\x1b]52;c;aGk=\x07\x1b[2J\x9b31m[/x] [red]no[/] [k=v] [@click=app.quit]x[/] \u202egnp.exe \x00\x07\x08 \ud800 "
    "\x1bPq\x1b\\ \x1b[?1049l e\u0301 \u65e5\u672c \U0001f469\u200d\U0001f467 \u200b\ufeff \x85\r\n\t end"
)
"""Escapes, markup, bidi, NUL, lone surrogates, wide and joined characters: what a corpus may hold."""


def hostile_door() -> DemoDoor:
    """A project all of whose texts are hostile, scrubbed as the bridge does it."""
    text = scrub(HOSTILE)
    rows_ = tuple(QuestionRow(f"q{number} {text}", f"{text} {number}", "fails", 2, kind="[/x]") for number in range(1, 30))

    class Hostile(DemoDoor):
        def question(self, qid: str) -> QuestionView | None:
            row = next(row for row in self.now.questions if row.qid == qid)
            chunk = ChunkView(1, f"{text}#1", text, text * 3, "whole", (Extent(3, 40),), "", (1, 2))
            long = ChunkView(2, f"long#{'9' * 300}", "long", "x" * 1_000_000, "part", (Extent(500_000, 500_040),), "", (3, 4))
            need = NeedView(text, text, text, rank=1, rungs=(RungView(text, "broken"),), lever=text)
            known = CalibrationView((0.5,) * 5, (text,) * 5)
            judge = JudgeView((False, None, True, None, False), known, (text, text), ("honest",))
            marks = (MarkView(False, text, text), MarkView(True, text), MarkView(None, text))
            ids = (f"{text}#1", "long")
            said = answer(False, text, text * 5 + " [1] [2] [9]", marks, ids, judge=judge, cost=(text, text * 3))
            return replace(
                question(replace(row, qid="q017")), qid=row.qid, text=text, proof=text, needs=(need, need),
                chunks=(chunk, long), oracle=said, live=said, padded=said, failed={"forced": text}, answers_by=text, note=text,
            )  # fmt: skip

    start = replace(overview(questions=rows_), project=text, setup=text, notice=text, advice=(Advice(text, (rows_[0].qid,)),))
    return Hostile(start)

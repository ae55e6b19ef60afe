"""Hand-made answers to judge, and a door that keeps what is said of them in memory."""

from __future__ import annotations

import re
from dataclasses import replace

from ragtriage_tui.answer_views import CalibrationView, CitationView, JudgeView
from ragtriage_tui.judge_views import NOTHING_SAID, JudgeDetail, JudgeQueue, JudgeRow, Reviewed, Said, SentText, cycled
from ragtriage_tui.text import Extent
from ragtriage_tui.views import Progress
from ragtriage_tui.workers import DoorError

REFUNDS = (
    "## Time limits\n\nA return must be started within 30 days of delivery. The parcel then has 14 more days to arrive.\n\n"
    "What was opened can be sent back as well, as long as everything that belongs to it is in the parcel."
)
SENT = (
    SentText(1, "policy-shipping#1", "policy-shipping", "Shipping", "Terminals leave our warehouse on every working day."),
    SentText(2, "policy-refunds#3", "policy-refunds", "Refunds and returns › Time limits", REFUNDS),
    SentText(3, "faq-damaged-goods#1", "faq-damaged-goods", "", "Send us a picture of the broken terminal and of the box."),
)
ANSWER = (
    "Yes. You can send the terminal back within 30 days of delivery, also if you only do not like it [2]. The parcel then has "
    "14 more days to arrive, and the way back is free of charge [4]."
)
WORDS = (
    ("q017", "can i send the terminal back if i just don't like it"), ("q003", "how long till the money is back on my card"),
    ("q021", "what do i pay when i cancel half way"), ("q044", "do you ship to the moon"), ("q057", "is there a limit"),
)  # fmt: skip
JUDGE = JudgeView(
    (True, False, None, True, True), CalibrationView((0.71, 0.5, None, 0.8, 0.9), ("kappa 0.71 (0.5 to 0.9), n 40",) * 5),
    ("The way back is free of charge.",),
)  # fmt: skip


def rows(count: int = 6) -> tuple[JudgeRow, ...]:
    """Live answers, and one of the oracle's at the end."""
    live = [JudgeRow(f"a{at}", *_pair(at, "live")) for at in range(count - 1)]
    return (*live, JudgeRow(f"a{count - 1}", *_pair(0, "oracle")))


def _pair(at: int, arm: str) -> tuple[str, str, str]:
    qid, text = WORDS[at % len(WORDS)]
    return qid, arm, text


def detail(row: JudgeRow, *, judge: JudgeView | None = JUDGE) -> JudgeDetail:
    """One answer that cites a passage that it was given, and one that it was not."""
    cited = tuple(CitationView(Extent(*one.span()), (int(one[1]),)) for one in re.finditer(r"\[(\d)\]", ANSWER))
    expected = "Within 30 days of delivery, for any reason. · must mention: 30 days"
    return JudgeDetail(row.id, row.qid, row.arm, row.text, expected, ANSWER, cited, SENT, "", judge)


class Judging:
    """Answers from memory. `refuse`: what writing says instead; `read_only`: why nothing may be written."""

    def __init__(self, count: int = 6, judge: JudgeView | None = JUDGE) -> None:
        self.rows = list(rows(count)) if count else []
        self.judge = judge
        self.events: list[tuple[str, tuple[Said, ...]]] = []
        self.undone: list[tuple[str, tuple[Said, ...]]] = []
        self.notes: dict[str, str] = {}
        self.refuse = ""
        self.read_only = ""

    def queue(self, progress: Progress) -> JudgeQueue:
        empty = "" if self.rows else "No answers to judge. p in Triage has a question answered."
        return JudgeQueue("fernway-help", "hybrid k=5", tuple(self.rows), empty, self.read_only)

    def answer(self, answer_id: str) -> JudgeDetail | None:
        row = next((row for row in self.rows if row.id == answer_id), None)
        return replace(detail(row, judge=self.judge), note=self.notes.get(answer_id, "")) if row else None

    def _now(self, answer_id: str) -> tuple[Said, ...]:
        return next((said for name, said in reversed(self.events) if name == answer_id), NOTHING_SAID)

    def _reviewed(self, answer_id: str, message: str, *, finished: bool = False) -> Reviewed:
        said = self._now(answer_id)
        at = next(at for at, row in enumerate(self.rows) if row.id == answer_id)
        self.rows[at] = self.rows[at]._replace(said=said, done=all(said))
        return Reviewed(answer_id, message, said, all(said), "", self.notes.get(answer_id, ""), finished)

    def press(self, answer_id: str, axis: int) -> Reviewed:
        if self.refuse or self.read_only:
            raise DoorError(self.refuse or self.read_only)
        old = self._now(answer_id)
        said = cycled(old, axis)
        self.events.append((answer_id, said))
        self.undone.clear()
        return self._reviewed(answer_id, f"{answer_id}: {axis + 1} {said[axis]}", finished=all(said) and not all(old))

    def note(self, answer_id: str, text: str) -> Reviewed:
        self.notes[answer_id] = text
        return self._reviewed(answer_id, f"{answer_id}: note kept")

    def undo(self) -> Reviewed:
        if not self.events:
            return Reviewed("", "Nothing to undo")
        event = self.events.pop()
        self.undone.append(event)
        return self._reviewed(event[0], f"{event[0]} is as before")

    def redo(self) -> Reviewed:
        if not self.undone:
            return Reviewed("", "Nothing to do again")
        self.events.append(self.undone.pop())
        return self._reviewed(self.events[-1][0], f"{self.events[-1][0]} again")

"""A hand-made document, library and set of candidates for Document, Find and Add, and a door that answers with them."""

from __future__ import annotations

import itertools
import re
from dataclasses import replace

from tests.tui.demo import DemoDoor

from ragtriage_tui.add_views import (
    AddStart,
    Candidate,
    Clash,
    Draft,
    Marked,
    Measured,
    Record,
    Results,
    SavedView,
    Twin,
    Unsaved,
)
from ragtriage_tui.document_views import AskedView, DocumentView, Holds, ItemView, PartView, Passage
from ragtriage_tui.find_views import Found, HeadingView, Library, ListedDocument, MatchView, Sentence
from ragtriage_tui.judgement_views import Also, Judged
from ragtriage_tui.text import Extent
from ragtriage_tui.views import Change, ChunkView, Progress
from ragtriage_tui.workers import DoorError

REFUNDS = """## What can be sent back

Terminals, docks, cables and unopened packs of paper rolls, if you bought them from us. Gift cards cannot be sent back.

## Time limits

A return must be started within 30 days of delivery. The parcel then has 14 more days to reach our warehouse in Tilburg.

## Getting your money back

We refund to the card that paid. When the warehouse has checked the parcel, the refund is sent the same working day. \
Most banks show it within five working days; some credit unions take up to ten.

If nothing has arrived after ten working days, send us the reference.
"""
HALF = "the refund is sent the same working day."
OTHER_HALF = "Most banks show it within five working days"


def place(text: str, words: str) -> Extent:
    at = text.index(words)
    return Extent(at, at + len(words))


def sentences(text: str) -> tuple[Extent, ...]:
    """Enough of a rule for these texts: what ends with a full stop, and no heading."""
    return tuple(Extent(*match.span()) for match in re.finditer(r"#[^\n]*|[^\s#][^.]*\.", text) if match[0][0] != "#")


def grow_in(text: str) -> object:
    units = sentences(text)

    def grow(span: Extent) -> Extent:
        touched = [one for one in units if one.start < span.end and span.start < one.end]
        return Extent(touched[0].start, touched[-1].end) if touched else Extent(span.start, span.start)

    return grow


def document(text: str = REFUNDS, *, asked: bool = True, doc_id: str = "policy-refunds") -> DocumentView:
    """Three chunks; the second item of evidence lies in the third chunk, cut by a border inside its paragraph."""
    cuts = (
        [0, text.index("## Time"), text.index("## Getting"), text.index("Most banks"), len(text)] if asked else [0, len(text)]
    )
    holds: tuple[Holds, ...] = ("none", "whole", "part", "part")
    ranks = (24, 2, 9, None)
    parts = []
    for number, (start, end) in enumerate(itertools.pairwise(cuts), start=1):
        rank = ranks[number - 1] if asked else None
        part = PartView(
            f"{doc_id}#{number}", f"#{number}", Extent(start, end), 90 + number, "Refunds", rank,
            (("bm25", 6), ("dense", 14)) if rank else (), holds[number - 1] if asked else "none", ("q003", "q028"),
        )  # fmt: skip
        parts.append(part)
    evidence: tuple[Extent, ...] = ()
    question = None
    if asked:
        one = place(text, "within 30 days of delivery")
        two = Extent(place(text, HALF).start, place(text, OTHER_HALF).end)
        evidence = (one, two)
        items = (
            ItemView("within 30 days of delivery", doc_id, "whole", (one,), "in #2, rank 2"),
            ItemView(
                f"{HALF} {OTHER_HALF}", doc_id, "part", (two,), "split over #3, #4", "one chunk", "whole at rank 14, k = 5"
            ),
        )
        question = AskedView(
            "q028", "how long can i return a gift and when is the money back", "multi-part", "dev", "fails", "ranked too low",
            "1 of 2 inside k = 5", items,
        )  # fmt: skip
    return DocumentView(
        doc_id, "Refunds and returns", f"docs/{doc_id}.md", text, grow_in(text),  # type: ignore[arg-type]  # it is one
        sentences(text), tuple(parts), evidence, question, ranked=asked, seen_by="everyone", window=256, project="fernway-help",
        setup=("recursive(size=128)", "hybrid k=5"),
    )  # fmt: skip


LIBRARY = Library(
    "fernway-help",
    (
        ListedDocument("policy-refunds", "Refunds and returns", (HeadingView("Time limits", 2, REFUNDS.index("## Time")),)),
        ListedDocument("terminals/t210", "T210 terminal", (HeadingView("Power", 2, 40), HeadingView("Battery", 3, 90))),
        ListedDocument("faq", "faq"),
    ),
)


def matches() -> tuple[MatchView, ...]:
    span = place(REFUNDS, "30 days")
    line = REFUNDS.count("\n", 0, span.start) + 1
    context = REFUNDS.split("\n")[line - 1]
    return (
        MatchView("policy-refunds", span, line, "Time limits", context, place(context, "30 days")),
        MatchView("terminals/t210", Extent(3, 10), 1, "", "a 30 days trial", Extent(2, 9)),
        MatchView("terminals/t210", Extent(50, 57), 4, "Power", "and 30 days", Extent(4, 11)),
    )


CHUNKS = (
    ("terminals/t210#2", "If you do not like the screen's brightness, open Settings.", 1, 6),
    ("policy-refunds#2", "## Time limits\n\nA return must be started within 30 days of delivery.", 8, 1),
    ("policy-returns-eu#2", "Shops in the EU have a right of withdrawal of 14 days.", 11, 2),
    ("gift-cards#4", "A gift card cannot be exchanged for money.", None, 7),
)


def results(text: str, *, complete: bool = True) -> Results:
    out = []
    for rank, (chunk_id, words, bm25, dense) in enumerate(CHUNKS, start=1):
        doc_id = chunk_id.split("#")[0]
        start = words.find("A return") if "A return" in words else 0
        best = Marked(doc_id, Extent(100 + start, 100 + len(words)), words[start:])
        view = ChunkView(rank, chunk_id, doc_id, words, ranks=(bm25, dense if complete else None))
        near = ("#1", "The chunk before it ends here."), ("#3", "## The chunk after\n\nIt begins here.")
        out.append(Candidate(view, f"#{chunk_id[-1]}", Extent(100, 100 + len(words)), 97, best, *near))
    if not complete:
        out.sort(key=lambda one: one.chunk.ranks[0] or 99)
    return Results(text, ("bm25", "dense"), tuple(out), complete)


class Documents:
    def __init__(self, door: ScreensDoor) -> None:
        self.door = door

    def document(self, doc_id: str, qid: str = "") -> DocumentView:
        view = document(doc_id=doc_id)
        if not qid or view.asked is None:
            return replace(view, asked=None)
        return replace(view, asked=replace(view.asked, qid=qid))

    def add_evidence(self, qid: str, *passages: Passage) -> Change:
        for doc_id, span in passages:
            self.door.events.append(f"evidence {qid} {doc_id} {REFUNDS[span.start : span.end]}")
        return Change(qid, f"{qid} has {2 + len(passages)} items of evidence now: passes today (1)")


class Finder:
    def library(self, progress: Progress) -> Library:
        return LIBRARY

    def find(self, pattern: str, *, regex: bool) -> Found:
        if regex:
            return Found(f"/{pattern}/", problem="it is not a regular expression")
        return Found(pattern, matches() if "30" in pattern else ())

    def sentence(self, doc_id: str, span: Extent) -> Sentence:
        whole = next((one for one in document().sentences if one.end > span.start), None)
        if whole is None:
            raise DoorError("there is no sentence here")
        return Sentence(whole, REFUNDS[whole.start : whole.end])


class Adder:
    """`passes`: what is saved passes today. `refuse`: what saving says instead. `clash`: what somebody else changed."""

    def __init__(self, door: ScreensDoor) -> None:
        self.door = door
        self.passes = False
        self.guarded = False
        self.clash = ""
        self.refuse = ""
        self.read_only = ""
        self.unsaid = ""
        self.saved: list[Draft] = []

    def start(self, qid: str) -> AddStart:
        saved = Draft(text="who pays", first="who pays", marks=(Marked("faq", None, "you do", 0),), qid=qid) if qid else None
        setup = ("recursive(size=128)  hybrid k=5",)
        return AddStart("fernway-help", "evals/golden.jsonl", setup, saved, gone=qid == "q-gone", read_only=self.read_only)

    def search(self, text: str, progress: Progress, *, wait: bool, few: bool = False) -> Results:
        self.door.events.append(f"search {text!r} {'whole' if wait else 'at once'}")
        return results(text, complete=wait)

    def record(self, draft: Draft) -> Record:
        mentions = ("30 days",) if any("30 days" in mark.quote for mark in draft.marks) else ()
        twins = (Twin("q001", "how long do i have to send something back", 0.91), Twin("q017", "can i send it back", 0.4))
        return Record(draft.qid or "q-7f3a91", mentions, 2, 9, twins if draft.fixed else ())

    def save(self, draft: Draft) -> SavedView | Clash:
        if self.refuse:
            raise DoorError(self.refuse)
        if draft.qid and self.clash:
            clash, self.clash = self.clash, ""
            return Clash(draft.qid, clash, draft)
        self.saved.append(draft)
        return SavedView(draft.qid or "q-7f3a91", 61, unsaid=self.unsaid)

    def measure(self, qid: str) -> Measured:
        if self.passes:
            return Measured(qid, "passes", "", "passes today (1)")
        return Measured(qid, "fails", "ranked too low", "fails today, ranked too low (9)")

    def guard(self, qid: str) -> None:
        self.door.events.append(f"guard {qid}")
        self.guarded = True

    def unsave(self, saved: SavedView) -> Unsaved:
        if self.guarded:
            self.guarded = False
            return Unsaved(f"{saved.qid} is as before", False)
        self.saved.pop()
        return Unsaved(f"{saved.qid} is no longer in the golden set", True)


class Judgements:
    """`also`: what the label may lack, offered for a passage that is judged relevant."""

    def __init__(self, door: ScreensDoor) -> None:
        self.door = door
        self.also: Also | None = None
        self.refuse = ""

    def judge(self, qid: str, chunk_id: str, *, relevant: bool) -> Judged:
        if self.refuse:
            raise DoorError(self.refuse)
        word = "relevant" if relevant else "not relevant"
        self.door.events.append(f"{word} {qid} {chunk_id}")
        return Judged(qid, f"{chunk_id} is {word} to {qid}", self.also if relevant else None)

    def add_place(self, qid: str, also: Also) -> Change:
        self.door.events.append(f"place {qid} {also.doc_id} {also.item}")
        return Change(qid, f"{qid} has another place of its evidence: passes today (1)")


class ScreensDoor(DemoDoor):
    """The hand-made door with the parts for these screens."""

    def __init__(self) -> None:
        from tests.tui.demo_inbox import Inbox  # which takes its candidates from here

        super().__init__()
        self.documents = Documents(self)
        self.finder = Finder()
        self.adder = Adder(self)
        self.inbox = Inbox()
        self.judgements = Judgements(self)

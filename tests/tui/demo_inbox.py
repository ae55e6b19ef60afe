"""Hand-made reports and labels, and a door that keeps what becomes of them in memory."""

from __future__ import annotations

from dataclasses import replace

from tests.tui.demo_screens import results

from ragtriage_tui.add_views import Draft, Twin
from ragtriage_tui.inbox_views import (
    DiffPart,
    DraftOf,
    InboxChange,
    InboxView,
    LabelDetail,
    LabelRow,
    Mended,
    NewPlaceView,
    PassageView,
    ReportDetail,
    ReportRow,
)
from ragtriage_tui.text import Extent
from ragtriage_tui.views import Progress
from ragtriage_tui.workers import DoorError

TEXT = (
    "Hello, write to [e-mail]. I ordered two T210 and they are too big for our bar.\nYour assistant wrote fourteen days, my "
    "colleague swears it was thirty. Which is it??"
)
ROWS = (
    ReportRow("r-aaaaaa", "ticket 8812", "can i send both t210 back if they are just too big, 14 or 30 days"),
    ReportRow("r-bbbbbb", "chat c-46120", "WHERE IS MY MONEY. saturday was the best day of the year"),
    ReportRow("r-cccccc", "synthetic 7", "What is the time limit for returns?", synthetic=True),
    ReportRow("r-dddddd", "ticket 8815", "what do i do about ERR_4024", "done", "q002"),
    ReportRow("r-eeeeee", "ticket 8816", "thanks for nothing", "dismissed"),
)
LABELS = (
    LabelRow("q017 0.0", "q017", "within 30 days of delivery", "reworded"),
    LabelRow("q021 0.0", "q021", "Gift cards cannot be sent back.", "gone"),
)
SAFE = (
    Mended("q003", "Most banks show it within five working days", "billing/payouts", "there is no document payouts; it is in "
           "billing/payouts"),
    Mended("q044", "We ship to Norway", "shipping", "only white space or typography has changed"),
)  # fmt: skip
PASSAGES = (
    PassageView(1, "faq", "Yes. You have 14 days after you receive it to tell us that you want to return it."),
    PassageView(2, "policy-returns-eu", "A consumer may withdraw from this contract within 14 days.", "reworded since"),
    PassageView(3, "old/page", "Gone.", "not in the documents of today"),
)
TWINS = (
    Twin("q001", "how long do i have to send something back", 0.91, nearly=True),
    Twin("q017", "can i send it back", 0.4),
)
PLACE = NewPlaceView(
    "policy-refunds", Extent(50, 76), "Time limits", "A return must be started ", "within 14 days of delivery", ". The parcel",
    92.0, False, (DiffPart("kept", "within "), DiffPart("removed", "30"), DiffPart("added", "14"),
                  DiffPart("kept", " days of delivery")),
)  # fmt: skip
OTHER = NewPlaceView("faq", Extent(5, 20), "", "", "30 days of delivery", "", 70.0, True, (DiffPart("removed", "within "),))


def report(row: ReportRow, *, complete: bool = True) -> ReportDetail:
    """One report with everything."""
    at = TEXT.index("[e-mail]")
    return ReportDetail(
        row.id, row.source, "2026-11-23T08:41:07Z", TEXT, row.text, "as it was asked", row.state, row.qid,
        (Extent(at, at + 8),), row.synthetic, "You have 14 days after you receive it.", "thumbs down", "", PASSAGES,
        "retrieval or not? its evidence will tell", TWINS, results(row.text, complete=complete),
    )  # fmt: skip


def label(row: LabelRow) -> LabelDetail:
    """A label with two places, or with none where it is gone."""
    places = () if row.state == "gone" else (PLACE, OTHER)
    return LabelDetail(
        row.id, row.qid, "can i send the terminal back", row.state, "it was reworded", row.text, "policy-refunds", places
    )  # fmt: skip


class Inbox:
    """What became of the rows, in memory. `refuse`: what writing says instead; `read_only`: why nothing may be written."""

    def __init__(self, *, rows: tuple[ReportRow, ...] = ROWS, labels: tuple[LabelRow, ...] = LABELS) -> None:
        self.rows = rows
        self.label_rows = labels
        self.safe = SAFE if labels else ()
        self.looked = False
        self.refuse = ""
        self.read_only = ""
        self.problem = ""
        self.events: list[str] = []
        self.before: list[tuple[tuple[ReportRow, ...], tuple[LabelRow, ...], tuple[Mended, ...], str]] = []

    def view(self) -> InboxView:
        seen = self.looked
        return InboxView(
            "fernway-help", self.rows, self.label_rows if seen else (), self.safe if seen else (), seen, self.problem,
            self.read_only,
        )  # fmt: skip

    def labels(self, progress: Progress) -> InboxView:
        self.looked = True
        return self.view()

    def changed(self) -> bool:
        return False

    def report(self, report_id: str, progress: Progress, *, wait: bool) -> ReportDetail | None:
        row = next((row for row in self.rows if row.id == report_id), None)
        return report(row, complete=wait) if row else None

    def label(self, label_id: str) -> LabelDetail | None:
        row = next((row for row in self.label_rows if row.id == label_id), None)
        return label(row) if row else None

    def draft(self, report_id: str) -> DraftOf:
        row = next(row for row in self.rows if row.id == report_id)
        if row.state == "done":
            return DraftOf(None, f"{row.source} is {row.qid} already: enter goes there")
        draft = Draft(text=row.text, first=row.text, ref=row.source, report=row.id, given="{}")
        return DraftOf(draft, reword=row.synthetic)

    def dismiss(self, report_id: str) -> InboxChange:
        return self._set(report_id, "dismissed", "")

    def duplicate(self, report_id: str, qid: str) -> InboxChange:
        if not qid.startswith("q"):
            raise DoorError(f"there is no question {qid}")
        return self._set(report_id, "duplicate", qid)

    def accept(self, label_id: str, place: int) -> InboxChange:
        self._write(f"accept {label_id} {place}", label_id)
        self.label_rows = tuple(row for row in self.label_rows if row.id != label_id)
        return InboxChange("q017 has its label in policy-refunds now: passes today (1)", label_id, "q017")

    def mend(self) -> InboxChange:
        self._write("mend", "safe")
        self.safe = ()
        return InboxChange("2 labels are mended", "safe")

    def obsolete(self, label_id: str, reason: str) -> InboxChange:
        self._write(f"obsolete {label_id} {reason}", label_id)
        self.label_rows = tuple(row for row in self.label_rows if row.id != label_id)
        return InboxChange("q017 is obsolete", label_id, "q017")

    def undo(self) -> InboxChange:
        if not self.before:
            return InboxChange("Nothing to undo")
        self.rows, self.label_rows, self.safe, row_id = self.before.pop()
        return InboxChange("it is as before", row_id)

    def redo(self) -> InboxChange:
        return InboxChange("Nothing to do again")

    def _write(self, event: str, row_id: str) -> None:
        if self.refuse or self.read_only:
            raise DoorError(self.refuse or self.read_only)
        self.events.append(event)
        self.before.append((self.rows, self.label_rows, self.safe, row_id))

    def _set(self, report_id: str, state: str, qid: str) -> InboxChange:
        self._write(f"{state} {report_id} {qid}".strip(), report_id)
        self.rows = tuple(row._replace(state=state, qid=qid) if row.id == report_id else row for row in self.rows)
        source = next(row.source for row in self.rows if row.id == report_id)
        return InboxChange(f"{source} is {state}", report_id)


def whole(rows: tuple[ReportRow, ...] = ROWS) -> InboxView:
    """The list when all labels were looked at."""
    return InboxView("fernway-help", rows, LABELS, SAFE, looked=True)


def without(view: InboxView, *ids: str) -> InboxView:
    """A view in which some reports are done with."""
    return replace(view, reports=tuple(row._replace(state="done") if row.id in ids else row for row in view.reports))

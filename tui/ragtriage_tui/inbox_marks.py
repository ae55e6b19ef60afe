"""Sentences that were marked as evidence for what a report asks, before it is a question. No Textual in here."""

from __future__ import annotations

from dataclasses import dataclass, field

from ragtriage_tui.add_views import Candidate, Marked

__all__ = ["Marks"]


@dataclass
class Marks:
    """Kept by the id of the report, as long as the screen is open."""

    _by_report: dict[str, tuple[Marked, ...]] = field(default_factory=dict)

    def of(self, report_id: str) -> tuple[Marked, ...]:
        return self._by_report.get(report_id, ())

    def within(self, report_id: str, candidate: Candidate) -> list[Marked]:
        """Marks that lie in a candidate, whole or in part."""
        span = candidate.span
        return [
            mark
            for mark in self.of(report_id)
            if mark.doc_id == candidate.chunk.doc_id
            and mark.span is not None
            and mark.span.start < span.end
            and span.start < mark.span.end
        ]

    def add(self, report_id: str, mark: Marked) -> str:
        """Mark a sentence; why not, or nothing."""
        marks = self.of(report_id)
        if not mark.quote.strip():
            return "There is no sentence to quote here"
        if any(mark.doc_id == one.doc_id and mark.span == one.span for one in marks):
            return "That is marked already"
        self._by_report[report_id] = (*marks, mark)
        return ""

    def toggle(self, report_id: str, candidate: Candidate) -> str:
        """Mark the best sentence of a candidate, or take off what is marked in it; why not, or nothing."""
        marks = self.of(report_id)
        if there := self.within(report_id, candidate):
            self._by_report[report_id] = tuple(mark for mark in marks if mark not in there)
        elif not candidate.best.quote.strip():
            return "There is no sentence to quote in this passage"
        else:
            self._by_report[report_id] = (*marks, candidate.best)
        return ""

"""A review in the app: both revisions measured, the flips, what people say of them, and taking that back."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from datetime import date
from typing import TYPE_CHECKING, Literal

from ragtriage_tui.bridge.guard import engine_progress, guarded
from ragtriage_tui.bridge.overviews import category_key
from ragtriage_tui.bridge.review_detail import Shown, flip_view
from ragtriage_tui.bridge.review_texts import Sources, read_sources
from ragtriage_tui.bridge.review_verdicts import FlipVerdicts
from ragtriage_tui.bridge.review_words import day_words, differences_of, setup_words, short_differences
from ragtriage_tui.review_views import Asked, Decided, FigureChange, FlipRow, FlipView, ReviewView, Side, SideName, Texts
from ragtriage_tui.text import one_line, scrub
from ragtriage_tui.views import CategoryView, Change, Progress
from ragtriage_tui.workers import DoorError

if TYPE_CHECKING:
    from ragtriage.compare.flips import Flip
    from ragtriage.project import Project
    from ragtriage.review.decisions import Decision
    from ragtriage.review.review import Review
    from ragtriage.revisions.naming import Revision
    from ragtriage.triage.verdicts import Verdict
    from ragtriage_tui.bridge.door import Door

__all__ = ["Reviews"]

_GONE = "the review is not measured yet; ctrl+r measures"


class Reviews:
    """`ReviewDoor` for the project of a door. What was measured is kept as long as the app is open."""

    def __init__(self, door: Door, today: Callable[[], date] = date.today) -> None:
        self._door = door
        self._today = today
        self._verdicts = FlipVerdicts(door, today)
        self._asked = Asked()
        self._found: Review | None = None
        self._sources: Sources | None = None
        self._flips: dict[str, Flip] = {}
        self._labels: dict[str, str] = {}  # what identified each question when the review was measured, by raw id

    @guarded
    def kept(self, asked: Asked) -> ReviewView | None:
        """See ReviewDoor."""
        return self.overview() if self._found is not None and asked == self._asked else None

    @guarded
    def check(self, asked: Asked) -> None:
        """See ReviewDoor."""
        from ragtriage.git import Repository
        from ragtriage.revisions.naming import default_base, named, working_tree

        with self._door.held() as project:
            root = project.root
        repository = Repository.of(root)
        head = working_tree(repository) if asked.head is None else named(repository, asked.head)
        if asked.base is None:
            default_base(repository, head)
        else:
            named(repository, asked.base)

    @guarded
    def review(self, asked: Asked, progress: Progress) -> ReviewView:
        """See ReviewDoor."""
        from ragtriage.review.review import review

        door = self._door
        told = engine_progress(progress)
        told("measuring both sides", 0, 0)
        project = door.fresh(told)
        try:
            store = not door.read_only
            found = review(project, asked.base, asked.head, overrides=door.overrides, store=store, progress=told)
            sources = read_sources(found, project, door.overrides, told)
        finally:
            project.close()
        self._asked, self._found, self._sources = asked, found, sources
        self._flips = {door.names.shown(flip.qid): flip for flip in found.comparison.flips}
        with door.held() as now:
            door.reread()
            self._labels = _identities(now, self._flips.values())
        return self.overview()

    @guarded
    def overview(self) -> ReviewView:
        """See ReviewDoor."""
        from ragtriage.gate.gone import gone_warning
        from ragtriage.triage.categories import CATEGORIES

        found = self._review()
        door = self._door
        comparison = found.comparison
        gone = gone_warning(comparison)
        warnings = [*found.incomplete, *([gone] if gone in found.gate.warnings else [])]
        with door.held() as project:
            changed = self._relabelled(project)
        current = door.log.current()
        decisions = self._decisions(found, current)
        rows = tuple(self._row(flip, decisions.get(flip.qid), current.get(flip.qid), changed) for flip in comparison.flips)
        return ReviewView(
            base=self._side_name(found.base, setup_words(found, head=False)),
            head=self._side_name(found.head, setup_words(found, head=True)),
            k_base=comparison.k_base,
            k_head=comparison.k_head,
            flips=rows,
            categories=tuple(CategoryView(int(one.key), one.slug, one.name, one.short) for one in CATEGORIES),
            figures=_figures(found),
            differs=differences_of(found),
            short=short_differences(found.differences),
            common=len(comparison.pairs),
            warning=scrub(one_line("; ".join(warnings))),
            read_only=scrub(door.read_only),
        )

    @guarded
    def flip(self, qid: str) -> FlipView | None:
        """See ReviewDoor."""
        found, flip, sources = self._review(), self._flips.get(qid), self._sources
        if flip is None or sources is None:
            return None
        door = self._door
        current = door.log.current()
        decision = self._decisions(found, current).get(flip.qid)
        with door.held() as project:

            def mark(doc_id: str, start: int, end: int) -> Literal["+", "-", ""]:
                from ragtriage.types import Span

                return door.judgements.mark(project, flip.qid, doc_id, Span(start, end))

            question = found.golden.get(flip.qid)
            shown = Shown(flip, question, found.comparison.k_base, found.comparison.k_head, sources, mark, door.names.shown)
            said, note = self._said(decision, current.get(flip.qid))
            return flip_view(shown, note=note, said=said)

    @guarded
    def texts(self, qid: str, side: Side, chunk_id: str) -> Texts:
        """See ReviewDoor."""
        flip, sources = self._flips.get(qid), self._sources
        if flip is None or sources is None:
            raise DoorError(_GONE)
        return sources.texts(flip, side, self._door.names.raw(chunk_id))

    # verdicts

    def label(self, qid: str, key: int, note: str | None = None) -> Change:
        """See ReviewDoor."""
        return self._verdicts.label(self._flip(qid), key, note, self._run_id())

    def intended(self, qid: str, reason: str) -> Change:
        """See ReviewDoor."""
        return self._verdicts.intended(self._flip(qid), reason, self._run_id())

    def undo(self) -> Change:
        """See ReviewDoor."""
        return self._verdicts.undo()

    def redo(self) -> Change:
        """See ReviewDoor."""
        return self._verdicts.redo()

    # inside

    def _review(self) -> Review:
        if self._found is None:
            raise DoorError(_GONE)
        return self._found

    def _flip(self, qid: str) -> Flip:
        flip = self._flips.get(qid)
        if flip is None:
            raise DoorError(f"{qid} is not among the flips of this review")
        return flip

    def _run_id(self) -> str:
        """The head's run, as far as it is kept among the project's."""
        found = self._review()
        return found.comparison.head.id if found.head.working else ""

    def _decisions(self, found: Review, current: Mapping[str, Verdict]) -> Mapping[str, Decision]:
        from ragtriage.review.decisions import decisions_on

        return decisions_on(found.comparison.flips, current, today=self._today())

    def _relabelled(self, project: Project) -> frozenset[str]:
        """The flips whose question has another label, or other words, than when it was measured."""
        now = _identities(project, self._flips.values())
        return frozenset(qid for qid, identity in self._labels.items() if now.get(qid) != identity)

    def _row(self, flip: Flip, decision: Decision | None, verdict: Verdict | None, changed: frozenset[str]) -> FlipRow:
        question = self._review().golden.get(flip.qid)
        decided: Decided = decision.state if decision else "open"
        label = until = ""
        if decision and decision.verdict:
            label = decision.verdict.category
            until = day_words(decision.verdict.expires, self._today())
        elif decision is None and verdict and verdict.category and verdict.fits(flip.head.seen):
            label, decided = verdict.category, "labelled"
        if flip.qid in changed:
            decided = "relabelled"
        return FlipRow(
            qid=self._door.names.shown(flip.qid),
            text=scrub(one_line(question.question[:2000])) if question else "",
            change="worse" if flip.change == "same" else flip.change,
            half=flip.half,
            decided=decided,
            suggested=category_key(flip.head.suggested) if flip.head.suggested else 0,
            label=category_key(label) if label else 0,
            until=until,
            kind=scrub(flip.head.kind),
            tags=tuple(map(scrub, question.tags)) if question else (),
        )

    def _said(self, decision: Decision | None, verdict: Verdict | None) -> tuple[str, str]:
        """What was decided in words, and the reason or note."""
        if decision is None or decision.verdict is None:
            return "", verdict.note if verdict else ""
        given = decision.verdict
        day = day_words(given.expires, self._today())
        who = f" by {scrub(one_line(given.by))}" if given.by else ""
        what = "intended" if given.decision else f"{category_key(given.category)} given"
        if decision.state == "intended":
            return f"intended{f' until {day}' if day else ''}{who}", given.note
        if decision.state == "expired":
            return f"was intended until {day}{who}, which has passed", given.note
        if decision.state == "old":
            return f"{what}{who} on what looks otherwise now", given.note
        return f"{what}{who}", given.note

    def _side_name(self, revision: Revision, setup: str) -> SideName:
        name = scrub(one_line(revision.name)) or "nothing committed"
        commit = revision.short[:7]
        return SideName(name, commit if not name.startswith(commit) else "", setup, revision.working)


def _identities(project: Project, flips: Iterable[Flip]) -> dict[str, str]:
    from ragtriage.measure.identity import identity_of

    out = {}
    for flip in flips:
        question = project.golden.get(flip.qid)
        out[flip.qid] = identity_of(question) if question is not None else ""
    return out


def _figures(found: Review) -> tuple[FigureChange, ...]:
    comparison = found.comparison
    k = comparison.k_head
    names = (f"recall@{k}", f"hit@{k}", "mrr")
    metrics = comparison.metrics
    return tuple(
        FigureChange(name, metrics[name].base, metrics[name].head, metrics[name].n) for name in names if name in metrics
    )

"""Find: the whole text of every document, whatever index, ranking, access and chunking say."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ragtriage_tui.bridge.guard import guarded
from ragtriage_tui.bridge.quoting import quoted
from ragtriage_tui.find_views import Found, HeadingView, Library, ListedDocument, MatchView, Sentence
from ragtriage_tui.text import Extent, one_line, scrub
from ragtriage_tui.views import Progress
from ragtriage_tui.workers import DoorError

if TYPE_CHECKING:
    from ragtriage.corpus.base import Corpus
    from ragtriage.corpus.find import Match
    from ragtriage_tui.bridge.door import Door

__all__ = ["Finder"]

_LIMIT = 1000
_CONTEXT = 300


class Finder:
    """`FindDoor` for the project of a door."""

    def __init__(self, door: Door) -> None:
        self._door = door

    @guarded
    def library(self, progress: Progress) -> Library:
        """See FindDoor."""
        with self._door.held() as project:
            corpus, name = project.corpus, project.name
        listed = []
        for number, document in enumerate(corpus.documents):
            if number % 1000 == 0:
                progress("reading", number, len(corpus.documents))
            headings = tuple(
                HeadingView(scrub(one_line(section.path[-1])), section.level, section.span.start)
                for section in document.sections
                if section.path and section.path[-1] != document.title
            )
            title = scrub(one_line(document.title))
            listed.append(ListedDocument(self._door.names.shown(document.doc_id), title, headings))
        return Library(scrub(one_line(name)), tuple(listed))

    def find(self, pattern: str, *, regex: bool) -> Found:
        """See FindDoor."""
        with self._door.held() as project:
            corpus = project.corpus
        shown = f"/{pattern}/" if regex else pattern
        try:
            matches = self._search(corpus, pattern, regex=regex)
        except DoorError as error:
            return Found(shown, problem=str(error))
        return Found(shown, tuple(self._match(corpus, match) for match in matches), capped=len(matches) >= _LIMIT)

    @guarded
    def _search(self, corpus: Corpus, pattern: str, *, regex: bool) -> list[Match]:
        from ragtriage.corpus.find import find

        return find(corpus, pattern, regex=regex, limit=_LIMIT)

    def _match(self, corpus: Corpus, match: Match) -> MatchView:
        document = corpus.document(match.doc_id)
        start, end = match.span
        low = max(document.text.rfind("\n", 0, start) + 1, start - _CONTEXT)
        stop = document.text.find("\n", end)
        high = min(len(document.text) if stop < 0 else stop, end + _CONTEXT)
        return MatchView(
            doc_id=self._door.names.shown(match.doc_id),
            span=Extent(start, end),
            line=match.line,
            heading=scrub(one_line(match.heading[-1])) if match.heading else "",
            context=scrub(document.text[low:high]),
            inside=Extent(start - low, end - low),
        )

    @guarded
    def sentence(self, doc_id: str, span: Extent) -> Sentence:
        """See FindDoor."""
        from ragtriage.types import Span

        with self._door.held() as project:
            document = project.corpus.document(self._door.names.raw(doc_id))
        whole = quoted(document, Span(*span))
        return Sentence(Extent(*whole), scrub(document.text[whole.start : whole.end]))

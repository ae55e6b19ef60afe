"""How every label of a golden set stands in the corpus of today, and where those that no longer fit may belong.

Nothing is decided or written here: what resolves goes on counting, what does not is put in a queue with its best new places.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal, NamedTuple, TypeAlias

from ragtriage.golden.base import GoldenSet
from ragtriage.golden.elsewhere import Candidate, elsewhere
from ragtriage.golden.evidence import ResolvedPlace, resolve_item
from ragtriage.golden.new_place import NewPlace
from ragtriage.golden.quotes import cuts_word, stands_around
from ragtriage.golden.renamed import renamed
from ragtriage.golden.rewording import MIN_RATIO, same_words, word_keys
from ragtriage.golden.typography import fold
from ragtriage.golden.word_diff import DiffRun, word_diff
from ragtriage.ids import text_sha
from ragtriage.types import Place, Progress, Question, Span, no_progress

if TYPE_CHECKING:
    from ragtriage.chunking.base import Chunks
    from ragtriage.corpus.base import Corpus

__all__ = ["STATES", "Anchor", "AnchorState", "NewPlace", "PlaceIndex", "anchors"]

AnchorState: TypeAlias = Literal["exact", "moved", "reworded", "ambiguous", "stale-chunk", "gone"]
STATES: tuple[AnchorState, ...] = ("exact", "moved", "reworded", "ambiguous", "stale-chunk", "gone")
"""exact: it stands where the label says. moved: the same text, but in another place or among other text. reworded: text like it
with the same numbers, or the same but for white space, typography and case. ambiguous: it stands there several times, and
nothing says which is meant. stale-chunk: the chunk that was labelled is another one now. gone: it is not there."""

_MOST_PLACES = 5
_FEW_WORDS = 4  # fewer say too little: the same words in another place may well be about something else
_NOTHING: Mapping[str, str] = {}


class PlaceIndex(NamedTuple):
    """A place of a question's evidence: the item, from 0, and in it 0 for the item's own place, n for the n-th of `also`."""

    item: int
    place: int = 0


@dataclass(frozen=True, slots=True)
class Anchor:
    """One place of a label. `old` is the text that was labelled, as far as the label tells it.

    `places` are the best new places, best first; of an ambiguous label, all that count. `why` is fit for a user, "" where
    there is nothing to say. `safe` tells that the first place holds the same text, but for white space, typography and case,
    and that no other does: it may be taken without reading.
    """

    qid: str
    line: int
    index: PlaceIndex
    place: Place
    state: AnchorState
    old: str
    places: tuple[NewPlace, ...] = ()
    why: str = ""
    safe: bool = False

    @property
    def open(self) -> bool:
        """Whether a person has to look at it: it is neither where the label says, nor `safe`."""
        return self.state != "exact" and not self.safe

    @property
    def diff(self) -> tuple[DiffRun, ...]:
        """What changed from the old text to that of the best new place; empty where there is none."""
        return word_diff(self.old, self.places[0].text) if self.places and self.old else ()


def anchors(
    golden: GoldenSet,
    corpus: Corpus,
    chunks: Chunks | None = None,
    known_shas: Mapping[str, str] = _NOTHING,
    *,
    stood_before: Callable[[str, str], bool] = lambda doc, other: False,
    progress: Progress = no_progress,
) -> tuple[Anchor, ...]:
    """Every place of every label, in the set's order; obsolete questions are left out. `known_shas` as in `resolve`.

    `stood_before` as of measure.corpus_then: a sentence that two documents shared has not moved when one of them went away.
    """
    looked = [
        one for question in golden.questions if not question.obsolete for one in _question(question, corpus, chunks, known_shas)
    ]
    lost: dict[str, set[int]] = {}
    for anchor, row in looked:
        if anchor.place.quote and _searched(anchor):
            lost.setdefault(anchor.place.quote, set()).update(() if row is None else (row,))
    gone = {anchor.place.quote for anchor, _ in looked if not anchor.places}
    candidates = elsewhere(lost, corpus, progress, reworded=lost.keys() - gone) if lost else {}
    by_sha = _Shas(chunks)
    return tuple(_with_places(anchor, row, candidates, by_sha, corpus, stood_before) for anchor, row in looked)


def _searched(anchor: Anchor) -> bool:
    return anchor.state in ("gone", "reworded", "stale-chunk") and not anchor.safe


_Looked: TypeAlias = "tuple[Anchor, int | None]"


def _question(question: Question, corpus: Corpus, chunks: Chunks | None, known_shas: Mapping[str, str]) -> Iterator[_Looked]:
    """Each place with the row of the document it is meant to stand in, None where that is not there."""
    for item, evidence in enumerate(question.evidence):
        for number, found in enumerate(resolve_item(evidence, corpus, chunks, known_shas).places):
            place = found.place
            start = Anchor(question.qid, question.line, PlaceIndex(item, number), place, "exact", place.quote)
            anchor = _chunk(start, found, known_shas, chunks, corpus) if place.chunk else _placed(start, found, corpus)
            row = corpus.row(place.doc or place.chunk.rpartition("#")[0])
            yield anchor, row


def _chunk(
    anchor: Anchor, found: ResolvedPlace, known_shas: Mapping[str, str], chunks: Chunks | None, corpus: Corpus
) -> Anchor:
    place = found.place
    if found.how == "chunk":
        sure = place.chunk_sha or known_shas.get(place.chunk)
        row = chunks.row(found.chunk_id) if chunks is not None else None
        old = anchor.old or (chunks.text(row) if chunks is not None and row is not None else "")
        return replace(anchor, old=old, why="" if sure else "nothing tells whether this is still the chunk that was labelled")
    if found.how == "coarse":
        return anchor
    if found.how == "stale" or (found.stale and found.spans):
        why = f"{place.chunk} is not the chunk that was labelled"
        stale = (
            _placed(anchor, found, corpus)
            if place.quote
            else replace(anchor, state="stale-chunk", why=f"{why}, and has no quote")
        )
        if not place.quote:
            return stale
        # the same words in the same document; only the chunk's name is out of date
        safe = (stale.state == "exact" and found.occurrences == 1) or stale.safe
        return replace(stale, state="stale-chunk", why=f"{why}; its quote counts", places=_spans(found, corpus), safe=safe)
    return replace(anchor, state="gone", why=_why_gone(found))


def _placed(anchor: Anchor, found: ResolvedPlace, corpus: Corpus) -> Anchor:
    """The state of a place that is no chunk."""
    place = found.place
    if not found.spans:
        return replace(anchor, state="gone", why=_why_gone(found))
    if len(found.spans) > 1:
        what = "it" if place.quote else f"section {place.section}"
        why = f"{what} stands there {found.occurrences} times, and any of them counts"
        return replace(anchor, state="ambiguous", places=_spans(found, corpus), why=why)
    if found.how not in ("exact", "folded", "fuzzy"):
        return anchor
    doc_id, span = found.spans[0]
    text = corpus.document(doc_id).text
    places = _spans(found, corpus)
    if found.how == "fuzzy":
        same = same_words(place.quote, places[0].text)
        why = "only the case of letters has changed" if same else "it was reworded"
        return replace(anchor, state="reworded", places=places, why=why, safe=same)
    if span.start != place.at and (why := _astray(text, span, place)):
        return replace(anchor, state="moved", places=places, why=why)
    if found.how == "folded":
        why = "only white space or typography has changed"
        return replace(anchor, state="reworded", places=places, why=why, safe=True)
    several = f"it stands there {found.occurrences} times; the one at {span.start} counts" if found.ambiguous else ""
    return replace(anchor, why=several)


def _astray(text: str, span: Span, place: Place) -> str:
    """Why the words, though they stand there, may not be those that were meant."""
    if (place.prefix.strip() or place.suffix.strip()) and not stands_around(text, span, place.prefix, place.suffix):
        return "the text around it is not what the label says"
    return "it is a part of a longer word there" if cuts_word(text, span) else ""


def _why_gone(found: ResolvedPlace) -> str:
    place = found.place
    doc = place.doc or place.chunk.rpartition("#")[0] or place.chunk
    return {
        "missing-document": f"there is no document {doc}",
        "missing-quote": f"it is not in {doc}, or its numbers have changed",
        "missing-chunk": f"there is no chunk {place.chunk}",
        "no-text": f"{doc} has no text that could be found",
    }.get(found.how, f"{doc} has no {f'page {place.page}' if place.page is not None else f'section {place.section}'}")


def _spans(found: ResolvedPlace, corpus: Corpus) -> tuple[NewPlace, ...]:
    score = 100.0
    if found.how == "fuzzy":
        from rapidfuzz import fuzz

        doc_id, span = found.spans[0]
        piece = corpus.document(doc_id).text[span.start : span.end]
        score = round(fuzz.ratio(fold(found.place.quote).lower(), fold(piece).lower()), 1)
    return tuple(
        NewPlace(doc_id, span, corpus.document(doc_id).text[span.start : span.end], score)
        for doc_id, span in found.spans[:_MOST_PLACES]
    )


class _Shas:
    """Chunks by the hash of their text, made when a stale label asks."""

    def __init__(self, chunks: Chunks | None) -> None:
        self._chunks = chunks
        self._rows: dict[str, list[int]] | None = None

    def places(self, sha: str, doc_id: str) -> list[NewPlace]:
        """The chunks of that text, those of the document first."""
        chunks = self._chunks
        if chunks is None or len(sha) < 8:
            return []
        if self._rows is None:
            self._rows = {}
            for row in range(len(chunks)):
                self._rows.setdefault(text_sha(chunks.text(row))[:8], []).append(row)
        rows = [row for row in self._rows.get(sha[:8], []) if text_sha(chunks.text(row)).startswith(sha)]
        rows.sort(key=lambda row: (chunks.document_of(row).doc_id != doc_id, row))
        return [
            NewPlace(chunks.document_of(row).doc_id, chunks.span(row), chunks.text(row), 100.0, chunk_id=chunks.ids[row])
            for row in rows[:_MOST_PLACES]
        ]


def _with_places(
    anchor: Anchor,
    row: int | None,
    candidates: Mapping[str, list[Candidate]],
    by_sha: _Shas,
    corpus: Corpus,
    stood_before: Callable[[str, str], bool],
) -> Anchor:
    """The anchor with its best new places, and its state where the same text stands in one of them."""
    place = anchor.place
    if place.chunk and anchor.state in ("stale-chunk", "gone"):
        known = place.chunk_sha
        doc_id = place.doc or place.chunk.rpartition("#")[0]
        if known and (same := by_sha.places(known, doc_id)):
            safe = len(same) == 1 and not stood_before(doc_id, same[0].doc_id)
            return replace(anchor, places=tuple(same), old=same[0].text, safe=safe)
    if anchor.state == "gone" and not place.quote and not place.chunk:
        return replace(anchor, places=tuple(renamed(place, corpus)))
    if not (place.quote and _searched(anchor)):
        return anchor
    found = [_new_place(one, corpus) for one in candidates.get(place.quote, ())]
    own = [one for one in anchor.places if all((one.doc_id, one.span) != (new.doc_id, new.span) for new in found)]
    doc_id = corpus.documents[row].doc_id if row is not None else ""
    places = sorted([*own, *found], key=lambda one: (-one.score, one.doc_id != doc_id, not one.same_numbers))[:_MOST_PLACES]
    same_text = [one for one in places if one.same_numbers and same_words(one.text, place.quote)]
    if anchor.state != "gone":
        return replace(anchor, places=tuple(places))
    if len(same_text) == 1:
        new = same_text[0].doc_id
        # a sentence that two documents shared, and that was changed in the one that is meant, has not moved to the other
        changed = any(one.doc_id == doc_id and one.score >= MIN_RATIO for one in places if one is not same_text[0])
        shared = stood_before(place.doc or place.chunk.rpartition("#")[0], new)
        safe = len(word_keys(place.quote)) >= _FEW_WORDS and not changed and not shared
        why = f"{anchor.why}; it is in {new}{', where it stood before' if shared else ''}"
        why += f", and text like it in {doc_id}" if changed else ""
        return replace(anchor, state="moved", places=tuple(places), safe=safe, why=why)
    if same_text:
        why = f"{anchor.why}; it is in {len(same_text)} other places"
        return replace(anchor, state="ambiguous", places=tuple(places), why=why)
    return replace(anchor, places=tuple(places))


def _new_place(one: Candidate, corpus: Corpus) -> NewPlace:
    document = corpus.documents[one.row]
    return NewPlace(document.doc_id, one.span, document.text[one.span.start : one.span.end], one.score, one.same_numbers)

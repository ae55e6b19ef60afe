"""judgements.jsonl: which passages people found relevant to a question and which not, as events (see events.py).

A judgement keeps the words it was given on, not a chunk id: under another chunking it counts for whatever passage holds them.
Judgements inform. No metric, gate or suggestion looks at them.
"""

from __future__ import annotations

import dataclasses
from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

from ragtriage.errors import GoldenError, UsageError
from ragtriage.events import EventLog, author, read_texts
from ragtriage.golden.quotes import find_quote
from ragtriage.ids import fresh_id
from ragtriage.surrogates import clean_text
from ragtriage.types import Span

if TYPE_CHECKING:
    from ragtriage.corpus.base import Corpus

__all__ = ["JudgedPassages", "Judgement", "JudgementLog", "Standing", "passage_quote", "same_passage"]

_TEXTS = ("id", "qid", "doc", "quote", "by", "at", "undoes")
_LONGEST_QUOTE = 4_000


def passage_quote(text: str) -> str:
    """What a judgement keeps of a passage: its text without white space around, of a very long one the beginning."""
    text = clean_text(text).strip()
    if len(text) <= _LONGEST_QUOTE:
        return text
    cut = max(text.rfind(" ", 0, _LONGEST_QUOTE), text.rfind("\n", 0, _LONGEST_QUOTE))
    return text[: cut if cut > 0 else _LONGEST_QUOTE].rstrip()


@dataclass(frozen=True, slots=True)
class Judgement:
    """One event: whether the words `quote` of the document `doc` are relevant to a question. None takes back what was said."""

    id: str
    qid: str
    doc: str
    quote: str
    relevant: bool | None
    by: str = ""
    at: str = ""
    undoes: str | None = None

    @property
    def subject(self) -> str:
        return f"{len(self.qid)}:{len(self.doc)}:{self.qid}{self.doc}{self.quote}"  # the lengths keep the parts apart

    @property
    def decides(self) -> bool:
        return self.relevant is not None

    def to_dict(self) -> dict[str, Any]:
        """The event as it stands in the file."""
        return {name: getattr(self, name) for name in ("id", "qid", "doc", "quote", "relevant", "by", "at", "undoes")}


class JudgementLog(EventLog[Judgement]):
    """The judgements beside a golden set, one that counts a question and quote."""

    noun = "judgement"

    def record(self, qid: str, doc: str, quote: str, relevant: bool | None, *, by: str | None = None) -> Judgement:
        """Write down a judgement; None clears the one on these very words. `passage_quote` makes the quote of a passage.

        It is on disk when this returns. Raises UsageError, StorageError.
        """
        if not qid or not doc:
            raise UsageError("a judgement needs a question and a document")
        if not quote.strip():
            raise UsageError(f"{doc}: there are no words here to judge")
        by = author(self.path.parent) if by is None else by
        return self._write(Judgement(fresh_id("j"), clean_text(qid), clean_text(doc), passage_quote(quote), relevant, by))

    def standing(self) -> list[Judgement]:
        """The judgements that count, the latest last."""
        return list(self.current().values())

    @staticmethod
    def parse(value: Mapping[str, Any]) -> Judgement:
        """See EventLog."""
        fields: dict[str, Any] = {**read_texts(value, _TEXTS, JudgementLog.noun)}
        for name in ("doc", "quote"):
            if not fields.get(name, "").strip():
                raise GoldenError(f"{name}: a judgement needs a document and words of it")
        fields["relevant"] = value.get("relevant")
        if fields["relevant"] is not None and not isinstance(fields["relevant"], bool):
            raise GoldenError("relevant: true, false or null is needed")
        return Judgement(**fields)

    @staticmethod
    def undoing(event: Judgement, by: str) -> Judgement:
        """See EventLog."""
        return dataclasses.replace(event, id=fresh_id("j"), by=by, at="", undoes=event.id)


class Standing(NamedTuple):
    """A judgement and where its words stand in the corpus of today; no spans: it is stale."""

    judgement: Judgement
    doc_id: str
    spans: tuple[Span, ...]


class JudgedPassages:
    """Judgements looked up in a corpus, a question at a time and once. `judgements` are in order, the latest last.

    Words that no longer stand in their document are looked for reworded, which takes up to a tenth of a second each in a long
    one. `reworded` is for how many of them that is done, the others count as stale; None: for all.
    """

    def __init__(self, judgements: Iterable[Judgement], corpus: Corpus, *, reworded: int | None = None) -> None:
        self._corpus = corpus
        self._reworded = reworded
        self._of: dict[str, list[Judgement]] = defaultdict(list)
        self._found: dict[str, tuple[Standing, ...]] = {}
        for judgement in judgements:
            self._of[judgement.qid].append(judgement)

    def of(self, qid: str) -> tuple[Standing, ...]:
        """The judgements of a question, the latest last, stale ones too."""
        if qid not in self._of:
            return ()
        if qid not in self._found:
            self._found[qid] = tuple(self._look_up(judgement) for judgement in self._of[qid])
        return self._found[qid]

    def stale(self, qids: Iterable[str] | None = None) -> list[Judgement]:
        """The judgements (of some questions) whose words are no longer in their document: they count for nothing."""
        asked = self._of if qids is None else qids
        return [one.judgement for qid in asked for one in self.of(qid) if not one.spans]

    def judged(self, qid: str, doc_id: str, span: Span) -> Judgement | None:
        """The judgement that counts for a passage: the latest whose words are the same passage. None: nobody judged it.

        A passage is relevant where any of its words are. It is not where at least half of them were judged so: the rest of a
        longer one nobody has read.
        """
        for one in reversed(self.of(qid)):
            document = self._corpus.get(doc_id) if one.doc_id == doc_id else None
            counts = same_passage if one.judgement.relevant or _is_cut(one.judgement.quote) else _is_half
            if document and any(counts(document.text, place, span) for place in one.spans):
                return one.judgement
        return None

    def _look_up(self, judgement: Judgement) -> Standing:
        document = self._corpus.get(judgement.doc)
        if document is None:
            return Standing(judgement, judgement.doc, ())
        if self._reworded is not None and not _word_for_word(document.text, judgement.quote):
            if self._reworded <= 0:
                return Standing(judgement, document.doc_id, ())
            self._reworded -= 1
        return Standing(judgement, document.doc_id, find_quote(document.text, judgement.quote).spans)


def _word_for_word(text: str, quote: str) -> bool:
    """Whether a quote stands in a text but for typography."""
    if quote in text:
        return True
    from ragtriage.golden.rewording import folded

    return bool(folded(text, quote))


def same_passage(text: str, one: Span, other: Span) -> bool:
    """Whether two parts of `text` overlap by at least half of the smaller, in characters that are no white space."""
    low, high = max(one[0], other[0]), min(one[1], other[1])
    if low >= high:
        return False
    if (low, high) in (one, other):  # one lies in the other: nothing has to be counted
        return not text[low:high].isspace()
    shared = _ink(text, low, high)
    return shared > 0 and 2 * shared >= min(_ink(text, *one), _ink(text, *other))


def _is_half(text: str, judged: Span, passage: Span) -> bool:
    """Whether the judged part is at least half of the passage, and the same by `same_passage`."""
    shared = _ink(text, max(judged.start, passage.start), min(judged.end, passage.end))
    return 2 * shared >= _ink(text, *passage) and same_passage(text, judged, passage)


def _is_cut(quote: str) -> bool:
    """Whether it is only the beginning of what was judged: see passage_quote."""
    return 10 * len(quote) >= 9 * _LONGEST_QUOTE


def _ink(text: str, start: int, end: int) -> int:
    return len("".join(text[start:end].split()))

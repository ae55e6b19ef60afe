"""The ranking of the production system: what its passages are in today's corpus, and where it lost the evidence.

*Was it retrieval at the time?* has an answer once the question has evidence: the passages held it, or they did not.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING, Literal, NamedTuple

from ragtriage.golden.evidence import ResolvedItem
from ragtriage.golden.quotes import find_quote
from ragtriage.golden.ranks import PromptText, PromptTexts, rank_of
from ragtriage.inbox.reports import Report, ReportPassage
from ragtriage.measure.results import Rung
from ragtriage.types import Document, Needs, Span

if TYPE_CHECKING:
    from ragtriage.chunking.base import Chunks
    from ragtriage.corpus.base import Corpus

__all__ = ["Aligned", "Production", "align", "production_rank"]

How = Literal["exact", "folded", "fuzzy", "chunk", "document", "missing"]
_SUFFIX = re.compile(r"\.[A-Za-z0-9]{1,5}$")
_WORD = re.compile(r"\w+")
_CUT = re.compile(r"^\s*(?:…|\.{3})\s*|\s*(?:…|\.{3})\s*$")
_CLOSEST = 5  # documents in which reworded text is looked for, when nobody says in which it stood
_LONGEST = 20_000


class Aligned(NamedTuple):
    """A passage and what it is in today's corpus: `span` of `doc_id`, and how that was found.

    `document`: only its document was said. `missing`: it is nowhere, so the corpus has changed, or was another.
    """

    passage: ReportPassage
    how: How
    doc_id: str = ""
    span: Span = Span(0, 0)


class Production(NamedTuple):
    """Where production had the evidence: `ranks` one an item, None where its passages do not hold it.

    `rungs` has one list an item: were there passages, are they in today's corpus, is the evidence, did they hold it.
    `was_retrieval` is True where evidence was missing, False where all that is needed was there, None where it cannot be told.
    """

    ranks: tuple[int | None, ...]
    rungs: tuple[tuple[Rung, ...], ...]
    was_retrieval: bool | None
    why: str
    passages: tuple[Aligned, ...]


def align(passages: Sequence[ReportPassage], corpus: Corpus, chunks: Chunks | None = None) -> tuple[Aligned, ...]:
    """Look each passage up: in the document it names, exactly, with typography folded or reworded; else in all of them."""
    return tuple(_aligned(passage, corpus, chunks) for passage in passages)


def _aligned(passage: ReportPassage, corpus: Corpus, chunks: Chunks | None) -> Aligned:
    text = _CUT.sub("", passage.text).strip()[:_LONGEST]
    named = _named(passage, corpus)
    if not text:
        for name in (passage.id, passage.doc):
            row = chunks.row(name) if chunks is not None and name else None
            if chunks is not None and row is not None:
                return Aligned(
                    passage, "chunk", chunks.document_of(row).doc_id, Span(int(chunks.starts[row]), int(chunks.ends[row]))
                )
        if named is None:
            return Aligned(passage, "missing")
        return Aligned(passage, "document", named.doc_id, Span(0, len(named.text)))
    if named is not None:
        found = find_quote(named.text, text)
        if found.spans and found.how != "missing-quote":
            return Aligned(passage, found.how, named.doc_id, found.spans[0])
    for document in corpus.documents:
        if document is not named and (at := document.text.find(text)) >= 0:
            return Aligned(passage, "exact", document.doc_id, Span(at, at + len(text)))
    for document in _closest(text, corpus):
        found = find_quote(document.text, text)
        if found.spans and found.how != "missing-quote":
            return Aligned(passage, found.how, document.doc_id, found.spans[0])
    return Aligned(passage, "missing")


def _named(passage: ReportPassage, corpus: Corpus) -> Document | None:
    """The document that a passage names: by id, with suffix, as the end of an address or a path, or in its chunk's id."""
    for name in (passage.doc, passage.id):
        plain = name.partition("?")[0].rpartition("#")[0] or name.partition("?")[0].partition("#")[0]
        for one in (name, plain):
            if one and (document := corpus.get(one)) is not None:
                return document
        steps = [step for step in plain.replace("\\", "/").split("/") if step]
        for start in range(len(steps)):
            tail = "/".join(steps[start:])
            if (document := corpus.get(tail) or corpus.get(_SUFFIX.sub("", tail))) is not None:
                return document
    return None


def _closest(text: str, corpus: Corpus) -> list[Document]:
    """The documents that hold most of a text's words, rare ones counting more."""
    wanted = set(_WORD.findall(text.lower()))
    held = [(document, wanted & set(_WORD.findall(document.text.lower()))) for document in corpus.documents]
    often = Counter(word for _, words in held for word in words)
    scored = [(sum(1 / often[word] for word in words), len(words), document) for document, words in held]
    scored = [one for one in scored if 2 * one[1] >= len(wanted)]
    return [document for _, _, document in sorted(scored, key=lambda one: (-one[0], one[2].doc_id))[:_CLOSEST]]


def production_rank(
    report: Report,
    items: Sequence[ResolvedItem],
    corpus: Corpus,
    *,
    needs: Needs = "all",
    passages: Sequence[Aligned] | None = None,
) -> Production:
    """At which rank production had each item of evidence. `passages` are the report's, where they are aligned already.

    A passage that is no longer in the corpus holds a quote where its own text does.
    """
    aligned = tuple(align(report.passages, corpus) if passages is None else passages)
    ordered = sorted(enumerate(aligned), key=lambda pair: (pair[1].passage.rank or pair[0] + 1, pair[0]))
    aligned = tuple(one for _, one in ordered)
    texts = PromptTexts(
        [PromptText(one.passage.id or f"production:{at}", one.doc_id, one.span) for at, one in enumerate(aligned, 1)]
    )
    ranks = tuple(_rank(item, aligned, texts, corpus) for item in items)
    missing = sum(one.how == "missing" for one in aligned)
    rungs = tuple(_rungs(item, rank, len(aligned), missing) for item, rank in zip(items, ranks, strict=True))
    return Production(ranks, rungs, *_verdict(items, ranks, len(aligned), missing, needs), aligned)


def _rank(item: ResolvedItem, aligned: Sequence[Aligned], texts: PromptTexts, corpus: Corpus) -> int | None:
    ranks = [rank_of(item, texts, corpus)]
    for place in item.places:
        quote = place.place.quote
        ranks.append(next((at for at, one in enumerate(aligned, 1) if quote and _holds(one, quote)), None))
    return min((rank for rank in ranks if rank is not None), default=None)


def _holds(one: Aligned, quote: str) -> bool:
    return one.how == "missing" and bool(find_quote(one.passage.text, quote).spans)


def _rungs(item: ResolvedItem, rank: int | None, passages: int, missing: int) -> tuple[Rung, ...]:
    if not passages:
        return (Rung("passages", "skipped", note="the report carries none"),)
    found = passages - missing
    return (
        Rung("passages", "ok", note=f"{passages} in the report"),
        Rung("corpus", "ok" if item.found else "broken", note=item.best.how),
        Rung("aligned", "ok" if found == passages else "absent", note=f"{found} of {passages} are in the corpus today"),
        Rung("retrieved", "ok" if rank is not None else "broken" if not missing else "absent", rank),
    )


def _verdict(
    items: Sequence[ResolvedItem], ranks: Sequence[int | None], passages: int, missing: int, needs: Needs
) -> tuple[bool | None, str]:
    if not passages:
        return None, "the report carries no passages"
    if not items:
        return None, "the question has no evidence yet"
    enough = any(rank is not None for rank in ranks) if needs == "any" else all(rank is not None for rank in ranks)
    if enough:
        best = min if needs == "any" else max
        rank = best(rank for rank in ranks if rank is not None)
        return False, f"not retrieval: the evidence was there at rank {rank} of {passages}"
    if missing:
        return None, f"cannot tell: {missing} of {passages} passages are not in the corpus today"
    lost = sum(rank is None for rank in ranks)
    return True, f"retrieval: {lost} of {len(ranks)} items of evidence were not among the {passages} passages"

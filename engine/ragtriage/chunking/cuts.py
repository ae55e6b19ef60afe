"""Documents cut one by one, each once: what was cut before is read from a cache."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import orjson

from ragtriage.chunking.base import Chunker, Piece, TokenOffsets
from ragtriage.chunking.boundaries import Ruler
from ragtriage.chunking.prefix import cut_prefix, full_prefix
from ragtriage.chunking.small_to_big import SmallToBig
from ragtriage.chunking.tokens import Tokens
from ragtriage.corpus.base import Corpus
from ragtriage.stored import BlobStore
from ragtriage.types import Document, Progress

__all__ = ["BATCH", "CutDocument", "all_cut"]

BATCH = 256
"""Documents tokenised at once."""


class CutDocument:
    """One document cut: `pieces` are [start, end, tokens, row of its prefix or -1], `prefixes` these with their token counts.

    Where small pieces are indexed in the place of these, `children` are they, and `parents` the number of each one's piece.
    """

    __slots__ = ("children", "parents", "pieces", "prefixes")

    def __init__(
        self,
        pieces: list[list[int]],
        prefixes: list[tuple[str, int]],
        children: CutDocument | None = None,
        parents: Sequence[int] = (),
    ) -> None:
        self.pieces = pieces
        self.prefixes = prefixes
        self.children = children
        self.parents = parents

    def dump(self) -> bytes:
        """All of it, for `load`."""
        if self.children is None:
            return orjson.dumps([self.pieces, self.prefixes])
        return orjson.dumps([self.pieces, self.prefixes, self.children.pieces, self.children.prefixes, list(self.parents)])

    @classmethod
    def load(cls, blob: bytes) -> CutDocument:
        """What `dump` wrote."""
        pieces, prefixes, *more = orjson.loads(blob)
        return cls(pieces, prefixes, cls(more[0], more[1]), more[2]) if more else cls(pieces, prefixes)


def all_cut(
    corpus: Corpus, chunker: Chunker, tokens: Tokens, with_prefix: bool, how: str, store: BlobStore, progress: Progress
) -> list[CutDocument]:
    """Every document of `corpus`; `how` names all that the cuts of a document depend on but the document."""
    keys = [f"{how}-{digest}" for digest in corpus.digests]
    cuts = {key: CutDocument.load(blob) for key, blob in store.get_many(keys).items()}
    first_rows: dict[str, int] = {}
    for row, key in enumerate(keys):
        if key not in cuts:
            first_rows.setdefault(key, row)
    missing = list(first_rows.items())
    for at in range(0, len(missing), BATCH):
        progress("cutting", at, len(missing))
        batch = missing[at : at + BATCH]
        documents = [corpus.documents[row] for _, row in batch]
        fresh = dict(zip((key for key, _ in batch), _cut_batch(documents, chunker, tokens, with_prefix), strict=True))
        cuts.update(fresh)
        store.put_many({key: cut.dump() for key, cut in fresh.items()})
    if missing:
        progress("cutting", len(missing), len(missing))
    return [cuts[key] for key in keys]


def _cut_batch(documents: Sequence[Document], chunker: Chunker, tokens: Tokens, with_prefix: bool) -> Iterator[CutDocument]:
    offsets = list(tokens.offsets([document.text for document in documents]))
    cut = [_pieces(document, each, chunker) for document, each in zip(documents, offsets, strict=True)]
    whole = _with_prefixes(documents, cut, tokens, with_prefix)
    if not isinstance(chunker, SmallToBig):
        yield from whole
        return
    families = [
        chunker.children(document, each, pieces) if document.cuts is None else [[piece] for piece in pieces]
        for document, each, pieces in zip(documents, offsets, cut, strict=True)
    ]
    flat = [[piece for children in family for piece in children] for family in families]
    for parent, children, family in zip(whole, _with_prefixes(documents, flat, tokens, with_prefix), families, strict=True):
        rows = [row for row, some in enumerate(family) for _ in some]
        yield CutDocument(parent.pieces, parent.prefixes, children, rows)


def _with_prefixes(
    documents: Sequence[Document], cut: Sequence[Sequence[Piece]], tokens: Tokens, with_prefix: bool
) -> Iterator[CutDocument]:
    wanted = [
        [full_prefix(document, piece.span.start) if with_prefix else "" for piece in pieces]
        for document, pieces in zip(documents, cut, strict=True)
    ]
    texts = sorted({prefix for prefixes in wanted for prefix in prefixes if prefix})
    measured = dict(zip(texts, tokens.offsets(texts), strict=True))
    for document, pieces, prefixes in zip(documents, cut, wanted, strict=True):
        used = {prefix: number for number, prefix in enumerate(dict.fromkeys(filter(None, prefixes)))}
        rows = [
            [piece.span.start, piece.span.end, piece.tokens, used.get(prefix, -1)]
            for piece, prefix in zip(pieces, prefixes, strict=True)
        ]
        yield CutDocument(rows, [_prefix(document, prefix, measured[prefix]) for prefix in used])


def _prefix(document: Document, prefix: str, offsets: TokenOffsets) -> tuple[str, int]:
    """The title of a ready-made chunk is part of what its owner indexes: it is never shortened."""
    return cut_prefix(prefix, offsets) if document.cuts is None else (prefix, len(offsets))


def _pieces(document: Document, offsets: TokenOffsets, chunker: Chunker) -> list[Piece]:
    if document.cuts is None:
        return chunker.cut(document, offsets)
    ruler = Ruler(document.text, offsets)
    return [Piece(cut.span, ruler.count(cut.span.start, cut.span.end)) for cut in document.cuts]

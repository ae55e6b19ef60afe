"""A Corpus -> Chunks. Documents that were cut before are not cut again; a corpus that was cut before is only loaded."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
import orjson

from ragtriage.chunking.base import Chunker, Chunks, Columns, Piece, TokenOffsets
from ragtriage.chunking.boundaries import Ruler
from ragtriage.chunking.prefix import cut_prefix, full_prefix
from ragtriage.chunking.tokens import Tokens
from ragtriage.config import ChunkingConfig
from ragtriage.corpus.base import Corpus
from ragtriage.ids import fingerprint
from ragtriage.stored import BlobStore, read_blob, write_blob
from ragtriage.types import Document, Progress, no_progress

__all__ = ["chunk_corpus", "chunker_of", "spec_of_config", "stored_columns"]

_VERSION = 1  # raised whenever the same documents would be cut otherwise
_SPECIAL = 2  # tokens that a model puts around a text
_BATCH = 256
_COLUMNS = 6


def spec_of_config(config: ChunkingConfig) -> str:
    """The spec of the chunker that `config` describes, without importing it: a warm start cuts nothing."""
    if config.strategy == "whole":
        return "whole"
    overlap = f",overlap={config.overlap}" if config.overlap else ""
    return f"{config.strategy}(size={config.size}{overlap})"


def chunker_of(config: ChunkingConfig) -> Chunker:
    """The chunker that `config` describes."""
    if config.strategy == "whole":
        from ragtriage.chunking.whole import Whole

        return Whole()
    if config.strategy == "fixed":
        from ragtriage.chunking.fixed import Fixed

        return Fixed(config.size, config.overlap)
    from ragtriage.chunking.recursive import Recursive

    return Recursive(config.size, config.overlap)


def chunk_corpus(
    corpus: Corpus, config: ChunkingConfig, *, tokens: Tokens, cache: Path, progress: Progress = no_progress
) -> Chunks:
    """Cut every document of `corpus`; ready-made chunks stay as they came.

    All sizes are counted in `tokens`. Raises CorpusError where these cannot be read.
    """
    spec = spec_of_config(config)
    how = fingerprint([_VERSION, spec, config.heading_prefix, tokens.identity])
    key = fingerprint([corpus.fingerprint, how])
    path = cache / "chunks" / f"{key}.chunks"
    columns = _load(path)
    if columns is None:
        store = BlobStore(cache / "chunks" / "cut.sqlite")
        columns = _columns(_all_cut(corpus, chunker_of(config), tokens, config.heading_prefix, how, store, progress))
        write_blob(path, _dump(columns))
    return Chunks(corpus, columns, spec=f"{spec}+prefix" if config.heading_prefix else spec, fingerprint=key)


def stored_columns(cache: Path, fingerprint: str) -> Columns | None:
    """The columns of a corpus that was cut before, by its chunks' fingerprint; None where they are cached no more."""
    return _load(cache / "chunks" / f"{fingerprint}.chunks") if fingerprint.isalnum() else None


class _Cut:
    """One document cut: its pieces, the prefix (row) of each, and the prefixes with their token counts."""

    __slots__ = ("pieces", "prefixes")

    def __init__(self, pieces: list[list[int]], prefixes: list[tuple[str, int]]) -> None:
        self.pieces = pieces  # [start, end, tokens, prefix or -1]
        self.prefixes = prefixes


def _all_cut(
    corpus: Corpus, chunker: Chunker, tokens: Tokens, with_prefix: bool, how: str, store: BlobStore, progress: Progress
) -> list[_Cut]:
    keys = [f"{how}-{digest}" for digest in corpus.digests]
    kept = store.get_many(keys)
    cuts: dict[str, _Cut] = {key: _Cut(*orjson.loads(blob)) for key, blob in kept.items()}
    first_rows: dict[str, int] = {}
    for row, key in enumerate(keys):
        if key not in cuts:
            first_rows.setdefault(key, row)
    missing = list(first_rows.items())
    for at in range(0, len(missing), _BATCH):
        progress("cutting", at, len(missing))
        batch = missing[at : at + _BATCH]
        fresh = dict(
            zip(
                (key for key, _ in batch),
                _cut_batch([corpus.documents[row] for _, row in batch], chunker, tokens, with_prefix),
                strict=True,
            )
        )
        cuts.update(fresh)
        store.put_many({key: orjson.dumps([cut.pieces, cut.prefixes]) for key, cut in fresh.items()})
    if missing:
        progress("cutting", len(missing), len(missing))
    return [cuts[key] for key in keys]


def _cut_batch(documents: Sequence[Document], chunker: Chunker, tokens: Tokens, with_prefix: bool) -> Iterator[_Cut]:
    cut = [
        _pieces(document, offsets, chunker)
        for document, offsets in zip(documents, tokens.offsets([document.text for document in documents]), strict=True)
    ]
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
        yield _Cut(rows, [_prefix(document, prefix, measured[prefix]) for prefix in used])


def _prefix(document: Document, prefix: str, offsets: TokenOffsets) -> tuple[str, int]:
    """The title of a ready-made chunk is part of what its owner indexes: it is never shortened."""
    return cut_prefix(prefix, offsets) if document.cuts is None else (prefix, len(offsets))


def _pieces(document: Document, offsets: TokenOffsets, chunker: Chunker) -> list[Piece]:
    if document.cuts is None:
        return chunker.cut(document, offsets)
    ruler = Ruler(document.text, offsets)
    return [Piece(cut.span, ruler.count(cut.span.start, cut.span.end)) for cut in document.cuts]


def _columns(cuts: Sequence[_Cut]) -> Columns:
    counts = [len(cut.pieces) for cut in cuts]
    flat = np.array([value for cut in cuts for piece in cut.pieces for value in piece], dtype=np.int32).reshape(-1, 4)
    bases = np.cumsum([0, *(len(cut.prefixes) for cut in cuts)])[: len(cuts)]
    doc_rows = np.repeat(np.arange(len(cuts), dtype=np.int32), counts)
    has_prefix = flat[:, 3] >= 0
    prefix_rows = np.where(has_prefix, flat[:, 3] + np.repeat(bases, counts), -1).astype(np.int32)
    prefix_tokens = np.array([count for cut in cuts for _, count in cut.prefixes] + [0], dtype=np.int32)  # row -1: none
    starts, ends, tokens = (np.ascontiguousarray(flat[:, column]) for column in range(3))
    indexed = tokens + prefix_tokens[prefix_rows] + np.int32(_SPECIAL)
    prefixes = tuple(prefix for cut in cuts for prefix, _ in cut.prefixes)
    return Columns(doc_rows, starts, ends, tokens, indexed, prefix_rows, prefixes)


def _dump(columns: Columns) -> bytes:
    """The number of rows, the six columns one after the other, then the prefixes as JSON."""
    *arrays, prefixes = columns
    flat = np.stack(arrays).astype("<i4").tobytes()
    return len(columns.doc_rows).to_bytes(8, "little") + flat + orjson.dumps(prefixes)


def _load(path: Path) -> Columns | None:
    payload = read_blob(path)
    if payload is None:
        return None
    rows = int.from_bytes(payload[:8], "little")
    end = 8 + 4 * _COLUMNS * rows
    columns = np.frombuffer(payload[8:end], dtype="<i4").astype(np.int32, copy=False).reshape(_COLUMNS, rows)
    doc_rows, starts, ends, tokens, indexed_tokens, prefix_rows = columns
    return Columns(doc_rows, starts, ends, tokens, indexed_tokens, prefix_rows, tuple(orjson.loads(payload[end:])))

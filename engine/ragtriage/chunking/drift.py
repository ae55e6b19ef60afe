"""The limit above which sentences count as drifting apart, from those of a whole corpus; embeds what is missing."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from typing import NamedTuple

import orjson

from ragtriage.chunking.base import Chunker
from ragtriage.chunking.cuts import BATCH
from ragtriage.chunking.merging import Stretch
from ragtriage.chunking.semantic import Semantic, drift_limit
from ragtriage.chunking.tokens import Tokens
from ragtriage.corpus.base import Corpus
from ragtriage.stored import BlobStore
from ragtriage.types import Document, Progress, no_progress

__all__ = ["Fitted", "sentence_texts", "with_limit"]


class Fitted(NamedTuple):
    """A semantic chunker for one corpus, and the distance at which it cuts there."""

    chunker: Chunker
    limit: float


def with_limit(semantic: Chunker, corpus: Corpus, tokens: Tokens, how: str, store: BlobStore, progress: Progress) -> Fitted:
    """`semantic` with what its `break_at` and `threshold` mean for `corpus`, all of whose sentences have vectors then.

    `how` names all that the sentences of a document depend on but the document. Documents that came cut have no say.
    Raises EncoderFailed, StorageError, and what `progress` raises.
    """
    if not isinstance(semantic, Semantic):
        raise TypeError(f"{semantic.spec} has no limit")
    found = _sentences(corpus, semantic, tokens, how, store, progress)
    semantic.vectors.ensure([text for document, parts in found for text in semantic.texts(document, parts)], progress)
    if semantic.break_at == "absolute":
        limit = semantic.threshold
    else:
        limit = drift_limit((semantic.distances(document, parts) for document, parts in found), semantic.threshold)
    return Fitted(dataclasses.replace(semantic, limit=limit), limit)


def sentence_texts(semantic: Chunker, corpus: Corpus, tokens: Tokens, how: str, store: BlobStore) -> set[str]:
    """The different texts that `with_limit` has embedded for the same corpus. Nothing is embedded."""
    if not isinstance(semantic, Semantic):
        return set()
    found = _sentences(corpus, semantic, tokens, how, store, no_progress)
    return {text for document, parts in found for text in semantic.texts(document, parts)}


def _sentences(
    corpus: Corpus, semantic: Semantic, tokens: Tokens, how: str, store: BlobStore, progress: Progress
) -> list[tuple[Document, list[Stretch]]]:
    rows = [row for row, document in enumerate(corpus.documents) if document.cuts is None]
    keys = {row: f"{how}-sentences-{corpus.digests[row]}" for row in rows}
    known = {key: list(_stretches(blob)) for key, blob in store.get_many(keys.values()).items()}
    missing = list({key: row for row, key in keys.items() if key not in known}.items())
    for at in range(0, len(missing), BATCH):
        progress("cutting", at, len(missing))
        batch = missing[at : at + BATCH]
        documents = [corpus.documents[row] for _, row in batch]
        offsets = tokens.offsets([document.text for document in documents])
        fresh = {
            key: semantic.sentences(document, each) for (key, _), document, each in zip(batch, documents, offsets, strict=True)
        }
        known.update(fresh)
        store.put_many({key: orjson.dumps([[*part] for part in parts]) for key, parts in fresh.items()})
    return [(corpus.documents[row], known[key]) for row, key in keys.items()]


def _stretches(blob: bytes) -> Iterator[Stretch]:
    for start, end, count, lineage in orjson.loads(blob):
        yield Stretch(start, end, count, tuple(lineage))

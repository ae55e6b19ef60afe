"""A Corpus -> Chunks. Documents that were cut before are not cut again; a corpus that was cut before is only loaded."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from ragtriage.chunking.base import Chunks, Columns
from ragtriage.chunking.columns import Units, columns_of, load, load_units, store, store_units, units_of
from ragtriage.chunking.strategies import chunker_of, reads_sentences, spec_of_config
from ragtriage.chunking.tokens import Tokens
from ragtriage.config import ChunkingConfig
from ragtriage.corpus.base import Corpus
from ragtriage.ids import fingerprint
from ragtriage.stored import BlobStore
from ragtriage.types import Progress, no_progress

if TYPE_CHECKING:
    from ragtriage.chunking.semantic import Vectors

__all__ = ["chunk_corpus", "embedded_to_cut", "stored_columns"]

_VERSION = 1  # raised whenever the same documents would be cut otherwise


def chunk_corpus(
    corpus: Corpus,
    config: ChunkingConfig,
    *,
    tokens: Tokens,
    cache: Path,
    vectors: Vectors | None = None,
    language: str = "en",
    progress: Progress = no_progress,
) -> Chunks:
    """Cut every document of `corpus`; ready-made chunks stay as they came.

    All sizes are counted in `tokens`. `vectors` are those of sentences, which the strategy "semantic" cannot do without, and
    `language` that of the documents, an ISO 639-1 code. Raises CorpusError where tokens cannot be read, ValueError without the
    vectors, and what embedding raises.
    """
    spec = spec_of_config(config)
    how = fingerprint(_depends_on(config, spec, tokens, vectors, language))
    key = fingerprint([corpus.fingerprint, how])
    path = cache / "chunks" / f"{key}.chunks"
    nested = config.strategy == "small_to_big"
    columns = load(path)
    units = load_units(path.with_suffix(".units")) if nested and columns is not None else None
    if columns is None or (nested and units is None):
        columns, units = _cut(corpus, config, tokens, cache, vectors, language, how, progress)
        store(path, columns)
        if units is not None:
            store_units(path.with_suffix(".units"), units)
    name = f"{spec}+prefix" if config.heading_prefix else spec
    if units is None:
        return Chunks(corpus, columns, spec=name, fingerprint=key)
    small = Chunks(corpus, units.columns, spec=f"{name} children", fingerprint=fingerprint([key, "units"]))
    return Chunks(corpus, columns, spec=name, fingerprint=key, units=small, unit_parents=units.parents)


def embedded_to_cut(
    corpus: Corpus, config: ChunkingConfig, *, tokens: Tokens, cache: Path, vectors: Vectors | None = None, language: str = "en"
) -> set[str]:
    """The different texts whose vectors decide where `chunk_corpus` cuts: the sentences of "semantic", none otherwise."""
    if config.strategy != "semantic":
        return set()
    from ragtriage.chunking.drift import sentence_texts

    how = fingerprint(_depends_on(config, spec_of_config(config), tokens, vectors, language))
    known = BlobStore(cache / "chunks" / "cut.sqlite")
    return sentence_texts(chunker_of(config, language=language, vectors=vectors), corpus, tokens, how, known)


def stored_columns(cache: Path, fingerprint: str) -> Columns | None:
    """The columns of a corpus that was cut before, by its chunks' fingerprint; None where they are cached no more."""
    return load(cache / "chunks" / f"{fingerprint}.chunks") if fingerprint.isalnum() else None


def _depends_on(config: ChunkingConfig, spec: str, tokens: Tokens, vectors: Vectors | None, language: str) -> list[Any]:
    parts: list[Any] = [_VERSION, spec, config.heading_prefix, tokens.identity]
    if reads_sentences(config):
        from ragtriage.versions import installed_version

        parts += [installed_version("sentencex"), language]
    if config.strategy == "semantic" and vectors is not None:
        parts += [config.threshold, vectors.identity]
    return parts


def _cut(
    corpus: Corpus,
    config: ChunkingConfig,
    tokens: Tokens,
    cache: Path,
    vectors: Vectors | None,
    language: str,
    how: str,
    progress: Progress,
) -> tuple[Columns, Units | None]:
    from ragtriage.chunking.cuts import all_cut

    known = BlobStore(cache / "chunks" / "cut.sqlite")
    chunker = chunker_of(config, language=language, vectors=vectors)
    if config.strategy == "semantic":
        from ragtriage.chunking.drift import with_limit

        chunker, limit = with_limit(chunker, corpus, tokens, how, known, progress)
        how = fingerprint([how, limit])
    cuts = all_cut(corpus, chunker, tokens, config.heading_prefix, how, known, progress)
    return columns_of(cuts), units_of(cuts) if config.strategy == "small_to_big" else None

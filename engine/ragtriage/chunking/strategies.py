"""A configuration -> the chunker that it describes, and its name."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ragtriage.chunking.base import Chunker
from ragtriage.config import ChunkingConfig

if TYPE_CHECKING:
    from ragtriage.chunking.semantic import Vectors

__all__ = ["chunker_of", "reads_sentences", "spec_of_config"]


def reads_sentences(config: ChunkingConfig) -> bool:
    """Whether the cuts depend on the sentence library, and so on the language of the documents."""
    return config.strategy in ("semantic", "small_to_big")


def spec_of_config(config: ChunkingConfig) -> str:
    """The spec of the chunker that `config` describes, without importing it: a warm start cuts nothing."""
    if config.strategy == "whole":
        return "whole"
    keys = [f"size={config.size}"]
    if config.strategy == "small_to_big":
        keys.append(f"child_size={config.child_size}")
    if config.overlap:
        keys.append(f"overlap={config.overlap}")
    if config.strategy == "semantic":
        if config.break_at != "percentile":
            keys.append(f"break_at={config.break_at}")
        if config.threshold != 90.0:
            keys.append(f"threshold={config.threshold:g}")
    return f"{config.strategy}({','.join(keys)})"


def chunker_of(config: ChunkingConfig, *, language: str = "en", vectors: Vectors | None = None) -> Chunker:
    """The chunker that `config` describes. `language` is that of the documents; a semantic one needs `vectors`: ValueError."""
    if config.strategy == "whole":
        from ragtriage.chunking.whole import Whole

        return Whole()
    if config.strategy == "fixed":
        from ragtriage.chunking.fixed import Fixed

        return Fixed(config.size, config.overlap)
    if config.strategy == "small_to_big":
        from ragtriage.chunking.small_to_big import SmallToBig

        return SmallToBig(config.size, config.child_size, config.overlap, language)
    if config.strategy == "semantic":
        from ragtriage.chunking.semantic import Semantic

        if vectors is None:
            raise ValueError("a semantic chunker needs the vectors of sentences")
        return Semantic(
            config.size,
            config.overlap,
            break_at=config.break_at,
            threshold=config.threshold,
            language=language,
            vectors=vectors,
        )
    from ragtriage.chunking.recursive import Recursive

    return Recursive(config.size, config.overlap)

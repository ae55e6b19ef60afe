"""A process that has a server embed a list of texts and says how many it has: to be killed.

python -m tests.fakes.embedding URL COUNT CACHE
"""

from __future__ import annotations

import sys
from pathlib import Path

from ragtriage.config import EmbeddingConfig, RunConfig
from ragtriage.search.embedding import Embedder
from ragtriage.search.remote_encoder import RemoteEncoder
from ragtriage.search.vectors_cache import VectorCache


def embedder(url: str, cache: Path, *, retries: int = 2, **table: object) -> Embedder:
    """An Embedder before the server at `url`, for which everything may be sent."""
    config = EmbeddingConfig(provider="openai", model="m", base_url=url, batch_size=8, **table)  # type: ignore[arg-type]
    encoder = RemoteEncoder(
        config, RunConfig(retries=retries, concurrency=3), cache=cache, permits=lambda: None, agree=lambda _: None
    )
    return Embedder(encoder, VectorCache(cache / "vectors.sqlite"))


def texts(count: int) -> list[str]:
    """So many different texts."""
    return [f"text number {place}" for place in range(count)]


def main(url: str, count: str, cache: str) -> None:
    def tell(stage: str, done: int, total: int) -> None:
        print(f"{stage} {done}", flush=True)

    embedder(url, Path(cache)).ensure(texts(int(count)), tell)
    print("all", flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])

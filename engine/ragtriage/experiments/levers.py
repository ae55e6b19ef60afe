"""The single changes that may bring lost evidence inside k, each away from the configuration in use."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from ragtriage.config import Config
from ragtriage.config_file import with_settings
from ragtriage.errors import ConfigError
from ragtriage.experiments.grid import Candidate
from ragtriage.search.reranking import LEXICAL

__all__ = ["Lever", "levers"]

_RRF_CONSTANTS = (5, 20, 60)
_SMALLEST = 32


class Lever(NamedTuple):
    """`kind` groups levers: mode, fusion, rrf_k, depth, pool, size, overlap, prefix, small-to-big, reranker, model."""

    kind: str
    name: str
    candidate: Candidate


def levers(config: Config, *, models: Sequence[str] = (), rerankers: Sequence[str] = ()) -> list[Lever]:
    """Every lever that differs from `config` and can be; those without re-embedding first.

    `models` are other embedding models on this machine, `rerankers` others than the one that ships.
    """
    out = []
    for kind, name, settings in _proposed(config, models, rerankers):
        try:
            changed = with_settings(config, settings)
        except ConfigError:
            continue  # an overlap that no longer fits the size, a pool below k
        if changed != config:
            out.append(Lever(kind, name, Candidate(changed, settings, name)))
    return out


def _proposed(config: Config, models: Sequence[str], rerankers: Sequence[str]) -> Iterator[tuple[str, str, Mapping[str, Any]]]:
    yield from _retrieval(config)
    for reranker in dict.fromkeys((LEXICAL, *rerankers)):
        if reranker != config.retrieval.rerank:
            yield "reranker", f"rerank {reranker}", {"retrieval.rerank": reranker}
    if config.retrieval.rerank:
        yield "reranker", "no reranker", {"retrieval.rerank": ""}
    yield from _chunking(config)
    for model in models:
        if model != config.embedding.model and config.retrieval.mode != "bm25":
            yield "model", f"model {model}", {"embedding.model": model}


def _retrieval(config: Config) -> Iterator[tuple[str, str, Mapping[str, Any]]]:
    retrieval = config.retrieval
    for mode in ("hybrid", "bm25", "dense"):
        if mode != retrieval.mode:
            yield "mode", mode, {"retrieval.mode": mode}
    if retrieval.mode == "hybrid":
        other = "zscore" if retrieval.fusion == "rrf" else "rrf"
        yield "fusion", other, {"retrieval.fusion": other}
        if retrieval.fusion == "rrf":
            for constant in _RRF_CONSTANTS:
                if constant != retrieval.rrf_k:
                    yield "rrf_k", f"rrf_k {constant}", {"retrieval.rrf_k": constant}
    if retrieval.mode == "hybrid" or retrieval.rerank:  # further down one list alone, nothing comes inside k
        for depth in (retrieval.depth * 2, retrieval.depth * 5):
            yield "depth", f"depth {depth}", {"retrieval.depth": depth}
    if not retrieval.rerank:
        return  # a pool that nobody reranks ends below k, however large it is
    for pool in (retrieval.pool * 2, retrieval.pool * 4):
        depth = max(retrieval.depth, pool)
        more = {"retrieval.depth": depth} if depth != retrieval.depth else {}
        yield "pool", f"pool {pool}", {"retrieval.pool": pool, **more}


def _chunking(config: Config) -> Iterator[tuple[str, str, Mapping[str, Any]]]:
    chunking = config.chunking
    on = chunking.heading_prefix
    yield "prefix", f"heading prefix {'off' if on else 'on'}", {"chunking.heading_prefix": not on}
    if chunking.strategy == "whole":
        yield "size", "recursive chunks", {"chunking.strategy": "recursive"}
        return
    for size in (max(_SMALLEST, chunking.size // 2), chunking.size * 2):
        children = {"chunking.child_size": max(1, size // 4)} if chunking.strategy == "small_to_big" else {}
        yield "size", f"size {size}", {"chunking.size": size, **children}
    if not chunking.overlap:
        yield "overlap", f"overlap {chunking.size // 4}", {"chunking.overlap": chunking.size // 4}
    if chunking.strategy != "small_to_big":
        settings = {"chunking.strategy": "small_to_big", "chunking.child_size": max(1, chunking.size // 4)}
        yield "small-to-big", "small to big", settings

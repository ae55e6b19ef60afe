"""What a project under another configuration has in common with it."""

from __future__ import annotations

from ragtriage.config import FOREIGN, Config

__all__ = ["shared_names"]


def shared_names(ours: Config, theirs: Config, *, asks: bool) -> frozenset[str]:
    """The attributes of a Project that are the same under both configurations. `asks`: what asks the system is there."""
    shared = {"verdicts"} if ours.golden.path == theirs.golden.path else set()
    if ours.golden == theirs.golden:
        shared.add("golden")
    if ours.embedding == theirs.embedding:
        shared |= {"tokens", "encoder"}
    if ours.corpus == theirs.corpus:
        shared.add("corpus")
        same_cuts = ours.chunking == theirs.chunking and ours.retrieval.language == theirs.retrieval.language
        if ours.embedding == theirs.embedding and same_cuts:
            shared |= {"chunks", "indexes"}
    if (ours.run, ours.retrieval.rerank, ours.retrieval.rerank_command) == (
        theirs.run, theirs.retrieval.rerank, theirs.retrieval.rerank_command
    ):  # fmt: skip
        shared.add("reranker")
    if asks and _same_system(ours, theirs, indexes="indexes" in shared):
        shared.add("asker")
    return frozenset(shared)


def _same_system(ours: Config, theirs: Config, *, indexes: bool) -> bool:
    """Whether what asks the system under one configuration asks that of the other, too. `indexes`: these are shared."""
    if ours.retrieval.system == "qdrant":  # it is asked for our chunks
        return indexes and ours.retrieval == theirs.retrieval and ours.run == theirs.run
    same = all(getattr(ours.retrieval, key) == getattr(theirs.retrieval, key) for key in ("system", *FOREIGN))
    return same and ours.run == theirs.run

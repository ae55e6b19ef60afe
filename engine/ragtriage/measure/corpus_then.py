"""Which documents a corpus had when it was measured, by hash: so that a later look knows what is new or changed since."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import orjson

from ragtriage.project import Project
from ragtriage.stored import read_blob, write_blob

__all__ = ["documents_then", "remember_documents"]

_MOST = 200_000  # documents of a corpus that is remembered: it is a convenience, and every version of the corpus takes its room


def remember_documents(project: Project) -> None:
    """Keep ids and digests of today's documents in the cache, under the corpus's fingerprint."""
    corpus = project.corpus
    path = _path(project, corpus.fingerprint)
    if len(corpus.documents) <= _MOST and len(corpus.digests) == len(corpus.documents) and not path.exists():
        pairs = [[document.doc_id, digest] for document, digest in zip(corpus.documents, corpus.digests, strict=True)]
        write_blob(path, orjson.dumps(pairs))


def documents_then(project: Project, fingerprint: str) -> Mapping[str, str] | None:
    """Id -> digest, in the corpus's order, of the documents of the corpus of that fingerprint; None where nobody knows."""
    corpus = project.corpus
    if fingerprint == corpus.fingerprint:
        return {document.doc_id: digest for document, digest in zip(corpus.documents, corpus.digests, strict=False)}
    payload = read_blob(_path(project, fingerprint)) if fingerprint.isalnum() else None
    return dict(orjson.loads(payload)) if payload is not None else None


def _path(project: Project, fingerprint: str) -> Path:
    return project.cache / "corpus" / f"{fingerprint}.documents"

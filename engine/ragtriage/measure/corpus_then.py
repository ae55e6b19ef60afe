"""Which documents a corpus had when it was measured, by hash: so that a later look knows what is new or changed since."""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

import orjson

from ragtriage.stored import read_blob, write_blob

if TYPE_CHECKING:
    from ragtriage.project import Project

__all__ = ["documents_then", "remember_documents", "remembered_documents", "stood_before"]

_MOST = 200_000  # documents of a corpus that is remembered: it is a convenience, and every version of the corpus takes its room


def remember_documents(project: Project) -> None:
    """Keep ids and digests of today's documents in the cache, under the corpus's fingerprint."""
    corpus = project.corpus
    path = _path(project.cache, corpus.fingerprint)
    if len(corpus.documents) <= _MOST and len(corpus.digests) == len(corpus.documents) and not path.exists():
        pairs = [[document.doc_id, digest] for document, digest in zip(corpus.documents, corpus.digests, strict=True)]
        write_blob(path, orjson.dumps(pairs))


def documents_then(project: Project, fingerprint: str) -> Mapping[str, str] | None:
    """Id -> digest, in the corpus's order, of the documents of the corpus of that fingerprint; None where nobody knows."""
    corpus = project.corpus
    if fingerprint == corpus.fingerprint:
        return {document.doc_id: digest for document, digest in zip(corpus.documents, corpus.digests, strict=False)}
    return remembered_documents(project.cache, fingerprint)


def remembered_documents(cache: Path, fingerprint: str) -> Mapping[str, str] | None:
    """`documents_then` from the cache alone: no document is read."""
    payload = read_blob(_path(cache, fingerprint)) if fingerprint.isalnum() else None
    return dict(orjson.loads(payload)) if payload is not None else None


def stood_before(project: Project) -> Callable[[str, str], bool]:
    """Whether one document, named as a label names it, has changed or gone since a run while another is as it was then: what
    stands in the other has stood there all the time. False where no run tells.
    """
    corpus = project.corpus
    now = {document.doc_id: digest for document, digest in zip(corpus.documents, corpus.digests, strict=False)}

    @functools.cache
    def then(fingerprint: str) -> Mapping[str, str]:
        return documents_then(project, fingerprint) or {}

    @functools.cache
    def before(doc: str) -> Mapping[str, str]:
        for fingerprint in fingerprints():
            found = then(fingerprint)
            if any(now.get(name) != digest for name, digest in found.items() if name == doc or name.endswith(f"/{doc}")):
                return found
        return {}

    @functools.cache
    def fingerprints() -> tuple[str, ...]:
        found = (str(info.manifest.get("fingerprints", {}).get("corpus", "")) for info in project.runs.all())
        return tuple(dict.fromkeys(found))

    return lambda doc, other: other in now and before(doc).get(other) == now[other]


def _path(cache: Path, fingerprint: str) -> Path:
    return cache / "corpus" / f"{fingerprint}.documents"

"""Rows of all files -> one Corpus: names are given, doubles reported, fingerprints made."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from ragtriage.corpus.base import Corpus, Skipped, stem_of
from ragtriage.corpus.rows import Row, digest_of, document_of, problem_of, skipped_of
from ragtriage.corpus.snapshot import Entry
from ragtriage.errors import Problem
from ragtriage.ids import fingerprint
from ragtriage.types import Document

__all__ = ["assemble"]


def assemble(root: Path, entries: Sequence[Entry], problems: Sequence[Problem], skipped: Sequence[Skipped]) -> Corpus:
    """The corpus of `entries`, which come sorted by source and are empty afterwards. Of two documents or chunks of one id the
    first counts."""
    stems = Counter(stem_of(entry.source) for entry in entries if _named_after_file(entry))
    found = list(problems)
    left_out = list(skipped)
    documents: list[Document] = []
    digests: list[str] = []
    taken: dict[str, str] = {}
    for entry in entries:
        stem = stem_of(entry.source)
        own_id = entry.source if stems[stem] > 1 else stem
        own_title = stem.rpartition("/")[2]
        found += map(problem_of, entry.rows["problems"])
        left_out += map(skipped_of, entry.rows["skipped"])
        rows: list[Row] = entry.rows["documents"]
        entry.rows["documents"] = []  # each row goes as soon as its document is there: twice a million would weigh too much
        rows.reverse()
        while rows:
            row = rows.pop()
            doc_id = row[0] or own_id
            if doc_id in taken:
                first = taken[doc_id]
                also = f", as in {first}" if first != entry.source else ""
                found.append(Problem(entry.source, 0, f"document {doc_id!r} is there twice{also}; the first counts", "id"))
                continue
            taken[doc_id] = entry.source
            title = row[1] or ("" if row[0] else own_title)
            documents.append(document_of(row, doc_id, title, entry.source))
            digests.append(digest_of(row, doc_id, title))
    found += _drop_doubles(documents, digests)
    names = "\n".join(f"{document.doc_id}\0{digest}" for document, digest in zip(documents, digests, strict=True))
    seal = hashlib.sha256(names.encode("utf-8")).hexdigest()[:16]
    return Corpus(root, tuple(documents), tuple(found), tuple(sorted(left_out)), seal, tuple(digests))


def _named_after_file(entry: Entry) -> bool:
    """Files of documents with ids of their own take no name. A file that gave nothing keeps its claim on one."""
    rows: list[Row] = entry.rows["documents"]
    return all(not row[0] for row in rows) and not entry.source.lower().endswith((".jsonl", ".ndjson"))


def _drop_doubles(documents: list[Document], digests: list[str]) -> list[Problem]:
    """Ready-made chunks whose id is taken leave their document; so do those called like a chunk that will be cut.

    A document that lost some gets another digest: what is cached of its file tells of all of them.
    """
    problems: list[Problem] = []
    seen: dict[str, str] = {}
    to_be_cut = {document.doc_id for document in documents if document.cuts is None}
    for row, document in enumerate(documents):
        if document.cuts is None:
            continue
        kept = []
        for cut in document.cuts:
            stem, mark, ordinal = cut.chunk_id.rpartition("#")
            if cut.chunk_id in seen:
                message = f"chunk {cut.chunk_id!r} is there twice; the first counts"
            elif mark and stem in to_be_cut and ordinal.isdecimal():
                message = f"chunk {cut.chunk_id!r} has the name of a chunk of document {stem!r}; it was left out"
            else:
                seen[cut.chunk_id] = document.doc_id
                kept.append(cut)
                continue
            problems.append(Problem(document.source, 0, message, "chunk_id"))
        if len(kept) != len(document.cuts):
            documents[row] = replace(document, cuts=tuple(kept))
            digests[row] = fingerprint([digests[row], [cut.chunk_id for cut in kept]])
    return problems

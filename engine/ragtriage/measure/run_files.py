"""A stored run as other tools have runs and judgements: what was ranked for each question, and where its evidence lies."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Literal, get_args

from ragtriage.errors import InputError, UsageError
from ragtriage.measure.results import Run
from ragtriage.types import Hit

if TYPE_CHECKING:
    from ragtriage.project import Project

__all__ = ["By", "RunForm", "document_named", "export_run", "judgements_of", "rankings_of"]

By = Literal["document", "chunk"]
RunForm = Literal["json", "run", "qrels"]


def export_run(
    project: Project, run: Run | str = "latest", form: RunForm = "json", *, by: By = "document", suffix: str = ""
) -> bytes:
    """A run, or the stored one of that name, in UTF-8: `json` is the document of `eval --json`; `run` what was ranked, by
    document or by chunk, and `qrels` where the evidence lies, both as TREC has them, with the suffix ".csv" as a table.

    Verdicts of today are in the first. Raises UsageError for no such run, form or `by` and for judgements by chunk,
    StorageError.
    """
    if form not in get_args(RunForm):
        raise UsageError(f"{form}: is no form of export; there are {', '.join(get_args(RunForm))}")
    if by not in get_args(By):
        raise UsageError(f"{by}: passages are ranked by {' or '.join(get_args(By))}")
    if form == "qrels" and by == "chunk":
        raise UsageError("--by chunk: evidence lies in documents, however they are cut")
    stored = project.runs.load(project.runs.find(run).id) if isinstance(run, str) else run
    if form == "json":
        import orjson

        from ragtriage.measure.report import to_json

        return orjson.dumps(to_json(stored, project.verdicts.current()), option=orjson.OPT_APPEND_NEWLINE)
    if form == "qrels":
        from ragtriage.interchange.qrels import qrels_bytes

        return qrels_bytes(judgements_of(stored), suffix, stored.id)
    from ragtriage.interchange.runs import run_bytes

    return run_bytes(rankings_of(stored, None if by == "chunk" else _documents(project)), suffix, stored.id)


def _documents(project: Project) -> Callable[[str], str]:
    """The document of a chunk by its id; a stored run can be exported though the files of today cannot be read."""
    try:
        chunks = project.chunks
    except InputError:
        return document_named

    def document_of(chunk_id: str) -> str:
        row = chunks.row(chunk_id)
        return document_named(chunk_id) if row is None else chunks[row].doc_id

    return document_of


def rankings_of(run: Run, document_of: Callable[[str], str] | None = None) -> dict[str, dict[str, float]]:
    """Scores by question and chunk in the order of the ranking, or by document, where `document_of` names that of a chunk.

    A document has the place of its first chunk. Scores never rise down a ranking: where a later stage or a system of the
    user's put a passage above one with a higher score, the order is what counts. Failed questions are left out.
    """
    return {one.qid: _scores(one.hits, document_of) for one in run.questions if one.status != "failed"}


def judgements_of(run: Run) -> dict[str, dict[str, float]]:
    """The gain of each document that a question's evidence lies in, the highest of several; measured questions alone."""
    out: dict[str, dict[str, float]] = {}
    for question in run.questions:
        if question.enters:
            grades = out[question.qid] = {}
            for item in question.items:
                for doc in dict.fromkeys(span[0] for span in item.spans) or [item.doc_id]:
                    grades[doc] = max(item.gain, grades.get(doc, 0.0))
    return out


def document_named(chunk_id: str) -> str:
    """The document of a chunk that nothing else is known of: what stands before its number, else the id as it is."""
    name, _, number = chunk_id.rpartition("#")
    return name if name and number.isascii() and number.isdecimal() else chunk_id


def _scores(hits: Iterable[Hit], document_of: Callable[[str], str] | None) -> dict[str, float]:
    out: dict[str, float] = {}
    last = math.inf
    for hit in hits:
        name = hit.chunk_id if document_of is None else document_of(hit.chunk_id)
        if name not in out:
            last = min(hit.score, last) if math.isfinite(hit.score) else min(0.0, last)
            out[name] = last
    return out

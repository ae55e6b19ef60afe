"""Documents as the screens read them: text, borders, evidence, and for which question."""

from __future__ import annotations

from functools import partial
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, Any, NamedTuple

from ragtriage_tui.bridge.edits import Edit
from ragtriage_tui.bridge.guard import guarded
from ragtriage_tui.bridge.measuring import measure_one, outcome
from ragtriage_tui.bridge.overviews import setup_name
from ragtriage_tui.bridge.questions import holding, how_words, question_view
from ragtriage_tui.bridge.quoting import quotable, quoted
from ragtriage_tui.document_views import AskedView, DocumentView, Holds, ItemView, PartView, Passage
from ragtriage_tui.text import Extent, one_line, scrub
from ragtriage_tui.views import Change
from ragtriage_tui.workers import DoorError

if TYPE_CHECKING:
    from ragtriage.chunking.base import Chunks
    from ragtriage.corpus.base import Corpus
    from ragtriage.measure.results import ItemResult, QuestionResult
    from ragtriage.project import Project
    from ragtriage.types import Document, Question
    from ragtriage_tui.bridge.door import Door

__all__ = ["Chunked", "Documents", "chunks_of", "seen_by", "setup_forms", "written_items"]

_EDITABLE = {".md", ".markdown", ".mdown", ".txt", ".text", ".rst", ".html", ".htm"}
_RUNGS = {"chunk": "one chunk", "access": "allowed", "context": "inside k"}


class Documents:
    """`DocumentDoor` for the project of a door."""

    def __init__(self, door: Door) -> None:
        self._door = door

    @guarded
    def document(self, doc_id: str, qid: str = "") -> DocumentView:
        """See DocumentDoor."""
        from ragtriage.golden.capture import grown
        from ragtriage.types import Span

        door = self._door
        with door.held() as project:
            document = project.corpus.document(door.names.raw(doc_id))
            chunks, uncut = chunks_of(project)
            asked, result = self._asked(project, chunks, qid)
            parts = tuple(self._parts(document, chunks, result))
            if asked is not None:
                parts = tuple(
                    one._replace(judged=door.judgements.mark(project, door.names.raw(qid), document.doc_id, Span(*one.span)))
                    for one in parts
                )
            setup = setup_forms(project, chunks)
            read_only = door.read_only
            window = project.embedded.window if chunks is not None and project.config.retrieval.mode != "bm25" else 0
            name = project.name
            path = project.corpus_root / document.source
        text = document.text
        items = result.items if result else ()
        evidence = holding(document.doc_id, text, 0, len(text), items)[1]
        editable = path.suffix.lower() in _EDITABLE and document.source
        return DocumentView(
            doc_id=door.names.shown(document.doc_id), title=scrub(one_line(document.title)), source=scrub(document.source),
            text=scrub(text), grow=lambda span: Extent(*grown(text, Span(*span))),
            sentences=tuple(Extent(*span) for span in quotable(document)), parts=parts, evidence=evidence, asked=asked,
            ranked=result is not None and bool(result.hits), seen_by=seen_by(document), window=window,
            project=scrub(one_line(name)), setup=setup, path=str(path) if editable else "",
            path_line=_first_line(path, text) if editable else 1, read_only=scrub(read_only), uncut=uncut,
        )  # fmt: skip

    @guarded
    def add_evidence(self, qid: str, *passages: Passage) -> Change:
        """See DocumentDoor."""
        door = self._door
        door.reread()
        with door.held() as project:
            question = project.golden.get(door.names.raw(qid))
            if question is None:
                raise DoorError(f"{qid} is no longer in the golden set")
            if not question.answerable:
                raise DoorError(f"{qid} is marked as having no answer; f changes that")
            held = written_items(question)
            new = [item for item in map(partial(self._label, project.corpus), passages) if not _among(item, held)]
            if not new:
                raise DoorError(f"that is evidence of {qid} already")
            door.edits.write(Edit(question.qid, question.raw, {**question.raw, "evidence": [*held, *new]}))
        count = len(held) + len(new)
        said = f"{qid} has {count} item{'' if count == 1 else 's'} of evidence now"
        try:
            today = outcome(measure_one(door, question.qid), door).sentence
        except DoorError as error:  # it is saved, whatever measuring says
            today = str(error)
        return Change(qid, f"{said}: {today}")

    def _label(self, corpus: Corpus, passage: Passage) -> dict[str, Any]:
        from ragtriage.golden.capture import Mark, label
        from ragtriage.types import Span

        document = corpus.document(self._door.names.raw(passage.doc_id))
        return label(Mark(document.doc_id, quoted(document, Span(*passage.span))), corpus)

    def _asked(self, project: Project, chunks: Chunks | None, qid: str) -> tuple[AskedView | None, QuestionResult | None]:
        from ragtriage.triage.categories import CATEGORIES

        door = self._door
        question = project.golden.get(door.names.raw(qid)) if qid else None
        if question is None:
            return None, None
        result = door.result(question.qid)
        if chunks is None:  # the ranks of a run mean nothing without its chunks
            return AskedView(
                qid=qid, text=scrub(question.question), kind=scrub(question.kind), split=question.split, state="unmeasured",
                items=_written(question), answerable=question.answerable,
            ), None  # fmt: skip
        view = question_view(question, result, door.run, chunks, "")
        verdict = door.verdict(question.qid)
        slug = verdict.category if verdict and verdict.category else result.suggested if result else ""
        cause = next((one.short for one in CATEGORIES if one.slug == slug), "") if view.state == "fails" else ""
        items = tuple(_item(item, result, view.k, door) for item in result.items) if result else ()
        if result is None:
            items = _written(question)
        return AskedView(
            qid=qid, text=view.text, kind=view.kind, split=view.split, state=view.state, cause=cause,
            proof=view.proof or view.reason, items=items, answerable=question.answerable,
        ), result  # fmt: skip

    def _parts(self, document: Document, chunks: Chunks | None, result: QuestionResult | None) -> list[PartView]:
        if chunks is None:
            return []
        door = self._door
        hits = {hit.chunk_id: (rank, hit) for rank, hit in result.placed} if result else {}
        needs = _needs(door, document.doc_id)
        out = []
        for row in chunks.rows_of(document.doc_id):
            chunk = chunks[row]
            start, end = chunk.span
            rank, hit = hits.get(chunk.chunk_id, (None, None))
            ranks: tuple[tuple[str, int | None], ...] = ()
            if hit is not None:
                stages = (("bm25", hit.bm25_rank), ("dense", hit.dense_rank), ("fused", hit.fused_rank))
                ranks = tuple(stage for stage in stages if stage[1] is not None)
            holds: Holds = holding(document.doc_id, document.text, start, end, result.items)[0] if result else "none"
            label = f"#{chunk.ordinal}" if document.cuts is None else scrub(chunk.chunk_id)
            needed = tuple(qid for qid, low, high in needs if low < end and start < high)
            heading = scrub(one_line(chunk.heading[-1])) if chunk.heading else ""
            view = PartView(
                door.names.shown(chunk.chunk_id), label, Extent(start, end), chunk.tokens, heading, rank, ranks, holds,
                tuple(dict.fromkeys(needed)),
            )  # fmt: skip
            out.append(view)
        return out


def _among(new: dict[str, Any], held: list[Any]) -> bool:
    return any(isinstance(item, dict) and all(item.get(key) == new[key] for key in ("doc", "quote")) for item in held)


def _written(question: Question) -> tuple[ItemView, ...]:
    return tuple(ItemView(scrub(one.place.quote), scrub(one.place.doc)) for one in question.evidence)


def _needs(door: Door, doc_id: str) -> list[tuple[str, int, int]]:
    """Questions of the shown run with evidence in a document, and where."""
    return [
        (scrub(result.qid), start, end)
        for result in (door.run.questions if door.run else ())
        for item in result.items
        for name, start, end in item.spans
        if name == doc_id
    ]


def _item(item: ItemResult, result: QuestionResult, k: int, door: Door) -> ItemView:
    places = tuple(Extent(start, end) for _, start, end in item.spans)
    quote = scrub(item.quote)
    doc_id = scrub(item.doc_id or item.chunk_id)
    if item.rank is not None and item.rank <= k:
        hit = result.hits[item.rank - 1].chunk_id if item.rank <= len(result.hits) else ""
        place = hit.removeprefix(item.doc_id) if hit.startswith(f"{item.doc_id}#") else hit
        if item.in_parts:
            return ItemView(quote, doc_id, "part", places, scrub(f"in parts, the last in {place or 'one'} at rank {item.rank}"))
        where = f"in {place}, rank {item.rank}" if place else f"rank {item.rank}"
        return ItemView(quote, doc_id, "whole", places, scrub(where))
    broken = next((rung for rung in item.rungs if rung.state == "broken"), None)
    holds: Holds = "none" if not item.spans else "part" if broken and broken.name == "chunk" else "whole"
    note = f"whole at rank {item.rank}, k = {k}" if item.rank is not None else f"not in the pool, k = {k}"
    if broken is None:
        return ItemView(quote, doc_id, holds, places, note if item.spans else how_words(item.how))
    name = _RUNGS.get(broken.name, broken.name)
    where = how_words(broken.note) if broken.name == "corpus" else broken.note
    return ItemView(quote, doc_id, holds, places, scrub(where), name, note if broken.name != "corpus" else "")


def written_items(question: Any) -> list[Any]:
    """The evidence of a question as it stands in its line, or as it would be written there."""
    from ragtriage.golden.references import format_reference

    written = question.raw.get("evidence")
    if isinstance(written, list) and len(written) == len(question.evidence):
        return list(written)
    out = []
    for item in question.evidence:
        place = format_reference(item.place)
        if item.also:
            inside = place if isinstance(place, dict) else {"doc": place}
            place = {**inside, "also": [format_reference(other) for other in item.also]}
        out.append(place)
    return out


def seen_by(document: Document) -> str:
    """Who may see a document, in words."""
    if document.access is None:
        return "everyone"
    return scrub(" ".join(document.access)) or "nobody"


def setup_forms(project: Project, chunks: Chunks | None) -> tuple[str, ...]:
    """`recursive(size=128)` and `hybrid k=5`, for the header."""
    spec = (scrub(chunks.spec),) if chunks is not None else ()
    return (*spec, setup_name(project.config))


class Chunked(NamedTuple):
    """The chunks of a project; None where they cannot be cut (no tokenizer, say), and why: a document can be read all the
    same."""

    chunks: Chunks | None
    problem: str = ""


def chunks_of(project: Project) -> Chunked:
    """See Chunked."""
    from ragtriage.errors import RagtriageError

    try:
        return Chunked(project.chunks)
    except RagtriageError as error:
        return Chunked(None, scrub(one_line(str(error))))


def _first_line(path: Path, text: str) -> int:
    """The line of the file, from 1, at which the text begins: front matter stands before it."""
    if PurePosixPath(path.name).suffix.lower() in (".html", ".htm"):
        return 1
    head = next((line for line in text.split("\n") if line.strip()), "").strip()
    try:
        with path.open(encoding="utf-8", errors="replace") as file:
            before = text[: text.find(head)].count("\n") if head else 0
            for number, line in enumerate(file, start=1):
                if line.strip() == head:
                    return max(number - before, 1)
                if number > 1000:
                    break
    except OSError:
        pass
    return 1

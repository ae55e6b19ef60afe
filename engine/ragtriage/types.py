"""The nouns. Frozen, in the field's own words; everything else in the engine passes these around.

Offsets are code points into a document's text as read, never bytes.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, NamedTuple, TypeAlias

Groups: TypeAlias = "tuple[str, ...] | None"
"""Access groups. None: public (of a document), or public documents only (of a question). ("*",): sees everything."""

FoundAt: TypeAlias = "tuple[str, int, int] | None"
"""Where a passage that is no chunk of ours stands in the corpus: document, start, end. None: nowhere."""


class AlsoAt(NamedTuple):
    """One more place that such a passage holds: a further `part` of it (1, 2, …), or a copy of a part; part 0 is at `FoundAt`.
    The first place of each part is its text, the others have the same words."""

    doc_id: str
    start: int
    end: int
    part: int


Progress = Callable[[str, int, int], None]
"""Called as progress(stage, done, total), at most a few times a second. Raises Cancelled to stop the job."""

Kind = Literal["exact", "paraphrase", "multi-part", "ambiguous", "unanswerable", ""]
KINDS: tuple[Kind, ...] = ("exact", "paraphrase", "multi-part", "ambiguous", "unanswerable")
Split = Literal["dev", "holdout"]
Needs = Literal["all", "any"]
Axis = Literal["correct", "grounded", "cited", "honest", "addresses"]
AXES: tuple[Axis, ...] = ("correct", "grounded", "cited", "honest", "addresses")
"""The five questions about an answer: agrees with what is expected, rests on the passages, cites them properly, says what it
does not know, answers what was asked."""
Status = Literal["found", "partly", "missed", "unanswerable", "unlabelled", "failed"]


def no_progress(stage: str, done: int, total: int) -> None:
    """The Progress that shows nothing and never cancels."""


class Span(NamedTuple):
    """Half-open [start, end) in code points. Touching spans do not overlap."""

    start: int
    end: int


class Section(NamedTuple):
    """A heading with all that stands under it, sub-sections included.

    `path` holds the headings from the outermost to this one; `anchor` is its GitHub slug, unique in the document.
    """

    path: tuple[str, ...]
    span: Span
    anchor: str
    level: int


class Cut(NamedTuple):
    """A chunk that came ready-made from the user's file: its id as it stands there, and its place in the document."""

    chunk_id: str
    span: Span


@dataclass(frozen=True, slots=True)
class Document:
    """One text of the corpus.

    `doc_id` is the path under the corpus root without suffix (or the id in a JSONL file); `source` the file it was read
    from, relative to the corpus root. `sections` ascend by start; `pages` holds one span a page of a PDF. `access` None is
    public; () is visible to nobody but ("*",). `cuts` is set where the chunks came ready-made (BEIR, chunk JSONL): the
    chunkers then leave the document alone.
    """

    doc_id: str
    title: str
    text: str
    source: str = ""
    sections: tuple[Section, ...] = ()
    pages: tuple[Span, ...] = ()
    access: tuple[str, ...] | None = None
    cuts: tuple[Cut, ...] | None = None


class Chunk(NamedTuple):
    """A piece of a document, made on demand from the columns of `Chunks`.

    `ordinal` counts from 1 in reading order; `tokens` is the length of its text without prefix and special tokens.
    """

    chunk_id: str
    doc_id: str
    ordinal: int
    span: Span
    heading: tuple[str, ...]
    tokens: int


@dataclass(frozen=True, slots=True)
class Place:
    """Where evidence lies. Which fields are set says of which kind it is; `doc` alone is the whole document.

    `at` is the offset where a quote was marked; `chunk_sha` the hash of the labelled chunk's text.
    """

    doc: str = ""
    quote: str = ""
    prefix: str = ""
    suffix: str = ""
    at: int | None = None
    section: str = ""
    page: int | None = None
    chunk: str = ""
    chunk_sha: str = ""

    @property
    def kind(self) -> Literal["quote", "chunk", "section", "page", "document"]:
        if self.quote:
            return "quote"
        if self.chunk:
            return "chunk"
        if self.section:
            return "section"
        return "document" if self.page is None else "page"


@dataclass(frozen=True, slots=True)
class Evidence:
    """One item a question needs: a place, and other places that state the same fact. `gain` is the judgement's grade."""

    place: Place
    also: tuple[Place, ...] = ()
    gain: float = 1.0

    @property
    def places(self) -> tuple[Place, ...]:
        return (self.place, *self.also)


@dataclass(frozen=True, slots=True)
class Question:
    """One line of the golden set.

    `query` is what is sent to the retriever. `must_mention` is a tuple of alternatives: one of each must occur. `raw` is the
    object as it stands in the file, `line` its line there (from 1). An `obsolete` question is kept and measured no more.
    """

    qid: str
    question: str
    evidence: tuple[Evidence, ...] = ()
    answerable: bool = True
    needs: Needs = "all"
    kind: Kind = ""
    split: Split = "dev"
    tags: tuple[str, ...] = ()
    access: tuple[str, ...] | None = None
    query: str = ""
    expected_answer: str = ""
    must_mention: tuple[tuple[str, ...], ...] = ()
    must_not_mention: tuple[str, ...] = ()
    source: Mapping[str, Any] = field(default_factory=dict)
    obsolete: bool = False
    line: int = 0
    raw: Mapping[str, Any] = field(default_factory=dict)

    @property
    def sent(self) -> str:
        """The text that goes to the retriever."""
        return self.query or self.question

    @property
    def labelled(self) -> bool:
        return bool(self.evidence)


class Hit(NamedTuple):
    """One retrieved chunk with the rank (from 1) that each stage gave it; None where that stage did not return it."""

    chunk_id: str
    score: float
    bm25_rank: int | None = None
    dense_rank: int | None = None
    fused_rank: int | None = None
    rerank_rank: int | None = None


@dataclass(frozen=True, slots=True)
class Ranking:
    """What one question got: `hits` in final order, cut to the pool.

    `stages` maps a stage ("bm25", "dense", "fused", "reranked") to the chunk ids it returned, best first, cut to its depth.
    `repeated` counts entries of a foreign list that named a chunk again; `places` has the passages in it that are no chunks
    of ours, `also` what else those hold, and `hidden` the ids of what those who asked may not see. `probe`: the system is not
    ours, and `stages` are what the embedded engine has.
    """

    hits: tuple[Hit, ...]
    stages: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    repeated: int = 0
    places: Mapping[str, FoundAt] = field(default_factory=dict)
    also: Mapping[str, tuple[AlsoAt, ...]] = field(default_factory=dict)
    hidden: tuple[str, ...] = ()
    probe: bool = False

    @property
    def ids(self) -> tuple[str, ...]:
        return tuple(hit.chunk_id for hit in self.hits)


@dataclass(frozen=True, slots=True)
class Failure:
    """A question whose retrieval or answer failed: data, not the end of the run."""

    reason: str


class Passage(NamedTuple):
    """One numbered text of a prompt's context. `number` is what `[n]` cites, from 1."""

    number: int
    chunk_id: str
    doc_id: str
    span: Span
    heading: tuple[str, ...]
    title: str
    text: str


@dataclass(frozen=True, slots=True)
class Answer:
    """What a generator said, and the chunk ids of the passages it was given, in order."""

    text: str
    passages: tuple[str, ...]
    generator: str


@dataclass(frozen=True, slots=True)
class Grade:
    """How an answer did, decided without a model where that is possible.

    `correct` None: could not be judged (skipped and counted, never 0). `missing` holds the must-mentions that are absent,
    `said_wrong` the must-not-mentions that occur, `cited` the citation numbers in order of appearance, `invalid` those
    that point to no passage, `unsupported` the numbers in the answer that occur in no passage sent.
    """

    correct: bool | None
    refused: bool
    missing: tuple[str, ...] = ()
    said_wrong: tuple[str, ...] = ()
    cited: tuple[int, ...] = ()
    invalid: tuple[int, ...] = ()
    unsupported: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Judged:
    """What a judge, a model or a person, says about one answer: yes, no, or None where it cannot tell.

    `claims` are statements of the answer that no passage supports. `unstable` names the axes that came out otherwise when the
    passages were in another order. `reason` says why nothing could be scored.
    """

    correct: bool | None = None
    grounded: bool | None = None
    cited: bool | None = None
    honest: bool | None = None
    addresses: bool | None = None
    claims: tuple[str, ...] = ()
    unstable: tuple[Axis, ...] = ()
    reason: str = ""

    def on(self, axis: Axis) -> bool | None:
        """The verdict on one axis."""
        verdicts = (self.correct, self.grounded, self.cited, self.honest, self.addresses)
        return verdicts[AXES.index(axis)]

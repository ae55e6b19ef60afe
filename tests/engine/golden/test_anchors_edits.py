"""Random edits of a corpus that are known: after each, no label is silently wrong."""

from __future__ import annotations

import dataclasses
import random
import shutil
from collections import Counter
from pathlib import Path

import pytest
from tests.engine.golden.edits import EDITS, Edited, Where
from tests.shared_data import shared
from tests.soak import rounds

from ragtriage.config import CorpusConfig
from ragtriage.corpus.base import Corpus
from ragtriage.corpus.reader import read_corpus
from ragtriage.golden.anchors import Anchor, anchors
from ragtriage.golden.base import GoldenSet
from ragtriage.golden.beir import read_beir
from ragtriage.golden.capture import quote_of
from ragtriage.golden.evidence import resolve_item
from ragtriage.golden.file import read_golden
from ragtriage.golden.references import parse_reference
from ragtriage.golden.typography import fold
from ragtriage.types import Evidence, Place, Question, Span

SAMPLE = Path(__file__).resolve().parents[3] / "sample_corpus"


class _Ground:
    """A corpus on disk that is edited and put back, with labels whose place is known."""

    def __init__(self, root: Path, cache: Path, golden: GoldenSet) -> None:
        self.root, self.cache = root, cache
        self.corpus = self.read()
        self.files = {document.doc_id: document.source for document in self.corpus.documents}
        self.raw = {doc: (root / source).read_bytes() for doc, source in self.files.items()}
        self.texts, self.heads = self._editable()
        self.golden = golden
        self.places = {
            (question.qid, item, number): Where(*found.spans[0][:1], *found.spans[0].span)
            for question in golden.questions
            for item, evidence in enumerate(question.evidence)
            for number, found in enumerate(resolve_item(evidence, self.corpus, None).places)
            if found.place.quote and len(found.spans) == 1 and found.how in ("exact", "folded")
        }

    def read(self) -> Corpus:
        return read_corpus(self.root, CorpusConfig(path="."), cache=self.cache)

    def _editable(self) -> tuple[dict[str, str], dict[str, str]]:
        """Texts that stand in their file as they are, and what stands before them there."""
        texts, heads = {}, {}
        for doc, source in self.files.items():
            text = self.corpus.document(doc).text
            if source.endswith((".md", ".txt")) and (raw := self.raw[doc].decode("utf-8")).endswith(text) and text:
                texts[doc], heads[doc] = text, raw[: len(raw) - len(text)]
        return texts, heads

    def label_as_saved(self) -> None:
        """Every label with offset and, where its words stand twice, what is around them: as ragtriage saves it."""
        questions = []
        for question in self.golden.questions:
            items = []
            for item, evidence in enumerate(question.evidence):
                places = [self._saved(question, item, at, place) for at, place in enumerate(evidence.places)]
                items.append(Evidence(places[0], tuple(places[1:]), evidence.gain))
            questions.append(dataclasses.replace(question, evidence=tuple(items)))
        self.golden = dataclasses.replace(self.golden, questions=tuple(questions))

    def _saved(self, question: Question, item: int, number: int, place: Place) -> Place:
        where = self.places.get((question.qid, item, number))
        if where is None:
            return place
        return parse_reference(quote_of(self.corpus.document(where.doc), Span(where.start, where.end)))

    def apply(self, edited: Edited) -> Corpus:
        for doc in edited.changed():
            (self.root / self.files[doc]).unlink()
        for doc in edited.changed():
            if doc in edited.pieces:
                path = self.root / f"{edited.names[doc]}{Path(self.files[doc]).suffix}"
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_bytes(_encoded(self.heads[doc] + edited.text(doc), edited.encodings.get(doc, "utf-8")))
        return self.read()

    def put_back(self, edited: Edited) -> None:
        for doc in edited.changed():
            (self.root / f"{edited.names[doc]}{Path(self.files[doc]).suffix}").unlink(missing_ok=True)
        for doc in edited.changed():
            (self.root / self.files[doc]).write_bytes(self.raw[doc])


def _encoded(text: str, how: str) -> bytes:
    name, _, ends = how.partition(" ")
    text = text.replace("\n", {"crlf": "\r\n", "cr": "\r"}.get(ends, "\n"))
    mark = {"utf-16-le": b"\xff\xfe", "utf-16-be": b"\xfe\xff"}.get(name, b"")
    return mark + text.encode(name)


def _wrong(anchor: Anchor, old: str, true: Where | None, corpus: Corpus, *, twin: bool) -> str:
    """What is silently wrong with a label, "" where nothing is. `true` is where its text stands unbroken, by the edits.

    `twin`: its words stood twice from the start, and the label has nothing but an offset to tell them apart (what is around
    them is the same, too). When one of them goes away, the other is as good.
    """
    if anchor.state == "exact":
        (found,) = resolve_item(Evidence(anchor.place), corpus, None).places
        if len(found.spans) != 1:
            return "exact, and not in one place"
        here = Where(found.spans[0].doc_id, *found.spans[0].span)
        text = corpus.document(here.doc).text[here.start : here.end]
        if text != anchor.place.quote:
            return "exact, and other text"
        # a copy that was pasted where the label's words stood, and pushed them on, is said to be one of several
        if true is not None and here != true and not twin and not (anchor.why and here.start == anchor.place.at):
            return f"exact at {here}, and meant {true}"
        return ""
    if anchor.safe:
        new = anchor.places[0]
        if fold(new.text).lower() != fold(old).lower():
            return "safe, and other text"
        if true is not None and (new.doc_id, *new.span) != true:
            return f"safe at {new.doc_id} {new.span}, and meant {true}"
        return ""
    if true is not None:
        places = [Where(place.doc_id, *place.span) for place in anchor.places]
        if anchor.state in ("moved", "gone") and true not in places:
            return f"{anchor.state}, and not found at {true}"
        if anchor.state == "ambiguous" and len(places) < 5 and true not in places:
            return f"ambiguous, and {true} is none of its places"
    return ""


def _edit_at_random(ground: _Ground, count: int, seed: int) -> Counter[str]:
    labels = list(ground.places.items())
    states: Counter[str] = Counter()
    for number in range(count):
        rng = random.Random(f"{seed} {number}")
        edited = Edited(ground.texts, rng)
        for _ in range(rng.randint(1, 3)):
            _, place = rng.choice(labels)
            doc = place.doc if place.doc in edited.pieces and rng.random() < 0.8 else rng.choice(list(edited.pieces))
            focus = edited.whole(*place)
            if focus is not None:
                hosts = {name: host for host, name in edited.names.items() if host in edited.pieces}
                doc = hosts[focus.doc]
            if doc not in edited.pieces or not edited.text(doc).strip():
                continue
            edit = rng.choice(EDITS)
            edited.log.append(f"{edit.__name__} {doc}")
            edit(edited, doc, focus)
        try:
            corpus = ground.apply(edited)
            for doc in edited.changed():  # the oracle and the reader see the same texts
                if doc in edited.pieces and edited.text(doc).strip():
                    assert corpus.document(edited.names[doc]).text == edited.text(doc), (number, edited.log)
            for anchor in anchors(ground.golden, corpus):
                where = ground.places.get((anchor.qid, *anchor.index))
                if where is None:
                    continue
                old = ground.corpus.document(where.doc).text[where.start : where.end]
                true = edited.whole(*where) if where.doc in ground.texts else where
                told = anchor.place.prefix or anchor.place.suffix
                twin = not told and ground.corpus.document(where.doc).text.count(old) > 1
                wrong = _wrong(anchor, old, true, corpus, twin=twin)
                assert not wrong, (number, edited.log, anchor.qid, old, wrong, anchor)
                states[anchor.state if anchor.open or anchor.state == "exact" else f"{anchor.state}, safe"] += 1
        finally:
            ground.put_back(edited)
    return states


@pytest.mark.parametrize("saved", [False, True])
def test_no_edit_of_the_sample_leaves_a_label_silently_wrong(tmp_path: Path, saved: bool) -> None:
    root = tmp_path / "docs"
    shutil.copytree(SAMPLE / "docs", root)
    ground = _Ground(root, tmp_path / "cache", read_golden(SAMPLE / "evals" / "golden.jsonl"))
    if saved:
        ground.label_as_saved()
    states = _edit_at_random(ground, rounds(12, 350), seed=int(saved))
    assert states["exact"] > states["gone"] > 0


@pytest.mark.parametrize("saved", [False, True])
def test_no_edit_of_large_documents_leaves_a_label_silently_wrong(tmp_path: Path, saved: bool) -> None:
    folder = shared("chunking-eval")
    root = tmp_path / "docs"
    root.mkdir()
    for path in sorted((folder / "corpora").glob("*.md")):
        (root / path.name).with_suffix(".txt").write_bytes(path.read_bytes())
    ground = _Ground(root, tmp_path / "cache", read_beir(folder))
    assert len(ground.places) > 700
    if saved:
        ground.label_as_saved()
    states = _edit_at_random(ground, rounds(2, 150), seed=10 + int(saved))
    assert states["exact"] > states["gone"]

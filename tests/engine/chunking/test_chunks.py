from __future__ import annotations

import json
import os
import random
import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Literal

import numpy as np
import pytest
from numpy.typing import NDArray
from tests.engine.chunking.cutting import model_dir
from tests.engine.corpus.reading import corpus_of, files
from tests.soak import rounds

from ragtriage.chunking.base import Chunks, TokenOffsets
from ragtriage.chunking.chunks import chunk_corpus
from ragtriage.chunking.strategies import chunker_of, spec_of_config
from ragtriage.chunking.tokens import WordTokens, tokens_of
from ragtriage.config import ChunkingConfig, CorpusConfig
from ragtriage.corpus.base import Corpus
from ragtriage.corpus.reader import read_beir_corpus, read_corpus
from ragtriage.errors import Cancelled, CorpusError
from ragtriage.types import Progress

DOCS = {
    "billing/fees.md": "# Fees\n\n" + "intro word " * 20 + "\n\n## Card\n\n" + "card word " * 20 + "\n\n## Cash\n\nnone",
    "notes.txt": "plain text",
    "ready.jsonl": "\n".join(
        json.dumps({"chunk_id": f"own-{row}", "doc_id": "ready", "title": "Ready", "text": f"text {row}"}) for row in (1, 2)
    ),
}
SMALL = ChunkingConfig(size=50)


def cut(tmp_path: Path, corpus: Corpus, config: ChunkingConfig = SMALL, model: Path | None = None) -> Chunks:
    return chunk_corpus(corpus, config, tokens=tokens_of(model), cache=tmp_path / "cache")


def table(chunks: Chunks) -> tuple[object, ...]:
    columns = (chunks.doc_rows, chunks.starts, chunks.ends, chunks.tokens, chunks.indexed_tokens)
    return (*(column.tolist() for column in columns), chunks.indexed_texts(), chunks.fingerprint, chunks.spec)


@pytest.fixture
def tokenised(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The texts that were tokenised, as they are."""
    seen: list[str] = []
    real = WordTokens.offsets

    def spy(self: WordTokens, texts: Sequence[str]) -> Iterator[TokenOffsets]:
        seen.extend(texts)
        return real(self, texts)

    monkeypatch.setattr(WordTokens, "offsets", spy)
    return seen


def test_a_ready_made_chunk_that_was_left_out_as_a_double_is_back_when_it_is_none(tmp_path: Path) -> None:
    def lines(*chunk_ids: str) -> str:
        return "\n".join(
            json.dumps({"chunk_id": name, "doc_id": f"of-{chunk_ids[0]}", "text": f"text {name}"}) for name in chunk_ids
        )

    others = {"b.jsonl": lines("c1", "c2"), "z.md": "# Z\n\nsomething else"}
    doubled = cut(tmp_path, corpus_of(tmp_path, {"a.jsonl": lines("c2"), **others}))
    assert list(doubled.ids) == ["c2", "c1", "z#1"]
    mended = cut(tmp_path, corpus_of(tmp_path, {"a.jsonl": lines("c9"), **others}))
    assert [(name, mended.row(name), mended.text(row)) for row, name in enumerate(mended.ids)] == [
        ("c9", 0, "text c9"), ("c1", 1, "text c1"), ("c2", 2, "text c2"), ("z#1", 3, "# Z\n\nsomething else"),
    ]  # fmt: skip


def test_ids_rows_texts_and_headings(tmp_path: Path) -> None:
    chunks = cut(tmp_path, corpus_of(tmp_path, DOCS))
    assert list(chunks.ids) == ["billing/fees#1", "billing/fees#2", "billing/fees#3", "notes#1", "own-1", "own-2"]
    assert [chunks.ids[row] for row in range(len(chunks))] == list(chunks.ids)
    assert chunks.ids[-1] == "own-2"
    assert chunks.ids[1:3] == ["billing/fees#2", "billing/fees#3"]
    assert [chunks.row(chunk_id) for chunk_id in chunks.ids] == list(range(6))
    assert [chunk.heading for chunk in chunks][:3] == [("Fees",), ("Fees", "Card"), ("Fees", "Cash")]
    for row, chunk in enumerate(chunks):
        document = chunks.document_of(row)
        assert chunk.chunk_id == chunks.ids[row]
        assert chunk.doc_id == document.doc_id
        assert document.text[chunk.span.start : chunk.span.end] == chunks.text(row)
        assert chunk.tokens == chunks.tokens[row]
    assert chunks.text(5) == "text 2"
    assert chunks[5].ordinal == 2


@pytest.mark.parametrize(
    "name",
    [
        "billing/fees",
        "billing/fees#0",
        "billing/fees#4",
        "billing/fees#01",
        "#1",
        "fees#1",
        "x#²",
        "own-3",
        "ready#1",
        "a#" + "9" * 5000,
    ],
)
def test_what_is_no_chunk(tmp_path: Path, name: str) -> None:
    assert cut(tmp_path, corpus_of(tmp_path, DOCS)).row(name) is None


def test_a_chunk_may_be_called_by_its_file(tmp_path: Path) -> None:
    assert cut(tmp_path, corpus_of(tmp_path, DOCS)).row("billing/fees.md#2") == 1


def test_rows_of_documents(tmp_path: Path) -> None:
    chunks = cut(tmp_path, corpus_of(tmp_path, {**DOCS, "scan.md": "---\n---\n"}))
    assert [list(chunks.rows_of(name)) for name in ("billing/fees", "notes", "ready", "nothing")] == [
        [0, 1, 2],
        [3],
        [4, 5],
        [],
    ]


def test_what_is_indexed(tmp_path: Path) -> None:
    chunks = cut(tmp_path, corpus_of(tmp_path, DOCS))
    assert chunks.indexed_text(2) == "Fees > Cash\n\n## Cash\n\nnone"
    assert chunks.indexed_text(3) == "notes\n\nplain text"
    assert chunks.indexed_text(4) == "Ready\n\ntext 1"
    assert chunks.indexed_texts() == [chunks.indexed_text(row) for row in range(len(chunks))]
    assert chunks.indexed_tokens.tolist()[3:] == [1 + 2 + 2, 1 + 2 + 2, 1 + 2 + 2]
    bare = cut(tmp_path, chunks.corpus, ChunkingConfig(size=50, heading_prefix=False))
    assert bare.indexed_texts() == [bare.text(row) for row in range(len(bare))]
    assert (bare.indexed_tokens - bare.tokens).tolist() == [2] * len(bare)


def test_columns_are_int32(tmp_path: Path) -> None:
    chunks = cut(tmp_path, corpus_of(tmp_path, DOCS))
    for column in (chunks.doc_rows, chunks.starts, chunks.ends, chunks.tokens, chunks.indexed_tokens):
        assert column.dtype == np.int32
        assert len(column) == len(chunks)


def test_fingerprints_cover_what_the_indexed_texts_depend_on(tmp_path: Path) -> None:
    corpus = corpus_of(tmp_path, DOCS)
    prints = {
        cut(tmp_path, corpus, config).fingerprint
        for config in (
            SMALL,
            ChunkingConfig(size=60),
            ChunkingConfig(size=50, heading_prefix=False),
            ChunkingConfig(strategy="whole"),
            ChunkingConfig(strategy="fixed", size=50),
        )
    }
    prints.add(cut(tmp_path, corpus, SMALL, model_dir()).fingerprint)
    prints.add(cut(tmp_path, corpus_of(tmp_path, {"notes.txt": "other"})).fingerprint)
    assert len(prints) == 7


def test_specs_name_the_chunker() -> None:
    assert chunker_of(ChunkingConfig()).spec == "recursive(size=200)"
    assert chunker_of(ChunkingConfig(strategy="fixed", overlap=20)).spec == "fixed(size=200,overlap=20)"
    assert chunker_of(ChunkingConfig(strategy="whole")).spec == "whole"
    strategies: tuple[Literal["whole", "fixed", "recursive", "semantic", "small_to_big"], ...] = (
        "whole", "fixed", "recursive", "semantic", "small_to_big",
    )  # fmt: skip
    for strategy in strategies:
        for size, overlap in ((200, 0), (50, 7)):
            config = ChunkingConfig(strategy, size, overlap, child_size=size // 4, break_at="absolute", threshold=0.25)
            assert spec_of_config(config) == chunker_of(config, vectors=Counting()).spec
    assert spec_of_config(ChunkingConfig("semantic")) == chunker_of(ChunkingConfig("semantic"), vectors=Counting()).spec


def test_without_vectors_nothing_is_semantic() -> None:
    with pytest.raises(ValueError, match="vectors"):
        chunker_of(ChunkingConfig("semantic"))


class Counting:
    """A direction for each text by its length, and which texts were embedded."""

    identity = "counting"

    def __init__(self) -> None:
        self.embedded: list[str] = []

    def ensure(self, texts: Sequence[str], progress: Progress) -> None:
        self.embedded += [text for text in dict.fromkeys(texts) if text not in self.embedded]

    def read(self, texts: Sequence[str]) -> NDArray[np.float16]:
        assert set(texts) <= set(self.embedded)
        angles = np.array([len(text) % 7 for text in texts])
        return np.stack([np.cos(angles), np.sin(angles)], axis=1).astype(np.float16)


SMALL_TO_BIG = ChunkingConfig("small_to_big", 50, child_size=12)
SEMANTIC = ChunkingConfig("semantic", 50, threshold=50.0)


def test_the_chunks_are_the_parents_and_what_is_indexed_are_their_children(tmp_path: Path) -> None:
    corpus = corpus_of(tmp_path, {**DOCS, "blank.md": "---\n---\n"})
    parents = cut(tmp_path, corpus, ChunkingConfig(size=50))
    chunks = cut(tmp_path, corpus, SMALL_TO_BIG)
    assert table(chunks)[:6] == table(parents)[:6]
    units = chunks.units
    assert chunks.unit_parents is not None
    assert chunks.unit_parents.dtype == np.int32
    assert len(units) == len(chunks.unit_parents) > len(chunks)
    assert units.fingerprint != chunks.fingerprint
    assert (np.diff(chunks.unit_parents) >= 0).all()
    assert len(set(units.ids)) == len(units)
    for row, parent in enumerate(chunks.unit_parents.tolist()):
        assert units.document_of(row) is chunks.document_of(parent)
        assert chunks.starts[parent] <= units.starts[row] < units.ends[row] <= chunks.ends[parent]
        assert row in chunks.units_of(parent)
    assert sorted(row for parent in range(len(chunks)) for row in chunks.units_of(parent)) == list(range(len(units)))
    assert units.indexed_text(0).startswith("Fees\n\n# Fees")
    assert units.indexed_texts() == [units.indexed_text(row) for row in range(len(units))]
    assert (units.tokens <= 12).all()


def test_ready_made_chunks_are_their_own_children(tmp_path: Path) -> None:
    chunks = cut(tmp_path, corpus_of(tmp_path, DOCS), ChunkingConfig("small_to_big", 2, child_size=1))
    for name in ("own-1", "own-2"):
        row = chunks.row(name)
        assert row is not None
        (unit,) = chunks.units_of(row)
        assert chunks.units.indexed_text(unit) == chunks.indexed_text(row)


def test_without_children_the_units_are_the_chunks(tmp_path: Path) -> None:
    chunks = cut(tmp_path, corpus_of(tmp_path, DOCS))
    assert chunks.units is chunks
    assert chunks.unit_parents is None
    assert list(chunks.units_of(2)) == [2]


def test_children_are_cut_once_and_a_changed_byte_is_a_silent_rebuild(tmp_path: Path, tokenised: list[str]) -> None:
    def both(chunks: Chunks) -> object:
        assert chunks.unit_parents is not None
        return table(chunks), table(chunks.units), chunks.unit_parents.tolist()

    corpus = corpus_of(tmp_path, DOCS)
    whole = both(cut(tmp_path, corpus, SMALL_TO_BIG))
    tokenised.clear()
    assert both(cut(tmp_path, corpus, SMALL_TO_BIG)) == whole
    assert tokenised == []
    generator = random.Random(3)
    for _ in range(rounds(10, 100)):
        for path in sorted((tmp_path / "cache" / "chunks").iterdir()):
            data = bytearray(path.read_bytes())
            data[generator.randrange(len(data))] ^= 1 << generator.randrange(8)
            path.write_bytes(data)
        assert both(cut(tmp_path, corpus, SMALL_TO_BIG)) == whole
    (tmp_path / "cache" / "chunks").joinpath(f"{cut(tmp_path, corpus, SMALL_TO_BIG).fingerprint}.units").unlink()
    assert both(cut(tmp_path, corpus, SMALL_TO_BIG)) == whole


def test_an_empty_corpus_has_no_children(tmp_path: Path) -> None:
    chunks = cut(tmp_path, corpus_of(tmp_path, {"a.png": "x"}), SMALL_TO_BIG)
    assert (len(chunks), len(chunks.units)) == (0, 0)


def semantic(tmp_path: Path, corpus: Corpus, vectors: Counting, config: ChunkingConfig = SEMANTIC) -> Chunks:
    return chunk_corpus(corpus, config, tokens=WordTokens(), cache=tmp_path / "cache", vectors=vectors)


def test_semantic_cuts_embed_each_sentence_once_and_ready_made_chunks_never(tmp_path: Path, tokenised: list[str]) -> None:
    docs = {**DOCS, "topics.md": "# Topics\n\nOne is here. Two is there now. Three. One is here."}
    vectors = Counting()
    chunks = semantic(tmp_path, corpus_of(tmp_path, docs), vectors)
    assert {"# Topics\n\nOne is here.", "Two is there now.", "Three.", "One is here.", "plain text"} <= set(vectors.embedded)
    assert not any("text 1" in text for text in vectors.embedded)
    assert [chunks.row(name) is not None for name in ("own-1", "own-2")] == [True, True]
    assert chunks.units is chunks
    warm = Counting()
    tokenised.clear()
    assert table(semantic(tmp_path, corpus_of(tmp_path, docs), warm)) == table(chunks)
    assert (warm.embedded, tokenised) == ([], [])


def test_semantic_cuts_after_an_edit_are_those_of_a_cold_start(tmp_path: Path) -> None:
    semantic(tmp_path, corpus_of(tmp_path, DOCS), Counting())
    edited = corpus_of(tmp_path, {"notes.txt": "Other words. Some more of them here. And an end."})
    chunks = semantic(tmp_path, edited, Counting())
    cold = chunk_corpus(edited, SEMANTIC, tokens=WordTokens(), cache=tmp_path / "cold", vectors=Counting())
    assert table(chunks) == table(cold)


def test_semantic_cuts_depend_on_model_threshold_and_language(tmp_path: Path) -> None:
    corpus = corpus_of(tmp_path, DOCS)
    other = Counting()
    other.identity = "other"
    prints = {semantic(tmp_path, corpus, Counting()).fingerprint, semantic(tmp_path, corpus, other).fingerprint}
    prints.add(semantic(tmp_path, corpus, Counting(), ChunkingConfig("semantic", 50, threshold=50.0000001)).fingerprint)
    prints.add(
        semantic(tmp_path, corpus, Counting(), ChunkingConfig("semantic", 50, break_at="absolute", threshold=1)).fingerprint
    )
    for language in ("en", "de"):
        more = chunk_corpus(corpus, SMALL_TO_BIG, tokens=WordTokens(), cache=tmp_path / "cache", language=language)
        prints.add(more.fingerprint)
    assert len(prints) == 6


def test_nothing_is_tokenised_twice(tmp_path: Path, tokenised: list[str]) -> None:
    first = cut(tmp_path, corpus_of(tmp_path, DOCS))
    assert tokenised
    tokenised.clear()
    assert table(cut(tmp_path, corpus_of(tmp_path, DOCS))) == table(first)
    assert tokenised == []


def test_after_an_edit_one_document_is_tokenised(tmp_path: Path, tokenised: list[str]) -> None:
    cut(tmp_path, corpus_of(tmp_path, DOCS))
    tokenised.clear()
    edited = corpus_of(tmp_path, {"notes.txt": "other words"})
    chunks = cut(tmp_path, edited)
    assert tokenised == ["other words", "notes"]
    cold = chunk_corpus(edited, SMALL, tokens=tokens_of(None), cache=tmp_path / "cold")
    assert table(chunks) == table(cold)


def test_a_changed_byte_in_any_cache_file_is_a_silent_rebuild(tmp_path: Path) -> None:
    corpus = corpus_of(tmp_path, DOCS)
    whole = table(cut(tmp_path, corpus))
    generator = random.Random(3)
    for _ in range(rounds(40, 400)):
        for path in sorted((tmp_path / "cache" / "chunks").iterdir()):
            data = bytearray(path.read_bytes())
            data[generator.randrange(len(data))] ^= 1 << generator.randrange(8)
            path.write_bytes(data)
        assert table(cut(tmp_path, corpus)) == whole


def test_stopping_leaves_everything_usable(tmp_path: Path) -> None:
    corpus = corpus_of(tmp_path, DOCS)

    def stop(stage: str, done: int, total: int) -> None:
        raise Cancelled("stopped")

    with pytest.raises(Cancelled):
        chunk_corpus(corpus, SMALL, tokens=tokens_of(None), cache=tmp_path / "cache", progress=stop)
    assert len(cut(tmp_path, corpus)) == 6


def test_a_folder_without_a_tokenizer_is_an_error_also_where_nothing_needs_one(tmp_path: Path) -> None:
    with pytest.raises(CorpusError, match=r"tokenizer\.json"):
        cut(tmp_path, corpus_of(tmp_path, DOCS), model=tmp_path)


def test_an_empty_corpus(tmp_path: Path) -> None:
    chunks = cut(tmp_path, corpus_of(tmp_path, {"a.png": "x"}))
    assert (len(chunks), list(chunks.ids), chunks.indexed_texts(), chunks.row("a#1")) == (0, [], [], None)


def test_beir_documents_are_one_chunk_each_with_their_whole_title(tmp_path: Path) -> None:
    title = "a very long title " * 20
    lines = [
        {"_id": "d#7", "title": title, "text": "word " * 400},
        {"_id": "e", "title": "T", "text": ""},
        {"_id": "f", "text": ""},
    ]
    files(tmp_path, {"corpus.jsonl": "\n".join(map(json.dumps, lines))})
    chunks = cut(tmp_path, read_beir_corpus(tmp_path, cache=tmp_path / "cache"), ChunkingConfig())
    assert list(chunks.ids) == ["d#7", "e", "f"]
    assert chunks.row("d#7") == 0
    assert chunks.indexed_text(0) == f"{title.strip()}\n\n{'word ' * 400}"
    assert chunks.indexed_text(1) == "T\n\n"
    assert chunks.indexed_text(2) == ""
    assert chunks.tokens.tolist() == [400, 0, 0]
    assert chunks.indexed_tokens.tolist() == [80 + 400 + 2, 1 + 2, 2]


WARM = """
import sys, pathlib
from ragtriage.chunking.chunks import chunk_corpus
from ragtriage.chunking.tokens import tokens_of
from ragtriage.config import ChunkingConfig, CorpusConfig
from ragtriage.corpus.reader import read_corpus
root, cache, model = map(pathlib.Path, sys.argv[1:])
corpus = read_corpus(root, CorpusConfig(), cache=cache)
chunks = chunk_corpus(corpus, ChunkingConfig(), tokens=tokens_of(model), cache=cache)
heavy = {"markdown_it", "selectolax", "pypdf", "yaml", "tokenizers", "sqlite3", "rapidfuzz", "regex", "torch", "textual"}
print(len(chunks), sorted(heavy & set(sys.modules)))
"""


def test_a_warm_start_imports_no_parser_and_no_tokenizer(tmp_path: Path) -> None:
    root = files(tmp_path / "docs", {**DOCS, "page.html": "<h1>Page</h1><p>x"})
    for path in root.rglob("*.*"):
        os.utime(path, ns=(10**18, 10**18))
    model = model_dir()
    corpus = read_corpus(root, CorpusConfig(), cache=tmp_path / "cache")
    count = len(chunk_corpus(corpus, ChunkingConfig(), tokens=tokens_of(model), cache=tmp_path / "cache"))
    done = subprocess.run(
        [sys.executable, "-c", WARM, str(root), str(tmp_path / "cache"), str(model)], capture_output=True, text=True, check=True
    )
    assert done.stdout.split(maxsplit=1) == [str(count), "[]\n"]

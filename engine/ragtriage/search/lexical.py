"""BM25 over the chunks, with Tantivy. The only file that imports it.

User text never reaches Tantivy's query parser: a question becomes term queries on the two fields of `analysis`. Scores are
Tantivy's BM25 (k1 1.2, b 0.75, field lengths kept in one byte); access is a clause that scores nothing.
"""

from __future__ import annotations

import contextlib
import math
import threading
from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from ragtriage.errors import SystemFailed
from ragtriage.ids import fingerprint
from ragtriage.search.access import access_tags, all_public, seen_tags, sees_everything
from ragtriage.search.analysis import (
    ANALYSIS_VERSION,
    STEM_PATTERN,
    WHOLE_PATTERN,
    QuestionReader,
    Weights,
    scrub,
    stemmer_name,
)
from ragtriage.search.ranking import Retrieved, order
from ragtriage.search.sealed import open_or_build
from ragtriage.search.stop_words import ENGLISH
from ragtriage.types import Groups, Progress, no_progress

if TYPE_CHECKING:
    from ragtriage.chunking.base import Chunks

__all__ = ["LexicalIndex", "content_terms"]

_LONGEST_TOKEN = 256  # bytes; longer ones are data, not words
_LOOK_S = 0.25
_HEAP = 128 * 2**20  # bytes for the one writing thread
_MARGIN = 16  # hits fetched beyond the depth, so that a tie at its edge is seen
# Tantivy adds float32 term scores in an order that depends on what it may skip, so that equal texts can come out a last
# place apart; this many decimals stand.
_DECIMALS = 4
_NO_STOP_LIST = frozenset({"", "arabic", "greek", "romanian", "tamil", "turkish"})


class LexicalIndex:
    """An open index. Searches are safe from several threads; nothing can be added: a changed corpus is a new index."""

    def __init__(self, folder: Path, ids: Sequence[str], *, language: str, public: bool) -> None:
        import tantivy

        self._ids = ids
        self._public = public
        self._folder = folder
        self._schema = _schema(tantivy)
        with _translated("open the BM25 index"):
            index = tantivy.Index.open(str(folder))
            stem = _register(tantivy, index, language)
            searcher = index.searcher()
            self.size: int = searcher.num_docs
        self._searcher = searcher
        self._stem_analyzer = stem
        self._reader = _question_reader(tantivy, stem, language, lambda token: searcher.doc_freq("whole", token) > 0)
        self._idf: dict[str, float] = {}

    @classmethod
    def open_or_build(
        cls, chunks: Chunks, *, language: str = "en", cache: Path, progress: Progress = no_progress
    ) -> LexicalIndex:
        """The index of these chunks' indexed texts, built under `cache` where a sound one is not there.

        Raises ConfigError for an unknown language, StorageError, SystemFailed, and what `progress` raises.
        """
        import tantivy

        stemmer = stemmer_name(language)
        documents = chunks.corpus.documents
        public = all_public(documents)
        access = None if public else [document.access for document in documents]
        name = fingerprint([chunks.fingerprint, access, stemmer, ANALYSIS_VERSION, tantivy.__version__])  # type: ignore[attr-defined]  # its stubs lack it

        def build(folder: Path) -> None:
            _build(tantivy, folder, chunks, language, progress)

        folder = open_or_build(cache / "lexical" / name, build)
        return cls(folder, chunks.ids, language=language, public=public)

    @property
    def nbytes(self) -> int:
        """Bytes of its files."""
        return sum(path.stat().st_size for path in self._folder.iterdir() if path.is_file())

    def search(self, texts: Sequence[str], groups: Sequence[Groups], depth: int) -> list[Retrieved]:
        """The best `depth` chunks for each text that its groups may see; none that score 0. Raises SystemFailed."""
        return [self._search(text, seen, depth) for text, seen in zip(texts, groups, strict=True)]

    def terms(self, text: str) -> list[str]:
        """The stemmed terms of a text in order, stop words left out."""
        return self._reader.stem_terms(text)

    def idf(self, term: str) -> float:
        """ln(1 + (N - n + 0.5) / (n + 0.5)), the weight BM25 gives a stemmed term that n of N chunks hold."""
        if (known := self._idf.get(term)) is not None:
            return known
        holding = self._searcher.doc_freq("stem", term)
        value = math.log(1 + (self.size - holding + 0.5) / (holding + 0.5))
        return self._idf.setdefault(term, value)

    def _search(self, text: str, groups: Groups, depth: int) -> Retrieved:
        nothing = Retrieved(np.empty(0, np.int32), np.empty(0))
        if not self.size or depth <= 0:
            return nothing
        with _translated("search with BM25"):
            query = self._query(self._reader.weights(text), groups)
            if query is None:
                return nothing
            limit = min(depth + _MARGIN, self.size)
            while True:
                hits = self._searcher.search(query, limit=limit, count=False).hits
                at_edge = len(hits) == limit > depth and hits[depth - 1][0] - hits[-1][0] <= 10.0**-_DECIMALS
                if not at_edge or limit == self.size:
                    break
                limit = min(limit * 4, self.size)
            rows = self._searcher.fast_field_values("ord", [address for _, address in hits]) if hits else []
        scores = np.array([score for score, _ in hits], dtype=np.float64)
        return order(np.array(rows, dtype=np.int32), np.round(scores, _DECIMALS), self._ids, depth)

    def _query(self, weights: Weights, groups: Groups) -> Any:
        import tantivy

        term, boost, should = tantivy.Query.term_query, tantivy.Query.boost_query, tantivy.Occur.Should
        clauses = [
            (should, boost(term(self._schema, field, token, index_option="freq"), weight))
            for field, weighted in zip(Weights._fields, weights, strict=True)
            for token, weight in weighted.items()
        ]
        if not clauses:
            return None
        words = tantivy.Query.boolean_query(clauses)
        if self._public or sees_everything(groups):
            return words
        allowed = tantivy.Query.term_set_query(self._schema, "access", seen_tags(groups))
        must = tantivy.Occur.Must
        return tantivy.Query.boolean_query([(must, words), (must, tantivy.Query.const_score_query(allowed, 0.0))])


def content_terms(language: str = "en") -> Callable[[str], list[str]]:
    """`LexicalIndex.terms` without an index: a text's stemmed terms in order, stop words left out. Raises ConfigError."""
    import tantivy

    reader = _question_reader(tantivy, _analyzer(tantivy, STEM_PATTERN, stemmer_name(language)), language, lambda token: False)

    def terms(text: str) -> list[str]:
        with _translated("take a text apart"):
            return reader.stem_terms(text)

    return terms


def _question_reader(tantivy: Any, stem: Any, language: str, holds_whole: Callable[[str], bool]) -> QuestionReader:
    return QuestionReader(
        words=lru_cache(50_000)(_analyzer(tantivy, STEM_PATTERN).analyze),
        stems=lru_cache(50_000)(stem.analyze),
        wholes=_analyzer(tantivy, WHOLE_PATTERN).analyze,
        is_stop=_stop_test(tantivy, language),
        holds_whole=holds_whole,
    )


def _build(tantivy: Any, folder: Path, chunks: Chunks, language: str, progress: Progress) -> None:
    schema = _schema(tantivy)
    total = len(chunks)
    with _translated("build the BM25 index"):
        index = tantivy.Index(schema, path=str(folder))
        _register(tantivy, index, language)
        writer = index.writer(heap_size=_HEAP, num_threads=1)
        documents = chunks.corpus.documents
        tags = [access_tags(document.access) for document in documents]
        doc_rows = chunks.doc_rows.tolist()
        for row in range(total):
            if row % 500 == 0:
                progress("index", row, total)
            text = scrub(chunks.indexed_text(row))
            fields = {"stem": text, "whole": text, "access": tags[doc_rows[row]], "ord": row}
            writer.add_document(tantivy.Document.from_dict(fields, schema))
        _commit(writer, lambda: progress("index", max(total - 1, 0), total))
        writer.wait_merging_threads()
        index.reload()
        built = index.searcher().num_docs
    if built != total:
        raise SystemFailed(f"the BM25 index holds {built} chunks instead of {total}; delete the cache folder and try again")
    progress("index", total, total)


def _commit(writer: Any, look: Callable[[], None]) -> None:
    """`writer.commit()`, which takes seconds where much is waiting, beside this thread, which `look`s and hears Ctrl-C."""
    failed: list[BaseException] = []

    def commit() -> None:
        try:
            writer.commit()
        except BaseException as error:
            failed.append(error)

    thread = threading.Thread(target=commit, name="ragtriage-bm25", daemon=True)
    thread.start()
    thread.join(_LOOK_S)
    while thread.is_alive():
        look()
        thread.join(_LOOK_S)
    if failed:
        raise failed[0]


def _schema(tantivy: Any) -> Any:
    builder = tantivy.SchemaBuilder()
    builder.add_text_field("stem", tokenizer_name="ragtriage_stem", index_option="freq")
    builder.add_text_field("whole", tokenizer_name="ragtriage_whole", index_option="freq")
    builder.add_text_field("access", tokenizer_name="raw", index_option="basic")
    builder.add_integer_field("ord", indexed=True, fast=True)
    return builder.build()


def _register(tantivy: Any, index: Any, language: str) -> Any:
    """Tantivy stores no analysers: they are registered after every open. Returns the stemming one."""
    stem = _analyzer(tantivy, STEM_PATTERN, stemmer_name(language))
    index.register_tokenizer("ragtriage_stem", stem)
    index.register_tokenizer("ragtriage_whole", _analyzer(tantivy, WHOLE_PATTERN))
    return stem


def _analyzer(tantivy: Any, pattern: str, stemmer: str = "") -> Any:
    builder = tantivy.TextAnalyzerBuilder(tantivy.Tokenizer.regex(pattern))
    builder = builder.filter(tantivy.Filter.remove_long(_LONGEST_TOKEN)).filter(tantivy.Filter.lowercase())
    return (builder.filter(tantivy.Filter.stemmer(stemmer)) if stemmer else builder).build()


def _stop_test(tantivy: Any, language: str) -> Any:
    """A function that tells whether a lower-case word is a stop word of the language."""
    stemmer = stemmer_name(language)
    if stemmer == "english":
        return ENGLISH.__contains__
    if stemmer in _NO_STOP_LIST:
        return lambda word: False
    builder = tantivy.TextAnalyzerBuilder(tantivy.Tokenizer.raw()).filter(tantivy.Filter.stopword(stemmer))
    analyze = builder.build().analyze
    return lru_cache(50_000)(lambda word: not analyze(word))


@contextlib.contextmanager
def _translated(doing: str) -> Iterator[None]:
    """Tantivy's errors and panics as SystemFailed. A panic is a BaseException of its own; Ctrl-C and our errors pass."""
    try:
        yield
    except ValueError as error:
        raise SystemFailed(f"could not {doing}: {error}") from error
    except BaseException as error:
        if type(error).__name__ != "PanicException":
            raise
        raise SystemFailed(f"could not {doing}: {error}") from None

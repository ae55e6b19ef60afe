"""One project on disk: configuration, corpus, golden set, verdicts, runs, caches. What the command line and the app hold.

Everything is read when it is first asked for, and kept. `refresh` forgets what has changed on disk since.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Collection, Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from ragtriage.config import Config, embedded_alone
from ragtriage.config_file import FILE_NAME, config_of, load_config
from ragtriage.errors import UsageError
from ragtriage.project_places import EVENT_LOGS, SHIPPED_VECTORS, ProjectPlaces
from ragtriage.project_root import check_places, is_beir, project_root
from ragtriage.types import Groups, Progress, no_progress

if TYPE_CHECKING:
    from ragtriage.answers.generators import Generator
    from ragtriage.answers.judge import Judge
    from ragtriage.answers.prompt import Template
    from ragtriage.chunking.base import Chunks
    from ragtriage.chunking.tokens import Tokens
    from ragtriage.corpus.base import Corpus
    from ragtriage.golden.file import GoldenSet
    from ragtriage.measure.runs import RunStore
    from ragtriage.remote.estimate import Consent
    from ragtriage.search.command_rerank import CommandReranker
    from ragtriage.search.embedding import Embedder
    from ragtriage.search.encoder_process import EncoderProcess
    from ragtriage.search.indexes import Indexes
    from ragtriage.search.remote_encoder import RemoteEncoder
    from ragtriage.search.systems.embedded import EmbeddedSystem
    from ragtriage.search.systems.foreign import Asker
    from ragtriage.search.systems.foreign_system import ForeignSystem
    from ragtriage.triage.verdicts import VerdictLog

__all__ = ["Project"]


class Project(ProjectPlaces):
    """A project folder, or a BEIR folder opened without configuration.

    `groups` overrides the access groups of every question (`--as`). `typed` are the keys that were set on the command line;
    `trusted` is the user's word, for this object alone, that what the configuration runs or sends is wanted. Not safe for use
    by several threads at once, but for `system`, which the app shares between its workers.
    """

    def __init__(
        self,
        root: Path,
        config: Config,
        *,
        beir: Path | None = None,
        groups: Groups = None,
        qrels: Path | None = None,
        rehash: bool = False,
        typed: Collection[str] = (),
        trusted: bool = False,
        progress: Progress = no_progress,
    ) -> None:
        super().__init__(root, config, beir)
        self.groups = groups
        self.qrels = qrels
        self.rehash = rehash
        self.typed = frozenset(typed)
        self.trusted = trusted
        self.progress = progress
        self.ignored: Collection[Path] = ()
        """Files that are no documents here, whatever the configuration says."""
        self._borrowed: frozenset[str] = frozenset()

    @cached_property
    def consent(self) -> Consent:
        """Who is asked before texts are sent to be embedded; shared by all variants."""
        from ragtriage.remote.estimate import Consent

        return Consent()

    @classmethod
    def open(
        cls,
        path: Path | str | None = None,
        *,
        overrides: Sequence[str] = (),
        groups: Groups = None,
        qrels: Path | None = None,
        rehash: bool = False,
        trusted: bool = False,
        progress: Progress = no_progress,
    ) -> Project:
        """The project at `path`, or the one that `path` lies in. Raises UsageError where there is none, ConfigError."""
        start = Path(path or "").absolute()
        if not start.exists():
            raise UsageError(f"{path}: no such folder")
        folder = start if start.is_dir() else start.parent
        root = project_root(folder)
        if root is None:
            raise UsageError(
                f"{path or folder}: neither a project ({FILE_NAME}, or evals/golden.jsonl beside docs/) nor a BEIR folder "
                "(queries.jsonl with corpus.jsonl); `ragtriage init` makes a project, `ragtriage demo` shows one"
            )
        config = load_config(config_of(root), overrides)
        check_places(root, config)
        beir = None
        if not (root / config.golden.path).exists():
            beir = next((place for place in (root / config.corpus.path, root) if is_beir(place)), None)
        typed = {override.partition("=")[0].strip() for override in overrides}
        return cls(
            root, config, beir=beir, groups=groups, qrels=qrels, rehash=rehash, typed=typed, trusted=trusted, progress=progress
        )

    @cached_property
    def corpus(self) -> Corpus:
        """The documents. Raises Untrusted where they lie outside the project and nobody agreed to that, CorpusError."""
        from ragtriage.corpus.reader import read_beir_corpus, read_corpus

        self._agreed_to_read()
        if self.beir:
            return read_beir_corpus(self.beir, cache=self.cache, rehash=self.rehash, progress=self.progress)
        return read_corpus(
            self.corpus_root,
            self.config.corpus,
            cache=self.cache,
            rehash=self.rehash,
            exclude=[self.golden_path, *(self.evals / name for name in EVENT_LOGS), *self.ignored],
            progress=self.progress,
        )

    def _agreed_to_read(self) -> None:
        """Documents outside the project need the user's word: a configuration may come with somebody else's repository."""
        from ragtriage.dangers import documents_outside

        if documents_outside(self.agreed_root, self.config):
            from ragtriage.trust import require

            require(self.agreed_root, self.config, typed=self.typed, tables=("corpus",), agreed=self.trusted)

    @cached_property
    def tokens(self) -> Tokens:
        """The tokens in which the sizes of chunks are counted: those of the embedding model, unless it is a server's."""
        from ragtriage.chunking.tokens import tokens_of
        from ragtriage.search.encoders import tokenizer_folder

        return tokens_of(tokenizer_folder(self.embedding))

    @cached_property
    def chunks(self) -> Chunks:
        from ragtriage.chunking.chunks import chunk_corpus

        return chunk_corpus(
            self.corpus,
            self.config.chunking,
            tokens=self.tokens,
            cache=self.cache,
            vectors=self.embedder if self.config.chunking.strategy == "semantic" else None,
            language=self.config.retrieval.language.lower(),
            progress=self.progress,
        )

    @cached_property
    def golden(self) -> GoldenSet:
        from ragtriage.golden.file import read_beir, read_golden

        if self.beir:
            return read_beir(self.beir, qrels=self.qrels)
        return read_golden(self.golden_path, needs=self.config.golden.needs)

    @cached_property
    def verdicts(self) -> VerdictLog:
        from ragtriage.triage.verdicts import VerdictLog

        return VerdictLog(self.evals / "verdicts.jsonl")

    @cached_property
    def runs(self) -> RunStore:
        from ragtriage.measure.runs import RunStore

        return RunStore(self.state / "runs")

    @cached_property
    def encoder(self) -> EncoderProcess | RemoteEncoder:
        """The process that embeds and reranks, or the server that embeds. Nothing is started yet."""
        from ragtriage.search.encoders import configured_encoder

        return configured_encoder(self)

    @cached_property
    def embedder(self) -> Embedder:
        """The encoder behind the cache of vectors: what was embedded once is not embedded again."""
        from ragtriage.search.embedding import Embedder
        from ragtriage.search.vectors_cache import VectorCache

        shipped = self.root / SHIPPED_VECTORS
        return Embedder(
            self.encoder, VectorCache(self.cache / "vectors.sqlite", shipped=shipped if shipped.is_file() else None)
        )

    @cached_property
    def indexes(self) -> Indexes:
        """What is searched: the BM25 index and the vectors of the chunks."""
        from ragtriage.search.indexes import Indexes

        return Indexes(self.chunks, self.embedding, cache=self.cache, encoder=self.encoder, embedder=self.embedder)

    @property
    def is_foreign(self) -> bool:
        """Whether the retriever under test is the user's own."""
        return self.config.retrieval.system != "embedded"

    @property
    def is_asked_live(self) -> bool:
        """Whether the retriever under test may say something else in a minute: it is the user's own, and not recorded."""
        return self.config.retrieval.system not in ("embedded", "recorded")

    @cached_property
    def system(self) -> EmbeddedSystem | ForeignSystem:
        """The retriever under test. Nothing is started or asked yet."""
        if not self.is_foreign:
            return self.embedded
        from ragtriage.search.systems.foreign_system import ForeignSystem

        retrieval = self.config.retrieval
        return ForeignSystem(
            self.open_asker, lambda: self.embedded, lambda: self.chunks, name=retrieval.system,
            k=max(retrieval.k, retrieval.pool), concurrency=self.config.run.concurrency,
        )  # fmt: skip

    @cached_property
    def embedded(self) -> EmbeddedSystem:
        """ragtriage's own engine over this project's chunks, whatever is under test."""
        from ragtriage.search.systems.embedded import EmbeddedSystem

        retrieval = dataclasses.replace(self.config.retrieval, rerank=self.rerank)
        if self.is_foreign:
            retrieval = embedded_alone(retrieval)
        return EmbeddedSystem(self.indexes, retrieval, reranker=self.reranker)

    @cached_property
    def asker(self) -> Asker | None:
        """What asks the user's own retriever; None where the retriever is ours. Raises ConfigError."""
        if not self.is_foreign:
            return None
        from ragtriage.search.systems.configured import configured_asker

        return configured_asker(self)

    @property
    def answers_by_itself(self) -> bool:
        """Whether what answers is the system under test with passages of its own choice: then there is no oracle."""
        retrieval = self.config.retrieval
        return self.config.answers.generator == "system" and (retrieval.own_answers or retrieval.system == "recorded")

    def open_asker(self) -> Asker:
        """What asks the user's own retriever. Raises ConfigError; UsageError where the retriever is ours."""
        if self.asker is None:
            raise UsageError("the embedded engine is asked by nothing but itself")
        return self.asker

    @cached_property
    def reranker(self) -> CommandReranker | None:
        """The program that reranks, None where none is configured. Nothing is started yet."""
        from ragtriage.search.rerankers import configured_reranker

        return configured_reranker(self)

    @cached_property
    def template(self) -> Template:
        """The prompt's template. Raises ConfigError."""
        from ragtriage.answers.configured import configured_template

        return configured_template(self)

    @cached_property
    def generator(self) -> Generator:
        """What answers. Nothing is loaded or asked yet."""
        from ragtriage.answers.configured import configured_generator

        return configured_generator(self)

    @cached_property
    def judge(self) -> Judge | None:
        """What judges answers, None where no model is configured for it."""
        from ragtriage.answers.configured import configured_judge

        return configured_judge(self)

    def fingerprints(self) -> dict[str, str]:
        """What a run depends on: equal fingerprints, equal questions.jsonl."""
        from ragtriage.project_fingerprint import fingerprints

        return fingerprints(self)

    def config_fingerprint(self) -> str:
        """Identifies what of the configuration a run depends on. No document is read."""
        from ragtriage.project_fingerprint import config_fingerprint

        return config_fingerprint(self)

    def asked_by(self, access: Groups) -> Groups:
        """The groups a question is asked as: its own, unless overridden."""
        return access if self.groups is None else self.groups

    def refresh(self) -> None:
        """Forget the golden set and the verdicts; they are read again when next asked for."""
        for name in ("golden", "verdicts"):
            self.__dict__.pop(name, None)

    def variant(self, config: Config) -> Project:
        """This project under another configuration. What both can share is shared: documents, golden set, tokens, chunks,
        indexes, the encoder process. Closing it ends only what is its own."""
        from ragtriage.project_variant import shared_names

        other = Project(
            self.root,
            config,
            beir=self.beir,
            groups=self.groups,
            qrels=self.qrels,
            rehash=self.rehash,
            typed=self.typed,
            trusted=self.trusted,
            progress=self.progress,
        )
        other.ignored = self.ignored
        other.__dict__["consent"] = self.consent
        shared = shared_names(self.config, config, asks="asker" in self.__dict__)
        other.__dict__.update({name: getattr(self, name) for name in shared})
        other._borrowed = shared
        return other

    @property
    def is_cut(self) -> bool:
        """Whether the chunks are in memory."""
        return "chunks" in self.__dict__

    def forget_chunks(self) -> None:
        """Let go of the chunks and what searches them; they are there again when next asked for."""
        for name in ("system", "embedded", "chunks", "indexes"):
            held = self.__dict__.pop(name, None)
            if name == "indexes" and held is not None and name not in self._borrowed:
                held.close()

    def __enter__(self) -> Project:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """End the encoder process and what asks the system, if one runs."""
        for name in ("system", "embedded"):
            self.__dict__.pop(name, None)
        for name in ("reranker", "asker"):
            if (held := self.__dict__.pop(name, None)) is not None and name not in self._borrowed:
                held.close()
        for name in ("indexes", "embedder", "encoder"):
            held = self.__dict__.pop(name, None)
            if held is not None and name not in self._borrowed:
                held.close()

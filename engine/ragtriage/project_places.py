"""Where a project has its files, and where the models are that its configuration names."""

from __future__ import annotations

import dataclasses
from functools import cached_property
from pathlib import Path

from ragtriage import paths
from ragtriage.config import Config, EmbeddingConfig
from ragtriage.files import is_writable
from ragtriage.ids import text_sha

__all__ = ["EVENT_LOGS", "NO_MODEL", "SHIPPED_VECTORS", "ProjectPlaces"]

SHIPPED_VECTORS = "vectors.sqlite"
"""A project may carry its own vectors beside its configuration, keyed by content like the cache: nothing is embedded then."""

EVENT_LOGS = ("verdicts.jsonl", "judgements.jsonl", "reviews.jsonl", "inbox.jsonl", "holdout.jsonl")
"""What stands beside a golden set and is no document, wherever the patterns of the corpus look."""

NO_MODEL = ("lexical", "command")
"""Rerankers that are no name or folder of a model."""


class ProjectPlaces:
    """Paths and models of the project in `root`; `beir` is the BEIR folder that is looked at instead of a golden set."""

    def __init__(self, root: Path, config: Config, beir: Path | None) -> None:
        self.root = root
        self.config = config
        self.beir = beir

    @property
    def name(self) -> str:
        return self.root.name

    @property
    def agreed_root(self) -> Path:
        """The folder for which the user agrees to what is run or sent, and in which programs run."""
        return self.root

    @property
    def corpus_root(self) -> Path:
        return self.beir or self.root / self.config.corpus.path

    @property
    def golden_path(self) -> Path:
        return self.beir / "queries.jsonl" if self.beir else self.root / self.config.golden.path

    @property
    def evals(self) -> Path:
        """The folder of the event logs: beside the golden set, or with the runs where a BEIR folder is looked at."""
        return self.state / "evals" if self.beir else self.golden_path.parent

    @cached_property
    def read_only(self) -> bool:
        """Whether the project's own folder cannot be written; its runs then go to the user's state folder."""
        return not is_writable(self.root)

    @cached_property
    def state(self) -> Path:
        """Where runs go: `.ragtriage` in the project, or a folder of the user's where that cannot be written."""
        if not self.read_only:
            return self.root / ".ragtriage"
        return paths.state_dir() / "projects" / f"{self.root.name}-{text_sha(str(self.root))[:8]}"

    @property
    def cache(self) -> Path:
        return paths.cache_dir()

    @property
    def embedding(self) -> EmbeddingConfig:
        """The configured model; a folder of the project is found wherever the command runs."""
        table = self.config.embedding
        model = self._model(table.model) if table.provider == "local" else table.model
        return dataclasses.replace(table, model=model, tokenizer=self._model(table.tokenizer))

    @property
    def rerank(self) -> str:
        """The configured reranker, found likewise; "" where there is none."""
        name = self.config.retrieval.rerank
        return name if name in NO_MODEL else self._model(name)

    def _model(self, name: str) -> str:
        folder = self.root / name
        return str(folder) if name.strip() and folder.is_dir() else name

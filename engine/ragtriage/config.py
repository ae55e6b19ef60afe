"""What can be configured: each table of ragtriage.toml is a dataclass here and each key a field.

Every key has a default: a project without a configuration file works. `config_file` reads the file, `config_rules` says what
no single key can tell.
"""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

__all__ = ["FOREIGN", "Config", "embedded_alone", "tables"]


@dataclass(frozen=True, slots=True)
class CorpusConfig:
    path: str = "docs"
    include: tuple[str, ...] = ("**/*.md", "**/*.txt", "**/*.html", "**/*.pdf", "**/*.jsonl")
    access_key: str = ""


@dataclass(frozen=True, slots=True)
class GoldenConfig:
    path: str = "evals/golden.jsonl"
    needs: Literal["all", "any"] = "all"


@dataclass(frozen=True, slots=True)
class ChunkingConfig:
    """`size` and `overlap` are tokens of text; a heading prefix of at most 48 tokens and 2 special tokens come on top.

    Under small_to_big `size` is that of the parents, which are returned, and `child_size` that of the children, which are
    searched. semantic cuts where the cosine distance of neighbouring sentences is above `threshold`: as it stands ("absolute",
    0 to 2), or the corpus's percentile (0 to 100).
    """

    strategy: Literal["whole", "fixed", "recursive", "semantic", "small_to_big"] = "recursive"
    size: int = 200
    overlap: int = 0
    heading_prefix: bool = True
    child_size: int = 64
    break_at: Literal["percentile", "absolute"] = "percentile"
    threshold: float = 90.0

    def used(self) -> frozenset[str]:
        """The keys that the strategy looks at."""
        more = {"small_to_big": {"child_size"}, "semantic": {"break_at", "threshold"}}
        return frozenset({"strategy", "size", "overlap", "heading_prefix"} | more.get(self.strategy, set()))


@dataclass(frozen=True, slots=True)
class EmbeddingConfig:
    """`provider` "local" is a model on this machine, which `device`, `dtype` and `offline` are for; "openai" is a server that
    gives embeddings as OpenAI does, which the keys from `base_url` to `window` are for.

    `price` is for a million tokens, 0 where it is not known. `dimensions` 0 is the model's own. `tokenizer` is the model, or
    the folder of one, whose tokens the sizes of chunks count; "" is the one that comes with ragtriage. `window` is how many of
    them the server's model reads. The prefixes stand before each question and each indexed text, where a model wants that.
    """

    provider: Literal["local", "openai"] = "local"
    model: str = "sentence-transformers/all-MiniLM-L6-v2"
    device: str = "cpu"
    dtype: Literal["float32", "bfloat16"] = "float32"
    batch_size: int = 32
    offline: bool = False
    base_url: str = ""
    api_key_env: str = ""
    price: float = 0.0
    dimensions: int = 0
    tokenizer: str = ""
    window: int = 512
    query_prefix: str = ""
    document_prefix: str = ""

    def used(self) -> tuple[str, ...]:
        """The keys that change what is measured, those of the provider and those that are set."""
        kind = ("model", "dtype") if self.provider == "local" else ("provider", "model", "base_url", "dimensions", "window")
        return (*kind, *(key for key in ("tokenizer", "query_prefix", "document_prefix") if getattr(self, key)))


@dataclass(frozen=True, slots=True)
class RetrievalConfig:
    """`rerank` is "lexical", "command" (then `rerank_command` is a program and its arguments), or a cross-encoder.

    The keys of `FOREIGN` belong to a system that is not ours. `callable` and `answer_callable` are `module:name` in the
    interpreter `python`. `…_at` are paths into a reply's JSON. `own_answers`: an answer comes with the passages. `urls` are
    the nodes of one Qdrant cluster, any of which answers.
    """

    system: Literal["embedded", "python", "command", "http", "recorded", "qdrant"] = "embedded"
    mode: Literal["bm25", "dense", "hybrid"] = "hybrid"
    k: int = 5
    fusion: Literal["rrf", "zscore"] = "rrf"
    rrf_k: int = 60
    depth: int = 100
    pool: int = 50
    rerank: str = ""
    rerank_command: tuple[str, ...] = ()
    language: str = "en"
    python: str = "python3"
    callable: str = ""
    answer_callable: str = ""
    command: tuple[str, ...] = ()
    url: str = ""
    answer_url: str = ""
    method: Literal["POST", "GET"] = "POST"
    headers: tuple[str, ...] = ()
    request: str = ""
    answer_request: str = ""
    hits_at: str = ""
    id_at: str = ""
    text_at: str = ""
    doc_at: str = ""
    score_at: str = ""
    answer_at: str = ""
    recorded: str = ""
    own_answers: bool = False
    urls: tuple[str, ...] = ()
    collection: str = ""
    api_key_env: str = ""
    shards: int = 1
    replicas: int = 1


FOREIGN = frozenset({
    "python", "callable", "answer_callable", "command", "url", "answer_url", "method", "headers", "request", "answer_request",
    "hits_at", "id_at", "text_at", "doc_at", "score_at", "answer_at", "recorded", "own_answers", "urls",
    "collection", "api_key_env", "shards", "replicas",
})  # fmt: skip
"""The keys of `retrieval` that the embedded engine does not look at."""


def embedded_alone(retrieval: RetrievalConfig) -> RetrievalConfig:
    """The table as it is for the embedded engine, where another system is under test."""
    ours: dict[str, Any] = {item.name: item.default for item in dataclasses.fields(retrieval) if item.name in FOREIGN}
    return dataclasses.replace(retrieval, system="embedded", rerank="", **ours)


@dataclass(frozen=True, slots=True)
class ModelConfig:
    """The keys of a language model, the same for one that answers and one that judges.

    `base_url` "" is the provider's own. `api_key_env` names the environment variable with the key; "" is the provider's
    usual one. `command` is a program and its arguments. Prices are for a million tokens; 0 where they are not known.
    `max_tokens` is the length of an answer.
    """

    model: str = ""
    base_url: str = ""
    api_key_env: str = ""
    command: tuple[str, ...] = ()
    temperature: float = 0.0
    max_tokens: int = 500
    input_price: float = 0.0
    output_price: float = 0.0


@dataclass(frozen=True, slots=True)
class AnswersConfig(ModelConfig):
    """`order` is that of the passages in the prompt: as ranked, the best last, or as they stand in their documents.
    `prompt` is a template file in the project; "" is the built-in one."""

    generator: Literal["extractive", "openai", "anthropic", "command", "system"] = "extractive"
    max_context_tokens: int = 3000
    order: Literal["ranked", "reversed", "document"] = "ranked"
    prompt: str = ""


@dataclass(frozen=True, slots=True)
class JudgeConfig(ModelConfig):
    """Nothing is judged by a model while provider is "none"."""

    provider: Literal["none", "openai", "anthropic", "command"] = "none"
    max_tokens: int = 1000


@dataclass(frozen=True, slots=True)
class GateConfig:
    """`metrics` are gated without a model, `answers` with --answers: what is asked of a judge, too.

    `tolerance` is how much a mean may fall, "auto" max(0.05, 2.5 / n). A floor is `METRIC NUMBER`, or for some questions
    `METRIC kind:NAME NUMBER` or `METRIC tag:NAME NUMBER`.
    """

    metrics: tuple[str, ...] = ("recall@k", "mrr")
    answers: tuple[str, ...] = ("correct",)
    tolerance: float | Literal["auto"] = "auto"
    floors: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class SweepConfig:
    """The values of each key that `ragtriage sweep` combines, where its command line names none."""

    strategy: tuple[str, ...] = ()
    size: tuple[int, ...] = ()
    overlap: tuple[int, ...] = ()
    child_size: tuple[int, ...] = ()
    heading_prefix: tuple[bool, ...] = ()
    model: tuple[str, ...] = ()
    dtype: tuple[str, ...] = ()
    mode: tuple[str, ...] = ()
    k: tuple[int, ...] = ()
    fusion: tuple[str, ...] = ()
    rrf_k: tuple[int, ...] = ()
    depth: tuple[int, ...] = ()
    pool: tuple[int, ...] = ()
    rerank: tuple[str, ...] = ()
    language: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class RunConfig:
    """`timeout_s`, `concurrency` and `retries` are for what is asked over a network or of a program. `pass_env` names the
    environment variables that programs get beside the usual ones."""

    timeout_s: float = 30.0
    concurrency: int = 4
    retries: int = 4
    pass_env: tuple[str, ...] = ()
    keep: int = 50


@dataclass(frozen=True, slots=True)
class Config:
    """All tables. `source` is the file it was read from, None where there is none."""

    corpus: CorpusConfig = field(default_factory=CorpusConfig)
    golden: GoldenConfig = field(default_factory=GoldenConfig)
    chunking: ChunkingConfig = field(default_factory=ChunkingConfig)
    embedding: EmbeddingConfig = field(default_factory=EmbeddingConfig)
    retrieval: RetrievalConfig = field(default_factory=RetrievalConfig)
    answers: AnswersConfig = field(default_factory=AnswersConfig)
    judge: JudgeConfig = field(default_factory=JudgeConfig)
    gate: GateConfig = field(default_factory=GateConfig)
    sweep: SweepConfig = field(default_factory=SweepConfig)
    run: RunConfig = field(default_factory=RunConfig)
    source: Path | None = None

    def as_dict(self, *, secrets: bool = False) -> dict[str, dict[str, Any]]:
        """The tables as plain JSON values, `source` left out; as they are kept and shown, unless `secrets` are wanted, too."""
        plain = {name: _plain_table(getattr(self, name)) for name in tables()}
        if secrets or not any(table.get(key) for table in plain.values() for key in _MAY_HOLD_SECRETS):
            return plain
        from ragtriage.secret_texts import hidden_tables

        return hidden_tables(plain)


_MAY_HOLD_SECRETS = (
    "command", "rerank_command", "headers", "url", "answer_url", "base_url", "urls", "request", "answer_request",
)  # fmt: skip


def _plain_table(table: Any) -> dict[str, Any]:
    values = {item.name: getattr(table, item.name) for item in dataclasses.fields(table)}
    return {name: list(value) if isinstance(value, tuple) else value for name, value in values.items()}


def tables() -> dict[str, type[Any]]:
    """The tables of the file: name -> its dataclass."""
    factories: dict[str, Any] = {item.name: item.default_factory for item in dataclasses.fields(Config)}
    return {name: factory for name, factory in factories.items() if factory is not dataclasses.MISSING}

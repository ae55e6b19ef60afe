"""ragtriage.toml -> a frozen Config. An unknown key is an error that names the nearest one; all problems come together.

Each table of the file is a dataclass here and each key a field, so this file is the list of what can be configured. Every
key has a default: a project without a configuration file works.
"""

from __future__ import annotations

import dataclasses
import json
import re
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal, get_type_hints

from ragtriage.config_values import checked, nearest, shown
from ragtriage.errors import ConfigError, Problem

__all__ = ["FILE_NAME", "FOREIGN", "Config", "embedded_alone", "load_config", "with_settings"]

FILE_NAME = "ragtriage.toml"


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

    def as_dict(self) -> dict[str, dict[str, Any]]:
        """The tables as plain JSON values, `source` left out."""
        return {name: _plain_table(getattr(self, name)) for name in _tables()}


def _plain_table(table: Any) -> dict[str, Any]:
    values = {item.name: getattr(table, item.name) for item in dataclasses.fields(table)}
    return {name: list(value) if isinstance(value, tuple) else value for name, value in values.items()}


def _tables() -> dict[str, type[Any]]:
    factories: dict[str, Any] = {item.name: item.default_factory for item in dataclasses.fields(Config)}
    return {name: factory for name, factory in factories.items() if factory is not dataclasses.MISSING}


# RFC 3986, so that everybody who reads the URL takes the same part of it for the host
_URL = re.compile(r"https?://(?:[\w.-]+|\[[0-9A-Fa-f:.]+\])(?::\d{1,5})?(?:/[!-~]*)?", re.ASCII)
_VARIABLE = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_COLLECTION = re.compile(r"[A-Za-z0-9_-][A-Za-z0-9._-]{0,199}")
_CALLABLE = re.compile(r"[^\W\d]\w*(?:\.[^\W\d]\w*)*:[^\W\d]\w*(?:\.[^\W\d]\w*)*")
_HEADER = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+:[ \t]*[ -~]*")
_SECRET_HEADER = re.compile(r"(?:proxy-)?authorization:|cookie:|[^:]*(?:api-?key|token|secret|password)[^:]*:", re.IGNORECASE)


def _is_json(text: str) -> bool:
    try:
        json.loads(text)
    except (ValueError, RecursionError):
        return False
    return True


def load_config(path: Path | None, overrides: Sequence[str] = ()) -> Config:
    """Read `path` (None: defaults) and apply `table.key=value` overrides. Raises ConfigError with every problem found."""
    where = str(path) if path else "--set"
    text = ""
    tables: dict[str, Any] = {}
    if path is not None:
        try:
            text = path.read_bytes().decode("utf-8-sig")
            tables = tomllib.loads(text)
        except OSError as error:
            raise ConfigError(f"{path}: cannot be read: {error.strerror}") from error
        except UnicodeDecodeError:
            raise ConfigError(f"{path}: not UTF-8; save it as UTF-8") from None
        except (ValueError, RecursionError) as error:
            raise ConfigError(f"{path}: not TOML: {error}") from None
    reader = _Reader(where, text)
    values = reader.tables(tables)
    for override in overrides:
        reader.override(values, override)
    config = Config(**{name: kind(**values.get(name, {})) for name, kind in _tables().items()}, source=path)
    reader.agree(config)
    if reader.problems:
        raise ConfigError("\n".join(map(str, reader.problems)), reader.problems)
    return config


def with_settings(config: Config, settings: Mapping[str, Any], *, agree: bool = True) -> Config:
    """`config` with some `table.key` set otherwise. Raises ConfigError with every problem found, as `load_config` does.

    With `agree` False each value is looked at alone, and whether it goes together with the others is not.
    """
    reader = _Reader("", "")
    values: dict[str, dict[str, Any]] = {}
    for key, value in settings.items():
        table, _, leaf = key.partition(".")
        reader.overridden.add(key)
        if table not in _tables():
            reader.problem(key, f"unknown table{nearest(table, _tables())}")
        else:
            reader.set(values, table, leaf, value)
    changed = dataclasses.replace(
        config, **{name: dataclasses.replace(getattr(config, name), **found) for name, found in values.items()}
    )
    if agree:
        reader.agree(changed)
    if reader.problems:
        says = "\n".join(f"{problem.key}: {problem.message}" for problem in reader.problems)
        raise ConfigError(says, reader.problems)
    return changed


class _Reader:
    """Turns TOML values into field values and collects what is wrong with them."""

    def __init__(self, where: str, text: str) -> None:
        self.where = where
        self.text = text
        self.problems: list[Problem] = []
        self.overridden: set[str] = set()

    def problem(self, key: str, message: str, *, override: bool = False) -> None:
        where, line = ("--set", 0) if override else (self.where, _line_of(self.text, key))
        self.problems.append(Problem(where, line, message, key))

    def tables(self, tables: Mapping[str, Any]) -> dict[str, dict[str, Any]]:
        known = _tables()
        out: dict[str, dict[str, Any]] = {}
        for name, table in tables.items():
            if name not in known:
                self.problem(name, f"unknown table{nearest(name, known)}")
            elif not isinstance(table, dict):
                self.problem(name, f"a table is needed: [{name}]")
            else:
                for key, value in table.items():
                    self.set(out, name, key, value)
        return out

    def override(self, values: dict[str, dict[str, Any]], text: str) -> None:
        key, equals, raw = text.partition("=")
        name, dot, leaf = key.strip().partition(".")
        if not equals or not dot:
            self.problem(text, "write it as table.key=value, for example retrieval.mode=bm25", override=True)
            return
        known = _tables()
        if name not in known:
            self.problem(key, f"unknown table{nearest(name, known)}", override=True)
            return
        try:
            value = tomllib.loads(f"value = {raw.strip()}")["value"]
        except (ValueError, RecursionError):  # also of a number of 5,000 digits
            value = raw.strip()
        self.overridden.add(f"{name}.{leaf}")
        self.set(values, name, leaf, value, override=True)

    def set(self, out: dict[str, dict[str, Any]], name: str, leaf: str, value: Any, *, override: bool = False) -> None:
        key = f"{name}.{leaf}"
        hints = get_type_hints(_tables()[name])
        if leaf not in hints:
            self.problem(key, f"unknown key{nearest(leaf, hints)}", override=override)
            return
        try:
            out.setdefault(name, {})[leaf] = checked(key, hints[leaf], value)
        except ValueError as error:
            self.problem(key, str(error), override=override)

    def agree(self, config: Config) -> None:
        """What no single key can tell."""
        size, overlap, k = config.chunking.size, config.chunking.overlap, config.retrieval.k
        if config.chunking.strategy != "whole" and overlap >= size:
            self.conflict(
                ("chunking.overlap", f"{overlap} is not smaller than size ({size})"),
                ("chunking.size", f"{size} is not larger than overlap ({overlap})"),
            )
        self.chunking(config.chunking)
        for name, value in (("pool", config.retrieval.pool), ("depth", config.retrieval.depth)):
            if value < k:
                self.conflict(
                    (f"retrieval.{name}", f"{value} is smaller than k ({k})"),
                    ("retrieval.k", f"{k} is larger than retrieval.{name} ({value}); add --set retrieval.{name}={k}"),
                )

        if config.retrieval.rerank == "command" and not "".join(config.retrieval.rerank_command[:1]).strip():
            self.conflict(
                ("retrieval.rerank", "command needs retrieval.rerank_command"),
                ("retrieval.rerank_command", "retrieval.rerank = command needs one"),
            )
        self.system(config)
        for name in config.run.pass_env:
            if not _VARIABLE.fullmatch(name):
                self.conflict(("run.pass_env", f"{shown(ascii(name))} is no name of an environment variable"))
        self.model(config.answers, "answers", "generator", config.answers.generator)
        self.model(config.judge, "judge", "provider", config.judge.provider)
        self.embedding(config.embedding)

    def system(self, config: Config) -> None:
        """What a retriever that is not ours needs."""
        table, name = config.retrieval, config.retrieval.system
        needed = {"python": "callable", "command": "command", "http": "url", "recorded": "recorded"}.get(name)
        value = getattr(table, needed) if needed else ()
        if needed and not (value if isinstance(value, str) else "".join(value[:1])).strip():
            said = f"{name} needs retrieval.{needed}"
            self.conflict(("retrieval.system", said), (f"retrieval.{needed}", f"retrieval.system = {name} needs one"))
        if name != "embedded" and table.rerank:
            self.conflict(
                ("retrieval.rerank", f"reranks what the embedded engine finds; retrieval.system is {name}"),
                ("retrieval.system", f"{name} is not reranked here; leave retrieval.rerank out"),
            )
        for key in ("callable", "answer_callable"):
            found = getattr(table, key)
            if found and not _CALLABLE.fullmatch(found):
                self.conflict((f"retrieval.{key}", f"{shown(ascii(found))} is not module:name, as in myapp.rag:retrieve"))
        for key in ("url", "answer_url"):
            self.address(f"retrieval.{key}", getattr(table, key))
        for header in table.headers:
            if not _HEADER.fullmatch(header):  # not shown: it may hold what is secret
                says = 'one is no header; it looks like "Authorization: Bearer ${NAME}", NAME being an environment variable'
                self.conflict(("retrieval.headers", says))
            elif _SECRET_HEADER.match(header) and "${" not in header:  # it would stand in every run that is stored
                which = shown(ascii(header.partition(":")[0]))
                says = (
                    f"{which} is what a secret goes into: write the name of an environment variable, ${{NAME}}, not the secret"
                )
                self.conflict(("retrieval.headers", says))
        for key in ("request", "answer_request"):
            if (found := getattr(table, key)) and not _is_json(found):
                self.conflict((f"retrieval.{key}", 'it is not JSON; it looks like {"query": "{{question}}", "top": "{{k}}"}'))
        self.qdrant(table)
        if config.answers.generator == "system":
            self.own_generator(table)

    def qdrant(self, table: RetrievalConfig) -> None:
        """What a Qdrant cluster needs."""
        if table.system == "qdrant":
            for key, value in (("urls", table.urls), ("collection", table.collection.strip())):
                if not value:
                    said = f"qdrant needs retrieval.{key}"
                    self.conflict(("retrieval.system", said), (f"retrieval.{key}", "retrieval.system = qdrant needs it"))
            if table.fusion != "rrf":
                self.conflict(
                    ("retrieval.fusion", f"{table.fusion} is the embedded engine's; retrieval.system = qdrant fuses by rrf"),
                    ("retrieval.system", f"qdrant fuses by rrf, and retrieval.fusion is {table.fusion}"),
                )
        for url in table.urls:
            self.host("retrieval.urls", url)
        if table.collection and not _COLLECTION.fullmatch(table.collection):
            says = f"{shown(ascii(table.collection))} is no name of a collection: letters, digits, _, - and . are, up to 200"
            self.conflict(("retrieval.collection", says))
        self.server("", table.api_key_env, "retrieval")

    def own_generator(self, table: RetrievalConfig) -> None:
        """Whether the system under test can answer."""
        needed = {"embedded": "", "qdrant": "", "python": "answer_callable", "http": "answer_url"}.get(table.system)
        if needed == "":
            self.conflict(
                ("answers.generator", f"system is the user's own, and {table.system} answers nothing: see retrieval.system")
            )
        elif needed and not table.own_answers and not getattr(table, needed):
            says = f"system needs retrieval.{needed}, or retrieval.own_answers = true where answers come with the passages"
            self.conflict(("answers.generator", says))

    def address(self, key: str, url: str) -> None:
        """A URL that text is sent to. What is filled in stands behind the host: no question says where it goes."""
        secret = re.search(r"[@#]", url)
        host = re.split(r"[/?]", url.partition("://")[2], maxsplit=1)[0]
        if url and (secret or "{{" in host or not _URL.fullmatch(re.sub(r"\{\{(?:question|k)\}\}", "x", url))):
            what = f"what stands there with {secret[0]}" if secret else shown(ascii(url))
            self.conflict((key, f"{what} is no address: http:// or https://, a host and a path; a secret goes into headers"))

    def chunking(self, table: ChunkingConfig) -> None:
        """What the two strategies with keys of their own need."""
        if table.strategy == "small_to_big" and table.child_size > table.size:
            self.conflict(
                ("chunking.child_size", f"{table.child_size} is larger than size ({table.size}), in which children are cut"),
                ("chunking.size", f"{table.size} is smaller than child_size ({table.child_size})"),
            )
        if table.strategy == "semantic" and table.break_at == "absolute" and table.threshold > 2:
            self.conflict(
                ("chunking.threshold", f"{table.threshold:g} is no cosine distance: 0 to 2, such as 0.5"),
                ("chunking.break_at", "absolute needs a chunking.threshold from 0 to 2, such as 0.5"),
            )

    def model(self, table: ModelConfig, name: str, chooser: str, chosen: str) -> None:
        """What the chosen kind of model needs."""
        needed = {"openai": "model", "anthropic": "model", "command": "command"}.get(chosen)
        value = getattr(table, needed) if needed else ()
        if needed and not (value if isinstance(value, str) else "".join(value[:1])).strip():
            self.conflict((f"{name}.{chooser}", f"{chosen} needs {name}.{needed}"), (f"{name}.{needed}", f"{chosen} needs one"))
        self.server(table.base_url, table.api_key_env, name)

    def embedding(self, table: EmbeddingConfig) -> None:
        """What a server of embeddings needs."""
        if table.provider == "openai" and table.model in ("", EmbeddingConfig().model):
            self.conflict(
                ("embedding.provider", "openai needs embedding.model, as the server calls it"),
                ("embedding.model", "embedding.provider = openai needs one, as the server calls it"),
            )
        self.server(table.base_url, table.api_key_env, "embedding")

    def server(self, base_url: str, api_key_env: str, name: str) -> None:
        """Where a table sends something, and which variable holds the key."""
        if base_url:
            self.host(f"{name}.base_url", base_url)
        if api_key_env and not _VARIABLE.fullmatch(api_key_env):  # not shown: some write the key itself there
            says = (
                "the name of an environment variable is needed (letters, digits, _), which holds the key; never the key itself"
            )
            self.conflict((f"{name}.api_key_env", says))

    def host(self, key: str, url: str) -> None:
        """A server's address, without a password or a query."""
        secret = re.search(r"[@?#]", url)  # it goes into every run; nor is it shown here
        if secret or not _URL.fullmatch(url):
            what = f"what stands there with {secret[0]}" if secret else shown(ascii(url))
            says = f"{what} is no address: http:// or https://, a host and a path; a key goes into the variable of api_key_env"
            self.conflict((key, says))

    def conflict(self, *sides: tuple[str, str]) -> None:
        """Two keys that do not go together, each with what is wrong with it: named is the one that somebody has set."""
        overridden = [side for side in sides if side[0] in self.overridden]
        written = [side for side in sides if _line_of(self.text, side[0])]
        key, message = (*overridden, *written, *sides)[0]
        self.problem(key, message, override=bool(overridden))


def _line_of(text: str, key: str) -> int:
    """The line (from 1) where `table.key` is set in TOML text, 0 where that cannot be told."""
    table, _, leaf = key.partition(".")
    current = ""
    for number, line in enumerate(text.splitlines(), start=1):
        if header := re.match(r"\s*\[+\s*([^\]]+?)\s*\]+", line):
            current = header[1]
            if not leaf and current == table:
                return number
        elif (assigned := re.match(r"""\s*["']?([\w.-]+)["']?\s*=""", line)) and (
            (current, assigned[1]) == (table, leaf) or (not current and assigned[1] in (key, table))
        ):
            return number
    return 0

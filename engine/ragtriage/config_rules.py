"""What no single key of a configuration can tell: which go together, and what each choice needs."""

from __future__ import annotations

import json
import re

from ragtriage.config import ChunkingConfig, Config, EmbeddingConfig, ModelConfig, RetrievalConfig
from ragtriage.config_findings import Findings
from ragtriage.config_values import shown

__all__ = ["agree"]

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


def agree(findings: Findings, config: Config) -> None:
    """What no single key can tell."""
    size, overlap, k = config.chunking.size, config.chunking.overlap, config.retrieval.k
    if config.chunking.strategy != "whole" and overlap >= size:
        findings.conflict(
            ("chunking.overlap", f"{overlap} is not smaller than size ({size})"),
            ("chunking.size", f"{size} is not larger than overlap ({overlap})"),
        )
    _chunking(findings, config.chunking)
    for name, value in (("pool", config.retrieval.pool), ("depth", config.retrieval.depth)):
        if value < k:
            findings.conflict(
                (f"retrieval.{name}", f"{value} is smaller than k ({k})"),
                ("retrieval.k", f"{k} is larger than retrieval.{name} ({value}); add --set retrieval.{name}={k}"),
            )

    if config.retrieval.rerank == "command" and not "".join(config.retrieval.rerank_command[:1]).strip():
        findings.conflict(
            ("retrieval.rerank", "command needs retrieval.rerank_command"),
            ("retrieval.rerank_command", "retrieval.rerank = command needs one"),
        )
    _system(findings, config)
    for name in config.run.pass_env:
        if not _VARIABLE.fullmatch(name):
            findings.conflict(("run.pass_env", f"{shown(ascii(name))} is no name of an environment variable"))
    _model(findings, config.answers, "answers", "generator", config.answers.generator)
    _model(findings, config.judge, "judge", "provider", config.judge.provider)
    _embedding(findings, config.embedding)


def _system(findings: Findings, config: Config) -> None:
    """What a retriever that is not ours needs."""
    table, name = config.retrieval, config.retrieval.system
    needed = {"python": "callable", "command": "command", "http": "url", "recorded": "recorded"}.get(name)
    value = getattr(table, needed) if needed else ()
    if needed and not (value if isinstance(value, str) else "".join(value[:1])).strip():
        said = f"{name} needs retrieval.{needed}"
        findings.conflict(("retrieval.system", said), (f"retrieval.{needed}", f"retrieval.system = {name} needs one"))
    if name != "embedded" and table.rerank:
        findings.conflict(
            ("retrieval.rerank", f"reranks what the embedded engine finds; retrieval.system is {name}"),
            ("retrieval.system", f"{name} is not reranked here; leave retrieval.rerank out"),
        )
    for key in ("callable", "answer_callable"):
        found = getattr(table, key)
        if found and not _CALLABLE.fullmatch(found):
            findings.conflict((f"retrieval.{key}", f"{shown(ascii(found))} is not module:name, as in myapp.rag:retrieve"))
    for key in ("url", "answer_url"):
        _address(findings, f"retrieval.{key}", getattr(table, key))
    for header in table.headers:
        if not _HEADER.fullmatch(header):  # not shown: it may hold what is secret
            says = 'one is no header; it looks like "Authorization: Bearer ${NAME}", NAME being an environment variable'
            findings.conflict(("retrieval.headers", says))
        elif _SECRET_HEADER.match(header) and "${" not in header:  # it would stand in every run that is stored
            which = shown(ascii(header.partition(":")[0]))
            says = f"{which} is what a secret goes into: write the name of an environment variable, ${{NAME}}, not the secret"
            findings.conflict(("retrieval.headers", says))
    for key in ("request", "answer_request"):
        if (found := getattr(table, key)) and not _is_json(found):
            findings.conflict((f"retrieval.{key}", 'it is not JSON; it looks like {"query": "{{question}}", "top": "{{k}}"}'))
    _qdrant(findings, table)
    if config.answers.generator == "system":
        _own_generator(findings, table)


def _qdrant(findings: Findings, table: RetrievalConfig) -> None:
    """What a Qdrant cluster needs."""
    if table.system == "qdrant":
        for key, value in (("urls", table.urls), ("collection", table.collection.strip())):
            if not value:
                said = f"qdrant needs retrieval.{key}"
                findings.conflict(("retrieval.system", said), (f"retrieval.{key}", "retrieval.system = qdrant needs it"))
        if table.fusion != "rrf":
            findings.conflict(
                ("retrieval.fusion", f"{table.fusion} is the embedded engine's; retrieval.system = qdrant fuses by rrf"),
                ("retrieval.system", f"qdrant fuses by rrf, and retrieval.fusion is {table.fusion}"),
            )
    for url in table.urls:
        _host(findings, "retrieval.urls", url)
    if table.collection and not _COLLECTION.fullmatch(table.collection):
        says = f"{shown(ascii(table.collection))} is no name of a collection: letters, digits, _, - and . are, up to 200"
        findings.conflict(("retrieval.collection", says))
    _server(findings, "", table.api_key_env, "retrieval")


def _own_generator(findings: Findings, table: RetrievalConfig) -> None:
    """Whether the system under test can answer."""
    needed = {"embedded": "", "qdrant": "", "python": "answer_callable", "http": "answer_url"}.get(table.system)
    if needed == "":
        findings.conflict(
            ("answers.generator", f"system is the user's own, and {table.system} answers nothing: see retrieval.system")
        )
    elif needed and not table.own_answers and not getattr(table, needed):
        says = f"system needs retrieval.{needed}, or retrieval.own_answers = true where answers come with the passages"
        findings.conflict(("answers.generator", says))


def _address(findings: Findings, key: str, url: str) -> None:
    """A URL that text is sent to. What is filled in stands behind the host: no question says where it goes."""
    secret = re.search(r"[@#]", url)
    host = re.split(r"[/?]", url.partition("://")[2], maxsplit=1)[0]
    if url and (secret or "{{" in host or not _URL.fullmatch(re.sub(r"\{\{(?:question|k)\}\}", "x", url))):
        what = f"what stands there with {secret[0]}" if secret else _shown(url)
        findings.conflict((key, f"{what} is no address: http:// or https://, a host and a path; a secret goes into headers"))


def _shown(url: str) -> str:
    from ragtriage.secret_texts import hidden_address  # its patterns take longer than all else here

    return shown(ascii(hidden_address(url).replace("…", "...")))


def _chunking(findings: Findings, table: ChunkingConfig) -> None:
    """What the two strategies with keys of their own need."""
    if table.strategy == "small_to_big" and table.child_size > table.size:
        findings.conflict(
            ("chunking.child_size", f"{table.child_size} is larger than size ({table.size}), in which children are cut"),
            ("chunking.size", f"{table.size} is smaller than child_size ({table.child_size})"),
        )
    if table.strategy == "semantic" and table.break_at == "absolute" and table.threshold > 2:
        findings.conflict(
            ("chunking.threshold", f"{table.threshold:g} is no cosine distance: 0 to 2, such as 0.5"),
            ("chunking.break_at", "absolute needs a chunking.threshold from 0 to 2, such as 0.5"),
        )


def _model(findings: Findings, table: ModelConfig, name: str, chooser: str, chosen: str) -> None:
    """What the chosen kind of model needs."""
    needed = {"openai": "model", "anthropic": "model", "command": "command"}.get(chosen)
    value = getattr(table, needed) if needed else ()
    if needed and not (value if isinstance(value, str) else "".join(value[:1])).strip():
        findings.conflict((f"{name}.{chooser}", f"{chosen} needs {name}.{needed}"), (f"{name}.{needed}", f"{chosen} needs one"))
    _server(findings, table.base_url, table.api_key_env, name)


def _embedding(findings: Findings, table: EmbeddingConfig) -> None:
    """What a server of embeddings needs."""
    if table.provider == "openai" and table.model in ("", EmbeddingConfig().model):
        findings.conflict(
            ("embedding.provider", "openai needs embedding.model, as the server calls it"),
            ("embedding.model", "embedding.provider = openai needs one, as the server calls it"),
        )
    _server(findings, table.base_url, table.api_key_env, "embedding")


def _server(findings: Findings, base_url: str, api_key_env: str, name: str) -> None:
    """Where a table sends something, and which variable holds the key."""
    if base_url:
        _host(findings, f"{name}.base_url", base_url)
    if api_key_env and not _VARIABLE.fullmatch(api_key_env):  # not shown: some write the key itself there
        says = "the name of an environment variable is needed (letters, digits, _), which holds the key; never the key itself"
        findings.conflict((f"{name}.api_key_env", says))


def _host(findings: Findings, key: str, url: str) -> None:
    """A server's address, without a password or a query."""
    secret = re.search(r"[@?#]", url)  # it goes into every run; nor is it shown here
    if secret or not _URL.fullmatch(url):
        what = f"what stands there with {secret[0]}" if secret else _shown(url)
        says = f"{what} is no address: http:// or https://, a host and a path; a key goes into the variable of api_key_env"
        findings.conflict((key, says))

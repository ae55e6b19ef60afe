"""What a category, a configuration and the scope of a run are called, each in one line."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ragtriage_tui.figures import some
from ragtriage_tui.model_names import generator_name, is_stand_in, judge_name, system_name
from ragtriage_tui.text import one_line

__all__ = ["cause", "config_name", "scope", "setting"]


def cause(slug: str) -> str:
    """`2 ranked too low`: a category by key and name; an unknown one as it stands."""
    from ragtriage.triage.categories import CATEGORIES

    return next((f"{one.key} {one.name}" for one in CATEGORIES if one.slug == slug), slug)


def config_name(config: Mapping[str, Mapping[str, Any]]) -> str:
    """`hybrid rrf k=5 recursive(size=200,overlap=0)`, and each other key that is not at its default and changes results."""
    retrieval, chunking = config["retrieval"], config["chunking"]
    if (foreign := system_name(config)) and retrieval["system"] != "qdrant":  # which is asked for our chunks, by our modes
        return " ".join([foreign, f"k={retrieval['k']}", *_who(config)])
    mode = f"hybrid {retrieval['fusion']}" if retrieval["mode"] == "hybrid" else retrieval["mode"]
    rerank = f" rerank={one_line(retrieval['rerank'])}" if retrieval.get("rerank") else ""
    size = "" if chunking["strategy"] == "whole" else f"(size={chunking['size']},overlap={chunking['overlap']})"
    ours = f"{mode}{rerank} k={retrieval['k']} {chunking['strategy']}{size}"
    return " ".join([ours, *_other_settings(config), *_who(config)])


def _who(config: Mapping[str, Mapping[str, Any]]) -> list[str]:
    who = [f"answers by {name}"] if (name := generator_name(config)) else []
    return who + ([f"judged by {name}"] if (name := judge_name(config)) else [])


_NAMED = {
    "retrieval": {"mode", "fusion", "k", "rerank", "urls", "api_key_env", "replicas", "shards"},  # by whom, or said apart
    "chunking": {"strategy", "size", "overlap"},
    "embedding": {"device", "batch_size", "offline", "base_url", "api_key_env", "price"},  # they change no vector
    # named, or no matter
    "answers": {"generator", "model", "base_url", "command", "api_key_env", "input_price", "output_price"},
}
_ASKED = {"answers.temperature", "answers.max_tokens", "answers.prompt"}  # of a language model alone


def _other_settings(config: Mapping[str, Mapping[str, Any]]) -> list[str]:
    from ragtriage.config import FOREIGN, ChunkingConfig, Config

    defaults = Config().as_dict()
    mode = config["retrieval"]["mode"]
    embedding = config.get("embedding", {})
    without = {f"embedding.{key}" for key in embedding if key != "tokenizer"} if mode == "bm25" else set()
    without |= set() if mode == "hybrid" else {"retrieval.rrf_k"}
    used = ChunkingConfig(config["chunking"]["strategy"]).used()
    without |= {f"chunking.{key}" for key in config["chunking"] if key not in used}
    without |= _ASKED if is_stand_in(config) else set()
    cluster = config["retrieval"].get("system") == "qdrant"
    without |= set() if cluster else {"retrieval.collection"}
    without |= {f"retrieval.{key}" for key in FOREIGN - {"collection"}}
    shards = [setting("retrieval.shards", config["retrieval"].get("shards", 1))] if cluster else []
    return shards + [
        setting(f"{table}.{key}", value)
        for table, named in _NAMED.items()
        for key, value in config.get(table, {}).items()
        if key not in named and f"{table}.{key}" not in without and value != defaults[table].get(key)
    ]


def setting(key: str, value: Any) -> str:
    """`retrieval.pool=100`, as `--set` takes it."""
    from ragtriage_tui.output import encode_json

    return f"{key}={one_line(value) if isinstance(value, str) else encode_json(value)}"


def scope(manifest: Mapping[str, Any]) -> list[str]:
    """What sets a run apart besides its configuration: which questions, which answers, asked as whom."""
    parts = [] if manifest["split"] == "dev" or manifest.get("only") else [f"split {manifest['split']}"]
    if manifest.get("only"):
        parts.append(f"only {some(manifest['only'], 3)}")
    elif manifest.get("kind"):
        parts.append(f"kind {manifest['kind']}")
    if manifest.get("answers_made", "both") != "both":
        parts.append(f"answers {manifest['answers_made']}")
    if manifest.get("repeat"):
        parts.append(f"repeat {manifest['repeat']}")
    if manifest.get("as") is not None:
        parts.append(f"as {one_line(', '.join(manifest['as'])) or 'the public'}")
    return parts

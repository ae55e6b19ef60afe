"""What a run depends on, as a few digits that change with it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from ragtriage.config import FOREIGN
from ragtriage.ids import fingerprint, sha256_hex
from ragtriage.project_places import NO_MODEL

if TYPE_CHECKING:
    from ragtriage.project import Project

__all__ = ["ENGINE_VERSION", "config_fingerprint", "fingerprints"]

ENGINE_VERSION = 6
"""Counts up whenever the same inputs would be measured differently; part of a run's fingerprints."""

_NO_ANSWER = {"api_key_env", "input_price", "output_price", "prompt"}
"""Keys of `answers` that change no answer; the template counts by its text."""


def fingerprints(project: Project) -> dict[str, str]:
    """What a run depends on: equal fingerprints, equal questions.jsonl."""
    return {
        "corpus": project.corpus.fingerprint,
        "config": config_fingerprint(project),
        "golden": project.golden.fingerprint,
        "engine": str(ENGINE_VERSION),
    }


def config_fingerprint(project: Project) -> str:
    """Identifies what of the configuration a run depends on. No document is read."""
    tables = project.config.as_dict(secrets=True)
    config: dict[str, Any] = {name: tables[name] for name in ("chunking", "retrieval")}
    used = project.config.chunking.used()
    config["chunking"] = {key: value for key, value in tables["chunking"].items() if key in used}
    if project.asker is not None:
        apart = {"fusion", "rrf_k", "rerank", "rerank_command", *FOREIGN}
        config["retrieval"] = {key: value for key, value in tables["retrieval"].items() if key not in apart}
        config["system"] = [project.asker.identity, project.config.retrieval.own_answers]
    elif project.reranker is None:
        apart = {"rerank_command", *FOREIGN}
        config["retrieval"] = {key: value for key, value in tables["retrieval"].items() if key not in apart}
    else:
        config["retrieval"] = {key: value for key, value in tables["retrieval"].items() if key not in FOREIGN}
        config["reranker"] = project.reranker.identity
    config["answers"] = {key: value for key, value in tables["answers"].items() if key not in _NO_ANSWER}
    config["template"] = project.template.name
    config["judge"] = project.judge.identity if project.judge else ""
    embedding = {key: tables["embedding"][key] for key in project.config.embedding.used()}
    asked_as = list(project.groups) if project.groups is not None else None
    return fingerprint([config, embedding, asked_as, *_local_models(project), *_local_tokenizer(project)])


def _local_models(project: Project) -> list[str]:
    """What is in the folders that the configuration names as models: they may be trained again under the same name."""
    from ragtriage.search.model_files import model_fingerprint

    local = project.config.embedding.provider == "local"
    names = (project.embedding.model if local else "", "" if project.rerank in NO_MODEL else project.rerank)
    folders = [folder for name in names if name.strip() and (folder := Path(name)).is_dir()]
    memo = project.cache / "model-hashes.json"
    return [model_fingerprint(folder, project.config.embedding.dtype, memo=memo) for folder in folders]


def _local_tokenizer(project: Project) -> list[str]:
    """What is in the folder that the configuration names for its tokenizer."""
    path = Path(project.embedding.tokenizer or "?") / "tokenizer.json"
    return [sha256_hex(path.read_bytes())] if path.is_file() else []

"""What a configuration would run or send, said so that nothing of it is hidden.

A project's configuration may come with somebody else's repository; `trust` knows what of it the user has agreed to. What is
agreed to is the content as it is shown, so both are made here. The files in the project that a command names belong to the
content: another branch may hold another `./answer.py`. What such a file loads in its turn does not.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ragtriage.config import Config, EmbeddingConfig, ModelConfig, RetrievalConfig
from ragtriage.danger_words import escaped, folder_text, host_of, length, plain, unencrypted, variable
from ragtriage.inside import is_inside
from ragtriage.program_files import program_files
from ragtriage.remote.endpoint import OWN

__all__ = ["BEIR_FILES", "Danger", "documents_outside", "python_names", "settings"]

_VERSION = 1  # of what is hashed: what was agreed to under another one is asked again
_SENT = {
    "answers": "questions and passages", "judge": "questions, passages and answers",
    "embedding": "the texts of the corpus and questions",
}  # fmt: skip
BEIR_FILES = ("queries.jsonl", "corpus.jsonl", "documents.jsonl", "qrels.tsv", "qrels", "answers.jsonl")


@dataclass(frozen=True, slots=True)
class Danger:
    """One thing that a configuration would do.

    `table` is the table of ragtriage.toml that wants it. `sentence` says all of it, in printable ASCII but for the project's
    own folder; `summary` is short, holds no secret, and is what is kept. `digest` identifies the content in this folder.
    `keys` are those of the configuration that make it what it is. `obstacle` says why nobody can agree to it, else "".
    """

    table: str
    sentence: str
    summary: str
    digest: str
    keys: frozenset[str]
    obstacle: str = ""


def settings(project_root: Path, config: Config) -> tuple[Danger, ...]:
    """What this configuration would run or send, agreed to or not. Reads the files in the project that its commands name."""
    root = os.path.realpath(project_root)
    found = (
        _corpus(root, config),
        _model(root, config, "answers", "answers.generator", config.answers.generator, config.answers),
        _model(root, config, "judge", "judge.provider", config.judge.provider, config.judge),
        _reranker(root, config),
        _embedding(root, config),
        *_system(root, config),
        _cluster(root, config),
    )
    return tuple(danger for danger in found if danger is not None)


def documents_outside(project_root: Path, config: Config) -> list[str]:
    """Where documents are read that lie outside the project: the corpus, or a file of a BEIR set that is a link."""
    root = os.path.realpath(project_root)
    folder = Path(root, config.corpus.path)
    places = [folder, *(place / name for place in (folder, Path(root)) for name in BEIR_FILES if (place / name).is_symlink())]
    found = dict.fromkeys(os.path.realpath(place) for place in places)
    return [place for place in found if not is_inside(root, place)]


def _corpus(root: str, config: Config) -> Danger | None:
    """Documents elsewhere on the machine: they would be shown, stored and perhaps sent as if they were the project's."""
    outside = documents_outside(Path(root), config)
    if not outside:
        return None
    said = ", ".join(map(plain, outside))
    sentence = f"corpus: reads the documents in {said}, outside the project{length(said)}"
    digest = _digest(root, "corpus", {"reads": outside})
    return Danger("corpus", sentence, f"reads {escaped(outside[0])[:200]}", digest, frozenset({"corpus.path"}))


def _model(root: str, config: Config, table: str, chooser: str, chosen: str, model: ModelConfig) -> Danger | None:
    if chosen == "command":
        keys = {chooser, f"{table}.command"} | ({f"{table}.api_key_env"} if model.api_key_env else set())
        return _program(root, config, table, keys, model.command, key=model.api_key_env)
    if chosen in OWN:
        return _host(root, config, table, chooser, chosen, model)
    return None


def _embedding(root: str, config: Config) -> Danger | None:
    """The server that is given all texts to embed, in whatever mode: another mode is one option away."""
    table = config.embedding
    if table.provider == "local":
        return None
    return _host(root, config, "embedding", "embedding.provider", table.provider, table)


def _host(root: str, config: Config, table: str, chooser: str, chosen: str, model: ModelConfig | EmbeddingConfig) -> Danger:
    """What goes to a host, with which variable's content: a foreign configuration may name any of either."""
    own_url, own_key = OWN[chosen]
    url, key = model.base_url or own_url, model.api_key_env or own_key
    keys = {chooser}
    keys |= {f"{table}.base_url"} if model.base_url else set()
    keys |= {f"{table}.api_key_env"} if key != own_key else set()
    host = host_of(url)
    shown_key = variable(key)
    sentence = f"{table}: sends {_SENT[table]} to {plain(url)}"
    sentence += f" (the host is {host})" if "@" in url or "\\" in url else ""
    sentence += unencrypted(url)
    sentence += f", with the key in {shown_key}" + length(url)
    corpus = os.path.realpath(Path(root, config.corpus.path))
    outside = "" if is_inside(root, corpus) else corpus
    if outside:  # else a host that is agreed to could be sent, one commit later, what lies elsewhere on the machine
        keys.add("corpus.path")
        what = "texts" if table == "embedding" else "passages"
        sentence += f"; the {what} are from {plain(outside)}, outside the project"
    content = {"sends": chosen, "url": url, "key": key, "corpus": outside}
    return Danger(
        table, sentence, f"sends to {host[:200]}, key in {shown_key[:200]}", _digest(root, table, content), frozenset(keys)
    )


def _reranker(root: str, config: Config) -> Danger | None:
    """The program that is given questions and passages to rerank."""
    retrieval = config.retrieval
    if retrieval.rerank != "command":
        return None
    keys = {"retrieval.rerank", "retrieval.rerank_command"}
    return _program(root, config, "retrieval", keys, retrieval.rerank_command)


def _system(root: str, config: Config) -> list[Danger]:
    """What is run, asked or read where the retriever is not ours."""
    retrieval = config.retrieval
    if retrieval.system == "command":
        return [_program(root, config, "retrieval", {"retrieval.system", "retrieval.command"}, retrieval.command)]
    if retrieval.system == "python":
        keys = {"retrieval.system", "retrieval.callable"}
        keys |= {"retrieval.python"} if retrieval.python != RetrievalConfig().python else set()
        keys |= {"retrieval.answer_callable"} if retrieval.answer_callable else set()
        shown = (retrieval.python, retrieval.callable, *filter(None, [retrieval.answer_callable]))
        return [_program(root, config, "retrieval", keys, shown, named_as=python_names(retrieval))]
    if retrieval.system == "http":
        return [_server(root, config, retrieval)]
    if retrieval.system == "recorded":
        path = os.path.realpath(Path(root, retrieval.recorded))
        if not is_inside(root, path):
            sentence = f"retrieval: reads {plain(path)}, outside the project"
            digest = _digest(root, "retrieval", {"reads": path})
            keys = {"retrieval.system", "retrieval.recorded"}
            return [Danger("retrieval", sentence, f"reads {plain(path)[:200]}", digest, frozenset(keys))]
    return []


def _cluster(root: str, config: Config) -> Danger | None:
    """What goes to a Qdrant cluster: also where the system is another one, since an upload needs no more than its address."""
    retrieval = config.retrieval
    if not retrieval.urls:
        return None
    keys = {"retrieval.urls", "retrieval.collection"} | ({"retrieval.api_key_env"} if retrieval.api_key_env else set())
    shown = ", ".join(f"{plain(url)}{unencrypted(url)}" for url in retrieval.urls)
    sentence = f"retrieval: sends questions, and all passages with `ragtriage index --to qdrant`, to {shown}{length(shown)}"
    sentence += f", collection {plain(retrieval.collection)}, where an upload removes what an older one left"
    sentence += f", with the key in {variable(retrieval.api_key_env)}" if retrieval.api_key_env else ""
    corpus = os.path.realpath(Path(root, config.corpus.path))
    outside = "" if is_inside(root, corpus) else corpus
    if outside:
        keys.add("corpus.path")
        sentence += f"; the passages are from {plain(outside)}, outside the project"
    content = {
        "sends": "qdrant", "urls": list(retrieval.urls), "collection": retrieval.collection, "key": retrieval.api_key_env,
        "corpus": outside,
    }  # fmt: skip
    summary = f"sends to {', '.join(map(host_of, retrieval.urls))[:200]}, collection {plain(retrieval.collection)[:200]}"
    return Danger("retrieval", sentence, summary, _digest(root, "retrieval", content), frozenset(keys))


def python_names(retrieval: RetrievalConfig) -> tuple[str, ...]:
    """A command that names the files which the functions of a python system are in."""
    modules = [name.partition(":")[0] for name in (retrieval.callable, retrieval.answer_callable) if name]
    return (retrieval.python, *(word for module in modules for word in ("-m", module)))


def _server(root: str, config: Config, retrieval: RetrievalConfig) -> Danger:
    """What goes to the user's own server: a foreign configuration may name any address and any variable."""
    secrets = sorted(set(re.findall(r"\$\{([A-Za-z_][A-Za-z0-9_]*)\}", " ".join(retrieval.headers))))
    keys = {"retrieval.system", "retrieval.url"}
    keys |= {f"retrieval.{key}" for key in ("headers", "request", "answer_url", "answer_request") if getattr(retrieval, key)}
    keys |= {"retrieval.method"} if retrieval.method == "GET" else set()
    url = retrieval.url
    sentence = f"retrieval: sends questions by {retrieval.method} to {plain(url)}{unencrypted(url)}"
    sentence += f", as {escaped(retrieval.request)}{length(retrieval.request)}" if retrieval.request else ""
    corpus = os.path.realpath(Path(root, config.corpus.path))
    outside = ""
    if answers := retrieval.answer_url:
        sentence += f"; questions and passages to {plain(answers)}{unencrypted(answers)}"
        sentence += f", as {escaped(retrieval.answer_request)}" if retrieval.answer_request else ""
        if not is_inside(root, corpus):
            outside = corpus
            keys.add("corpus.path")
            sentence += f"; the passages are from {plain(outside)}, outside the project"
    if retrieval.headers:
        shown = "[" + ", ".join(map(escaped, retrieval.headers)) + "]"
        sentence += f"; with the headers {shown}{length(shown)}"
        sentence += f", which hold {', '.join(map(variable, secrets))}" if secrets else ""
    content = {
        "sends": "system", "url": url, "method": retrieval.method, "headers": list(retrieval.headers),
        "request": retrieval.request, "answer_url": answers, "answer_request": retrieval.answer_request, "corpus": outside,
    }  # fmt: skip
    summary = f"sends questions to {host_of(url)[:200]}" + (
        f", with {', '.join(map(variable, secrets))[:200]}" if secrets else ""
    )
    return Danger("retrieval", sentence, summary, _digest(root, "retrieval", content), frozenset(keys))


def _program(
    root: str, config: Config, table: str, keys: set[str], command: tuple[str, ...], *, key: str = "",
    named_as: tuple[str, ...] = (),
) -> Danger:  # fmt: skip
    """What is run, where, as it is now, and which variables it is given beside the usual ones. `named_as` names its files where
    the command does not."""
    files, obstacle, all_told = program_files(root, named_as or command)
    shown = "[" + ", ".join(map(escaped, command)) + "]"
    passed = sorted(set(config.run.pass_env))
    keys = keys | ({"run.pass_env"} if passed else set())
    sentence = f"{table}: runs a program in {folder_text(root)}: {shown}{length(shown)}"
    given = [variable(name) for name in (*([key] if key else []), *passed)]
    sentence += f", with {', '.join(given)} in its environment" if given else ""
    for name, what in files.items():
        sentence += f"; {escaped(name)} is {what}"
    sentence += "" if all_told else "; a shell's command runs files that its words do not tell: not all of them are covered"
    first = escaped(command[0] if command else "")[:200]
    summary = f"runs {first}" + (f" (arguments: {len(command) - 1:,})" if len(command) > 1 else "")
    content: dict[str, Any] = {"runs": list(command), "files": files, "key": key}
    content |= {"passed": passed} if passed else {}
    content |= {} if all_told else {"all told": False}
    return Danger(table, sentence, summary, _digest(root, table, content), frozenset(keys), obstacle)


def _digest(root: str, table: str, content: Mapping[str, Any]) -> str:
    text = json.dumps([_VERSION, root, table, content], sort_keys=True)  # ASCII: names that are no UTF-8 have their own escapes
    return hashlib.sha256(text.encode("ascii")).hexdigest()

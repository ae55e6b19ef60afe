"""What a configuration would run or send, said so that nothing of it is hidden.

A project's configuration may come with somebody else's repository; `trust` knows what of it the user has agreed to. What is
agreed to is the content as it is shown, so both are made here. The files in the project that a command names belong to the
content: another branch may hold another `./answer.py`. What such a file loads in its turn does not.
"""

from __future__ import annotations

import errno
import hashlib
import json
import os
import re
import stat
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from ragtriage.config import Config, EmbeddingConfig, ModelConfig, RetrievalConfig
from ragtriage.programs.modules import module_files
from ragtriage.remote.endpoint import OWN

__all__ = [
    "BEIR_FILES",
    "Danger",
    "documents_outside",
    "escaped",
    "folder_text",
    "is_inside",
    "named",
    "python_names",
    "settings",
]

_VERSION = 1  # of what is hashed: what was agreed to under another one is asked again
_SENT = {
    "answers": "questions and passages", "judge": "questions, passages and answers",
    "embedding": "the texts of the corpus and questions",
}  # fmt: skip
BEIR_FILES = ("queries.jsonl", "corpus.jsonl", "documents.jsonl", "qrels.tsv", "qrels", "answers.jsonl")
_NO_FILE = (errno.ENOENT, errno.ENOTDIR, errno.ELOOP, errno.ENAMETOOLONG)  # a word of a command need not be one
_STARTS = ("__main__.py", "__main__.pyc")  # what Python runs of a folder
_LONG = 1000  # characters from which on the length is said too: the rest may have left the screen


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


def escaped(text: str) -> str:
    """`text` in double quotes as JSON has it, all of it in printable ASCII: no control, no mark that turns the direction of
    text, no letter that only looks like another."""
    return json.dumps(text).replace("\x7f", "\\u007f")


def is_inside(root: str, path: str) -> bool:
    """Whether `path` is `root` or below it; both are as os.path.realpath or os.path.normpath has them."""
    return path == root or path.startswith(root.rstrip(os.sep) + os.sep)


def folder_text(path: str) -> str:
    """A folder of the user's, in the user's letters; escaped where one of them cannot be seen."""
    return path if path.isprintable() and '"' not in path else escaped(path)


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
    said = ", ".join(map(_plain, outside))
    sentence = f"corpus: reads the documents in {said}, outside the project{_length(said)}"
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
    host = _host_of(url)
    shown_key = _variable(key)
    sentence = f"{table}: sends {_SENT[table]} to {_plain(url)}"
    sentence += f" (the host is {host})" if "@" in url or "\\" in url else ""
    sentence += " (not encrypted)" if url.startswith("http://") and not _loopback(host) else ""
    sentence += f", with the key in {shown_key}" + _length(url)
    corpus = os.path.realpath(Path(root, config.corpus.path))
    outside = "" if is_inside(root, corpus) else corpus
    if outside:  # else a host that is agreed to could be sent, one commit later, what lies elsewhere on the machine
        keys.add("corpus.path")
        what = "texts" if table == "embedding" else "passages"
        sentence += f"; the {what} are from {_plain(outside)}, outside the project"
    content = {"sends": chosen, "url": url, "key": key, "corpus": outside}
    return Danger(
        table, sentence, f"sends to {host[:200]}, key in {shown_key[:200]}", _digest(root, table, content), frozenset(keys)
    )


def _host_of(url: str) -> str:
    """`evil.example:8080` of `https://api.openai.com:x@evil.example:8080/v1`."""
    authority = re.split(r"[/?#]", url.partition("://")[2], maxsplit=1)[0]
    host = authority.rpartition("@")[2]
    return host if _is_plain(host) else escaped(host)


def _loopback(host: str) -> bool:
    from ragtriage.remote.wording import is_loopback

    try:
        return is_loopback(urlsplit(f"//{host}").hostname or "")
    except ValueError:
        return False


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
            sentence = f"retrieval: reads {_plain(path)}, outside the project"
            digest = _digest(root, "retrieval", {"reads": path})
            keys = {"retrieval.system", "retrieval.recorded"}
            return [Danger("retrieval", sentence, f"reads {_plain(path)[:200]}", digest, frozenset(keys))]
    return []


def _cluster(root: str, config: Config) -> Danger | None:
    """What goes to a Qdrant cluster: also where the system is another one, since an upload needs no more than its address."""
    retrieval = config.retrieval
    if not retrieval.urls:
        return None
    keys = {"retrieval.urls", "retrieval.collection"} | ({"retrieval.api_key_env"} if retrieval.api_key_env else set())
    shown = ", ".join(f"{_plain(url)}{_clear(url)}" for url in retrieval.urls)
    sentence = f"retrieval: sends questions, and all passages with `ragtriage index --to qdrant`, to {shown}{_length(shown)}"
    sentence += f", collection {_plain(retrieval.collection)}, where an upload removes what an older one left"
    sentence += f", with the key in {_variable(retrieval.api_key_env)}" if retrieval.api_key_env else ""
    corpus = os.path.realpath(Path(root, config.corpus.path))
    outside = "" if is_inside(root, corpus) else corpus
    if outside:
        keys.add("corpus.path")
        sentence += f"; the passages are from {_plain(outside)}, outside the project"
    content = {
        "sends": "qdrant", "urls": list(retrieval.urls), "collection": retrieval.collection, "key": retrieval.api_key_env,
        "corpus": outside,
    }  # fmt: skip
    summary = f"sends to {', '.join(map(_host_of, retrieval.urls))[:200]}, collection {_plain(retrieval.collection)[:200]}"
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
    sentence = f"retrieval: sends questions by {retrieval.method} to {_plain(url)}{_clear(url)}"
    sentence += f", as {escaped(retrieval.request)}{_length(retrieval.request)}" if retrieval.request else ""
    corpus = os.path.realpath(Path(root, config.corpus.path))
    outside = ""
    if answers := retrieval.answer_url:
        sentence += f"; questions and passages to {_plain(answers)}{_clear(answers)}"
        sentence += f", as {escaped(retrieval.answer_request)}" if retrieval.answer_request else ""
        if not is_inside(root, corpus):
            outside = corpus
            keys.add("corpus.path")
            sentence += f"; the passages are from {_plain(outside)}, outside the project"
    if retrieval.headers:
        shown = "[" + ", ".join(map(escaped, retrieval.headers)) + "]"
        sentence += f"; with the headers {shown}{_length(shown)}"
        sentence += f", which hold {', '.join(map(_variable, secrets))}" if secrets else ""
    content = {
        "sends": "system", "url": url, "method": retrieval.method, "headers": list(retrieval.headers),
        "request": retrieval.request, "answer_url": answers, "answer_request": retrieval.answer_request, "corpus": outside,
    }  # fmt: skip
    summary = f"sends questions to {_host_of(url)[:200]}" + (
        f", with {', '.join(map(_variable, secrets))[:200]}" if secrets else ""
    )
    return Danger("retrieval", sentence, summary, _digest(root, "retrieval", content), frozenset(keys))


def _clear(url: str) -> str:
    return " (not encrypted)" if url.startswith("http://") and not _loopback(_host_of(url)) else ""


def _program(
    root: str, config: Config, table: str, keys: set[str], command: tuple[str, ...], *, key: str = "",
    named_as: tuple[str, ...] = (),
) -> Danger:  # fmt: skip
    """What is run, where, as it is now, and which variables it is given beside the usual ones. `named_as` names its files where
    the command does not."""
    files, obstacle = _files(root, named_as or command)
    shown = "[" + ", ".join(map(escaped, command)) + "]"
    passed = sorted(set(config.run.pass_env))
    keys = keys | ({"run.pass_env"} if passed else set())
    sentence = f"{table}: runs a program in {folder_text(root)}: {shown}{_length(shown)}"
    given = [_variable(name) for name in (*([key] if key else []), *passed)]
    sentence += f", with {', '.join(given)} in its environment" if given else ""
    for name, what in files.items():
        sentence += f"; {escaped(name)} is {what}"
    first = escaped(command[0] if command else "")[:200]
    summary = f"runs {first}" + (f" (arguments: {len(command) - 1:,})" if len(command) > 1 else "")
    content: dict[str, Any] = {"runs": list(command), "files": files, "key": key}
    content |= {"passed": passed} if passed else {}
    return Danger(table, sentence, summary, _digest(root, table, content), frozenset(keys), obstacle)


def _files(root: str, command: tuple[str, ...]) -> tuple[dict[str, str], str]:
    """Of each word that names a file in the project what the file is now; and why one cannot be read, "" where all can."""
    names = named(root, command)
    if command and "/" not in command[0]:  # an active environment often lies in the project
        names += [str(place) for place in _on_path(root, command[0])]
    files: dict[str, str] = {}
    obstacle = ""
    for name in names:
        path = Path(root, name)
        real = os.path.realpath(path)
        if not (is_inside(root, os.path.normpath(path)) or is_inside(root, real)):
            continue
        try:
            mode = path.stat().st_mode
            if stat.S_ISDIR(mode) and path.name not in _STARTS:
                names += [f"{name}/{start}" for start in _STARTS]
            if not stat.S_ISREG(mode):
                continue
            if is_inside(root, real):
                with open(os.open(real, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC), "rb") as handle:
                    files[name] = f"sha256 {hashlib.file_digest(handle, 'sha256').hexdigest()}"
            else:  # what it leads to is the machine's; that it leads there is the project's
                files[name] = f"a link to {_plain(real)}"
        except OSError as error:
            if error.errno not in _NO_FILE:
                files[name] = "unreadable"
                obstacle = f"{escaped(name)} cannot be read ({error.strerror}), so nobody can agree to it"
    return files, obstacle


def named(root: str, command: tuple[str, ...]) -> list[str]:
    """What may name a file: each word, what a shell would make of it, and what in `root` Python may take for a module behind
    `-m`, for the packages around it, which run before it does, or for what it runs of a folder."""
    names = [part for word in command for part in (word, word.partition("=")[2], *re.split(r"[\s\"'`;&|<>()=]+", word))]
    modules = [after.replace(".", "/") for word, after in pairwise(command) if word == "-m"]
    modules += [word[2:].replace(".", "/") for word in command if word.startswith("-m")]
    names += module_files(Path(root), modules)
    return [name for name in dict.fromkeys(names) if name]


def _on_path(root: str, program: str) -> list[Path]:
    """Where a program is found that is started in `root` by its bare name; nothing where it is not."""
    places = (Path(root, folder, program) for folder in os.get_exec_path())
    return [place for place in places if os.access(place, os.X_OK) and place.is_file()][:1]


def _digest(root: str, table: str, content: Mapping[str, Any]) -> str:
    text = json.dumps([_VERSION, root, table, content], sort_keys=True)  # ASCII: names that are no UTF-8 have their own escapes
    return hashlib.sha256(text.encode("ascii")).hexdigest()


def _is_plain(text: str) -> bool:
    return re.fullmatch(r"[!-~]+", text) is not None and '"' not in text


def _plain(text: str) -> str:
    """`text` as it stands where all of it is visible, else escaped."""
    return text if _is_plain(text) else escaped(text)


def _variable(name: str) -> str:
    return "$" + (name if re.fullmatch(r"[A-Za-z_][A-Za-z0-9_]*", name) else escaped(name))


def _length(text: str) -> str:
    return f" ({len(text):,} characters)" if len(text) >= _LONG else ""

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

from ragtriage.config import Config, EmbeddingConfig, ModelConfig
from ragtriage.remote.endpoint import OWN

__all__ = ["Danger", "escaped", "folder_text", "is_inside", "named", "settings"]

_VERSION = 1  # of what is hashed: what was agreed to under another one is asked again
_SENT = {
    "answers": "questions and passages", "judge": "questions, passages and answers",
    "embedding": "the texts of the corpus and questions",
}  # fmt: skip
_NO_FILE = (errno.ENOENT, errno.ENOTDIR, errno.ELOOP, errno.ENAMETOOLONG)  # a word of a command need not be one
_START = "__main__.py"  # what Python runs of a folder
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
        _model(root, config, "answers", "answers.generator", config.answers.generator, config.answers),
        _model(root, config, "judge", "judge.provider", config.judge.provider, config.judge),
        _reranker(root, config),
        _embedding(root, config),
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


def _model(root: str, config: Config, table: str, chooser: str, chosen: str, model: ModelConfig) -> Danger | None:
    if chosen == "command":
        keys = {chooser, f"{table}.command"} | ({f"{table}.api_key_env"} if model.api_key_env else set())
        return _program(root, table, keys, model.command, model.api_key_env)
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
    return re.fullmatch(r"(localhost|127(\.\d+){3}|\[::1\])(:\d+)?", host) is not None


def _reranker(root: str, config: Config) -> Danger | None:
    """The program that is given questions and passages to rerank."""
    retrieval = config.retrieval
    if retrieval.rerank != "command":
        return None
    return _program(root, "retrieval", {"retrieval.rerank", "retrieval.rerank_command"}, retrieval.rerank_command)


def _program(root: str, table: str, keys: set[str], command: tuple[str, ...], key: str = "") -> Danger:
    """What is run, where, as it is now, and which variable it is given beside the usual ones."""
    files, obstacle = _files(root, command)
    shown = "[" + ", ".join(map(escaped, command)) + "]"
    sentence = f"{table}: runs a program in {folder_text(root)}: {shown}{_length(shown)}"
    sentence += f", with {_variable(key)} in its environment" if key else ""
    for name, what in files.items():
        sentence += f"; {escaped(name)} is {what}"
    first = escaped(command[0] if command else "")[:200]
    summary = f"runs {first}" + (f" (arguments: {len(command) - 1:,})" if len(command) > 1 else "")
    content = {"runs": list(command), "files": files, "key": key}
    return Danger(table, sentence, summary, _digest(root, table, content), frozenset(keys), obstacle)


def _files(root: str, command: tuple[str, ...]) -> tuple[dict[str, str], str]:
    """Of each word that names a file in the project what the file is now; and why one cannot be read, "" where all can."""
    names = named(command)
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
            if stat.S_ISDIR(mode) and path.name != _START:
                names.append(f"{name}/{_START}")
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


def named(command: tuple[str, ...]) -> list[str]:
    """What may name a file: each word, what a shell would make of it, the module behind `-m`."""
    names = [part for word in command for part in (word, word.partition("=")[2], *re.split(r"[\s\"'`;&|<>()=]+", word))]
    modules = [after.replace(".", "/") for word, after in pairwise(command) if word == "-m"]
    modules += [word[2:].replace(".", "/") for word in command if word.startswith("-m")]
    names += [f"{name}{end}" for name in modules if name for end in (".py", "/__init__.py", f"/{_START}")]
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

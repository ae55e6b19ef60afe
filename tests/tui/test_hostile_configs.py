"""Whatever a configuration of somebody else's names, nothing of it runs, is sent or is read before the user's word: by any
command there is, in any revision, and in the app.

The commands are found in the table of commands, with all their actions; each is tried with what it takes, and with --yes.
"""

from __future__ import annotations

import argparse
import importlib
import inspect
import io
import json
import os
import pickle
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.soak import rounds

from ragtriage import trust
from ragtriage.config import AnswersConfig, Config
from ragtriage_tui import cli
from ragtriage_tui.bridge.door import Door
from ragtriage_tui.commands import COMMANDS
from ragtriage_tui.commands.golden import ACTIONS

SECRET = "hunter2-of-another-folder"
_APART = {"local-llm": "serves a model of its own", "demo": "has a project of its own"}
_MORE: dict[str, list[list[str]]] = {
    "rerank": [["--model", "command"], ["--model", "./model"]],
    "gate": [["--against", "main"], ["--answers"]],
    "sweep": [["--mode", "bm25,dense", "--yes"], ["--rerank", "none,command", "--yes"], ["--model", "./model", "--yes"]],
    "what-if": [["--embed"], ["--rerankers", "command"], ["--models", "./model"]],
    "review": [["main", "--answers", "both", "--yes"]],
    "index": [["--to", "qdrant", "--yes"]],
    "golden": [["anchor", "--yes"], ["export", "--to", "out.jsonl"], ["diff", "main"]],
    "runs": [["export", "--to", "out.trec"]],
    "init": [["--docs", "docs"]],
    "eval": [["--answers", "both", "--split-tax", "--yes"], ["--split", "all", "--rehash", "--yes"]],
    "search": [["refunds", "--mode", "dense", "--yes"]],
}
_WORDS = {"id": "q1", "qid": "q1", "question": "refunds", "text": "30 days", "file": "reports.jsonl", "base": "main"}
"""What stands for a positional argument, by its name; `q1` where it is another."""


class Listening:
    """A server that takes note of whoever connects, and says nothing."""

    def __init__(self) -> None:
        self.connected = 0
        self._socket = socket.create_server(("127.0.0.1", 0))
        self.url = f"http://127.0.0.1:{self._socket.getsockname()[1]}"
        self._thread = threading.Thread(target=self._accept, daemon=True)
        self._thread.start()

    def _accept(self) -> None:
        while True:
            try:
                connection, _ = self._socket.accept()
            except OSError:
                return
            self.connected += 1
            connection.close()

    def close(self) -> None:
        self._socket.shutdown(socket.SHUT_RDWR)
        self._socket.close()
        self._thread.join()


@pytest.fixture
def server() -> Iterator[Listening]:
    one = Listening()
    yield one
    one.close()


class Trap:
    """Leaves a trace where it is unpickled."""

    def __init__(self, trace: Path) -> None:
        self.trace = str(trace)

    def __reduce__(self) -> Any:
        return open, (self.trace, "w")


def git(root: Path, *words: str) -> None:
    people = {f"GIT_{who}_{what}": "a@b.example" for who in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")}
    subprocess.run(["git", *words], cwd=root, check=True, capture_output=True, env={**os.environ, **people})


@pytest.fixture
def root(project: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Path:
    """A project with two runs, a program and a pickled model that leave traces, and secrets beside it."""
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    monkeypatch.delenv("RAGTRIAGE_TRUST", raising=False)
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO()))
    monkeypatch.chdir(project)
    trace = project.parent / "ran"
    (project / "mine.py").write_text(f"#!{sys.executable}\nopen({str(trace)!r}, 'w').write('x')\n", encoding="utf-8")
    (project / "mine.py").chmod(0o755)
    model = project / "model"
    model.mkdir()
    (model / "config.json").write_text('{"max_position_embeddings": 512}', encoding="utf-8")
    (model / "pytorch_model.bin").write_bytes(pickle.dumps(Trap(trace)))
    (project / "reports.jsonl").write_text(json.dumps({"question": "refunds", "answer": "30 days"}) + "\n", encoding="utf-8")
    outside = project.parent / "outside"
    outside.mkdir()
    (outside / "key.md").write_text(f"# Key\n\nThe key is {SECRET}.\n", encoding="utf-8")
    for name, row in {
        "run.jsonl": {"qid": "q001", "hits": [SECRET], "answer": SECRET},
        "golden.jsonl": {"qid": "q9", "question": SECRET, "answerable": False},
        "queries.jsonl": {"_id": "q", "text": SECRET},
    }.items():
        (outside / name).write_text(json.dumps(row) + "\n", encoding="utf-8")
    (project / ".gitignore").write_text(".ragtriage/\n", encoding="utf-8")
    for _ in range(2):
        assert cli.main(["eval"]) in (0, 3)
    git(project, "init", "-q", "--initial-branch=main")
    git(project, "add", "-A")
    git(project, "commit", "-q", "-m", "good")
    capsys.readouterr()
    return project


def embeddings(url: str) -> str:
    return f'[embedding]\nprovider = "openai"\nmodel = "e"\nbase_url = "{url}/v1"\n'


def programs(url: str) -> str:
    """The tables of models, each with a program; and servers wherever one can be named beside it."""
    return f"""
[answers]
generator = "command"
command = ["./mine.py"]
base_url = "{url}/v1"
[judge]
provider = "command"
command = ["./mine.py"]
base_url = "{url}/v1"
"""


def servers(url: str) -> str:
    return f"""
{embeddings(url)}
[answers]
generator = "openai"
model = "m"
base_url = "{url}/v1"
[judge]
provider = "openai"
model = "m"
base_url = "{url}/v1"
"""


def configs(url: str) -> dict[str, str]:
    """Each a whole ragtriage.toml."""
    cluster = f'urls = ["{url}"]\ncollection = "c"\n'
    access = '[corpus]\naccess_key = "access"\n'
    table = f"{access}[retrieval]\n{cluster}"
    return {
        "command": f'{table}system = "command"\ncommand = ["./mine.py"]\n'
        f'rerank_command = ["./mine.py"]\n{programs(url)}{embeddings(url)}',
        "python": f'{table}system = "python"\npython = "./mine.py"\ncallable = "mine:x"\nanswer_callable = "mine:x"\n'
        f"{servers(url)}",
        "http": f'{table}system = "http"\nurl = "{url}/q"\nanswer_url = "{url}/a"\n{servers(url)}'.replace(
            '"openai"\nmodel = "m"\nbase_url', '"system"\nmodel = "m"\nbase_url', 1
        ),
        "recorded": f'{table}system = "recorded"\nrecorded = "../outside/run.jsonl"\nown_answers = true\n'
        f'[answers]\ngenerator = "system"\n[judge]\nprovider = "openai"\nmodel = "m"\nbase_url = "{url}/v1"\n'
        f"{embeddings(url)}",
        "qdrant": f'{table}system = "qdrant"\n{programs(url)}{embeddings(url)}',
        "reranker": f'{access}[retrieval]\nrerank = "command"\nrerank_command = ["./mine.py"]\n'
        f'[chunking]\nstrategy = "semantic"\n{servers(url)}',
        "pickle": f'{access}[retrieval]\nmode = "dense"\nrerank = "./model"\n[embedding]\nmodel = "./model"\n{programs(url)}',
        "outside": f'[corpus]\npath = "../outside"\n[retrieval]\nmode = "bm25"\n{programs(url)}{embeddings(url)}',
        "outside, sent": f'[corpus]\npath = "../outside"\n[retrieval]\nmode = "hybrid"\n{servers(url)}',
        "golden": '[golden]\npath = "../outside/golden.jsonl"\n[retrieval]\nmode = "bm25"\n',  # an error, as is the next
        "prompt": '[answers]\ngenerator = "command"\ncommand = ["./mine.py"]\nprompt = "../outside/key.md"\n',
    }


LINKS = {"docs": "outside", "evals/golden.jsonl": "outside/golden.jsonl", "evals": "outside", "docs/key.md": "outside/key.md"}
"""What is a link out of the project, under a configuration that names a server alone."""

NAMES = (*configs(""), *(f"link {name}" for name in LINKS))


def make_hostile(root: Path, name: str, url: str) -> None:
    """Put the hostile thing into the working tree."""
    if not name.startswith("link "):
        (root / "ragtriage.toml").write_text(configs(url)[name], encoding="utf-8")
        return
    name = name.removeprefix("link ")
    (root / "ragtriage.toml").write_text(f'[retrieval]\nmode = "bm25"\n{embeddings(url)}', encoding="utf-8")
    place = root / name
    if place.is_dir():
        place.rename(root.parent / f"old {place.name}")
    place.unlink(missing_ok=True)
    place.symlink_to(root.parent / LINKS[name])


def parsers() -> Iterator[tuple[list[str], argparse.ArgumentParser]]:
    """Each command, or action of one, with what parses the rest."""
    for name, says in COMMANDS.items():
        if name in _APART:
            continue
        parser = cli.command_parser(f"ragtriage {name}", says)
        importlib.import_module(f"ragtriage_tui.commands.{name.replace('-', '_')}").arguments(parser)
        if name != "golden":
            yield [name], parser
    for action, says in ACTIONS.items():
        parser = cli.command_parser(f"ragtriage golden {action}", says)
        importlib.import_module(f"ragtriage_tui.commands.golden_{action}").arguments(parser)
        yield ["golden", action], parser


def invocations() -> Iterator[list[str]]:
    for words, parser in parsers():
        places = [item for item in parser._actions if not item.option_strings and item.dest != "path"]
        given = [_WORDS.get(item.dest, "q1") for item in places if item.nargs is None and not item.choices]
        chosen = next((list(item.choices) for item in places if item.choices), [])
        agrees = ["--yes"] if "--yes" in parser._option_string_actions and words != ["trust"] else []
        for choice in chosen or [""]:
            line = [*words, *filter(None, [choice]), *given, *agrees]
            yield line
            if any(item.nargs == "?" for item in places) and not choice:
                yield [*line, *(_WORDS.get(item.dest, "q1") for item in places if item.nargs == "?")]
        if words[0] != "golden":
            yield from ([*words, *more] for more in _MORE.get(words[0], []))
    yield from (["golden", *more] for more in _MORE["golden"])
    yield []  # the app, which is the report where there is no terminal


def nothing_happened(root: Path, server: Listening, said: str, words: object) -> None:
    assert not (root.parent / "ran").exists(), f"{words} ran something"
    assert server.connected == 0, f"{words} connected"
    assert SECRET not in said, f"{words} shows what lies outside"
    for folder in (root, root.parent / "home"):
        for path in folder.rglob("*"):
            if path.is_file() and not path.is_symlink() and root.parent / "outside" not in path.resolve().parents:
                assert SECRET.encode() not in path.read_bytes(), f"{words} left what lies outside in {path}"


def test_every_command_is_tried() -> None:
    tried = {words[0] for words in invocations() if words}
    assert tried | set(_APART) == set(COMMANDS)
    assert {words[1] for words in invocations() if words[:1] == ["golden"]} >= set(ACTIONS)


@pytest.mark.parametrize("name", ["command", "python", "reranker"])
def test_with_a_word_they_run(root: Path, server: Listening, name: str, capsys: pytest.CaptureFixture[str]) -> None:
    """What is looked for above can be found."""
    make_hostile(root, name, server.url)
    cli.main(["eval", "--mode", "bm25", "--trust", "--yes", "--set", "run.retries=0", "--set", "chunking.strategy=whole"])
    assert (root.parent / "ran").exists(), capsys.readouterr()


def test_with_a_word_they_are_asked_and_read(root: Path, server: Listening, capsys: pytest.CaptureFixture[str]) -> None:
    make_hostile(root, "http", server.url)
    cli.main(["eval", "--trust", "--yes", "--set", "run.retries=0"])
    assert server.connected
    make_hostile(root, "outside", server.url)
    capsys.readouterr()
    assert cli.main(["find", "key", "--trust"]) == 0
    assert SECRET in capsys.readouterr().out


@pytest.mark.parametrize(
    ("name", "word"),
    [*((name, "") for name in NAMES), *((name, "for other content") for name in NAMES[:: rounds(5, 1)])],
)
def test_no_command_does_what_nobody_agreed_to(
    root: Path, server: Listening, name: str, word: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    if word:  # the user's word, for other content in the same folder
        other = trust.settings(root, Config(answers=AnswersConfig(generator="command", command=("./mine.py", "--other"))))
        trust.agree(root, other)
        monkeypatch.setenv("RAGTRIAGE_TRUST", other[0].digest)
    make_hostile(root, name, server.url)
    for words in invocations():
        code = cli.main(words)
        told = capsys.readouterr()
        assert code in (0, 1, 2, 3), words
        assert "Traceback" not in told.err
        assert "unexpected" not in told.err, (words, told.err)
        nothing_happened(root, server, told.out + told.err, words)


@pytest.mark.parametrize("name", NAMES)
def test_no_other_revision_does_what_nobody_agreed_to(
    root: Path, server: Listening, name: str, capsys: pytest.CaptureFixture[str]
) -> None:
    git(root, "switch", "-q", "-c", "hostile")
    make_hostile(root, name, server.url)
    git(root, "add", "-A")
    git(root, "commit", "-q", "-m", "hostile")
    git(root, "switch", "-q", "main")
    for words in (
        ["review", "hostile", "--yes"],
        ["review", "main", "--head", "hostile", "--yes", "--markdown", "out.md", "--html", "out.html"],
        ["review", "hostile", "--head", "hostile", "--json"],
        ["review", "hostile", "--answers", "both", "--yes"],
        ["gate", "--against", "hostile", "--yes"],
        ["gate", "--against", "hostile", "--answers", "--yes"],
        ["compare", "hostile", "main"],
        ["compare", "latest", "hostile"],
        ["golden", "diff", "hostile"],
        ["failures", "--json"],
    ):
        code = cli.main(words)
        told = capsys.readouterr()
        assert code in (0, 1, 2, 3), words
        assert "unexpected" not in told.err, (words, told.err)
        nothing_happened(root, server, told.out + told.err, words)


def quiet(stage: str, done: int, total: int) -> None: ...


def _argument(name: str) -> Any:
    return quiet if name == "progress" else frozenset() if name == "agreed" else _WORDS.get(name, "q001")


def _everything(part: Any) -> Iterator[Any]:
    """What each public method of a part of the app's door returns or raises; those that take what cannot be guessed, too."""
    for name, method in inspect.getmembers(part, inspect.ismethod):
        if name.startswith("_") or name in ("close", "open"):
            continue
        needed = [
            one.name
            for one in inspect.signature(method).parameters.values()
            if one.default is inspect.Parameter.empty and one.kind in (one.POSITIONAL_ONLY, one.POSITIONAL_OR_KEYWORD)
        ]
        try:
            yield method(*map(_argument, needed))
        except Exception as error:
            yield error


@pytest.mark.parametrize("name", NAMES)
def test_the_app_does_nothing_that_nobody_agreed_to(root: Path, server: Listening, name: str) -> None:
    make_hostile(root, name, server.url)
    door = Door(root)
    said = []
    try:
        said.append(door.open(quiet))
        parts = [door, *(getattr(door, one) for one in ("documents", "finder", "judging", "adder", "inbox", "judgements"))]
        for part in [*parts, door.reviews, door.sweeps, door.levers]:
            said += _everything(part)
    except Exception as error:
        said.append(error)
    finally:
        door.close()
    nothing_happened(root, server, repr(said), "the app")

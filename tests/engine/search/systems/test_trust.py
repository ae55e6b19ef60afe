"""Nothing of a configuration runs, is sent or is read before the user has agreed to it, in this folder and as it is."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from ragtriage import trust
from ragtriage.config import Config, CorpusConfig, RetrievalConfig, RunConfig
from ragtriage.config_file import load_config
from ragtriage.errors import ConfigError, Untrusted
from ragtriage.measure.evaluate import evaluate
from ragtriage.project import Project

Opened = Callable[..., Project]


def of(**table: Any) -> Config:
    return Config(retrieval=RetrievalConfig(**table))


def sentence(root: Path, config: Config) -> str:
    (danger,) = [one for one in trust.settings(root, config) if one.table != "corpus"]
    assert danger.table == "retrieval"
    return danger.sentence


def test_what_is_said(root: Path) -> None:
    (root / "mine.py").write_text("x = 1\n", encoding="utf-8")
    said = sentence(root, of(system="python", python="python3", callable="mine:retrieve"))
    assert f'runs a program in {root}: ["python3", "mine:retrieve"]; "mine.py" is sha256 ' in said
    assert "retrieval: runs a program in" in sentence(root, of(system="command", command=("./r", "--x")))
    said = sentence(
        root, of(system="http", url="http://search.example/q", headers=("Authorization: Bearer ${TOKEN}",), request='"x"')
    )
    assert said == (
        'retrieval: sends questions by POST to http://search.example/q (not encrypted), as "\\"x\\""; with the headers'
        ' ["Authorization: Bearer ${TOKEN}"], which hold $TOKEN'
    )
    outside = Config(
        corpus=CorpusConfig(path="../elsewhere"),
        retrieval=RetrievalConfig(system="http", url="https://a.example/", answer_url="https://b.example/"),
    )
    assert sentence(root, outside).endswith(
        f"questions and passages to https://b.example/; the passages are from {root.parent / 'elsewhere'}, outside the project"
    )
    assert sentence(root, of(system="recorded", recorded="../run.trec")) == (
        f"retrieval: reads {root.parent / 'run.trec'}, outside the project"
    )
    assert trust.settings(root, of(system="recorded", recorded="evals/run.trec")) == ()
    passed = Config(retrieval=RetrievalConfig(system="command", command=("r",)), run=RunConfig(pass_env=("B", "A")))
    assert ", with $A, $B in its environment" in sentence(root, passed)


@pytest.mark.parametrize(
    "change",
    [
        {"url": "https://other.example/"},
        {"headers": ("X: ${HOME}",)},
        {"request": '{"q": "{{question}}"}'},
        {"answer_url": "https://a.example/2"},
        {"method": "GET"},
    ],
)
def test_what_is_agreed_to_is_what_was_shown(root: Path, change: dict[str, Any]) -> None:
    table: dict[str, Any] = {"system": "http", "url": "https://a.example/"}
    trust.agree(root, trust.settings(root, of(**table)))
    trust.require(root, of(**table))
    with pytest.raises(Untrusted):
        trust.require(root, of(**table | change))


def test_an_edited_function_needs_a_new_word(root: Path) -> None:
    config = of(system="python", callable="app.rag:retrieve")
    (root / "app").mkdir()
    (root / "app" / "rag.py").write_text("x = 1\n", encoding="utf-8")
    trust.agree(root, trust.settings(root, config))
    trust.require(root, config)
    (root / "app" / "rag.py").write_text("x = 2\n", encoding="utf-8")
    with pytest.raises(Untrusted):
        trust.require(root, config)


def marked(root: Path) -> Path:
    """Where each of the systems below would leave a trace if it ran."""
    (root / "mine.py").write_text(f"open({str(root / 'ran')!r}, 'w').write('x')\n", encoding="utf-8")
    return root / "ran"


SYSTEMS = {
    "command": ("retrieval.system=command", f"retrieval.command={json.dumps([sys.executable, 'mine.py'])}"),
    "python": ("retrieval.system=python", f"retrieval.python={sys.executable}", "retrieval.callable=mine:x"),
    "http": ("retrieval.system=http", "retrieval.url=http://127.0.0.1:9/"),
    "recorded": ("retrieval.system=recorded", "retrieval.recorded=../secret.jsonl"),
}


@pytest.mark.parametrize("name", SYSTEMS)
def test_an_evaluation_without_a_word(opened: Opened, root: Path, name: str) -> None:
    ran = marked(root)
    (root.parent / "secret.jsonl").write_text('{"qid": "q1", "hits": ["refunds#1"]}\n', encoding="utf-8")
    with (root / "ragtriage.toml").open("a", encoding="utf-8") as file:
        for setting in SYSTEMS[name]:
            key, _, value = setting.removeprefix("retrieval.").partition("=")
            file.write(f"{key} = {value if value.startswith('[') else json.dumps(value)}\n")
    project = opened(["x"], trusted=False)
    with pytest.raises(Untrusted, match="nothing was run, read or sent"):
        evaluate(project, store=False)
    assert not ran.exists()
    trusted = opened(["x"], trusted=True)
    assert evaluate(trusted, store=False).manifest["system"]["name"] == name


def test_a_link_out_of_the_project_is_outside_it(opened: Opened, root: Path) -> None:
    (root.parent / "secret.jsonl").write_text('{"qid": "q1", "hits": ["refunds#1"]}\n', encoding="utf-8")
    (root / "run.jsonl").symlink_to("../secret.jsonl")
    with (root / "ragtriage.toml").open("a", encoding="utf-8") as file:
        file.write('system = "recorded"\nrecorded = "run.jsonl"\n')
    with pytest.raises(Untrusted, match=r"reads .*/secret\.jsonl, outside the project"):
        evaluate(opened(["x"], trusted=False), store=False)


def git(root: Path, *words: str) -> None:
    names = dict.fromkeys(("GIT_AUTHOR_NAME", "GIT_COMMITTER_NAME"), "somebody")
    mails = dict.fromkeys(("GIT_AUTHOR_EMAIL", "GIT_COMMITTER_EMAIL"), "a@b.example")
    subprocess.run(["git", *words], cwd=root, check=True, capture_output=True, env={**os.environ, **names, **mails})


def test_a_revision_with_a_system_of_its_own(opened: Opened, root: Path) -> None:
    """The base wants to run a program, to send text and to read a file elsewhere: none of it happens, and all of it is said."""
    from ragtriage_tui.cli import main

    ran = marked(root)
    opened(["x"])
    config = (root / "ragtriage.toml").read_text(encoding="utf-8")
    (root.parent / "secret.jsonl").write_text('{"qid": "q1", "hits": ["refunds#1"]}\n', encoding="utf-8")
    (root / "link.jsonl").symlink_to("../secret.jsonl")
    git(root, "init", "-q")
    for name, settings in {**SYSTEMS, "link": ("retrieval.system=recorded", "retrieval.recorded=link.jsonl")}.items():
        lines = [setting.removeprefix("retrieval.").partition("=") for setting in settings]
        more = "".join(f"{key} = {value if value.startswith('[') else json.dumps(value)}\n" for key, _, value in lines)
        (root / "ragtriage.toml").write_text(config + more, encoding="utf-8")
        git(root, "add", "-A")
        git(root, "commit", "-q", "-m", name)
        (root / "ragtriage.toml").write_text(config, encoding="utf-8")
        assert main(["review", "HEAD", "-C", str(root), "--answers", "none"]) == 2
        assert not ran.exists()


@pytest.mark.parametrize(
    ("lines", "message"),
    [
        ('system = "python"', "retrieval.system: python needs retrieval.callable"),
        ('system = "command"\ncommand = []', "retrieval.system: command needs retrieval.command"),
        ('system = "python"\ncallable = "x.y"', "retrieval.callable: 'x.y' is not module:name, as in myapp.rag:retrieve"),
        ('system = "http"\nurl = "ftp://x"', "retrieval.url: 'ftp://x' is no address: http:// or https://, a host and a path"),
        ('system = "http"\nurl = "https://u:s3cret@x/"', "retrieval.url: what stands there with @ is no address"),
        ('system = "http"\nurl = "https://x/"\nheaders = ["s3cret"]', "retrieval.headers: one is no header"),
        ('system = "http"\nurl = "https://{{question}}/"', "retrieval.url: 'https://{{question}}/' is no address"),
        ('system = "http"\nurl = "https://x:{{k}}?q=/"', "retrieval.url: 'https://x:{{k}}?q=...' is no address"),
        (
            'system = "http"\nurl = "https://x/"\nheaders = ["Authorization: Bearer s3cret"]',
            "retrieval.headers: 'Authorization' is what a secret goes into: write the name of an environment variable, ${NAME}",
        ),
        ('system = "http"\nurl = "https://x/"\nheaders = ["X-Api-Key: s3cret"]', "retrieval.headers: 'X-Api-Key' is what"),
        ('system = "http"\nurl = "https://x/"\nrequest = "{"', "retrieval.request: it is not JSON"),
        ('system = "http"\nurl = "https://x/"\nrerank = "lexical"', "retrieval.rerank: reranks what the embedded engine finds"),
        ('[answers]\ngenerator = "system"', "answers.generator: system is the user's own, and embedded answers nothing"),
        (
            'system = "python"\ncallable = "a:b"\n[answers]\ngenerator = "system"',
            "answers.generator: system needs retrieval.answer_callable, or retrieval.own_answers = true",
        ),
        ('[run]\npass_env = ["A B"]', "run.pass_env: 'A B' is no name of an environment variable"),
    ],
)
def test_settings_that_do_not_go_together(tmp_path: Path, lines: str, message: str) -> None:
    file = tmp_path / "ragtriage.toml"
    file.write_text(f"[retrieval]\n{lines}\n", encoding="utf-8")
    with pytest.raises(ConfigError) as caught:
        load_config(file)
    assert message in str(caught.value)
    assert "s3cret" not in str(caught.value)

"""What looks like a secret in a configuration is kept and shown nowhere; what it is agreed to by, and what is sent, has it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from ragtriage import trust
from ragtriage.config import AnswersConfig, Config, JudgeConfig, RetrievalConfig
from ragtriage.config_file import load_config
from ragtriage.errors import ConfigError
from ragtriage.names import endpoint_name, model_name
from ragtriage.remote.endpoint import Endpoint
from ragtriage.secret_texts import (
    address_secrets,
    command_secrets,
    hidden_address,
    hidden_command,
    hidden_tables,
    is_secret_name,
    secret_keys,
)

MADE = "AIza" + "B7" * 17 + "c"
TOKEN = "[token]"


@pytest.mark.parametrize("name", ["--api-key", "OPENAI_API_KEY", "accessToken", "-token", "X-Api-Key", "password", "DB_PWD"])
def test_names_of_secrets(name: str) -> None:
    assert is_secret_name(name)


@pytest.mark.parametrize("name", ["--max-tokens", "--sort-key", "key", "tokenizer", "--token-limit", "", "-", "keyboard"])
def test_names_of_other_things(name: str) -> None:
    assert not is_secret_name(name)


@pytest.mark.parametrize(
    ("words", "shown"),
    [
        (["./gen", "--flag", "x.py", "--max-tokens", "500"], ["./gen", "--flag", "x.py", "--max-tokens", "500"]),
        (["./gen", "--token", "s3cret", "-v"], ["./gen", "--token", TOKEN, "-v"]),
        (["./gen", "--api-key=s3cret"], ["./gen", f"--api-key={TOKEN}"]),
        (["./gen", "--token", "--verbose"], ["./gen", "--token", "--verbose"]),
        (["env", "API_KEY=s3cret", "gen"], ["env", f"API_KEY={TOKEN}", "gen"]),
        (["curl", "-u", "me:s3cret"], ["curl", "-u", f"me:{TOKEN}"]),
        (["curl", "-H", "Authorization: Bearer s3cret"], ["curl", "-H", f"Authorization: Bearer {TOKEN}"]),
        (["gen", "https://me:s3cret@host/a?key=s3cret&q=x"], ["gen", "https://host/a?key=…&q=…"]),
        (["gen", MADE], ["gen", TOKEN]),
        (["sh", "-c", "PASSWORD='s3 cret' gen --token s3cret | x"], ["sh", "-c", f"PASSWORD={TOKEN} gen --token {TOKEN} | x"]),
        (["sh", "-c", "gen -H 'X-Api-Key: s3cret' y"], ["sh", "-c", f"gen -H 'X-Api-Key: {TOKEN}' y"]),
        (["sh", "-c", "gen -H'X-Api-Key: s3cret' y"], ["sh", "-c", f"gen -H'X-Api-Key: {TOKEN}' y"]),
        (["sh", "-c", 'gen "--token=s3cret" y'], ["sh", "-c", f'gen "--token={TOKEN}" y']),
        (["sh", "-c", 'gen -H "Authorization: Bearer s3cret"'], ["sh", "-c", f'gen -H "Authorization: Bearer {TOKEN}"']),
        (["sh", "-c", "gen --token 's3cret' y"], ["sh", "-c", f"gen --token {TOKEN} y"]),
        (["sh", "-c", 'gen --token "$TOKEN"'], ["sh", "-c", 'gen --token "$TOKEN"']),
        ([], []),
        ([""], [""]),
        (["'", "\"'", "' '", " "], ["'", "\"'", "' '", " "]),
    ],
)
def test_a_command(words: list[str], shown: list[str]) -> None:
    assert hidden_command(words) == shown
    assert hidden_command(shown) == shown or TOKEN in " ".join(shown)
    assert bool(command_secrets(words)) is (words != shown)


@pytest.mark.parametrize(
    ("url", "shown"),
    [
        ("http://127.0.0.1:80/q", "http://127.0.0.1:80/q"),
        ("https://me:s3cret@h.example/q", "https://h.example/q"),
        ("https://h.example/q?key=s3cret&q={{question}}&k={{k}}", "https://h.example/q?key=…&q={{question}}&k={{k}}"),
        ("https://h.example/q?s3cret", "https://h.example/q?…"),
        (f"https://h.example/{MADE}/q#s3cret", f"https://h.example/{TOKEN}/q#…"),
        ("https://h.example?a=http://u:p@x", "https://h.example?a=…"),
        ("?", "?"),
        ("", ""),
    ],
)
def test_an_address(url: str, shown: str) -> None:
    assert hidden_address(url) == shown
    assert hidden_address(shown) == shown
    assert all(len(one) > 0 and one in url for one in address_secrets(url))


def configured() -> Config:
    program = ("./gen", "--token", "s3cret")
    return Config(
        retrieval=RetrievalConfig(
            system="http", url="https://h.example/?key=s3cret", answer_url="https://h.example/?key=s3cret", command=program,
            rerank_command=program, urls=("http://u:s3cret@h",), headers=("Authorization: Bearer s3cret", "X-A: ${B}"),
            request='{"q": "{{question}}", "api_key": "s3cret"}', answer_request='{"token": "{{question}}"}',
        ),
        answers=AnswersConfig(generator="command", command=program, base_url="http://u:s3cret@h"),
        judge=JudgeConfig(provider="command", command=program, base_url="http://u:s3cret@h"),
    )  # fmt: skip


def test_a_configuration_is_kept_without_and_compared_with_its_secrets() -> None:
    config = configured()
    kept = json.dumps(config.as_dict())
    assert "s3cret" not in kept
    assert "${B}" in kept
    assert '"{\\"token\\": \\"{{question}}\\"}"' in kept
    assert json.dumps(config.as_dict(secrets=True)).count("s3cret") == 11
    assert Config().as_dict() == Config().as_dict(secrets=True) == hidden_tables(Config().as_dict())


@pytest.mark.parametrize(
    ("key", "value", "found"),
    [
        ("command", ["./gen", "--token", "s3cret"], True),
        ("command", ["./gen", "--max-tokens", "500"], False),
        ("url", "https://host/a?key=s3cret&q={{question}}", True),
        ("url", "https://host/a?q=s3cret", False),
        ("headers", [f"X-Ref: {MADE}"], True),
        ("headers", ["Authorization: Bearer ${SEARCH_TOKEN}", "Accept: text/plain"], False),
        ("request", '{"query": "{{question}}", "api_key": "s3cret"}', True),
        ("answer_request", f'{{"ref": "{MADE}"}}', True),
        ("request", '{"query":   "{{question}}", "token": "{{k}}"}', False),
        ("request", "", False),
    ],
)
def test_settings_that_hold_one_are_named(key: str, value: Any, found: bool) -> None:
    assert secret_keys({"retrieval": {key: value}, "gate": {}}) == ([f"retrieval.{key}"] if found else [])


def test_what_is_agreed_to_is_shown_and_compared_whole(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RAGTRIAGE_HOME", str(tmp_path / "home"))
    config = configured()
    root = tmp_path / "project"
    root.mkdir()
    found = trust.settings(root, config)
    assert all("s3cret" in one.sentence for one in found)
    trust.agree(root, found)
    assert not trust.untrusted(root, config)
    other = Config(answers=AnswersConfig(generator="command", command=("./gen", "--token", "other")))
    assert trust.untrusted(root, other)
    assert "s3cret" not in trust.trust_file().read_text(encoding="utf-8")


def test_a_model_is_named_without_the_secrets_of_its_command() -> None:
    one = Endpoint("command", command=("./gen", "--token", "s3cret"))
    assert one.shown == "command(command=('./gen', '--token', '[token]'))"
    assert "s3cret" in one.spec
    assert endpoint_name(Endpoint("command", command=("curl", "http://u:s3cret@h/"))) == "the program curl http://h/"
    assert model_name({"command": ["curl", "http://u:s3cret@h/"]}, "command") == "the program curl http://h/"
    assert Endpoint("openai", model="m").shown == "openai(model=m)"


@pytest.mark.parametrize("value", ["https://h x/?key=s3cret", "ftp://h/?key=s3cret", "https://me:s3cret@h/", "s3cret@h?s3cret"])
@pytest.mark.parametrize("key", ["retrieval.url", "answers.base_url", "judge.base_url", "embedding.base_url"])
def test_an_error_does_not_show_them(key: str, value: Any) -> None:
    with pytest.raises(ConfigError, match="is no address") as caught:
        load_config(None, [f"{key}={json.dumps(value)}"])
    assert "s3cret" not in str(caught.value)

"""What a program or a server says when it fails is kept and shown without secrets, and stays readable otherwise."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from urllib.parse import quote

import pytest

from ragtriage.measure.evaluate import evaluate
from ragtriage.programs.words import clipped
from ragtriage.project import Project
from ragtriage.secret_texts import hidden_text

T = "[token]"


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("401: token=sk-proj-abc, part B-12", f"401: token={T}, part B-12"),
        ("login failed (password: hunter2)", f"login failed (password: {T})"),
        ("{'api_key': 'hunter2', 'part': 'B-12'}", f"{{'api_key': '{T}', 'part': 'B-12'}}"),
        (r"{\"token\": \"hun ter2\", \"k\": 5}", rf"{{\"token\": \"{T}\", \"k\": 5}}"),
        ("Authorization: Bearer hunter2", f"Authorization: Bearer {T}"),
        ("PGPASSWORD=hunter2 is wrong", f"PGPASSWORD={T} is wrong"),
        ("GET https://u:pw@h/?api_key=abc&part=B-12 failed", f"GET https://{T}@h/?api_key={T}&part=B-12 failed"),
        ("postgres://u:p/w#1@db:5432/shop", f"postgres://{T}@db:5432/shop"),
        ("https://h/a?key=abc&page=2", f"https://h/a?key={T}&page=2"),
        ("AKIAIOSFODNN7EXAMPLE has no rights", f"{T} has no rights"),
        ("error: token=hunter2", f"error: token={T}"),
    ],
)
def test_what_looks_secret_is_left_out(text: str, shown: str) -> None:
    assert hidden_text(text) == shown == hidden_text(shown) == clipped(text)


@pytest.mark.parametrize(
    "text",
    [
        "ERR_4021: part XK-2041-B7 is not in /srv/data/parts/2024-11/index.db (line 17)",
        "KeyError: 'refunds#1'",
        "request id: req_01HV7Z6Q8K2M, trace 4bf92f3577b34da6a3ce929d0e0e4736",
        "http://127.0.0.1:8080/v1/search?q=refund&page=2 answers 503",
        "http://host:8080/a@b and mail me@host.example",
        "max_tokens: 4096 is more than 2048; sort_key=price",
        "SyntaxError: unexpected token: end of file",
        "password: incorrect; token: expired; auth: none",
        "myapp.token:retrieve is a class",
        "",
    ],
)
def test_ordinary_errors_stay_as_they_are(text: str) -> None:
    assert hidden_text(text) == text == clipped(text)


def test_a_hostile_text_takes_no_time() -> None:
    for text in ("a" * 20_000, "a://" * 5_000, "token=" * 3_000, 'token: "' * 3_000, "x" * 79 + ":" * 10_000):
        hidden_text(text)


SAYS = """
import json, os, sys
from urllib.parse import quote_plus
for line in sys.stdin:
    values = [os.environ[name] for name in ("SLACK_PAT", "DATABASE_URL")]
    said = " ".join([*values, *map(quote_plus, values), "ERR_4021 hunter-3/x"])
    if sys.argv[1] == "error":
        print(json.dumps({"error": said}), flush=True)
    else:
        sys.stderr.write(said); sys.stderr.flush(); raise SystemExit(3)
"""


@pytest.mark.parametrize("how", ["error", "stderr"])
@pytest.mark.parametrize(
    "settings",
    [("retrieval.system=command", "retrieval.command={}"), ("answers.generator=command", "answers.command={}")],
)
def test_variables_that_a_program_is_given_are_not_told(
    opened: Callable[..., Project], monkeypatch: pytest.MonkeyPatch, settings: tuple[str, ...], how: str
) -> None:
    values = {"SLACK_PAT": "pat one+two", "DATABASE_URL": "db://me:hunter-3%2Fx@db/shop"}
    for name, value in values.items():
        monkeypatch.setenv(name, value)
    command = json.dumps([sys.executable, "-c", SAYS, how])
    names = f"run.pass_env={json.dumps(list(values))}"
    project = opened(["how long"], "run.retries=0", names, *(setting.format(command) for setting in settings))
    lines = b"".join(evaluate(project, ask=lambda _: None).lines).decode()
    assert "ERR_4021" in lines
    for value in (*values.values(), *map(quote, values.values()), "pat+one", "hunter-3"):
        assert value not in lines

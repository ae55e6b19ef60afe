"""Keys of a configuration that do not go together, and what each choice needs."""

from __future__ import annotations

import dataclasses
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragtriage.config import Config
from ragtriage.config_findings import Findings
from ragtriage.config_rules import agree

KEY = "sk-1234567890abcdefghij"


def problems(settings: dict[str, Any], text: str = "", overridden: tuple[str, ...] = ()) -> list[tuple[str, str]]:
    config = Config()
    for key, value in settings.items():
        table, _, leaf = key.partition(".")
        config = dataclasses.replace(config, **{table: dataclasses.replace(getattr(config, table), **{leaf: value})})
    findings = Findings("ragtriage.toml", text)
    findings.overridden |= set(overridden)
    agree(findings, config)
    return [(problem.key, problem.message) for problem in findings.problems]


@pytest.mark.parametrize(
    "settings",
    [
        {},
        {"chunking.strategy": "whole", "chunking.size": 10, "chunking.overlap": 10},
        {"retrieval.system": "http", "retrieval.url": "https://h.example/q?text={{question}}&k={{k}}"},
        {"retrieval.system": "python", "retrieval.callable": "myapp.rag:Search.retrieve"},
        {"retrieval.headers": ("Authorization: Bearer ${TOKEN}", "Accept: text/plain")},
        {"retrieval.system": "http", "retrieval.url": "http://[::1]:80/", "answers.generator": "system",
         "retrieval.own_answers": True},
        {"retrieval.system": "qdrant", "retrieval.urls": ("http://a:6333",), "retrieval.collection": "docs"},
        {"chunking.strategy": "semantic", "chunking.break_at": "absolute", "chunking.threshold": 2.0},
        {"embedding.provider": "openai", "embedding.model": "own", "embedding.base_url": "http://127.0.0.1:1/v1"},
    ],
)  # fmt: skip
def test_what_goes_together(settings: dict[str, Any]) -> None:
    assert problems(settings) == []


@pytest.mark.parametrize(
    ("settings", "key", "says"),
    [
        ({"chunking.size": 50, "chunking.overlap": 50}, "chunking.overlap", "50 is not smaller than size (50)"),
        ({"retrieval.k": 20, "retrieval.pool": 19}, "retrieval.pool", "19 is smaller than k (20)"),
        ({"retrieval.rerank": "command"}, "retrieval.rerank", "command needs retrieval.rerank_command"),
        ({"retrieval.system": "command", "retrieval.command": (" ",)}, "retrieval.system", "command needs retrieval.command"),
        ({"retrieval.system": "http"}, "retrieval.system", "http needs retrieval.url"),
        ({"retrieval.callable": "rag.retrieve"}, "retrieval.callable", "'rag.retrieve' is not module:name"),
        ({"retrieval.url": "ftp://h.example/"}, "retrieval.url", "is no address"),
        ({"retrieval.url": "https://{{question}}.example/"}, "retrieval.url", "is no address"),
        ({"retrieval.headers": ("no header",)}, "retrieval.headers", "one is no header"),
        ({"retrieval.request": "{"}, "retrieval.request", "it is not JSON"),
        ({"retrieval.system": "qdrant", "retrieval.urls": ("http://a",)}, "retrieval.system", "needs retrieval.collection"),
        ({"retrieval.collection": "a/b"}, "retrieval.collection", "is no name of a collection"),
        ({"answers.generator": "system"}, "answers.generator", "embedded answers nothing"),
        ({"answers.generator": "openai"}, "answers.generator", "openai needs answers.model"),
        ({"judge.provider": "command"}, "judge.provider", "command needs judge.command"),
        ({"embedding.provider": "openai"}, "embedding.provider", "openai needs embedding.model"),
        ({"run.pass_env": ("A", "B C")}, "run.pass_env", "'B C' is no name of an environment variable"),
        ({"chunking.strategy": "small_to_big", "chunking.size": 80, "chunking.overlap": 0, "chunking.child_size": 81},
         "chunking.child_size", "81 is larger than size (80)"),
        ({"chunking.strategy": "semantic", "chunking.break_at": "absolute", "chunking.threshold": 95.0},
         "chunking.threshold", "95 is no cosine distance"),
    ],
)  # fmt: skip
def test_what_does_not(settings: dict[str, Any], key: str, says: str) -> None:
    (found,) = problems(settings)
    assert found[0] == key
    assert says in found[1]


def test_all_problems_are_told_at_once() -> None:
    found = problems({"chunking.overlap": 9_999, "retrieval.depth": 1, "judge.provider": "openai"})
    assert {key for key, _ in found} == {"chunking.overlap", "retrieval.depth", "judge.provider"}


@pytest.mark.parametrize(
    "settings",
    [
        {"retrieval.headers": (f"Authorization: Bearer {KEY}",)},
        {"retrieval.headers": (f"X-Api-Key: {KEY}",)},
        {"retrieval.url": f"https://me:{KEY}@h.example/"},
        {"retrieval.url": f"ftp://h.example/?token={KEY}"},
        {"answers.api_key_env": KEY},
        {"judge.base_url": f"https://h.example/?key={KEY}"},
        {"retrieval.urls": (f"https://{KEY}@h.example",)},
    ],
)
def test_a_secret_is_refused_and_not_shown(settings: dict[str, Any]) -> None:
    (found,) = problems(settings)
    assert found[0] in settings
    assert KEY not in found[1]


def test_named_is_the_side_that_somebody_has_set() -> None:
    settings = {"chunking.size": 50, "chunking.overlap": 60}
    assert problems(settings)[0][0] == "chunking.overlap"
    assert problems(settings, "[chunking]\nsize = 50\n")[0][0] == "chunking.size"
    assert problems(settings, "[chunking]\noverlap = 60\n", overridden=("chunking.size",))[0][0] == "chunking.size"


@given(st.text(max_size=40))
def test_no_text_is_an_address_but_one_with_a_host_in_ascii(text: str) -> None:
    for key in ("retrieval.url", "judge.base_url"):
        if not problems({key: text}):
            assert not text or (text.startswith(("http://", "https://")) and text.isascii() and text.isprintable())

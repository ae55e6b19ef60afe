from __future__ import annotations

from unicodedata import east_asian_width

import pytest

from ragtriage.names import host_of, model_name, system_name


@pytest.mark.parametrize("letter", ["a", "模", "é"])
def test_a_name_is_cut_to_sixty_columns(letter: str) -> None:
    def columns(text: str) -> int:
        return sum(2 if east_asian_width(one) in "WF" else 1 for one in text)

    wide = columns(letter)
    fits = letter * (60 // wide)
    assert model_name({"model": fits}, "openai") == fits
    cut = model_name({"model": fits + letter}, "openai")
    assert cut == letter * ((60 - 1) // wide) + "…"
    assert model_name({"model": " a\n b "}, "openai") == "a b"
    assert model_name({"model": ""}, "openai") == "openai"


def test_names_hold_no_secret() -> None:
    table = {"model": "m", "base_url": "http://me:secret@localhost:8080/v1?key=secret"}
    assert model_name(table, "openai") == "m at localhost:8080"
    assert host_of("api.example.org") == "api.example.org"
    assert model_name({"command": ["curl", "-H", "Token: secret"]}, "command") == "the program curl"
    retrieval = {"system": "http", "url": "http://me:secret@host:1/search?key=secret"}
    assert system_name({"retrieval": retrieval}) == "http host:1"
    assert system_name({"retrieval": {"system": "embedded"}}) == ""


@pytest.mark.parametrize(
    ("address", "host"),
    [
        ("http://localhost:8080/v1", "localhost:8080"), ("https://u:p@host.example/v1?key=1", "host.example"),
        ("api.openai.com", "api.openai.com"), ("http://[::1]:80", "[::1]:80"), ("http://a\\@b", "a"),
    ],
)  # fmt: skip
def test_only_the_host_of_an_address_is_shown(address: str, host: str) -> None:
    assert host_of(address) == host
    assert "u:p" not in model_name({"model": "m", "base_url": address}, "openai")

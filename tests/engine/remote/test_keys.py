"""A key is shown to nobody; an address tells where it leads; a library that is missing is named with its install line."""

from __future__ import annotations

import logging
import sys
import urllib.parse

import pytest
from tests.engine.answers.models.conftest import KEY

from ragtriage.answers.models.opening import open_model
from ragtriage.errors import ConfigError, MissingExtra
from ragtriage.programs.words import clipped, message_of
from ragtriage.remote.endpoint import Endpoint
from ragtriage.remote.keys import PLACEHOLDER, Key, guard_logs, read_key
from ragtriage.remote.wording import address_of, server_words

LOCAL = address_of("http://127.0.0.1:8091/v1")
ELSEWHERE = address_of("https://models.example/v1")


def test_a_key_is_hidden_in_every_form_it_may_come_back_in():
    odd = Key('sk-"a/b+c\\d')
    assert odd.hide(f"{odd.reveal()} {urllib.parse.quote(odd.reveal(), safe='')} " + r"sk-\"a/b+c\\d") == "*** *** ***"
    plain = Key("sk-proj-s3cret")
    for form in (r"\u{:04x}", r"\\u{:04X}", "%{:02x}", "%{:02X}", "&#{};", "&#x{:x};", "&#x00{:X};"):
        assert plain.hide("".join(form.format(ord(letter)) for letter in plain.reveal())) == "***"
    assert plain.hide(r"sk\u002dproj\u002Ds3cret") == plain.hide("sk%2Dproj-s3cret") == "***"
    assert plain.hide("sk-proj-s3cre &#116; 100 %") == "sk-proj-s3cre &#116; 100 %"
    assert repr(odd) == str(odd) == "Key(***)"
    assert Key(KEY).hide(f"{KEY}{KEY}x") == "******x"


@pytest.mark.parametrize("value", ["", "x", "ollama", "EMPTY"])
def test_a_short_key_is_a_word_and_answers_keep_it(value):
    assert Key(value).hide("EMPTY boxes of ollama, x") == "EMPTY boxes of ollama, x"


def test_the_key_comes_from_the_named_variable_or_the_usual_one(monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", "usual-key")
    monkeypatch.setenv("NAMED", " named-key\n")
    assert read_key(Endpoint("openai"), ELSEWHERE).reveal() == "usual-key"
    assert read_key(Endpoint("openai", api_key_env="NAMED"), ELSEWHERE).reveal() == "named-key"
    assert read_key(Endpoint("openai", api_key_env="ABSENT"), LOCAL).reveal() == PLACEHOLDER
    with pytest.raises(ConfigError, match="ABSENT, which is not set"):
        read_key(Endpoint("openai", api_key_env="ABSENT"), ELSEWHERE)


@pytest.mark.parametrize(
    ("url", "host", "loopback"),
    [
        ("http://127.0.0.1:8091/v1", "127.0.0.1:8091", True),
        ("http://127.9.9.9", "127.9.9.9", True),
        ("http://[::1]:80/", "::1:80", True),
        ("http://LocalHost./v1", "localhost.", True),
        ("https://localhost.example/v1", "localhost.example", False),
        ("https://127.0.0.1.example/v1", "127.0.0.1.example", False),
        ("http://192.168.0.4:8000", "192.168.0.4:8000", False),
        ("http://0.0.0.0:8000", "0.0.0.0:8000", False),
    ],
)
def test_this_machine_is_told_from_others(url, host, loopback):
    assert address_of(url) == (url, host, loopback)


def test_what_a_server_said_is_one_short_harmless_line():
    assert clipped("a\n\tb \x1b[2J\u202e\u2028c\ud800 \x00") == "a b [2J c"
    assert len(clipped("word " * 100_000)) <= 240
    assert server_words(b"<style>b{}</style><h1>Not  here</h1>").split() == ["Not", "here"]
    assert message_of([{"error": {"message": "a"}}, {"detail": "b"}, 7]) == "a; b"
    assert message_of({"error": {"code": 1}}) == message_of(None) == ""


def test_what_the_libraries_log_is_hidden_while_they_are_guarded(caplog):
    logger = logging.getLogger("httpcore2.http11")
    with caplog.at_level(logging.DEBUG):
        stop, other = guard_logs(Key(KEY)), guard_logs(Key("another-key-1"))
        try:
            raise ValueError(f"bad {KEY}")
        except ValueError:
            logger.debug("headers %r of %s", [KEY.encode()], "another-key-1", exc_info=True)
        other()
        logger.debug("%d%%", 5)
        stop()
        logger.debug("ended")
    assert KEY not in caplog.text
    assert "headers [b'***'] of ***" in caplog.text
    assert "ValueError: bad ***" in caplog.text
    assert "5%" in caplog.text
    assert logger.filters == []


@pytest.mark.parametrize("provider", ["openai", "anthropic"])
def test_a_missing_library_is_named_with_its_install_line(provider, monkeypatch):
    monkeypatch.setitem(sys.modules, provider, None)
    with pytest.raises(MissingExtra, match=rf"pip install 'ragtriage\[{provider}\]'"):
        open_model(Endpoint(provider, model="m"))

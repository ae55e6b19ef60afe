"""What a Qdrant cluster in a configuration would be sent, and whose word that needs."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.trusting import nothing_agreed, root

from ragtriage.config import Config
from ragtriage.config_file import load_config
from ragtriage.errors import ConfigError, Untrusted
from ragtriage.trust import agree, require, settings, untrusted

__all__ = ["nothing_agreed", "root"]

TOML = """
[retrieval]
system = "qdrant"
urls = ["http://10.0.0.5:6333", "https://other.example"]
collection = "pages"
api_key_env = "CLUSTER_KEY"
shards = 6
"""


def config(root: Path, text: str = TOML, *overrides: str) -> Config:
    (root / "ragtriage.toml").write_text(text, encoding="utf-8")
    return load_config(root / "ragtriage.toml", overrides)


def test_all_that_is_sent_is_said(root: Path) -> None:
    (danger,) = settings(root, config(root))
    assert danger.sentence == (
        "retrieval: sends questions, and all passages with `ragtriage index --to qdrant`, to http://10.0.0.5:6333 (not "
        "encrypted), https://other.example, collection pages, where an upload removes what an older one left, with the key in "
        "$CLUSTER_KEY"
    )
    assert danger.summary == "sends to 10.0.0.5:6333, other.example, collection pages"


def test_nothing_is_sent_without_the_users_word_and_any_change_asks_again(root: Path) -> None:
    with pytest.raises(Untrusted, match=r"10\.0\.0\.5"):
        require(root, config(root), tables=("retrieval",))
    agree(root, settings(root, config(root)))
    require(root, config(root), tables=("retrieval",))
    require(root, config(root, TOML.replace("shards = 6", "shards = 1\nreplicas = 2")))
    for old, new in (("other.example", "evil.example"), ("pages", "others"), ("CLUSTER_KEY", "AWS_SECRET")):
        assert untrusted(root, config(root, TOML.replace(old, new)))
    assert untrusted(root, config(root, TOML + '[corpus]\npath = "/etc"\n'))


def test_this_machine_needs_it_too_and_an_upload_whatever_the_system_is(root: Path) -> None:
    text = '[retrieval]\nurls = ["http://127.0.0.1:6333"]\ncollection = "pages"\n'
    (danger,) = untrusted(root, config(root, text))
    assert "(not encrypted)" not in danger.sentence


def test_what_is_typed_is_the_users_word(root: Path) -> None:
    given = ('retrieval.urls=["http://127.0.0.1:6333"]', "retrieval.collection=pages")
    found = config(root, "", *given)
    assert not untrusted(root, found, typed={"retrieval.urls", "retrieval.collection"})
    assert untrusted(root, found, typed={"retrieval.urls"})


@pytest.mark.parametrize(
    ("line", "says"),
    [
        ("urls = []", "qdrant needs retrieval.urls"),
        ('collection = ""', "qdrant needs retrieval.collection"),
        ('collection = "../x"', "is no name of a collection"),
        ('urls = ["http://key@host"]', "what stands there with @ is no address"),
        ('urls = ["http://host:6333?api-key=1"]', "is no address"),
        ('urls = ["ftp://host"]', "is no address"),
        ('api_key_env = "sk-secret"', "the name of an environment variable is needed"),
        ("shards = 0", "below the smallest allowed value, 1"),
        ("replicas = 1000", "above"),
        ('fusion = "zscore"', "retrieval.system = qdrant fuses by rrf"),
        ('rerank = "lexical"', "retrieval.rerank"),
    ],
)
def test_what_does_not_fit_is_said(root: Path, line: str, says: str) -> None:
    key = line.partition(" =")[0]
    text = "\n".join([row for row in TOML.splitlines() if not row.startswith(f"{key} =")] + [line])
    with pytest.raises(ConfigError) as told:
        config(root, text)
    assert says in str(told.value)
    assert "sk-secret" not in str(told.value)
    assert len(told.value.problems) == 1

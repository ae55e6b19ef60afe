"""What is stored for a chunk, and how words are counted and sent, without a server."""

from __future__ import annotations

import uuid

import numpy as np
import pytest
from tests.engine.search.conftest import TextChunks

from ragtriage.errors import ConfigError
from ragtriage.search.systems.qdrant_points import (
    bm25_options,
    generation_of,
    ids_of,
    mean_length,
    points,
    question_words,
)
from ragtriage.types import Document


def chunks(*rows: tuple[str, str, tuple[str, ...] | None]) -> TextChunks:
    return TextChunks([Document(name, name, text, access=access) for name, text, access in rows])


@pytest.mark.parametrize(
    ("question", "sent"),
    [
        ("How long do I have to send it back?", "long send back"),
        ("what's the customer's refund", "customer refund"),
        ("don't they’ve", "don't they’ve"),
        ("the of and", "the of and"),
        ("ERR_4021 in v1.2.3", "ERR 4021 v1 2 3"),
        ("", ""),
        ("?!", ""),
        ("\ud800 refund", "refund"),
        ("größe 日本語", "größe 日本語"),
    ],
)
def test_an_english_question_loses_its_stop_words(question: str, sent: str) -> None:
    assert question_words(question, "en") == sent


def test_other_questions_are_sent_as_they_are_and_none_without_end() -> None:
    assert question_words("wie lange  habe ich", "de") == "wie lange habe ich"
    assert len(question_words("word " * 100_000, "en").split()) == 1024
    assert len(question_words("wort " * 100_000, "de").split()) == 1024


def test_the_mean_length_is_that_of_the_words() -> None:
    assert mean_length(["one two three", "one-two three_four don't"], "en") == round((3 + 6) / 2)
    assert mean_length([], "en") == 1.0
    assert mean_length(["?"], "en") == 1.0
    assert mean_length(["日本語の文章", "ab cd"], "ja") == round((3 + 2) / 2)


def test_languages_have_their_stemmer() -> None:
    assert bm25_options("en")["stemmer"] == {"type": "snowball", "language": "english"}
    assert "stemmer" not in bm25_options("none")
    assert bm25_options("ja")["tokenizer"] == "multilingual"
    with pytest.raises(ConfigError, match="xx"):
        bm25_options("xx")


def test_ids_are_the_same_each_time_and_of_one_state_alone() -> None:
    some = chunks(("a", "one", None), ("b", "two", None))
    ids = list(ids_of(some, "first"))  # type: ignore[arg-type]
    assert ids == list(ids_of(some, "first"))  # type: ignore[arg-type]
    assert not set(ids) & set(ids_of(some, "second"))  # type: ignore[arg-type]
    assert all(str(uuid.UUID(one)) == one for one in ids)
    assert len(set(ids)) == 2


def test_a_generation_is_a_state_of_all_that_is_stored() -> None:
    base = chunks(("a", "one", None), ("b", "two", None))
    others = [
        chunks(("a", "one", None), ("b", "three", None)),
        chunks(("a", "one", ()), ("b", "two", None)),
        chunks(("a", "one", None), ("b", "two", ())),
        chunks(("a", "one", ("x",)), ("b", "two", None)),
    ]
    found = {generation_of(one, "model", "en") for one in (base, *others)}  # type: ignore[arg-type]
    found |= {generation_of(base, "other", "en"), generation_of(base, "model", "fr")}  # type: ignore[arg-type]
    assert len(found) == 7
    assert generation_of(base, "model", "en") == generation_of(base, "model", "EN")  # type: ignore[arg-type]


def test_a_payload_has_who_may_see_it_and_a_hash_of_all_that_is_stored() -> None:
    some = chunks(("a", "one \ud800", None), ("b", "two", ()), ("c", "three", ("staff", "public")))
    vectors = np.eye(3, 8, dtype=np.float32)
    made = points(some, "g", range(3), ["1", "2", "3"], vectors, 4.0)  # type: ignore[arg-type]
    assert [point.payload["chunk_id"] for point in made] == ["a", "b", "c"]
    assert made[0].text == made[0].payload["text"] == "one �"
    assert made[0].payload["groups"] == ["public"]
    assert made[1].payload["groups"] == []
    assert len(made[2].payload["groups"]) == 2
    assert "public" not in made[2].payload["groups"]  # a group of that name is not the public
    shas = {point.payload["sha"] for point in made}
    shas |= {point.payload["sha"] for point in points(some, "g", range(3), ["1", "2", "3"], vectors, 5.0)}  # type: ignore[arg-type]
    shas |= {point.payload["sha"] for point in points(some, "g", range(3), ["1", "2", "3"], -vectors, 4.0)}  # type: ignore[arg-type]
    assert len(shas) == 9

from __future__ import annotations

import random
import threading
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from tests.soak import rounds

from ragtriage.errors import Cancelled, ConfigError
from ragtriage.search.lexical import LexicalIndex, _commit
from ragtriage.types import Groups

HOSTILE = [
    "", " ", "\0", "a\0b", "\ud800", "x\udfff y", "?!.,;:()[]{}", "[/path]", "[bold]x[/bold]", '"unclosed', "a AND (b OR",
    "title:x -old +new", "stem:*", "*", "^2 ~3", "\x1b[31mred", "\u202eabc", "a" * 1_000_000, "_" * 10_000, "- " * 1_000,
    "e\u0301" * 1_000, "\U0001f600" * 100, "ﷺ", "İ", "ß" * 300, "\u200b\u200d", "what is it",
]  # fmt: skip


@pytest.fixture
def search(tmp_path: Path, chunks_of: Callable[..., Any]) -> Callable[..., list[str]]:
    """search(texts, question, groups, depth) -> ids, over a fresh index."""

    def run(texts: list[Any], question: str, groups: Groups = None, depth: int = 100) -> list[str]:
        chunks = chunks_of(*texts)
        index = LexicalIndex.open_or_build(chunks, cache=tmp_path)
        (found,) = index.search([question], [groups], depth)
        assert (found.scores > 0).all()
        assert found.rows.dtype == np.int32
        return [chunks.ids[row] for row in found.rows]

    return run


def test_the_best_match_first_and_nothing_that_scores_zero(search: Callable[..., list[str]]) -> None:
    texts = ["refunds within thirty days", "shipping takes thirty days and days and days", "passwords"]
    assert search(texts, "refund days") == ["d1", "d2"]
    assert search(texts, "nothing like that") == []


def test_inflected_english_matches(search: Callable[..., list[str]]) -> None:
    assert search(["we were cancelling subscriptions", "other words"], "cancel a subscription") == ["d1"]


@pytest.mark.parametrize("code", ["ERR_4021", "v1.2.3", "user_id", "AX-104", "C++", "a/b2", "x@y.z1"])
def test_identifiers_are_found_whole(search: Callable[..., list[str]], code: str) -> None:
    # The other page has every part more often than the page of the code, and is as long.
    parts = " ".join("".join(c if c.isalnum() else " " for c in code).split())
    assert search([f"{parts} {parts} {parts} {parts}", f"see {code} for more about this"], f"what is {code}?")[0] == "d2"


def test_scripts_without_spaces(search: Callable[..., list[str]]) -> None:
    texts = ["返品は三十日以内に", "配送には一週間かかります", "การคืนสินค้า"]
    assert search(texts, "返品")[0] == "d1"
    assert search(texts, "配送")[0] == "d2"
    assert search(texts, "คืน")[0] == "d3"


def test_equal_texts_come_in_the_order_of_their_ids(search: Callable[..., list[str]]) -> None:
    texts = [(f"d{number:03}", "the very same words of a page") for number in range(200)]
    random.Random(1).shuffle(texts)
    assert search(texts, "same page words", depth=20) == [f"d{number:03}" for number in range(20)]


def test_access_is_inside_the_search_and_leaves_scores_alone(tmp_path: Path, chunks_of: Callable[..., Any]) -> None:
    texts = [(f"d{n}", "refund " * (n + 1) + "and other words", ("staff",) if n % 2 else None) for n in range(50)]
    index = LexicalIndex.open_or_build(chunks_of(*texts), cache=tmp_path)
    everything, public, staff, nobody = index.search(["refund"] * 4, [("*",), None, ("staff",), ("sales",)], 100)
    assert len(everything.rows) == len(staff.rows) == 50
    assert sorted(public.rows.tolist()) == sorted(nobody.rows.tolist()) == list(range(0, 50, 2))
    scores = dict(zip(everything.rows.tolist(), everything.scores.tolist(), strict=True))
    for some in (public, staff, nobody):
        assert dict(zip(some.rows.tolist(), some.scores.tolist(), strict=True)).items() <= scores.items()
    (few,) = index.search(["refund"], [None], 10)
    assert len(few.rows) == 10


def test_a_document_for_nobody(search: Callable[..., list[str]]) -> None:
    texts = [("open", "refund", None), ("hidden", "refund", ())]
    assert search(texts, "refund", ("staff",)) == ["open"]
    assert search(texts, "refund", ("*",)) == ["hidden", "open"]


@pytest.mark.parametrize("number", range(len(HOSTILE)))
def test_hostile_text_as_question_and_document(search: Callable[..., list[str]], number: int) -> None:
    search([HOSTILE[number], "an ordinary page"], HOSTILE[number])
    assert search([HOSTILE[number], "an ordinary page"], "ordinary")[0] == "d2"


def test_random_questions_never_raise(tmp_path: Path, chunks_of: Callable[..., Any]) -> None:
    index = LexicalIndex.open_or_build(chunks_of("alpha beta", "gamma_1 delta-2"), cache=tmp_path)
    rng = random.Random(7)
    alphabet = "ab_1-.+#/:@\"'()[]{}^~*?\\!&|<> \0\n\té東ก\ud800"
    texts = ["".join(rng.choice(alphabet) for _ in range(rng.randrange(30))) for _ in range(rounds(500, 20_000))]
    assert len(index.search(texts, [None] * len(texts), 10)) == len(texts)


def test_edges_of_depth_and_size(tmp_path: Path, chunks_of: Callable[..., Any], search: Callable[..., list[str]]) -> None:
    assert search(["one page"], "page", depth=1000) == ["d1"]
    assert search(["one page"], "page", depth=0) == []
    assert search([], "page") == []


def test_opened_again_without_building_and_rebuilt_when_broken(tmp_path: Path, chunks_of: Callable[..., Any]) -> None:
    chunks = chunks_of("refund policy", "shipping")
    built: list[int] = []

    def progress(stage: str, done: int, total: int) -> None:
        built.append(done)

    def found() -> list[int]:
        index = LexicalIndex.open_or_build(chunks, cache=tmp_path, progress=progress)
        return index.search(["refund"], [None], 5)[0].rows.tolist()

    assert found() == [0]
    assert built == [0, 2]
    assert found() == [0]
    assert built == [0, 2]
    for path in sorted(tmp_path.rglob("*.*")):
        if path.is_file() and path.stat().st_size and not path.name.startswith(".tantivy"):
            data = bytearray(path.read_bytes())
            data[len(data) // 2] ^= 0xFF
            path.write_bytes(data)
            assert found() == [0], path.name
    assert len(built) > 2


def test_a_cancelled_build_leaves_nothing(tmp_path: Path, chunks_of: Callable[..., Any]) -> None:
    def progress(stage: str, done: int, total: int) -> None:
        raise Cancelled

    chunks = chunks_of("refund policy")
    with pytest.raises(Cancelled):
        LexicalIndex.open_or_build(chunks, cache=tmp_path, progress=progress)
    assert list((tmp_path / "lexical").iterdir()) == []
    assert LexicalIndex.open_or_build(chunks, cache=tmp_path).size == 1


def test_a_long_commit_can_be_cancelled_and_what_it_raises_is_raised() -> None:
    held = threading.Event()

    def cancel() -> None:
        raise Cancelled("enough")

    with pytest.raises(Cancelled):
        _commit(SimpleNamespace(commit=held.wait), cancel)
    held.set()

    def fail() -> None:
        raise ValueError("no space")

    with pytest.raises(ValueError, match="no space"):
        _commit(SimpleNamespace(commit=fail), cancel)


def test_other_languages(tmp_path: Path, chunks_of: Callable[..., Any]) -> None:
    chunks = chunks_of("Die Rückgaben der Häuser", "Le remboursement des produits")
    german = LexicalIndex.open_or_build(chunks, language="de", cache=tmp_path)
    assert german.search(["die Rückgabe des Hauses"], [None], 5)[0].rows.tolist() == [0]
    french = LexicalIndex.open_or_build(chunks, language="fr", cache=tmp_path)
    assert french.search(["rembourser le produit"], [None], 5)[0].rows.tolist() == [1]
    for language in ("ar", "el", "ro", "ta", "tr", "zh", "none", "da", "es", "fi", "hu", "it", "nl", "no", "pt", "ru", "sv"):
        assert LexicalIndex.open_or_build(chunks, language=language, cache=tmp_path).size == 2
    with pytest.raises(ConfigError):
        LexicalIndex.open_or_build(chunks, language="xx", cache=tmp_path)


def test_statistics_of_terms(tmp_path: Path, chunks_of: Callable[..., Any]) -> None:
    index = LexicalIndex.open_or_build(chunks_of("refunds", "refund days", "days"), cache=tmp_path)
    assert index.terms("The refunds of 30 days") == ["refund", "30", "day"]
    assert index.idf("refund") == pytest.approx(np.log(1 + (3 - 2 + 0.5) / (2 + 0.5)))
    assert index.idf("absent") == pytest.approx(np.log(1 + (3 + 0.5) / 0.5))
    assert index.idf("refund") < index.idf("absent")

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.engine.chunking.cutting import model_dir
from tests.soak import rounds

from ragtriage.chunking import tokens as reading
from ragtriage.chunking.base import TokenOffsets
from ragtriage.chunking.tokens import ModelTokens, RememberedTokens, WordTokens, tokens_of
from ragtriage.errors import CorpusError


def test_nothing_is_truncated_padded_or_added() -> None:
    tokens = ModelTokens(model_dir())
    long, short, empty = tokens.offsets(["word " * 3000, "return", ""])
    assert long.shape == (3000, 2)
    assert short.tolist() == [[0, 6]]
    assert empty.shape == (0, 2)
    assert long.dtype == np.int32


def test_offsets_are_code_points_of_the_text_as_it_stands() -> None:
    text = "Éclair 🎉 漢字 ERR_4021"
    (offsets,) = ModelTokens(model_dir()).offsets([text])
    pieces = [text[start:end] for start, end in offsets.tolist()]
    assert "".join(pieces) == text.replace(" ", "")
    assert pieces[-1] == "1" or pieces[-1].endswith("1")


def test_a_word_too_long_to_be_read_weighs_what_it_would() -> None:
    (offsets,) = ModelTokens(model_dir()).offsets(["a " + "x" * 1000 + " b"])
    assert len(offsets) == 1 + 500 + 1
    assert (offsets[1:, 0] >= offsets[:-1, 1]).all()


def in_small_parts(texts: list[str]) -> tuple[list[TokenOffsets], list[int]]:
    """The offsets where at most about 200 code points are read at once, and how long what was read at once was."""
    sizes: list[int] = []

    def read(tokenizer: Any, several: list[str]) -> Iterator[TokenOffsets]:
        sizes.append(sum(map(len, several)))
        return encode(tokenizer, several)

    encode = reading._encode
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(reading, "_BATCH_CHARS", 200)
        patch.setattr(reading, "_LOOK_BACK", 100)
        patch.setattr(reading, "_encode", read)
        return list(opened().offsets(texts)), sizes


@cache
def opened() -> ModelTokens:
    return ModelTokens(model_dir())


WORDS = st.sampled_from(
    ["refund", "ERR_4021", "Éclair", "e\u0301", "漢字", "a.b", "(30", "days),", "🎉", "--", "\n\n", "\t", "  "]
)


@settings(deadline=None, max_examples=rounds(50, 1000))
@given(st.lists(st.lists(WORDS, max_size=300).map(" ".join), max_size=4))
def test_a_long_text_has_the_same_tokens_in_parts(texts: list[str]) -> None:
    whole = list(opened().offsets(texts))
    parted, sizes = in_small_parts(texts)
    assert [one.tolist() for one in parted] == [one.tolist() for one in whole]
    assert all(one.dtype == np.int32 for one in parted)
    assert max(sizes, default=0) < 400


def test_a_text_without_spaces_is_read_in_parts_too() -> None:
    (offsets,), sizes = in_small_parts(["漢" * 1000 + "x" * 1000])
    assert len(offsets) == 1000 + 500
    assert (len(sizes), max(sizes)) == (10, 200)


@settings(deadline=None)
@given(st.lists(st.text(max_size=60), max_size=5))
def test_offsets_ascend_inside_any_text(texts: list[str]) -> None:
    for tokens in (WordTokens(), ModelTokens(model_dir())):
        found = list(tokens.offsets(texts))
        assert len(found) == len(texts)
        for text, offsets in zip(texts, found, strict=True):
            assert offsets.dtype == np.int32
            assert offsets.shape[1:] == (2,)
            assert (offsets[:, 0] < offsets[:, 1]).all()
            assert (np.diff(offsets, axis=0) >= 0).all()
            assert not len(offsets) or offsets[-1, 1] <= len(text)


def test_words_never_pass_for_a_models_tokens() -> None:
    assert tokens_of(None).identity == "words"
    assert tokens_of(model_dir()).identity != "words"


def test_a_folder_without_a_tokenizer_is_named(tmp_path: Path) -> None:
    with pytest.raises(CorpusError, match=r"tokenizer\.json"):
        tokens_of(tmp_path)
    (tmp_path / "tokenizer.json").write_bytes(b"{}")
    with pytest.raises(CorpusError, match="not a tokenizer"):
        list(tokens_of(tmp_path).offsets(["x"]))


def test_a_text_that_is_remembered_is_not_read_again() -> None:
    read: list[str] = []

    class Counting(WordTokens):
        def offsets(self, texts: Sequence[str]) -> Iterator[TokenOffsets]:
            read.extend(texts)
            return super().offsets(texts)

    tokens = RememberedTokens(Counting())
    first = list(tokens.offsets(["one two", "three", "one two"]))
    again = list(tokens.offsets(["three", "four"]))
    assert read == ["one two", "three", "four"]
    assert [len(offsets) for offsets in [*first, *again]] == [2, 1, 2, 1, 1]
    assert tokens.identity == "words"


@given(
    st.lists(
        st.text(st.sampled_from("ab. \n漢🎉"), max_size=40) | st.integers(200, 700).map(lambda n: f"a{' ' * n}b" + "c" * n)
    )
)
def test_what_is_remembered_is_what_was_read(texts: list[str]) -> None:
    tokens = RememberedTokens(WordTokens())
    for _ in range(2):
        for kept, read in zip(tokens.offsets(texts), WordTokens().offsets(texts), strict=True):
            assert kept.dtype == read.dtype
            assert kept.shape == read.shape
            assert (kept == read).all()

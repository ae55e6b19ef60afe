from __future__ import annotations

from pathlib import Path

import pytest
from tests.engine.corpus.reading import corpus_of

from ragtriage.corpus.base import Corpus
from ragtriage.corpus.find import Match, find
from ragtriage.errors import UsageError
from ragtriage.types import Span


@pytest.fixture
def corpus(tmp_path: Path) -> Corpus:
    return corpus_of(
        tmp_path, {"a.md": "# Fees\n\nThirty\ndays. [/b] ERR_4021\n\n## More\n\nthirty days", "b.txt": "aaa\x1b[31m"}
    )


def test_literal_text_over_line_breaks_with_line_and_heading(corpus: Corpus) -> None:
    assert find(corpus, "thirty days") == [
        Match("a", Span(8, 19), 3, ("Fees",)),
        Match("a", Span(45, 56), 8, ("Fees", "More")),
    ]
    assert [match.line for match in find(corpus, "thirty days", ignore_case=False)] == [8]


def test_signs_are_no_syntax_unless_asked(corpus: Corpus) -> None:
    assert len(find(corpus, "[/b]")) == 1
    assert len(find(corpus, ".", regex=True, limit=5)) == 5
    assert [match.span for match in find(corpus, r"^\w+\s+days", regex=True)] == [Span(8, 19), Span(45, 56)]


def test_empty_matches_are_none(corpus: Corpus) -> None:
    assert find(corpus, "z*", regex=True) == []


@pytest.mark.parametrize("pattern", ["(", "[", "*a", "(?P<n>", "a{2,1}", "\\"])
def test_a_wrong_expression_is_named(corpus: Corpus, pattern: str) -> None:
    with pytest.raises(UsageError, match="not a regular expression"):
        find(corpus, pattern, regex=True)


@pytest.mark.parametrize("pattern", ["", "  \n"])
def test_nothing_to_find(corpus: Corpus, pattern: str) -> None:
    with pytest.raises(UsageError):
        find(corpus, pattern)


def test_an_expression_that_would_never_end_is_stopped(tmp_path: Path) -> None:
    corpus = corpus_of(tmp_path, {"a.txt": "a" * 5000 + "b"})
    with pytest.raises(UsageError, match="longer than"):
        find(corpus, r"(a|aa)+$", regex=True, seconds=0.2)


def test_an_expression_that_calls_itself_for_ever_is_stopped(corpus: Corpus) -> None:
    with pytest.raises(UsageError, match="more memory"):
        find(corpus, "(?R)", regex=True)

"""Search through the whole text of every document, whatever index, ranking, access and chunking say."""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Iterator
from typing import NamedTuple

from ragtriage.corpus.base import Corpus
from ragtriage.corpus.sections import heading_at
from ragtriage.errors import UsageError
from ragtriage.types import Span

__all__ = ["Match", "find"]

_SECONDS = 5.0

_Finder = Callable[[str], Iterator[Span]]


class Match(NamedTuple):
    """One place: `line` counts from 1 in the document's text, `heading` is the path of the section it stands in."""

    doc_id: str
    span: Span
    line: int
    heading: tuple[str, ...]


def find(
    corpus: Corpus, pattern: str, *, regex: bool = False, ignore_case: bool = True, limit: int = 1000, seconds: float = _SECONDS
) -> list[Match]:
    """The first `limit` places of `pattern`, in document order.

    Literal text matches across line breaks: white space in it stands for any white space. A regular expression is one of
    the `regex` package, `^` and `$` are ends of lines. Raises UsageError for one that is wrong, or that takes longer than
    `seconds` over the whole corpus.
    """
    if not pattern.strip():
        raise UsageError("say what to find")
    finder = _regex(pattern, ignore_case, seconds) if regex else _literal(pattern, ignore_case)
    found: list[Match] = []
    for document in corpus.documents:
        line, counted = 1, 0
        for span in finder(document.text):
            line += document.text.count("\n", counted, span.start)
            counted = span.start
            found.append(Match(document.doc_id, span, line, heading_at(document, span.start)))
            if len(found) >= limit:
                return found
    return found


def _literal(pattern: str, ignore_case: bool) -> _Finder:
    words = r"\s+".join(re.escape(word) for word in pattern.split())
    compiled = re.compile(words, re.IGNORECASE if ignore_case else 0)
    return lambda text: (Span(*match.span()) for match in compiled.finditer(text))


def _regex(pattern: str, ignore_case: bool, seconds: float) -> _Finder:
    import regex  # type: ignore[import-untyped]  # it ships no types; unlike re, it can be told to give up

    try:
        compiled = regex.compile(pattern, regex.MULTILINE | (regex.IGNORECASE if ignore_case else 0))
    except (regex.error, OverflowError, RecursionError, MemoryError) as error:
        raise UsageError(f"{pattern!r} is not a regular expression: {error}") from None
    deadline = time.monotonic() + seconds

    def finder(text: str) -> Iterator[Span]:
        left = deadline - time.monotonic()
        try:
            if left <= 0:
                raise TimeoutError
            for match in compiled.finditer(text, timeout=left):
                if match.end() > match.start():
                    yield Span(*match.span())
        except TimeoutError:
            raise UsageError(f"{pattern!r} took longer than {seconds:g} s; make it simpler") from None
        except MemoryError:
            raise UsageError(f"{pattern!r} takes more memory than there is; make it simpler") from None

    return finder

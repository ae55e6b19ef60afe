"""`ragtriage find`: the whole text of every document, independent of index, ranking, access and chunking."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from ragtriage_tui.call import Call, clean
from ragtriage_tui.figures import Marks, clip_text, count
from ragtriage_tui.problems import say_problems
from ragtriage_tui.text import one_line

if TYPE_CHECKING:
    from ragtriage.corpus.base import Corpus
    from ragtriage.types import Span

__all__ = ["arguments", "run"]

_BEFORE, _LONGEST = 200, 600  # characters of a line in JSON: before the match, and in all
_SOME, _CELLS = 50, 150  # the same in text


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "text", nargs="?", metavar="TEXT", help="what to look for; without it, all documents with their headings"
    )
    parser.add_argument("--regex", action="store_true", help="TEXT is a regular expression")
    parser.add_argument("--case", action="store_true", help="capitals matter")
    parser.add_argument("--limit", type=int, default=1000, metavar="N", help="at most this many places (default: 1000)")


def run(call: Call) -> int:
    from ragtriage.errors import UsageError

    if call.args.limit < 1:
        raise UsageError("--limit: at least 1")
    if call.args.text == "":
        raise UsageError("the text to find is empty; leave it out to list the documents")
    corpus = call.project().corpus
    code = _documents(call, corpus) if call.args.text is None else _matches(call, corpus)
    return code if corpus.documents else say_problems(call, list(corpus.problems))


def _documents(call: Call, corpus: Corpus) -> int:
    if call.out.json:
        found = [
            {
                "doc_id": document.doc_id,
                "title": document.title,
                "source": document.source,
                "headings": [list(section.path) for section in document.sections],
            }
            for document in corpus.documents
        ]
        call.out.document({"format": 1, "documents": found})
        return 0
    lines = []
    for document in corpus.documents:
        lines.append(f"{one_line(document.doc_id)}  {one_line(document.title)}")
        lines += [f"{'  ' * len(section.path)}{one_line(section.path[-1])}" for section in document.sections if section.path]
    call.out.text(*map(Marks(call.out.ascii), lines))
    return 0


def _matches(call: Call, corpus: Corpus) -> int:
    from ragtriage.corpus.find import find

    args = call.args
    text = clean(args.text)
    matches = find(corpus, text, regex=args.regex, ignore_case=not args.case, limit=args.limit)
    found = [(match, *_line(corpus.document(match.doc_id).text, match.span)) for match in matches]
    if call.out.json:
        places = [
            {
                "doc_id": match.doc_id,
                "line": match.line,
                "start": match.span.start,
                "end": match.span.end,
                "heading": list(match.heading),
                "text": line[:_LONGEST],
            }
            for match, line, _ in found
        ]
        call.out.document({"format": 1, "text": text, "complete": len(places) < args.limit, "matches": places})
        return 0
    if not found:
        call.out.text(f"Nothing in {count(len(corpus.documents), 'document')}.")
        return 0
    lines = []
    for match, line, at in found:
        lines.append(f"{one_line(match.doc_id)}:{match.line}  {one_line(' › '.join(match.heading))}".rstrip())
        lines.append(f"    {_excerpt(line, at, match.span.end - match.span.start)}")
    lines.append(count(len(found), "place") + ("; there may be more (--limit)" if len(found) >= args.limit else ""))
    call.out.text(*map(Marks(call.out.ascii), lines))
    return 0


def _line(text: str, span: Span) -> tuple[str, int]:
    """The line that a match begins on, from 200 characters before it at most, and where in it the match begins."""
    start = max(text.rfind("\n", 0, span.start) + 1, span.start - _BEFORE)
    end = text.find("\n", span.end)
    return text[start : len(text) if end < 0 else end], span.start - start


def _excerpt(line: str, at: int, length: int) -> str:
    """The part of a line that has the match at `at` in it, from a whole word on; `…` where something is left out."""
    if at + length <= _CELLS or at <= _SOME:
        return clip_text(line, _CELLS)
    gap = line.find(" ", at - _SOME, at)
    return clip_text("…" + line[gap + 1 if gap >= 0 else at - _SOME :].lstrip(), _CELLS)

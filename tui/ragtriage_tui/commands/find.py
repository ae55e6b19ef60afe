"""`ragtriage find`: the whole text of every document, independent of index, ranking, access and chunking."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from ragtriage_tui.call import Call, clean
from ragtriage_tui.plain import Marks, clip_text

if TYPE_CHECKING:
    from ragtriage.corpus.base import Corpus

__all__ = ["arguments", "run"]


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
    project = call.project()
    return _documents(call, project.corpus) if call.args.text is None else _matches(call, project.corpus)


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
        lines.append(f"{document.doc_id}  {document.title}")
        lines += [f"{'  ' * len(section.path)}{section.path[-1]}" for section in document.sections if section.path]
    call.out.text(*map(Marks(call.out.ascii), lines))
    return 0


def _matches(call: Call, corpus: Corpus) -> int:
    from ragtriage.corpus.find import find

    args = call.args
    text = clean(args.text)
    matches = find(corpus, text, regex=args.regex, ignore_case=not args.case, limit=args.limit)
    found = []
    for match in matches:
        document = corpus.document(match.doc_id)
        start = document.text.rfind("\n", 0, match.span.start) + 1
        end = document.text.find("\n", match.span.start)
        found.append((match, document.text[max(start, match.span.start - 200) : len(document.text) if end < 0 else end][:600]))
    if call.out.json:
        places = [
            {
                "doc_id": match.doc_id,
                "line": match.line,
                "start": match.span.start,
                "end": match.span.end,
                "heading": list(match.heading),
                "text": line,
            }
            for match, line in found
        ]
        call.out.document({"format": 1, "text": text, "complete": len(places) < args.limit, "matches": places})
        return 0
    if not found:
        call.out.text(f"Nothing in {len(corpus.documents)} documents.")
        return 0
    lines = []
    for match, line in found:
        lines.append(f"{match.doc_id}:{match.line}  {' › '.join(match.heading)}".rstrip())
        lines.append(f"    {clip_text(line, 150)}")
    count = len(found)
    lines.append(
        f"{count} {'place' if count == 1 else 'places'}" + ("; there may be more (--limit)" if count >= args.limit else "")
    )
    call.out.text(*map(Marks(call.out.ascii), lines))
    return 0

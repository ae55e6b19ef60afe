"""A corpus under random edits that are known: each document is a list of pieces of the original texts and of new text.

Where a stretch of the original stands after the edits is read off the pieces, never searched for.
"""

from __future__ import annotations

import random
import re
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import NamedTuple

__all__ = ["EDITS", "ENCODINGS", "Edited", "Piece", "Where"]

ENCODINGS = ("utf-8", "utf-8 crlf", "utf-8 cr", "utf-8-sig", "utf-16-le", "utf-16-be", "utf-16-le crlf")


class Piece(NamedTuple):
    """A stretch of an original text, or new text (`doc` is then ""). `copy` marks what was pasted a second time."""

    doc: str
    start: int
    end: int
    new: str = ""
    copy: bool = False


class Where(NamedTuple):
    doc: str
    start: int
    end: int


@dataclass
class Edited:
    """Documents by id; `names` maps an original id to the file's name of today, `encodings` to how it is written."""

    originals: dict[str, str]
    rng: random.Random
    pieces: dict[str, list[Piece]] = field(default_factory=dict)
    names: dict[str, str] = field(default_factory=dict)
    encodings: dict[str, str] = field(default_factory=dict)
    log: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.pieces = {doc: [Piece(doc, 0, len(text))] for doc, text in self.originals.items()}
        self.names = {doc: doc for doc in self.originals}

    def text_of(self, piece: Piece) -> str:
        return self.originals[piece.doc][piece.start : piece.end] if piece.doc else piece.new

    def text(self, doc: str) -> str:
        return "".join(map(self.text_of, self.pieces[doc]))

    def changed(self) -> list[str]:
        """Documents that are not as they were, renamed or written otherwise."""
        return [
            doc
            for doc in self.originals
            if self.pieces.get(doc) != [Piece(doc, 0, len(self.originals[doc]))]
            or self.names[doc] != doc
            or doc in self.encodings
        ]

    def whole(self, doc: str, start: int, end: int) -> Where | None:
        """Where an original stretch stands unbroken, its copies aside."""
        for host, pieces in self.pieces.items():
            at, run, begun = 0, start, 0
            for piece in pieces:
                size = len(self.text_of(piece))
                if piece.doc == doc and not piece.copy and piece.start <= run < piece.end:
                    if run == start:
                        begun = at + run - piece.start
                    if end <= piece.end:
                        return Where(self.names[host], begun, begun + end - start)
                    run = piece.end
                elif size and run != start:
                    run = start
                    if piece.doc == doc and not piece.copy and piece.start <= run < piece.end:
                        begun, run = at + run - piece.start, piece.end
                at += size
        return None

    def cut(self, doc: str, low: int, high: int) -> list[Piece]:
        """Take the text from `low` to `high` of today out of a document."""
        before, rest = self._split(self.pieces[doc], low)
        inside, after = self._split(rest, high - low)
        self.pieces[doc] = before + after
        return inside

    def paste(self, doc: str, at: int, pieces: list[Piece]) -> None:
        before, after = self._split(self.pieces[doc], at)
        self.pieces[doc] = before + pieces + after

    def _split(self, pieces: list[Piece], at: int) -> tuple[list[Piece], list[Piece]]:
        before: list[Piece] = []
        for number, piece in enumerate(pieces):
            size = len(self.text_of(piece))
            if at < size:
                if at == 0:
                    return before, pieces[number:]
                if piece.doc:
                    middle = piece.start + at
                    return [*before, piece._replace(end=middle)], [piece._replace(start=middle), *pieces[number + 1 :]]
                one, two = piece._replace(new=piece.new[:at]), piece._replace(new=piece.new[at:])
                return [*before, one], [two, *pieces[number + 1 :]]
            before.append(piece)
            at -= size
        return before, []


_SENTENCE = re.compile(r"[^.!?\n]*[.!?\n]+\s*")
_WORDS = ("please", "always", "our", "new", "customers", "within", "about", "however", "notes", "when", "the", "any", "usually")


def _document(edited: Edited) -> str:
    return edited.rng.choice([doc for doc in edited.pieces if edited.text(doc).strip()])


def _sentence(edited: Edited, doc: str, focus: Where | None) -> tuple[int, int]:
    """A sentence of a document, by choice the one in which `focus` stands."""
    text = edited.text(doc)
    start = focus.start if focus else edited.rng.randrange(len(text))
    spans = [match.span() for match in _SENTENCE.finditer(text, max(0, start - 400), min(len(text), start + 1200))]
    return next((span for span in spans if span[1] > start), (start, min(len(text), start + 80)))


def _paragraph(edited: Edited, doc: str, focus: Where | None) -> tuple[int, int]:
    text = edited.text(doc)
    at = focus.start if focus else edited.rng.randrange(len(text))
    low, high = text.rfind("\n\n", 0, at) + 2, text.find("\n\n", at)
    return (max(0, low) if low > 1 else 0), (high + 2 if high >= 0 else len(text))


def _new(edited: Edited, most: int = 14) -> str:
    words = [edited.rng.choice(_WORDS) for _ in range(edited.rng.randint(1, most))]
    end = edited.rng.choice([". ", ".\n\n", "\n", " 14 days. "])
    return " ".join(words).capitalize() + end


def _place(edited: Edited, doc: str) -> int:
    """Between two sentences, so that a paste breaks no other."""
    return _sentence(edited, doc, None)[0]


Edit = Callable[[Edited, str, "Where | None"], None]


def insert(edited: Edited, doc: str, focus: Where | None) -> None:
    low, high = _sentence(edited, doc, focus)
    text = _new(edited)
    edited.paste(doc, edited.rng.choice([low, high, 0, edited.rng.randint(low, high)]), [Piece("", 0, 0, text)])


def delete(edited: Edited, doc: str, focus: Where | None) -> None:
    edited.cut(doc, *edited.rng.choice([_sentence, _paragraph])(edited, doc, focus))


def move(edited: Edited, doc: str, focus: Where | None) -> None:
    taken = edited.cut(doc, *edited.rng.choice([_sentence, _paragraph])(edited, doc, focus))
    other = doc if edited.rng.random() < 0.5 else _document(edited)
    edited.paste(other, _place(edited, other) if edited.text(other).strip() else 0, taken)


def duplicate(edited: Edited, doc: str, focus: Where | None) -> None:
    low, high = edited.rng.choice([_sentence, _paragraph])(edited, doc, focus)
    taken = edited.cut(doc, low, high)
    edited.paste(doc, low, taken)
    other = doc if edited.rng.random() < 0.7 else _document(edited)
    at = edited.rng.choice([low, high]) if other == doc else _place(edited, other)
    edited.paste(other, at, [piece._replace(copy=True) for piece in taken])


def reword(edited: Edited, doc: str, focus: Where | None) -> None:
    low, high = _sentence(edited, doc, focus)
    words = [match.span() for match in re.finditer(r"[^\W\d]+", edited.text(doc)[low:high])]
    for start, end in sorted(edited.rng.sample(words, min(len(words), edited.rng.randint(1, 4))), reverse=True):
        edited.cut(doc, low + start, low + end)
        said = edited.rng.choice([edited.rng.choice(_WORDS), "", "not " + edited.rng.choice(_WORDS)])
        edited.paste(doc, low + start, [Piece("", 0, 0, said)] if said else [])


def split(edited: Edited, doc: str, focus: Where | None) -> None:
    low, high = _sentence(edited, doc, focus)
    spaces = [match.start() for match in re.finditer(r" ", edited.text(doc)[low:high])]
    if spaces:
        at = low + edited.rng.choice(spaces)
        said = edited.rng.choice([". ", ".\n\n", "\n", f". {_new(edited)}", "  ", " — "])
        edited.cut(doc, at, at + 1)
        edited.paste(doc, at, [Piece("", 0, 0, said)])


def change_number(edited: Edited, doc: str, focus: Where | None) -> None:
    low, high = (focus.start, focus.end) if focus else (0, len(edited.text(doc)))
    numbers = [match.span() for match in re.finditer(r"\d+", edited.text(doc)[low:high])]
    if numbers:
        start, end = edited.rng.choice(numbers)
        edited.cut(doc, low + start, low + end)
        edited.paste(doc, low + start, [Piece("", 0, 0, edited.rng.choice(["7", "14", "130", "2.5", "-3", "two"]))])


def retype(edited: Edited, doc: str, focus: Where | None) -> None:
    """Another sign for the same: white space, quotes, dashes, capitals."""
    low, high = _sentence(edited, doc, focus)
    signs = list(re.finditer(r"[ \n'’\"“”\-–—]|[A-Za-z]", edited.text(doc)[low:high]))
    for match in sorted(edited.rng.sample(signs, min(3, len(signs))), key=lambda one: -one.start()):
        same = {" ": "\n", "\n": "  ", "'": "’", "’": "'", '"': "“", "“": '"', "”": '"', "-": "–", "–": "-", "—": "–"}
        edited.cut(doc, low + match.start(), low + match.end())
        edited.paste(doc, low + match.start(), [Piece("", 0, 0, same.get(match[0], match[0].swapcase()))])


def encode(edited: Edited, doc: str, focus: Where | None) -> None:
    edited.encodings[doc] = edited.rng.choice(ENCODINGS)


def rename(edited: Edited, doc: str, focus: Where | None) -> None:
    edited.names[doc] = edited.rng.choice([f"moved/{doc.rpartition('/')[2]}", f"{doc}-2", f"archive/{doc}"])


def swap_names(edited: Edited, doc: str, focus: Where | None) -> None:
    """Another document takes the name."""
    other = _document(edited)
    if other != doc:
        edited.names[doc], edited.names[other] = edited.names[other], edited.names[doc]


def drop(edited: Edited, doc: str, focus: Where | None) -> None:
    """The file is removed."""
    if len(edited.pieces) > 2:
        del edited.pieces[doc]


EDITS: tuple[Edit, ...] = (
    insert, insert, delete, move, move, reword, reword, split, change_number, retype, encode, rename, swap_names, duplicate,
    drop,
)  # fmt: skip

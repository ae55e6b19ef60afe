"""The prompt that a model answers: instructions, numbered passages, the question. One template, or a file of the project's.

A template file is the user's message with `{passages}` and `{question}` where they belong. What stands above a line of three
dashes is the system message.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from ragtriage.answers.models.base import Request
from ragtriage.errors import ConfigError
from ragtriage.files import read_file
from ragtriage.ids import text_sha
from ragtriage.surrogates import clean_text
from ragtriage.types import Passage

__all__ = ["BUILT_IN", "Template", "clean_passage", "fill", "numbered", "read_template", "request_of"]

_LARGEST = 1 << 20  # bytes of a template file


class Template(NamedTuple):
    """`name` tells which one it is: `built-in v1`, or a file's name with the hash of its text."""

    name: str
    system: str
    user: str


BUILT_IN = Template(
    "built-in v1",
    "You answer questions from numbered passages, and from nothing else. After each statement cite the passages that it"
    " rests on, like [2]. If the passages do not hold the answer, say that you do not know; do not guess. Be brief.",
    "Passages:\n\n{passages}\n\nQuestion: {question}",
)


def read_template(path: Path) -> Template:
    """The template in a file. Raises ConfigError where it cannot be read, or lacks `{passages}` or `{question}`."""
    try:
        size = path.stat().st_size
        if size > _LARGEST:
            raise ConfigError(f"{path}: answers.prompt is larger than a prompt can be ({size:,} bytes)")
        text = read_file(path).decode("utf-8-sig").replace("\r\n", "\n")
    except OSError as error:
        raise ConfigError(f"{path}: answers.prompt cannot be read: {error.strerror}") from error
    except UnicodeDecodeError:
        raise ConfigError(f"{path}: answers.prompt is not UTF-8; save it as UTF-8") from None
    system, dashes, user = text.partition("\n---\n")
    template = Template(
        f"{path.name} {text_sha(text)[:8]}", *((system.strip(), user.strip()) if dashes else ("", text.strip()))
    )
    if missing := [name for name in ("{passages}", "{question}") if name not in template.user]:
        raise ConfigError(f"{path}: answers.prompt lacks {' and '.join(missing)}")
    return template


def numbered(passage: Passage, *, headings: bool) -> str:
    """A passage as it stands in a prompt: `[1]`, with `title > heading path` where production sends it, and the text."""
    path = " > ".join(dict.fromkeys(part for part in (passage.title, *passage.heading) if part)) if headings else ""
    return f"[{passage.number}] {path}\n{passage.text}" if path else f"[{passage.number}] {passage.text}"


def clean_passage(passage: Passage) -> Passage:
    """The passage as it can be sent: without lone surrogates in what a model reads of it."""
    heading = tuple(map(clean_text, passage.heading))
    return passage._replace(title=clean_text(passage.title), heading=heading, text=clean_text(passage.text))


def fill(text: str, **values: str) -> str:
    """`text` with `{name}` replaced, each place once: what a passage says about braces stays as it is."""
    names = "|".join(values)
    return re.sub(rf"\{{({names})\}}", lambda match: values[match[1]], text)


def request_of(template: Template, question: str, passages: Sequence[Passage], *, headings: bool) -> Request:
    """What is sent to answer `question` from `passages`."""
    sent, question = tuple(map(clean_passage, passages)), clean_text(question)
    shown = "\n\n".join(numbered(passage, headings=headings) for passage in sent)
    return Request(template.system, fill(template.user, passages=shown, question=question), question, sent)

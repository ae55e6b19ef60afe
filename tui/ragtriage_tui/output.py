"""Standard output and standard error of the commands: plain text without escapes, or one JSON document."""

from __future__ import annotations

import contextlib
import os
import re
import sys
from typing import TYPE_CHECKING, Any

from ragtriage_tui.text import scrub

if TYPE_CHECKING:
    from ragtriage_tui.progress import ProgressLine

__all__ = ["Output", "encode_json", "print_bytes"]

# JSON text carries its C0 characters as escapes already; these would act on a terminal, and are the same value escaped
_UNSAFE = re.compile("[\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]")

# what the log of a GitHub build obeys: `::error::` at the beginning of a line, and `##[error]` anywhere in one
_COMMAND = re.compile(r"^\s*:(?=:)|#(?=#\[)", re.MULTILINE)


def encode_json(value: Any) -> str:
    """`value` as one line of JSON. Lone surrogates become U+FFFD; what would act on a terminal is escaped."""
    import orjson

    try:
        text = orjson.dumps(value).decode()
    except TypeError:  # a lone surrogate, or keys that are no strings
        import json

        text = json.dumps(value, ensure_ascii=False, default=lambda part: json.loads(part.contents))
        text = text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    if text.isascii() and "\x7f" not in text:  # a look through megabytes that finds nothing would take longer than making them
        return text
    return _UNSAFE.sub(lambda match: f"\\u{ord(match[0]):04x}", text)


class Output:
    """Where a command writes. A reader that goes away early (`| head`) ends the writing, not the command."""

    def __init__(self, *, json: bool = False, ascii_only: bool = False) -> None:
        self.json = json
        self.ascii = ascii_only or not _speaks_unicode()
        self.line: ProgressLine | None = None
        """What draws itself on the terminal meanwhile, if anything; it is wiped before anything is written."""

    def text(self, *lines: str) -> None:
        """Lines on standard output, scrubbed of everything that is not text."""
        self._wipe()
        _write(sys.stdout, _disarmed("".join(f"{scrub(line)}\n" for line in lines)))

    def commands(self, *lines: str) -> None:
        """Lines on standard output that the log of a GitHub build is to obey; who wrote them has escaped what others wrote."""
        self._wipe()
        _write(sys.stdout, "".join(f"{scrub(line)}\n" for line in lines))

    def document(self, value: Any) -> None:
        """The JSON document of this command: the only thing on standard output."""
        self._wipe()
        text = encode_json(value)
        _write(sys.stdout, (text.replace("##[", "#\\u0023[") if _in_github_build() else text) + "\n")

    def say(self, *lines: str) -> None:
        """Lines on standard error; where that takes nothing, nobody is told."""
        self._wipe()
        with contextlib.suppress(OSError):
            _write(sys.stderr, _disarmed("".join(f"{scrub(line)}\n" for line in lines)))

    def _wipe(self) -> None:
        if self.line is not None:
            with contextlib.suppress(OSError):
                self.line.close()


def print_bytes(out: Output, data: bytes) -> None:
    """A file's bytes on standard output as they are; on a terminal as text that does nothing there."""
    if sys.stdout is None or sys.stdout.isatty():
        out.text(*data.decode("utf-8", "replace").splitlines())
        return
    try:
        sys.stdout.buffer.write(data)
        sys.stdout.buffer.flush()
    except BrokenPipeError:  # the reader has enough; what is still buffered would fail again at the end
        null = os.open(os.devnull, os.O_WRONLY)
        os.dup2(null, sys.stdout.fileno())
        os.close(null)


def _in_github_build() -> bool:
    return os.environ.get("GITHUB_ACTIONS") == "true"


def _disarmed(text: str) -> str:
    """`text` without anything that the log of a GitHub build would obey: a question may begin with `::error::`."""
    return _COMMAND.sub(lambda found: f"{found[0]}\u200b", text) if _in_github_build() else text


def _speaks_unicode() -> bool:
    encoding = (getattr(sys.stdout, "encoding", "") or "").lower().replace("-", "").replace("_", "")
    return encoding.startswith("utf") and os.environ.get("TERM") != "linux"


def _write(stream: Any, text: str) -> None:
    if stream is None:  # closed before we began
        return
    try:
        try:
            stream.write(text)
        except UnicodeEncodeError:
            encoding = stream.encoding or "ascii"
            stream.write(text.encode(encoding, "replace").decode(encoding))
        stream.flush()
    except BrokenPipeError:
        # what is still buffered would fail again when the interpreter exits
        with contextlib.suppress(OSError, ValueError):
            null = os.open(os.devnull, os.O_WRONLY)
            os.dup2(null, stream.fileno())
            os.close(null)

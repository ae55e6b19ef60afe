"""Bytes of a file -> text, once: encoding and line ends are settled here, so that offsets never shift later."""

from __future__ import annotations

from ragtriage.corpus.base import Reason

__all__ = ["NotText", "decode", "scrub", "unify_newlines"]

_UTF32 = (b"\xff\xfe\x00\x00", b"\x00\x00\xfe\xff")
_UTF16 = (b"\xff\xfe", b"\xfe\xff")


class NotText(Exception):
    """The bytes are no text that is read here. Never leaves the reader: it becomes a Skipped."""

    def __init__(self, reason: Reason, detail: str = "") -> None:
        super().__init__(detail or reason)
        self.reason = reason
        self.detail = detail


def decode(data: bytes) -> str:
    """UTF-8 (with or without BOM) or UTF-16 with BOM; line ends as they stand. Raises NotText."""
    if not data:
        raise NotText("empty")
    if data.startswith(_UTF32):
        raise NotText("encoding", "UTF-32; save it as UTF-8")
    if data.startswith(_UTF16):
        try:
            return data.decode("utf-16")
        except UnicodeDecodeError:
            raise NotText("encoding", "broken UTF-16; save it as UTF-8") from None
    if b"\0" in data:
        raise NotText("binary")
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise NotText("encoding", f"byte 0x{data[error.start]:02x} at {error.start} is not UTF-8; save it as UTF-8") from None


def unify_newlines(text: str) -> str:
    """`\\r\\n` and lone `\\r` become `\\n`."""
    return text.replace("\r\n", "\n").replace("\r", "\n") if "\r" in text else text


def scrub(text: str) -> str:
    """Lone surrogates, which no index or hash can hold, become U+FFFD; the length stays the same."""
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        return "".join("\ufffd" if "\ud800" <= char <= "\udfff" else char for char in text)
    return text

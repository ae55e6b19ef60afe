"""Plain text: the file as it stands, no sections."""

from __future__ import annotations

from ragtriage.corpus.base import Parsed, ParsedFile
from ragtriage.corpus.decoding import decode, unify_newlines

__all__ = ["parse_plain_text"]


def parse_plain_text(data: bytes, source: str, access_key: str) -> ParsedFile:
    """One document. Raises NotText."""
    return ParsedFile([Parsed("", "", unify_newlines(decode(data)))])

"""Small corpora for the tests of reading."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from ragtriage.config import CorpusConfig
from ragtriage.corpus.base import Corpus
from ragtriage.corpus.reader import read_corpus

__all__ = ["corpus_of", "files"]


def files(root: Path, contents: Mapping[str, str | bytes]) -> Path:
    """Write `contents` by path below `root`."""
    for name, content in contents.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content.encode("utf-8") if isinstance(content, str) else content)
    return root


def corpus_of(tmp_path: Path, contents: Mapping[str, str | bytes], **config: object) -> Corpus:
    """The corpus of these files, below tmp_path/docs, with its cache beside it."""
    root = files(tmp_path / "docs", contents)
    return read_corpus(root, CorpusConfig(**config), cache=tmp_path / "cache")  # type: ignore[arg-type]

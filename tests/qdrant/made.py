"""Projects whose vectors come with them: everything is as it is with a model, and none is loaded.

A vector is the sum of one random direction a word, so that texts that share words are near.
"""

from __future__ import annotations

import contextlib
import functools
import hashlib
import io
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from ragtriage.project import Project
from ragtriage.project_places import SHIPPED_VECTORS
from ragtriage.search.vectors_cache import VectorCache, key_of

__all__ = ["Done", "configure", "made_project", "plant", "ragtriage"]

_WIDTH = 384


class Done(NamedTuple):
    """A finished command."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        return json.loads(self.out)


def made_project(root: Path, rows: Sequence[dict[str, Any]], questions: Sequence[dict[str, Any]]) -> Path:
    """A project of JSONL documents, each a few words long, with its vectors beside it."""
    (root / "docs").mkdir(parents=True)
    (root / "evals").mkdir()
    (root / "docs" / "pages.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    (root / "evals" / "golden.jsonl").write_text("".join(json.dumps(row) + "\n" for row in questions), encoding="utf-8")
    plant(root)
    return root


def configure(root: Path, urls: Sequence[str], collection: str, **keys: Any) -> None:
    """Write a ragtriage.toml whose system is a collection."""
    values = {"system": "qdrant", "urls": list(urls), "collection": collection, **keys}
    lines = [f"{key} = {json.dumps(value)}\n" for key, value in values.items()]
    (root / "ragtriage.toml").write_text("[retrieval]\n" + "".join(lines), encoding="utf-8")


def plant(root: Path) -> None:
    """Ship a vector for each chunk and each question of the project in `root`."""
    project = Project.open(root)
    texts = [*project.chunks.units.indexed_texts(), *(question.sent for question in project.golden.questions)]
    encoder = project.encoder.fingerprint
    project.close()
    own = VectorCache(root / "made.sqlite")
    own.put({key_of(encoder, text): _vector(text) for text in dict.fromkeys(texts)})
    own.export(root / SHIPPED_VECTORS, [key_of(encoder, text) for text in texts])
    own.close()
    for file in root.glob("made.sqlite*"):
        file.unlink()


def ragtriage(root: Path, *words: str) -> Done:
    """One command in `root`."""
    from ragtriage_tui.cli import main

    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        code = main(["-C", str(root), *words, "--ascii"])
    return Done(code, out.getvalue(), err.getvalue())


def _vector(text: str) -> np.ndarray:
    total = np.sum([_direction(word) for word in text.lower().split() or [""]], axis=0)
    length = float(np.linalg.norm(total))
    return (total / length if length else total).astype(np.float16)


@functools.cache
def _direction(word: str) -> np.ndarray:
    seed = int.from_bytes(hashlib.sha256(word.encode("utf-8", "replace")).digest()[:8], "big")
    return np.random.default_rng(seed).standard_normal(_WIDTH)

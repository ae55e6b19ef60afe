"""Git LFS pointers among exported files: their content where it is on this machine, else their names. Nothing is fetched."""

from __future__ import annotations

import hashlib
import os
import re
import shutil
from collections.abc import Iterable
from pathlib import Path

from ragtriage.types import Document

__all__ = ["fill_pointers", "is_pointer", "kept_elsewhere"]

_LONGEST = 1024  # bytes; the specification's own limit
_POINTER = re.compile(
    rb"version https://git-lfs\.github\.com/spec/v1\n(?:[a-z0-9.-]+ [^\n]*\n)*?oid sha256:([0-9a-f]{64})\nsize (\d{1,18})\n"
)


def is_pointer(text: str) -> bool:
    """Whether a file's text is a pointer to what Git LFS keeps elsewhere."""
    return len(text) <= _LONGEST and _POINTER.match(text.encode("utf-8", "surrogatepass")) is not None


def kept_elsewhere(documents: Iterable[Document]) -> str:
    """Why the files of a working tree cannot be measured whole: Git LFS has not brought one. "" where all are here."""
    pointer = next((one.doc_id for one in documents if is_pointer(one.text)), "")
    return f"Git LFS keeps {pointer} elsewhere and it is not here; git lfs pull brings it" if pointer else ""


def fill_pointers(root: Path, paths: Iterable[str], store: Path) -> list[str]:
    """Put the content in the place of each pointer below `root`; remove those whose content `store` does not have.

    The removed ones are returned: the text of a pointer is no document.
    """
    missing = []
    for path in paths:
        place = root / path
        try:
            if place.lstat().st_size > _LONGEST:
                continue
            found = _POINTER.match(place.read_bytes())
            if found is None:
                continue
            if not _copied(found[1].decode("ascii"), int(found[2]), store, place):
                place.unlink()
                missing.append(path)
        except OSError:
            continue
    return missing


def _copied(oid: str, size: int, store: Path, target: Path) -> bool:
    source = store / oid[:2] / oid[2:4] / oid
    try:
        if source.stat().st_size != size:
            return False
        with source.open("rb") as handle:
            if hashlib.file_digest(handle, "sha256").hexdigest() != oid:
                return False
        temporary = target.with_name(".ragtriage-lfs")  # no document is called like that: names with a dot are left alone
        shutil.copyfile(source, temporary)
        os.replace(temporary, target)
    except OSError:
        return False
    return True

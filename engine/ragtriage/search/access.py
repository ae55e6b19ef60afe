"""Who may see what. Both retrievers ask here, inside the search and never after the cut.

A document without `access` is public; one with an empty list is seen by nobody but ("*",). A question without groups sees
public documents only; ("*",) sees everything.
"""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING

import numpy as np

from ragtriage.types import Groups

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ragtriage.types import Document

__all__ = ["access_tags", "all_public", "seen_tags", "sees_everything", "visible", "visible_documents"]

_PUBLIC = "public"


def sees_everything(groups: Groups) -> bool:
    return groups is not None and "*" in groups


def visible(document_access: tuple[str, ...] | None, groups: Groups) -> bool:
    """Whether a question of `groups` may see a document with this `access`."""
    if sees_everything(groups) or document_access is None:
        return True
    return groups is not None and not set(groups).isdisjoint(document_access)


def all_public(documents: Sequence[Document]) -> bool:
    return all(document.access is None for document in documents)


def visible_documents(documents: Sequence[Document], groups: Groups) -> np.ndarray:
    """bool[len(documents)]: which of them `groups` may see."""
    return np.fromiter((visible(document.access, groups) for document in documents), dtype=bool, count=len(documents))


def access_tags(document_access: tuple[str, ...] | None) -> list[str]:
    """The tags that an index stores beside a document; none where only ("*",) may see it."""
    return [_PUBLIC] if document_access is None else sorted({_tag(group) for group in document_access})


def seen_tags(groups: Groups) -> list[str]:
    """The tags of which a document needs one to be seen by `groups`, which must not see everything."""
    return [_PUBLIC, *sorted({_tag(group) for group in groups or ()})]


def _tag(group: str) -> str:
    # A hash, since a group's name may be of any length and hold what an index cannot store.
    return hashlib.sha256(group.encode("utf-8", "surrogatepass")).hexdigest()[:32]

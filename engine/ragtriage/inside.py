"""Whether a path is in a folder."""

from __future__ import annotations

import os

__all__ = ["is_inside"]


def is_inside(root: str, path: str) -> bool:
    """Whether `path` is `root` or below it; both are as os.path.realpath or os.path.normpath has them."""
    return path == root or path.startswith(root.rstrip(os.sep) + os.sep)

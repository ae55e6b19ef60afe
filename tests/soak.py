"""One setting for the length of the long tests: RAGTRIAGE_SOAK=1 runs the counts that `make soak` promises."""

from __future__ import annotations

import os

__all__ = ["rounds"]


def rounds(small: int, long: int) -> int:
    """`small` as a rule, `long` when soaking."""
    return long if os.environ.get("RAGTRIAGE_SOAK") == "1" else small

"""The user's retriever as a function in the user's own interpreter, where nothing is installed: `myapp.rag:retrieve`.

`shim.py` is run there and calls it; to us that is a program like any other.
"""

from __future__ import annotations

from pathlib import Path

__all__ = ["python_command"]

_START = "import sys;p=sys.argv.pop(1);exec(compile(open(p,encoding='utf-8').read(),p,'exec'))"
"""Not the file itself: Python would then look for modules in its folder first, where some are called as those it brings."""


def python_command(python: str, search: str, answer: str = "") -> tuple[str, ...]:
    """What runs the function `search`, and `answer` where there is one, in the interpreter `python`."""
    shim = str(Path(__file__).with_name("shim.py"))
    return (python, "-u", "-c", _START, shim, search, *([answer] if answer else []))

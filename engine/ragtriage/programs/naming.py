"""What a program is called in reports and errors: by what tells it apart, which an interpreter does not."""

from __future__ import annotations

import re
from collections.abc import Sequence

from ragtriage.programs.words import clipped

__all__ = ["program_name"]

_RUNS_OTHERS = re.compile(
    r"(python|pypy|node|nodejs|deno|bun|ruby|perl|php|java|lua|Rscript|sh|bash|dash|zsh|env|nice|nohup|uv|poetry|pipenv|npx|"
    r"dotnet|julia|go)[0-9.]*(\.exe)?"
)
_VERBS = ("run", "exec")  # `uv run search.py`
_SCRIPT = re.compile(r"\.(py|pyz|pyc|js|mjs|cjs|ts|rb|pl|php|jar|lua|R|r|sh|bash|dll|jl|go)$")
_NAME = re.compile(r"[\w.-]*[A-Za-z][\w.-]*")
_SETS = re.compile(r"\w+=.*", re.DOTALL)  # a variable that env sets


def program_name(command: Sequence[str]) -> str:
    """`search.py` of `python3 -u tools/search.py --key …`, `search` of `./search`, `myapp.rag` of `python -m myapp.rag`.

    The interpreter where what it runs has no name, as with `-c`. Nothing behind what is run is named, nor what may be the
    value of a flag: that may be what nobody should see.
    """
    name, flag = (_last(command[0]) if command else ""), ""
    for word in command[1:]:
        if not _RUNS_OTHERS.fullmatch(name):
            break
        if flag in ("-c", "-e", "-lc"):
            break
        if word.startswith("-") or _SETS.fullmatch(word):
            flag = word if word.startswith("-") else flag
            continue
        last = _last(word)
        if flag in ("-m", "-jar") or _SCRIPT.search(last) or not (flag or word in _VERBS):
            name = last if _NAME.fullmatch(last) else name
            if not _RUNS_OTHERS.fullmatch(name):
                break
        flag = ""
    return clipped(name)


def _last(word: str) -> str:
    return word.rstrip("/").rpartition("/")[2] or word

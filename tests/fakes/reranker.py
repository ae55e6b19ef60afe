"""A program that reranks by length, the shortest passage best, and misbehaves when a question begins with a way to.

Each start is a line in the file named by the first argument, if there is one, and so is each question.
"""

from __future__ import annotations

import json
import os
import sys
import time
from pathlib import Path

LOG = Path(sys.argv[1]) if len(sys.argv) > 1 else None


def note(text: str) -> None:
    if LOG:
        with LOG.open("a", encoding="utf-8") as handle:
            handle.write(text + "\n")


def main() -> None:
    note("start")
    for line in sys.stdin:
        asked = json.loads(line)
        scores = [-float(len(text)) for text in asked["passages"]]
        note(f"{len(scores)} {asked['question']}")
        way, _, rest = asked["question"].partition(":")
        if way == "die":
            print("CUDA is not there", file=sys.stderr, flush=True)
            os._exit(1)
        elif way == "hang":
            time.sleep(600)
        elif way == "raw":
            print(rest, flush=True)
        else:
            print(json.dumps({"scores": scores}), flush=True)


if __name__ == "__main__":
    main()

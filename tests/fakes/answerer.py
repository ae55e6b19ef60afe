"""A program that answers in JSON lines, and misbehaves when a question begins with the name of a way to.

It starts a child of its own, which writes its process id to the file named by the first argument, if there is one.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from pathlib import Path
from typing import Any


def say(value: Any) -> None:
    print(json.dumps(value), flush=True)


def answer(asked: dict[str, Any]) -> None:
    number, question = asked["id"], asked["question"]
    way, _, rest = question.partition(":")
    if way == "die":
        print(f"I cannot go on with {os.environ.get('MY_KEY', 'nothing')}\x1b[31m", file=sys.stderr, flush=True)
        os._exit(3)
    elif way == "killed":
        os.kill(os.getpid(), 9)
    elif way == "once":  # dies the first time it is asked this, in any of its lives
        try:
            os.close(os.open(rest, os.O_CREAT | os.O_EXCL))
        except FileExistsError:
            say({"id": number, "text": "the second time"})
        else:
            os._exit(1)
    elif way == "hang":
        time.sleep(600)
    elif way == "garbage":
        print("Loading…\n{\n[1, 2]\n\x00\xff\n" + "7", flush=True)
        say({"id": "nobody", "text": "?"})
        said = [(None, "?"), (number, "after all that"), (number, "and once more")]
        lines = [json.dumps({"id": one, "text": text}) for one, text in said]
        print("\n".join(lines), flush=True)  # at once, so that nobody reads the first alone
    elif way == "partial":
        text = json.dumps({"id": number, "text": "in pieces"})
        for position in range(0, len(text), 7):
            print(text[position : position + 7], end="", flush=True)
            time.sleep(0.002)
        print(flush=True)
    elif way == "flood":
        while True:
            print("x" * 1_000_000, end="", flush=True)
    elif way == "chatter":
        while True:
            print("still loading", flush=True)
    elif way == "close":
        os.close(1)
        time.sleep(600)
    elif way == "raw":
        say({"id": number} | json.loads(rest))
    elif way == "env":
        say({"id": number, "text": json.dumps(dict(os.environ))})
    elif way == "cwd":
        say({"id": int(number), "text": str(Path.cwd())})
    elif way == "all":
        say({"id": number, "text": json.dumps(asked)})
    else:
        say({"id": number, "text": f"re: {question}", "input_tokens": 11, "output_tokens": 7, "model": "mine-1"})


if __name__ == "__main__":
    if len(sys.argv) > 1:
        subprocess.Popen(
            [sys.executable, "-c", f"import os, time; open({sys.argv[1]!r}, 'a').write(f'{{os.getpid()}}\\n'); time.sleep(600)"]
        )
    held: list[dict[str, Any]] = []
    for line in sys.stdin:
        asked = json.loads(line)
        if asked["question"] == "later":  # two of these are answered together, the last one first
            held.append(asked)
            if len(held) == 2:
                say({"id": held[1]["id"], "text": held[1]["prompt"]})
                say({"id": held[0]["id"], "text": held[0]["prompt"]})
        else:
            answer(asked)

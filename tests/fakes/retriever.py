"""A retriever as a program. What it does wrong is asked for in the question: "hang", "die", "flood", …; else it answers.

Its first argument, if any, is a file that gets its process id. Standard library only.
"""

import json
import os
import sys
import time

PASSAGE = "Goods may be sent back within 30 days of delivery."


def hits(question: str, k: int) -> object:
    if question == "duplicates":
        return ["refunds#1", "refunds#1", {"id": "own", "text": PASSAGE}, {"id": "own", "text": PASSAGE}]
    if question == "nan":
        return [{"id": "refunds#1", "score": float("nan")}, {"id": "shipping#1", "score": float("inf")}]
    if question == "more":
        return [f"no-{number}" for number in range(k + 500)]
    if question == "fewer":
        return []
    if question == "huge":
        return [{"id": "huge", "text": "x " * 5_000_000}]
    if question == "large":
        return [{"id": "large", "text": PASSAGE + " and more of it" * 60_000}]
    if question == "odd":
        return [None, 5, True]
    if question == "no list":
        return "refunds#1"
    return ["refunds#1", "shipping#1"]


def main() -> None:
    if len(sys.argv) > 1:
        with open(sys.argv[1], "a", encoding="utf-8") as file:
            file.write(f"{os.getpid()}\n")
    for line in sys.stdin.buffer:
        asked = json.loads(line)
        question = asked["question"]
        if question == "hang":
            time.sleep(3600)
        if question == "die":
            sys.stderr.write("it broke\n")
            sys.exit(3)
        if question == "flood":
            while True:
                sys.stdout.write("y" * 65_536)
        if question == "garbage":
            sys.stdout.buffer.write(b"\xff\xfe not JSON\n{]\n[1, 2]\n")
            sys.stdout.flush()
        if question == "latin":
            sys.stdout.buffer.write(b'{"hits": [{"id": "latin", "text": "caf\xe9 au lait"}]}\n')
            sys.stdout.flush()
            continue
        if question == "error":
            print(json.dumps({"error": "the index is closed"}), flush=True)
            continue
        if question == "environment":
            print(json.dumps({"hits": sorted(os.environ)}), flush=True)
            continue
        if asked.get("task") == "answer":
            print(json.dumps({"id": asked["id"], "answer": f"From {len(asked['passages'])}: 30 days [1]."}), flush=True)
            continue
        print(json.dumps({"id": asked["id"], "hits": hits(question, asked["k"]), "answer": "30 days [1]."}), flush=True)


if __name__ == "__main__":
    main()

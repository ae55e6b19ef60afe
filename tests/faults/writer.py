"""A process that labels, reviews, adds and saves until it is killed, and says what is on disk: run by the tests beside it."""

from __future__ import annotations

import itertools
import sys
from pathlib import Path

from ragtriage.golden.file import append_question, replace_question
from ragtriage.triage.reviews import ReviewLog, answer_sha
from ragtriage.triage.verdicts import VerdictLog


def main(folder: Path, name: str) -> None:
    golden = folder / "golden.jsonl"
    verdicts = VerdictLog(folder / "verdicts.jsonl")
    reviews = ReviewLog(folder / "reviews.jsonl")
    for number in itertools.count():
        qid = f"{name}-{number}"
        append_question(golden, {"qid": qid, "question": f"question {qid} " + "ä" * (number * 97 % 5000)})
        say(f"add {qid}")
        event = verdicts.record(qid, "misused", note="n" * (number * 131 % 6000), by="writer")
        say(f"label {event.id}")
        review = reviews.record(
            qid, answer_sha(qid, "an answer"), {"correct": True}, note="n" * (number * 71 % 3000), by="writer"
        )
        say(f"review {review.id}")
        replace_question(golden, qid, {"qid": qid, "question": f"saved {qid}", "kind": "exact"})
        say(f"save {qid}")


def say(what: str) -> None:
    sys.stdout.write(what + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2])

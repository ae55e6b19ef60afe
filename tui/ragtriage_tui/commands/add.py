"""`ragtriage add QUESTION`: a new line of the golden set, and whether it passes today."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from ragtriage_tui.call import Call

if TYPE_CHECKING:
    pass

__all__ = ["arguments", "run"]


def arguments(parser: argparse.ArgumentParser) -> None:
    from ragtriage.types import KINDS

    parser.add_argument(
        "question", nargs="?", metavar="QUESTION", help="as the user wrote it; read from standard input when left out"
    )
    parser.add_argument(
        "--quote",
        nargs=2,
        action="append",
        default=[],
        metavar=("DOC", "TEXT"),
        help="the words in a document that answer it; may be repeated",
    )
    parser.add_argument(
        "--evidence",
        action="append",
        default=[],
        metavar="REF",
        help="a coarser place: policy-refunds, billing.md#refunds, contract/§14.2, handbook.pdf#page=12, policy-refunds#3",
    )
    parser.add_argument("--unanswerable", action="store_true", help="the documents hold no answer")
    parser.add_argument(
        "--mention", action="append", default=[], metavar="TEXT", help="what a right answer must say; may be repeated"
    )
    parser.add_argument("--kind", choices=[kind for kind in KINDS if kind])
    parser.add_argument("--split", choices=("dev", "holdout"))
    parser.add_argument("--needs", choices=("all", "any"), help="all of its evidence, or any one")
    parser.add_argument("--access", metavar="GROUPS", help="the groups of whoever asks, separated by commas")
    parser.add_argument("--from", dest="source", metavar="WHENCE", help="log, ticket, chat, owner, builder or synthetic")
    parser.add_argument("--ref", metavar="REF", help="the ticket or log entry it came from")


def run(call: Call) -> int:
    return 0

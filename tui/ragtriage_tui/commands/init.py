"""`ragtriage init`: a commented ragtriage.toml, an empty golden set and its log, and how git merges them."""

from __future__ import annotations

import argparse

from ragtriage_tui.call import Call

__all__ = ["arguments", "run"]


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("path", nargs="?", metavar="PATH", help="the project folder (default: here)")
    parser.add_argument("--docs", metavar="DIR", help="where the documents lie, seen from PATH (default: a likely folder)")


def run(call: Call) -> int:
    from ragtriage.new_project import init_project

    call.must_write()
    root = call.path
    written, kept, docs = init_project(root, docs=call.args.docs or "")
    if call.out.json:
        call.out.document({"format": 1, "written": [str(path) for path in written], "kept": [str(path) for path in kept]})
        return 0
    call.out.text(*(f"wrote  {path}" for path in written), *(f"kept   {path}" for path in kept))
    if not (root / docs).is_dir():
        call.out.text("", f"There is no folder {docs} yet: put documents there, or set path under [corpus] in ragtriage.toml.")
    call.out.text("", 'Next: ragtriage add "a question as a user wrote it", then ragtriage')
    return 0

"""`ragtriage demo`: a copy of the sample, opened, or a small git history of it reviewed. Labels given in it stay."""

from __future__ import annotations

import argparse
import os
import shlex
import shutil
import tempfile
from pathlib import Path

from ragtriage_tui.call import Call
from ragtriage_tui.opening import open_project

__all__ = ["SHIPPED", "arguments", "copy_sample", "run", "sample_folder"]

SHIPPED = ("docs", "evals/golden.jsonl", "bug_reports.jsonl", "ragtriage.toml", "vectors.sqlite")
"""What the sample is. In a checkout other files may lie beside it: runs, and labels that somebody gave."""


def arguments(parser: argparse.ArgumentParser) -> None:
    from ragtriage_tui.commands import review

    parser.add_argument(
        "what", nargs="?", choices=("review",), help="review: a branch of the sample, compared with where it left main"
    )
    review.options(parser)
    parser.add_argument("--into", metavar="DIR", help="copy the sample into this folder instead of the user's state folder")


def run(call: Call) -> int:
    from ragtriage.errors import UsageError

    into = call.args.into
    reviewing = call.args.what == "review"
    given = [name for name in ("markdown", "github", "html", "answers", "yes") if getattr(call.args, name)]
    if given and not reviewing:
        raise UsageError(f"--{given[0]}: belongs to ragtriage demo review")
    mark = ".git" if reviewing else "ragtriage.toml"
    if into is None:
        target = _default_target().with_name("review" if reviewing else "sample")
    else:
        target = Path(call.args.directory or ".") / into
        if target.exists() and not target.is_dir():
            raise UsageError(f"{target}: a file is there; name a folder")
        if target.is_dir() and any(target.iterdir()) and not all((target / name).exists() for name in ("ragtriage.toml", mark)):
            raise UsageError(f"{target}: the folder holds something else; name a new or empty one")
    there = (target / mark).exists()
    if reviewing:
        code = _review(call, target)
    else:
        if not there:
            copy_sample(target)
        code = open_project(call, target)
    if into is not None:
        for_a_program = call.out.json or call.args.markdown or call.args.github  # which reads all of standard output
        (call.out.say if for_a_program else call.out.text)(*_made(target, there=there, reviewing=reviewing))
    return code


def _made(target: Path, *, there: bool, reviewing: bool) -> list[str]:
    """Which folder it is, and how to go on in it."""
    what = "the sample with a branch to review" if reviewing else "the sample"
    said = f"{target}: {what}, as it was left" if there else f"{target}: made, {what}"
    then = "ragtriage review" if reviewing else "ragtriage, or ragtriage eval"
    return [said, f"next: cd {shlex.quote(str(target))}, then {then}"]


def _review(call: Call, target: Path) -> int:
    from ragtriage_tui.call import open_project_at
    from ragtriage_tui.commands.review import in_the_app, opens_the_app, review_on
    from ragtriage_tui.demo_history import build_history

    if not (target / ".git").exists():
        build_history(target)
    if opens_the_app(call):
        return in_the_app(call, target, base=None, head=None)
    project = open_project_at(call, target)
    try:
        return review_on(call, project, base=None, head=None)
    finally:
        project.close()


def sample_folder() -> Path:
    """The sample that came with this installation, or the one of the checkout. Raises UsageError where neither is there."""
    from ragtriage.errors import UsageError

    package = Path(__file__).resolve().parent.parent
    for place in (package / "sample_corpus", package.parent.parent / "sample_corpus"):
        if (place / "ragtriage.toml").is_file():
            return place
    raise UsageError("the sample is missing from this installation; install ragtriage again")


def copy_sample(target: Path) -> None:
    """Copy the sample to `target`, whole or not at all. Only contents are copied: an installed package may be read-only."""
    source = sample_folder()
    target.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix=".sample-", dir=target.parent) as temporary:
        new = Path(temporary) / "sample"
        for path in _files(source):
            place = new / path.relative_to(source)
            place.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(path, place)
        try:
            new.rename(target)  # an empty folder is replaced
        except OSError:
            if not (target / "ragtriage.toml").is_file():  # else another process was faster
                raise


def _default_target() -> Path:
    """A folder of the user's state, another one for each state of the sample."""
    from ragtriage.ids import fingerprint
    from ragtriage.paths import state_dir

    source = sample_folder()
    names = [[str(path.relative_to(source)), path.stat().st_size] for path in _files(source)]
    return state_dir() / "demo" / fingerprint(names)[:8] / "sample"


def _files(source: Path) -> list[Path]:
    """The files of the sample, sorted."""
    found = [source / name for name in SHIPPED if (source / name).is_file()]
    for folder, names, files in os.walk(source / "docs"):
        names[:] = [name for name in names if not name.startswith((".", "__"))]
        found += [Path(folder) / name for name in files if not name.startswith(".")]
    return sorted(found)

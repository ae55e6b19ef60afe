"""`ragtriage review [BASE]`: two revisions of the project, measured and compared."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from ragtriage_tui.agreeing import asking_arguments
from ragtriage_tui.call import Call, clean, overrides, parse_groups
from ragtriage_tui.figures import Marks

if TYPE_CHECKING:
    from ragtriage.project import Project
    from ragtriage.review.review import Review

__all__ = ["arguments", "in_the_app", "opens_the_app", "options", "review_on", "run"]


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.description = (
        "Both revisions are exported, measured over the head's golden set with their own configuration and documents, and "
        "compared question by question. The repository is only read. Exit code: that of the gate."
    )
    parser.add_argument(
        "base", nargs="?", metavar="BASE", help="the commit to compare with (default: the merge base with the default branch)"
    )
    parser.add_argument("--head", metavar="REF", help="the commit to look at (default: the files as they are)")
    options(parser)


def options(parser: argparse.ArgumentParser) -> None:
    """How a review is told, and which answers are made for it."""
    form = parser.add_mutually_exclusive_group()
    form.add_argument("--markdown", action="store_true", help="for a pull request")
    form.add_argument("--github", action="store_true", help="as annotations of a GitHub build")
    parser.add_argument("--html", metavar="FILE", help="write it into one HTML file besides")
    parser.add_argument(
        "--answers",
        choices=("none", "live", "oracle", "both"),
        help="which answers to make, asking the model for those that are not known; left out: both, from what is known",
    )
    asking_arguments(parser)


def run(call: Call) -> int:
    if opens_the_app(call):
        return in_the_app(call, call.path, base=call.args.base, head=call.args.head)
    project = _project(call)
    try:
        return review_on(call, project, base=call.args.base, head=call.args.head)
    finally:
        project.close()


def opens_the_app(call: Call) -> bool:
    """Whether somebody sits there to decide flips: on a terminal, where no form of text and no new answer is asked for."""
    from ragtriage_tui.opening import has_terminal

    args = call.args
    told = args.plain or args.json or args.markdown or args.github or args.html is not None or args.answers is not None
    return not told and has_terminal()


def in_the_app(call: Call, path: Path, *, base: str | None, head: str | None) -> int:
    """The app, opened at the review; the exit code."""
    from ragtriage_tui.review_opening import open_review

    args = call.args
    return open_review(
        path,
        clean(base) if base is not None else None,
        clean(head) if head is not None else None,
        overrides=(*args.set, *overrides(args)),
        groups=parse_groups(args.groups),
        read_only=args.read_only,
        trusted=args.trust,
        mouse=args.mouse,
        ascii=args.ascii,
    )


def review_on(call: Call, project: Project, *, base: str | None, head: str | None) -> int:
    """Review `project` as the call's options want it; the exit code."""
    from ragtriage.review.review import review
    from ragtriage.revisions.measuring import Asking

    args = call.args
    agreeing = call.agreeing()
    html = _html_target(call)
    asking = Asking(args.answers or "both", agreeing if args.answers not in (None, "none") else None)
    with agreeing.telling(project):
        found = review(
            project,
            clean(base) if base is not None else None,
            clean(head) if head is not None else None,
            overrides=(*args.set, *overrides(args)),
            asking=asking,
            store=not args.read_only,
            progress=call.progress(),
        )
    if html is not None:
        _write_html(call, html, found, project)
    _print(call, found, project)
    _say_problems(call, found, project)
    return found.gate.exit_code


def _project(call: Call) -> Project:
    from ragtriage.errors import UsageError
    from ragtriage.git import Repository

    try:
        return call.project()
    except UsageError:
        if call.path.is_dir():
            Repository.of(call.path)  # that there is no working tree at all is the better reason
        raise


def _print(call: Call, found: Review, project: Project) -> None:
    args = call.args
    if call.out.json:
        from ragtriage.review.document import to_json

        call.out.document(to_json(found))
    elif args.markdown:
        from ragtriage.review.markdown import markdown

        call.out.text(markdown(found).rstrip("\n"))
    elif args.github:
        from ragtriage.review.annotations import workflow_commands

        call.out.commands(*workflow_commands(found, _golden_name(found, project)))
    else:
        from ragtriage_tui.review_text import review_lines

        call.out.text(*map(Marks(call.out.ascii), review_lines(found)))


def _golden_name(found: Review, project: Project) -> str:
    from ragtriage.git import Repository

    path = Path(found.golden.path) if found.head.working else project.golden_path
    try:
        return path.resolve().relative_to(Repository.of(project.root).top).as_posix()
    except ValueError:
        return path.name


def _html_target(call: Call) -> Path | None:
    """The file that --html names. Raises UsageError or StorageError where it cannot be written, before anything is measured."""
    from ragtriage.errors import UsageError
    from ragtriage.files import check_writable

    if call.args.html is None:
        return None
    target: Path = Path(call.args.directory or ".") / call.args.html
    if target.is_dir() or not target.parent.is_dir():
        raise UsageError(f"--html: {target}: name a file in a folder that is there")
    check_writable(target)
    return target


def _write_html(call: Call, target: Path, found: Review, project: Project) -> None:
    from ragtriage.files import atomic_write
    from ragtriage.review.html import page
    from ragtriage.surrogates import clean_text

    atomic_write(target, clean_text(page(found, title=project.name)).encode("utf-8"))
    call.out.say(f"wrote {target}")


def _say_problems(call: Call, found: Review, project: Project) -> None:
    """What is wrong with the head's golden set and the verdicts, on standard error; the gate knows what of it matters to it."""
    from ragtriage_tui.problems import say_problems

    say_problems(call, [one for one in (*found.golden.problems, *project.verdicts.problems()) if one.severity != "advice"])

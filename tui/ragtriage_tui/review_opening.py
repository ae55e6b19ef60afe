"""`ragtriage review` on a terminal: the app, opened at Review. No Textual in here."""

from __future__ import annotations

from pathlib import Path

__all__ = ["open_review"]


def open_review(
    path: Path,
    base: str | None = None,
    head: str | None = None,
    *,
    overrides: tuple[str, ...] = (),
    groups: tuple[str, ...] | None = None,
    read_only: bool = False,
    trusted: bool = False,
    mouse: bool = False,
    ascii: bool = False,  # noqa: A002 - named as the option is
) -> int:
    """Open the app on a project at the review of two revisions, and return the exit code.

    `base` None is the merge base with the default branch, `head` None the working tree. The others are as for `run_app`.
    Whether there is a terminal is asked by `opening.has_terminal`. What is wrong with the revisions is said on the screen.
    """
    from ragtriage_tui.app import run_app

    return run_app(
        path,
        overrides=overrides,
        groups=groups,
        read_only=read_only,
        trusted=trusted,
        mouse=mouse,
        ascii=ascii,
        opens=("Review", {"base": base, "head": head}),
    )

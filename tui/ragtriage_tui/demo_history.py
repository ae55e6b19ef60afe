"""A small git history built from the sample, for `ragtriage demo review`: main, and a branch that mends some and breaks others.

Every commit has a fixed author and date, and nobody's git configuration takes part: the same sample gives the same commits.
"""

from __future__ import annotations

import os
import subprocess
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from ragtriage_tui.commands.demo import copy_sample

__all__ = ["BRANCH", "STEPS", "Step", "build_history", "take_steps"]

BRANCH = "smaller-chunks"
_MAIN = "main"
_TIMEOUT_S = 120
_IDENTITY = {"NAME": "Fernway docs", "EMAIL": "docs@fernway.example"}


class Step(NamedTuple):
    """One commit of the branch: its message, and what it does to the sample's folder."""

    message: str
    change: Callable[[Path], None]


def _smaller_chunks(root: Path) -> None:
    with (root / "ragtriage.toml").open("a", encoding="utf-8") as handle:
        handle.write("\n[chunking]\nsize = 96\n")


def _saturday_hours(root: Path) -> None:
    """An edit that nobody told the golden set of: a label's quote is no longer there."""
    _replace(root / "docs" / "opening-hours.txt", "Saturday 09:00-17:00", "Saturday 10:00-16:00")


def _old_schedule(root: Path) -> None:
    (root / "docs" / "billing" / "payout-schedule-2022.md").unlink()


def _gift_card_period(root: Path) -> None:
    """An edit with its label: the question stands apart, since another label decides now."""
    old = "A gift card expires 36 months after it was sold"
    new = "A gift card can be spent for 36 months from the day of its sale"
    _replace(root / "docs" / "gift-cards.md", old, new)
    _replace(root / "evals" / "golden.jsonl", old, new)


STEPS = (
    Step("Cut into smaller chunks", _smaller_chunks),
    Step("Saturday hours from December", _saturday_hours),
    Step("The payout schedule of 2022 is gone", _old_schedule),
    Step("Gift cards: the period in plain words, and the label that quotes it", _gift_card_period),
)


def take_steps(root: Path) -> None:
    """Do to a copy of the sample what the branch does, without git."""
    for step in STEPS:
        step.change(root)


def build_history(target: Path) -> None:
    """Make the repository at `target`, whole or not at all, with the branch checked out. Raises UsageError."""
    target.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix=".history-", dir=target.parent) as temporary:
        new = Path(temporary) / "sample"
        copy_sample(new)
        _git(new, 0, "init", "-q", f"--initial-branch={_MAIN}")
        _commit(new, 0, "The help centre and its golden set")
        _git(new, 0, "checkout", "-q", "-b", BRANCH)
        for day, step in enumerate(STEPS, start=1):
            step.change(new)
            _commit(new, day, step.message)
        try:
            new.rename(target)  # an empty folder is replaced
        except OSError:
            if not (target / ".git").is_dir():  # else another process was faster
                raise


def _commit(root: Path, day: int, message: str) -> None:
    _git(root, day, "add", "-A")
    _git(root, day, "commit", "-q", "-m", message)


def _git(root: Path, day: int, *words: str) -> None:
    from ragtriage.errors import UsageError

    at = f"2026-11-{2 + day:02d}T09:00:00+00:00"
    people = {f"GIT_{who}_{what}": value for who in ("AUTHOR", "COMMITTER") for what, value in _IDENTITY.items()}
    env = {
        **{key: value for key, value in os.environ.items() if not key.startswith("GIT_")},
        **people,
        "GIT_AUTHOR_DATE": at,
        "GIT_COMMITTER_DATE": at,
        "GIT_CONFIG_GLOBAL": os.devnull,
        "GIT_CONFIG_NOSYSTEM": "1",
        "GIT_TEMPLATE_DIR": "",
        "HOME": str(root),
        "XDG_CONFIG_HOME": str(root),
        "LC_ALL": "C",
    }
    settings = ("core.autocrlf=false", "gc.auto=0", "commit.gpgSign=false", f"core.hooksPath={os.devnull}")
    command = ["git", *(word for setting in settings for word in ("-c", setting)), *words]
    try:
        done = subprocess.run(command, cwd=root, env=env, capture_output=True, timeout=_TIMEOUT_S, check=False)
    except FileNotFoundError:
        raise UsageError("git is not installed, or not in PATH; the history of the demo is made with it") from None
    except subprocess.TimeoutExpired:
        raise UsageError(f"git has not answered for {_TIMEOUT_S} s") from None
    if done.returncode:
        raise UsageError(f"git {words[0]}: {done.stderr.decode('utf-8', 'replace').strip() or f'exit code {done.returncode}'}")


def _replace(path: Path, old: str, new: str) -> None:
    from ragtriage.errors import UsageError

    text = path.read_text(encoding="utf-8")
    if old not in text:
        raise UsageError(f"{path.name}: the sample is another one than the history was made for; install ragtriage again")
    path.write_text(text.replace(old, new), encoding="utf-8")

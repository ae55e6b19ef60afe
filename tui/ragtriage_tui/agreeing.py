"""The user's word before anything is sent to a language model: what it will take is said, then `Y` on a terminal or `--yes`."""

from __future__ import annotations

import argparse
import contextlib
import sys
from collections.abc import Iterator
from typing import TYPE_CHECKING

from ragtriage_tui.estimates import asking_line

if TYPE_CHECKING:
    from ragtriage.project import Project
    from ragtriage.remote.estimate import Estimate
    from ragtriage_tui.output import Output

__all__ = ["Agreeing", "asking_arguments", "repeat_argument", "types_y"]

_MOST_REPEATS = 99


def asking_arguments(parser: argparse.ArgumentParser) -> None:
    """The option of a command that may send something to a language model."""
    parser.add_argument("--yes", action="store_true", help="send without being asked; what it takes is said all the same")


def repeat_argument(parser: argparse.ArgumentParser, purpose: str) -> None:
    """The option of a command that measures with answers for which a model is asked anew."""
    parser.add_argument("--repeat", type=_counted, default=0, metavar="N", help=purpose)


def _counted(text: str) -> int:
    """1, 2 and so on."""
    if not (text.isascii() and text.isdigit() and 0 < int(text[:10]) <= _MOST_REPEATS):
        raise argparse.ArgumentTypeError(f"a number from 1 to {_MOST_REPEATS}, not {text[:20]!r}")
    return int(text)


class Agreeing:
    """An Agree (see answers.models.estimate) for one run of one command.

    A stage is asked about once: what is sent on top of it, such as the second try after a reply that cannot be read, is not
    known before. Texts that are embedded are asked about each time. What goes to a server on this machine, without prices,
    needs no word.
    """

    def __init__(self, out: Output, *, yes: bool) -> None:
        self._out = out
        self._yes = yes
        self._agreed: set[str] = set()

    def __call__(self, found: Estimate) -> None:
        """See Agree. Raises UsageError without a terminal, Cancelled where the user says no, ConfigError (no address)."""
        if found.stage in self._agreed and not found.texts:
            return
        from ragtriage.remote.wording import is_free

        free = is_free(found.endpoint)  # before anything is said of an address that is none
        self._out.say(asking_line(found))
        if not (free or self._yes):
            self._ask()
        self._agreed.add(found.stage)

    def _ask(self) -> None:
        from ragtriage.errors import Cancelled, UsageError

        if not (_is_terminal(sys.stdin) and _is_terminal(sys.stderr)):
            raise UsageError("nothing was sent: there is no terminal to ask on; --yes agrees to this")
        self._out.say("Send them? Y sends, anything else does not.")
        if not types_y():
            raise Cancelled("nothing was sent")

    @contextlib.contextmanager
    def telling(self, project: Project) -> Iterator[None]:
        """Where Ctrl-C comes after something was sent, say how many replies were kept. Raises Cancelled then."""
        try:
            yield
        except KeyboardInterrupt:
            if not self._agreed:
                raise
            from ragtriage.errors import Cancelled

            kept = _kept(project)
            replies = f"{kept:,} {'reply that came is' if kept == 1 else 'replies that came are'} kept"
            raise Cancelled(f"interrupted; {replies}, and the next run asks only for the rest") from None


def types_y() -> bool:
    """Wait for a line on the terminal, after a question that was just shown; whether it is `Y`."""
    import termios

    termios.tcflush(sys.stdin, termios.TCIFLUSH)  # what was typed before the question was shown is no answer to it
    return sys.stdin.readline().strip() == "Y"


def _kept(project: Project) -> int:
    told = [one.manifest() for one in (project.generator, project.judge) if one is not None]
    return sum(one.get("asked", 0) - one.get("failed", 0) for one in told)


def _is_terminal(stream: object) -> bool:
    isatty = getattr(stream, "isatty", None)
    return bool(isatty and isatty())

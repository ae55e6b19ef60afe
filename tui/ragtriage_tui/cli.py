"""`ragtriage [PATH]` opens the app; `ragtriage COMMAND` answers on standard output. Loads only what the command needs.

Exit codes: 0 fine; 1 regressed; 2 bad use or bad input; 3 cannot tell, or some questions failed; 130 interrupted.
"""

from __future__ import annotations

import argparse
import gc
import importlib
import os
import signal
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NoReturn

from ragtriage.errors import Cancelled, RagtriageError, UsageError
from ragtriage_tui.call import Call
from ragtriage_tui.commands import COMMANDS
from ragtriage_tui.output import Output

__all__ = ["command_parser", "main", "script"]

_WITH_VALUE = {"-C", "--set", "--as"}  # the global options that take the next word

_OVERVIEW = """\
usage: ragtriage [PATH]              open the app on a project folder or a BEIR folder
       ragtriage COMMAND [options]   ragtriage COMMAND --help says more

commands:
{commands}

options, before or after the command:
  -C PATH          work in this folder
  --json           one JSON document on standard output
  --plain          text, also where the app would open
  --set KEY=VALUE  override ragtriage.toml, e.g. --set retrieval.mode=bm25; may be repeated
  --as GROUPS      ask with these access groups, separated by commas; '*' sees everything
  --read-only      write nothing into the project
  --trust          run and send what the configuration asks for, in this command; see ragtriage trust
  --verbose        log each step, and where an error came from, on standard error
  --ascii          no characters beyond ASCII of our own
  --mouse          let the app have the mouse
  --version        print the version
"""


class _Parser(argparse.ArgumentParser):
    """Argument errors are raised like all others, and read like them."""

    def error(self, message: str) -> NoReturn:
        raise UsageError(f"{message}{self._hint(message)}\nSee {self.prog} --help.")

    def _hint(self, message: str) -> str:
        import difflib

        marker, _, rest = message.partition(": ")
        if marker != "unrecognized arguments":
            return ""
        word = rest.split()[0].partition("=")[0]
        if not word.startswith("-"):
            return f"; the command comes first: ragtriage {word}" if word in COMMANDS and " " not in self.prog else ""
        close = difflib.get_close_matches(word, self._option_string_actions, n=1)
        return f"; did you mean {close[0]}?" if close else ""


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command and return its exit code. Never raises, never prints a traceback."""
    words = list(sys.argv[1:] if argv is None else argv)
    out = Output(json="--json" in words, ascii_only="--ascii" in words)
    try:
        return _dispatch(words, out)
    except KeyboardInterrupt:
        out.say("", "interrupted; everything done so far is kept")
        return Cancelled.exit_code
    except RagtriageError as error:
        if "--verbose" in words:
            from ragtriage_tui.crash import traceback_of

            out.say(traceback_of(error))
        out.say(f"ragtriage: {error}")
        return error.exit_code
    except OSError as error:
        where = f"{os.fsdecode(error.filename)}: " if isinstance(error.filename, (str, bytes)) else ""
        out.say(f"ragtriage: {where}{error.strerror or error}")
        return 2
    except Exception as error:
        from ragtriage_tui.crash import write_crash

        log = write_crash(error, show="--verbose" in words)
        out.say(f"ragtriage: unexpected {type(error).__name__}: {error}", *([f"The details are in {log}"] if log else []))
        return 2


def script() -> NoReturn:
    """The `ragtriage` command: `main`, then out at once.

    A warm `eval` takes a third of a second. Looking for cycles in what lives to the end anyway, and taking the interpreter
    apart object by object, would add a fifth to that.
    """
    gc.set_threshold(200_000, 20, 20)
    for number in (signal.SIGTERM, signal.SIGHUP):  # as Ctrl-C: a program that answers for us must not outlive us
        if signal.getsignal(number) is signal.SIG_DFL:  # nohup has the other
            signal.signal(number, signal.default_int_handler)
    code = main()
    for stream in (sys.stdout, sys.stderr):
        try:
            if stream is not None:  # closed before we began
                stream.flush()
        except (OSError, ValueError):  # the reader has gone
            continue
    threads = sys.modules.get("threading")
    if "textual" in sys.modules or (threads is not None and threads.active_count() > 1):
        sys.exit(code)
    os._exit(code)


def _dispatch(words: list[str], out: Output) -> int:
    name, rest = _split(words)
    if name is None:
        return _open(rest, out)
    command = importlib.import_module(f"ragtriage_tui.commands.{name.replace('-', '_')}")
    parser = command_parser(f"ragtriage {name}", COMMANDS[name])
    command.arguments(parser)
    return _run(command.run, parser, rest, out)


def _run(run: Any, parser: argparse.ArgumentParser, words: list[str], out: Output) -> int:
    try:
        args = parser.parse_args(words)
    except SystemExit as stop:  # --help and --version have printed what they say
        return int(stop.code or 0)
    return int(run(Call(args, out)))


def _split(words: list[str]) -> tuple[str | None, list[str]]:
    """The command and the other words; None where the first word that is no option names no command."""
    position = 0
    while position < len(words):
        word = words[position]
        if word in _WITH_VALUE:
            position += 2
        elif word.startswith("-") and word not in ("-", "--"):
            position += 1
        elif word in COMMANDS:
            return word, words[:position] + words[position + 1 :]
        else:
            break
    return None, words


def command_parser(prog: str, description: str) -> argparse.ArgumentParser:
    """A parser with the options that hold everywhere."""
    parser = _Parser(prog=prog, description=description, allow_abbrev=False)
    group = parser.add_argument_group("everywhere")
    group.add_argument("-C", dest="directory", metavar="PATH", help="work in this folder")
    group.add_argument("--json", action="store_true", help="one JSON document on standard output")
    group.add_argument("--plain", action="store_true", help="text, also where the app would open")
    group.add_argument("--set", action="append", default=[], metavar="KEY=VALUE", help="override ragtriage.toml")
    group.add_argument("--as", dest="groups", metavar="GROUPS", help="ask with these access groups; '*' sees everything")
    group.add_argument("--read-only", action="store_true", help="write nothing into the project")
    group.add_argument("--trust", action="store_true", help="agree, for this command, to what the configuration runs or sends")
    group.add_argument("--verbose", action="store_true", help="log each step on standard error")
    group.add_argument("--ascii", action="store_true", help="no characters beyond ASCII of our own")
    group.add_argument("--mouse", action="store_true", help="let the app have the mouse")
    return parser


def _open(words: list[str], out: Output) -> int:
    if words and words[0] in ("-h", "--help"):
        out.text(_OVERVIEW.format(commands="\n".join(f"  {name:<10} {line}" for name, line in COMMANDS.items())).rstrip())
        return 0
    if "--version" in words:
        from importlib.metadata import version

        out.text(f"ragtriage {version('ragtriage')}")
        return 0
    parser = command_parser("ragtriage", "open the app")
    parser.add_argument("path", nargs="?", metavar="PATH")
    return _run(_open_path, parser, words, out)


def _open_path(call: Call) -> int:
    given = call.args.path
    if given and not call.path.exists():
        import difflib

        close = difflib.get_close_matches(given, COMMANDS, n=1)
        hint = f"did you mean ragtriage {close[0]}?" if close else "ragtriage --help lists the commands."
        raise UsageError(f"{Path(given)}: neither a command nor a folder; {hint}")
    from ragtriage_tui.opening import open_project

    return open_project(call, call.path)

"""Which files in a project a command may run, as far as its words tell, also those of a shell's command inside of it.

Nothing is run and no shell is asked. More than a shell would take is taken: each word counts in each folder that the command
goes to. What only running it would tell is said to be so.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import NamedTuple

from ragtriage.inside import is_inside
from ragtriage.programs.modules import module_files

__all__ = ["CommandFiles", "command_files"]

_SHELLS = {"sh", "bash", "dash", "zsh", "ksh", "mksh", "ash", "fish", "busybox", "csh", "tcsh", "su", "script", "flock"}
_MODULE = re.compile(r"-[bBdEhiIOPqRsStuvVx?]*m(.*)", re.DOTALL)  # Python's short options that take no value, then `m`
_TEXT = re.compile(r"-[A-Za-z]*c|--command")  # a shell's, in front of its command
_FOLDER = re.compile(r"(?:-[i0v]*C|--(?:chdir|directory|cwd)=)(.+)", re.DOTALL)
_FOLDER_NEXT = re.compile(r"cd|pushd|chdir|-[i0v]*C|--(?:chdir|directory|cwd)")
_SPLIT = re.compile(r"(?:-[i0v]*S|--split-string=?)(.*)", re.DOTALL)  # of `env`
_HERE = re.compile(r"(?:\$PWD|\$\{PWD\})(?=/|$)")
_MADE = re.compile(r"[$`\[*?]|^~[^/]|^-$|^\w*(?:PATH|PWD|ENV)\+?=")  # what a shell makes other words of
# a comment, where a quote hides what follows it; patterns of some shells alone; a shell that is told what to do
_BEYOND = re.compile(r"(?:^|\s)#|[@?*+!]\(|\*\*|\[[:.=]|\|\s{0,9}(?:[^\s|]{0,99}/)?(?:ba|da|z|k|a)?sh\b")
_INDIRECT = {"eval", "xargs", "parallel", "find", "run-parts"}  # run what other words do not tell
_GLOB = re.compile(r"[*?\[]")
_SCRIPT = (".sh", ".py", ".pl", ".rb", ".js")
_STARTS = ("__main__.py", "__main__.pyc")  # what Python runs of a folder
_FOLDERS, _ENTRIES, _FILES, _DEPTH, _LONG = 8, 10_000, 500, 4, 1 << 16  # bounds: past one of them not all is told


class CommandFiles(NamedTuple):
    """`names` are what may name a file, relative to the project or absolute; `all_told` is False where a shell's command runs
    files that its words do not tell."""

    names: list[str]
    all_told: bool


def command_files(root: str, command: Sequence[str]) -> CommandFiles:
    """What may name a file: each word, what a shell would make of it, and what in `root` Python may take for a module behind
    `-m`, for the packages around it, which run before it does, or for what it runs of a folder."""
    words = _Words(root)
    words.read(command, shell=False, depth=0)
    return words.result()


class _Words:
    """The words of one command and of what is inside of them, first gathered, then looked up in all folders it goes to."""

    def __init__(self, root: str) -> None:
        self._root = root
        self._words: dict[str, bool] = {}  # whether a shell reads it
        self._modules: dict[str, None] = {}
        self._folders = [""]
        self._all_told = True
        self._left = _ENTRIES

    def read(self, words: Sequence[str], *, shell: bool, depth: int) -> None:
        has_shell = is_env = is_text = False
        for at, word in enumerate(words):
            after = next((one for one in words[at + 1 : at + 4] if not one.startswith("-")), "")
            following = words[at + 1] if at + 1 < len(words) else ""
            self._words[word] = self._words.get(word, False) or shell
            if module := _MODULE.fullmatch(word):
                self._modules[(module[1] or following).replace(".", "/")] = None
            if folder := _FOLDER.fullmatch(word):
                self._go(folder[1])
            elif _FOLDER_NEXT.fullmatch(word):
                self._go(after)
            if split := _SPLIT.fullmatch(word) if is_env else None:
                is_text = True
                self._split(split[1], shell=True, depth=depth)
            elif re.search(r"[\s\"'\\;&|<>()`]", word):
                self._split(word, shell=shell or is_text, depth=depth)
            elif is_text:
                self._words[word] = True
            if shell and word in _INDIRECT:
                self._all_told = False
            name = word.rpartition("/")[2]
            has_shell, is_env = has_shell or name in _SHELLS, is_env or name == "env"
            is_text = is_text or (has_shell and _TEXT.match(word) is not None)

    def _split(self, text: str, *, shell: bool, depth: int) -> None:
        """The words that a shell would read in `text`."""
        import shlex

        if depth == _DEPTH or len(text) > _LONG:
            self._all_told = self._all_told and not shell
            return
        lexer = shlex.shlex(text.replace("\\\n", ""), posix=True, punctuation_chars=True)
        lexer.whitespace_split, lexer.commenters = True, ""
        found: list[str] = []
        try:
            found.extend(lexer)
        except ValueError:  # a quote that nothing closes
            self._all_told = self._all_told and not shell
        if shell and _BEYOND.search(text):
            self._all_told = False
        if found != [text]:
            self.read(found, shell=shell, depth=depth + 1)

    def _go(self, folder: str) -> None:
        for place in list(self._matching(_plain(folder))):
            new = [_joined(known, place) for known in self._folders]
            self._folders = list(dict.fromkeys([*self._folders, *new]))
        if len(self._folders) > _FOLDERS:
            self._folders, self._all_told = self._folders[:_FOLDERS], False

    def result(self) -> CommandFiles:
        names: dict[str, None] = {}
        for word, shell in self._words.items():
            parts = (word, word.partition("=")[2], *re.split(r"[\s\"'`;&|<>()=]+", word))
            for part in dict.fromkeys(map(_plain, parts)):
                names |= dict.fromkeys(_joined(folder, part) for folder in self._folders if part)
            here = _plain(word)
            has_braces = "{" in here and ("," in here or ".." in here)
            if shell and (has_braces or _MADE.search(here)):
                found = [one for folder in self._folders for one in self._matching(_joined(folder, here))]
                is_glob = not has_braces and _GLOB.search(here) and not _MADE.search(_GLOB.sub("", here))
                self._all_told = self._all_told and bool(is_glob and found)
                names |= dict.fromkeys(found)
                start = re.split(r"[$`\[*?{]", here, maxsplit=1)[0].rpartition("/")[0]
                names |= dict.fromkeys(_joined(folder, start) for folder in self._folders if start)
        for folder in self._folders:
            files = module_files(Path(self._root, folder), self._modules) if self._modules else []
            names |= dict.fromkeys(_joined(folder, file) for file in files)
        folders = [name for name in names if self._is_folder(name)]
        names |= dict.fromkeys(_joined(folder, start) for folder in folders for start in _STARTS)
        if not self._all_told:
            names |= dict.fromkeys(islice(self._scripts(folders), _FILES))
        return CommandFiles([name for name in names if name], self._all_told)

    def _is_folder(self, name: str) -> bool:
        path = Path(self._root, name)
        return _is_dir(path) and is_inside(self._root, os.path.realpath(path))

    def _matching(self, pattern: str) -> list[str]:
        """What in the project a pattern of a shell stands for, or itself where it is none."""
        from fnmatch import fnmatchcase

        start = _GLOB.search(pattern)
        if start is None:
            return [pattern] if pattern else []
        fixed, _, rest = pattern[: start.start()].rpartition("/")
        found = ["/" if pattern.startswith("/") and not fixed else fixed]
        for part in (rest + pattern[start.start() :]).split("/"):
            if _GLOB.search(part):
                wanted = part.replace("[^", "[!")
                found = [_joined(at, one) for at in found for one in self._entries(at) if fnmatchcase(one, wanted)]
            else:
                found = [_joined(at, part) for at in found]
        return found

    def _entries(self, folder: str) -> list[str]:
        if not self._is_folder(folder):
            return []
        try:
            with os.scandir(Path(self._root, folder)) as entries:
                names = sorted(entry.name for entry in islice(entries, self._left))
        except (OSError, ValueError):
            return []
        self._left -= len(names)
        self._all_told = self._all_told and self._left > 0
        return names

    def _scripts(self, folders: Iterable[str]) -> Iterator[str]:
        """The scripts and programs below `folders`, without those of hidden folders."""
        waiting = list(folders)
        for folder in waiting:
            for entry in self._entries(folder):
                name = _joined(folder, entry)
                path = Path(self._root, name)
                if _is_dir(path):
                    waiting += [name] if not entry.startswith(".") and not path.is_symlink() else []
                elif entry.endswith(_SCRIPT) or os.access(path, os.X_OK):
                    yield name


def _plain(word: str) -> str:
    """`word` with the folder that a shell is in, or the user's own, in place of what stands for it."""
    word = _HERE.sub(".", word, count=1) if word.startswith("$") else word
    return os.environ.get("HOME", "~") + word[1:] if word == "~" or word.startswith("~/") else word


def _joined(folder: str, name: str) -> str:
    return f"{folder.rstrip('/')}/{name}" if folder and not name.startswith("/") else name


def _is_dir(path: Path) -> bool:
    try:
        return path.is_dir()
    except OSError:  # a word need not be the name of anything
        return False

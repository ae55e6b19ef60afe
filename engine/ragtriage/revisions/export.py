"""The files of a revision that its configuration names, in a folder of their own.

Git does it with a temporary index and a temporary git directory that borrows the user's objects: nothing of the user's
repository is written, and since that directory has no configuration but ours, no hook is known to it, no filter, no remote to
fetch from. Line ends, `ident` and encodings that .gitattributes asks for are applied, as in a checkout.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Callable, Collection, Iterable
from pathlib import Path, PurePosixPath
from typing import NamedTuple

from ragtriage.errors import StorageError, UsageError
from ragtriage.git import Repository, run_git, said
from ragtriage.revisions.filters import changed_by_filters, drivers
from ragtriage.revisions.lfs import fill_pointers
from ragtriage.revisions.naming import Revision

__all__ = ["Entry", "Export"]

_LINK, _SUBMODULE = "120000", "160000"
_FULL = (b"No space left on device", b"Disk quota exceeded")
_HOPS = 8  # links that a path may lead over


class Entry(NamedTuple):
    """One file of a revision: `mode` as git has it, the object's id, and its path below the top of the repository."""

    mode: str
    oid: str
    path: str


class Export:
    """One revision being exported below `folder`, which is empty at first. `tree` is where its files appear.

    `links_out` and `missing` fill up with every `write`: links that lead out of the export, which are removed, and Git LFS
    pointers whose content is not on this machine.
    """

    def __init__(self, repository: Repository, revision: Revision, folder: Path) -> None:
        self._repository = repository
        self._revision = revision
        self._folder = folder
        self.tree = folder / "tree"
        self.links_out: list[str] = []
        self.missing: list[str] = []
        try:
            self.tree.mkdir()
            self._git_dir()
        except OSError as error:
            raise StorageError(f"{folder}: a revision cannot be exported there: {error.strerror or error}") from error
        self._run("read-tree", revision.tree)
        self.entries = {entry.path: entry for entry in _entries(self._run("ls-files", "-s", "-z"))}
        self._taken: set[str] = set()

    def below(self, path: str) -> list[Entry]:
        """The entries of `path`: itself, or everything under it; "" is all of them."""
        if path in self.entries:
            return [self.entries[path]]
        return [entry for name, entry in self.entries.items() if not path or name.startswith(path + "/")]

    def is_folder(self, path: str) -> bool:
        """Whether `path` leads to a folder with a file in it that git keeps here."""
        real = self._through_links(path)
        return real not in self.entries and any(entry.mode != _SUBMODULE for entry in self.below(real))

    def submodules(self, path: str) -> list[str]:
        """Submodules under `path`, or the one that `path` lies in. Their files are not in this repository."""
        return [
            entry.path
            for entry in self.entries.values()
            if entry.mode == _SUBMODULE
            and (not path or (entry.path + "/").startswith(path + "/") or path.startswith(entry.path + "/"))
        ]

    def find(self, path: str, wanted: Callable[[str], bool] | None = None) -> list[Entry]:
        """What is at `path` (below the top); `wanted` chooses among paths below it. Only links on the way are written.

        A path that leads over links is followed inside the revision.
        """
        real = self._through_links(path)
        skip = len(real) + 1 if real else 0
        return [
            entry
            for entry in self.below(real)
            if entry.mode != _SUBMODULE and (wanted is None or entry.path == real or wanted(entry.path[skip:]))
        ]

    def take(self, path: str, wanted: Callable[[str], bool] | None = None) -> list[Entry]:
        """`find`, and write what was found."""
        found = self.find(path, wanted)
        self.write(found)
        return found

    def _through_links(self, path: str) -> str:
        for _ in range(_HOPS):
            parts = path.split("/")
            link = next(
                (
                    name
                    for end in range(1, len(parts) + 1)
                    if (entry := self.entries.get(name := "/".join(parts[:end]))) and entry.mode == _LINK
                ),
                "",
            )
            if not link:
                return path
            self.write([self.entries[link]])
            try:
                target = (self.tree / link).readlink()
            except OSError:  # it led out and was removed
                return path
            rest = path[len(link) :]
            path = os.path.normpath(str(PurePosixPath(link).parent / target) + rest)
            path = "" if path == "." else path
        return path

    def write(self, entries: Iterable[Entry]) -> None:
        """Make the files of these entries, each once."""
        new = [entry for entry in entries if entry.path not in self._taken]
        if not new:
            return
        names = b"".join(os.fsencode(entry.path) + b"\0" for entry in new)
        self._run("checkout-index", "-q", "-z", "--stdin", f"--prefix={self.tree}/", stdin=names)
        self._taken |= {entry.path for entry in new}
        self.links_out += _cut_links(self.tree, [entry.path for entry in new if entry.mode == _LINK])
        plain = [entry.path for entry in new if entry.mode != _LINK]
        self.missing += fill_pointers(self.tree, plain, self._repository.common / "lfs" / "objects")

    def filtered(self, entries: Iterable[Entry]) -> list[str]:
        """The files of these entries that a filter, which does not run here, makes others in a working tree."""
        here = self._repository.common / "info" / "attributes"
        if not here.is_file() and not any(path.rpartition("/")[2] == ".gitattributes" for path in self.entries):
            return []
        names = b"".join(os.fsencode(entry.path) + b"\0" for entry in entries if entry.mode not in (_LINK, _SUBMODULE))
        words = ("-c", f"core.attributesFile={here}", "check-attr", "-z", "--cached", "--stdin", "filter")
        changed = changed_by_filters(self._repository)
        return [os.fsdecode(path) for driver, path in drivers(self._run(*words, stdin=names)) if changed(driver)]

    def _git_dir(self) -> None:
        """A git directory by hand: `git init` would copy the hooks of somebody's template."""
        home = self._folder / "git"
        for name in ("refs", "objects"):
            (home / name).mkdir(parents=True)
        (home / "HEAD").write_text("ref: refs/heads/none\n", encoding="ascii")
        version, more = 0, ""
        if self._repository.object_format != "sha1":
            version, more = 1, f"[extensions]\n\tobjectFormat = {self._repository.object_format}\n"
        core = f"[core]\n\trepositoryFormatVersion = {version}\n\tbare = false\n\tsymlinks = true\n\tautocrlf = false\n"
        (home / "config").write_text(core + more, encoding="ascii")

    def _run(self, *words: str, stdin: bytes = b"") -> bytes:
        home = str(self._folder / "git")
        env = {
            **{key: value for key, value in os.environ.items() if not key.startswith("GIT_")},
            "GIT_DIR": home,
            "GIT_WORK_TREE": str(self.tree),
            "GIT_INDEX_FILE": str(self._folder / "index"),
            "GIT_ALTERNATE_OBJECT_DIRECTORIES": _quoted(self._repository.objects),
            "GIT_CONFIG_GLOBAL": os.devnull,
            "GIT_CONFIG_SYSTEM": os.devnull,
            "GIT_CONFIG_NOSYSTEM": "1",
            "GIT_ATTR_NOSYSTEM": "1",
            "HOME": home,  # before GIT_CONFIG_GLOBAL was known, that was where git looked
            "XDG_CONFIG_HOME": home,
        }
        done = run_git(self.tree, *words, stdin=stdin, env=env)
        if done.returncode:
            if any(text in done.stderr for text in _FULL):
                raise StorageError(
                    f"{self._folder}: the disk is full, so {self._revision.label} cannot be exported there; nothing of "
                    "yours was changed. Free some space and try again."
                )
            why = said(done)
            if any(text in why for text in ("unable to read", "missing", "bad object", "not a tree", "failed to unpack")):
                why += "; its objects are not all here (a partial clone): check it out once, or fetch them"
            raise UsageError(f"{self._revision.label}: cannot be exported: {why}")
        return done.stdout


def _entries(listed: bytes) -> Iterable[Entry]:
    for row in listed.split(b"\0"):
        facts, tab, path = row.partition(b"\t")
        if tab:
            mode, oid, _ = facts.decode("ascii").split(" ")
            yield Entry(mode, oid, os.fsdecode(path))


def _quoted(path: Path) -> str:
    """A path as git takes it in a list parted by colons."""
    text = str(path).replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
    return f'"{text}"'


def _cut_links(tree: Path, paths: Collection[str]) -> list[str]:
    """Remove links that lead out of the export; their names are returned."""
    root = os.path.realpath(tree)
    out = []
    for path in paths:
        place = tree / path
        try:
            if not stat.S_ISLNK(place.lstat().st_mode):
                continue
            real = os.path.realpath(place)
            if real != root and not real.startswith(root + os.sep):
                place.unlink()
                out.append(path)
        except OSError:
            continue
    return out

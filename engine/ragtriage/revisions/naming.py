"""Which two revisions are meant: names of commits, the working tree, and the merge base that is the usual base."""

from __future__ import annotations

from dataclasses import dataclass

from ragtriage.errors import UsageError
from ragtriage.git import Repository

__all__ = ["Revision", "default_base", "named", "working_tree"]

_DEFAULT_BRANCHES = (
    ("refs/remotes/origin/HEAD", "origin/HEAD"),
    ("refs/heads/main", "main"),
    ("refs/heads/master", "master"),
    ("refs/remotes/origin/main", "origin/main"),
    ("refs/remotes/origin/master", "origin/master"),
)
_SHOWN = 200
_REMOTES = 5  # that are looked at for a branch


@dataclass(frozen=True, slots=True)
class Revision:
    """One side. `name` is how the user would call it, `commit` and `tree` are full ids; both are "" for the working tree
    where nothing is committed yet. `why` says how it was chosen where nobody named it."""

    name: str
    commit: str
    tree: str
    working: bool = False
    why: str = ""

    @property
    def short(self) -> str:
        """The commit's id as people write it; "" where there is none."""
        return self.commit[:9]

    @property
    def label(self) -> str:
        """`main 4f2c1e9ab`; `working tree on rechunk 4f2c1e9ab`."""
        where = "working tree on " if self.working else ""
        return f"{where}{self.name} {self.short}".rstrip() if self.name != self.short else f"{where}{self.short}"


def named(repository: Repository, ref: str) -> Revision:
    """The commit that `ref` names, in any of git's ways. Raises UsageError."""
    commit = repository.line("rev-parse", "--verify", "--quiet", "--end-of-options", f"{ref}^{{commit}}") if ref else ""
    if not commit or commit.startswith("^"):  # `^main` is a name that leaves a commit out
        raise UsageError(_unknown(repository, ref))
    tree = repository.line("rev-parse", "--verify", "--quiet", "--end-of-options", f"{commit}^{{tree}}")
    if not tree:
        raise UsageError(
            f"{_shown(ref)}: {commit[:9]} is there without its files (a partial clone); check it out once, then again"
        )
    is_id = commit.startswith(ref.lower()) and len(ref) >= 4
    return Revision(commit[:9] if is_id else ref, commit, tree)


def working_tree(repository: Repository) -> Revision:
    """The files as they are now, on top of what is checked out."""
    commit = repository.line("rev-parse", "--verify", "--quiet", "HEAD^{commit}")
    tree = repository.line("rev-parse", "--verify", "--quiet", "HEAD^{tree}") if commit else ""
    branch = repository.line("symbolic-ref", "--quiet", "--short", "HEAD")
    return Revision(branch or commit[:9], commit, tree, working=True)


def default_base(repository: Repository, head: Revision) -> Revision:
    """The merge base of `head` and the default branch. Raises UsageError that says what to name instead."""
    if not head.commit:
        raise UsageError(f"{repository.top}: nothing has been committed yet, so there is no revision to compare with")
    shown, branch = _default_branch(repository)
    commit = repository.line("merge-base", head.commit, branch).partition("\n")[0]
    if not commit:
        what = "HEAD" if head.working else head.name
        if repository.is_shallow:
            raise UsageError(
                f"{repository.top}: this clone is shallow and does not reach back to where {what} left {shown}: "
                "git fetch --unshallow brings the rest, or name the revision: ragtriage review BASE"
            )
        raise UsageError(f"{repository.top}: {what} and {shown} have no common ancestor; name one: ragtriage review BASE")
    why = f"merge base with {shown}" if commit != branch else ""
    name = shown if commit == branch else commit[:9]
    return Revision(name, commit, named(repository, commit).tree, why=why)


def _default_branch(repository: Repository) -> tuple[str, str]:
    """Its name and its commit."""
    for ref, name in _DEFAULT_BRANCHES:
        if commit := repository.line("rev-parse", "--verify", "--quiet", f"{ref}^{{commit}}"):
            target = repository.line("symbolic-ref", "--quiet", "--short", ref) if ref.endswith("/HEAD") else ""
            return target or name, commit
    raise UsageError(
        f"{repository.top}: neither origin/HEAD nor main nor master is known here; name the revision to compare with: "
        "ragtriage review BASE"
    )


def _unknown(repository: Repository, ref: str) -> str:
    if not repository.line("rev-parse", "--verify", "--quiet", "HEAD"):
        return f"{repository.top}: nothing has been committed yet, so there is no revision to compare with"
    hint = "; this clone is shallow, git fetch may bring it" if repository.is_shallow else ""
    return f"{_shown(ref)}: no such revision in {repository.top}{_on_a_remote(repository, ref) or hint}"


def _on_a_remote(repository: Repository, ref: str) -> str:
    """The branch of that name that a clone knows of a remote and has never checked out."""
    for remote in repository.line("remote").splitlines()[:_REMOTES]:
        if ref and repository.line("rev-parse", "--verify", "--quiet", f"refs/remotes/{remote}/{ref}^{{commit}}"):
            return f"; there is {_shown(f'{remote}/{ref}')}"
    return ""


def _shown(ref: str) -> str:
    return repr(ref if len(ref) <= _SHOWN else ref[: _SHOWN - 1] + "…")

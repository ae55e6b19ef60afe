"""Every error ragtriage raises on purpose, in one tree. The class says who has to act.

    RagtriageError
    ├── InputError            the user: a file, a line, a key or an argument is wrong
    │   ├── ConfigError       ragtriage.toml or --set
    │   ├── CorpusError       documents
    │   ├── GoldenError       the golden set, verdicts and the other logs beside it
    │   ├── UsageError        the command line
    │   └── Untrusted         a setting that would run a program or send text somewhere, and nobody has agreed to
    ├── MissingExtra          the user: an optional package is not installed
    ├── SystemFailed          the system under test: raised, timed out, or answered nonsense
    │   ├── EncoderFailed     the encoder process, or a server of embeddings
    │   └── ModelFailed       a language model
    ├── StorageError          the machine: disk full, read-only, locked
    └── Cancelled             nobody: the user stopped a job

A message says what is wrong, where (file, line, key), and what to do. Problems of one file are raised together.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

__all__ = [
    "Cancelled",
    "ConfigError",
    "CorpusError",
    "EncoderFailed",
    "GoldenError",
    "InputError",
    "MissingExtra",
    "ModelFailed",
    "Problem",
    "RagtriageError",
    "StorageError",
    "SystemFailed",
    "Untrusted",
    "UsageError",
]


@dataclass(frozen=True, slots=True)
class Problem:
    """One thing that is wrong with a file, or worth knowing about it.

    `line` counts from 1; 0 means the file as a whole. `severity` "error" makes the exit code say so, "advice" never does.
    """

    where: str
    line: int
    message: str
    key: str = ""
    severity: Literal["error", "warning", "advice"] = "error"

    def __str__(self) -> str:
        place = f"{self.where}:{self.line}" if self.line else self.where
        return f"{place}: {self.key}: {self.message}" if self.key else f"{place}: {self.message}"


class RagtriageError(Exception):
    """Base of all errors raised on purpose; its text is what the user reads."""

    exit_code = 2


class InputError(RagtriageError):
    """Something the user wrote cannot be used. `problems` holds every one found in that file."""

    def __init__(self, message: str, problems: Sequence[Problem] = ()) -> None:
        super().__init__(message)
        self.problems = tuple(problems)

    @classmethod
    def of(cls, problems: Sequence[Problem]) -> InputError:
        """All problems of a file as one error."""
        return cls("\n".join(str(problem) for problem in problems), problems)


class ConfigError(InputError):
    """ragtriage.toml or a --set override."""


class CorpusError(InputError):
    """The corpus folder, or a document in it."""


class GoldenError(InputError):
    """The golden set or an event log beside it."""


class UsageError(InputError):
    """A command-line argument, or an id that names nothing."""


class Untrusted(InputError):
    """A setting that would run a program or send text to a host, which the user has not agreed to yet."""


class MissingExtra(RagtriageError):
    """An optional package is missing; the message names the install line."""


class SystemFailed(RagtriageError):
    """The retriever under test raised, timed out, or returned something that is not a ranking."""

    exit_code = 3


class EncoderFailed(SystemFailed):
    """An encoder could not start or be reached, died, or returned something that is not a matrix of vectors."""


class ModelFailed(SystemFailed):
    """A language model did not answer. `hopeless`: nothing else that is asked of it can succeed (a key that is refused)."""

    def __init__(self, message: str, *, hopeless: bool = False) -> None:
        super().__init__(message)
        self.hopeless = hopeless


class StorageError(RagtriageError):
    """The disk would not take it: full, read-only, or locked by another process for too long."""


class Cancelled(RagtriageError):
    """The user stopped a job. Raised by a Progress callback; everything done so far stays usable."""

    exit_code = 130

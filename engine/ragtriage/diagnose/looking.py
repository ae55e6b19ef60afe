"""The passages of a project, with its questions: the second half of `ragtriage doctor`."""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING

from ragtriage.diagnose.asking import asked
from ragtriage.diagnose.diagnosis import Diagnosis, diagnose
from ragtriage.errors import GoldenError
from ragtriage.types import Progress, no_progress

if TYPE_CHECKING:
    from ragtriage.project import Project

__all__ = ["diagnose_project"]


def diagnose_project(project: Project, *, progress: Progress = no_progress) -> Diagnosis:
    """Look at the passages, with the dev questions as far as caches and BM25 reach, and the window of the model in use.

    Nothing is embedded. A golden set that cannot be read leaves hubs and orphans out. Raises ConfigError, CorpusError,
    StorageError, EncoderFailed.
    """
    window = 0 if project.config.retrieval.mode == "bm25" else project.embedded.window
    questions = None
    with contextlib.suppress(GoldenError):  # `golden check` says what is wrong with it
        questions = asked(project, progress)
    return diagnose(project.chunks, window=window, asked=questions, progress=progress)

"""Which folder is a project, and whether what it writes and sends lies in it."""

from __future__ import annotations

import os
from pathlib import Path

from ragtriage.config import Config
from ragtriage.config_file import FILE_NAME
from ragtriage.errors import ConfigError
from ragtriage.project_places import EVENT_LOGS

__all__ = ["check_places", "is_beir", "project_root"]

_WRITTEN = (*EVENT_LOGS, "baseline.json", "calibration.json")  # beside a golden set


def is_beir(folder: Path) -> bool:
    """Whether `folder` holds a BEIR set: queries, and a corpus or whole documents."""
    return (folder / "queries.jsonl").is_file() and any(
        (folder / name).is_file() for name in ("corpus.jsonl", "documents.jsonl")
    )


def project_root(folder: Path) -> Path | None:
    """The folder itself or the one above it that is a project; None where there is none."""
    if (folder / FILE_NAME).is_file() or is_beir(folder):
        return folder
    for place in (folder, *folder.parents):
        if (place / FILE_NAME).is_file():
            return place
    defaults = Config()
    if (folder / defaults.golden.path).is_file() and (folder / defaults.corpus.path).is_dir():
        return folder
    return None


def check_places(root: Path, config: Config) -> None:
    """Raise ConfigError where what is written or sent lies outside the project, or is a link out of it."""
    # labels are written to the one and the other is sent away, and a configuration may come with somebody else's repository
    for key, name, why in (
        ("golden.path", config.golden.path, "labels are written there"),
        ("answers.prompt", config.answers.prompt, "it is sent to the model"),
    ):
        if not Path(os.path.realpath(root / name)).is_relative_to(os.path.realpath(root)):
            raise ConfigError(f"{root / FILE_NAME}: {key}: {name} lies outside the project; {why}")
    # nor may a link that a repository brought lead what is written beside them to some other file of the user's
    for place in (*((root / config.golden.path).with_name(name) for name in _WRITTEN), root / ".ragtriage"):
        if place.is_symlink() and not Path(os.path.realpath(place)).is_relative_to(os.path.realpath(root)):
            raise ConfigError(f"{place}: a link out of the project; put itself there, since it is written to")

"""Whether the models that a sweep names are there, before anything is paid for the rows ahead of theirs."""

from __future__ import annotations

from collections.abc import Iterable

from ragtriage.config import Config
from ragtriage.errors import ConfigError
from ragtriage.project import Project
from ragtriage.project_places import NO_MODEL

__all__ = ["must_be_there"]


def must_be_there(project: Project, configs: Iterable[Config]) -> None:
    """Find the files of every embedding model and cross-encoder of `configs`; what only the hub has is fetched.

    Raises ConfigError with all that are not there. Models of a server are known to it alone.
    """
    from ragtriage.search.model_files import model_folder, named_folder

    problems: dict[str, None] = {}
    looked_at = set()
    for config in configs:
        named = Project(project.root, config, beir=project.beir)  # reads nothing: it knows where folders of the project are
        for key, name in (("model", named.embedding.model), ("rerank", named.rerank)):
            if (key, name) in looked_at:
                continue
            looked_at.add((key, name))
            try:
                if key == "model" and config.embedding.provider == "local":
                    model_folder(named.embedding)
                elif key == "rerank" and name and name not in NO_MODEL:
                    named_folder(name, "retrieval.rerank", offline=config.embedding.offline)
            except ConfigError as error:
                problems[str(error)] = None
    if problems:
        raise ConfigError("\n".join(problems))

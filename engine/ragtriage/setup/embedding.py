"""The models that embed and rerank on this machine, or the server that embeds. Nothing is fetched, and no server asked."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from ragtriage.errors import RagtriageError
from ragtriage.names import endpoint_name
from ragtriage.setup.findings import Finding

if TYPE_CHECKING:
    from ragtriage.project import Project

__all__ = ["check_embedding", "check_model"]


def check_embedding(project: Project) -> Finding:
    """What embeds, and in mode bm25 counts tokens. "ok" where it is here."""
    if project.config.embedding.provider != "local":
        return _server(project)
    return check_model("model", "embedding.model", project.embedding.model, offline=project.embedding.offline)


def _server(project: Project) -> Finding:
    """The server that embeds, which is not asked for this, and the tokenizer that counts sizes in its place."""
    from ragtriage.search.encoders import tokenizer_folder
    from ragtriage.search.remote_encoder import embedding_endpoint

    config = project.embedding
    name = endpoint_name(embedding_endpoint(config, project.config.run))
    if config.tokenizer and not Path(config.tokenizer).is_dir():  # it is not fetched for this
        return check_model("tokenizer", "embedding.tokenizer", config.tokenizer, offline=config.offline)
    try:
        return Finding("ok", "model", f"{name}; sizes are counted with the tokenizer in {tokenizer_folder(config)}")
    except RagtriageError as error:
        return Finding("wrong", "model", str(error))


def check_model(what: str, key: str, name: str, *, offline: bool) -> Finding:
    """A model by its name or folder; `key` is that of the configuration, `offline` whether the hub may be asked."""
    from ragtriage.search.model_files import is_offline, local_folder, named_folder

    try:
        folder = local_folder(name, key)
        if folder is None and is_offline(offline):
            folder = named_folder(name, key, offline=True)  # says why not
    except RagtriageError as error:
        return Finding("wrong", what, str(error))
    if folder is None:
        return Finding("note", what, f"{name} is not on this machine; misspelt, or offline, it cannot be fetched when needed")
    return Finding("ok", what, f"{name} in {folder}")

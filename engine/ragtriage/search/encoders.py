"""What a project's configuration names as its encoder, and whose tokens the sizes of its chunks count."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ragtriage.config import EmbeddingConfig
    from ragtriage.project import Project
    from ragtriage.search.encoder_process import EncoderProcess
    from ragtriage.search.remote_encoder import RemoteEncoder

__all__ = ["configured_encoder", "server_manifest", "server_notes", "tokenizer_folder"]


def configured_encoder(project: Project) -> EncoderProcess | RemoteEncoder:
    """The process of a model on this machine, or a server, which is asked once the user has agreed. Nothing is started yet."""
    if project.config.embedding.provider == "local":
        from ragtriage.search.encoder_process import EncoderProcess

        return EncoderProcess(project.embedding, cache=project.cache)
    from ragtriage.search.remote_encoder import RemoteEncoder

    root, whole, typed, trusted = project.agreed_root, project.config, project.typed, project.trusted

    def permits() -> None:  # without the project, which holds what asks: it is to go when nobody uses it any more
        from ragtriage.trust import require

        require(root, whole, typed=typed, tables=("embedding",), agreed=trusted)

    return RemoteEncoder(whole.embedding, whole.run, cache=project.cache, permits=permits, agree=project.consent)


def server_manifest(project: Project) -> dict[str, Any]:
    """What a run keeps of the server that embedded it; nothing of a model on this machine."""
    encoder = _server(project)
    return {"embedding": encoder.manifest()} if encoder else {}


def server_notes(project: Project) -> tuple[str, ...]:
    """Sentences about the server that embeds which the user should see."""
    encoder = _server(project)
    return encoder.notes if encoder else ()


def _server(project: Project) -> RemoteEncoder | None:
    if project.config.embedding.provider == "local" or project.config.retrieval.mode == "bm25":
        return None
    from ragtriage.search.remote_encoder import RemoteEncoder

    return project.encoder if isinstance(project.encoder, RemoteEncoder) else None


def tokenizer_folder(config: EmbeddingConfig) -> Path:
    """The folder with the tokenizer.json by which sizes are counted. Raises ConfigError."""
    from ragtriage.config import EmbeddingConfig
    from ragtriage.search.model_files import model_folder, named_folder

    if not config.tokenizer and config.provider == "local":
        return model_folder(config)
    name = config.tokenizer or EmbeddingConfig().model
    if (Path(name) / "tokenizer.json").is_file():  # it need not be a whole model
        return Path(name)
    return named_folder(name, "embedding.tokenizer", offline=config.offline)

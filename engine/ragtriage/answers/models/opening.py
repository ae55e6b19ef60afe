"""From an Endpoint to a Model that can be asked. The provider's library is loaded here and not before."""

from __future__ import annotations

import dataclasses
import hashlib
import os
from pathlib import Path

from ragtriage.answers.models.base import Endpoint, Model, Provider
from ragtriage.config import ModelConfig, RunConfig

__all__ = ["endpoint_of", "open_model"]

_LARGE = 1 << 20  # bytes


def endpoint_of(provider: Provider, config: ModelConfig, run: RunConfig, folder: Path) -> Endpoint:
    """The endpoint that a table of the configuration describes; a command runs in `folder`."""
    given = {item.name: getattr(config, item.name) for item in dataclasses.fields(ModelConfig)}
    return Endpoint(
        provider,
        **given,
        program=_program(folder, config.command) if provider == "command" else "",
        timeout_s=run.timeout_s,
        retries=run.retries,
        concurrency=run.concurrency,
        folder=str(folder),
    )


def _program(folder: Path, command: tuple[str, ...]) -> str:
    """8 hex digits that change with the files in `folder` that a command names: an edited program answers otherwise.

    "" where it names none. A file above `_LARGE`, such as weights, counts by its size: this is read with every run.
    """
    from ragtriage.dangers import is_inside, named

    root = os.path.realpath(folder)
    found = hashlib.sha256()
    files = 0
    for name in named(command):
        path = Path(os.path.realpath(Path(root, name)))
        try:
            if not is_inside(root, str(path)) or not path.is_file():
                continue
            size = path.stat().st_size
            content = path.read_bytes() if size <= _LARGE else b""
        except OSError:  # whether it can run is for who asks it to say
            continue
        files += 1
        found.update(f"{size} {hashlib.sha256(content).hexdigest()}\n".encode("ascii"))
    return found.hexdigest()[:8] if files else ""


def open_model(endpoint: Endpoint) -> Model:
    """A model to ask, made inside the event loop that will use it. Raises MissingExtra, ConfigError (no key), ModelFailed."""
    if endpoint.provider == "openai":
        from ragtriage.answers.models.openai_chat import OpenAIChat

        return OpenAIChat(endpoint)
    if endpoint.provider == "anthropic":
        from ragtriage.answers.models.anthropic_chat import AnthropicChat

        return AnthropicChat(endpoint)
    from ragtriage.answers.models.command import CommandModel

    return CommandModel(endpoint)

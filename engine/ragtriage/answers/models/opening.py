"""From an Endpoint to a Model that can be asked. The provider's library is loaded here and not before."""

from __future__ import annotations

import dataclasses
from pathlib import Path

from ragtriage.answers.models.base import Model
from ragtriage.config import ModelConfig, RunConfig
from ragtriage.programs.identity import program_identity
from ragtriage.remote.endpoint import Endpoint, Provider, bounds

__all__ = ["endpoint_of", "open_model"]


def endpoint_of(provider: Provider, config: ModelConfig, run: RunConfig, folder: Path) -> Endpoint:
    """The endpoint that a table of the configuration describes; a command runs in `folder`."""
    given = {item.name: getattr(config, item.name) for item in dataclasses.fields(ModelConfig)}
    return Endpoint(
        provider,
        **given,
        program=program_identity(folder, config.command) if provider == "command" else "",
        **bounds(run),
        folder=str(folder),
        pass_env=run.pass_env,
    )


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

"""From an Endpoint to a Model that can be asked. The provider's library is loaded here and not before."""

from __future__ import annotations

from ragtriage.answers.models.base import Endpoint, Model

__all__ = ["open_model"]


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

"""What answers and what judges, as a person calls it, from the configuration of a run. No Textual."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ragtriage.names import endpoint_name, model_name, system_name

__all__ = ["STAND_IN", "endpoint_name", "generator_name", "is_stand_in", "judge_name", "system_name"]

STAND_IN = "stand-in"
"""What the extractive generator is called: it stands in for a model that nobody has named yet."""


def is_stand_in(config: Mapping[str, Mapping[str, Any]]) -> bool:
    """Whether answers were picked from the passages, so that they say nothing of anybody's prompt or model."""
    return bool(config.get("answers", {}).get("generator") == "extractive")


def generator_name(config: Mapping[str, Mapping[str, Any]]) -> str:
    """The model that answered; "" where none did."""
    table = config.get("answers", {})
    return model_name(table, str(table.get("generator", "")))


def judge_name(config: Mapping[str, Mapping[str, Any]]) -> str:
    """The model that judges, likewise."""
    table = config.get("judge", {})
    return model_name(table, str(table.get("provider", "")))

"""What was written into the configuration file, in words. No Textual in here."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from ragtriage_tui.figures import wrapped
from ragtriage_tui.text import one_line, scrub

if TYPE_CHECKING:
    from ragtriage.experiments.adopt import Proposal

__all__ = ["keys_text", "overridden_text", "settings_text", "written_lines"]


def written_lines(name: str, proposal: Proposal) -> list[str]:
    """What the command line says of it. 80 columns."""
    lines = wrapped(
        f"{_clean(name)} was written to {_clean(proposal.path.name)}: {keys_text(proposal.settings, proposal.was)}."
    )
    if proposal.overridden:
        lines += wrapped(overridden_text(proposal.overridden) + ".")
    return lines


def keys_text(settings: Mapping[str, Any], was: Mapping[str, Any]) -> str:
    """`chunking.size 200 → 256, overlap 0 → 32`: a table is named once."""
    parts, table = [], ""
    for key, value in settings.items():
        name, _, leaf = key.partition(".")
        parts.append(f"{leaf if name == table else key} {_shown(was[key])} → {_shown(value)}")
        table = name
    return ", ".join(parts)


def settings_text(settings: Mapping[str, Any]) -> str:
    """`size=256 overlap=32`, as the names of configurations have it."""
    return " ".join(f"{key.partition('.')[2]}={_shown(value)}" for key, value in settings.items())


def overridden_text(keys: tuple[str, ...]) -> str:
    """What the command line has set otherwise goes before the file."""
    return f"What --set says of {', '.join(keys)} goes before the file, here and now"


def _shown(value: Any) -> str:
    if isinstance(value, bool):
        return "on" if value else "off"
    return _clean(str(value)) if value not in ("", []) else "none"


def _clean(text: str) -> str:
    return one_line(scrub(text))

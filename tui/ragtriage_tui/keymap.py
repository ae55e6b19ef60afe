"""Which key does what on which screen: the table of actions, with the user's own keys put in. No Textual in here."""

from __future__ import annotations

import difflib
import re
import tomllib
from collections.abc import Collection, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from ragtriage_tui.actions import ACTIONS, Action, Hint

__all__ = ["Keymap", "Settings", "clashes", "key_name", "read_settings", "works_in_field"]

# Eaten by tmux, screen, flow control or the terminal's own meaning of the byte.
_EATEN = {f"ctrl+{letter}" for letter in "absqzcmjih"}
_OWN_MEANING = {"leave": "ctrl+c", "suspend": "ctrl+z"}  # what the terminal means by these, we mean too
_NAMED = {
    "enter", "escape", "tab", "shift+tab", "space", "up", "down", "left", "right", "home", "end", "pageup", "pagedown",
    "backspace", "delete", "insert", *(f"f{number}" for number in range(1, 13)),
}  # fmt: skip
_ALIASES = {"esc": "escape", "return": "enter", "pgup": "pageup", "pgdn": "pagedown", "del": "delete"}
_IN_FIELD = {"tab", "shift+tab", "enter", "escape", "f1", "up", "down", "pageup", "pagedown"}  # no text among them


def key_name(key: str, character: str | None) -> str:
    """The name the table uses for a key that arrived as Textual's `key` and `character`."""
    if character and len(character) == 1 and character.isprintable() and character != " ":
        return character
    return key


def works_in_field(key: str) -> bool:
    """Whether `key` acts while a text field has the keys; all others are text there."""
    return key in _IN_FIELD or key.startswith("ctrl+")


class Keymap:
    """Resolves keys for the screens that exist."""

    def __init__(self, screens: Collection[str], own: Mapping[str, tuple[str, ...]] | None = None) -> None:
        own = own or {}
        self.actions: tuple[Action, ...] = tuple(
            action._replace(keys=own.get(action.id, action.keys))
            for action in ACTIONS
            if (not action.needs or action.needs in screens)
            and (not action.where or any(screen in screens for screen in action.where))
        )
        self._by_id = {action.id: action for action in self.actions}
        self._by_key: dict[str, list[Action]] = {}
        for action in self.actions:
            for key in action.keys:
                self._by_key.setdefault(key, []).append(action)

    def resolve(self, key: str, screen: str) -> Action | None:
        """What `key` does on `screen`."""
        for action in self._by_key.get(key, ()):
            if not action.where or screen in action.where:
                return action
        return None

    def get(self, action_id: str) -> Action | None:
        return self._by_id.get(action_id)

    def on(self, screen: str) -> list[Action]:
        """The actions of `screen` itself, in the table's order."""
        return [action for action in self.actions if screen in action.where]

    def everywhere(self) -> list[Action]:
        return [action for action in self.actions if not action.where]

    def shown(self, hint: Hint) -> str:
        """The keys of a footer entry as text; empty when none of its actions exists."""
        found = [self._by_id[name] for name in hint.ids if name in self._by_id]
        return hint.join.join(show_key(action.keys[0]) for action in found if action.keys)


def show_key(key: str) -> str:
    """A key as the footer and the help print it."""
    return {"escape": "esc", "tab": "Tab", "shift+tab": "shift+Tab", "f1": "F1", "pagedown": "PgDn", "pageup": "PgUp"}.get(
        key, key
    )


def clashes(actions: Collection[Action] = ACTIONS) -> list[str]:
    """What is wrong with a table of actions, one sentence each: a key with two meanings on a screen, or one that is eaten."""
    problems = []
    screens = sorted({screen for action in actions for screen in action.where})
    for screen in screens:
        taken: dict[str, str] = {}
        for action in actions:
            if action.where and screen not in action.where:
                continue
            for key in action.keys:
                if taken.setdefault(key, action.id) != action.id:
                    problems.append(f"{key} is both {taken[key]} and {action.id} in {screen}")
    for action in actions:
        if not action.keys:
            problems.append(f"{action.id} has no key")
        elif all(key in _EATEN for key in action.keys) and action.keys != (_OWN_MEANING.get(action.id),):
            problems.append(f"{action.id} has only {', '.join(action.keys)}, which terminals eat")
    return list(dict.fromkeys(problems))


class Settings(NamedTuple):
    """The user's own settings. `problems` are sentences for the screen; what is wrong is left at its default."""

    theme: str
    keys: dict[str, tuple[str, ...]]
    problems: tuple[str, ...]


def read_settings(path: Path) -> Settings:
    """`theme = "ansi"` and `[keys]` (`undo = "z"`, `open = ["enter", "O"]`) of the user's config.toml; never raises."""
    try:
        table = tomllib.loads(path.read_bytes().decode("utf-8-sig"))
    except FileNotFoundError:
        return Settings("", {}, ())
    except (OSError, ValueError, RecursionError) as error:
        return Settings("", {}, (f"{path}: cannot be read: {error}",))
    problems: list[str] = []
    theme = table.get("theme", "")
    if theme not in ("", "dark", "ansi"):
        problems.append(f"{path}: theme: {theme!r} is neither dark nor ansi")
        theme = ""
    raw = table.get("keys", {})
    if not isinstance(raw, dict):
        problems.append(f"{path}: keys: a table is needed: [keys]")
        raw = {}
    return Settings(theme, _own_keys(path, raw, problems), tuple(problems))


def _own_keys(path: Path, raw: Mapping[str, Any], problems: list[str]) -> dict[str, tuple[str, ...]]:
    known = {action.id: action for action in ACTIONS}
    own: dict[str, tuple[str, ...]] = {}
    for name, value in raw.items():
        if name not in known:
            close = difflib.get_close_matches(name, known, n=1, cutoff=0.5)
            problems.append(f"{path}: keys.{name}: no such action" + (f"; did you mean {close[0]}?" if close else ""))
            continue
        values = _strings(value)
        if not values:
            problems.append(f'{path}: keys.{name}: a key or a list of keys is needed, such as "j" or ["j", "down"]')
            continue
        keys = tuple(_ALIASES.get(item.lower(), item) if len(item) > 1 else item for item in values)
        if wrong := [key for key in keys if not _is_key(key)]:
            problems.append(f"{path}: keys.{name}: {wrong[0]!r} is not the name of a key")
            continue
        own[name] = keys
    while found := clashes(_with(own)):  # looked at once all are read, so that two keys may be swapped
        guilty = next((name for name in reversed(own) if name in found[0].split()), None)
        if guilty is None:
            break
        del own[guilty]
        problems.append(f"{path}: keys.{guilty}: {found[0]}; the default stays")
    return own


def _strings(value: Any) -> list[str]:
    """A string or a list of strings as a list; anything else as an empty one."""
    values = [value] if isinstance(value, str) else value
    return values if isinstance(values, list) and all(isinstance(item, str) for item in values) else []


def _with(own: Mapping[str, tuple[str, ...]]) -> list[Action]:
    return [action._replace(keys=own.get(action.id, action.keys)) for action in ACTIONS]


def _is_key(key: str) -> bool:
    if len(key) == 1:
        return key.isprintable() and key != " "
    return key in _NAMED or re.fullmatch(r"ctrl\+[a-z]", key) is not None

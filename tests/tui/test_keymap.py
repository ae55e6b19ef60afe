"""The table of actions holds together, and users can change it."""

from __future__ import annotations

import re
from importlib import import_module
from pathlib import Path

import pytest

from ragtriage_tui.actions import ACTIONS, FOOTERS, Action
from ragtriage_tui.app import SCREENS
from ragtriage_tui.keymap import Keymap, Settings, clashes, key_name, read_settings, show_key, works_in_field
from ragtriage_tui.window import RagtriageApp

CAPITALS_THAT_ACT = {"U", "Y"}  # the reverse of u, and the one key that says yes


def test_no_key_has_two_meanings_and_none_is_eaten() -> None:
    assert clashes() == []


def test_a_clash_and_an_eaten_key_are_found() -> None:
    extra = Action("extra", ("u",), ("Triage",), "x", "X.")
    assert clashes([*ACTIONS, extra]) == ["u is both undo and extra in Triage"]
    assert clashes([Action("save-all", ("ctrl+s",), (), "x", "X.")]) == ["save-all has only ctrl+s, which terminals eat"]
    assert clashes([Action("nothing", (), (), "x", "X.")]) == ["nothing has no key"]


def test_the_same_key_is_the_same_action_on_every_screen() -> None:
    # but / and the digits, whose second meanings the design names; x is always "no, not this"
    seen: dict[str, str] = {}
    for action in ACTIONS:
        for key in action.keys:
            if key not in ("/", "x") and not key.isdigit():
                assert seen.setdefault(key, action.id) == action.id


def test_capitals_go_somewhere() -> None:
    for action in ACTIONS:
        for key in action.keys:
            if len(key) == 1 and key.isupper() and key not in CAPITALS_THAT_ACT:
                assert re.match(r"(go|find|next|previous|first|last|list|chunks|answers)", action.id.split("-")[0])


def test_every_action_is_documented_and_named() -> None:
    assert len({action.id for action in ACTIONS}) == len(ACTIONS)
    for action in ACTIONS:
        assert re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*", action.id)
        assert action.help.endswith(".")
        assert action.label


def test_every_offered_action_exists_on_its_screens() -> None:
    keymap = Keymap(SCREENS)
    for screen, (module, name) in SCREENS.items():
        made = getattr(import_module(module), name)
        for action in keymap.on(screen):
            method = f"do_{action.id.replace('-', '_')}"
            assert hasattr(made, method) or hasattr(RagtriageApp, method), f"{screen} has no {method}"


def test_every_offered_action_is_found_in_help_and_palette() -> None:
    from ragtriage_tui.drawing.help import entries

    keymap = Keymap(SCREENS)
    for screen in SCREENS:
        shown = " ".join(f"{entry.keys} {entry.text}" for entry in entries([*keymap.everywhere(), *keymap.on(screen)]))
        for action in [*keymap.on(screen), *keymap.everywhere()]:
            assert show_key(action.keys[0]) in shown or action.keys[0].isdigit()


def test_what_needs_a_screen_that_is_not_there_is_not_offered() -> None:
    small = Keymap({"Triage"})
    assert small.get("what-if") is None
    assert small.get("go-review") is None
    assert small.resolve("w", "Triage") is None
    assert Keymap({"Triage", "What if"}).resolve("w", "Triage") is not None


def test_keys_resolve_by_screen() -> None:
    keymap = Keymap({"Triage", "Add"})
    assert (keymap.resolve("/", "Triage") or ACTIONS[0]).id == "filter"
    assert (keymap.resolve("/", "Add") or ACTIONS[0]).id == "reword"
    assert keymap.resolve("1", "Add") is None
    assert (keymap.resolve("down", "Add") or ACTIONS[0]).id == "move-down"


def test_footers_name_actions_that_exist() -> None:
    known = {action.id for action in ACTIONS}
    for name, hints in FOOTERS.items():
        for hint in hints:
            assert set(hint.ids) <= known, name


def test_keys_are_named_as_people_write_them() -> None:
    assert key_name("question_mark", "?") == "?"
    assert key_name("space", " ") == "space"
    assert key_name("ctrl+p", "\x10") == "ctrl+p"
    assert key_name("down", None) == "down"
    assert key_name("J", "J") == "J"


def test_in_a_field_only_a_few_keys_act() -> None:
    assert all(map(works_in_field, ("tab", "shift+tab", "enter", "escape", "f1", "ctrl+p", "ctrl+c")))
    assert not any(map(works_in_field, ("a", "u", "q", "?", ":", "space", "1", "Y")))


def read(tmp_path: Path, text: str) -> Settings:
    path = tmp_path / "config.toml"
    path.write_text(text, encoding="utf-8")
    return read_settings(path)


def test_without_a_file_there_is_nothing_to_say(tmp_path: Path) -> None:
    assert read_settings(tmp_path / "none.toml") == Settings("", {}, ())


def test_users_change_keys_by_id(tmp_path: Path) -> None:
    settings = read(tmp_path, 'theme = "ansi"\n[keys]\nundo = "Z"\nopen = ["enter", "return", "O"]\n')
    assert settings.theme == "ansi"
    assert settings.problems == ()
    keymap = Keymap({"Triage"}, settings.keys)
    assert (keymap.resolve("Z", "Triage") or ACTIONS[0]).id == "undo"
    assert keymap.resolve("u", "Triage") is None
    assert keymap.shown(FOOTERS["Triage"][3]) == "Z"


def test_two_keys_can_be_swapped(tmp_path: Path) -> None:
    settings = read(tmp_path, '[keys]\nmove-down = "k"\nmove-up = "j"\n')
    assert settings.problems == ()
    assert (Keymap({"Triage"}, settings.keys).resolve("j", "Triage") or ACTIONS[0]).id == "move-up"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("[keys]\nundu = 'z'", "did you mean undo?"),
        ("[keys]\nundo = 7", "a key or a list of keys is needed"),
        ("[keys]\nundo = 'hyper+x'", "'hyper+x' is not the name of a key"),
        ("[keys]\nundo = 'n'", "n is both"),
        ("[keys]\nundo = 'ctrl+s'", "which terminals eat"),
        ("keys = 3", "a table is needed"),
        ("theme = 'pink'", "neither dark nor ansi"),
        ("not toml at all", "cannot be read"),
    ],
)
def test_what_is_wrong_is_said_and_the_default_stays(tmp_path: Path, text: str, said: str) -> None:
    settings = read(tmp_path, text)
    assert said in settings.problems[0]
    assert settings.keys.get("undo") is None
    assert settings.theme == ""

"""What comes back on the next start."""

from __future__ import annotations

from pathlib import Path

import pytest

from ragtriage_tui.bridge.places import session_file
from ragtriage_tui.session import load_session, save_session
from ragtriage_tui.state import Restored


def test_a_session_comes_back_for_its_own_project(tmp_path: Path) -> None:
    saved = Restored("q017", "is:open", "chunks")
    save_session(tmp_path / "one", saved)
    assert load_session(tmp_path / "one") == saved
    assert load_session(tmp_path / "two") == Restored()


@pytest.mark.parametrize(
    "data", [b"", b"{", b"[]", b'{"qid": 7, "views": "x", "zoom": "yes", "pane": null}', b"\xff\x00", b"[" * 9999]
)
def test_a_broken_session_is_a_fresh_start(tmp_path: Path, data: bytes) -> None:
    path = session_file(tmp_path)
    path.parent.mkdir(parents=True)
    path.write_bytes(data)
    assert load_session(tmp_path) == Restored()


def test_what_comes_back_is_scrubbed(tmp_path: Path) -> None:
    save_session(tmp_path, Restored(filter="\x1b[2J"))
    assert load_session(tmp_path).filter == "␛[2J"


def test_where_nothing_can_be_kept_nothing_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    blocked = tmp_path / "file"
    blocked.write_text("")
    monkeypatch.setenv("RAGTRIAGE_HOME", str(blocked))
    save_session(tmp_path, Restored("q017"))
    assert load_session(tmp_path) == Restored()

from __future__ import annotations

import os
from pathlib import Path

import pytest

from ragtriage.errors import StorageError
from ragtriage.search import sealed
from ragtriage.search.sealed import open_or_build, sound


class Builder:
    def __init__(self) -> None:
        self.built = 0

    def __call__(self, folder: Path) -> None:
        self.built += 1
        (folder / "data.bin").write_bytes(b"some bytes of an index")
        (folder / "sub").mkdir()
        (folder / "sub" / "more.bin").write_bytes(b"more")


def test_built_once_and_then_opened(tmp_path: Path) -> None:
    build = Builder()
    for _ in range(3):
        folder = open_or_build(tmp_path / "kind" / "name", build)
        assert (folder / "sub" / "more.bin").read_bytes() == b"more"
    assert build.built == 1
    assert [path.name for path in (tmp_path / "kind").iterdir()] == ["name"]


def test_a_changed_byte_anywhere_rebuilds(tmp_path: Path) -> None:
    build = Builder()
    folder = open_or_build(tmp_path / "name", build)
    for name in ("data.bin", "sub/more.bin", "manifest.json"):
        data = (folder / name).read_bytes()
        for position in range(len(data)):
            (folder / name).write_bytes(data[:position] + bytes([data[position] ^ 1]) + data[position + 1 :])
            before = build.built
            open_or_build(folder, build)
            after_right = sound(folder) and (folder / "data.bin").read_bytes() == b"some bytes of an index"
            assert after_right, (name, position)
            if name != "manifest.json":
                assert build.built == before + 1


@pytest.mark.parametrize("hurt", ["truncate", "delete", "no manifest", "a file in its place"])
def test_what_is_broken_is_rebuilt(tmp_path: Path, hurt: str) -> None:
    build = Builder()
    folder = open_or_build(tmp_path / "name", build)
    if hurt == "truncate":
        os.truncate(folder / "data.bin", 3)
    elif hurt == "delete":
        (folder / "sub" / "more.bin").unlink()
    elif hurt == "no manifest":
        (folder / "manifest.json").write_bytes(b"")
    else:
        folder.rename(tmp_path / "elsewhere")
        folder.write_bytes(b"")
    open_or_build(folder, build)
    assert build.built == 2
    assert sound(folder)


def test_a_large_folder_is_hashed_only_when_its_files_changed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sealed, "_ALWAYS_HASHED", 0)
    folder = open_or_build(tmp_path / "name", Builder())
    hashed: list[Path] = []
    real = sealed._sha
    monkeypatch.setattr(sealed, "_sha", lambda path: hashed.append(path) or real(path))
    assert sound(folder)
    assert hashed == []
    os.utime(folder / "data.bin", ns=(1, 1))
    assert sound(folder)
    assert [path.name for path in hashed] == ["data.bin"]


def test_a_build_that_fails_leaves_nothing(tmp_path: Path) -> None:
    def build(folder: Path) -> None:
        (folder / "half").write_bytes(b"x")
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        open_or_build(tmp_path / "kind" / "name", build)
    assert list((tmp_path / "kind").iterdir()) == []


def test_a_cache_that_cannot_be_written_says_so(tmp_path: Path) -> None:
    (tmp_path / "kind").write_bytes(b"a file where the folder should be")
    with pytest.raises(StorageError, match="cannot be written"):
        open_or_build(tmp_path / "kind" / "name", Builder())


def test_the_folders_used_last_stay(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sealed, "_KEPT", 3)
    for number in range(3):
        folder = open_or_build(tmp_path / f"n{number}", Builder())
        os.utime(folder, ns=(number, number))
    open_or_build(tmp_path / "n0", Builder())
    open_or_build(tmp_path / "n3", Builder())
    assert sorted(path.name for path in tmp_path.iterdir()) == ["n0", "n2", "n3"]

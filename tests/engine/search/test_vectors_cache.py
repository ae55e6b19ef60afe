from __future__ import annotations

import multiprocessing
import shutil
import sqlite3
from pathlib import Path

import numpy as np
import pytest
from tests.soak import rounds

from ragtriage.errors import StorageError
from ragtriage.search.vectors_cache import VectorCache, key_of


def vector(number: int) -> np.ndarray:
    return (np.arange(8) / 8 + number).astype(np.float16)


def filled(path: Path, count: int = 5) -> list[bytes]:
    keys = [key_of("fp", f"text {number}") for number in range(count)]
    cache = VectorCache(path)
    cache.put({key: vector(number) for number, key in enumerate(keys)})
    cache.close()
    return keys


def test_what_was_put_is_got(tmp_path: Path) -> None:
    keys = filled(tmp_path / "v.sqlite", 2000)
    cache = VectorCache(tmp_path / "v.sqlite")
    found = cache.get([*keys, key_of("other", "text 1")])
    cache.close()
    assert len(found) == 2000
    assert all((found[key] == vector(number)).all() for number, key in enumerate(keys))


def test_keys_tell_encoders_and_texts_apart() -> None:
    keys = [
        key_of("a", "b"),
        key_of("ab", ""),
        key_of("a", "b", ""),
        key_of("a", "", "b"),
        key_of("a", "\ud800"),
        key_of("a", "?"),
    ]
    assert len(set(keys)) == len(keys)


def test_nothing_is_made_by_reading(tmp_path: Path) -> None:
    cache = VectorCache(tmp_path / "sub" / "v.sqlite")
    assert cache.get([key_of("fp", "x")]) == {}
    cache.close()
    assert list(tmp_path.iterdir()) == []


def test_a_changed_byte_anywhere_gives_the_right_vector_or_none(tmp_path: Path) -> None:
    keys = filled(tmp_path / "v.sqlite")
    whole = (tmp_path / "v.sqlite").read_bytes()
    step = max(1, len(whole) // rounds(150, len(whole)))
    lost = 0
    for position in range(0, len(whole), step):
        path = tmp_path / "hurt.sqlite"
        path.write_bytes(whole[:position] + bytes([whole[position] ^ 0xFF]) + whole[position + 1 :])
        cache = VectorCache(path)
        found = cache.get(keys)
        for key, value in found.items():
            assert (value == vector(keys.index(key))).all(), position
        lost += len(keys) - len(found)
        cache.put({keys[0]: vector(0)})
        assert (cache.get(keys[:1])[keys[0]] == vector(0)).all(), position
        cache.close()
        for each in tmp_path.glob("hurt*"):
            each.unlink()
    assert lost > 0


@pytest.mark.parametrize("content", [b"", b"not a database", b"SQLite format 3\0" + b"x" * 5000])
def test_a_file_that_is_no_database_is_begun_anew(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "v.sqlite"
    path.write_bytes(content)
    cache = VectorCache(path)
    assert cache.get([key_of("fp", "x")]) == {}
    cache.put({key_of("fp", "x"): vector(1)})
    assert len(cache.get([key_of("fp", "x")])) == 1
    cache.close()


def test_a_table_of_another_shape_is_begun_anew(tmp_path: Path) -> None:
    with sqlite3.connect(tmp_path / "v.sqlite") as other:
        other.execute("CREATE TABLE vectors (something TEXT)")
    other.close()
    cache = VectorCache(tmp_path / "v.sqlite")
    assert cache.get([key_of("fp", "x")]) == {}
    cache.put({key_of("fp", "x"): vector(1)})
    cache.close()


def test_a_shipped_file_is_read_and_never_written(tmp_path: Path) -> None:
    keys = filled(tmp_path / "v.sqlite")
    source = VectorCache(tmp_path / "v.sqlite")
    assert source.export(tmp_path / "shipped" / "v.sqlite", [*keys[:2], key_of("fp", "unknown")]) == 2
    source.close()
    assert [path.name for path in (tmp_path / "shipped").iterdir()] == ["v.sqlite"]
    before = (tmp_path / "shipped" / "v.sqlite").read_bytes()
    cache = VectorCache(tmp_path / "own" / "v.sqlite", shipped=tmp_path / "shipped" / "v.sqlite")
    assert set(cache.get(keys)) == set(keys[:2])
    cache.put({keys[3]: vector(3)})
    assert set(cache.get(keys)) == {*keys[:2], keys[3]}
    cache.close()
    assert (tmp_path / "shipped" / "v.sqlite").read_bytes() == before
    assert [path.name for path in (tmp_path / "shipped").iterdir()] == ["v.sqlite"]


def test_a_broken_shipped_file_is_passed_over(tmp_path: Path) -> None:
    (tmp_path / "shipped").write_bytes(b"broken")
    for shipped in (tmp_path / "shipped", tmp_path / "absent"):
        cache = VectorCache(tmp_path / "v.sqlite", shipped=shipped)
        cache.put({key_of("fp", "x"): vector(1)})
        assert len(cache.get([key_of("fp", "x")])) == 1
        cache.close()
    assert (tmp_path / "shipped").read_bytes() == b"broken"


def test_deleting_the_cache_folder_costs_nothing_but_time(tmp_path: Path) -> None:
    cache = VectorCache(tmp_path / "sub" / "v.sqlite")
    cache.put({key_of("fp", "x"): vector(1)})
    shutil.rmtree(tmp_path / "sub")
    assert cache.get([key_of("fp", "x")]) == {}
    cache.put({key_of("fp", "x"): vector(2)})
    assert (cache.get([key_of("fp", "x")])[key_of("fp", "x")] == vector(2)).all()
    cache.close()


def test_a_place_that_cannot_be_written_says_so(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"")
    cache = VectorCache(tmp_path / "file" / "v.sqlite")
    with pytest.raises(StorageError, match="cannot be written"):
        cache.put({key_of("fp", "x"): vector(1)})
    (tmp_path / "folder.sqlite").mkdir()
    with pytest.raises(StorageError, match="cannot be used"):
        VectorCache(tmp_path / "folder.sqlite").put({key_of("fp", "x"): vector(1)})


def _fill(path: Path, start: int) -> None:
    cache = VectorCache(path)
    for number in range(start, start + 50):
        cache.put({key_of("fp", str(number)): vector(number % 100)})
    cache.close()


def test_several_processes_write_at_once(tmp_path: Path) -> None:
    context = multiprocessing.get_context("spawn")
    writers = [context.Process(target=_fill, args=(tmp_path / "v.sqlite", start)) for start in (0, 25, 50)]
    for writer in writers:
        writer.start()
    for writer in writers:
        writer.join()
        assert writer.exitcode == 0
    cache = VectorCache(tmp_path / "v.sqlite")
    assert len(cache.get([key_of("fp", str(number)) for number in range(100)])) == 100
    cache.close()

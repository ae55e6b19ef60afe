from __future__ import annotations

from pathlib import Path

import pytest

from ragtriage.stored import BlobStore, read_blob, write_blob


def test_a_blob_comes_back_and_any_changed_byte_is_noticed(tmp_path: Path) -> None:
    path = tmp_path / "deep" / "a.blob"
    assert read_blob(path) is None
    write_blob(path, b"payload")
    assert bytes(read_blob(path) or b"") == b"payload"
    whole = path.read_bytes()
    for at in range(len(whole)):
        path.write_bytes(whole[:at] + bytes([whole[at] ^ 1]) + whole[at + 1 :])
        assert read_blob(path) is None
    path.write_bytes(whole[:-1])
    assert read_blob(path) is None


def test_a_folder_that_cannot_be_made_costs_nothing_but_time(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"")
    write_blob(tmp_path / "file" / "a.blob", b"x")
    store = BlobStore(tmp_path / "file" / "b.sqlite")
    store.put_many({"k": b"x"})
    assert store.get_many(["k"]) == {}


def test_the_store_gives_back_what_is_there(tmp_path: Path) -> None:
    store = BlobStore(tmp_path / "new" / "s.sqlite")
    assert store.get_many(["a"]) == {}
    store.put_many({f"k{number}": b"%d" % number for number in range(1200)})
    store.put_many({"k1": b"again"})
    found = store.get_many([*(f"k{number}" for number in range(1200)), "missing", "k3", "k3"])
    assert len(found) == 1200
    assert (found["k1"], found["k7"]) == (b"again", b"7")


@pytest.mark.parametrize("step", [97])
def test_a_store_with_a_changed_byte_gives_right_blobs_or_none(tmp_path: Path, step: int) -> None:
    path = tmp_path / "s.sqlite"
    blobs = {f"key-{number}": bytes([number]) * 300 for number in range(20)}
    BlobStore(path).put_many(blobs)
    whole = path.read_bytes()
    for at in range(0, len(whole), step):
        path.write_bytes(whole[:at] + bytes([whole[at] ^ 0x55]) + whole[at + 1 :])
        found = BlobStore(path).get_many(blobs)
        assert all(blobs[key] == blob for key, blob in found.items())
        BlobStore(path).put_many(blobs)
    path.write_bytes(b"not a database, but long enough to be taken for one" * 10)
    assert BlobStore(path).get_many(blobs) == {}
    BlobStore(path).put_many(blobs)
    assert BlobStore(path).get_many(blobs) == blobs

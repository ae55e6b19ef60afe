"""Texts to vectors. Only this file and rerank.py import sentence-transformers, and only the child process calls them."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple, Protocol, runtime_checkable

import numpy as np

from ragtriage.errors import EncoderFailed
from ragtriage.search.batching import CPU_TOKENS, batches, never_alone
from ragtriage.search.model_files import check_weights
from ragtriage.types import Failure, Progress

__all__ = ["AskedEncoder", "Encoded", "Encoder", "Keep", "ModelEncoder", "TextsFailed", "padded_features"]


class Encoder(Protocol):
    """What turns texts into unit vectors.

    `fingerprint` names everything a vector depends on but its text; `window` is how many tokens of a text are read.
    """

    @property
    def fingerprint(self) -> str: ...

    @property
    def window(self) -> int: ...

    def start(self) -> None:
        """Get ready without waiting, where that takes long."""
        ...

    def encode(self, texts: Sequence[str], progress: Progress) -> np.ndarray:
        """float16[len(texts), d], each row a unit vector and a function of its text alone. Raises EncoderFailed.

        progress("embed", done, len(texts)) is called at least every half second.
        """
        ...

    def close(self) -> None: ...


Keep = Callable[[Sequence[int], np.ndarray], None]
"""Called with places in the texts and their vectors, float16[len(places), d], as they come."""


@runtime_checkable
class AskedEncoder(Protocol):
    """What an Encoder can do besides that asks somebody else, who may be paid for it and may fail at single texts."""

    def permit(self, texts: Sequence[str], what: str, known: int) -> None:
        """Raise unless `texts` may be sent. `what` they are: passages, questions. `known` others are not sent again."""
        ...

    def encode_each(self, texts: Sequence[str], progress: Progress, keep: Keep) -> Mapping[int, Failure]:
        """Have every text embedded once, give each vector to `keep`, and return the places of those that failed.

        Raises EncoderFailed where nothing more can come, and what `keep` and `progress` raise.
        """
        ...


class TextsFailed(EncoderFailed):
    """Some texts have no vector. `failed` has each with its reason; all others of `total` were kept."""

    def __init__(self, failed: Mapping[str, Failure], total: int) -> None:
        reason = next(iter(failed.values())).reason if failed else ""
        super().__init__(f"{len(failed):,} of {total:,} texts could not be embedded: {reason}")
        self.failed = failed
        self.total = total


class Encoded(NamedTuple):
    """Some results of a batch: `places` in the input, `values` float16[len(places), d] or float32[len(places)]."""

    places: list[int]
    values: np.ndarray


class ModelEncoder:
    """A sentence-transformers model in this process."""

    def __init__(self, folder: Path, *, device: str, dtype: str) -> None:
        check_weights(folder)
        import torch
        from sentence_transformers import SentenceTransformer

        self._torch = torch
        self._tokens = CPU_TOKENS if device == "cpu" else sys.maxsize
        self._model = SentenceTransformer(
            str(folder),
            device=device,
            local_files_only=True,
            trust_remote_code=False,
            model_kwargs={"use_safetensors": True, "dtype": getattr(torch, dtype)},
        )
        self._model.eval()
        self._has_head = any(type(module).__name__ == "Dense" for module in self._model)
        self._window = int(self._model.max_seq_length or 512)

    def encode(self, texts: Sequence[str], batch_size: int) -> Iterator[Encoded]:
        """The vectors of all texts, as their batches come: normalised in float32, given as float16."""
        torch, tokenizer = self._torch, self._model.tokenizer
        ids = tokenizer(list(texts), truncation=True, max_length=self._window, padding=False)["input_ids"]
        for batch in batches([len(each) for each in ids], longest=self._window, at_most=batch_size, tokens=self._tokens):
            places = never_alone(batch.places) if self._has_head else batch.places
            features = padded_features(tokenizer, {"input_ids": [ids[place] for place in places]}, batch.padded)
            with torch.inference_mode():
                moved = {name: value.to(self._model.device) for name, value in features.items()}
                vectors = self._model(moved)["sentence_embedding"].float()
                vectors = torch.nn.functional.normalize(vectors, dim=1)[: len(batch.places)]
            yield Encoded(batch.places, vectors.cpu().numpy().astype(np.float16))


def padded_features(tokenizer: Any, columns: dict[str, list[list[int]]], padded: int) -> dict[str, Any]:
    """A model's input tensors of one batch, int64[n, padded]."""
    with contextlib.suppress(AttributeError):
        tokenizer.deprecation_warnings["Asking-to-pad-a-fast-tokenizer"] = True
    features = dict(tokenizer.pad(columns, padding="max_length", max_length=padded, return_tensors="pt"))
    if "token_type_ids" in tokenizer.model_input_names and "token_type_ids" not in features:
        features["token_type_ids"] = features["input_ids"].new_zeros(features["input_ids"].shape)
    return features

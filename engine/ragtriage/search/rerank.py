"""A cross-encoder's scores of (question, passage) pairs. Used in the child process, as encoder.py is."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np

from ragtriage.errors import EncoderFailed
from ragtriage.search.batching import CPU_TOKENS, batches, never_alone
from ragtriage.search.encoder import Encoded, padded_features
from ragtriage.search.model_files import check_weights

__all__ = ["ModelReranker"]


class ModelReranker:
    """A sentence-transformers cross-encoder with one output: higher is more relevant."""

    def __init__(self, folder: Path, *, device: str, dtype: str) -> None:
        check_weights(folder)
        import torch
        from sentence_transformers import CrossEncoder

        self._torch = torch
        self._tokens = CPU_TOKENS if device == "cpu" else sys.maxsize
        self._model = CrossEncoder(
            str(folder),
            device=device,
            local_files_only=True,
            trust_remote_code=False,
            model_kwargs={"use_safetensors": True, "dtype": getattr(torch, dtype)},
        )
        self._model.eval()
        if self._model.num_labels != 1:
            raise EncoderFailed(f"retrieval.rerank: {folder} has {self._model.num_labels} outputs; a reranker has one")
        self._window = int(self._model.max_seq_length or 512)

    def score(self, questions: Sequence[str], passages: Sequence[str], batch_size: int) -> Iterator[Encoded]:
        """The model's raw output for each pair, float32, as batches come; the passage is cut to what fits the window."""
        torch, tokenizer = self._torch, self._model.tokenizer
        columns = tokenizer(
            list(questions),
            list(passages),
            truncation=True,
            max_length=self._window,
            padding=False,
        )
        for batch in batches(
            [len(ids) for ids in columns["input_ids"]], longest=self._window, at_most=batch_size, tokens=self._tokens
        ):
            chosen = {name: [column[place] for place in never_alone(batch.places)] for name, column in columns.items()}
            features = padded_features(tokenizer, chosen, batch.padded)
            with torch.inference_mode():
                moved = {name: value.to(self._model.device) for name, value in features.items()}
                scores = self._model(moved)["scores"].float().reshape(-1)[: len(batch.places)]
            # What is left of the batch's shape is in the last digits; four decimals stand.
            yield Encoded(batch.places, np.round(scores.cpu().numpy().astype(np.float32), 4))

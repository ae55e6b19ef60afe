"""The other side of embedding_speed: `direct_encode.py MODEL TEXTS.json DTYPE`, then a batch size and a count a line."""

import json
import sys
import time
from pathlib import Path

import torch
from sentence_transformers import SentenceTransformer


def main(folder: str, texts: str, dtype: str) -> None:
    model = SentenceTransformer(folder, device="cpu", local_files_only=True, model_kwargs={"dtype": getattr(torch, dtype)})
    everything = json.loads(Path(texts).read_text(encoding="utf-8"))
    for line in sys.stdin:
        batch_size, count = map(int, line.split())
        started = time.perf_counter()
        model.encode(everything[:count], batch_size=batch_size, show_progress_bar=False, normalize_embeddings=True)
        print(time.perf_counter() - started, flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])

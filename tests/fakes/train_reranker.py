"""Trains the cross-encoder in a folder on labelled pairs until it tells them apart, and saves it to another.

`python train_reranker.py FROM TO`, with [[question, passage, 0 or 1], …] as JSON on standard input. In a process of its own,
because torch takes seconds and half a gigabyte.
"""

from __future__ import annotations

import json
import sys

import torch
from sentence_transformers import CrossEncoder

_MOST_STEPS = 400


def main(source: str, target: str) -> None:
    pairs = json.load(sys.stdin)
    torch.manual_seed(7)
    torch.set_num_threads(1)
    model = CrossEncoder(source, device="cpu", local_files_only=True)
    questions, passages, labels = zip(*pairs, strict=True)
    batch = model.tokenizer(list(questions), list(passages), padding=True, truncation=True, return_tensors="pt")
    wanted = torch.tensor(labels, dtype=torch.float32)
    optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
    model.train()
    for _ in range(_MOST_STEPS):
        logits = model.model(**batch).logits.reshape(-1)
        loss = torch.nn.functional.binary_cross_entropy_with_logits(logits, wanted)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        if loss.item() < 0.02:
            break
    else:
        raise SystemExit(f"not learned: loss {loss.item():.3f}")
    model.eval()
    model.save_pretrained(target)


if __name__ == "__main__":
    main(*sys.argv[1:])

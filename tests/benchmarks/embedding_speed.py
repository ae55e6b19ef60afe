"""Chunks a second on a cold corpus, through the encoder process and the vector cache, against SentenceTransformer.encode."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from pathlib import Path

from tests.benchmarks.harness import Bench, Figure, at_least, environment, info, interleaved

from ragtriage.config import EmbeddingConfig
from ragtriage.project import Project
from ragtriage.search.embedding import Embedder
from ragtriage.search.encoder_process import EncoderProcess
from ragtriage.search.vectors_cache import VectorCache
from ragtriage.types import no_progress

TEXTS = 700
TRIED = (4, 8, 16, 32, 64, 128)  # batch sizes of the direct call
ROUNDS = 3


class Direct:
    """SentenceTransformer.encode in a process of its own, told the batch size on its standard input."""

    def __init__(self, folder: Path, texts: Path, dtype: str) -> None:
        command = [sys.executable, "-P", str(Path(__file__).with_name("direct_encode.py")), str(folder), str(texts), dtype]
        self.process = subprocess.Popen(
            command,
            env=environment(HF_HUB_OFFLINE="1"),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
        )

    def seconds(self, batch_size: int, count: int) -> float:
        self.process.stdin.write(f"{batch_size} {count}\n")
        self.process.stdin.flush()
        return float(self.process.stdout.readline())

    def close(self) -> None:
        self.process.stdin.close()
        self.process.wait()


def run(bench: Bench) -> list[Figure]:
    chunks = Project.open(bench.set("cranfield"), overrides=["retrieval.mode=bm25"]).chunks
    texts = list(dict.fromkeys(chunks.indexed_texts()))[:TEXTS]
    listed = bench.fresh("embedding") / "texts.json"
    listed.write_text(json.dumps(texts), encoding="utf-8")
    figures = []
    for dtype in ("float32", "bfloat16"):
        config = EmbeddingConfig(dtype=dtype)
        encoder = EncoderProcess(config, cache=bench.home / "cache")
        direct = Direct(encoder.folder, listed, dtype)
        try:
            encoder.encode(["warm"], no_progress)
            direct.seconds(32, 16)
            sizes = {size: direct.seconds(size, 256) for size in TRIED}
            best = min(sizes, key=sizes.__getitem__)

            def ours(encoder: EncoderProcess = encoder) -> float:
                cache = VectorCache(bench.fresh("embedding-cache") / "vectors.sqlite")
                started = time.perf_counter()
                Embedder(encoder, cache).embed(texts, no_progress)
                took = time.perf_counter() - started
                cache.close()
                return took

            def theirs(direct: Direct = direct, best: int = best) -> float:
                return direct.seconds(best, len(texts))

            times = interleaved({"ours": ours, "direct": theirs}, ROUNDS if dtype == "float32" else 1)
        finally:
            encoder.close()
            direct.close()
        speed, other = len(texts) / times["ours"].median, len(texts) / times["direct"].median
        note = f"of maxima {times['direct'].least / times['ours'].least:.3f}; best batch size of the direct call: {best}"
        figures += [
            info(f"{dtype}: through ragtriage", speed, "chunks/s"),
            info(f"{dtype}: direct", other, "chunks/s"),
            at_least(f"{dtype}: x the best direct call", speed / other, 0.95, note=note),
        ]
    return figures

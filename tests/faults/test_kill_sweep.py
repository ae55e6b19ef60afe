"""A sweep killed at any moment and started again: its table is the undisturbed one, and no text is embedded twice."""

from __future__ import annotations

import csv
import json
import random
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from tests.engine.experiments.projects import make
from tests.faults.processes import surroundings
from tests.soak import rounds

from ragtriage.config import EmbeddingConfig
from ragtriage.search.encoder_process import EncoderProcess
from ragtriage.search.vectors_cache import VectorCache, key_of

SWEEPER = Path(__file__).with_name("sweeper.py")
SMALL = "[chunking]\nsize = 6\nheading_prefix = false\n[retrieval]\nk = 2\npool = 20\n"
BM25 = SMALL + 'mode = "bm25"\n'
GRIDS = {
    "bm25": (BM25, ["--size", "20,40,80,160", "--overlap", "0,4", "--rerank", "none,lexical"]),
    "vectors": (
        SMALL.replace("size = 6", "size = 40"),
        ["--size", "60,120", "--overlap", "0,16", "--strategy", "recursive,small_to_big", "--mode", "hybrid,dense,bm25"],
    ),
}
TIMED = {"index_bytes", "build_s", "query_ms", "query_ms_p95"}
MOST_KILLS = rounds(2, 4)


class Attempt(NamedTuple):
    """One process: whether it came to its end, and the texts that went to its encoder."""

    done: bool
    encoded: list[str]
    took_s: float


class Place:
    """A project and caches of its own."""

    def __init__(self, folder: Path, config: str) -> None:
        self.home = folder / "home"
        self.root = folder / "pages"
        make(self.root, config=config).close()

    def attempt(self, words: list[str], kill_after_s: float | None = None) -> Attempt:
        """Sweep until it is done, or killed."""
        log = self.home.parent / "encoded.jsonl"
        log.unlink(missing_ok=True)
        command = [sys.executable, str(SWEEPER), str(log), "sweep", *words, "--json", "--out", str(self.root / "table.csv")]
        started = time.monotonic()
        with (self.root / "table.json").open("wb") as out, (self.root / "said").open("wb") as said:
            process = subprocess.Popen(
                command, cwd=self.root, stdout=out, stderr=said, env=surroundings(self.home, PYTHONPATH=str(SWEEPER.parents[2]))
            )
            try:
                code = process.wait(timeout=kill_after_s or 300)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
                code = None
        assert code in (0, None), (self.root / "said").read_text(encoding="utf-8")[-2000:]
        lines = log.read_text(encoding="utf-8").splitlines() if log.exists() else []
        return Attempt(code == 0, [json.loads(line) for line in lines], time.monotonic() - started)

    def stored(self, texts: set[str]) -> set[str]:
        """Those of `texts` whose vectors are in the cache."""
        fingerprint = EncoderProcess(EmbeddingConfig(), cache=self.home / "cache").fingerprint
        cache = VectorCache(self.home / "cache" / "vectors.sqlite")
        try:
            known = cache.get([key_of(fingerprint, text) for text in texts])
            return {text for text in texts if key_of(fingerprint, text) in known}
        finally:
            cache.close()

    def table(self) -> tuple[str, str]:
        """The JSON and the CSV of the sweep, without times."""
        document: dict[str, Any] = json.loads((self.root / "table.json").read_bytes())
        for row in document["rows"]:
            assert set(row.pop("timings")) == TIMED
        if document["confirmed"] is not None:
            del document["confirmed"]["again"]  # that it had looked before it was killed
        with (self.root / "table.csv").open(encoding="utf-8", newline="") as handle:
            rows = list(csv.DictReader(handle))
        kept = [{key: value for key, value in row.items() if key not in TIMED} for row in rows]
        return json.dumps(document), json.dumps(kept)


@pytest.mark.parametrize("kind", GRIDS)
def test_the_table_is_that_of_a_sweep_that_nothing_disturbed(tmp_path: Path, kind: str) -> None:
    config, words = GRIDS[kind]
    calm = Place(tmp_path / "calm", config)
    whole = calm.attempt(words)
    assert whole.done
    union = set(whole.encoded)
    assert len(union) == len(whole.encoded)
    assert bool(union) == (kind == "vectors")
    assert calm.stored(union) == union
    wanted = calm.table()
    rng = random.Random(f"sweep {kind}")
    for number in range(rounds(2 if kind == "bm25" else 1, 20)):
        place = Place(tmp_path / f"round{number}", config)
        _killed_until_done(place, words, whole, rng)
        assert place.table() == wanted
        assert place.stored(union) == union
        _logged_once(place)


def _killed_until_done(place: Place, words: list[str], whole: Attempt, rng: random.Random) -> None:
    """Start and kill it at random moments, and let it end at last. No text with a stored vector goes to the encoder again."""
    union = set(whole.encoded)
    encoded: Counter[str] = Counter()
    lost: Counter[str] = Counter()
    for kills in range(MOST_KILLS + 1):
        before = place.stored(union)
        attempt = place.attempt(words, rng.uniform(0.1, 1.0) * whole.took_s if kills < MOST_KILLS else None)
        assert not before & set(attempt.encoded)
        assert len(set(attempt.encoded)) == len(attempt.encoded)
        assert set(attempt.encoded) <= union
        encoded.update(attempt.encoded)
        lost.update(set(attempt.encoded) - place.stored(union))
        if attempt.done:
            break
    assert attempt.done
    assert encoded - lost == Counter(union)  # each once, but for what was under way when it was killed


def _logged_once(place: Place) -> None:
    log = place.root / "evals" / "holdout.jsonl"
    looks = [json.loads(line)["rev"] for line in log.read_text(encoding="utf-8").splitlines()] if log.exists() else []
    assert len(set(looks)) == len(looks)
    confirmed = json.loads((place.root / "table.json").read_bytes())["confirmed"]
    assert len(looks) == (2 if confirmed is not None else 0)

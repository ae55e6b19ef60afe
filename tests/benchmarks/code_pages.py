"""300 pages that differ in one code, for four families of codes: is the page that is asked for among BM25's first five?"""

from __future__ import annotations

import json
import random
from collections.abc import Callable
from pathlib import Path

from tests.benchmarks.baselines import measured_with
from tests.benchmarks.harness import Bench, Figure, at_least

from ragtriage.project import Project

__all__ = ["FAMILIES", "PAGES", "write_pages"]

PAGES = 300
_FIRST = "user order card batch cart item page role team site node task lock feed mail file sync view form plan"
_SECOND = "id key ref tag row num sum age url map set log max min day"
FAMILIES: dict[str, Callable[[int], str]] = {
    "ERR_4021": lambda number: f"ERR_{4000 + number}",
    "v1.2.3": lambda number: f"v{1 + number // 100}.{number // 10 % 10}.{number % 10}",
    "user_id": lambda number: f"{_FIRST.split()[number // 15]}_{_SECOND.split()[number % 15]}",
    "AX-104": lambda number: f"AX-{100 + number}",
}
_FILLER = (
    "the service stops when this happens open settings and look at the last entry then restart the worker wait a minute check "
    "that the connection is up again ask the owner of the account to sign in once more if it stays write to support and name "
    "the time the region and the plan what was changed before and who did it a fix is mostly one of these steps"
)


def write_pages(root: Path, family: str, pages: int = PAGES, seed: int = 5) -> None:
    """A project whose pages hold the same words in the same order, 20 to 600 of them, and one code each."""
    rng = random.Random(seed)
    (root / "docs").mkdir(parents=True)
    (root / "evals").mkdir()
    golden = []
    for number in range(pages):
        code = FAMILIES[family](number)
        count = rng.randint(20, 600)
        filler = _FILLER.split()
        words = [filler[place % len(filler)] for place in range(count)]
        words[rng.randrange(count)] = code
        (root / "docs" / f"page-{number:03}.txt").write_text(" ".join(words) + "\n", encoding="utf-8")
        text = f"what does {code} mean and how do i fix it"
        golden.append({"qid": f"q{number:03}", "question": text, "evidence": [{"doc": f"page-{number:03}"}]})
    (root / "evals" / "golden.jsonl").write_text("".join(json.dumps(line) + "\n" for line in golden), encoding="utf-8")
    (root / "ragtriage.toml").write_text('[retrieval]\nmode = "bm25"\nk = 5\n', encoding="utf-8")


def run(bench: Bench) -> list[Figure]:
    figures = []
    for family in FAMILIES:
        root = bench.fresh("codes") / "project"
        write_pages(root, family)
        found = measured_with(Project.open(root), "hit@5")
        figures.append(at_least(f"{PAGES} pages like {family}: the page in BM25's first five", found, 0.98))
    return figures

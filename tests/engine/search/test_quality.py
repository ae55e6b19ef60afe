"""How good BM25's rankings are on public sets, and on pages that differ in one code. No model takes part."""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import orjson
import pytest
from tests.shared_data import shared

from ragtriage.search.lexical import LexicalIndex


def rows(path: Path) -> list[dict[str, Any]]:
    return [orjson.loads(line) for line in path.read_bytes().splitlines() if line.strip()]


def judgements(path: Path) -> dict[str, dict[str, int]]:
    out: dict[str, dict[str, int]] = {}
    for line in path.read_text(encoding="utf-8").splitlines():
        qid, doc_id, score = line.split("\t")
        if score.isdigit():
            out.setdefault(qid, {})[doc_id] = int(score)
    return {qid: gains for qid, gains in out.items() if any(gains.values())}


def ndcg_at_10(ranking: Iterable[str], gains: dict[str, int]) -> float:
    def discounted(values: Iterable[int]) -> float:
        return sum(value / math.log2(place + 2) for place, value in enumerate(values))

    best = discounted(sorted(gains.values(), reverse=True)[:10])
    return discounted([gains.get(doc_id, 0) for doc_id in list(ranking)[:10]]) / best


# The second figure is bm25s 0.3.16 "lucene" (k1 1.2, b 0.75, English stop words, Snowball) on the same texts.
@pytest.mark.parametrize(
    ("name", "floor", "reference"),
    [("cranfield", 0.36, 0.3597), ("mongodb-faq", 0.69, 0.6688), ("clapnq-dev", 0, 0.9506), ("chunking-eval", 0, 0.7799)],
)
def test_bm25_on_public_sets(name: str, floor: float, reference: float, tmp_path: Path, chunks_of: Callable[..., Any]) -> None:
    folder = shared(name)
    documents = rows(folder / "corpus.jsonl")
    texts = [(row["_id"], f"{row['title']}\n\n{row['text']}" if row.get("title") else row["text"]) for row in documents]
    gains = judgements(folder / "qrels.tsv")
    questions = [(row["_id"], row["text"]) for row in rows(folder / "queries.jsonl") if row["_id"] in gains]
    index = LexicalIndex.open_or_build(chunks_of(*texts), cache=tmp_path)
    found = index.search([text for _, text in questions], [None] * len(questions), 10)
    values = [
        ndcg_at_10([texts[row][0] for row in each.rows], gains[qid]) for (qid, _), each in zip(questions, found, strict=True)
    ]
    assert sum(values) / len(values) >= max(floor, reference - 0.01)


PARTS = ["user", "order", "cart", "token", "team", "role", "plan", "tax", "mail", "group", "refund", "id"]
CODES: dict[str, Callable[[random.Random], str]] = {
    "ERR_4021": lambda rng: f"ERR_{rng.randrange(1000, 10_000)}",
    "v1.2.3": lambda rng: f"v{rng.randrange(9)}.{rng.randrange(20)}.{rng.randrange(20)}",
    "AX-104": lambda rng: f"{rng.choice('ABCD')}X-{rng.randrange(100, 1000)}",
    "user_id": lambda rng: "_".join(rng.sample(PARTS, 3)),
}


@pytest.mark.parametrize("kind", CODES)
def test_pages_that_differ_in_one_code(kind: str, tmp_path: Path, chunks_of: Callable[..., Any]) -> None:
    rng = random.Random(kind)
    codes: list[str] = []
    while len(codes) < 300:
        codes = list(dict.fromkeys([*codes, CODES[kind](rng)]))
    words = [f"w{number}x" for number in range(400)] + ["fix", "error", "mean", "how", "v1", "err", *PARTS] * 4
    pages = []
    for code in codes:
        page = rng.choices(words, k=rng.randrange(20, 600))
        page.insert(rng.randrange(len(page)), code)
        pages.append(" ".join(page))
    index = LexicalIndex.open_or_build(chunks_of(*pages), cache=tmp_path)
    found = index.search([f"what does {code} mean and how do i fix it" for code in codes], [None] * 300, 5)
    assert sum(row in each.rows for row, each in enumerate(found)) >= 0.98 * 300

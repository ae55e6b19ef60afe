"""Token recall, precision and IoU on the 790 character ranges of chunking-eval, counted here token by token.

From the definition (Smith and Troynikov, Evaluating Chunking Strategies for Retrieval, 2024): of a question, t_e are the tokens
of its excerpts and t_r those of the chunks that were retrieved; recall is |t_e ∩ t_r| / |t_e|, precision |t_e ∩ t_r| / |t_r|
and IoU |t_e ∩ t_r| / |t_e ∪ t_r|, where a token that two retrieved chunks hold is in t_r twice. Tokens are those of the
embedding model, and one belongs to a range that holds any of its characters.
"""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

import pytest
from tests.engine.chunking.cutting import model_dir
from tests.engine.search.conftest import FakeEncoder
from tests.shared_data import shared
from tokenizers import Tokenizer

from ragtriage.metrics.tokens import token_scores
from ragtriage.project import Project
from ragtriage.search.pipeline import Query
from ragtriage.types import Ranking, Span

pytestmark = pytest.mark.xdist_group("chunking-eval")  # the owners of its characters are found once

EVERY = 12  # of the questions one in so many is asked; their ranges are all checked


@pytest.fixture(scope="module")
def ranges() -> list[tuple[str, list[tuple[str, int, int]]]]:
    """Each question with its ranges, from the file."""
    lines = (shared("chunking-eval") / "queries.jsonl").read_text(encoding="utf-8").splitlines()
    return [
        (row["text"], [(place["doc_id"], place["start"], place["end"]) for place in row["references"]])
        for row in map(json.loads, lines)
    ]


@pytest.fixture(scope="module")
def texts() -> dict[str, str]:
    return {path.stem: path.read_bytes().decode("utf-8") for path in sorted((shared("chunking-eval") / "corpora").glob("*.md"))}


@pytest.fixture(scope="module")
def tokens(texts: dict[str, str]) -> dict[str, list[tuple[int, int]]]:
    """The places of the tokens of each document, asked of the tokenizer itself."""
    tokenizer = Tokenizer.from_file(str(model_dir() / "tokenizer.json"))
    tokenizer.no_truncation()
    tokenizer.no_padding()
    return {name: tokenizer.encode(text, add_special_tokens=False).offsets for name, text in texts.items()}


@pytest.fixture(scope="module")
def owners(texts: dict[str, str], tokens: dict[str, list[tuple[int, int]]]) -> dict[str, list[list[int]]]:
    """Of each character of a document, the numbers of the tokens that hold it."""
    out: dict[str, list[list[int]]] = {name: [[] for _ in text] for name, text in texts.items()}
    for name, places in tokens.items():
        for number, (start, end) in enumerate(places):
            for place in range(start, end):
                out[name][place].append(number)
    return out


def test_there_are_790_ranges_and_each_says_what_stands_there(texts: dict[str, str]) -> None:
    lines = (shared("chunking-eval") / "queries.jsonl").read_text(encoding="utf-8").splitlines()
    places = [place for row in map(json.loads, lines) for place in row["references"]]
    assert len(places) == 790
    assert all(texts[place["doc_id"]][place["start"] : place["end"]] == place["content"] for place in places)


STRATEGIES = {
    "fixed with overlap": ("chunking.strategy=fixed", "chunking.size=200", "chunking.overlap=40"),
    "recursive": ("chunking.strategy=recursive", "chunking.size=200"),
    "small_to_big": ("chunking.strategy=small_to_big", "chunking.size=200", "chunking.child_size=50"),
    "semantic": ("chunking.strategy=semantic", "chunking.size=200"),
}


@pytest.mark.parametrize("name", STRATEGIES)
def test_scores_are_those_of_the_definition(
    name: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    ranges: list[tuple[str, list[tuple[str, int, int]]]],
    owners: dict[str, list[list[int]]],
) -> None:
    monkeypatch.setenv("RAGTRIAGE_HOME", str(tmp_path))
    project = Project.open(shared("chunking-eval"), overrides=[*STRATEGIES[name], "retrieval.mode=bm25"])
    project.__dict__["encoder"] = FakeEncoder()  # sentences that share words are near: where it cuts does not matter here
    names = [document.doc_id for document in project.corpus.documents]
    offsets = dict(zip(names, project.tokens.offsets([document.text for document in project.corpus.documents]), strict=True))
    asked = ranges[::EVERY]
    rankings = project.system.search([Query(text) for text, _ in asked])
    seen = set()
    for (_, wanted), ranking in zip(asked, rankings, strict=True):
        assert isinstance(ranking, Ranking)
        for k in (1, 5, 20):
            chunks = [project.chunks[row] for name in ranking.ids[:k] if (row := project.chunks.row(name)) is not None]
            retrieved = [(chunk.doc_id, chunk.span) for chunk in chunks]
            scores = token_scores([(doc, Span(start, end)) for doc, start, end in wanted], retrieved, offsets)

            evidence = {
                (doc, number) for doc, start, end in wanted for place in range(start, end) for number in owners[doc][place]
            }
            paid: Counter[tuple[str, int]] = Counter()
            for doc, span in retrieved:
                paid.update({(doc, number) for place in range(*span) for number in owners[doc][place]})
            shared_tokens = len(evidence & set(paid))
            assert scores.recall == shared_tokens / len(evidence)
            assert scores.precision == (shared_tokens / paid.total() if paid else 0.0)
            assert scores.iou == shared_tokens / (len(evidence - set(paid)) + paid.total())
            seen.add(scores)
    assert len(seen) > 5
    project.close()


def test_every_range_alone_is_counted_by_the_definition(
    ranges: list[tuple[str, list[tuple[str, int, int]]]],
    owners: dict[str, list[list[int]]],
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
) -> None:
    """Each of the 790 ranges against what lies around its beginning: half of it, and as much before it."""
    monkeypatch.setenv("RAGTRIAGE_HOME", str(tmp_path))
    project = Project.open(shared("chunking-eval"), overrides=["retrieval.mode=bm25"])
    documents = project.corpus.documents
    offsets = dict(zip([one.doc_id for one in documents], project.tokens.offsets([one.text for one in documents]), strict=True))
    for _, wanted in ranges:
        for doc, start, end in wanted:
            half = (end - start) // 2 + 1
            around = Span(max(0, start - half), start + half)
            scores = token_scores([(doc, Span(start, end))], [(doc, around)], offsets)
            evidence = {number for place in range(start, end) for number in owners[doc][place]}
            got = {number for place in range(*around) for number in owners[doc][place]}
            both = len(evidence & got)
            assert scores == (both / len(evidence), both / len(got), both / len(evidence | got))

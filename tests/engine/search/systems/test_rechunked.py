"""A system that cuts the sample's documents in its own way and has ids of its own: every passage is found, and what is measured
is what its spans imply. Both are worked out here once more, from the documents' texts alone."""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from ragtriage.measure.evaluate import evaluate
from ragtriage.measure.foreign_passages import passages_of
from ragtriage.measure.results import ItemResult, Run
from ragtriage.project import Project

SAMPLE = Path(__file__).resolve().parents[4] / "sample_corpus"
K = 5


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("sample") / "fernway"
    shutil.copytree(SAMPLE, folder)
    return folder


def windows(text: str, words: int, step: int) -> list[tuple[int, int]]:
    """Windows of so many words of a text, as spans."""
    at, spans = 0, []
    for word in text.split():
        start = text.index(word, at)
        at = start + len(word)
        spans.append((start, at))
    return [(spans[first][0], spans[min(first + words, len(spans)) - 1][1]) for first in range(0, len(spans), step)]


def cut(project: Project, words: int, step: int) -> dict[str, tuple[str, int, int]]:
    found = {}
    for document in project.corpus.documents:
        for start, end in windows(document.text, words, step):
            found[f"p{len(found):05}"] = (document.doc_id, start, end)
    return found


def ranked(project: Project, passages: dict[str, tuple[str, int, int]]) -> dict[str, list[str]]:
    """For each question the passages that share most words with it: any retriever will do."""
    words = {
        name: set(project.corpus.document(doc).text[start:end].lower().split()) for name, (doc, start, end) in passages.items()
    }
    out = {}
    for question in project.golden.questions:
        asked = set(question.sent.lower().split())
        out[question.qid] = sorted(words, key=lambda name: (-len(asked & words[name]), name))[:50]
    return out


def typographic(text: str) -> str:
    return text.upper().replace("'", "’").replace(" - ", " – ").replace("\n", "\r\n   ")


def titled(text: str) -> str:
    return f"Help centre > Something of ours\n\n{text}"


@pytest.mark.parametrize(
    ("words", "step", "written", "docs", "hows"),
    [
        (60, 60, str, False, {"exact"}),
        (45, 30, str, True, {"exact"}),
        (80, 70, typographic, True, {"exact", "folded"}),
        (90, 90, titled, False, {"exact", "fuzzy"}),
    ],
)
def test_every_passage_is_found_and_counts_as_its_span_says(
    root: Path, words: int, step: int, written: Callable[[str], str], docs: bool, hows: set[str]
) -> None:
    project = Project.open(
        root, overrides=["retrieval.system=recorded", "retrieval.recorded=theirs.jsonl", "retrieval.mode=bm25"]
    )
    passages = cut(project, words, step)
    lists = ranked(project, passages)
    lines = []
    for qid, names in lists.items():
        hits: list[dict[str, Any]] = []
        for name in names:
            doc, start, end = passages[name]
            hits.append({"id": name, "text": written(project.corpus.document(doc).text[start:end])})
            hits[-1] |= {"doc": f"https://help.example.com/{doc}.md"} if docs else {}
        lines.append(json.dumps({"qid": qid, "hits": hits}))
    (root / "theirs.jsonl").write_text("\n".join(lines), encoding="utf-8")
    run = evaluate(project, answers="live", store=False)
    account = run.manifest["system"]
    assert (account["aligned"], account["unmatched"]) == (1.0, [])
    assert {how for how, count in account["matched"].items() if count} <= hows
    elsewhere = 0
    for question in run.questions:
        assert [hit.chunk_id for hit in question.hits] == lists[question.qid]
        for name in lists[question.qid]:
            doc, start, end = passages[name]
            place = question.places[name]
            assert place is not None
            texts = [project.corpus.document(one).text[low:high] for one, low, high in (place, (doc, start, end))]
            assert re.findall(r"\w+", texts[0]) == re.findall(r"\w+", texts[1])
            assert texts[0] in texts[1]
            elsewhere += place != (doc, start, end) and texts[0] == texts[1]
    assert elsewhere <= account["hits"] // 50  # a text that stands twice, taken for the other
    if hows == {"exact"} and docs:
        implied(project, run, passages, lists)
    table = passages_of(run.questions, project.chunks)
    row = table.row(lists[run.questions[0].qid][0])
    assert row is not None
    assert table[row].doc_id == table.document_of(row).doc_id
    assert len(table) == len(project.chunks)
    assert all(table.row(chunk_id) == at for at, chunk_id in enumerate(project.chunks.ids))
    project.close()


def implied(project: Project, run: Run, passages: dict[str, tuple[str, int, int]], lists: dict[str, list[str]]) -> None:
    """Ranks, recall and mrr from the spans alone."""
    recalls, reciprocals = [], []
    for question in run.questions:
        if not question.measured:
            continue
        expected = [rank_of(project, item, [passages[name] for name in lists[question.qid]]) for item in question.items]
        assert list(question.ranks) == expected
        inside = [rank is not None and rank <= K for rank in expected]
        recalls.append(sum(inside) / len(inside))
        reciprocals.append(max(1 / rank if rank else 0.0 for rank in expected))
    metrics = run.manifest["metrics"]
    assert metrics["recall@5"]["value"] == pytest.approx(sum(recalls) / len(recalls), abs=1e-6)
    assert metrics["mrr"]["value"] == pytest.approx(sum(reciprocals) / len(reciprocals), abs=1e-6)
    assert 0.2 < metrics["recall@5"]["value"] < 1


def rank_of(project: Project, item: ItemResult, spans: list[tuple[str, int, int]]) -> int | None:
    """The first r at which the first r spans hold four fifths of the letters of a place, and all of its digits."""
    best = None
    for doc, start, end in item.spans:
        text = project.corpus.document(doc).text
        covered: set[int] = set()
        ink = [at for at in range(start, end) if not text[at].isspace()]
        for rank, (where, low, high) in enumerate(spans, start=1):
            covered |= set(range(low, high)) if where == doc else set()
            missing = [at for at in ink if at not in covered]
            if item.kind == "quote":
                enough = 5 * len(missing) <= len(ink) and not any(text[at].isdigit() for at in missing)
            else:  # a section or a page: half of the smaller of the two
                own = len("".join(text[low:high].split()))
                shared = len([at for at in ink if low <= at < high]) if where == doc else 0
                enough = shared > 0 and 2 * shared >= min(own, len(ink))
            if enough:
                best = rank if best is None else min(best, rank)
                break
    return best

"""The sample's golden set over systems of every kind that wrap the embedded engine: all is as it is there."""

from __future__ import annotations

import json
import shutil
import sys
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from ragtriage.measure.evaluate import evaluate
from ragtriage.measure.results import Run
from ragtriage.project import Project
from ragtriage.search.pipeline import Query

SAMPLE = Path(__file__).resolve().parents[4] / "sample_corpus"

WRAPPER = """
import json, sys
from pathlib import Path
from ragtriage.project import Project
from ragtriage.search.pipeline import Query

project = Project.open(Path(__file__).parent)


def retrieve(question, k, groups):
    found = project.embedded.search([Query(question, None if groups is None else tuple(groups))])[0]
    print("retrieved", question)
    return [hit.chunk_id for hit in found.hits[:k]]


async def later(question, k, groups):
    for name in retrieve(question, k, groups):
        yield name


if __name__ == "__main__":
    real, sys.stdout = sys.stdout, sys.stderr
    for line in sys.stdin:
        asked = json.loads(line)
        print(json.dumps({"id": asked["id"], "hits": retrieve(asked["question"], asked["k"], asked["groups"])}), file=real, flush=True)
"""  # noqa: E501  # a program of somebody's


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("sample") / "fernway"
    shutil.copytree(SAMPLE, folder)
    (folder / "wrapper.py").write_text(WRAPPER, encoding="utf-8")
    return folder


@pytest.fixture(scope="module")
def embedded(root: Path) -> Run:
    project = Project.open(root)
    try:
        return evaluate(project, store=False)
    finally:
        project.close()


def measured(root: Path, *overrides: str) -> Run:
    project = Project.open(root, overrides=["run.concurrency=2", *overrides], trusted=True)
    try:
        return evaluate(project, store=False)
    finally:
        project.close()


def same(run: Run, embedded: Run) -> None:
    assert [one.reason for one in run.questions if one.status == "failed"] == []
    for mine, theirs in zip(run.questions, embedded.questions, strict=True):
        assert [hit.chunk_id for hit in mine.hits] == [hit.chunk_id for hit in theirs.hits]
        assert (mine.status, mine.ranks, mine.rr) == (theirs.status, theirs.ranks, theirs.rr)
        assert (mine.live, mine.oracle, mine.no_oracle) == (theirs.live, theirs.oracle, theirs.no_oracle)
        assert mine.context_tokens == theirs.context_tokens
        assert mine.seen == theirs.seen
    assert run.manifest["metrics"] == embedded.manifest["metrics"]
    assert run.manifest["answers"] == embedded.manifest["answers"]
    assert "system" not in embedded.manifest
    assert not any(b'"places"' in line for line in embedded.lines)
    account = run.manifest["system"]
    assert (account["aligned"], account["unmatched"], account["hidden"]) == (1.0, [], 0)
    assert account["matched"]["id"] == account["hits"] > 0


@pytest.mark.parametrize("function", ["retrieve", "later"])
def test_a_function_in_an_interpreter(root: Path, embedded: Run, function: str) -> None:
    same(
        measured(
            root, "retrieval.system=python", f"retrieval.python={sys.executable}", f"retrieval.callable=wrapper:{function}"
        ),
        embedded,
    )


def test_a_program(root: Path, embedded: Run) -> None:
    command = json.dumps([sys.executable, "wrapper.py"])
    run = measured(root, "retrieval.system=command", f"retrieval.command={command}")
    same(run, embedded)
    seconds = run.manifest["system"]["seconds"]
    assert 0 < seconds["p50"] <= seconds["p95"] <= seconds["p99"]
    assert [row["qid"] for row in run.timings if row["stage"] == "system"] == [one.qid for one in run.questions]


@pytest.fixture
def server(root: Path) -> Iterator[str]:
    project = Project.open(root)
    lock = threading.Lock()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            groups = None if asked["who"] is None else tuple(asked["who"])
            with lock:
                found: Any = project.embedded.search([Query(asked["search"]["words"], groups)])[0]
            hits = [{"_source": {"ref": hit.chunk_id}, "points": hit.score} for hit in found.hits[: asked["top"]]]
            body = json.dumps({"took": 1, "hits": {"hits": hits}}).encode()
            good = self.headers["Authorization"] == "Bearer s3cret-token"
            self.send_response(200 if good else 401)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: Any) -> None: ...

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as listening:
        thread = threading.Thread(target=listening.serve_forever, args=(0.02,))
        thread.start()
        yield f"http://127.0.0.1:{listening.server_port}/search"
        listening.shutdown()
        thread.join()
    project.close()


def test_a_server(root: Path, embedded: Run, server: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SEARCH_TOKEN", "s3cret-token")
    request = json.dumps({"search": {"words": "{{question}}"}, "top": "{{k}}", "who": "{{groups}}"})
    run = measured(
        root, "retrieval.system=http", f"retrieval.url={server}", f"retrieval.request='{request}'",
        'retrieval.headers=["Authorization: Bearer ${SEARCH_TOKEN}"]', "retrieval.hits_at=hits.hits",
        "retrieval.id_at=_source.ref", "retrieval.score_at=points",
    )  # fmt: skip
    same(run, embedded)
    assert [hit.score for hit in run.questions[0].hits] == [hit.score for hit in embedded.questions[0].hits]
    assert "s3cret-token" not in json.dumps(dict(run.manifest))


def test_recorded_runs(root: Path, embedded: Run) -> None:
    lines = [
        f"{one.qid} Q0 {hit.chunk_id} {rank} {1 / rank} mine"
        for one in embedded.questions
        for rank, hit in enumerate(one.hits, start=1)
    ]
    (root / "run.trec").write_text("\n".join(lines) + "\n", encoding="utf-8")
    same(measured(root, "retrieval.system=recorded", "retrieval.recorded=run.trec"), embedded)
    project = Project.open(root)
    asked = {one.qid: one for one in project.golden.questions}
    said = [{"question": asked[one.qid].sent, "hits": [hit.chunk_id for hit in one.hits]} for one in embedded.questions]
    (root / "said.jsonl").write_text("".join(json.dumps(one) + "\n" for one in said), encoding="utf-8")
    same(measured(root, "retrieval.system=recorded", "retrieval.recorded=said.jsonl"), embedded)
    texts = [
        {"id": one.qid, "contexts": [_shown(project, hit.chunk_id) for hit in one.hits], "answer": "…"}
        for one in embedded.questions
    ]
    (root / "texts.json").write_text(json.dumps(texts), encoding="utf-8")
    run = measured(root, "retrieval.system=recorded", "retrieval.recorded=texts.json")
    assert run.manifest["system"]["aligned"] == 1.0
    assert run.manifest["metrics"] == embedded.manifest["metrics"]
    project.close()


def _shown(project: Project, chunk_id: str) -> dict[str, str]:
    row = project.chunks.row(chunk_id)
    assert row is not None
    return {"page_content": project.chunks.text(row), "source": project.chunks.document_of(row).doc_id}

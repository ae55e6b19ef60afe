"""What a system said before: run files, JSON lines, traces, and files that are none of these."""

from __future__ import annotations

import gzip
import json
from collections.abc import Callable
from pathlib import Path

import pytest

from ragtriage.errors import ConfigError
from ragtriage.measure.evaluate import evaluate
from ragtriage.project import Project
from ragtriage.search.systems.foreign import ForeignHit
from ragtriage.types import Failure

Opened = Callable[..., Project]
TEXT = "Goods may be sent back within 30 days of delivery."
QUESTION = "How  long may goods be sent back?"


@pytest.fixture
def said(opened: Opened, root: Path) -> Callable[..., list[ForeignHit] | str]:
    def ask(content: str | bytes, question: str = QUESTION, k: int = 10) -> list[ForeignHit] | str:
        (root / "said").write_bytes(content if isinstance(content, bytes) else content.encode())
        project = opened([QUESTION], "retrieval.system=recorded", "retrieval.recorded=said")
        found = project.open_asker().ask(question, k, None)
        return found.reason if isinstance(found, Failure) else list(found)

    return ask


TREC = "q1 Q0 b 1 0.5 x\nq1 Q0 a 2 0.9 x\nq1 Q0 c 3 0.5 x\nq1 Q0 a 4 0.1 x\n"


@pytest.mark.parametrize(
    "content", [TREC, TREC.replace(" ", "\t"), gzip.compress(TREC.encode(), mtime=0)], ids=["trec", "tabs", "gzip"]
)
def test_a_run_file_is_sorted_by_score_and_keeps_what_is_listed_twice(
    said: Callable[..., list[ForeignHit] | str], content: str | bytes
) -> None:
    found = said(content)
    assert found == [
        ForeignHit("a", score=0.9),
        ForeignHit("b", score=0.5),
        ForeignHit("c", score=0.5),
        ForeignHit("a", score=0.1),
    ]
    assert said(content, k=2) == found[:2]


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ({"qid": "q1", "hits": ["a", {"id": "b", "score": 2}]}, [ForeignHit("a"), ForeignHit("b", score=2.0)]),
        ({"question": "how long MAY goods be sent back?", "ids": ["a"]}, [ForeignHit("a")]),
        ({"query": QUESTION, "texts": [TEXT]}, [ForeignHit("", TEXT)]),
        ({"id": "q1", "retrieved": [{"page_content": TEXT, "metadata": {"source": "s"}}]}, [ForeignHit("", TEXT, "s")]),
        ({"qid": "q1", "hits": [None]}, "hit 1 is neither an id nor an object"),
        ({"qid": "q2", "hits": ["a"]}, "said has nothing for this question"),
        (
            {
                "trace_id": "t1", "name": "rag", "inputs": {"question": QUESTION}, "outputs": {"answer": "30 days"},
                "child_runs": [
                    {"trace_id": "t1", "name": "retriever", "run_type": "retriever", "inputs": {"query": QUESTION},
                     "outputs": {"documents": [{"page_content": TEXT, "metadata": {"source": "refunds.md"}}]}},
                ],
            },
            [ForeignHit("", TEXT, "refunds.md")],
        ),
    ],
)  # fmt: skip
def test_json_lines_lists_and_traces(
    said: Callable[..., list[ForeignHit] | str], value: dict[str, object], expected: list[ForeignHit] | str
) -> None:
    assert said(json.dumps(value) + "\n") == expected
    assert said(json.dumps([value], indent=1)) == expected


def test_answers_come_along(opened: Opened, root: Path) -> None:
    (root / "said").write_text(json.dumps({"qid": "q1", "hits": ["refunds#1"], "answer": "30 days [1]."}), encoding="utf-8")
    project = opened([QUESTION], "retrieval.system=recorded", "retrieval.recorded=said", "answers.generator=system")
    run = evaluate(project, store=False)
    assert run.manifest["generator"] == {"spec": "system(recorded(said))", "by_itself": True}
    (result,) = run.questions
    assert result.live is not None
    assert (result.live.text, result.live.correct, result.oracle) == ("30 days [1].", True, None)
    assert run.manifest["answers"]["tax"]["n"] == 0


def test_an_edited_file_is_another_configuration(opened: Opened, root: Path) -> None:
    prints = []
    for score in ("0.1", "0.2"):
        (root / "said").write_text(f"q1 Q0 a 1 {score} x\n", encoding="utf-8")
        prints.append(opened(["x"], "retrieval.system=recorded", "retrieval.recorded=said").config_fingerprint())
    assert len(set(prints)) == 2


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "retrieval.recorded: said: "),
        (b"just words\nand more\n", "retrieval.recorded: said: no run: "),
        (b"\x00\x01\xff" * 100, "retrieval.recorded: said: "),
        (b"{]", "retrieval.recorded: said: "),
    ],
)
def test_files_that_are_none_of_these(said: Callable[..., list[ForeignHit] | str], content: bytes, message: str) -> None:
    with pytest.raises(ConfigError) as caught:
        said(content)
    assert str(caught.value).startswith(message)
    assert "\n" not in str(caught.value)


def test_a_file_that_is_not_there(opened: Opened, root: Path) -> None:
    for name in ("absent", "docs"):
        project = opened(["x"], "retrieval.system=recorded", f"retrieval.recorded={name}")
        with pytest.raises(ConfigError, match="no such file"):
            evaluate(project, store=False)


def test_how_quickly_a_file_is_read_is_no_time_of_the_system(opened: Opened, root: Path) -> None:
    (root / "said").write_text("q1 Q0 refunds#1 1 0.5 x\n", encoding="utf-8")
    run = evaluate(opened([QUESTION], "retrieval.system=recorded", "retrieval.recorded=said"), store=False)
    assert run.questions[0].status == "found"
    assert run.manifest["system"]["seconds"] == {"p50": None, "p95": None, "p99": None}
    assert [row for row in run.timings if row["stage"] == "system"] == []

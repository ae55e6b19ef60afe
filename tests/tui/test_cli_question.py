"""Where one question's evidence was lost, in words."""

from __future__ import annotations

import json
from contextlib import closing
from pathlib import Path
from typing import Any, Literal

import pytest

from ragtriage.measure.evaluate import evaluate
from ragtriage.measure.ladder import LEVERS
from ragtriage.measure.results import ItemResult, QuestionResult, Rung
from ragtriage.project import Project
from ragtriage_tui.question_text import _item_lines, headline, question_lines, where_found

FUSED_OUT = (Rung("bm25", "absent"), Rung("dense", "ok", 17), Rung("fused", "broken", note="not in the pool"))


def item(rank: int | None = None, *, how: str = "exact", rungs: tuple[Rung, ...] = (), **more: Any) -> ItemResult:
    return ItemResult("quote", "faq", ("FAQ",), "a quote", 1.0, how, False, False, (("faq", 0, 7),), rank, "", rungs, **more)


@pytest.mark.parametrize(
    ("items", "said"),
    [
        ([item(7)], "evidence at 7"),
        ([item(2), item(5)], "evidence at 2 and 5"),
        ([item(rungs=FUSED_OUT)], "dense 17, not in the fused pool"),
        ([item(2), item(rungs=FUSED_OUT)], "evidence at 2; dense 17, not in the fused pool"),
        (
            [item(rungs=(Rung("bm25", "ok", 70), Rung("dense", "skipped"), Rung("fused", "skipped")))],
            "bm25 70, not in the pool",
        ),
        ([item(rungs=(Rung("bm25", "broken"), Rung("dense", "broken")))], "evidence in no retriever's pool"),
        ([item(), item()], "evidence in no retriever's pool"),
        ([item(how="missing-quote", rungs=(Rung("corpus", "broken"),))], "the quote is not in the document"),
        ([item(how="missing-document"), item(3)], "there is no such document; evidence at 3"),
    ],
)
def test_where_the_evidence_is(items: list[ItemResult], said: str) -> None:
    assert where_found(items) == said


@pytest.mark.parametrize(
    ("items", "needs", "said"),
    [
        ([item(7)], "all", "evidence at 7, k = 5"),
        ([item(2), item(5)], "all", "2 of 2 inside k = 5, at 2 and 5"),
        ([item(2), item(7)], "all", "1 of 2 inside k = 5; lost: faq › FAQ, at 7"),
        ([item(9), item(7)], "all", "0 of 2 inside k = 5; first lost: faq › FAQ, at 9"),
        ([item(2), item(rungs=FUSED_OUT)], "all", "1 of 2 inside k = 5; lost: faq › FAQ, dense 17, not in the fused pool"),
        ([item(9), item(rungs=FUSED_OUT), item(7)], "any", "0 of 3 inside k = 5, one is enough; nearest: faq › FAQ, at 7"),
        ([item(), item(4), item(9)], "any", "1 of 3 inside k = 5, one is enough, at 4"),
        ([item(how="missing-quote"), item(1)], "all", "1 of 2 inside k = 5; lost: faq › FAQ, the quote is not in the document"),
        ([], "all", "missed"),
    ],
)
def test_the_headline_counts_items_and_speaks_of_one(items: list[ItemResult], needs: Literal["all", "any"], said: str) -> None:
    assert headline(QuestionResult("q1", "", "dev", needs, "missed", tuple(items)), 5) == said


def test_the_first_broken_rung_has_the_lever_and_no_other() -> None:
    lines = _item_lines(item(rungs=(*FUSED_OUT, Rung("context", "broken"))), 5, in_answer=False)
    assert lines[2:] == [
        "       – bm25",
        "       ✓ dense 17",
        f"       ✗ fused  not in the pool   → {LEVERS['fused']}",
    ]


def test_a_wrong_answer_on_found_evidence_has_the_answers_lever() -> None:
    assert _item_lines(item(1), 5, in_answer=True)[-1] == f"       ✗ answer   → {LEVERS['answer']}"
    own = _item_lines(item(1), 5, in_answer=True, stand_in=True)[-1]
    assert own == f"       ✗ answer   → {LEVERS['answer']} (here: extractive stand-in)"
    assert _item_lines(item(1), 5, in_answer=False)[-1] == "       ✓ whole at rank 1"


def test_evidence_over_two_chunks_is_marked_as_the_app_marks_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RAGTRIAGE_HOME", str(tmp_path / "home"))
    quote = "goods may be sent back to our warehouse near the harbour within thirty days of delivery whatever the season"
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "faq.md").write_text(f"Our {quote} is.\n", encoding="utf-8")
    (tmp_path / "docs" / "other.md").write_text("Parcels leave on Mondays.\n", encoding="utf-8")
    (tmp_path / "evals").mkdir()
    asked: dict[str, tuple[str, str, str]] = {
        "split": ("goods sent back to warehouse harbour, days of delivery season", "faq", quote),
        "one": ("when do parcels leave", "other", "leave on Mondays"),
    }
    lines = [
        json.dumps({"qid": qid, "question": text, "evidence": [{"doc": doc, "quote": needs}]})
        for qid, (text, doc, needs) in asked.items()
    ]
    (tmp_path / "evals" / "golden.jsonl").write_text("\n".join(lines), encoding="utf-8")
    settings = ["retrieval.mode=bm25", "chunking.strategy=fixed", "chunking.size=12"]
    with closing(Project.open(tmp_path, overrides=settings)) as project:
        results = evaluate(project, answers="none", store=False).questions
        split, one = (
            question_lines(project, project.golden.questions[row], result, None) for row, result in enumerate(results)
        )
    assert results[0].items[0].in_parts
    assert "       ✓ in parts, the last of them at rank 2" in split
    assert [line[0] for line in split if "faq#" in line] == ["◐", "◐"]
    assert "       ✓ whole at rank 1" in one
    assert [line[0] for line in one if "other#" in line] == ["●"]


def test_a_label_that_was_found_in_another_way_says_so() -> None:
    assert "       found in changed wording" in _item_lines(item(1, how="fuzzy"), 5, in_answer=False)


def test_a_line_end_in_an_id_stays_on_its_line() -> None:
    odd = ItemResult("quote", "a\nb\x0bc", ("d\re",), "a\nquote", 1.0, "exact", False, False, (("a\nb", 0, 7),), 1, "", ())
    lines = _item_lines(odd, 5, in_answer=False)
    assert lines[0] == "needs  a b c › d e"
    assert all(len(line.splitlines()) == 1 for line in lines)

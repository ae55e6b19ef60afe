"""The report's lines, from a run written out by hand."""

from __future__ import annotations

from typing import Any

import pytest

from ragtriage.measure.results import QuestionResult, Run
from ragtriage.triage.verdicts import Verdict
from ragtriage.types import Status
from ragtriage_tui.figures import Marks, bar, clip_text, count, number
from ragtriage_tui.naming import cause, config_name
from ragtriage_tui.plain import _splits, failing_lines, report_lines, skipped_lines


def mean(value: float | None, n: int = 4, failed: int = 0) -> dict[str, Any]:
    total = n + failed
    floor = None if value is None or not total else value * n / total
    return {"value": value, "n": n, "failed": failed, "floor": floor, "low": value, "high": value}


def question(qid: str, *, suggested: str = "", status: Status = "found", seen: str = "s1", reason: str = "") -> QuestionResult:
    return QuestionResult(qid, "exact", "dev", "all", status, (), suggested, rr=1.0, seen=seen, reason=reason)


def run(*questions: QuestionResult, failed: int = 0, **changes: Any) -> Run:
    names = [*(f"{family}@{k}" for family in ("recall", "hit", "ndcg") for k in (1, 3, 5, 10, 20)), "mrr", "recall@pool"]
    metrics = {name: mean(0.5, 4, failed) for name in names} | {
        "recall@5": mean(0.75, 4, failed),
        "recall@pool": mean(0.9, 4, failed),
    }
    config = {
        "retrieval": {"mode": "hybrid", "fusion": "rrf", "k": 5, "rerank": ""},
        "chunking": {"strategy": "recursive", "size": 200, "overlap": 0},
        "answers": {"generator": "extractive", "max_context_tokens": 3000},
    }
    manifest = {
        "project": "handbook", "k": 5, "split": "dev", "note": "", "config": config, "documents": 1234, "chunks": 5678,
        "encoded": 0, "questions": len(questions), "holdout": 12,
        "answerable": 4, "unanswerable": 1, "unlabelled": 0, "failed": failed,
        "stale": 0, "moved": 0, "ambiguous": 2, "repeated": 0, "metrics": metrics, "context_tokens": 1415.4,
        "answers": {
            "live": mean(0.5), "oracle": mean(0.75), "tax": mean(0.25, 3), "without_oracle": [],
            "refusals": {
                "refused_rightly": 3, "refused_no_answer": 1, "refused_no_evidence": 2, "refused_wrongly": 2,
                "should_have_refused": 3, "answered": 4, "not_judged": 2,
            },
        },
        "answered_anyway": ["q9"], "slices": {"kind": {}},
        "advice": [{"lever": "reranker", "sentence": "A reranker would help.", "qids": ["q1", "q2"]}],
        **changes,
    }  # fmt: skip
    return Run("20261130T120000Z-abcd1234", manifest, questions)


def test_the_head_says_what_was_measured_and_what_was_kept_aside() -> None:
    lines = report_lines(run(question("q1")), {}, {})
    assert lines[0] == "handbook  hybrid rrf k=5 recursive(size=200,overlap=0)  run 20261130T120000Z-abcd1234"
    assert lines[1] == "1 dev · 12 holdout kept aside · 4 answerable · 1 unanswerable"
    assert lines[2] == "1,234 documents · 5,678 chunks · 0 texts embedded"


def test_recalls_stand_under_each_other_with_bars_and_the_headroom() -> None:
    lines = report_lines(run(question("q1")), {}, {})
    first = next(at for at, line in enumerate(lines) if line.startswith("recall@1 "))
    names = [line.split()[0] for line in lines[first : first + 6]]
    assert names == ["recall@1", "recall@3", "recall@5", "recall@10", "recall@20", "recall@pool"]
    assert lines[first + 2].endswith("━" * 15 + "╌" * 5)  # 0.75 of 20 cells
    assert "A reranker's headroom: +0.150 (recall@pool - recall@5)" in lines  # 0.9 - 0.75


def test_each_metric_has_its_n_floor_and_interval_and_failures_where_there_are_any() -> None:
    def row(lines: list[str], name: str) -> list[str]:
        return next(line for line in lines if line.startswith(f"{name} ")).split()

    assert row(report_lines(run(question("q1")), {}, {}), "mrr") == ["mrr", "0.500", "4", "0.500", "0.500–0.500"]
    # one of five failed: the floor is 0.5 · 4 / 5
    assert row(report_lines(run(question("q1"), failed=1), {}, {}), "mrr") == ["mrr", "0.500", "4", "0.400", "0.500–0.500", "1"]


def test_nothing_measured_is_a_dash_and_no_bar() -> None:
    empty = {name: mean(None, 0) for name in ("recall@5", "recall@pool", "mrr")}
    lines = report_lines(run(metrics=empty), {}, {})
    assert next(line for line in lines if line.startswith("recall@5 ")).split() == ["recall@5", "–", "0", "–", "–"]
    assert not any("headroom" in line for line in lines)


def test_answers_with_the_tax_and_the_refusals() -> None:
    lines = report_lines(run(question("q1")), {}, {})
    assert next(line for line in lines if line.startswith("tax ")).split()[:3] == ["tax", "0.250", "3"]
    refused = "refused rightly 3 (1 has no answer, 2 lacked evidence), wrongly 2"  # 3 = 1 + 2
    at = lines.index(refused)
    assert lines[at + 1] == "answered 4, and 3 that should have been refused"


def test_the_stand_in_is_named_where_it_answered() -> None:
    def head(**changes: Any) -> str:
        return next(line for line in report_lines(run(question("q1"), **changes), {}, {}) if line.startswith("answers "))

    assert head().endswith("95 %  (extractive stand-in)")
    config = run().manifest["config"] | {"answers": {"generator": "command"}}
    assert head(config=config).endswith("95 %")


def test_the_price_of_the_context_is_said() -> None:
    assert "context: about 1,415 tokens a question at k = 5" in report_lines(run(question("q1")), {}, {})
    assert not any(line.startswith("context:") for line in report_lines(run(context_tokens=None), {}, {}))


def test_causes_count_suggestions_and_labels_that_still_fit() -> None:
    questions = (question("q1", suggested="misused"), question("q2", suggested="misused"), question("q3", suggested="made-up"))
    verdicts = {
        "q1": Verdict("v1", "q1", "misused", seen="s1"),
        "q2": Verdict("v2", "q2", "bad-label", seen="something else"),  # given on another answer: old, so it does not count
    }
    lines = report_lines(run(*questions), {}, verdicts)
    assert any(line.startswith("3 failing of 3, 1 labelled ") for line in lines)
    assert next(line for line in lines if line.startswith("  3 ")).split()[-3:] == ["2", "1", "━╌"]
    assert not any(line.startswith("  6 ") for line in lines)


def test_advice_and_notes_name_their_questions() -> None:
    lines = report_lines(run(question("q1")), {}, {})
    assert "→ A reranker would help. (q1, q2)" in lines
    assert "! 2 quotes occur more than once and count at any of their places" in lines
    assert "! answered without its evidence, so a label may lack a place: q9" in lines


def test_a_failing_question_is_one_line_whatever_its_text_holds() -> None:
    questions = [
        question("q1", suggested="misused"),
        question("q2", status="failed", reason="timed out\nafter 30 s"),
        question("q3"),
    ]
    lines = failing_lines(questions, {"q1": "what\nis [/this]" + "x" * 500}, {})
    assert len(lines) == 3
    assert lines[1].startswith("✗ q1        3? misused")
    assert lines[1].endswith("…")
    assert lines[2].startswith("! q2        could not be measured: timed out after 30 s")
    assert failing_lines([question("q3")], {}, {}) == []


def test_long_ids_and_ranks_leave_the_columns_straight() -> None:
    long = "https://tickets.example.org/browse/SUPPORT-100"
    asked = [
        question(long, suggested="misused"),
        question("q2", suggested="misused"),
        question(f"{long}1", suggested="misused"),
    ]
    lines = failing_lines(asked, dict.fromkeys([one.qid for one in asked], "TEXT"), {})
    assert len({line.index("TEXT") for line in lines[1:]}) == 1
    assert lines[0].index("question") == lines[1].index("TEXT")
    assert lines[0].index("cause") == lines[1].index("3?")
    ids = [line.split()[1] for line in lines[1:]]
    assert ids[0] != ids[2]  # what sets ids apart is at their ends
    assert all("…" in name and len(name) == 24 for name in (ids[0], ids[2]))


def test_one_reason_is_said_once_and_above_the_table_where_it_is_that_of_all() -> None:
    reason = "answered 401: " + "the key is not one of ours, " * 4 + "sign up"
    failed = [question(f"q{number}", status="failed", reason=reason) for number in range(9)]
    lines = report_lines(run(*failed, failed=9), {}, {})
    assert lines.index("") < next(at for at, line in enumerate(lines) if line.startswith("! none of 9 questions could be"))
    assert sum("401" in line for line in lines) == 1
    assert "ours, sign up" in " ".join(" ".join(lines).split())
    said = " ".join(" ".join(failing_lines([*failed, question("x", status="failed", reason="else")], {}, {})).split())
    assert "! x could not be measured: else" in said
    assert f"! 9 could not be measured: {reason} (q0, " in said


def test_many_failing_questions_are_cut_and_counted() -> None:
    lines = failing_lines([question(f"q{number}", suggested="misused") for number in range(100)], {}, {}, most=60)
    assert len(lines) == 62
    assert lines[-1] == "… and 40 more: ragtriage failures"


def test_skipped_files_are_grouped_by_reason() -> None:
    from ragtriage.corpus.base import Skipped

    skipped = [Skipped(f"{number}.png", "unmatched") for number in range(10)] + [Skipped("a.md", "encoding", "not UTF-8")]
    assert skipped_lines(skipped) == [
        "11 skipped below the corpus folder",
        "  unmatched: 0.png, 1.png, 2.png, 3.png, 4.png, 5.png, 6.png, 7.png and 2 more",
        "  encoding: a.md (not UTF-8)",
    ]


def test_ascii_marks() -> None:
    assert Marks(True)("✗ a · b → c ━╌ – …") == "x a - b > c =- - ~"
    assert Marks(True)("größe 日本") == "größe 日本"
    assert Marks(False)("✗") == "✗"


@pytest.mark.parametrize(("value", "text"), [(None, "–"), (0.0, "0.000"), (2 / 3, "0.667"), (1.0, "1.000")])
def test_numbers_have_three_decimals(value: float | None, text: str) -> None:
    assert number(value) == text


def test_bars_never_leave_their_cells() -> None:
    assert [bar(value, 4) for value in (None, -1.0, 0.0, 0.5, 1.0, 7.0)] == ["╌╌╌╌", "╌╌╌╌", "╌╌╌╌", "━━╌╌", "━━━━", "━━━━"]


def test_clipping_says_so() -> None:
    assert clip_text(" a\n b ", 10) == "a b"
    assert clip_text("abcdef", 4) == "abc…"


def test_the_name_of_a_configuration() -> None:
    bm25 = {"retrieval": {"mode": "bm25", "fusion": "rrf", "k": 3, "rerank": ""}, "chunking": {"strategy": "whole"}}
    assert config_name(bm25) == "bm25 k=3 whole"
    dense = {
        "retrieval": {"mode": "dense", "fusion": "rrf", "k": 5, "rerank": "m"},
        "chunking": {"strategy": "fixed", "size": 9, "overlap": 2},
    }
    assert config_name(dense) == "dense rerank=m k=5 fixed(size=9,overlap=2)"


def test_a_configuration_names_what_is_not_at_its_default() -> None:
    from ragtriage.config import Config

    config = Config().as_dict()
    assert config_name(config) == "hybrid rrf k=5 recursive(size=200,overlap=0)"
    config["retrieval"] |= {"pool": 70, "rrf_k": 10}
    config["chunking"]["heading_prefix"] = False
    config["embedding"] |= {"device": "cuda", "model": "other"}  # where it runs changes nothing
    others = "chunking.heading_prefix=false embedding.model=other"
    assert config_name(config) == f"hybrid rrf k=5 recursive(size=200,overlap=0) retrieval.rrf_k=10 retrieval.pool=70 {others}"
    config["retrieval"]["mode"] = "bm25"
    assert config_name(config).endswith("retrieval.pool=70 chunking.heading_prefix=false")


def test_one_and_many() -> None:
    assert [count(number, "chunk") for number in (0, 1, 2, 1234)] == ["0 chunks", "1 chunk", "2 chunks", "1,234 chunks"]
    one = report_lines(run(documents=1, chunks=1, encoded=1, ambiguous=1, stale=1), {}, {})
    assert "1 document · 1 chunk · 1 text embedded" in one
    assert "! 1 quote occurs more than once and counts at any of its places" in one
    assert "! 1 label by chunk id no longer fits its chunk and counts at document level" in one


def test_a_cause_has_its_key() -> None:
    assert cause("misused") == "3 retrieved but misused"
    assert cause("of-a-later-version") == "of-a-later-version"


def test_dev_and_holdout_stand_side_by_side_where_both_were_measured() -> None:
    gap = {"dev": 0.8, "holdout": 0.7, "gap": 0.1, "low": -0.05, "high": 0.25, "n_dev": 60, "n_holdout": 18}
    manifest = {"k": 5, "holdout_gap": {"recall@5": gap, "hit@5": gap, "mrr": gap}}
    lines = _splits(manifest)
    assert lines[1] == "recall@5      0.800    0.700  +0.100    -0.050–0.250"
    assert lines[-1].startswith("n 60 and 18;")
    assert _splits({"k": 5, "holdout_gap": {}}) == _splits({"k": 5}) == []

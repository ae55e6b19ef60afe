from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from tests.engine.golden.tiny import chunks_of, corpus_of, document
from tests.shared_data import shared

from ragtriage.errors import Problem
from ragtriage.golden.beir import read_beir
from ragtriage.golden.file import read_golden
from ragtriage.golden.lint import check, describe, examine

REFUNDS = "# Refunds\nSend it back within 30 days of delivery.\n# Fees\nIt costs 5. It costs 5.\n"
CORPUS = corpus_of([document("refunds", REFUNDS, pages=[(0, 10), (10, 10)]), document("empty", " ")])
CHUNKS = chunks_of(CORPUS, {"refunds": [(0, 51), (51, len(REFUNDS))]})


def checked(folder: Path, *lines: Any, known: dict[str, str] | None = None) -> list[Problem]:
    path = folder / "golden.jsonl"
    path.write_text("".join((line if isinstance(line, str) else json.dumps(line)) + "\n" for line in lines), encoding="utf-8")
    return check(read_golden(path), CORPUS, CHUNKS, known or {})


def labelled(folder: Path, *evidence: Any, **more: Any) -> list[tuple[str, str, str]]:
    found = checked(folder, {"qid": "q", "question": "what?", "evidence": list(evidence), **more})
    return [(one.severity, one.key, one.message.removeprefix("q: ")) for one in found if one.line == 1]


def test_a_label_that_is_found_is_no_problem(tmp_path: Path) -> None:
    for good in ("refunds", "refunds#1", "refunds#fees", "refunds#page=1", {"doc": "refunds", "quote": "within 30 days"}):
        assert labelled(tmp_path, good) == []


@pytest.mark.parametrize(
    ("evidence", "severity", "says"),
    [
        ("refund", "error", "no document 'refund' in docs; did you mean refunds?"),
        ("nowhere#2", "error", "no document 'nowhere'"),
        ({"chunk": "c-17"}, "error", "there is no chunk c-17"),
        (
            {"doc": "refunds", "quote": "within 14 days of delivery"},
            "error",
            "“within 14 days of delivery” is not in refunds, or its numbers",
        ),
        ("refunds#fee", "error", "refunds has no section fee; did you mean fees?"),
        ("refunds#page=9", "error", "refunds has 2 pages, there is no page 9"),
        ("empty#page=9", "error", "empty has no pages"),
        ("refunds#page=2", "error", "page 2 of refunds has no text"),
        ("empty", "error", "empty has no text"),
        ({"doc": "refunds", "quote": "Sent it back within 30 days of delivery"}, "warning", "was reworded in refunds"),
        ({"doc": "refunds", "quote": "It costs 5."}, "warning", "occurs 2 times in refunds; any of them counts"),
        ({"doc": "refunds", "quote": "It costs 5.", "at": 70}, "advice", "occurs 2 times in refunds; the one at 70 counts"),
        ("refunds#7", "warning", "has no quote; any part of its document counts"),
        ({"chunk": "refunds#7", "quote": "30 days"}, "warning", "its quote counts instead"),
        ({"doc": "refunds", "also": ["gone"]}, "error", "no document 'gone'"),
    ],
)
def test_a_label_that_is_not(tmp_path: Path, evidence: Any, severity: str, says: str) -> None:
    ((got, key, message),) = labelled(tmp_path, evidence)
    assert (got, key) == (severity, "evidence")
    assert says in message


def test_the_item_is_named_where_there_are_several(tmp_path: Path) -> None:
    assert [key for _, key, _ in labelled(tmp_path, "refunds", "gone")] == ["evidence[2]"]


def test_a_chunk_whose_text_changed_since_the_last_run_is_stale(tmp_path: Path) -> None:
    found = checked(
        tmp_path, {"qid": "q", "question": "what?", "relevant_chunk_ids": ["refunds#1"]}, known={"refunds#1": "0" * 64}
    )
    assert "is not the chunk that was labelled" in found[0].message


def test_ids_beside_the_evidence_must_agree_with_it(tmp_path: Path) -> None:
    quote = {"doc": "refunds", "quote": "within 30 days"}
    assert labelled(tmp_path, quote, relevant_chunk_ids=["refunds#1", "other#1"], relevant_doc_ids=["refunds"]) == []
    found = labelled(tmp_path, quote, relevant_chunk_ids=["refunds#2"], relevant_doc_ids=["empty"])
    assert [(severity, key) for severity, key, _ in found] == [
        ("warning", "relevant_chunk_ids"),
        ("warning", "relevant_doc_ids"),
    ]
    assert "refunds#2 holds none of the evidence" in found[0][2]


def test_a_misspelt_key_is_pointed_out_and_others_are_left_alone(tmp_path: Path) -> None:
    found = labelled(tmp_path, "refunds", answer_must_mentoin=["x"], my_own_key=1, source={"from": "dream"})
    assert [(severity, key) for severity, key, _ in found] == [("warning", "answer_must_mentoin"), ("advice", "source")]
    assert "did you mean answer_must_mention?" in found[0][2]


def test_all_problems_come_in_the_order_of_their_lines(tmp_path: Path) -> None:
    found = checked(
        tmp_path,
        "{",
        {"qid": "a", "question": "x?", "evidence": ["gone"]},
        "[]",
        {"qid": "b", "question": "y?", "evidence": ["gone"]},
    )
    assert [one.line for one in found if one.line] == [1, 2, 3, 4]
    assert all(one.severity == "advice" for one in found if not one.line)


def _set(count: int, unanswerable: int, **more: Any) -> list[dict[str, Any]]:
    kinds = ("exact", "paraphrase", "multi-part", "ambiguous")
    words = [f"w{number}x{number * 7}" for number in range(count)]
    return [
        {"qid": f"q{n}", "question": f"{word} {word}z?", "kind": "unanswerable" if n < unanswerable else kinds[n % 4], **more}
        | ({} if n < unanswerable else {"evidence": ["refunds"]})
        for n, word in enumerate(words)
    ]


def advice(found: list[Problem]) -> str:
    assert all(one.severity == "advice" for one in found)
    return "\n".join(one.message for one in found)


def test_a_good_set_hears_only_what_a_question_is_worth(tmp_path: Path) -> None:
    assert advice(checked(tmp_path, *_set(25, 5))) == "one question is worth 5.0 points: 20 answerable, labelled dev questions"


def test_what_a_set_lacks_is_advice(tmp_path: Path) -> None:
    said = advice(checked(tmp_path, *_set(11, 1, source={"from": "builder"})))
    assert "11 questions; fewer than 20" in said
    assert "9 % of the questions are unanswerable" in said
    assert "11 of 11 questions come from the builder or a machine" in said
    assert "one question is worth 10.0 points" in said
    few = advice(checked(tmp_path, {"qid": "a", "question": "x?", "kind": "exact", "evidence": ["refunds"]}))
    assert "no question is of kind paraphrase, multi-part, ambiguous, unanswerable" in few
    assert checked(tmp_path) == []


def test_nearly_equal_questions_are_named(tmp_path: Path) -> None:
    pair = [{"qid": "x", "question": "How long is the warranty?"}, {"qid": "y", "question": "how long is the Warranty"}]
    found = checked(tmp_path, *_set(25, 5), *pair)
    (equal,) = [one for one in found if "nearly the same" in one.message]
    assert (equal.line, equal.severity) == (27, "advice")
    assert "x and y" in equal.message


def test_a_set_is_described_by_kind_split_and_source(tmp_path: Path) -> None:
    path = tmp_path / "golden.jsonl"
    lines = [
        {"qid": "a", "question": "a", "kind": "exact", "evidence": ["d"], "source": {"from": "ticket"}},
        {"qid": "b", "question": "b", "evidence": ["d"], "split": "holdout", "source": {"from": "ticket"}},
        {"qid": "c", "question": "c"},
        {"qid": "d", "question": "d", "answerable": False},
    ]
    path.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    assert describe(read_golden(path))._asdict() == {
        "questions": 4,
        "dev": 3,
        "holdout": 1,
        "answerable": 3,
        "unanswerable": 1,
        "unlabelled": 1,
        "by_kind": {"exact": 1, "paraphrase": 0, "multi-part": 0, "ambiguous": 0, "unanswerable": 0, "(none)": 3},
        "by_split": {"dev": 3, "holdout": 1},
        "by_source": {"ticket": 2, "(none)": 2},
        "measured": 1,
        "point": 100.0,
        "obsolete": 0,
    }


def test_chunking_eval_lists_its_97_ambiguous_ranges(tmp_path: Path) -> None:
    from ragtriage.corpus.reader import read_beir_corpus

    folder = shared("chunking-eval")
    found = check(read_beir(folder), read_beir_corpus(folder, cache=tmp_path))
    assert sum("occurs" in one.message for one in found) == 97
    assert not [one for one in found if one.severity != "advice"]


def test_a_key_that_stands_twice_spoils_its_line(tmp_path: Path) -> None:
    good = {"qid": "q2", "question": "b", "evidence": ["refunds", {"doc": "refunds", "quote": "within 30 days"}]}
    found = checked(
        tmp_path,
        '{"qid": "q", "question": "a", "question": "b"}',
        '{"question": "c", "evidence": [{"doc": "a", "doc": "b"}]}',
        good,
    )
    errors = [(one.line, one.key, one.message) for one in found if one.severity == "error"]
    assert errors == [
        (line, key, "this key stands twice in one object; keep one of them") for line, key in ((1, "question"), (2, "doc"))
    ]
    golden = read_golden(tmp_path / "golden.jsonl")
    assert [question.qid for question in golden.questions] == ["q2"]
    assert "line 1" in golden.why_unused("q")
    assert "question: this key stands twice" in golden.why_unused("q")


def test_an_empty_section_is_no_place(tmp_path: Path) -> None:
    [(severity, _, message)] = labelled(tmp_path, {"doc": "refunds", "section": " "})
    assert (severity, message.split(";")[0]) == ("error", "section: empty")
    assert labelled(tmp_path, {"doc": "refunds", "section": None}) == []


def test_a_guard_is_known_and_nothing_else_can_be_expected(tmp_path: Path) -> None:
    assert labelled(tmp_path, "refunds", expect="guard") == []
    assert labelled(tmp_path, "refunds", expect="red") == [
        ("warning", "expect", '"guard" is all that can stand here; it means nothing')
    ]


def test_questions_that_look_synthetic_are_pointed_out_with_the_reason(tmp_path: Path) -> None:
    asked = {"question": "According to the document, when must it be back?", "evidence": ["refunds"]}
    [found] = [one for one in checked(tmp_path, {"qid": "q", **asked}) if one.key == "question"]
    assert (found.line, found.severity, found.message) == (
        1,
        "advice",
        "q: looks synthetic: it says “According to the document”",
    )
    assert not [one for one in checked(tmp_path, {"qid": "q", **asked, "source": {"from": "ticket"}}) if one.key == "question"]


def test_a_set_in_perfect_form_is_pointed_out(tmp_path: Path) -> None:
    lines = [{"qid": f"q{number}", "question": f"What is number {number}?"} for number in range(20)]
    assert any("20 of 20 questions begin with a capital" in one.message for one in checked(tmp_path, *lines))
    lines[:2] = [{**line, "question": "number?"} for line in lines[:2]]
    assert not any("begin with a capital" in one.message for one in checked(tmp_path, *lines))


def test_questions_without_an_id_are_counted(tmp_path: Path) -> None:
    found = checked(tmp_path, {"question": "a"}, {"id": 7, "question": "b"}, {"qid": "q", "question": "c"})
    assert any(one.message.startswith("1 of 3 questions have no id of their own") for one in found)


def test_the_gaps_of_a_set(tmp_path: Path) -> None:
    path = tmp_path / "golden.jsonl"
    quote = {"doc": "refunds", "quote": "Send it back within 30 days of delivery."}
    lines = [
        {"qid": "q1", "question": "delivery days", "kind": "exact", "evidence": [quote]},
        {"qid": "q2", "question": "which days or weekdays", "kind": "paraphrase", "evidence": [quote]},
        {"qid": "q3", "question": "moon", "answerable": False},
    ]
    path.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    found = examine(read_golden(path), CORPUS, CHUNKS).gaps
    assert found.questions == {"q1": 1.0, "q2": 0.5}
    assert (found.mean, found.by_kind) == (0.75, {"exact": 1.0, "paraphrase": 0.5})


def test_a_mention_that_the_evidence_does_not_say_is_a_warning(tmp_path: Path) -> None:
    quote = {"doc": "refunds", "quote": "within 30 days"}
    assert labelled(tmp_path, quote, answer_must_mention=["30-day", "delivery"]) == []
    found = labelled(tmp_path, quote, answer_must_mention=["48 hours"])
    assert found == [("warning", "answer_must_mention", "mentions “48 hours”, which its evidence does not say")]

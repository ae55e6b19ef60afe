"""What is proposed for a report, and what a draft of it holds."""

from __future__ import annotations

from pathlib import Path

import pytest

from ragtriage.golden.dialects import read_question
from ragtriage.inbox.reading import read_reports
from ragtriage.inbox.reports import Report, ReportPassage
from ragtriage.labelling.proposals import draft_of, propose, question_of, ready
from ragtriage.labelling.twins import twins_of
from ragtriage.project import Project

PAGES = {
    "refunds": "# Refunds\n\nSend it back within 30 days of delivery. The way back is free.\n",
    "errors": "# Errors\n\nERR_4024 means that the clock is wrong. Set the clock, then start again.\n",
}
GOLDEN = """\
{"qid": "q001", "question": "how long may i send it back", "evidence": [{"doc": "refunds", "quote": "within 30 days"}]}
{"qid": "q002", "question": "what does ERR_4021 mean", "answerable": false, "source": {"from": "ticket", "ref": "77"}}
"""


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Project:
    monkeypatch.setenv("RAGTRIAGE_HOME", str(tmp_path / "home"))
    root = tmp_path / "help"
    for name, text in PAGES.items():
        path = root / "docs" / f"{name}.md"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    (root / "evals").mkdir()
    (root / "evals" / "golden.jsonl").write_text(GOLDEN, encoding="utf-8")
    (root / "ragtriage.toml").write_text('[retrieval]\nmode = "bm25"\n', encoding="utf-8")
    return Project.open(root)


@pytest.mark.parametrize(
    ("text", "question", "origin"),
    [
        ("Hello, can I send it back?", "can I send it back?", "sentence"),
        ("Dear all, we bought two. Do you ship to Malta?? Thanks!", "Do you ship to Malta??", "sentence"),
        (
            "It broke on monday. Which is it?? Where do I send the broken dock? Bye.",
            "Where do I send the broken dock?",
            "sentence",
        ),
        ("how long does a refund take. it has been a week", "how long does a refund take.", "sentence"),
        ("hi, my dock broke. no idea, e.g. the cable. can i send the dock back? thx", "can i send the dock back?", "sentence"),
        ("We use approx. ten docks, e.g. in Malta. Can Malta charge ten docks?", "Can Malta charge ten docks?", "sentence"),
        ("We use approx. ten docks on it", "We use approx. ten docks on it", "text"),
        ("hi so the dock has only one socket", "so the dock has only one socket", "text"),
        ("battery low event name", "battery low event name", "text"),
        ("Hi!", "Hi!", "text"),
        ("Hello Marta,\nthe T210 says ERR_4024.", "the T210 says ERR_4024.", "text"),
        ("Which is it??", "Which is it??", "text"),
        ("Heydon Road is not on the map", "Heydon Road is not on the map", "text"),
    ],
)
def test_the_question_is_as_it_was_written(text: str, question: str, origin: str) -> None:
    assert question_of(Report("r", text)) == (question, origin)
    assert question in text


def test_a_report_that_was_a_question_keeps_it() -> None:
    assert question_of(Report("r", "Hello? Anybody?", question=" t210 back ")) == ("t210 back", "question")


def test_what_is_proposed(project: Project) -> None:
    passages = (
        ReportPassage("errors", "ERR_4024 means that the clock is wrong.", 1),
        ReportPassage("old", "gone text of old days", 2),
    )
    report = Report("r", "Hello, how long may I send it back?", "ticket", "9", "2026-01-01", passages=passages)
    proposal = propose(report, project)
    assert proposal.question == "how long may I send it back?"
    assert (proposal.twins[0].qid, proposal.twins[0].score) == ("q001", 1.0)
    assert proposal.candidates[0].doc_id == "refunds"
    assert proposal.complete
    assert [(one.how, one.doc_id) for one in proposal.passages] == [("exact", "errors"), ("missing", "")]
    assert draft_of(report, proposal) == {
        "question": "how long may I send it back?",
        "source": {"from": "ticket", "ref": "9", "at": "2026-01-01", "text": "Hello, how long may I send it back?"},
    }


def test_a_draft_has_what_the_dataset_says_and_is_a_question(project: Project) -> None:
    data = b'{"question": "how long", "reference": "30 days", "must_mention": ["30 days", ["a", "b"]], "id": 3}'
    (report,) = read_reports(data, "file").reports
    draft = draft_of(report, propose(report, project))
    assert draft == {
        "question": "how long",
        "expected_answer": "30 days",
        "answer_must_mention": ["30 days", ["a", "b"]],
        "source": {"from": "log", "ref": "3", "text": "how long"},
    }
    reading = read_question({**draft, "evidence": ["refunds"]}, where="draft", line=1)
    assert reading.problems == ()


def test_a_project_without_questions_has_no_twins(project: Project) -> None:
    project.golden_path.unlink()
    report = Report("r", "how long may i send it back")
    assert propose(report, project).twins == ()
    assert twins_of([report], project).found == {}


def test_a_question_of_a_model_stays_until_a_person_has_edited_it() -> None:
    report = Report("r", "What is the time limit?", synthetic=True)
    assert "put it as a user would" in ready(report, {"question": "what is the  Time limit", "evidence": ["refunds"]})
    assert "put it as a user would" in ready(report, {"evidence": ["refunds"]})
    assert "choose its evidence" in ready(report, {"question": "how long do i have"})
    assert ready(report, {"question": "how long do i have", "evidence": ["refunds"]}) == ""
    assert ready(report, {"question": "how long do i have", "answerable": False}) == ""
    assert ready(Report("r", "What is the time limit?"), {"question": "What is the time limit?"}) == ""


def test_twins_are_flagged(project: Project) -> None:
    reports = [
        Report("r-1", "how long may i send this back?"), Report("r-2", "something else", "ticket", "77"),
        Report("r-3", "what does ERR_4022 mean"), Report("r-4", "opening hours"),
    ]  # fmt: skip
    found = twins_of(reports, project).found
    assert {name: (one.qid, one.same_source) for name, one in found.items()} == {"r-1": ("q001", False), "r-2": ("q002", True)}

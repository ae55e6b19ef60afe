from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest
from tests.shared_data import shared

from ragtriage.golden.lint import examine
from ragtriage.golden.synthetic import is_polished, synthetic_signs
from ragtriage.project import Project
from ragtriage.search.lexical import content_terms
from ragtriage.types import Kind, Question

TERMS = content_terms()
PAGE = "You may send goods back within 30 days of delivery, in their closed parcel and with the receipt."


def signs(text: str, *, kind: Kind = "", source: dict[str, str] | None = None, evidence: str = PAGE) -> list[str]:
    return synthetic_signs(Question("q", text, kind=kind, source=source or {}), [evidence], TERMS)


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("Based on the provided text, who pays?", "it says “Based on the provided text”"),
        ("which fees are mentioned in the contract", "it says “mentioned in the”"),
        ("what does the article say about fees", "it says “the article say”"),
        (
            "may i send goods back within 30 days of delivery",
            "“send goods back within 30 days of delivery” stands in its evidence word for word",
        ),
        ("Send goods back in a closed parcel?", "5 of its 5 content words stand in its evidence"),
        (
            "What conditions does a customer have to fulfil before the company reimburses the original price?",
            "a sentence of 15 words in perfect form",
        ),
    ],
)
def test_each_sign_comes_with_its_reason(text: str, found: str) -> None:
    assert signs(text) == [found]


@pytest.mark.parametrize(
    "text",
    [
        "how long do i have to send something back",
        "HELP where is my money",
        "Can I send the two terminals back although we have unpacked both of them last week?",  # somebody speaks of themselves
        "What are fees?",
        "what conditions does a customer have to fulfil before the company reimburses the original price",
        "",
        "?",
    ],
)
def test_what_people_ask_shows_none(text: str) -> None:
    assert signs(text) == []


def test_a_message_that_is_looked_up_is_copied() -> None:
    copied = "goods back within 30 days of delivery, in their closed parcel"
    assert signs(copied)
    assert signs(copied, kind="exact") == []


def test_the_source_goes_before_every_sign() -> None:
    text = "According to the document, who pays?"
    assert signs(text, source={"from": "ticket"}) == []
    assert signs("who pays", source={"from": "synthetic"}) == ["its source says so"]
    assert signs("who pays", source={"from": "synthetic", "text": "who  pays"}) == ["its source says so"]
    assert signs("who pays", source={"from": "synthetic", "text": "Who bears the cost?"}) == []


def test_a_whole_book_as_evidence_is_looked_into_only_so_far() -> None:
    assert signs("may i " + "x " * 100_000, evidence="word " * 1_000_000) == []


@pytest.mark.parametrize(
    ("text", "is_so"), [(" What? ", True), ("what?", False), ("What", False), ("", False), ("4 days?", False)]
)
def test_perfect_form(text: str, is_so: bool) -> None:
    assert is_polished(text) is is_so


def share(folder: Path, *, labels: bool = True) -> float:
    project = Project.open(folder)
    found = examine(project.golden, project.corpus, project.chunks if labels else None)
    flagged = [problem for problem in found.problems if "looks synthetic" in problem.message and problem.line]
    return len(flagged) / len(project.golden.questions)


@pytest.mark.parametrize(
    ("name", "least", "most"),
    [("mongodb-faq", 0.0, 0.1), ("clapnq-dev", 0.0, 0.02), ("cranfield", 0.0, 0.05), ("chunking-eval", 0.75, 1.0)],
)
def test_generated_questions_are_told_from_those_of_people(name: str, least: float, most: float) -> None:
    assert least <= share(shared(name)) <= most


def test_the_sample_shows_no_sign_even_without_its_sources(tmp_path: Path) -> None:
    sample = Path(__file__).resolve().parents[3] / "sample_corpus"
    shutil.copytree(sample / "docs", tmp_path / "docs")
    (tmp_path / "evals").mkdir()
    lines = [json.loads(line) for line in (sample / "evals" / "golden.jsonl").read_text(encoding="utf-8").splitlines()]
    stripped = [{key: value for key, value in line.items() if key != "source"} for line in lines]
    (tmp_path / "evals" / "golden.jsonl").write_text("".join(json.dumps(line) + "\n" for line in stripped), encoding="utf-8")
    assert share(tmp_path, labels=False) <= 0.02

"""`golden anchor` as a process: what it lists, what it writes, and that it writes nothing unasked."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from tests.tui.conftest import Command


def _rewrite(path: Path, old: str, new: str) -> None:
    path.write_text(path.read_text(encoding="utf-8").replace(old, new), encoding="utf-8")


@pytest.fixture
def edited(project: Path) -> Path:
    """A number that changed, a file that moved, and a label that is a chunk's name."""
    _rewrite(project / "docs" / "refunds.md", "30 days", "14 days")
    (project / "docs" / "errors.md").rename(project / "docs" / "codes.md")
    with (project / "evals" / "golden.jsonl").open("a", encoding="utf-8") as handle:
        handle.write('{"qid": "q006", "question": "norway?", "relevant_chunk_ids": ["shipping#1"], "mine": [1]}\n')
    return project


def _lines(project: Path) -> dict[str, Any]:
    lines = (project / "evals" / "golden.jsonl").read_text(encoding="utf-8").splitlines()
    return {(obj := json.loads(line))["qid"]: obj for line in lines}


@pytest.mark.usefixtures("project")
def test_nothing_to_do(ragtriage: Command) -> None:
    done = ragtriage("golden", "anchor")
    assert (done.code, done.out) == (0, "4 labels: exact 4\n")


def test_the_queue_is_listed_and_nothing_is_written(ragtriage: Command, edited: Path) -> None:
    before = _lines(edited)
    done = ragtriage("golden", "anchor", "--moved")
    assert done.code == 0
    assert "q001, line 1: gone (it is not in refunds, or its numbers have changed)" in done.out
    assert "diff: within [-30-]{+14+} days of delivery" in done.out
    assert "q002 codes: ERR_4021 means that the card was declined." in done.out
    assert "to be given quote and hash: q006" in done.out
    assert re.search(r"^\d+ to look at; the inbox of the app \(I\)", done.out, re.MULTILINE)
    assert "2 questions would be rewritten: --yes does it" in done.err
    assert _lines(edited) == before
    assert ragtriage("golden", "anchor", "--check").code == 2


def test_json(ragtriage: Command, edited: Path) -> None:
    found = ragtriage("golden", "anchor", "--json").json
    assert found.keys() >= {"format", "labels", "queue", "safe", "without_quote", "appeared", "obsolete", "written"}
    (open_,) = found["queue"]
    assert (open_["qid"], open_["state"], open_["old"]) == ("q001", "gone", "within 30 days of delivery")
    assert (open_["places"][0]["text"], open_["places"][0]["same_numbers"]) == ("within 14 days of delivery", False)
    assert ([one["qid"] for one in found["safe"]], found["without_quote"], found["written"]) == (["q002"], ["q006"], 0)


def test_what_is_safe_is_written_in_one_batch(ragtriage: Command, edited: Path) -> None:
    before = _lines(edited)
    assert ragtriage("golden", "anchor", "--moved", "--yes").code == 0
    after = _lines(edited)
    assert after["q002"]["evidence"][0]["doc"] == "codes"
    assert after["q006"]["evidence"][0].keys() == {"chunk", "chunk_sha", "doc", "quote", "at"}
    assert (after["q006"]["relevant_chunk_ids"], after["q006"]["mine"]) == (["shipping#1"], [1])
    assert {qid: after[qid] for qid in ("q001", "q003", "q004", "q005")} == {
        qid: before[qid] for qid in ("q001", "q003", "q004", "q005")
    }
    again = ragtriage("golden", "anchor", "--moved", "--yes", "--json").json
    assert (again["written"], again["safe"], again["without_quote"]) == (0, [], [])


def test_without_moved_only_quotes_are_given(ragtriage: Command, edited: Path) -> None:
    before = _lines(edited)
    assert ragtriage("golden", "anchor", "--yes").code == 0
    assert [qid for qid, obj in _lines(edited).items() if obj != before[qid]] == ["q006"]


def test_an_obsolete_question_leaves_the_means(ragtriage: Command, edited: Path) -> None:
    assert (
        "q001 is obsolete now (moved to the wiki)"
        in ragtriage("golden", "anchor", "--obsolete", "q001", "--reason", "moved to the wiki").out
    )
    assert _lines(edited)["q001"]["obsolete"] == "moved to the wiki"
    found = ragtriage("golden", "anchor", "--json").json
    assert (found["queue"], found["obsolete"]) == ([], ["q001"])
    report = ragtriage("eval", "--answers", "none", "--json").json
    assert "q001" not in [one["qid"] for one in report["per_question"]]
    assert report["obsolete"] == 1
    assert "q001" not in ragtriage("golden", "check").out
    assert ragtriage("golden", "anchor", "--obsolete", "q999").code == 2


def test_read_only_writes_nothing(ragtriage: Command, edited: Path) -> None:
    before = _lines(edited)
    assert ragtriage("golden", "anchor", "--moved", "--yes", "--read-only").code == 0
    assert ragtriage("golden", "anchor", "--obsolete", "q001", "--read-only").code == 2
    assert _lines(edited) == before


def test_an_answer_that_appears_is_pointed_out(ragtriage: Command, project: Path) -> None:
    assert ragtriage("eval", "--answers", "none").code == 0
    assert ragtriage("golden", "anchor", "--json").json["appeared"] == []
    (project / "docs" / "moon.md").write_text("# The moon\n\nDo you ship to the moon? We ship to the moon.\n", encoding="utf-8")
    (found,) = ragtriage("golden", "anchor", "--json").json["appeared"]
    assert (found["qid"], found["doc_id"]) == ("q004", "moon")
    assert found["since"]
    assert "q004 is unanswerable, and moon#1 seems to answer it" in ragtriage("golden", "anchor").out


def test_a_sentence_that_two_documents_shared_is_not_taken_for_moved(ragtriage: Command, project: Path) -> None:
    docs = project / "docs"
    (docs / "twin.md").write_text((docs / "errors.md").read_text(encoding="utf-8"), encoding="utf-8")
    assert ragtriage("eval", "--mode", "bm25", "--answers", "none").code == 0
    (docs / "errors.md").unlink()
    (one,) = (one for one in ragtriage("golden", "anchor", "--json").json["queue"] if one["qid"] == "q002")
    assert one["why"].endswith("it is in twin, where it stood before")
    (docs / "twin.md").rename(docs / "codes.md")
    assert [one["qid"] for one in ragtriage("golden", "anchor", "--json").json["safe"]] == ["q002"]

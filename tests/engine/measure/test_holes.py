"""Passages nobody judged: counted, ordered, and never part of what is measured."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from ragtriage.golden.capture import Mark
from ragtriage.golden.file import replace_question
from ragtriage.golden.other_places import with_other_place
from ragtriage.measure.evaluate import evaluate
from ragtriage.measure.holes import Hole, holes, lacking_places, to_look
from ragtriage.measure.results import Run
from ragtriage.project import Project
from ragtriage.search.pipeline import Query
from ragtriage.triage.judgements import JudgedPassages, JudgementLog
from ragtriage.types import Hit, Progress, Ranking, Span, no_progress

PAGES = {
    "refunds": "Goods may be sent back within 30 days of delivery.",
    "faq": "You have a month, which is 30 days, to send it back.",
    **{f"other-{number}": f"Page {number} is about something else." for number in range(1, 8)},
}
QUOTE = {"doc": "refunds", "quote": "within 30 days of delivery"}


class Scripted:
    encoded, window, spec = 0, 256, "scripted"

    def __init__(self, project: Project, rankings: Mapping[str, Sequence[str]]) -> None:
        self.retriever = project.system.retriever
        self.rankings = rankings

    def search(self, queries: Sequence[Query], *, progress: Progress = no_progress) -> list[Ranking]:
        lists = [tuple(f"{name}#1" for name in self.rankings.get(query.text, ())) for query in queries]
        return [Ranking(tuple(Hit(name, 1 - at / 100) for at, name in enumerate(ids)), {"bm25": ids}) for ids in lists]

    def close(self) -> None: ...


def question(text: str, *labels: Any, **more: Any) -> dict[str, Any]:
    return {"qid": text, "question": text, **({"evidence": list(labels)} if labels else {}), **more}


@pytest.fixture
def make(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.setenv("RAGTRIAGE_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("RAGTRIAGE_AUTHOR", "somebody")

    def made(golden: Sequence[Mapping[str, Any]], rankings: Mapping[str, Sequence[str]]) -> Project:
        root = tmp_path / "handbook"
        (root / "docs").mkdir(parents=True, exist_ok=True)
        (root / "evals").mkdir(exist_ok=True)
        for name, text in PAGES.items():
            (root / "docs" / f"{name}.md").write_text(text, encoding="utf-8")
        (root / "evals" / "golden.jsonl").write_text("".join(json.dumps(line) + "\n" for line in golden), encoding="utf-8")
        (root / "ragtriage.toml").write_text('[retrieval]\nmode = "bm25"\nk = 3\n', encoding="utf-8")
        project = Project.open(root)
        project.__dict__["system"] = Scripted(project, rankings)
        return project

    return made


def log(project: Project) -> JudgementLog:
    return JudgementLog(project.evals / "judgements.jsonl")


def judged(project: Project) -> JudgedPassages:
    return JudgedPassages(log(project).standing(), project.corpus)


def positions(project: Project, run: Run) -> dict[str, tuple[int, ...]]:
    return {one.qid: one.positions for one in holes(run.questions, judged(project), project.chunks, 3)}


GOLDEN = [
    question("found", QUOTE),
    question("lost", QUOTE),
    question("free"),
    question("none", answerable=False),
]
RANKINGS = {
    "found": ("other-1", "refunds", "other-2", "other-3"),
    "lost": ("other-1", "faq", "other-2", "refunds"),
    "free": ("other-1", "other-2"),
    "none": ("other-1",),
}


def test_what_nobody_judged_of_the_first_k_is_counted(make: Any) -> None:
    project = make(GOLDEN, RANKINGS)
    run = evaluate(project, answers="none")
    assert positions(project, run) == {"found": (1, 3), "lost": (1, 2, 3), "free": (1, 2), "none": (1,)}
    assert run.manifest["holes"] == {"mean": (2 + 3) / 2, "n": 2, "judgements": 0, "stale": 0}
    judgements = log(project)
    judgements.record("lost", "faq", PAGES["faq"], True)
    judgements.record("lost", "other-1", "Page 1 is about something else.", False)
    judgements.record("lost", "other-1", "There was more here once upon a time.", False)
    judgements.record("found", "other-2", "about something else", False)
    assert positions(project, run) == {"found": (1,), "lost": (3,), "free": (1, 2), "none": (1,)}
    again = evaluate(project, answers="none")
    assert again.manifest["holes"] == {"mean": (1 + 1) / 2, "n": 2, "judgements": 4, "stale": 1}


def test_holes_inform_and_never_decide(make: Any) -> None:
    project = make(GOLDEN, RANKINGS)
    before = evaluate(project, answers="none")
    log(project).record("lost", "faq", PAGES["faq"], True)
    log(project).record("found", "refunds", PAGES["refunds"], False)
    after = evaluate(project, answers="none")
    assert after.lines == before.lines
    for key in ("metrics", "failures", "advice", "slices", "fingerprints"):
        assert after.manifest[key] == before.manifest[key], key


def test_what_is_above_lost_evidence_is_looked_at_first(make: Any) -> None:
    project = make(GOLDEN, RANKINGS)
    run = evaluate(project, answers="none", store=False)
    found = holes(run.questions, judged(project), project.chunks, 3)
    assert [one.above for one in found] == [(1,), (1, 2, 3), (), ()]
    assert to_look(found) == [
        *(Hole("lost", position) for position in (1, 2, 3)),
        Hole("found", 1),
        *(Hole("free", position) for position in (1, 2)),
        Hole("found", 3),
        Hole("none", 1),
    ]


def test_a_ranking_of_passages_that_are_no_chunks_and_none_at_all(make: Any) -> None:
    project = make([question("a", QUOTE), question("b", QUOTE)], {"a": ("nowhere", "refunds")})
    run = evaluate(project, answers="none", store=False)
    assert positions(project, run) == {"a": (1,), "b": ()}
    assert evaluate(make([question("free")], {}), answers="none").manifest["holes"]["mean"] is None


def test_of_several_items_all_are_judged_and_of_readings_the_first_found_counts(make: Any) -> None:
    two = [QUOTE, {"doc": "faq", "quote": "a month"}]
    rankings = dict.fromkeys(("all", "any"), ("other-1", "refunds", "faq", "other-2"))
    rankings["any"] = ("other-1", "refunds", "other-2", "faq")
    project = make([question("all", *two), question("any", *two, needs="any")], rankings)
    run = evaluate(project, answers="none", store=False)
    assert [one.status for one in run.questions] == ["found", "found"]
    found = holes(run.questions, judged(project), project.chunks, 3)
    assert [(one.positions, one.above) for one in found] == [((1,), (1,)), ((1, 3), (1,))]


def test_a_relevant_passage_that_is_no_label_is_pointed_out(make: Any) -> None:
    project = make(GOLDEN, RANKINGS)
    run = evaluate(project, answers="none", store=False)
    judgements = log(project)
    below = judgements.record("found", "other-3", PAGES["other-3"], True)
    said = judgements.record("lost", "faq", "which is 30 days, to send it back.", True)
    judgements.record("lost", "refunds", PAGES["refunds"], True)  # the label itself
    judgements.record("lost", "other-1", PAGES["other-1"], False)
    free = judgements.record("free", "other-2", PAGES["other-2"], True)
    judgements.record("none", "other-7", PAGES["other-7"], True)  # not retrieved
    one, two, three = lacking_places(run.questions, judged(project), project.chunks)
    assert (one.qid, one.chunk_id, one.rank, one.item, one.evidence_rank, one.judgement) == ("lost", "faq#1", 2, 0, 4, said)
    start = PAGES["faq"].index("which")
    assert (one.doc_id, one.span) == ("faq", Span(start, len(PAGES["faq"])))
    assert one.message == "a passage judged relevant was retrieved at 2, above the evidence at 4: the label may lack a place"
    assert (two.qid, two.item, two.judgement, two.above) == ("free", None, free, True)
    assert (three.qid, three.rank, three.judgement, three.above) == ("found", 4, below, False)


def test_the_place_that_a_label_lacks_can_be_added(make: Any) -> None:
    project = make([{**question("lost", QUOTE), "note": 1}], RANKINGS)
    run = evaluate(project, answers="none", store=False)
    log(project).record("lost", "faq", PAGES["faq"], True)
    (lacking,) = lacking_places(run.questions, judged(project), project.chunks)
    asked = project.golden.get("lost")
    obj = with_other_place(asked, lacking.item, Mark(lacking.doc_id, lacking.span), project.corpus)
    assert obj == {**asked.raw, "evidence": [{**QUOTE, "also": [{"doc": "faq", "quote": PAGES["faq"], "at": 0}]}]}
    replace_question(project.golden_path, "lost", obj, expected=asked.raw)
    project.refresh()
    run = evaluate(project, answers="none", store=False)
    assert (run.questions[0].status, run.questions[0].ranks) == ("found", (2,))
    assert lacking_places(run.questions, judged(project), project.chunks) == []

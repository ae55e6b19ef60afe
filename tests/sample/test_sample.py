"""The sample is what every newcomer sees: its labels hold, it fails for interesting reasons, and it needs no encoder."""

from __future__ import annotations

import contextlib
import json
import re
import sqlite3
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest
from tests.sample.ship_vectors import SAMPLE, branch_texts, copy_of_the_sample, texts_of

from ragtriage.answers.must_mention import mentions
from ragtriage.golden.evidence import ResolvedItem, resolve
from ragtriage.golden.lint import check, describe
from ragtriage.measure.evaluate import evaluate
from ragtriage.measure.results import QuestionResult, Run
from ragtriage.project import Project
from ragtriage.project_places import SHIPPED_VECTORS
from ragtriage.search.encoder_process import EncoderProcess
from ragtriage.search.vectors_cache import VectorCache, key_of
from ragtriage.types import Question, no_progress

SPAWN = EncoderProcess._spawn


class Evaluated(NamedTuple):
    project: Project
    run: Run
    encoder_starts: int


@pytest.fixture(scope="module")
def evaluated(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Evaluated]:
    """A copy of the sample, evaluated once on empty caches with the shipped vectors, where no encoder may start."""
    folder = tmp_path_factory.mktemp("sample")
    starts = 0

    def refuse(_: EncoderProcess) -> None:
        nonlocal starts
        starts += 1
        raise AssertionError("the sample needs the encoder: python -m tests.sample.ship_vectors")

    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("RAGTRIAGE_HOME", str(folder / "home"))
        patch.setattr(EncoderProcess, "_spawn", refuse)
        project = Project.open(copy_of_the_sample(folder / "sample", vectors=True))
        yield Evaluated(project, evaluate(project, split="all", store=False), starts)
        project.close()


@pytest.fixture(scope="module")
def project(evaluated: Evaluated) -> Project:
    return evaluated.project


@pytest.fixture(scope="module")
def questions(project: Project) -> tuple[Question, ...]:
    return project.golden.questions


def dev(evaluated: Evaluated) -> list[QuestionResult]:
    return [question for question in evaluated.run.questions if question.split == "dev"]


def normal(text: str) -> str:
    return " ".join(re.findall(r"\w+", text.casefold()))


def resolved(project: Project, question: Question) -> tuple[ResolvedItem, ...]:
    return resolve(question, project.corpus, project.chunks)


def test_it_is_large_enough(project: Project) -> None:
    assert len(project.corpus.documents) >= 40
    set_ = describe(project.golden)
    assert set_.questions >= 60
    assert set_.holdout >= 14
    for kind in ("exact", "paraphrase", "multi-part", "ambiguous", "unanswerable"):
        assert set_.by_kind[kind] >= 10, kind
    assert "(none)" not in set_.by_kind
    assert set_.unlabelled == 0


def test_both_splits_have_every_kind(questions: tuple[Question, ...]) -> None:
    by_split = {split: {q.kind for q in questions if q.split == split} for split in ("dev", "holdout")}
    assert by_split["dev"] == by_split["holdout"]


def test_nothing_in_it_is_wrong(project: Project) -> None:
    assert [str(problem) for problem in project.corpus.problems] == []
    found = check(project.golden, project.corpus, project.chunks)
    assert [str(problem) for problem in found if problem.severity != "advice"] == []


def test_every_label_is_found_in_its_page(project: Project, questions: tuple[Question, ...]) -> None:
    for question in questions:
        assert question.answerable == (question.kind != "unanswerable") == bool(question.evidence), question.qid
        for item in resolved(project, question):
            for place in item.places:
                # "folded": a PDF breaks its lines within a sentence
                assert place.how in ("exact", "folded", "coarse"), (question.qid, place.place)
                assert place.spans, (question.qid, place.place)
                assert not place.ambiguous, (question.qid, place.place)


def test_every_must_mention_stands_in_its_evidence(project: Project, questions: tuple[Question, ...]) -> None:
    for question in questions:
        spans = [located for item in resolved(project, question) for located in item.spans]
        text = "\n\n".join(project.corpus.document(doc).text[span.start : span.end] for doc, span in spans)
        text = text.replace(" | ", "\n\n")  # the cells of a row are read one by one
        for alternatives in question.must_mention:
            assert any(mentions(text, phrase) for phrase in alternatives), (question.qid, alternatives)
        assert not any(mentions(text, phrase) for phrase in question.must_not_mention), question.qid


def test_no_two_questions_are_equal(questions: tuple[Question, ...]) -> None:
    assert [wording for wording, times in Counter(normal(q.question) for q in questions).items() if times > 1] == []
    assert [qid for qid, times in Counter(q.qid for q in questions).items() if times > 1] == []


def test_every_question_tells_where_it_came_from(questions: tuple[Question, ...]) -> None:
    for question in questions:
        assert question.source["from"] in {"log", "ticket", "chat", "owner"}, question.qid
        assert question.source["ref"], question.qid
        assert re.fullmatch(r"2026-\d\d-\d\d", question.source["at"]), question.qid


def test_it_needs_no_encoder(evaluated: Evaluated) -> None:
    assert evaluated.run.manifest["encoded"] == 0
    assert evaluated.project.system.encoded == 0
    assert evaluated.encoder_starts == 0
    assert {question.status for question in evaluated.run.questions}.isdisjoint({"failed", "unlabelled"})


def test_it_fails_for_interesting_reasons(evaluated: Evaluated) -> None:
    answerable = [question for question in dev(evaluated) if question.kind != "unanswerable"]
    failing = [question for question in answerable if question.suggested]
    assert 0.15 <= len(failing) / len(answerable) <= 0.35, sorted(question.qid for question in failing)
    counts = Counter(question.suggested for question in dev(evaluated) if question.suggested)
    for category in ("not-retrieved", "ranked-too-low", "misused"):
        assert counts[category] >= 2, counts
    assert counts["bad-label"] == 0
    assert len(counts) >= 4, counts


def test_the_pictures_show_a_question_that_ranks_too_low(evaluated: Evaluated) -> None:
    shown = evaluated.run.get("q017")
    assert shown is not None
    assert shown.suggested == "ranked-too-low"


def test_the_holdout_is_about_as_hard(evaluated: Evaluated) -> None:
    held = [q for q in evaluated.run.questions if q.split == "holdout" and q.kind != "unanswerable"]
    assert 0.1 <= sum(bool(question.suggested) for question in held) / len(held) <= 0.5


def test_an_evaluation_leaves_only_its_run(evaluated: Evaluated) -> None:
    project = evaluated.project
    before = files(project.root)
    evaluate(project)
    assert files(project.root) == before
    assert (project.root / ".ragtriage" / "runs").is_dir()


def files(root: Path) -> dict[str, bytes]:
    return {
        path.relative_to(root).as_posix(): path.read_bytes()
        for path in sorted(root.rglob("*"))
        if path.is_file() and ".ragtriage" not in path.relative_to(root).parts
    }


def test_the_vectors_are_all_there_and_no_others(project: Project, questions: tuple[Question, ...], tmp_path: Path) -> None:
    others = {*texts_of(questions), *branch_texts(tmp_path)}
    needed = {*project.chunks.indexed_texts(), *others}
    copied = tmp_path / SHIPPED_VECTORS
    assert project.indexes.export_vectors(copied, sorted(others)) == len(needed)
    assert sorted((SAMPLE / SHIPPED_VECTORS).parent.glob(f"{SHIPPED_VECTORS}-*")) == []  # no log beside it
    assert rows(SAMPLE / SHIPPED_VECTORS) == rows(copied)


def rows(path: Path) -> list[tuple[bytes, bytes]]:
    with contextlib.closing(sqlite3.connect(f"{path.as_uri()}?mode=ro&immutable=1", uri=True)) as connection:
        return connection.execute("SELECT key, value FROM vectors ORDER BY key").fetchall()


def test_the_vectors_are_those_of_the_texts(project: Project, questions: tuple[Question, ...], tmp_path: Path) -> None:
    texts = [*project.chunks.indexed_texts()[::60], *texts_of(questions)[::25]]
    encoder = EncoderProcess(project.config.embedding, cache=tmp_path)
    keys = [key_of(encoder.fingerprint, text) for text in texts]
    cache = VectorCache(tmp_path / "none.sqlite", shipped=SAMPLE / SHIPPED_VECTORS)
    shipped = cache.get(keys)
    cache.close()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(EncoderProcess, "_spawn", SPAWN)
        fresh = encoder.encode(texts, no_progress)
        encoder.close()
    assert fresh.dtype == np.float16
    for text, key, vector in zip(texts, keys, fresh, strict=True):
        if shipped[key].tobytes() == vector.tobytes():
            continue
        # another processor sums in another order: the last bit of a float16 may differ, and nothing more
        np.testing.assert_allclose(shipped[key], vector, rtol=2**-10, atol=2**-16, err_msg=text[:60])


def reports() -> list[dict[str, Any]]:
    lines = (SAMPLE / "bug_reports.jsonl").read_text(encoding="utf-8").splitlines()
    return [json.loads(line) for line in lines]


def test_the_bug_reports_have_the_inbox_form() -> None:
    found = reports()
    assert len(found) == 15
    assert len({report["id"] for report in found}) == 15
    for report in found:
        assert report.keys() >= {"id", "from", "ref", "at", "text", "question"}, report["id"]
        assert report.keys() <= {"id", "from", "ref", "at", "text", "question", "answer", "passages"}, report["id"]
        assert report["from"] in {"ticket", "chat", "log"}
        assert re.fullmatch(r"2026-\d\d-\d\dT\d\d:\d\d:\d\dZ", report["at"])
        assert report["text"].strip()
        assert report["question"] is None or report["question"].strip()
        assert ("answer" in report) == ("passages" in report), report["id"]
    assert [report["at"] for report in found] == sorted(report["at"] for report in found)


def test_the_bug_reports_quote_the_pages_and_ask_something_new(project: Project, questions: tuple[Question, ...]) -> None:
    known = {normal(question.question) for question in questions}
    for report in reports():
        assert report["question"] is None or normal(report["question"]) not in known, report["id"]
        for passage in report.get("passages", ()):
            assert normal(passage["text"]) in normal(project.corpus.document(passage["doc"]).text), report["id"]

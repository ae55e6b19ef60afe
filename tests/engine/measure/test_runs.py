"""Runs on disk: what is written is what is read, whole or not at all, the newest kept."""

from __future__ import annotations

import dataclasses

import pytest

from ragtriage.errors import StorageError, UsageError
from ragtriage.measure.answer_results import AnswerResult
from ragtriage.measure.results import ItemResult, QuestionResult, Run, Rung
from ragtriage.measure.runs import RunStore
from ragtriage.types import Grade, Hit

HOSTILE = "[/red] \x1b]52;c;aGk=\x07 \u202e \x00 ünï"

ITEM = ItemResult(
    kind="quote",
    doc_id="policy-refunds",
    heading=("Refunds", "Time limits"),
    quote=HOSTILE,
    gain=1.0,
    how="exact",
    ambiguous=False,
    stale=False,
    spans=(("policy-refunds", 3, 29),),
    rank=7,
    lost_at="context",
    rungs=(Rung("corpus", "ok", note="exact"), Rung("bm25", "ok", 31), Rung("context", "broken", 7)),
)
QUESTION = QuestionResult(
    qid="q001",
    kind="paraphrase",
    split="dev",
    needs="all",
    status="missed",
    suggested="ranked-too-low",
    lost_at="context",
    items=(ITEM,),
    rr=1 / 7,
    hits=(Hit("policy-refunds#3", 0.0315, bm25_rank=31, dense_rank=4, fused_rank=7),),
    live=AnswerResult("no [2]", ("a#1",), Grade(False, False, ("30 days",), (), (2,), (2,), ())),
    reason="",
    seen="41be",
    context_tokens=812,
    identity="aa.bb.cc",
)


def a_run(name: str, at: str, **manifest) -> Run:
    return Run(name, {"format": 1, "at": at, "k": 5, "fingerprints": {"corpus": "c"}, **manifest}, (QUESTION,), ({"s": 1},))


def test_a_question_survives_the_round_trip():
    assert QuestionResult.from_dict(QUESTION.to_dict()) == QUESTION


def test_a_run_survives_the_round_trip(tmp_path):
    store = RunStore(tmp_path / ".ragtriage" / "runs")
    saved = store.save(a_run("20261130T140211Z-9f2c0a11", "2026-11-30T14:02:11Z"))
    assert store.load(saved.id) == saved
    assert (tmp_path / ".ragtriage" / ".gitignore").read_text() == "*\n"


def test_two_runs_of_one_second_are_both_kept(tmp_path):
    store = RunStore(tmp_path)
    names = {store.save(a_run("20261130T140211Z-9f2c0a11", "2026-11-30T14:02:11Z")).id for _ in range(3)}
    assert len(names) == 3
    assert {info.id for info in store.all()} == names


def test_the_newest_of_the_same_inputs_is_found_and_partial_runs_are_not(tmp_path):
    store = RunStore(tmp_path)
    store.save(a_run("a", "2026-11-30T10:00:00Z"))
    store.save(a_run("b", "2026-11-30T11:00:00Z", fingerprints={"corpus": "other"}))
    store.save(a_run("c", "2026-11-30T12:00:00Z", partial=True))
    assert store.newest().id == "b"
    assert store.newest({"corpus": "c"}).id == "a"
    assert store.newest({"corpus": "none"}) is None


def test_a_run_is_found_by_the_beginning_of_its_id(tmp_path):
    store = RunStore(tmp_path)
    store.save(a_run("20261130T10-aa", "2026-11-30T10:00:00Z"))
    store.save(a_run("20261130T11-bb", "2026-11-30T11:00:00Z"))
    assert store.find("20261130T11").id == "20261130T11-bb"
    assert store.find("latest").id == "20261130T11-bb"
    with pytest.raises(UsageError, match="several"):
        store.find("2026")
    with pytest.raises(UsageError, match="no such run"):
        store.find("1999")


def test_pruning_keeps_the_newest_and_the_named(tmp_path):
    store = RunStore(tmp_path)
    for hour in range(6):
        store.save(a_run(f"run-{hour}", f"2026-11-30T1{hour}:00:00Z"))
    assert store.prune(2, protected={"run-1"}) == ["run-3", "run-2", "run-0"]
    assert [info.id for info in store.all()] == ["run-5", "run-4", "run-1"]


def test_folders_that_are_no_runs_are_passed_over(tmp_path):
    store = RunStore(tmp_path)
    (tmp_path / "empty").mkdir()
    (tmp_path / "broken").mkdir()
    (tmp_path / "broken" / "run.json").write_bytes(b"\x00{")
    (tmp_path / "later").mkdir()
    (tmp_path / "later" / "run.json").write_text('{"format": 99}')
    assert store.all() == []


def test_a_damaged_run_is_one_clear_message(tmp_path):
    store = RunStore(tmp_path)
    saved = store.save(a_run("a", "2026-11-30T10:00:00Z"))
    (tmp_path / saved.id / "questions.jsonl").write_bytes(b'{"qid": 1}\n')
    with pytest.raises(StorageError, match="measures again"):
        store.load(saved.id)


def test_a_folder_that_cannot_be_made_is_one_clear_message(tmp_path):
    (tmp_path / "file").write_text("in the way")
    with pytest.raises(StorageError, match="could not be stored"):
        RunStore(tmp_path / "file" / "runs").save(a_run("a", "2026-11-30T10:00:00Z"))


def test_a_run_that_leads_to_a_device_is_not_read(tmp_path):
    store = RunStore(tmp_path / "runs")
    kept = store.save(a_run("20261130T140211Z-9f2c0a11", "2026-11-30T14:02:11Z"))
    (store.folder / "zero").mkdir()
    (store.folder / "zero" / "run.json").symlink_to("/dev/zero")
    assert [info.id for info in store.all()] == [kept.id]
    (store.folder / kept.id / "questions.jsonl").unlink()
    (store.folder / kept.id / "questions.jsonl").symlink_to("/dev/zero")
    with pytest.raises(StorageError, match="not a regular file"):
        store.load(kept.id)


def test_the_runs_before_the_newest_have_names(tmp_path):
    store = RunStore(tmp_path / "runs")
    for day in range(1, 4):
        store.save(a_run(f"2026110{day}T000000Z-aaaaaaaa", f"2026-11-0{day}T00:00:00Z"))
    assert [store.find(name).id[:8] for name in ("latest", "latest~0", "latest~1", "latest~2")] == [
        "20261103", "20261103", "20261102", "20261101",
    ]  # fmt: skip
    with pytest.raises(UsageError, match="latest~3: there are only 3 runs"):
        store.find("latest~3")
    for name in ("latest~", "latest~x", "latest~-1", "latest~²", "latest~99999999"):
        with pytest.raises(UsageError, match="no such run"):
            store.find(name)


def test_a_run_without_its_rankings(tmp_path):
    store = RunStore(tmp_path / "runs")
    store.save(a_run("20261130T140211Z-9f2c0a11", "2026-11-30T14:02:11Z"))
    (question,) = store.load("20261130T140211Z-9f2c0a11", rankings=False).questions
    assert question == dataclasses.replace(QUESTION, hits=())


def test_a_partial_run_is_named_by_its_id_alone(tmp_path):
    store = RunStore(tmp_path / "runs")
    store.save(a_run("20261101T000000Z-aaaaaaaa", "2026-11-01T00:00:00Z", partial=True))
    with pytest.raises(UsageError, match="no complete run; a partial one, such as 20261101T000000Z-aaaaaaaa, is named by"):
        store.find("latest")
    for day in (2, 3):
        store.save(a_run(f"2026110{day}T000000Z-aaaaaaaa", f"2026-11-0{day}T00:00:00Z"))
    assert store.passed_over("latest") is None
    store.save(a_run("20261104T000000Z-aaaaaaaa", "2026-11-04T00:00:00Z", partial=True))
    assert [store.find(name).id[:8] for name in ("latest", "latest~1", "20261104")] == ["20261103", "20261102", "20261104"]
    assert [over and over.id[:8] for over in map(store.passed_over, ("latest", "latest~1", "20261103"))] == [
        "20261104", "20261104", None,
    ]  # fmt: skip
    with pytest.raises(UsageError, match=r"latest~2: .* has only 2 complete runs"):
        store.find("latest~2")

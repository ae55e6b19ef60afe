"""The door to the engine, on a small project searched with BM25."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest
from tests.tui.demo import HOSTILE

from ragtriage.config_file import load_config
from ragtriage.measure.results import ItemResult, Run
from ragtriage_tui.bridge.door import Door
from ragtriage_tui.bridge.names import Names
from ragtriage_tui.bridge.overviews import setup_name
from ragtriage_tui.bridge.questions import holding
from ragtriage_tui.bridge.shown import what_changed
from ragtriage_tui.bridge.watch import Watch
from ragtriage_tui.text import Extent
from ragtriage_tui.views import News, QuestionRow, TriageDoor
from ragtriage_tui.workers import DoorError, Stopped

measuring = import_module("ragtriage.measure.evaluate")


def nothing(stage: str, done: int, total: int) -> None:
    """Progress that nobody looks at."""


@pytest.fixture
def door(project: Path) -> Door:
    made = Door(project)
    opened = made.open(nothing)
    assert opened.measure
    made.measure(nothing)
    return made


def row(door: TriageDoor, qid: str) -> QuestionRow:
    return next(row for row in door.overview().questions if row.qid == qid)


def rewrite(project: Path, change: Callable[[str], str]) -> None:
    path = project / "evals" / "golden.jsonl"
    path.write_text(change(path.read_text(encoding="utf-8")), encoding="utf-8")


def test_without_a_run_everything_waits_and_one_is_to_be_made(project: Path) -> None:
    opened = Door(project).open(nothing)
    assert (opened.measure, opened.missing) == (True, 0)
    assert [row.state for row in opened.overview.questions] == ["waiting"] * 4
    assert opened.overview.figures == ()


def test_measuring_fills_the_list_and_the_header(door: Door) -> None:
    view = door.overview()
    assert (view.project, view.setup, view.k) == ("handbook", "bm25 k=2", 2)
    assert [row.qid for row in view.questions] == ["q001", "q002", "q003", "q004"]  # q005 is kept aside
    assert [figure.name for figure in view.figures] == ["recall@2", "hit@2", "mrr"]
    assert view.figures[0].n == 3
    assert row(door, "q002").state == "passes"
    assert row(door, "q003").state == "fails"
    assert row(door, "q003").suggested == 1
    assert len(view.categories) == 7
    assert view.notice == ""


def test_the_newest_run_of_todays_files_is_shown_without_measuring(door: Door, project: Path) -> None:
    again = Door(project).open(nothing)
    assert not again.measure
    assert again.overview.notice == ""
    assert again.overview.run_id == door.overview().run_id


GOLDEN = News("the golden set changed on disk and was read again")


def test_a_run_that_only_the_golden_set_sets_apart_is_shown_as_it_is(door: Door, project: Path) -> None:
    rewrite(project, lambda text: text + '{"qid": "q099", "question": "is it new", "answerable": false}\n')
    Door(project, overrides=("retrieval.k=1",)).measure(nothing)  # a newer one, of another configuration
    again = Door(project)
    opened = again.open(nothing)
    assert not opened.measure
    assert opened.overview.run_id == door.overview().run_id
    assert opened.overview.notice == "golden set changed since this run"
    view = again.question("q002")
    assert view is not None
    assert view.chunks[0].holds == "whole"


def test_a_run_of_another_chunking_is_called_by_its_name_and_shown_without_texts(door: Door, project: Path) -> None:
    other = Door(project, overrides=("chunking.size=20", "retrieval.k=1"))
    opened = other.open(nothing)
    assert opened.measure
    assert opened.overview.setup == "bm25 k=2"
    assert opened.overview.notice == "this run has chunking.size=200, not 20 and 1 more"
    assert row(other, "q003").state == "fails"
    view = other.question("q003")
    assert view is not None
    assert (view.k, view.chunks) == (2, ())
    assert view.no_chunks == "The chunks of this run are not those of today. ctrl+r measures again."
    assert [need.span for need in view.needs] == [None]
    document = other.documents.document("refunds", "q001")
    assert (document.ranked, document.evidence) == (False, ())
    assert all(part.rank is None for part in document.parts)
    now = other.measure(nothing)
    assert (now.setup, now.notice) == ("bm25 k=1", "")
    view = other.question("q003")
    assert view is not None
    assert view.chunks
    assert view.no_chunks == ""


def test_a_run_of_another_k_is_measured_again_but_its_texts_are_those_of_today(door: Door, project: Path) -> None:
    other = Door(project, overrides=("retrieval.k=1",))
    opened = other.open(nothing)
    assert opened.measure
    assert (opened.overview.setup, opened.overview.notice) == ("bm25 k=2", "this run has retrieval.k=2, not 1")
    view = other.question("q002")
    assert view is not None
    assert view.chunks[0].holds == "whole"


def test_a_run_of_other_documents_is_shown_without_texts(door: Door, project: Path) -> None:
    (project / "docs" / "refunds.md").write_text("# Refunds\n\nNone.\n", encoding="utf-8")
    (project / "ragtriage.toml").write_text('[retrieval]\nmode = "bm25"\nk = 3\n', encoding="utf-8")
    again = Door(project)
    opened = again.open(nothing)
    assert opened.measure
    assert opened.overview.notice == "this run has retrieval.k=2, not 3; documents changed since"
    view = again.question("q001")
    assert view is not None
    assert view.chunks == ()


def test_a_run_that_was_asked_as_somebody_else_is_not_todays(door: Door, project: Path) -> None:
    opened = Door(project, groups=("staff",)).open(nothing)
    assert opened.measure
    assert opened.overview.notice == "this run has --as=none, not staff"


def test_a_label_is_given_on_what_is_in_the_list_even_where_that_is_an_older_run(door: Door, project: Path) -> None:
    other = Door(project, overrides=("chunking.size=20",))
    other.open(nothing)
    other.label("q003", 1)
    line = json.loads((project / "evals" / "verdicts.jsonl").read_text().splitlines()[-1])
    assert line["run"] == door.overview().run_id
    assert line["seen"] == door.seen("q003") != ""


def test_without_a_model_what_was_measured_before_can_be_looked_at(door: Door, project: Path) -> None:
    lost = ("retrieval.mode=hybrid", "embedding.model=/nowhere/at/all", "embedding.offline=true")
    opened = Door(project, overrides=lost).open(nothing)
    assert not opened.measure
    assert "nowhere" in opened.overview.warning
    assert opened.overview.setup == "bm25 k=2"


def test_a_question_comes_with_its_ladder_and_chunks(door: Door) -> None:
    view = door.question("q003")
    assert view is not None
    assert view.state == "fails"
    assert "evidence not in the pool" in view.proof
    need = view.needs[0]
    assert (need.doc_id, need.quote, need.inside) == ("staff/goodwill", "a voucher of 15 euros", False)
    assert [(rung.text, rung.state) for rung in need.rungs[:3]] == [
        ("corpus", "ok"),
        ("one chunk", "ok"),
        ("allowed", "broken"),
    ]
    lost = view.chunks[-1]
    assert (lost.rank, lost.chunk_id, lost.holds) == (None, "staff/goodwill#1", "whole")
    start, end = lost.evidence[0]
    assert lost.text[start:end] == "a voucher of 15 euros"
    found = door.question("q002")
    assert found is not None
    assert found.chunks[0].holds == "whole"
    assert found.stages == ("bm25",)
    assert found.live is not None
    assert door.question("nobody") is None


def test_a_label_is_in_the_file_when_the_call_returns(door: Door, project: Path) -> None:
    change = door.label("q003", 6, "the page is not public")
    assert change.message == "note kept: q003 is 6 bad label"
    assert change.qid == "q003"
    line = json.loads((project / "evals" / "verdicts.jsonl").read_text().splitlines()[-1])
    assert (line["qid"], line["category"], line["note"]) == ("q003", "bad-label", "the page is not public")
    assert line["run"] == door.overview().run_id
    assert (row(door, "q003").label, row(door, "q003").old) == (6, False)
    view = door.question("q003")
    assert view is not None
    assert view.note == "the page is not public"
    assert door.label("q003", 1).message == "q003 is now 1 not retrieved"
    view = door.question("q003")
    assert view is not None
    assert view.note == "the page is not public"  # another cause says nothing about the note
    assert door.label("q003", 1, "").message == "q003 is 1 not retrieved, without a note"
    view = door.question("q003")
    assert view is not None
    assert view.note == ""


def test_undo_and_redo(door: Door) -> None:
    door.label("q003", 1)
    door.label("q003", 6)
    assert door.undo().message == "q003 is 1 not retrieved again"
    assert row(door, "q003").label == 1
    assert door.undo().message == "q003 has no label now"
    assert door.redo().message == "q003 is 1 not retrieved again"
    assert door.label("q003", 0).message == "q003 has no label now"
    assert row(door, "q003").label == 0
    assert Door.redo(door).qid == ""


def test_a_verdict_on_something_else_is_old(door: Door, project: Path) -> None:
    door.label("q003", 6)
    rewrite(project, lambda text: text.replace("what voucher may support give", "which voucher may support give"))
    assert door.changed() == GOLDEN
    door.measure(nothing)
    assert row(door, "q003").old


def test_what_others_write_is_read_and_what_we_write_is_no_news(door: Door, project: Path) -> None:
    assert door.changed() == News()
    door.label("q003", 6)
    assert door.changed() == News()
    rewrite(project, lambda text: text + '{"qid": "q099", "question": "is it new", "answerable": false}\n')
    assert door.changed() == GOLDEN
    assert door.changed() == News()
    assert row(door, "q099").state == "waiting"
    assert door.overview().notice == "golden set changed since this run"
    other = Door(project)
    other.open(nothing)
    other.label("q002", 3)
    assert door.changed().text == "the verdicts changed on disk and was read again"
    assert row(door, "q002").label == 3


def test_a_changed_configuration_is_read_and_a_broken_one_is_not(door: Door, project: Path) -> None:
    config = project / "ragtriage.toml"
    before = config.read_text(encoding="utf-8")
    kept = "the old configuration stays: ragtriage.toml"
    for text, said in (
        ("not toml", ":1: not TOML: Expected '=' after a key in a key/value pair"),
        ('[retrieval]\nmode = "bm25"\nk = 0\nx = 1\n', ":3: retrieval.k: "),
        ('[retrieval]\nmode = "bm52"\n', ":2: retrieval.mode: "),
    ):
        config.write_text(text, encoding="utf-8")
        news = door.changed()
        assert news.wrong
        assert news.text.startswith(f"{kept}{said}"), news.text
        assert door.overview().notice == ""
        assert door.changed() == News()
    config.write_text("k", encoding="utf-8")
    rewrite(project, lambda text: text + "\n")
    assert door.changed().text.endswith("; the golden set changed on disk and was read again")
    rewrite(project, lambda text: text.rstrip("\n") + "\n")
    config.write_text(before.replace("k = 2", "k = 4"), encoding="utf-8")
    assert door.changed() == News("the golden set and the configuration changed on disk and were read again")
    assert door.overview().setup == "bm25 k=2"
    assert door.overview().notice == "this run has retrieval.k=2, not 4"
    door.measure(nothing)
    assert (door.overview().setup, door.overview().notice) == ("bm25 k=4", "")


def test_another_golden_set_has_its_own_verdicts(door: Door, project: Path) -> None:
    door.label("q003", 1)
    other = project / "other" / "golden.jsonl"
    other.parent.mkdir()
    other.write_text((project / "evals" / "golden.jsonl").read_text(), encoding="utf-8")
    config = project / "ragtriage.toml"
    config.write_text(config.read_text() + '[golden]\npath = "other/golden.jsonl"\n', encoding="utf-8")
    assert door.changed().text == "the configuration changed on disk and was read again"
    assert row(door, "q003").label == 0
    assert door.undo().qid == ""
    door.label("q003", 6)
    before = (project / "evals" / "verdicts.jsonl").read_text().splitlines()
    assert len(before) == 1
    assert json.loads((other.parent / "verdicts.jsonl").read_text())["category"] == "bad-label"
    assert door.changed() == News()
    other.write_text(other.read_text() + "\n", encoding="utf-8")
    assert door.changed() == GOLDEN


def test_an_edited_question_replaces_its_line_alone(door: Door, project: Path) -> None:
    before = (project / "evals" / "golden.jsonl").read_text().splitlines()
    value = json.loads(door.raw("q002"))
    value["question"] = "what is ERR_4021"
    assert door.replace("q002", json.dumps(value)).qid == "q002"
    after = (project / "evals" / "golden.jsonl").read_text().splitlines()
    assert after[0] == before[0]
    assert after[2:] == before[2:]
    assert json.loads(after[1])["question"] == "what is ERR_4021"
    assert row(door, "q002").text == "what is ERR_4021"
    assert door.changed() == News()
    for wrong, said in (("{", "is not JSON"), ("[]", "is not a JSON object"), ('{"qid": "q002"}', "question")):
        with pytest.raises(DoorError, match=said):
            door.replace("q002", wrong)


def test_an_edit_in_the_editor_is_undone_like_any_other(door: Door, project: Path) -> None:
    before = (project / "evals" / "golden.jsonl").read_text()
    door.label("q003", 1)
    value = {**json.loads(door.raw("q002")), "qid": "q-two", "ref": 10**30}
    assert door.replace("q002", json.dumps(value)).qid == "q-two"
    assert str(10**30) in door.raw("q-two")
    door.undo()
    assert [json.loads(line) for line in (project / "evals" / "golden.jsonl").read_text().splitlines()] == [
        json.loads(line) for line in before.splitlines()
    ]
    assert row(door, "q003").label == 1
    assert door.redo().qid == "q002"
    assert row(door, "q-two").qid == "q-two"


def test_an_edit_of_what_somebody_changed_meanwhile_overwrites_nothing(door: Door, project: Path) -> None:
    value = {**json.loads(door.raw("q002")), "question": "mine"}
    rewrite(project, lambda text: text.replace("ERR_4021", "ERR_4022"))
    door.changed()  # read in, as it is every ten seconds
    theirs = (project / "evals" / "golden.jsonl").read_text()
    with pytest.raises(DoorError, match="changed meanwhile"):
        door.replace("q002", json.dumps(value))
    assert (project / "evals" / "golden.jsonl").read_text() == theirs


def test_questions_that_came_while_it_was_measured_are_in_the_list(
    door: Door, project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = measuring.evaluate

    def slow(*args: Any, **how: Any) -> Run:
        run = real(*args, **how)
        rewrite(project, lambda text: text + '{"qid": "q-new", "question": "who was added meanwhile"}\n')
        return run

    monkeypatch.setattr(measuring, "evaluate", slow)
    view = door.measure(nothing)
    assert view.questions[-1].qid == "q-new"
    assert view.notice == "golden set changed since this run"


def test_nothing_is_written_where_nothing_may_be(project: Path) -> None:
    door = Door(project, read_only=True)
    door.open(nothing)
    assert door.measure(nothing).figures
    assert not (project / ".ragtriage").exists()
    for call in (lambda: door.label("q003", 1), door.undo, door.redo, lambda: door.replace("q003", "{}")):
        with pytest.raises(DoorError, match="read-only"):
            call()
    assert not (project / "evals" / "verdicts.jsonl").exists()


def test_a_job_can_be_stopped(door: Door) -> None:
    def stop(stage: str, done: int, total: int) -> None:
        raise Stopped

    run = door.overview().run_id
    with pytest.raises(Stopped):
        door.measure(stop)
    assert door.overview().run_id == run


def test_bm25_alone_is_shown_but_not_kept(door: Door, project: Path) -> None:
    runs = len(list((project / ".ragtriage" / "runs").iterdir()))
    view = door.measure(nothing, bm25_only=True)
    assert view.notice.startswith("BM25 alone")
    assert len(list((project / ".ragtriage" / "runs").iterdir())) == runs
    door.label("q003", 1)
    assert door.measure(nothing).notice == ""


def test_a_project_that_is_none_is_said_in_one_sentence(tmp_path: Path) -> None:
    with pytest.raises(DoorError, match="no such folder"):
        Door(tmp_path / "nowhere").open(nothing)
    with pytest.raises(DoorError, match="neither a project"):
        Door(tmp_path).open(nothing)
    with pytest.raises(DoorError, match="not read yet"):
        Door(tmp_path).overview()


def test_without_a_golden_set_there_is_an_empty_list_to_start_one_from(project: Path) -> None:
    (project / "evals" / "golden.jsonl").unlink()
    opened = Door(project).open(nothing)
    assert not opened.measure
    assert opened.overview.questions == ()


def test_lines_that_cannot_be_used_are_counted(project: Path) -> None:
    rewrite(project, lambda text: text + "{broken\n[]\n")
    assert Door(project).open(nothing).overview.warning.startswith("2 lines of the golden set cannot be used")


def test_hostile_texts_and_ids_come_out_scrubbed_and_find_their_way_back(project: Path) -> None:
    qid = "q\x1b[2J\u202e1"
    question = {"qid": qid, "question": HOSTILE, "evidence": [{"doc": "bad", "quote": "\x1b]52;c;aGk=\x07"}]}
    rewrite(project, lambda text: text + json.dumps(question) + "\n")
    (project / "docs" / "bad.md").write_text(HOSTILE.encode("utf-8", "replace").decode(), encoding="utf-8")
    door = Door(project)
    door.open(nothing)
    view = door.measure(nothing)
    shown = next(row.qid for row in view.questions if "␛" in row.qid)
    whole = door.question(shown)
    assert whole is not None
    assert not {"\x1b", "\x07", "\x9b", "\u202e"} & set(repr_of(whole) + repr_of(view))
    door.label(shown, 6)
    assert json.loads((project / "evals" / "verdicts.jsonl").read_text())["qid"] == qid


def repr_of(value: object) -> str:
    """Every text in a view, without Python's escaping."""
    if isinstance(value, str):
        return value
    if isinstance(value, tuple | list):
        return "".join(map(repr_of, value))
    if hasattr(value, "__dataclass_fields__"):
        return "".join(repr_of(getattr(value, name)) for name in value.__dataclass_fields__)
    return ""


def test_looking_goes_on_while_something_is_measured(door: Door) -> None:
    inside, go_on = threading.Event(), threading.Event()

    def progress(stage: str, done: int, total: int) -> None:
        inside.set()
        assert go_on.wait(10)

    thread = threading.Thread(target=door.measure, args=(progress,))
    thread.start()
    assert inside.wait(10)
    assert door.question("q002") is not None
    assert door.label("q003", 1).qid == "q003"
    go_on.set()
    thread.join(20)
    assert not thread.is_alive()


def item(*spans: tuple[str, int, int], how: str = "exact") -> ItemResult:
    return ItemResult("quote", "d", (), "", 1.0, how, False, False, spans, 1, "", ())


def test_a_chunk_holds_a_quote_by_the_scoring_rule() -> None:
    text = "aaaa within 30 days of delivery bbbb"
    quote = item(("d", 5, 31))
    assert holding("d", text, 0, 36, [quote]) == ("whole", (Extent(5, 31),))
    assert holding("d", text, 5, 20, [quote]) == ("part", (Extent(0, 15),))
    assert holding("d", text, 0, 28, [quote])[0] == "whole"  # 80 % of the characters and every digit
    assert holding("d", text, 14, 36, [quote])[0] == "part"  # most of it, without the number
    assert holding("d", text, 31, 36, [quote]) == ("none", ())  # touching is not overlapping
    assert holding("e", text, 0, 36, [quote]) == ("none", ())
    assert holding("d", text, 0, 10, [item(("d", 0, 36), how="coarse")]) == ("whole", ())


def test_small_things(tmp_path: Path) -> None:
    assert setup_name(load_config(None, ["retrieval.fusion=zscore", "retrieval.k=10"])) == "hybrid zscore k=10"
    assert what_changed({"corpus": "a", "golden": "b"}, {"corpus": "a", "golden": "c"}) == "golden set changed since this run"
    assert what_changed({}, {"corpus": "a", "golden": "c"}) == "documents and golden set changed since this run"
    names = Names()
    assert names.raw(names.shown("a\x1bb")) == "a\x1bb"
    assert names.raw("plain") == "plain"
    path = tmp_path / "file"
    watch = Watch()
    watch.seen([path])
    assert watch.changed() == set()
    path.write_text("x")
    assert watch.changed() == {path}

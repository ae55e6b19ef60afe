"""The door's parts for Inbox and for judging passages, against the engine."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from tests.tui.test_screens_bridge import golden, quiet

from ragtriage_tui.add_views import Draft, Marked, SavedView
from ragtriage_tui.bridge.door import Door
from ragtriage_tui.bridge.drafts import keep_draft, kept_drafts, load_draft
from ragtriage_tui.inbox_views import ReportRow
from ragtriage_tui.text import Extent
from ragtriage_tui.workers import DoorError

REPORTS: list[dict[str, Any]] = [
    {
        "from": "ticket",
        "ref": "8812",
        "at": "2026-11-23T08:41:07Z",
        "text": "Hello, mail me at jo@example.com. Until when can I send the goods back? I paid 458 euros.",
        "answer": "You have 14 days.",
        "passages": [
            {"doc": "shipping", "text": "Parcels leave the warehouse on the next working day."},
            {"doc": "refunds", "text": "You may send goods back within 30 days of delivery."},
            {"doc": "old", "text": "Nobody has this text any more, it was about gift cards and vouchers."},
        ],
    },
    {"from": "chat", "ref": "c-1", "text": "may i send goods back for days after the delivery"},
    {"from": "synthetic", "ref": "7", "question": "Who pays the customs duties of a parcel?"},
]


@pytest.fixture
def reports(project: Path) -> Path:
    """Three reports in the inbox: of a ticket with passages, one like a question of the set, one that a model wrote."""
    from ragtriage.inbox.log import InboxLog
    from ragtriage.inbox.reading import read_reports

    data = "".join(json.dumps(one) + "\n" for one in REPORTS).encode()
    path = project / "evals" / "inbox.jsonl"
    InboxLog(path).add(read_reports(data, "reports.jsonl").reports)
    return path


@pytest.fixture
def door(project: Path) -> Door:
    made = Door(project)
    made.open(quiet)
    made.measure(quiet)
    return made


def rows(door: Door) -> tuple[ReportRow, ...]:
    return door.inbox.view().reports


def row(door: Door, at: int) -> ReportRow:
    return rows(door)[at]


def states(door: Door) -> list[str]:
    return [one.state for one in rows(door)]


def marked(door: Door, doc: str, words: str) -> Marked:
    text = door.documents.document(doc).text
    at = text.index(words)
    return Marked(doc, Extent(at, at + len(words)), words)


def begun(door: Door, at: int, **values: Any) -> Draft:
    from dataclasses import replace

    made = door.inbox.draft(row(door, at).id)
    assert made.draft is not None
    return replace(made.draft, **values)


def save(door: Door, draft: Draft) -> SavedView:
    saved = door.adder.save(draft)
    assert isinstance(saved, SavedView)
    return saved


# reports


def test_the_inbox_lists_its_reports_and_the_overview_counts_them(reports: Path, door: Door) -> None:
    view = door.inbox.view()
    assert [one.source for one in view.reports] == ["ticket 8812", "chat c-1", "synthetic 7"]
    assert view.reports[0].text == "Until when can I send the goods back?"
    assert [one.synthetic for one in view.reports] == [False, False, True]
    assert not view.looked
    assert door.overview().reports == 3
    assert not door.inbox.changed()
    reports.write_bytes(reports.read_bytes() + b"broken\n")
    assert door.inbox.changed()
    assert f"{reports}:4" in door.inbox.view().problem


def test_without_an_inbox_there_is_nothing(door: Door) -> None:
    assert door.inbox.view().reports == ()
    assert door.overview().reports == 0
    assert door.inbox.undo().message == "Nothing to undo"


def test_a_report_comes_with_all_that_is_proposed(reports: Path, door: Door) -> None:
    detail = door.inbox.report(row(door, 0).id, quiet, wait=False)
    assert detail is not None
    assert detail.text[slice(*detail.masked[0])] == "[e-mail]"
    assert detail.origin == "a sentence of the report"
    assert detail.answer == "You have 14 days."
    assert [(one.rank, one.where, one.note) for one in detail.passages] == [
        (1, "shipping", ""), (2, "refunds", ""), (3, "old", "not in the documents of today"),
    ]  # fmt: skip
    assert detail.retrieval == "retrieval or not? its evidence will tell"
    assert detail.candidates[0].chunk.doc_id == "refunds"
    assert detail.results is not None
    assert detail.results.complete
    assert door.inbox.report("r-zzzzzz", quiet, wait=False) is None


def test_what_the_set_asks_already_is_pointed_out(reports: Path, door: Door) -> None:
    detail = door.inbox.report(row(door, 1).id, quiet, wait=True)
    assert detail is not None
    assert detail.twins[0].qid == "q001"
    assert detail.twins[0].nearly


def test_a_report_becomes_a_question_and_one_undo_takes_both_back(reports: Path, door: Door, project: Path) -> None:
    before = (project / "evals" / "golden.jsonl").read_bytes()
    draft = begun(door, 0, marks=(marked(door, "refunds", "within 30 days of delivery"),))
    assert draft.ref == "ticket 8812"
    assert draft.first == draft.text == "Until when can I send the goods back?"
    assert door.adder.record(draft).then == "not retrieval: the evidence was there at rank 2 of 3"
    saved = save(door, draft)
    assert saved.beside == "ticket 8812 is done"
    line = golden(project)[-1]
    assert line["source"] == {
        "from": "ticket", "ref": "8812", "at": "2026-11-23T08:41:07Z",
        "text": "Hello, mail me at [e-mail]. Until when can I send the goods back? I paid 458 euros.",
    }  # fmt: skip
    assert line["evidence"][0]["quote"].startswith("You may send goods back within 30 days")
    assert (row(door, 0).state, row(door, 0).qid) == ("done", saved.qid)
    detail = door.inbox.report(row(door, 0).id, quiet, wait=False)
    assert detail is not None
    assert [one.holds for one in detail.passages] == [False, True, False]
    assert detail.retrieval == "not retrieval: the evidence was there at rank 2 of 3"
    assert "already: enter goes there" in door.inbox.draft(row(door, 0).id).why
    undone = door.adder.unsave(saved)
    assert undone.whole
    assert undone.message == f"{saved.qid} is no longer in the golden set; ticket 8812 is open again"
    assert (project / "evals" / "golden.jsonl").read_bytes() == before
    assert states(door) == ["open", "open", "open"]
    again = door.redo()
    assert again.message == f"{saved.qid} is in the golden set again; ticket 8812 is done: {saved.qid}"
    assert states(door)[0] == "done"


def test_the_first_wording_stays_whatever_is_edited(reports: Path, door: Door, project: Path) -> None:
    save(door, begun(door, 1, text="for how long can i return it", marks=(marked(door, "refunds", "30 days"),)))
    assert golden(project)[-1]["source"]["text"] == "may i send goods back for days after the delivery"


def test_what_a_model_wrote_stays_until_it_is_worded_and_labelled(reports: Path, door: Door, project: Path) -> None:
    made = door.inbox.draft(row(door, 2).id)
    assert made.reword
    mark = marked(door, "shipping", "Customs duties are paid by whoever receives the parcel.")
    with pytest.raises(DoorError, match="a model wrote this question: put it as a user would"):
        save(door, begun(door, 2, marks=(mark,)))
    assert states(door)[2] == "open"
    assert len(golden(project)) == 5
    save(door, begun(door, 2, text="do i pay customs", marks=(mark,)))
    assert states(door)[2] == "done"
    assert golden(project)[-1]["source"]["from"] == "synthetic"


def test_a_saved_question_says_when_its_report_could_not_be_closed(
    reports: Path, door: Door, project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from ragtriage.errors import StorageError
    from ragtriage.inbox.log import InboxLog

    def full(*args: object, **kwargs: object) -> None:
        raise StorageError("the disk is full")

    draft = begun(door, 0, marks=(marked(door, "refunds", "30 days"),))
    monkeypatch.setattr(InboxLog, "set", full)
    assert save(door, draft).beside == "but its report stays open: the disk is full"
    assert len(golden(project)) == 6


def test_dismiss_and_duplicate_are_on_disk_and_undone_in_order(reports: Path, door: Door) -> None:
    first, second = row(door, 0).id, row(door, 1).id
    assert door.inbox.dismiss(first).message == "ticket 8812 is dismissed"
    assert door.inbox.duplicate(second, " q001 ").message == "chat c-1 is a duplicate of q001"
    assert states(door) == ["dismissed", "duplicate", "open"]
    assert door.overview().reports == 1
    assert door.inbox.dismiss(first).message == "ticket 8812 is that already"
    with pytest.raises(DoorError, match="there is no question q99"):
        door.inbox.duplicate(second, "q99")
    with pytest.raises(DoorError, match="the id of a question"):
        door.inbox.duplicate(second, " ")
    undone = door.inbox.undo()
    assert (undone.message, undone.id) == ("chat c-1 is open again", second)
    assert door.undo().message == "ticket 8812 is open again"  # from Triage, too
    assert states(door) == ["open", "open", "open"]
    assert door.inbox.redo().message == "ticket 8812 is dismissed"
    assert door.inbox.redo().message == "chat c-1 is a duplicate of q001"
    assert door.inbox.redo().message == "Nothing to do again"


def test_what_an_earlier_session_did_is_undone_too(reports: Path, door: Door, project: Path) -> None:
    door.inbox.dismiss(row(door, 0).id)
    other = Door(project)
    other.open(quiet)
    assert other.inbox.undo().message == "ticket 8812 is open again"
    assert states(other)[0] == "open"
    assert other.inbox.redo().message == "ticket 8812 is dismissed"
    assert states(door)[0] == "dismissed"


def test_labels_reports_and_edits_are_undone_newest_first(reports: Path, door: Door) -> None:
    door.label("q001", 2)
    door.inbox.dismiss(row(door, 0).id)
    door.label("q002", 3)
    assert door.undo().message == "q002 has no label now"
    assert door.undo().message == "ticket 8812 is open again"
    assert door.undo().message == "q001 has no label now"
    assert [door.redo().message for _ in range(3)] == [
        "q001 is 2 ranked too low again", "ticket 8812 is dismissed", "q002 is 3 misused again",
    ]  # fmt: skip


def test_read_only_writes_nothing(reports: Path, project: Path) -> None:
    made = Door(project, read_only=True)
    made.open(quiet)
    before = reports.read_bytes()
    assert made.inbox.view().read_only
    for call in (
        lambda: made.inbox.dismiss(row(made, 0).id),
        lambda: made.inbox.duplicate(row(made, 0).id, "q001"),
        made.inbox.undo,
        made.inbox.redo,
        lambda: made.judgements.judge("q001", "refunds#1", relevant=True),
    ):
        with pytest.raises(DoorError, match="read-only"):
            call()
    assert reports.read_bytes() == before


def test_a_draft_of_a_report_is_kept_beside_that_of_a_new_question(tmp_path: Path) -> None:
    mine = Draft(text="who", report="r-aaaaaa", given='{"source": {}}')
    keep_draft(tmp_path, mine)
    keep_draft(tmp_path, Draft(text="what"))
    assert load_draft(tmp_path, "r-aaaaaa") == mine
    assert load_draft(tmp_path) == Draft(text="what")
    assert kept_drafts(tmp_path) == ("", "r-aaaaaa")


def test_hostile_reports_are_shown_harmless(project: Path, door: Door) -> None:
    from ragtriage.inbox.log import InboxLog
    from ragtriage.inbox.reading import read_reports

    bad = {"from": "ticket", "ref": "1\u001b]52;c;aGk=\u0007", "text": "who \u001b[2J pays\u202e?", "answer": "\u009b2J"}
    InboxLog(project / "evals" / "inbox.jsonl").add(read_reports(json.dumps(bad).encode() + b"\n", "x.jsonl").reports)
    (only,) = rows(door)
    detail = door.inbox.report(only.id, quiet, wait=False)
    assert detail is not None
    shown = f"{only.source}{only.text}{detail.text}{detail.answer}{detail.question}"
    assert not set(shown) & {"\x1b", "\x07", "\x9b", "\u202e"}


def test_a_report_of_any_length_is_shown_as_far_as_a_screen_can_wrap(project: Path, door: Door) -> None:
    from ragtriage.inbox.log import InboxLog
    from ragtriage.inbox.reading import read_reports

    long = {"from": "log", "ref": "1", "text": "who pays? " * 20_000, "answer": "you " * 5_000}
    InboxLog(project / "evals" / "inbox.jsonl").add(read_reports(json.dumps(long).encode() + b"\n", "x.jsonl").reports)
    (only,) = rows(door)
    detail = door.inbox.report(only.id, quiet, wait=False)
    assert detail is not None
    assert detail.text.endswith(f"characters more: ragtriage inbox show {only.id}")
    assert len(detail.text) < 41_000
    assert detail.answer.endswith("characters more")


def test_without_a_golden_set_the_first_question_may_come_from_a_report(reports: Path, project: Path) -> None:
    (project / "evals" / "golden.jsonl").unlink()
    door = Door(project)
    door.open(quiet)
    assert door.overview().reports == 3
    assert door.inbox.labels(quiet).looked
    detail = door.inbox.report(row(door, 0).id, quiet, wait=False)
    assert detail is not None
    assert detail.twins == ()
    with pytest.raises(DoorError, match="there is no question q001"):
        door.inbox.duplicate(row(door, 0).id, "q001")
    saved = save(door, begun(door, 0, marks=(marked(door, "refunds", "30 days"),)))
    assert saved.line == 1
    assert states(door)[0] == "done"


# labels


def rewrite(project: Path, name: str, old: str, new: str) -> None:
    path = project / "docs" / name
    text = path.read_text(encoding="utf-8")
    assert old in text
    path.write_text(text.replace(old, new), encoding="utf-8")


@pytest.fixture
def moved(project: Path) -> Door:
    """A document lost its quote, another one has it reworded, a third has it in another place."""
    rewrite(project, "refunds.md", "within 30 days of delivery", "within 14 days after the delivery")
    rewrite(project, "errors.md", "ERR_4021 means that the card was declined.", "")
    rewrite(project, "shipping.md", "# Shipping", "# Shipping\n\nERR_4021 means that the card was declined.")
    made = Door(project)
    made.open(quiet)
    made.measure(quiet)
    return made


def test_labels_are_looked_at_once_and_again_when_something_changed(moved: Door) -> None:
    assert not moved.inbox.view().looked
    view = moved.inbox.labels(quiet)
    assert view.looked
    assert [(one.qid, one.state, one.text) for one in view.labels] == [("q001", "gone", "within 30 days of delivery")]
    (safe,) = view.safe
    assert (safe.qid, safe.place) == ("q002", "shipping")
    assert moved.inbox.labels(quiet) == view


def test_a_label_comes_with_its_new_place_and_what_changed(moved: Door) -> None:
    (label,) = moved.inbox.labels(quiet).labels
    detail = moved.inbox.label(label.id)
    assert detail is not None
    assert detail.question == "may i send goods back for days after delivery"
    assert detail.old == "within 30 days of delivery"
    place = detail.places[0]
    assert place.doc_id == "refunds"
    assert place.heading == "Time limit"
    assert not place.same_numbers
    assert place.before.endswith("You may send goods back ")
    assert {part.kind for part in place.diff} == {"kept", "removed", "added"}
    assert moved.inbox.label("q099 0.0") is None


def test_a_new_place_is_accepted_measured_and_taken_back(moved: Door, project: Path) -> None:
    before = (project / "evals" / "golden.jsonl").read_bytes()
    (label,) = moved.inbox.labels(quiet).labels
    change = moved.inbox.accept(label.id, 0)
    assert change.qid == "q001"
    assert "accepted, but q001 mentions “30 days”, " in change.message
    item = golden(project)[0]["evidence"][0]
    assert item["quote"].startswith("within 14 days")
    assert moved.inbox.view().labels == ()
    assert not moved.inbox.view().looked
    undone = moved.inbox.undo()
    assert (undone.message, undone.id) == ("q001 is as before", label.id)
    assert (project / "evals" / "golden.jsonl").read_bytes() == before
    assert [one.id for one in moved.inbox.labels(quiet).labels] == [label.id]
    with pytest.raises(DoorError, match="there is no new place"):
        moved.inbox.accept(label.id, 7)


def test_a_new_place_that_says_another_thing_than_the_answer_must_is_accepted_and_that_is_said(
    moved: Door, project: Path
) -> None:
    (label,) = moved.inbox.labels(quiet).labels
    change = moved.inbox.accept(label.id, 0)
    assert change.warn
    assert change.message.startswith("accepted, but q001 mentions “30 days”, which its evidence does not say: ")
    assert golden(project)[0]["evidence"][0]["quote"].startswith("within 14 days")
    line = json.dumps(golden(project)[0] | {"answer_must_mention": ["14 days"]})
    moved.raw("q001")
    edited = moved.replace("q001", line)
    assert (edited.message, edited.warn) == ("q001 was changed; ctrl+r measures again", False)
    again = moved.replace("q001", line.replace('14 days"]', '40 days"]'))
    assert (again.message, again.warn) == ("changed, but q001 mentions “40 days”, which its evidence does not say", True)


def test_safe_labels_that_lack_a_mention_are_mended_and_that_is_said(moved: Door, project: Path) -> None:
    lines = golden(project)
    lines[1]["answer_must_mention"] = ["refused"]
    (project / "evals" / "golden.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    moved.changed()
    moved.inbox.labels(quiet)
    change = moved.inbox.mend()
    assert change.warn
    assert change.message == "1 label is mended, but q002 mentions “refused”, which its evidence does not say"
    assert golden(project)[1]["evidence"][0]["doc"] == "shipping"


def test_safe_labels_are_mended_as_one(moved: Door, project: Path) -> None:
    moved.inbox.labels(quiet)
    assert moved.inbox.mend().message.startswith("1 label is mended")
    assert golden(project)[1]["evidence"][0]["doc"] == "shipping"
    assert moved.inbox.view().safe == ()
    assert moved.inbox.undo().message == "1 label is as before"
    assert golden(project)[1]["evidence"][0]["doc"] == "errors"
    assert moved.inbox.redo().message == "1 label is mended again"
    moved.inbox.labels(quiet)
    with pytest.raises(DoorError, match="no label to mend"):
        moved.inbox.mend()


def test_an_obsolete_question_leaves_the_list_and_comes_back(moved: Door, project: Path) -> None:
    (label,) = moved.inbox.labels(quiet).labels
    assert "q001 is obsolete" in moved.inbox.obsolete(label.id, "2026-11-30").message
    assert golden(project)[0]["obsolete"] == "2026-11-30"
    assert "q001" not in [one.qid for one in moved.overview().questions]
    assert moved.inbox.labels(quiet).labels == ()
    assert moved.inbox.undo().message == "q001 is asked again"
    assert "q001" in [one.qid for one in moved.overview().questions]
    (label,) = moved.inbox.labels(quiet).labels
    with pytest.raises(DoorError, match="say why"):
        moved.inbox.obsolete(label.id, " ")


def test_nobody_s_edit_is_overwritten_by_a_new_place(moved: Door, project: Path) -> None:
    (label,) = moved.inbox.labels(quiet).labels
    lines = golden(project)
    lines[0]["tags"] = ["mine"]
    path = project / "evals" / "golden.jsonl"
    path.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    with pytest.raises(DoorError, match="changed meanwhile"):
        moved.inbox.accept(label.id, 0)
    with pytest.raises(DoorError, match="changed meanwhile"):
        moved.inbox.accept(label.id, 0)
    moved.inbox.labels(quiet)
    moved.inbox.accept(label.id, 0)
    assert golden(project)[0]["tags"] == ["mine"]


def test_several_labels_are_accepted_one_after_the_other_without_a_new_look(project: Path) -> None:
    rewrite(project, "refunds.md", "within 30 days of delivery", "within 14 days after the delivery")
    rewrite(project, "errors.md", "the card was declined", "the card was refused by its bank")
    made = Door(project)
    made.open(quiet)
    made.measure(quiet)
    labels = made.inbox.labels(quiet).labels
    assert [one.qid for one in labels] == ["q001", "q002"]
    for label in labels:
        made.inbox.accept(label.id, 0)
    assert made.inbox.labels(quiet).labels == ()


# judgements


def test_a_passage_is_judged_on_disk_marked_and_counted(door: Door, project: Path) -> None:
    view = door.question("q001")
    assert view is not None
    assert view.unjudged is not None
    assert view.gap is not None
    other = next(chunk for chunk in view.chunks if chunk.holds == "none")
    judged = door.judgements.judge("q001", other.chunk_id, relevant=False)
    assert judged.message == f"{other.chunk_id} is not relevant to q001"
    assert judged.also is None
    line = json.loads((project / "evals" / "judgements.jsonl").read_text(encoding="utf-8").splitlines()[-1])
    assert (line["qid"], line["doc"], line["relevant"]) == ("q001", other.doc_id, False)
    after = door.question("q001")
    assert after is not None
    assert after.unjudged == view.unjudged - 1
    assert next(chunk for chunk in after.chunks if chunk.chunk_id == other.chunk_id).judged == "-"
    part = next(one for one in door.documents.document(other.doc_id, "q001").parts if one.chunk_id == other.chunk_id)
    assert part.judged == "-"
    assert door.judgements.judge("q001", other.chunk_id, relevant=False).qid == ""
    assert door.undo().message == f"{other.chunk_id} is judged as before"
    again = door.question("q001")
    assert again is not None
    assert again.unjudged == view.unjudged
    assert door.redo().qid == "q001"


def test_what_stands_above_lost_evidence_is_to_be_looked_at_first(project: Path) -> None:
    lines = golden(project)
    lines[1]["evidence"] = [{"doc": "shipping", "quote": "We ship to Norway, Iceland and Switzerland."}]  # nothing finds that
    (project / "evals" / "golden.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    door = Door(project)
    door.open(quiet)
    look = {row.qid: row.look for row in door.measure(quiet).questions if row.look}
    assert look["q002"] == 1  # it lost its evidence
    assert sorted(look.values()) == list(range(1, len(look) + 1))
    view = door.question("q002")
    assert view is not None
    above = [chunk for chunk in view.chunks if chunk.judged == "?"]
    assert [chunk.rank for chunk in above] == list(range(1, len(above) + 1))
    assert len(above) == view.above > 0
    for chunk in above:
        door.judgements.judge("q002", chunk.chunk_id, relevant=False)
    after = door.question("q002")
    assert after is not None
    assert after.above == 0
    assert {chunk.judged for chunk in after.chunks if chunk.rank in (1, 2)} == {"-"}
    assert next(row.look for row in door.overview().questions if row.qid == "q002") == 0
    door.undo()
    assert next(row.look for row in door.overview().questions if row.qid == "q002") == 1


def test_a_chunk_with_evidence_needs_no_judgement(door: Door, project: Path) -> None:
    view = door.question("q001")
    assert view is not None
    mine = next(chunk for chunk in view.chunks if chunk.holds == "whole")
    judged = door.judgements.judge("q001", mine.chunk_id, relevant=False)
    assert judged.qid == ""
    assert judged.message.endswith("holds evidence of q001: f fixes the label")
    assert not (project / "evals" / "judgements.jsonl").exists()


def test_a_relevant_passage_is_offered_as_another_place_and_added(door: Door, project: Path) -> None:
    view = door.question("q001")
    assert view is not None
    other = next(chunk for chunk in view.chunks if chunk.holds == "none")
    judged = door.judgements.judge("q001", other.chunk_id, relevant=True)
    assert judged.also is not None
    assert judged.also.item == 0
    assert judged.also.quote
    change = door.judgements.add_place("q001", judged.also)
    assert change.message.startswith("q001 has another place of its evidence: ")
    item = golden(project)[0]["evidence"][0]
    assert item["quote"] == "within 30 days of delivery"
    assert item["also"][0]["doc"] == judged.also.doc_id
    with pytest.raises(DoorError, match="in its label already"):
        door.judgements.add_place("q001", judged.also)
    assert door.undo().message == "q001 is as before"
    assert "also" not in golden(project)[0]["evidence"][0]


def test_a_question_without_an_answer_is_offered_no_place(door: Door) -> None:
    view = door.question("q004")
    assert view is not None
    assert door.judgements.judge("q004", view.chunks[0].chunk_id, relevant=True).also is None


def test_what_is_not_there_is_not_judged(door: Door) -> None:
    with pytest.raises(DoorError, match="q099 is no longer in the golden set"):
        door.judgements.judge("q099", "refunds#1", relevant=True)
    with pytest.raises(DoorError, match="is not among today's chunks"):
        door.judgements.judge("q001", "refunds#99", relevant=True)

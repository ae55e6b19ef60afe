"""The door's parts for Document, Find and Add, against the engine."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from ragtriage_tui.add_state import AddState
from ragtriage_tui.add_views import Clash, Draft, Marked, SavedView
from ragtriage_tui.bridge.door import Door
from ragtriage_tui.document_views import Passage
from ragtriage_tui.text import Extent
from ragtriage_tui.workers import DoorError


def quiet(stage: str, done: int, total: int) -> None:
    """Nobody looks."""


@pytest.fixture
def door(project: Path) -> Door:
    made = Door(project)
    made.open(quiet)
    made.measure(quiet)
    return made


def golden(project: Path) -> list[dict[str, Any]]:
    lines = (project / "evals" / "golden.jsonl").read_text(encoding="utf-8").splitlines()
    return [json.loads(line) for line in lines]


def save(door: Door, draft: Draft) -> SavedView:
    saved = door.adder.save(draft)
    assert isinstance(saved, SavedView)
    return saved


def opened(door: Door, qid: str) -> Draft:
    draft = door.adder.start(qid).question
    assert draft is not None
    return draft


def rewrite(project: Path, at: int, **values: Any) -> list[dict[str, Any]]:
    """Somebody else changes a question; all lines as they are then."""
    lines = golden(project)
    lines[at] |= values
    path = project / "evals" / "golden.jsonl"
    path.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    return lines


def draft_of(door: Door, text: str, **values: Any) -> Draft:
    return Draft(text=text, first=text, **values)


# Document


def test_a_document_is_read_for_its_question(door: Door) -> None:
    view = door.documents.document("refunds", "q001")
    assert view.title == "Refunds"
    assert view.text.startswith("# Refunds")
    assert view.asked is not None
    assert view.asked.qid == "q001"
    assert [view.text[slice(*span)] for span in view.evidence] == ["within 30 days of delivery"]
    (item,) = view.asked.items
    assert item.quote == "within 30 days of delivery"
    assert view.parts
    assert view.parts[0].needed_by == ("q001",)
    assert view.ranked
    assert view.setup[-1] == "bm25 k=2"
    assert view.path.endswith("docs/refunds.md")
    assert view.path_line == 1


def test_every_sentence_grows_to_itself(door: Door) -> None:
    view = door.documents.document("refunds")
    assert view.asked is None
    assert len(view.sentences) == 4
    assert not any(view.text[one.start] == "#" for one in view.sentences)
    for one in view.sentences:
        assert view.grow(one) == one


def test_front_matter_moves_the_line_of_the_file(door: Door) -> None:
    view = door.documents.document("staff/goodwill", "q003")
    assert view.seen_by == "staff"
    assert view.path_line == 4
    assert view.asked is not None
    assert view.asked.items[0].broken == "allowed"


def test_evidence_that_lies_over_two_passages_is_not_called_whole(project: Path) -> None:
    quote = "goods may be sent back to our warehouse near the harbour within thirty days of delivery whatever the season"
    (project / "docs" / "harbour.md").write_text(f"Our {quote} is.\n", encoding="utf-8")
    rewrite(project, 0, question="goods sent back to warehouse harbour, days of delivery season",
            evidence=[{"doc": "harbour", "quote": quote}])  # fmt: skip
    door = Door(project, overrides=("chunking.strategy=fixed", "chunking.size=12"))
    door.open(quiet)
    door.measure(quiet)
    view = door.documents.document("harbour", "q001")
    assert view.asked is not None
    (item,) = view.asked.items
    assert (item.holds, item.where[:21], item.where[-9:]) == ("part", "in parts, the last in", "at rank 2")
    assert [part.holds for part in view.parts if part.rank] == ["part", "part"]
    door.close()


def test_no_such_document(door: Door) -> None:
    with pytest.raises(DoorError, match=r"no document 'refund' .*refunds"):
        door.documents.document("refund")


def test_a_quote_becomes_evidence_and_undo_takes_it_away(door: Door, project: Path) -> None:
    before = (project / "evals" / "golden.jsonl").read_bytes()
    view = door.documents.document("refunds", "q001")
    at = view.text.index("The parcel must")
    change = door.documents.add_evidence("q001", Passage("refunds", Extent(at, at + 5)))
    assert change.message.startswith("q001 has 2 items of evidence now: ")
    saved = golden(project)[0]
    assert saved["evidence"][0] == {"doc": "refunds", "quote": "within 30 days of delivery"}
    assert saved["evidence"][1]["quote"] == "The parcel must be closed, and the receipt must lie in it."
    asked = door.documents.document("refunds", "q001").asked
    assert asked is not None
    assert len(asked.items) == 2
    assert not door.changed().text
    with pytest.raises(DoorError, match="already"):
        door.documents.add_evidence("q001", Passage("refunds", Extent(at, at + 5)))
    assert door.undo().message == "q001 is as before"
    assert (project / "evals" / "golden.jsonl").read_bytes() == before
    assert door.redo().message == "q001 is changed again"
    assert len(golden(project)[0]["evidence"]) == 2


def test_a_label_after_an_edit_is_undone_first_and_then_the_edit(door: Door, project: Path) -> None:
    door.documents.add_evidence("q001", Passage("refunds", Extent(0, 40)))
    door.label("q001", 2)
    assert "label" in door.undo().message
    assert len(golden(project)[0]["evidence"]) == 2
    assert door.undo().message == "q001 is as before"
    assert len(golden(project)[0]["evidence"]) == 1
    assert door.redo().message == "q001 is changed again"


def test_what_somebody_else_changed_is_not_undone(door: Door, project: Path) -> None:
    door.documents.add_evidence("q001", Passage("refunds", Extent(0, 40)))
    path = project / "evals" / "golden.jsonl"
    lines = golden(project)
    lines[0]["kind"] = "exact"
    path.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    with pytest.raises(DoorError, match="changed meanwhile"):
        door.undo()
    assert golden(project) == lines


def test_a_change_that_was_overtaken_is_forgotten_and_undo_goes_on(door: Door, project: Path) -> None:
    door.documents.add_evidence("q001", Passage("refunds", Extent(0, 40)))
    door.documents.add_evidence("q002", Passage("errors", Extent(80, 90)))
    lines = rewrite(project, 1, kind="paraphrase")
    with pytest.raises(DoorError, match=r"q002 was changed meanwhile.*not undone; u goes on"):
        door.undo()
    assert golden(project) == lines
    assert door.undo().message == "q001 is as before"
    assert len(golden(project)[0]["evidence"]) == 1
    lines = rewrite(project, 0, kind="exact")
    with pytest.raises(DoorError, match=r"q001 was changed meanwhile.*not made again"):
        door.redo()
    assert golden(project) == lines
    assert door.redo().qid == ""


def test_what_undo_brings_back_is_measured_again(door: Door) -> None:
    def state() -> str:
        return next(one.state for one in door.overview().questions if one.qid == "q001")

    before = state()
    draft = opened(door, "q001")
    door.adder.save(Draft(**{**fields(draft), "text": "customs abroad", "kind": "exact"}))
    door.adder.measure("q001")
    assert state() != before
    door.undo()
    assert state() == before


def test_several_passages_are_one_change(door: Door, project: Path) -> None:
    text = door.documents.document("refunds").text
    two = [Passage("refunds", Extent(text.index(words), text.index(words) + 3)) for words in ("We pay", "In every", "We pay")]
    assert door.documents.add_evidence("q002", *two[:2]).message.startswith("q002 has 3 items of evidence now: ")
    with pytest.raises(DoorError, match="already"):
        door.documents.add_evidence("q002", two[2])
    assert door.undo().message == "q002 is as before"
    assert len(golden(project)[1]["evidence"]) == 1


def test_evidence_goes_to_the_question_as_it_is_now(door: Door, project: Path) -> None:
    rewrite(project, 0, kind="exact")
    door.documents.add_evidence("q001", Passage("refunds", Extent(0, 40)))
    line = golden(project)[0]
    assert line["kind"] == "exact"
    assert len(line["evidence"]) == 2


def test_a_heading_is_never_quoted(door: Door, project: Path) -> None:
    (project / "docs" / "notices.md").write_text(
        "# All\n\n## Notices\n\n### Parts\n\nBring them in. Then wait.\n\n## Nothing\n\n## End\n\nTitle\n=====\n\nWe close.\n",
        encoding="utf-8",
    )
    door.measure(quiet)
    text = door.documents.document("notices").text

    def sentence(words: str, length: int = 1) -> str:
        at = text.index(words)
        return door.finder.sentence("notices", Extent(at, at + length)).text

    assert sentence("# All") == sentence("## Notices") == sentence("### Parts") == "Bring them in."
    assert sentence("## Notices", 40) == "Bring them in. Then wait."
    assert sentence("Title") == sentence("====") == "We close."
    with pytest.raises(DoorError, match="a heading alone is no evidence"):
        sentence("## Nothing")
    at = text.index("## Nothing")
    with pytest.raises(DoorError, match="a heading alone is no evidence"):
        door.documents.add_evidence("q001", Passage("notices", Extent(at, at + 5)))
    door.documents.add_evidence("q001", Passage("notices", Extent(2, 4)))
    assert golden(project)[0]["evidence"][-1]["quote"] == "Bring them in."
    view = door.documents.document("notices")
    assert [view.text[slice(*one)] for one in view.sentences] == ["Bring them in.", "Then wait.", "We close."]


def test_a_document_opens_without_its_chunks(door: Door, monkeypatch: pytest.MonkeyPatch) -> None:
    from ragtriage.errors import SystemFailed
    from ragtriage.project import Project

    def broken(project: Project) -> None:
        raise SystemFailed("the model's folder is missing")

    with door.held() as project:
        project.__dict__.pop("chunks", None)
    monkeypatch.setattr(Project, "chunks", property(broken))
    view = door.documents.document("refunds", "q001")
    assert view.parts == ()
    assert view.uncut == "the model's folder is missing"
    assert view.sentences
    assert view.asked is not None
    assert view.asked.state == "unmeasured"
    assert [item.quote for item in view.asked.items] == ["within 30 days of delivery"]
    assert door.adder.start("q001").question is not None


def test_a_question_without_an_answer_takes_no_evidence(door: Door) -> None:
    with pytest.raises(DoorError, match="no answer"):
        door.documents.add_evidence("q004", Passage("refunds", Extent(0, 40)))


# Find


def test_the_library_lists_what_access_hides(door: Door) -> None:
    library = door.finder.library(quiet)
    assert [one.doc_id for one in library.documents] == ["errors", "refunds", "shipping", "staff/goodwill"]
    assert [one.text for one in library.documents[1].headings] == ["Time limit", "Who pays"]


def test_matches_tell_heading_line_and_context(door: Door) -> None:
    found = door.finder.find("30 DAYS", regex=False)
    (match,) = found.matches
    assert found.pattern == "30 DAYS"
    assert (match.doc_id, match.line, match.heading) == ("refunds", 5, "Time limit")
    assert match.context[slice(*match.inside)] == "30 days"
    assert door.finder.sentence("refunds", match.span).text == "You may send goods back within 30 days of delivery."
    assert [one.doc_id for one in door.finder.find(r"voucher of \d+", regex=True).matches] == ["staff/goodwill"]


@pytest.mark.parametrize("pattern", ["(", "*a", "(?P<"])
def test_a_bad_expression_is_an_answer_not_an_error(door: Door, pattern: str) -> None:
    found = door.finder.find(pattern, regex=True)
    assert found.matches == ()
    assert "regular expression" in found.problem
    assert found.pattern == f"/{pattern}/"


# Add


def test_candidates_carry_their_best_sentence_and_neighbours(door: Door) -> None:
    found = door.adder.search("what does ERR_4021 mean", quiet, wait=False)
    assert found.complete
    assert found.stages == ("bm25",)
    first = found.candidates[0]
    assert first.chunk.doc_id == "errors"
    assert first.best.quote == "ERR_4021 means that the card was declined."
    view = door.documents.document("errors")
    assert first.best.span is not None
    assert view.text[slice(*first.best.span)] == first.best.quote
    assert view.text[slice(*first.span)] == first.chunk.text


def test_the_record_follows_from_the_draft(door: Door) -> None:
    quote = "You may send goods back within 30 days of delivery."
    draft = draft_of(door, "how long do i have to send stuff back", marks=(Marked("refunds", None, quote),))
    record = door.adder.record(draft)
    assert record.qid.startswith("q-")
    assert "30 days" in record.mentions
    assert (record.shared, record.words) == (2, 4)  # send and back of long, send, stuff, back
    other = door.adder.record(draft_of(door, "are goods sending days", marks=(Marked("refunds", None, quote),)))
    assert (other.shared, other.words) == (3, 3)  # goods, send, day: by their stems
    assert door.adder.record(draft_of(door, "how long", marks=(Marked("refunds", None, ""),))).words == 0
    assert record.twins[0].qid == "q001"
    assert door.adder.record(Draft(text="how long")).twins == ()  # not fixed: nothing of the set is shown


def test_a_saved_question_is_on_disk_measured_and_undone(door: Door, project: Path) -> None:
    before = (project / "evals" / "golden.jsonl").read_bytes()
    found = door.adder.search("card declined what now", quiet, wait=True)
    draft = draft_of(door, "card declined\nwhat now", marks=(found.candidates[0].best,), mentions=("another card",))
    saved = save(door, draft)
    line = golden(project)[-1]
    assert saved.line == 6
    assert line["qid"] == saved.qid
    assert line["question"] == "card declined\nwhat now"
    assert line["kind"] == "paraphrase"
    assert line["evidence"][0]["quote"] == found.candidates[0].best.quote
    assert line["answer_must_mention"] == ["another card"]
    assert "source" not in line
    measured = door.adder.measure(saved.qid)
    assert measured.state in ("passes", "fails")
    assert measured.proof.startswith(measured.state)
    row = next(one for one in door.overview().questions if one.qid == saved.qid)
    assert row.state == measured.state
    door.adder.guard(saved.qid)
    assert golden(project)[-1]["expect"] == "guard"
    assert door.adder.unsave(saved) == (f"{saved.qid} is as before", False)  # the guard
    assert door.adder.unsave(saved) == (f"{saved.qid} is no longer in the golden set", True)
    with pytest.raises(DoorError, match="nothing that was done"):
        door.adder.unsave(saved)
    assert door.redo().message == f"{saved.qid} is in the golden set again"
    assert door.undo().message == f"{saved.qid} is no longer in the golden set"
    assert (project / "evals" / "golden.jsonl").read_bytes() == before


def test_the_first_words_are_kept_in_the_source(door: Door, project: Path) -> None:
    door.adder.save(Draft(text="do you ship to mars", first="hi, mars?", answerable=False, split="holdout"))
    line = golden(project)[-1]
    assert line["source"] == {"text": "hi, mars?"}
    assert line["answerable"] is False
    assert line["kind"] == "unanswerable"
    assert line["split"] == "holdout"
    assert "evidence" not in line


def test_the_same_question_twice_is_refused(door: Door) -> None:
    draft = Draft(text="do you ship to mars", first="do you ship to mars", answerable=False)
    door.adder.save(draft)
    with pytest.raises(DoorError, match="already there"):
        door.adder.save(draft)


def test_fixing_changes_what_was_edited_and_nothing_else(door: Door, project: Path) -> None:
    path = project / "evals" / "golden.jsonl"
    lines = golden(project)
    lines[0]["team"] = {"b": 1, "a": [2]}
    path.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    door.changed()
    start = door.adder.start("q001")
    assert start.question is not None
    assert start.question.fixed
    assert [mark.kept for mark in start.question.marks] == [0]
    new = Marked("refunds", Extent(20, 30), "")
    door.adder.save(Draft(**{**fields(start.question), "marks": (*start.question.marks, new), "split": "holdout"}))
    after = golden(project)
    assert after[1:] == lines[1:]
    evidence = after[0].pop("evidence")
    old = lines[0].pop("evidence")
    assert evidence[:1] == old
    assert len(evidence) == 2
    assert after[0].pop("split") == "holdout"
    assert after[0] == lines[0]


def fields(draft: Draft) -> dict[str, Any]:
    return {name: getattr(draft, name) for name in draft.__slots__}


def test_a_lost_quote_that_gave_way_lets_the_question_pass(door: Door, project: Path) -> None:
    rewrite(project, 1, evidence=[{"doc": "errors", "quote": "these words never stood anywhere at all"}])
    door.changed()
    draft = opened(door, "q002")
    assert [(mark.gone, mark.span) for mark in draft.marks] == [(True, None)]
    state = AddState()
    state.begin(draft)
    found = door.adder.search(draft.text, quiet, wait=True)
    assert state.mark(found.candidates[0].best) == ""
    assert state.replaced(draft)
    save(door, state.draft)
    assert len(golden(project)[1]["evidence"]) == 1
    assert door.adder.measure("q002").state == "passes"
    assert not opened(door, "q002").marks[0].gone


def test_a_mention_that_the_evidence_does_not_say_is_told_before_and_after_it_is_saved(door: Door, project: Path) -> None:
    text = door.documents.document("refunds").text
    at = text.index("We pay the way back")
    marks = (Marked("refunds", Extent(at, at + 19), "We pay the way back"),)
    draft = draft_of(door, "who pays the way back", marks=marks, mentions=("the way back", "48 hours"))
    assert door.adder.record(draft).unsaid == ("48 hours",)
    saved = save(door, draft)
    assert saved.unsaid == f"{saved.qid} mentions “48 hours”, which its evidence does not say"
    assert golden(project)[-1]["answer_must_mention"] == ["the way back", "48 hours"]
    fixed = Draft(**{**fields(opened(door, saved.qid)), "mentions": ("the way back",)})
    assert door.adder.record(fixed).unsaid == ()
    assert save(door, fixed).unsaid == ""
    lacking = Draft(**{**fields(fixed), "mentions": ("49 hours",)})
    assert door.adder.record(lacking).unsaid == ("49 hours",)


def test_rewording_a_saved_question_keeps_its_first_words(door: Door, project: Path) -> None:
    start = door.adder.start("q002")
    assert start.question is not None
    door.adder.save(Draft(**{**fields(start.question), "text": "what is ERR_4021"}))
    line = golden(project)[1]
    assert line["question"] == "what is ERR_4021"
    assert line["source"]["text"] == "ERR_4021"
    assert line["evidence"] == [{"doc": "errors", "quote": "ERR_4021 means that the card was declined."}]


def test_what_two_people_changed_of_a_question_is_both_kept(door: Door, project: Path) -> None:
    mine = opened(door, "q001")
    there = {"doc": "shipping", "quote": "Parcels leave the warehouse on the next working day."}
    lines = rewrite(
        project, 0, question="may i return goods", evidence=[*golden(project)[0]["evidence"], there],
        answer_must_mention=["30 days", "delivery"], team=3,
    )  # fmt: skip
    assert "golden set" in door.changed().text  # the watch had read it in
    new = Marked("refunds", Extent(151, 160), "")
    change = {"split": "holdout", "marks": (*mine.marks, new), "mentions": (*mine.mentions, "closed")}
    saved = save(door, Draft(**{**fields(mine), **change}))
    assert saved.merged
    line = golden(project)[0]
    assert line["question"] == "may i return goods"
    assert line["team"] == 3
    assert line["split"] == "holdout"
    assert line["answer_must_mention"] == ["30 days", "delivery", "closed"]
    assert line["evidence"][:2] == lines[0]["evidence"]
    assert line["evidence"][2]["quote"].startswith("We pay")
    assert door.adder.unsave(saved).whole
    assert golden(project) == lines


def test_what_both_changed_is_refused_until_it_is_said_twice(door: Door, project: Path) -> None:
    mine = Draft(**{**fields(opened(door, "q001")), "text": "can i return it"})
    lines = rewrite(project, 0, question="may i return goods", kind="exact")
    door.changed()
    found = door.adder.save(mine)
    assert isinstance(found, Clash)
    assert found.text == "it asks “may i return goods” now"
    assert golden(project) == lines
    again = rewrite(project, 0, question="may i, once more")
    second = door.adder.save(found.draft)
    assert isinstance(second, Clash)
    assert golden(project) == again
    assert not save(door, second.draft).merged
    line = golden(project)[0]
    assert line["question"] == "can i return it"
    assert line["kind"] == "exact"


def test_no_answer_and_new_evidence_are_a_clash(door: Door, project: Path) -> None:
    mine = opened(door, "q001")
    refused = Draft(**{**fields(mine), "marks": (), "answerable": False, "kind": ""})
    there = {"doc": "shipping", "quote": "Parcels leave the warehouse on the next working day."}
    rewrite(project, 0, evidence=[*golden(project)[0]["evidence"], there])
    found = door.adder.save(refused)
    assert isinstance(found, Clash)
    assert found.text == "it has evidence now"
    save(door, found.draft)
    assert golden(project)[0]["answerable"] is False
    assert golden(project)[0]["evidence"] == []


def test_a_question_that_is_gone(door: Door) -> None:
    assert door.adder.start("q-gone").gone
    with pytest.raises(DoorError, match="no longer"):
        door.adder.save(Draft(text="x", first="x", qid="q-gone"))
    with pytest.raises(DoorError, match="no longer"):
        door.adder.measure("q-gone")


def test_a_file_that_is_read_only_is_said_and_left_alone(door: Door, project: Path) -> None:
    path = project / "evals" / "golden.jsonl"
    before = path.read_bytes()
    path.chmod(0o444)
    assert door.adder.start("").read_only == "golden.jsonl is read-only"
    with pytest.raises(DoorError, match="read-only"):
        door.adder.save(Draft(text="do you ship to mars", first="x", answerable=False))
    assert path.read_bytes() == before


def test_read_only_writes_nothing(project: Path) -> None:
    made = Door(project, read_only=True)
    made.open(quiet)
    assert "--read-only" in made.adder.start("").read_only
    assert "--read-only" in made.documents.document("refunds").read_only
    before = (project / "evals" / "golden.jsonl").read_bytes()
    with pytest.raises(DoorError, match="--read-only"):
        made.adder.save(Draft(text="do you ship to mars", first="x", answerable=False))
    with pytest.raises(DoorError, match="--read-only"):
        made.documents.add_evidence("q001", Passage("refunds", Extent(0, 40)))
    assert (project / "evals" / "golden.jsonl").read_bytes() == before


def test_hostile_documents_and_ids_reach_nobody(project: Path) -> None:
    words = "# \x1b]52;c;aGk=\x07\n\nA return\x9b2J is [/x] \u202efine.\n"
    (project / "docs" / "bad\x1b.md").write_text(words, encoding="utf-8")
    made = Door(project)
    made.open(quiet)
    made.measure(quiet)
    listed = [one.doc_id for one in made.finder.library(quiet).documents if one.doc_id.startswith("bad")]
    view = made.documents.document(listed[0], "q001")
    assert "\x1b" not in view.text + view.title + view.doc_id + view.source
    assert len(view.text) == len(words)
    (match,) = made.finder.find("is [/x]", regex=False).matches
    assert match.doc_id == listed[0]
    at = view.text.index("is [/x]")
    assert "\x9b" not in made.finder.sentence(listed[0], Extent(at, at + 2)).text
    saved = save(made, Draft(text="what [/x]", first="what [/x]", marks=(Marked(listed[0], Extent(at, at + 2), "x"),)))
    assert golden(project)[-1]["evidence"][0]["doc"] == "bad\x1b"
    assert made.adder.measure(saved.qid).state in ("passes", "fails")

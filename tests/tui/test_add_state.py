"""Add as states: the words, the evidence, what is undone, what is kept."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from tests.tui.demo_screens import results

from ragtriage_tui.add_state import KINDS, AddState
from ragtriage_tui.add_views import AddStart, Clash, Draft, Marked, Measured, Record, Results, SavedView, Twin
from ragtriage_tui.bridge.drafts import draft_file, drop_draft, keep_draft, kept_drafts, load_draft
from ragtriage_tui.screens.draft_keeper import draft_waits
from ragtriage_tui.text import Extent

WORDS = "until when can i give it back"


def typed(words: str = WORDS) -> AddState:
    state = AddState(start=AddStart("fernway-help", "evals/golden.jsonl"))
    state.editor.insert(words)
    state.typed()
    return state


def fixed() -> AddState:
    state = typed()
    assert state.fix() == ""
    assert state.take_results(results(WORDS))
    return state


def test_the_wording_is_fixed_before_any_result() -> None:
    state = typed()
    assert not state.take_results(results(WORDS))
    assert state.results is None
    assert state.fix() == ""
    assert state.phase == "results"
    assert state.draft.first == WORDS
    assert state.take_results(results(WORDS))


@pytest.mark.parametrize("words", ["", "   ", "\n\n"])
def test_nothing_is_no_question(words: str) -> None:
    state = typed(words)
    assert state.fix() == "Type or paste the question first"
    assert state.phase == "typing"


def test_a_paste_keeps_its_lines_and_is_trimmed_outside() -> None:
    state = typed("\n hi,\r\nbought a T210\n\n")
    assert state.fix() == ""
    assert state.draft.text == "hi,\nbought a T210"


def test_rewording_keeps_the_first_words_and_drops_results_of_the_old_ones() -> None:
    state = fixed()
    state.reword()
    assert state.phase == "typing"
    state.editor.insert(" please")
    state.typed()
    assert state.results is not None  # they were seen: they may stay while the words change
    assert state.fix() == ""
    assert state.results is None
    assert state.draft.text == f"{WORDS} please"
    assert state.draft.first == WORDS
    assert not state.take_results(results(WORDS))


def test_escape_from_rewording_brings_the_words_back() -> None:
    state = fixed()
    state.reword()
    state.editor.insert(" please")
    state.typed()
    assert state.leave_words()
    assert state.draft.text == WORDS
    assert state.results is not None
    assert not typed().leave_words()


def test_the_cursor_stays_on_its_chunk_when_the_vectors_come() -> None:
    state = typed()
    state.fix()
    state.take_results(results(WORDS, complete=False))
    assert state.chunk_id == state.candidates[0].chunk.chunk_id
    state.move(2)
    kept = state.chunk_id
    state.take_results(results(WORDS))
    assert state.chunk_id == kept
    other = typed()
    other.fix()
    other.take_results(results(WORDS, complete=False))
    other.take_results(results(WORDS))
    assert other.at == 0  # nobody had moved: the best stands under the cursor


def test_space_marks_the_best_sentence_and_takes_it_away_again() -> None:
    state = fixed()
    state.move(1)
    assert state.toggle() == ""
    assert state.draft.marks == (state.candidates[1].best,)
    assert "within 30 days" in state.draft.marks[0].quote
    assert state.shown(state.candidates[1]).holds == "whole"
    assert state.shown(state.candidates[0]).holds == "none"
    assert state.toggle() == ""
    assert state.draft.marks == ()


def test_evidence_over_a_border_is_part_of_both_chunks() -> None:
    state = fixed()
    one = state.candidates[0]
    state.mark(Marked(one.chunk.doc_id, Extent(one.span.end - 5, one.span.end + 20), "words"))
    shown = state.shown(one)
    assert shown.holds == "part"
    assert shown.evidence == (Extent(len(one.chunk.text) - 5, len(one.chunk.text)),)


def test_what_cannot_be_marked_is_said() -> None:
    state = fixed()
    assert "no sentence" in state.mark(Marked("faq", Extent(3, 3), " "))
    assert state.mark(Marked("faq", Extent(0, 4), "words")) == ""
    assert state.mark(Marked("faq", Extent(0, 4), "words")) == "That is marked already"
    empty = typed()
    empty.fix()
    assert empty.toggle() == "Nothing to mark here"


def test_items_are_taken_off_in_the_record() -> None:
    state = fixed()
    for number in range(3):
        state.mark(Marked("faq", Extent(number * 10, number * 10 + 5), f"words {number}"))
    state.next_pane()
    assert state.active == "record"
    state.move(1)
    assert state.toggle() == ""
    assert [mark.quote for mark in state.draft.marks] == ["words 0", "words 2"]
    state.toggle()
    state.toggle()
    assert state.toggle() == "No evidence is marked"


def test_no_answer_and_evidence_exclude_each_other() -> None:
    state = fixed()
    assert state.toggle_answer() == ""
    assert not state.draft.answerable
    assert state.why_not_save() == ""
    assert "no other kind" in state.next_kind()
    state.toggle()
    assert state.draft.answerable  # what is marked is an answer
    assert state.toggle_answer().startswith("Evidence is marked")


def test_kind_and_split_go_round() -> None:
    state = fixed()
    seen = []
    for _ in KINDS:
        state.next_kind()
        seen.append(state.draft.kind)
    assert seen == [*KINDS[1:], KINDS[0]]
    state.next_split()
    assert state.draft.split == "holdout"
    state.next_split()
    assert state.draft.split == "dev"


def test_mentions_are_suggested_never_taken() -> None:
    state = fixed()
    state.toggle()
    state.record = Record("q-1", ("30 days", "14 days"))
    assert state.draft.mentions == ()
    assert state.suggested() == ("30 days", "14 days")
    state.take_mentions(("30 days", " ", "30 days"))
    assert state.draft.mentions == ("30 days",)
    assert state.suggested() == ("14 days",)


def test_every_change_can_be_undone_and_done_again() -> None:
    state = fixed()
    drafts = [state.draft]
    for act in (state.toggle, state.next_kind, state.next_split, lambda: state.take_mentions(("x",)), lambda: state.move(1)):
        act()
        if state.draft != drafts[-1]:
            drafts.append(state.draft)
    assert len(drafts) == 5
    for expected in reversed(drafts[:-1]):
        assert state.undo()
        assert state.draft == expected
    assert not state.undo()
    for expected in drafts[1:]:
        assert state.redo()
        assert state.draft == expected
    assert not state.redo()


def test_undo_leaves_the_words_alone() -> None:
    state = fixed()
    state.toggle()
    state.reword()
    state.editor.insert("?")
    state.typed()
    state.fix()
    state.undo()
    assert state.draft.marks == ()
    assert state.draft.text == f"{WORDS}?"


def test_what_is_missing_before_saving() -> None:
    state = fixed()
    assert state.why_not_save().startswith("No evidence yet")
    state.toggle()
    assert state.why_not_save() == ""
    state.start = AddStart("x", "golden.jsonl", read_only="it is read-only")
    assert state.why_not_save() == "it is read-only"


def test_a_saved_question_that_is_not_changed_is_not_saved() -> None:
    saved = Draft("who pays", "who pays", (Marked("faq", None, "you do", 0),), qid="q001")
    state = AddState(start=AddStart("x", "golden.jsonl", question=saved))
    state.begin(saved)
    assert state.phase == "results"
    assert state.unchanged
    assert state.why_not_save() == "Nothing was changed"
    state.next_split()
    assert state.why_not_save() == ""


def test_after_saving_and_back() -> None:
    state = fixed()
    state.toggle()
    state.take_saved(SavedView("q-7f3a91", 61))
    assert state.phase == "saved"
    assert not state.passes
    state.measured = Measured("q-7f3a91", "passes")
    assert state.passes
    state.take_unsaved()
    assert state.phase == "results"
    assert state.draft.marks


def test_a_fixed_question_that_passes_is_no_guard_and_is_not_dropped() -> None:
    saved = Draft("who pays", "who pays", (Marked("faq", None, "you do", 0),), qid="q001")
    state = AddState()
    state.begin(saved)
    state.take_saved(SavedView("q001", 3))
    state.measured = Measured("q001", "passes")
    assert not state.passes


def test_after_a_clash_saving_again_saves_over_it_unless_the_draft_changed() -> None:
    state = fixed()
    state.toggle()
    over = replace(state.draft, base="theirs")
    state.take_clash(Clash("q001", "it asks “x” now", over))
    assert state.to_save is over
    state.next_split()
    assert state.to_save is state.draft


def test_similar_questions_have_a_cursor_of_their_own() -> None:
    state = fixed()
    state.record = Record("q-1", twins=(Twin("q001", "one", 0.9), Twin("q002", "two", 0.5)))
    before = state.chunk_id
    state.twins = True
    state.move(5)
    assert state.twin == 1
    assert state.chunk_id == before


def test_results_without_candidates() -> None:
    state = typed()
    state.fix()
    assert state.take_results(Results(WORDS, ("bm25",), ()))
    state.move(1)
    assert state.candidate is None
    assert state.at == 0


DRAFT = Draft(
    text="until when\ncan i give it back", first="until when", kind="exact", split="holdout", answerable=False, qid="q 1/.."
    , ref="ticket 8812", base='{"qid": "\x7f"}', mentions=("30 days",),
    marks=(Marked("policy-refunds", Extent(3, 9), "within", -1), Marked("faq", None, "", 0)),
)  # fmt: skip


def test_a_draft_comes_back_as_it_was(tmp_path: Path) -> None:
    keep_draft(tmp_path, DRAFT)
    assert load_draft(tmp_path, DRAFT.qid) == DRAFT
    assert load_draft(tmp_path) is None
    new = replace(DRAFT, qid="")
    keep_draft(tmp_path, new)
    assert load_draft(tmp_path) == new
    assert load_draft(tmp_path / "other") is None
    drop_draft(tmp_path)
    drop_draft(tmp_path)
    assert load_draft(tmp_path) is None
    assert load_draft(tmp_path, DRAFT.qid) == DRAFT


def test_kept_drafts_are_found_at_the_start(tmp_path: Path) -> None:
    assert kept_drafts(tmp_path) == ()
    assert draft_waits(tmp_path) == ""
    keep_draft(tmp_path, DRAFT)
    keep_draft(tmp_path / "other", replace(DRAFT, qid=""))
    assert kept_drafts(tmp_path) == (DRAFT.qid,)
    assert draft_waits(tmp_path) == "a draft of changes to q 1/.. is kept: f on it goes on"
    keep_draft(tmp_path, replace(DRAFT, qid=""))
    assert kept_drafts(tmp_path) == ("", DRAFT.qid)
    assert draft_waits(tmp_path) == "a draft of a question is kept: a goes on with it"
    for broken in (b"[]", b"{", b'{"qid": 3}', b'{"qid": "q002"}'):
        draft_file(tmp_path, DRAFT.qid).write_bytes(broken)
        assert kept_drafts(tmp_path) == ("",)


@pytest.mark.parametrize(
    "data",
    [
        b"", b"{", b"[]", b"null", b'{"text": 3}', b'{"text": "  "}', b"\xff\xfe", b'{"marks": 1, "text": ""}', b"[" * 100_000,
    ],
)  # fmt: skip
def test_a_broken_draft_is_no_draft(tmp_path: Path, data: bytes) -> None:
    path = draft_file(tmp_path)
    path.parent.mkdir(parents=True)
    path.write_bytes(data)
    assert load_draft(tmp_path) is None


def test_what_is_wrong_inside_a_draft_is_left_out(tmp_path: Path) -> None:
    path = draft_file(tmp_path)
    path.parent.mkdir(parents=True)
    path.write_bytes(
        b'{"text": "why\\u001b[2J", "mentions": "x", "kept": 1, "split": "moon", "marks": [1, {"doc": 3}, {"doc": "faq",'
        b' "span": [1, -2], "quote": 7, "kept": "x"}, {"doc": "faq", "span": [1, 2], "quote": "a", "kept": 3}]}'
    )
    found = load_draft(tmp_path)
    assert found is not None
    assert "\x1b" not in found.text
    assert found.split == "dev"
    assert found.marks == (Marked("faq", None, "", -1), Marked("faq", Extent(1, 2), "a", 3))


def test_a_lost_quote_gives_way_to_the_first_new_one_and_undo_keeps_both() -> None:
    lost = Marked("faq", None, "what stood there once", 0, gone=True)
    state = AddState(draft=Draft(text="who pays", first="who pays", marks=(lost,)), phase="results")
    before, new = state.draft, Marked("faq", Extent(3, 9), "you do")
    assert state.mark(new) == ""
    assert state.draft.marks == (new,)
    assert state.replaced(before)
    assert state.undo()
    assert state.draft.marks == (lost, new)
    assert not state.replaced(before)
    assert state.undo()
    assert state.draft == before

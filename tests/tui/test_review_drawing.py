"""Review as lines: every pane at every size, folding, hostile text."""

from __future__ import annotations

from dataclasses import replace

import pytest
from tests.tui.demo import HOSTILE
from tests.tui.demo_review import flip, review, rows, texts

from ragtriage_tui.app import SCREENS
from ragtriage_tui.drawing.footers import prompt_line
from ragtriage_tui.drawing.review import chunk_height, draw_review, review_header
from ragtriage_tui.drawing.review_chunks import laid_out, shown_ids
from ragtriage_tui.editor import Editor
from ragtriage_tui.keymap import Keymap
from ragtriage_tui.review_state import ReviewState
from ragtriage_tui.review_views import Difference, FlipRow, ReviewView, RungView, SideName, SideView
from ragtriage_tui.rows import length
from ragtriage_tui.telling import Busy
from ragtriage_tui.text import scrub, to_ascii

SIZES = [
    (40, 10),
    (40, 12),
    (59, 14),
    (60, 15),
    (66, 20),
    (79, 24),
    (80, 24),
    (99, 30),
    (100, 30),
    (116, 36),
    (120, 36),
    (200, 50),
]


def state(view: ReviewView | None = None, qid: str = "") -> ReviewState:
    made = ReviewState()
    made.take(view or review())
    if qid:
        made.listing.go_to(qid)
    current = made.current
    made.take_detail(flip(current) if current else None)
    made.texts = texts()
    return made


def drawn(made: ReviewState, width: int, height: int) -> list[str]:
    drawing = draw_review(made, width, height - 1)
    return ["".join(seg.text for seg in line) for line in drawing.lines]


def text(made: ReviewState, width: int = 120, height: int = 36) -> str:
    return "\n".join(drawn(made, width, height))


@pytest.mark.parametrize(("width", "height"), SIZES)
@pytest.mark.parametrize("pane", ["list", "question", "chunks", "answers"])
@pytest.mark.parametrize("views", [set(), {"text"}, {"differs"}, {"answers"}])
def test_every_pane_fits_every_size(width: int, height: int, pane: str, views: set[str]) -> None:
    for zoomed in (False, True):
        made = state()
        made.active = pane  # type: ignore[assignment]
        made.views = set(views)
        made.zoomed = zoomed
        drawing = draw_review(made, width, height - 1)
        assert len(drawing.lines) == height - 1
        assert all(length(line) <= width for line in drawing.lines)
        assert "".join(seg.text for seg in drawing.lines[1]).strip()
        assert to_ascii("\n".join("".join(seg.text for seg in line) for line in drawing.lines)).isascii()


def test_the_list_at_120() -> None:
    lines = drawn(state(), 120, 36)
    assert lines[0].startswith(" Review  rechunk-256 against main ")
    assert lines[0].rstrip().endswith("recall@5 .82 → .78  hit@5 .88 → .83  mrr .71 → .70  n 52")
    assert lines[1].startswith("━ Flips  0 of 7 reviewed ━")
    assert "1/9" in lines[1]
    assert lines[2].startswith(" ─ broken 3 ─")
    assert lines[3].startswith("▸✗ q002 2? what does ERR_4021 mean")
    assert any(line.startswith(" ! q047    puis-je avoir") for line in lines)
    assert any(line.startswith(" ─ answers broken 1 ─") for line in lines)
    assert any(line.startswith(" ↓ q014") for line in lines)
    assert any(line.startswith("─ Verdicts  7 to give ─") for line in lines)
    assert any(line.startswith(" 2? ranked too low") for line in lines)
    assert any(line.startswith(" i  intended, accept") for line in lines)


def test_the_right_half_at_120() -> None:
    shown = text(state(qid="q017"))
    assert "─ q017  paraphrase · dev ─" in shown
    assert " flip 3 of 7 " in shown
    assert "✗ broken  evidence 2 → 7, k = 5" in shown
    assert " 2  agree   i intended  f fix label" in shown
    assert "ladder   ✓ corpus  ✓ one chunk  ✓ window  ✓ allowed" in shown
    assert "✗ bm25 2 → 31  dense 4 → 4  fused 2 → 7  inside k 5" in shown
    assert "because  #3 (97 tokens) is now part of #2 (241 tokens)   v chunk text" in shown
    assert "─ Base  main 4f2c1e9, size=128 ─" in shown
    assert "─ Head  rechunk-256, " in shown
    assert "▸●  2 policy-refunds#3" in shown
    assert "now 7 ↓5" in shown
    assert "was 2 ↓5" in shown
    assert "gone" in shown
    assert "new" in shown
    assert "✓ main" in shown
    assert "✗ lacks 30 days" in shown


def test_one_line_cuts_both_contexts() -> None:
    lines = drawn(state(), 120, 36)
    cut = next(line for line in lines if "context ends, k = 5" in line)
    assert "┼──" in cut
    assert "context" not in cut.partition("┼")[2]
    above = lines[lines.index(cut) - 1]
    assert "  5 gift-cards#4" in above
    assert "  5 terminals/t210#1" in above


def test_sides_with_another_k_have_one_line_all_the_same() -> None:
    made = state()
    assert made.detail is not None
    made.detail = replace(made.detail, k_head=8)
    lines = drawn(made, 120, 36)
    cut = next(line for line in lines if "context ends, k = 5" in line)
    assert "context ends, k = 8" in cut
    assert "  8 account/close#1" in lines[lines.index(cut) - 1]


def test_below_100_movement_is_short_and_answers_are_stacked() -> None:
    shown = text(state(), 80, 24)
    assert "→7" in shown
    assert "←2" in shown
    assert "now 7" not in shown
    assert "✓ base You have 30 days" in shown
    assert "✗ head Shops in the EU" in shown
    assert " ─ answers ─" in shown
    assert "broken 3" not in shown
    assert "✗ bm25 2 → 31  dense 4 → 4  fused 2 → 7" in shown


@pytest.mark.parametrize("height", [10, 12, 15, 18, 24, 36])
def test_evidence_of_both_sides_is_in_view_at_every_height(height: int) -> None:
    made = state()
    for rows_ in range(5, height):
        laid = laid_out(made, rows_)
        shown = [{row.chunk.chunk_id for part in (laid.above, laid.below) for row in part[at] if row.chunk} for at in (0, 1)]
        assert "policy-refunds#3" in shown[0]
        assert "policy-refunds#2" in shown[1]
        assert all(len(part[0]) == len(part[1]) for part in (laid.above, laid.below))
        assert len(laid.above[0]) + len(laid.below[0]) + 1 <= rows_


def test_of_much_evidence_the_one_that_decides_stays_in_view() -> None:
    made = state()
    detail = made.detail
    assert detail is not None
    base, head = (
        replace(side, chunks=tuple(replace(one, holds="part") for one in side.chunks)) for side in (detail.base, detail.head)
    )
    made.detail = replace(detail, base=base, head=head, base_rank=5, head_rank=10)
    made.chunk_id = "orders/change#2"
    for rows_ in range(6, 12):
        laid = laid_out(made, rows_)
        assert {3, 5} <= {row.chunk.rank for row in laid.above[0] if row.chunk}
        assert 3 in {row.chunk.rank for row in laid.above[1] if row.chunk}
        assert 10 in {row.chunk.rank for row in laid.below[1] if row.chunk}


def test_what_is_folded_is_counted_and_unfolds() -> None:
    made = state()
    laid = laid_out(made, 10)
    hidden = [row.hidden for part in (laid.above, laid.below) for row in part[0] if row.hidden]
    assert sum(hidden) + len(shown_ids(made, 10)) == 10
    made.unfolded = True
    assert len(shown_ids(made, 10)) == 10
    made.active = "chunks"
    for one in made.chunks_of("base"):
        made.chunk_id = one.chunk_id
        assert f"▸{'●' if one.holds != 'none' else ' '}{one.rank:>3} " in text(made, 80, 20)


def test_the_texts_of_both_sides_with_the_borders_of_the_other() -> None:
    made = state()
    made.views.add("text")
    shown = text(made)
    assert "─ #3 ●  97 tokens ─" in shown
    assert "─ #2 ●  241 tokens ─" in shown
    assert "╌ was #3 ╌" in shown
    assert "days of delivery. The parcel" in shown
    assert made.texts is not None
    made.texts = made.texts._replace(edited=True)
    assert "days of delivery. The parcel" in text(made)
    made.texts = made.texts._replace(head=(), head_why="policy-refunds is not among the documents of the head.")
    assert "policy-refunds is not among" in text(made)
    made.texts = None
    assert "─ Base" in text(made)


def test_what_differs_stands_in_the_place_of_the_verdicts_and_alone() -> None:
    made = state()
    made.views.add("differs")
    shown = text(made)
    assert "─ What differs  main → rechunk-256 ─" in shown
    assert "128 → 256" in shown
    assert "edited: policy-refunds" not in shown
    made.zoomed = True
    assert "edited: policy-refunds" in text(made)
    many = tuple(Difference(f"key.{index}", "1 → 2") for index in range(40))
    made.take(replace(review(), differs=many))
    made.zoomed = False
    assert "more: z shows all" in text(made)
    assert "key.3 " not in text(made, 80, 24)
    assert " 3 " in text(made, 80, 24)


@pytest.mark.parametrize(
    ("row", "words"),
    [
        (FlipRow("q017", "a", "broken", decided="labelled", label=2), "labelled 2   0 clears"),
        (FlipRow("q017", "a", "broken", decided="intended", until="3 March"), "intended until 3 March   0 clears"),
        (FlipRow("q017", "a", "broken", decided="relabelled"), "label fixed   ctrl+r reviews again"),
        (FlipRow("q017", "a", "fixed"), " i  accept   1-7 label  f fix label"),
        (FlipRow("q017", "a", "broken", suggested=1), " 1  agree   i intended  f fix label"),
        (FlipRow("q017", "a", "worse"), "↓ lower"),
        (FlipRow("q017", "a", "fixed", "answer"), "✓ answer fixed"),
    ],
)
def test_the_verdict_line(row: FlipRow, words: str) -> None:
    assert words in text(state(review((row,))))


@pytest.mark.parametrize(
    ("row", "words"),
    [
        (FlipRow("q1", "a", "broken", decided="labelled", label=2), "✗ q1 2  a"),
        (FlipRow("q1", "a", "broken", decided="intended"), "✗ q1 i  a"),
        (FlipRow("q1", "a", "broken", decided="relabelled"), "✗ q1 f  a"),
        (FlipRow("q1", "a", "broken", decided="expired", suggested=2), "✗ q1 i? a"),
        (FlipRow("q1", "a", "broken", decided="old", label=3), "✗ q1 3? a"),
        (FlipRow("q1", "a", "broken", decided="old"), "✗ q1 i? a"),
        (FlipRow("q1", "a", "errored"), "! q1    a"),
    ],
)
def test_a_row_says_what_was_decided(row: FlipRow, words: str) -> None:
    assert words in text(state(review((row,))))


def test_the_step_that_mends() -> None:
    made = state(review((FlipRow("q1", "a", "fixed"),)))
    assert made.detail is not None
    made.detail = replace(made.detail, change="fixed", rungs=(RungView("bm25 31 → 2", "ok", True, True),))
    assert "✓ bm25 31 → 2" in text(made)
    made.detail = replace(made.detail, change="worse", rungs=(RungView("bm25 1 → 2", "worse", True, True),))
    assert "↓ bm25 1 → 2" in text(made)
    held = (RungView("corpus", "ok"), RungView("one chunk: split over #3, #4", "broken", False, True))
    made.detail = replace(made.detail, rungs=held)
    assert "✗ one chunk: split over #3, #4" in text(made, 80, 24)


def test_states_without_flips() -> None:
    made = ReviewState()
    assert "Both sides are measured; only chunks whose text changed" in text(made)
    made.busy = Busy("embedding", 31, 100, 40)
    assert "embedding 31 %, 40 s left   c cancels" in text(made)
    made.failed = "/x: not a git repository; git init makes one"
    assert "! /x: not a git repository" in text(made, 80, 24)
    assert "ctrl+r tries again" in text(made, 40, 10)
    nothing = state(review(()))
    assert "Nothing flipped. 60 questions do on both sides what they did." in text(nothing, 200, 50).replace("\n", " ") or (
        "Nothing flipped. 60 questions" in text(nothing)
    )
    assert "─ What differs ─" in text(nothing)
    assert "No question is the same" in text(state(replace(review(()), common=0)))
    filtered = state()
    filtered.listing.text = "zzz"
    filtered.take(review())
    filtered.take_detail(None)
    assert "Nothing matches /zzz" in text(filtered)


def test_warnings_are_a_line_of_their_own() -> None:
    warned = state(replace(review(), warning="Git LFS keeps docs/a.md elsewhere"))
    assert drawn(warned, 80, 24)[1].startswith(" ! Git LFS keeps docs/a.md")
    assert chunk_height(warned, 80, 24) == chunk_height(state(), 80, 24) - 1


def test_missing_answers_say_why() -> None:
    made = state()
    assert made.detail is not None
    detail = made.detail
    made.detail = replace(detail, head=replace(detail.head, answer=None, no_answer="the model is gone", failed=True))
    for width, height in ((120, 36), (80, 24)):
        assert "the model is gone" in text(made, width, height)
    assert "!" in text(made)
    none = SideView(detail.base.chunks, no_answer="none is known on this side")
    made.detail = replace(detail, base=none, head=none)
    assert "No answers: none is known on this side." in text(made)
    empty = SideView((), "Not measured on this side.")
    made.detail = replace(detail, head=empty)
    assert "Not measured on this side." in text(made)
    assert "context ends" in text(made)


def test_the_header_shortens() -> None:
    made = state()
    for width in range(40, 201):
        line = review_header(made, width)
        assert length(line) <= width
    assert "flip 1 of 7" in text(made, 45, 12)
    assert "size 128 → 256, 1 document" in text(made, 160, 40)


@pytest.mark.parametrize(("width", "height"), [(40, 10), (80, 24), (120, 36)])
def test_hostile_text_keeps_its_place(width: int, height: int) -> None:
    bad = scrub(HOSTILE)
    row = FlipRow(f"q1 {bad}", bad.replace("\n", " "), "broken", decided="intended", until=bad, kind=bad)
    view = replace(review((row,)), base=SideName(bad, bad, bad), head=SideName(bad * 9, bad, bad, True),
                   differs=(Difference(bad, bad, (bad,)),), warning=bad)  # fmt: skip
    made = state(view)
    assert made.detail is not None
    made.detail = replace(made.detail, text=bad * 20, because=bad, note=bad, said=bad, proof=(bad,))
    for pane in ("list", "question", "chunks", "answers"):
        for views in (set(), {"text"}, {"differs"}):
            made.active = pane  # type: ignore[assignment]
            made.views = views
            for zoomed in (False, True):
                made.zoomed = zoomed
                drawing = draw_review(made, width, height - 1)
                assert len(drawing.lines) == height - 1
                assert all(length(line) <= width for line in drawing.lines)


def test_reviewed_rows_count_in_the_verdicts() -> None:
    shown = drawn(state(review(rows(reviewed=4))), 120, 36)
    assert any(line.startswith(" 2  ranked too low") and "  2 " in line[:39] for line in shown)
    assert any("4 of 7 reviewed" in line for line in shown)
    assert any("3 to give" in line for line in shown)


@pytest.mark.parametrize(
    ("short", "offered"),
    [
        (("size 128 → 256, overlap 0 → 20",), "comes with size 128 → 256, overlap 0 → 20"),
        (("model sentence-transformers/all-MiniLM-L6-v2 → BAAI/bge-small-en-v1.5",), "comes with model"),
    ],
)
def test_the_reason_that_is_offered_is_seen_from_its_start(short: tuple[str, ...], offered: str) -> None:
    made = ReviewState()
    made.take(replace(review(), short=short))
    label = "intended for 90 days, since"
    assert prompted(label, made.usual_reason).startswith(f" {label} {offered} ")
    assert prompted("note", "short").rstrip().endswith("close")


def prompted(label: str, offered: str) -> str:
    return "".join(seg.text for seg in prompt_line(Keymap(SCREENS), label, Editor(offered), 80))

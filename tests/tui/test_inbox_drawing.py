"""Inbox as rows at every size, with and without colours and marks."""

from __future__ import annotations

from dataclasses import replace

import pytest
from tests.tui.demo import DemoDoor
from tests.tui.demo_inbox import LABELS, ROWS, SAFE, label, report, whole, without
from tests.tui.test_drawing_triage import shown

from ragtriage_tui.drawing.inbox import candidate_height, draw_inbox
from ragtriage_tui.drawing.inbox_label import diff_rows
from ragtriage_tui.inbox_state import InboxState
from ragtriage_tui.inbox_views import DiffPart, InboxView, LabelDetail
from ragtriage_tui.rows import length
from ragtriage_tui.text import Extent, to_ascii

SIZES = ((80, 23), (100, 29), (120, 35), (60, 14), (40, 11), (200, 49), (79, 19))

DRAWN = """\
 Inbox  fernway-help                     3 reports open   4 labels to re-anchor
━ Reports  3 open ━━━ 1/6 ┬─ ticket 8812  2026-11-23 · 1 masked ────────── open
▸· ticket can i send both…│ Hello, write to [e-mail]. I ordered two T210 and
 · chat   WHERE IS MY MON…│ they are too big for our bar.
 ! synth… What is the tim…│ Your assistant wrote fourteen days, my colleague
 ✓ 2 safe labels  s mends…│ swears it was thirty. Which is it??
 ! q017 reworded within 3…│ answered You have 14 days after you receive it.
 ✗ q021 gone Gift cards c…│ feedback thumbs down
  ⋯ 2 done with: / is:do… │ from     1 faq  Yes. You have 14 days after you re…
                          │          2 policy-returns-eu  A co…  reworded since
                          │          3 old/page    not in the documents of tod…
                          │ then     retrieval or not? its evidence will tell
                          ├─ Question to be  as it was asked ───────────────────
                          │ can i send both t210 back if they are just too big,
                          │ 14 or 30 days
                          ├─ Similar questions  in the golden set ──────────────
                          │▸!q001  .91  how long do i have to send something b…
                          │  q017  .40  can i send it back
                          ├─ Candidates  bm25 and dense ──────────── bm25 dense
                          │▸   1 terminals/t210#2     If you do not…    1     6
                          │    2 policy-refunds#2     Time limits A…    8     1
                          │    3 policy-returns-eu#2  Shops in the…    11     2
                          │    4 gift-cards#4         A gift card c…    –     7"""


def state(view: InboxView | None = None) -> InboxState:
    made = InboxState()
    made.take_view(view or whole())
    return made


def on_report() -> InboxState:
    made = state()
    made.take_report(report(ROWS[0]))
    return made


def on_label(row: int = 0) -> InboxState:
    made = state()
    made.listing.go_to(LABELS[row].id)
    made.take_label(label(LABELS[row]))
    return made


def on_safe() -> InboxState:
    made = state()
    made.listing.go_to("safe")
    made.take_safe()
    return made


def text_of(made: InboxState, cells: int = 80, height: int = 23) -> str:
    return shown(draw_inbox(made, cells, height))


def test_it_looks_as_it_was_meant() -> None:
    assert "\n".join(line.rstrip() for line in text_of(on_report()).splitlines()) == DRAWN


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("make", [InboxState, state, on_report, on_label, on_safe])
@pytest.mark.parametrize("pane", ["list", "report", "similar", "candidates"])
@pytest.mark.parametrize("zoomed", [False, True])
def test_every_row_fits_at_every_size(size: tuple[int, int], make: type, pane: str, zoomed: bool) -> None:
    made: InboxState = make()
    made.active, made.zoomed = pane, zoomed  # type: ignore[assignment]  # the names are those of panes
    drawing = draw_inbox(made, *size)
    assert len(drawing.lines) == size[1]
    assert all(length(line) <= size[0] for line in drawing.lines)
    assert to_ascii(shown(drawing)).isascii()
    assert candidate_height(made, size[0], size[1] + 1) >= 1


def test_masked_parts_are_shown_as_such_and_counted() -> None:
    drawing = draw_inbox(on_report(), 120, 35)
    assert ("[e-mail]", "warn") in [tuple(seg) for line in drawing.lines for seg in line]
    assert "2026-11-23 · 1 masked" in shown(drawing)


def test_the_whole_report_is_read_by_scrolling_and_in_the_zoom() -> None:
    made = on_report()
    made.report = replace(report(ROWS[0]), text=report(ROWS[0]).text + "\n\n" + "It goes on. " * 40 + "Finis.")
    assert "Finis." not in text_of(made)
    assert "then     retrieval or not?" in text_of(made)  # what stands under the words stays in view
    made.active = "report"
    seen = [text_of(made) for _ in range(20) if made.move(1) is False]
    assert any("Finis." in text for text in seen)
    assert "then     retrieval or not?" in seen[-1]
    made.zoomed, made.scroll = True, {}
    assert "Finis." in text_of(made)
    assert "3 old/page" in text_of(made)


def test_production_is_shown_with_what_it_had() -> None:
    made = on_report()
    detail = report(ROWS[3])
    held = detail.passages[0]._replace(holds=True)
    made.take_report(replace(detail, passages=(held, *detail.passages[1:]), retrieval="not retrieval: the evidence was there"))
    text = text_of(made)
    assert "from   ● 1 faq" in text
    assert "then     not retrieval: the evidence was there" in text
    assert "done: q002" in text


def test_a_model_s_report_says_what_it_still_needs() -> None:
    made = state()
    made.listing.go(2)
    made.take_report(report(ROWS[2]))
    assert "! a model wrote this: before it can be saved, edit" in text_of(made)
    assert "edit its wording (a)" in text_of(made, 120, 35)


def test_a_kept_draft_is_told() -> None:
    made = on_report()
    made.drafts = frozenset({"r-aaaaaa"})
    assert "draft kept" in text_of(made)


def test_marked_evidence_shows_in_its_candidate() -> None:
    made = on_report()
    made.step_part(1)
    made.toggle()
    assert "▸●  2 policy-refunds#2" in text_of(made)


def test_bm25_comes_first_and_says_that_dense_follows() -> None:
    made = state()
    made.take_report(report(ROWS[0], complete=False))
    assert "Candidates  bm25 now, dense follows" in text_of(made, 120, 35)
    assert "dense follows" in text_of(made)


def test_nothing_like_it_and_nothing_found_are_sentences() -> None:
    made = state()
    detail = report(ROWS[0])
    made.take_report(replace(detail, twins=(), results=None, problem="the model is missing"))
    assert "No question of the set is like it." in text_of(made)
    assert "the model is missing" in text_of(made)
    made.take_report(replace(detail, results=detail.results._replace(candidates=()) if detail.results else None))
    assert "Nothing was retrieved. F searches every docum" in text_of(made)


@pytest.mark.parametrize(
    ("view", "filtered", "said"),
    [
        (InboxView("p", looked=True), "", "No reports. `ragtriage import FILE` takes them in"),
        (
            without(replace(whole(), labels=(), safe=()), "r-aaaaaa", "r-bbbbbb", "r-cccccc"),
            "",
            "All 5 reports are dealt with.",
        ),
        (whole(), "nothing such", "Nothing matches /nothing such. esc clears."),
    ],
)
def test_empty_lists_say_what_helps(view: InboxView, filtered: str, said: str) -> None:
    made = InboxState()
    made.listing.text = filtered
    made.take_view(view)
    text = " ".join(draw_line.split("│")[0].strip() for draw_line in text_of(made, 120, 35).splitlines())
    assert said in text


def test_the_header_counts_and_says_when_labels_are_still_looked_at() -> None:
    assert "3 reports open   4 labels to re-anchor" in text_of(state())
    assert "labels are looked at" in text_of(state(replace(whole(), looked=False)))
    assert "1 report open   all labels fit" in text_of(state(InboxView("p", ROWS[:1], looked=True)))


def test_what_is_wrong_with_the_file_is_a_line() -> None:
    made = state(replace(whole(), problem="evals/inbox.jsonl:3: not JSON"))
    assert text_of(made).splitlines()[1].startswith(" ! evals/inbox.jsonl:3: not JSON")


def test_a_label_shows_old_new_and_what_changed() -> None:
    text = text_of(on_label(), 120, 35)
    assert "─ q017  reworded ─" in text
    assert "! it was reworded" in text
    assert "─ Was  policy-refunds ─" in text
    assert "─ New place  policy-refunds › Time limits · 92 % like it ─" in text
    assert "1 of 2" in text
    assert "! its numbers are other ones" in text
    assert "A return must be started" in text
    assert "within [-30-]{+14+} days of delivery" in text


def test_a_label_without_a_new_place_says_what_can_be_done() -> None:
    text = text_of(on_label(1), 160, 35)
    assert "Nothing like it is in the documents. f fixes it by hand, x says that it is asked no more." in text


def test_safe_labels_are_listed() -> None:
    text = text_of(on_safe(), 120, 35)
    assert "2 safe labels  the same text, in another place or with other signs" in text
    assert " q003 → billing/payouts  there is no document payouts" in text
    assert " q044 → shipping  only white space" in text
    made = state(replace(whole(), safe=SAFE[:1]))
    assert "✓ 1 safe label  s mends" in text_of(made)


def test_a_long_label_is_scrolled() -> None:
    made = on_label()
    assert made.label is not None
    made.label = replace(made.label, old="word " * 2000)
    made.active = "report"
    assert "What changed" not in text_of(made)
    made.scroll["report"] = 10**6
    assert "within [-30-]{+14+} days" in text_of(made)


def rows_of(*parts: tuple[str, str], room: int = 60) -> list[str]:
    return ["".join(seg.text for seg in line).strip() for line in diff_rows(tuple(DiffPart(*one) for one in parts), room)]  # type: ignore[arg-type]


def test_diffs_read_without_colour() -> None:
    assert rows_of(("kept", "within "), ("removed", "30 "), ("added", "fourteen "), ("kept", "days")) == [
        "within [-30-] {+fourteen+} days"
    ]
    assert rows_of(("kept", "a"), ("removed", "\n\n"), ("kept", "b")) == ["a[- -]b"]
    assert rows_of(("added", "new words ")) == ["{+new words+}"]


def test_hostile_text_stays_text() -> None:
    made = on_report()
    detail = replace(report(ROWS[0]), text="[/x] [red] " + "long" * 500, question="[k=v]\n" * 30, masked=(Extent(0, 4),))
    made.take_report(detail)
    for size in SIZES:
        assert all(length(line) <= size[0] for line in draw_inbox(made, *size).lines)
    assert "[/x]" in text_of(made)
    made.take_label(LabelDetail("q", "q" * 200, "[/] " * 50, "gone", "why " * 50, "old\n" * 50, "doc/" * 40, ()))
    for size in SIZES:
        assert all(length(line) <= size[0] for line in draw_inbox(made, *size).lines)


def test_triage_s_header_and_empty_list_know_the_reports() -> None:
    from ragtriage_tui.drawing.triage import draw
    from ragtriage_tui.state import TriageState

    overview = replace(DemoDoor().overview(), reports=15)
    made = TriageState()
    made.take_overview(replace(overview, questions=(), figures=(), tax=None))
    text = " ".join(line.split("│")[0].strip() for line in shown(draw(made, 160, 40)).splitlines())
    assert "No questions yet. a adds one, I opens 15 reports." in text
    assert "I 15 reports" in shown(draw(made, 160, 40)).splitlines()[0]

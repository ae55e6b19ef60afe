"""The bridge of Review with the real engine, on a small git history."""

from __future__ import annotations

import json
import subprocess
from datetime import date
from pathlib import Path
from typing import Any

import pytest

from ragtriage_tui.bridge.door import Door
from ragtriage_tui.bridge.review import Reviews
from ragtriage_tui.bridge.review_places import Located, counterparts, located, no_shift, shift
from ragtriage_tui.bridge.review_words import day_words
from ragtriage_tui.review_views import Asked, FlipRow, ReviewView
from ragtriage_tui.workers import DoorError

ESC = "\x1b[2J"
PAGE = """# Returns

Terminals and docks can be sent back when they were bought from us and the box is whole and nothing is missing in it.

A return must be started within thirty days of delivery. The parcel then has two more weeks to reach our warehouse.

We refund to the card that paid. Most banks show it within five working days after the parcel was checked by us.
"""
HOURS = "# Hours\n\nThe telephone is open on saturday from nine to five. On other days it is open until eight.\n"
OLD = "# Fees\n\nThe fee for foreign cards is two percent. It is taken from the payout of the next day.\n"
QUESTIONS: list[dict[str, Any]] = [
    {"qid": "q1", "question": "until when is a return started after delivery", "tags": ["returns"],
     "evidence": [{"doc": "returns", "quote": "A return must be started within thirty days of delivery."}]},
    {"qid": "q2", "question": "telephone on saturday",
     "evidence": [{"doc": "hours", "quote": "The telephone is open on saturday from nine to five."}]},
    {"qid": "q3", "question": "fee for foreign cards",
     "evidence": [{"doc": "fees", "quote": "The fee for foreign cards is two percent."}]},
    {"qid": f"q4{ESC}", "question": f"which banks {ESC} show the refund",
     "evidence": [{"doc": "returns", "quote": "Most banks show it within five working days"}]},
]  # fmt: skip


def git(root: Path, *words: str) -> None:
    env = {"PATH": "/usr/bin:/bin", "HOME": str(root), "GIT_CONFIG_NOSYSTEM": "1"}
    for who in ("AUTHOR", "COMMITTER"):
        env |= {f"GIT_{who}_NAME": "a", f"GIT_{who}_EMAIL": "a@b"}
    subprocess.run(["git", *words], cwd=root, env=env, check=True, capture_output=True)


def save(root: Path, name: str, text: str) -> None:
    (root / name).parent.mkdir(parents=True, exist_ok=True)
    (root / name).write_text(text, encoding="utf-8")


def golden(root: Path, questions: list[dict[str, Any]]) -> None:
    save(root, "evals/golden.jsonl", "".join(json.dumps(question) + "\n" for question in questions))


def config(root: Path, size: int) -> None:
    save(root, "ragtriage.toml", f'[chunking]\nsize = {size}\n\n[retrieval]\nmode = "bm25"\nk = 1\n')


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """Main cuts into small chunks; the branch into large ones, edits the hours and drops the fees."""
    folder = tmp_path / "shop"
    config(folder, 40)
    golden(folder, QUESTIONS)
    for name, text in (("returns", PAGE), ("hours", HOURS), ("fees", OLD)):
        save(folder, f"docs/{name}.md", text)
    save(folder, "docs/loud.md", "# Saturday\n\nsaturday saturday telephone telephone, and nothing else of any use.\n")
    git(folder, "init", "-q", "--initial-branch=main")
    git(folder, "add", "-A")
    git(folder, "commit", "-q", "-m", "Shop")
    git(folder, "checkout", "-q", "-b", "large")
    config(folder, 200)
    save(folder, "docs/hours.md", HOURS.replace("saturday from nine to five", "saturday morning until noon"))
    (folder / "docs/fees.md").unlink()
    git(folder, "add", "-A")
    git(folder, "commit", "-q", "-m", "Large chunks")
    return folder


def quiet(stage: str, done: int, total: int) -> None:
    """Nobody looks."""


def opened(root: Path, **options: Any) -> Door:
    door = Door(root, **options)
    door.open(quiet)
    return door


def reviewed(root: Path, asked: Asked | None = None, **options: Any) -> tuple[Door, ReviewView]:
    door = opened(root, **options)
    return door, door.reviews.review(asked or Asked(), quiet)


def row(view: ReviewView, qid: str) -> FlipRow:
    return next(row for row in view.flips if row.qid == qid)


def events(root: Path) -> list[dict[str, Any]]:
    path = root / "evals" / "verdicts.jsonl"
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()] if path.exists() else []


# what is shown


def test_a_review_names_its_sides_and_what_differs(root: Path) -> None:
    door, view = reviewed(root)
    assert (view.base.name, view.base.setup, view.base.working) == ("main", "size=40", False)
    assert (view.head.name, view.head.setup, view.head.working) == ("large", "size=200", True)
    assert (view.k_base, view.k_head) == (1, 1)
    assert "size 40 → 200" in view.short[0]
    names = {one.name: one.text for one in view.differs}
    assert names["chunking.size"] == "40 → 200"
    assert "1 removed" in names["documents"]
    assert "1 edited" in names["documents"]
    assert "→" in names["chunks"]
    assert [one.name for one in view.figures] == ["recall@1", "hit@1", "mrr"]
    assert {row.qid: row.change for row in view.flips}["q3"] == "broken"
    assert "have labels whose text is gone from the documents" in view.warning
    assert door.reviews.kept(Asked()) == view
    assert door.reviews.kept(Asked("main~0")) is None
    door.close()


def test_a_flip_has_both_rankings_and_how_they_moved(root: Path) -> None:
    door, view = reviewed(root)
    flip = door.reviews.flip("q3")
    assert flip is not None
    assert flip.text == "fee for foreign cards"
    assert flip.base.chunks[0].chunk_id == "fees#1"
    assert flip.base.chunks[0].holds == "whole"
    assert flip.base.chunks[0].other is None
    assert flip.base.chunks[0].at is None  # today's documents have no such page
    assert "The fee for foreign cards" in flip.base.chunks[0].text
    assert flip.proof[0].startswith("evidence 1 → –, k = 1")
    assert flip.because == "its document is no longer in the corpus"
    assert any(rung.made and rung.state == "broken" for rung in flip.rungs)
    for one in view.flips:
        other = door.reviews.flip(one.qid)
        assert other is not None
        for chunk in other.base.chunks:
            if chunk.other is not None:
                assert other.head.chunks[chunk.other - 1].chunk_id == chunk.other_id
    assert door.reviews.flip("nobody") is None
    door.close()


def test_the_texts_of_a_merged_chunk_have_the_old_borders(root: Path) -> None:
    door, view = reviewed(root)
    qid = view.flips[0].qid
    reviews = door.reviews
    there = reviews.texts(qid, "head", "returns#1")
    assert len(there.head) == 1
    assert len(there.base) >= 2
    assert not there.edited
    names = [name for _, name in there.head[0].borders]
    assert names == [f"was #{number}" for number in range(2, len(names) + 2)]
    for at, name in there.head[0].borders:
        part = next(one for one in there.base if f"was {one.label}" == name)
        assert there.head[0].text[at:].startswith(part.text[:20])
    back = reviews.texts(qid, "base", "returns#2")
    assert [one.main for one in back.base].count(True) == 1
    assert back.head[0].label == "#1"
    edited = reviews.texts(qid, "base", "hours#1")
    assert edited.edited
    assert "nine to five" in edited.base[0].text
    assert "until noon" in edited.head[0].text
    gone = reviews.texts(qid, "base", "fees#1")
    assert "two percent" in gone.base[0].text
    assert gone.head == ()
    assert gone.head_why == "fees is not among the documents of the head."
    unknown = reviews.texts(qid, "base", "nothing#9")
    assert "not in the cache" in unknown.base_why
    with pytest.raises(DoorError, match="not measured yet"):
        reviews.texts("nobody", "base", "returns#1")
    door.close()


def test_a_committed_head_is_read_from_its_revision(root: Path) -> None:
    git(root, "checkout", "-q", "main")
    door, view = reviewed(root, Asked("main", "large"))
    assert not view.head.working
    assert row(view, "q3").change == "broken"
    texts = door.reviews.texts("q3", "head", "hours#1")
    assert "until noon" in texts.head[0].text
    flip = door.reviews.flip("q3")
    assert flip is not None
    assert flip.base.chunks[0].at == 0  # today's documents are main's
    door.reviews.label("q3", 1)
    assert events(root)[-1]["run"] == ""
    door.close()


def test_ids_and_texts_are_harmless(root: Path) -> None:
    door, view = reviewed(root, Asked("large", "main"))
    shown = repr(view) + "".join(repr(door.reviews.flip(one.qid)) for one in view.flips)
    assert "\x1b" not in shown
    assert "\\x1b" not in shown
    door.close()


# verdicts


def test_verdicts_are_on_disk_and_undone_in_order(root: Path) -> None:
    door, view = reviewed(root)
    reviews: Reviews = door.reviews
    assert (view.reviewed, row(view, "q3").decided) == (0, "open")
    assert reviews.label("q3", 6).message.startswith("q3 is now 6 ")
    assert events(root)[-1]["category"] == "bad-label"
    assert events(root)[-1]["seen"]
    assert row(reviews.overview(), "q3").label == 6
    assert reviews.intended("q3", "the page is not needed").message.startswith("q3 is intended until ")
    now = reviews.overview()
    assert row(now, "q3").decided == "intended"
    assert now.reviewed == 1
    flip = reviews.flip("q3")
    assert flip is not None
    assert flip.note == "the page is not needed"
    assert flip.said.startswith("intended until ")
    assert reviews.label("q3", 2).message.startswith("q3 is now 2 ")  # what is said last counts
    assert (row(reviews.overview(), "q3").decided, row(reviews.overview(), "q3").label) == ("labelled", 2)
    assert "is intended again" in reviews.undo().message
    assert row(reviews.overview(), "q3").decided == "intended"
    assert "is 6 " in reviews.undo().message
    assert "has no verdict now" in reviews.undo().message
    assert reviews.overview().reviewed == 0
    assert "is 6 " in reviews.redo().message
    assert "is intended again" in reviews.redo().message
    assert "is 2 " in reviews.redo().message
    assert reviews.redo().message == "Nothing to do again"
    assert "has no verdict now" in reviews.label("q3", 0).message
    assert row(reviews.overview(), "q3").decided == "open"
    assert "is 2 " in reviews.undo().message
    door.close()


def test_clearing_takes_an_intended_one_back_too(root: Path) -> None:
    door, _ = reviewed(root)
    door.reviews.intended("q3", "as meant")
    assert "has no verdict now" in door.reviews.label("q3", 0).message
    assert row(door.reviews.overview(), "q3").decided == "open"
    assert door.reviews.label("q3", 0).qid == ""
    assert "intended again" in door.reviews.undo().message
    door.close()


def test_notes_go_with_a_verdict(root: Path) -> None:
    door, _ = reviewed(root)
    door.reviews.label("q3", 2)
    assert door.reviews.label("q3", 2, "see the plan").message == "note kept: q3 is 2 ranked too low"
    flip = door.reviews.flip("q3")
    assert flip is not None
    assert flip.note == "see the plan"
    assert door.reviews.label("q3", 2, "").message == "q3 is 2 ranked too low, without a note"
    door.close()


def test_verdicts_carry_forward_and_run_out(root: Path) -> None:
    door, _ = reviewed(root)
    door.reviews.intended("q3", "as meant")
    door.close()
    again, view = reviewed(root)
    assert row(view, "q3").decided == "intended"
    assert again.reviews.undo().message == "q3 has no verdict now"  # of an earlier session
    assert again.reviews.redo().message.startswith("q3 is intended again")
    late = Reviews(again, today=lambda: date(2999, 1, 1))
    assert row(late.review(Asked(), quiet), "q3").decided == "expired"
    flip = late.flip("q3")
    assert flip is not None
    assert "has passed" in flip.said
    again.close()


def test_a_label_that_was_fixed_counts_as_reviewed(root: Path) -> None:
    door, _ = reviewed(root)
    changed = [dict(question) for question in QUESTIONS]
    changed[2]["evidence"] = [{"doc": "returns", "quote": "We refund to the card that paid."}]
    golden(root, changed)
    door.changed()
    view = door.reviews.overview()
    assert row(view, "q3").decided == "relabelled"
    assert view.reviewed == 1
    fresh = door.reviews.review(Asked(), quiet)
    assert "q3" not in {one.qid for one in fresh.to_review}
    door.close()


def test_nothing_is_written_where_nothing_may_be(root: Path) -> None:
    door, view = reviewed(root, read_only=True)
    assert view.read_only
    for write in (
        lambda: door.reviews.label("q3", 2),
        lambda: door.reviews.intended("q3", "why"),
        door.reviews.undo,
        door.reviews.redo,
    ):
        with pytest.raises(DoorError, match="nothing is written"):
            write()
    assert events(root) == []
    assert not (root / ".ragtriage").exists()
    door.close()


def test_what_cannot_be_reviewed_says_why(root: Path, tmp_path: Path) -> None:
    door = opened(root)
    with pytest.raises(DoorError, match="not measured yet"):
        door.reviews.overview()
    door.reviews.check(Asked())
    for asked in (Asked("no-such-branch"), Asked("main", "no-such-head")):
        with pytest.raises(DoorError, match="no such revision"):
            door.reviews.check(asked)
        with pytest.raises(DoorError, match="no such revision"):
            door.reviews.review(asked, quiet)
    door.reviews.review(Asked(), quiet)
    with pytest.raises(DoorError, match="not among the flips"):
        door.reviews.label("q-nothing", 2)
    with pytest.raises(DoorError, match="for a reason"):
        door.reviews.intended("q3", "   ")
    door.close()
    subprocess.run(["rm", "-rf", str(root / ".git")], check=True)
    bare = opened(root)
    with pytest.raises(DoorError):
        bare.reviews.check(Asked())
    bare.close()


def test_the_same_on_both_sides_is_nothing(root: Path) -> None:
    door, view = reviewed(root, Asked("large"))
    assert view.flips == ()
    assert view.common
    assert view.short == ()
    door.close()


# places


def test_offsets_move_with_an_edit() -> None:
    old, new = "one two three four", "one 2 three four"
    moved = shift(old, new)
    assert [moved(old.index(word)) for word in ("one", "three", "four")] == [
        new.index(word) for word in ("one", "three", "four")
    ]
    assert moved(len(old)) == len(new)
    assert new.index("2") <= moved(old.index("wo")) <= new.index("2") + 1
    same = shift(old, old)
    assert [same(at) for at in range(len(old) + 1)] == list(range(len(old) + 1))
    assert shift("", "new")(0) in (0, 3)
    assert shift("aaaa", "aa")(4) == 2


def test_a_chunk_goes_where_most_of_it_is() -> None:
    from ragtriage.compare.chunks import ChunkTable, Passage

    before = ChunkTable({"a": "x"}, {"a": [Passage(1, 0, 40, 9), Passage(2, 40, 100, 9)], "solo": [Passage(1, 0, 9, 2)]})
    after = ChunkTable({"a": "x"}, {"a": [Passage(1, 0, 50, 9), Passage(2, 50, 100, 9)]})
    base = [located(name, before) for name in ("a#1", "a#2", "solo", "gone#1", "a#7")]
    head = [located(name, after) for name in ("a#2", "a#1")]
    assert [one.passage is None for one in base] == [False, False, False, True, True]
    there, back = counterparts(base, head, lambda doc_id: no_shift)
    assert there == [1, 0, None, None, None]
    assert back == [1, 0]
    there, back = counterparts(base[:2], head, lambda doc_id: no_shift, [("a", 42, 48)])
    assert there == [1, 1]  # the evidence of the second chunk is in the first one now
    assert back == [1, 1]
    assert counterparts(base, [Located("a#2", "a")], lambda doc_id: None)[0] == [None, 0, None, None, None]


@pytest.mark.parametrize(
    ("day", "words"),
    [("2026-03-03", "3 March"), ("2027-12-24", "24 December 2027"), ("", ""), (None, ""), ("soon", ""), ("2026-02-30", "")],
)
def test_days_in_words(day: str | None, words: str) -> None:
    assert day_words(day, date(2026, 1, 1)) == words

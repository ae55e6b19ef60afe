from __future__ import annotations

import json
import random
from typing import Any

import pytest

from ragtriage.golden.diff import Change, GoldenDiff, diff_golden
from ragtriage.ids import question_id

Line = dict[str, Any]


def diff(old: list[Line] | bytes, new: list[Line] | bytes) -> GoldenDiff:
    both = [
        side if isinstance(side, bytes) else "".join(json.dumps(line) + "\n" for line in side).encode() for side in (old, new)
    ]
    return diff_golden(*both, old_name="old", new_name="new")


def q(qid: str, text: str = "why", **more: Any) -> Line:
    return {"qid": qid, "question": text, **more}


SAME = GoldenDiff((), (), (), ())


def test_the_order_of_lines_and_keys_and_their_spelling_are_no_difference() -> None:
    old = [q("q1", "é", x={"a": 1, "b": 2}), q("q2")]
    new = b'{"x": {"b": 2,"a":1}, "question": "\\u00e9", "qid": "q1"}\r\n'
    assert diff(old, b'\xef\xbb\xbf{"qid":"q2","question":"why"}\n\n' + new) == SAME


def test_added_and_removed() -> None:
    found = diff([q("q1", "a"), q("q2", "b")], [q("q2", "b"), q("q3", "c")])
    assert (found.added, found.removed, found.changed) == ((q("q3", "c"),), (q("q1", "a"),), ())


def test_edits_and_labels_are_told_apart() -> None:
    old = [q("q1", "a", kind="exact", evidence=["d"], tags=["x"])]
    new = [q("q1", "b", evidence=["e"], tags=["x"], note=None)]
    [found] = diff(old, new).changed
    assert (found.qid, found.was, found.question) == ("q1", "q1", "b")
    assert found.edits == (
        Change("question", "a", "b"), Change("note", None, None, had=False), Change("kind", "exact", None, has=False),
    )  # fmt: skip
    assert found.labels == (Change("evidence", ["d"], ["e"]),)


@pytest.mark.parametrize(
    ("key", "old", "new"),
    [
        ("relevant", ["a"], ["b"]), ("relevant_chunk_ids", ["a#1"], ["a#2"]), ("answerable", True, False),
        ("source", "a.md", "b.md"), ("source", {"from": "log"}, "b.md"),
    ],
)  # fmt: skip
def test_labels_of_every_dialect(key: str, old: Any, new: Any) -> None:
    [found] = diff([q("q1", **{key: old})], [q("q1", **{key: new})]).relabelled
    assert (found.edits, found.labels) == ((), (Change(key, old, new),))


def test_where_a_question_comes_from_is_no_label() -> None:
    found = diff([q("q1", source={"from": "log"})], [q("q1", source={"from": "chat"})])
    assert (len(found.edited), len(found.relabelled)) == (1, 0)


@pytest.mark.parametrize(("old", "new"), [(1, 1.0), (1, True), (0, False), (None, 0), ("1", 1), (10**30, 10**30 + 1)])
def test_numbers_and_truth_are_not_mixed_up(old: Any, new: Any) -> None:
    [found] = diff([q("q1", x=old)], [q("q1", x=new)]).edited
    assert found.edits == (Change("x", old, new),)
    assert [type(found.edits[0].old), type(found.edits[0].new)] == [type(old), type(new)]


def test_another_id_for_the_same_wording_is_a_new_name() -> None:
    found = diff([q("q1", "a  b", kind="exact"), q("q2", "c")], [q("q9", "a b", kind="exact"), q("q3", "d")])
    [renamed] = found.renamed
    assert (renamed.was, renamed.qid) == ("q1", "q9")
    assert [line["qid"] for line in (*found.added, *found.removed)] == ["q3", "q2"]


def test_an_id_that_is_written_down_is_no_difference() -> None:
    assert diff([{"question": "why"}], [{"qid": question_id("why"), "question": "why"}]) == SAME


def test_an_id_on_several_lines() -> None:
    one, two, three = q("q1", x=1), q("q1", x=2), q("q1", x=3)
    assert diff([one, two], [two, one]) == SAME
    found = diff([one, two], [two, three, one])
    assert (found.added, found.removed, found.changed) == ((three,), (), ())
    [changed] = diff([one, two], [three, one]).changed
    assert changed.edits == (Change("x", 2, 3),)


def test_lines_that_are_no_question_are_named_on_their_side() -> None:
    found = diff(b'{"qid": "q1", "question": "a"}\n<<<<<<< x\n', b'{"qid": "q1", "question": "a"}\nnonsense\n{"x": 1}\n')
    assert [(one.where, one.line) for one in found.problems] == [("old", 2), ("new", 2), ("new", 3)]
    assert (found.added, found.removed, found.changed) == ((), (), ())


def test_many_lines_of_one_id_take_no_longer_than_others() -> None:
    lines = [q("q1", x=number) for number in range(20_000)]
    found = diff(lines, [*reversed(lines), q("q1", x=-1)])
    assert (len(found.added), found.removed, found.changed) == (1, (), ())


def test_every_random_change_is_told() -> None:
    rng = random.Random(3)
    for _ in range(200):
        old = [q(f"q{number}", f"text {number}", kind="exact", evidence=[f"d{number}"]) for number in range(12)]
        ids = rng.sample(range(12), 6)
        removed, edited, labelled, renamed = {ids[0]}, {ids[1], ids[2]}, {ids[2], ids[3]}, {ids[4]}
        new = [dict(line) for number, line in enumerate(old) if number not in removed]
        for line in new:
            number = int(line["qid"][1:])
            line |= {"kind": "paraphrase"} if number in edited else {}
            line |= {"evidence": ["elsewhere"]} if number in labelled else {}
            line |= {"qid": f"q{number}-new"} if number in renamed else {}
        new.append(q("q99", "text 99"))
        rng.shuffle(new)
        found = diff(old, new)
        assert {line["qid"] for line in found.added} == {"q99"}
        assert {line["qid"] for line in found.removed} == {f"q{number}" for number in removed}
        assert {one.qid for one in found.edited} == {f"q{number}" for number in edited}
        assert {one.qid for one in found.relabelled} == {f"q{number}" for number in labelled}
        assert {one.was for one in found.renamed} == {f"q{number}" for number in renamed}

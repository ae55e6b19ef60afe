"""Which questions two runs have in common."""

from __future__ import annotations

import dataclasses

from tests.engine.compare.comparing import asked, run

from ragtriage.compare.pairs import Apart, pair_questions


def test_new_edited_relabelled_and_removed() -> None:
    base = run(asked("kept", 1), asked("gone", 1), asked("words", 1), asked("labels", 1, identity="t.old.a"))
    head = run(asked("words", 1, identity="x.y.z"), asked("labels", 1, identity="t.new.a"), asked("come", 1), asked("kept", 2))
    found = pair_questions(base, head)
    assert [pair.qid for pair in found.pairs] == ["kept"]
    assert found.apart == Apart(new=("come",), edited=("words",), relabelled=("labels",), removed=("gone",))


def test_a_run_of_chosen_questions_lacks_none() -> None:
    whole = run(asked("a", 1), asked("b", 1, kind="exact"), asked("c", 1, split="holdout"), split="all")
    for chosen, missing in (({"only": ["a"]}, {"b", "c"}), ({"kind": "exact", "split": "all"}, {"a", "c"}), ({}, {"c"})):
        part = run(*(one for one in whole.questions if one.qid not in missing), **chosen)
        assert set(pair_questions(whole, part).apart.only_base) == missing
        assert set(pair_questions(part, whole).apart.only_head) == missing
        assert pair_questions(whole, part).apart.removed == pair_questions(part, whole).apart.new == ()


def test_a_question_that_a_partial_run_named_and_did_not_have_is_new() -> None:
    assert pair_questions(run(only=["a"]), run(asked("a", 1), asked("b", 1))).apart == Apart(new=("a",), only_head=("b",))


def test_another_id_is_the_same_question_where_nothing_else_differs() -> None:
    base = run(asked("old", 1, identity="t.l.a"), asked("twin1", 1, identity="s.s.s"), asked("twin2", 1, identity="s.s.s"))
    head = run(asked("new", 9, identity="t.l.a"), asked("twin3", 1, identity="s.s.s"))
    found = pair_questions(base, head)
    assert [(pair.base.qid, pair.qid) for pair in found.pairs] == [("old", "new")]
    assert found.apart == Apart(new=("twin3",), removed=("twin1", "twin2"))


def test_a_run_of_an_older_version_counts_where_the_golden_set_is_the_same_file() -> None:
    base, head = run(asked("a", 1, identity="")), run(asked("a", 9))
    assert pair_questions(base, head).apart == Apart(unknown=("a",))
    same = [dataclasses.replace(one, manifest={**one.manifest, "fingerprints": {"golden": "g"}}) for one in (base, head)]
    assert [pair.qid for pair in pair_questions(*same).pairs] == ["a"]
    any_of = dataclasses.replace(same[1], questions=(asked("a", 9, needs="any"),))  # [golden] needs may have changed
    assert pair_questions(same[0], any_of).apart == Apart(unknown=("a",))


def test_items_that_do_not_match_are_no_common_question() -> None:
    assert pair_questions(run(asked("a", 1)), run(asked("a", 1, 2))).apart == Apart(relabelled=("a",))

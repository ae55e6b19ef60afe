from __future__ import annotations

import itertools
import json
import random
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from tests.engine.golden.tiny import corpus_of

from ragtriage.errors import StorageError, UsageError
from ragtriage.triage.judgements import JudgedPassages, Judgement, JudgementLog, passage_quote, same_passage
from ragtriage.types import Span

START = datetime(2026, 11, 30, 14, 2, 11, tzinfo=UTC)
TEXT = "Goods may be sent back within 30 days. We pay the way back. Parcels leave daily."
FIRST, SECOND = Span(0, 38), Span(39, 59)


def log(folder: Path) -> JudgementLog:
    moments = (START + timedelta(seconds=n) for n in itertools.count())
    return JudgementLog(folder / "judgements.jsonl", clock=lambda: next(moments))


def judged(judgements: JudgementLog | list[Judgement], text: str = TEXT) -> JudgedPassages:
    standing = judgements.standing() if isinstance(judgements, JudgementLog) else judgements
    return JudgedPassages(standing, corpus_of({"refunds": text}))


def relevant(passages: JudgedPassages, span: Span, qid: str = "q1") -> bool | None:
    found = passages.judged(qid, "refunds", span)
    return found.relevant if found else None


def test_an_event_holds_the_words_that_were_judged(tmp_path: Path) -> None:
    judgements = log(tmp_path)
    one = judgements.record("q1", "refunds", "  We pay the way back.\n", True, by="ada")
    assert json.loads(judgements.path.read_text(encoding="utf-8")) == {
        "id": one.id,
        "qid": "q1",
        "doc": "refunds",
        "quote": "We pay the way back.",
        "relevant": True,
        "by": "ada",
        "at": "2026-11-30T14:02:11.000000Z",
        "undoes": None,
    }
    assert judgements.standing() == [one]
    assert judgements.problems() == []


def test_the_latest_counts_and_undo_redo_and_clearing_work(tmp_path: Path) -> None:
    judgements = log(tmp_path)
    judgements.record("q1", "refunds", "We pay the way back.", True)
    second = judgements.record("q1", "refunds", "We pay the way back.", False)
    assert relevant(judged(judgements), SECOND) is False
    assert judgements.undo() == second
    assert relevant(judged(judgements), SECOND) is True
    assert judgements.redo() == second
    assert relevant(judged(judgements), SECOND) is False
    judgements.record("q1", "refunds", "We pay the way back.", None)
    assert judgements.standing() == []
    assert relevant(judged(judgements), SECOND) is None


def test_the_latest_is_last_whatever_was_judged_first(tmp_path: Path) -> None:
    judgements = log(tmp_path)
    for quote, said in (("We pay", True), ("Goods may be sent back", True), ("We pay", False)):
        judgements.record("q1", "refunds", quote, said)
    assert [(one.quote, one.relevant) for one in judgements.standing()] == [("Goods may be sent back", True), ("We pay", False)]


def test_a_passage_is_judged_where_half_of_the_smaller_was() -> None:
    text = "abcd efgh ijkl"
    assert same_passage(text, Span(0, 4), Span(0, 14))
    assert same_passage(text, Span(0, 4), Span(2, 14))  # 2 of 4
    assert not same_passage(text, Span(0, 4), Span(3, 14))  # 1 of 4
    assert not same_passage(text, Span(0, 4), Span(4, 14))
    assert not same_passage(text, Span(4, 5), Span(0, 14)), "white space is no passage"
    assert same_passage(text, Span(3, 9), Span(5, 14))  # 4 of d + efgh


def test_judgements_survive_another_chunking(tmp_path: Path) -> None:
    judgements = log(tmp_path)
    judgements.record("q1", "refunds", TEXT[: FIRST.end], True)
    passages = judged(judgements)
    assert relevant(passages, Span(0, len(TEXT))) is True
    assert relevant(passages, Span(0, 20)) is True
    assert relevant(passages, SECOND) is None
    assert relevant(passages, FIRST, qid="q2") is None
    assert passages.judged("q1", "elsewhere", FIRST) is None


def test_a_long_passage_is_not_judged_by_a_short_part_that_is_not_relevant(tmp_path: Path) -> None:
    text = "One two three. " * 10 + "Four five six."
    whole, part, more = Span(0, len(text)), Span(0, 29), Span(0, 120)
    judgements = log(tmp_path)
    judgements.record("q1", "refunds", text[-14:], False)
    assert relevant(judged(judgements, text), whole) is None, "nobody has read the rest"
    assert relevant(judged(judgements, text), Span(len(text) - 9, len(text))) is False
    judgements.record("q1", "refunds", text[-14:], True)
    assert relevant(judged(judgements, text), whole) is True
    judgements.record("q1", "refunds", text[more.start : more.end], False)
    assert relevant(judged(judgements, text), whole) is False
    assert relevant(judged(judgements, text), part) is False
    long = "word " * 3_000
    judgements.record("q2", "refunds", long, False)
    assert relevant(judged(judgements, long), Span(0, len(long)), qid="q2") is False


def test_of_judgements_about_the_same_passage_the_latest_counts(tmp_path: Path) -> None:
    judgements = log(tmp_path)
    judgements.record("q1", "refunds", TEXT, False)
    judgements.record("q1", "refunds", TEXT[: FIRST.end], True)
    passages = judged(judgements)
    assert relevant(passages, FIRST) is True
    assert relevant(passages, SECOND) is False, "what nobody looked at again keeps its judgement"
    judgements.record("q1", "refunds", TEXT, None)
    assert relevant(judged(judgements), SECOND) is None


def test_words_are_found_reworded_and_gone_ones_are_stale(tmp_path: Path) -> None:
    judgements = log(tmp_path)
    judgements.record("q1", "refunds", TEXT[: FIRST.end], True)
    gone = judgements.record("q1", "refunds", "The moon is made of cheese.", False)
    away = judgements.record("q2", "no/such/page", "We pay the way back.", True)
    assert judged(judgements).stale() == [gone, away]
    assert judged(judgements).stale(["q2", "q3"]) == [away]
    moved = judged(judgements, "# Refunds\n\n" + TEXT.replace("may be sent", "can be sent"))
    assert relevant(moved, Span(11, 11 + FIRST.end)) is True
    changed = judged(judgements, TEXT.replace("30", "14"))
    assert relevant(changed, FIRST) is None, "another number is another statement"
    assert len(changed.stale(["q1"])) == 2


def test_so_many_are_looked_for_reworded_and_no_more() -> None:
    text = TEXT.replace("may be sent", "can be sent").replace("We pay", "We\n pay")
    one = Judgement("j-1", "q1", "refunds", TEXT[: FIRST.end], True)
    two = Judgement("j-2", "q2", "refunds", TEXT[: FIRST.end], True)
    three = Judgement("j-3", "q3", "refunds", TEXT[SECOND.start : SECOND.end], True)
    for most, stale in ((0, [one, two]), (1, [two]), (2, []), (None, [])):
        passages = JudgedPassages([one, two, three], corpus_of({"refunds": text}), reworded=most)
        assert passages.stale() == stale
        assert passages.of("q3")[0].spans, "white space is no rewording"


def test_a_very_long_passage_is_known_by_its_beginning(tmp_path: Path) -> None:
    text = " ".join(f"word{number}" for number in range(20_000))
    quote = passage_quote(text)
    assert 3_900 < len(quote) <= 4_000
    assert text.startswith(quote + " ")
    assert len(passage_quote("x" * 9_000)) == 4_000
    judgements = log(tmp_path)
    judgements.record("q1", "refunds", text, True)
    assert relevant(judged(judgements, text), Span(0, len(text))) is True


def test_logs_of_two_branches_merge_in_any_line_order(tmp_path: Path) -> None:
    judgements = log(tmp_path)
    judgements.record("q1", "refunds", "We pay", True)
    judgements.record("q1", "refunds", "We pay", False)
    judgements.undo()
    judgements.record("q2", "refunds", "Parcels leave", True)
    expected = judgements.standing()
    lines = judgements.path.read_bytes().splitlines(keepends=True)
    for order in itertools.permutations(lines):
        judgements.path.write_bytes(b"".join(order) + order[0])
        assert judgements.standing() == expected
        assert judgements.problems() == []


def test_bad_lines_are_told_by_number_and_the_rest_counts(tmp_path: Path) -> None:
    judgements = log(tmp_path)
    good = judgements.record("q1", "refunds", "We pay", True)
    at = '"at": "2026-01-01T00:00:00Z"'
    bad = [
        "{",
        '{"id": "j-1", "qid": "q1", "quote": "x", "relevant": true, ' + at + "}",
        '{"id": "j-2", "qid": "q1", "doc": "d", "quote": " ", "relevant": true, ' + at + "}",
        '{"id": "j-3", "qid": "q1", "doc": "d", "quote": "x", "relevant": 1, ' + at + "}",
        '{"id": "j-4", "qid": "q1", "doc": "d", "quote": ["x"], "relevant": true, ' + at + "}",
        '{"id": "j-5", "qid": "q1", "doc": "d", "quote": "x", "relevant": true}',
        "=======",
    ]
    with open(judgements.path, "a", encoding="utf-8") as handle:
        handle.write("\n".join(bad) + "\n")
    problems = judgements.problems()
    assert [problem.line for problem in problems] == [2, 3, 4, 5, 6, 7, 8]
    for problem, says in zip(
        problems, ["not JSON", "doc:", "quote:", "true, false or null", "quote: a string", "a time", "conflict"], strict=True
    ):
        assert says in problem.message
    assert judgements.standing() == [good]


def test_nothing_to_judge_writes_nothing(tmp_path: Path) -> None:
    judgements = log(tmp_path)
    for qid, doc, quote in (("", "refunds", "x"), ("q1", "", "x"), ("q1", "refunds", " \n")):
        with pytest.raises(UsageError):
            judgements.record(qid, doc, quote, True)
    assert not judgements.path.exists()
    assert (judgements.standing(), judgements.undo()) == ([], None)


def test_a_read_only_log_says_so(tmp_path: Path) -> None:
    judgements = log(tmp_path)
    judgements.record("q1", "refunds", "We pay", True)
    judgements.path.chmod(0o444)
    with pytest.raises(StorageError, match="read-only"):
        judgements.record("q1", "refunds", "We pay", False)


def test_hostile_text_comes_back(tmp_path: Path) -> None:
    judgements = log(tmp_path)
    for text in ["[/path]", "\x1b[2J", "a\nb", "\u202e", "\x00", "🙂", "\ud800x"]:
        judgements.record(text, text, text, True, by=text)
    clean = ["[/path]", "\x1b[2J", "a\nb", "\u202e", "\x00", "🙂", "\ufffdx"]
    assert [one.quote for one in judgements.standing()] == clean
    assert JudgedPassages(judgements.standing(), corpus_of({"[/path]": "[/path]"})).of("[/path]")[0].spans == (Span(0, 7),)


def test_random_chunkings_count_what_was_judged_and_nothing_else() -> None:
    rng = random.Random(5)
    words = [f"w{number}" for number in range(400)]
    text = " ".join(words)
    starts = [text.index(word) for word in words]
    for _ in range(200):
        low = rng.randrange(380)
        high = rng.randrange(low + 1, min(400, low + 60))
        span = Span(starts[low], starts[high] - 1)
        one = Judgement("j-1", "q1", "refunds", text[span.start : span.end], True)
        passages = judged([one], text)
        assert passages.of("q1")[0].spans == (span,)
        cut = sorted(rng.sample(starts, 20))
        for start, end in itertools.pairwise([0, *cut, len(text)]):
            if start < end:
                assert (passages.judged("q1", "refunds", Span(start, end)) is one) == same_passage(text, span, Span(start, end))

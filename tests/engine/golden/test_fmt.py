from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragtriage.errors import GoldenError
from ragtriage.golden.file import KEY_ORDER, LINE_ORDER, append_question, read_golden
from ragtriage.golden.fmt import Formatted, format_golden
from ragtriage.ids import question_id
from ragtriage.json_lines import load_json

SAMPLE = Path(__file__).resolve().parents[3] / "sample_corpus" / "evals" / "golden.jsonl"


def formatted(*lines: str, **more: Any) -> Formatted:
    return format_golden("".join(line + "\n" for line in lines).encode(), "g", **more)


def form(*lines: str) -> list[str]:
    return formatted(*lines).data.decode().splitlines()


def test_keys_stand_in_their_order_and_unknown_ones_behind_in_their_own() -> None:
    line = '{"zeta":1, "question" : "a", "evidence":[{"doc":"d","quote":"x"}],"alpha":[1 ,2],"qid":"q1"}'
    assert form(line) == [
        '{"qid": "q1", "question": "a", "evidence": [{"doc": "d", "quote": "x"}], "zeta": 1, "alpha": [1 ,2]}'
    ]


@pytest.mark.parametrize(
    "value",
    [
        "1e400",
        "-0.0",
        "1.0",
        "1",
        "1E+2",
        "9" * 40,
        '"caf\\u00e9 \\/ é"',
        '"\\ud800"',
        "[ 1,2 ]",
        '{"b":1,  "a" :2}',
        "NaN",
        "null",
    ],
)
def test_unknown_values_stay_character_by_character(value: str) -> None:
    line = f'{{"qid": "q1", "question": "a", "mine": {value}}}'
    assert form(line) == [line]
    assert form(f'{{"mine":{value},"question":"a","qid":"q1"}}') == [line]


def test_known_values_keep_their_spelling_and_get_their_spaces() -> None:
    line = '{"qid":"q\\u0031","question":"a , b : c","evidence":[ {"doc":"d","at":1.0} ]}'
    assert form(line) == ['{"qid": "q\\u0031", "question": "a , b : c", "evidence": [{"doc": "d", "at": 1.0}]}']


def test_a_key_with_an_escape_is_the_key_it_reads_as() -> None:
    assert form('{"question": "a", "\\u0071id": "q1"}') == ['{"\\u0071id": "q1", "question": "a"}']


@pytest.mark.parametrize(
    ("line", "text"),
    [('{"question": "why"}', "why"), ('{"q": "why"}', "why"), ('{"text": "why"}', "why"), ('{"qid": null, "q": "why"}', "why"),
     ('{"q": "why", "qid": " "}', "why")],
)  # fmt: skip
def test_a_line_without_an_id_is_given_the_one_it_goes_by(line: str, text: str) -> None:
    [new] = form(line)
    assert new.startswith(f'{{"qid": "{question_id(text)}", ')
    assert new.count('"qid"') == 1
    assert formatted(line).named == 1


@pytest.mark.parametrize(
    "line", ['{"id": 7, "q": "why"}', '{"_id": "x", "text": "why"}', '{"mine": 1}', '{"qid": 1.5, "q": "why"}']
)
def test_other_lines_are_not(line: str) -> None:
    assert form(line) == [line]


def test_keys_of_other_dialects_keep_their_names() -> None:
    assert form('{"relevant": ["d"], "q": "why", "id": 7}') == ['{"id": 7, "q": "why", "relevant": ["d"]}']


def test_what_says_the_same_is_kept_once() -> None:
    one = '{"qid": "q1", "question": "a", "x": 1, "y": 2}'
    found = formatted(one, '{"qid": "q2", "question": "b"}', '{"y":2,"x":1,"question":"a","qid":"q1"}')
    assert found.data.decode().splitlines() == [one, '{"qid": "q2", "question": "b"}']
    assert found.repeated == 1


def test_another_number_is_another_line() -> None:
    assert len(form('{"qid": "q1", "question": "a", "x": 1}', '{"qid": "q1", "question": "a", "x": 1.0}')) == 2


def test_line_ends_written_twice_are_one() -> None:
    once = format_golden(b'{"qid": "q1", "question": "a"}\r\r\n# no question\r\r\n', "golden.jsonl")
    assert once.data == b'{"qid": "q1", "question": "a"}\n# no question\n'
    assert format_golden(once.data, "golden.jsonl") == Formatted(once.data)


def test_line_ends_marks_and_blank_lines() -> None:
    data = b'\xef\xbb\xbf{"qid": "q1", "question": "a"}\r\n\r\n  \n\xef\xbb\xbf{"qid": "q2", "question": "b"}'
    found = format_golden(data, "g")
    assert found.data == b'{"qid": "q1", "question": "a"}\n{"qid": "q2", "question": "b"}\n'
    assert (found.blank, found.ended, found.ordered) == (2, 4, 0)


def test_an_empty_file_stays_empty() -> None:
    assert format_golden(b"", "g") == Formatted(b"")


@pytest.mark.parametrize(
    "line", ["nonsense", "[1, 2]", '{"a": 1', '{"a": 1, "a": 2}', '{"e": [{"d": 1, "d": 2}]}', '"x"', '{"q": ' + "[" * 5000]
)
def test_what_no_golden_file_can_hold_stays_as_it_is(line: str) -> None:
    assert form(line, '{"question":"a","qid":"q1"}') == [line, '{"qid": "q1", "question": "a"}']


def test_bytes_that_are_no_text_stay_as_they_are() -> None:
    assert format_golden(b'{"qid": "\xff"}\n', "g").data == b'{"qid": "\xff"}\n'
    with pytest.raises(GoldenError, match="g: UTF-16"):
        format_golden('{"qid": "x"}'.encode("utf-16"), "g")


def test_a_file_with_conflict_markers_is_left_alone() -> None:
    lines = ("<<<<<<< HEAD", '{"question":"a","qid":"q1"}', "=======", '{"question":"b","qid":"q2"}', ">>>>>>> x")
    found = formatted(*lines)
    assert found.data.decode().splitlines() == list(lines)
    assert found.conflicts == 3


def test_what_is_appended_is_in_form(tmp_path: Path) -> None:
    path = tmp_path / "g.jsonl"
    more = {"expect": "guard", "split": "holdout", "mine": {"b": 1, "a": 2}, "source": {"from": "ticket", "text": "é\u2028"}}
    append_question(path, {"question": "why", **more, "evidence": ["d"], "relevant": ["d"]})
    assert format_golden(path.read_bytes(), "g") == Formatted(path.read_bytes())


def test_the_orders_agree() -> None:
    assert [key for key in LINE_ORDER if key in KEY_ORDER] == list(KEY_ORDER)


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=3),
    max_leaves=6,
)
KEYS = st.sampled_from(LINE_ORDER) | st.text(max_size=5)
OBJECTS = st.dictionaries(KEYS, VALUES, max_size=7)


@st.composite
def spellings(draw: st.DrawFn) -> str:
    """An object in one of the ways in which programs write it."""
    value = draw(OBJECTS)
    comma, colon = draw(st.sampled_from([(",", ":"), (", ", ": "), (" ,\t", " : ")]))
    return json.dumps(value, ensure_ascii=draw(st.booleans()), separators=(comma, colon))


LINES = st.lists(spellings() | st.sampled_from(["", " ", "junk", "[1]", '{"a":1,"a":2}']), max_size=5)


@given(LINES, st.sampled_from(["\n", "\r\n"]), st.booleans())
def test_formatting_twice_is_formatting_once_and_says_the_same(lines: list[str], end: str, closed: bool) -> None:
    data = (end.join(lines) + (end if closed else "")).encode("utf-8", "surrogatepass")
    once = format_golden(data, "g")
    assert format_golden(once.data, "g") == Formatted(once.data)

    def objects(text: bytes) -> list[dict[str, Any]]:
        found = []
        for line in text.split(b"\n"):
            try:
                value = load_json(line, exact=True)
            except ValueError:
                continue
            found += [value] if isinstance(value, dict) else []
        return found

    before, after = objects(data), objects(once.data)
    assert len(before) == len(after) + once.repeated
    for value in before:
        assert any(
            value == {**new, **({"qid": value["qid"]} if "qid" in value else {})} or value.items() <= new.items()
            for new in after
        )


def test_the_sample_reads_the_same_afterwards(tmp_path: Path) -> None:
    path = tmp_path / "golden.jsonl"
    path.write_bytes(format_golden(SAMPLE.read_bytes(), "g").data)
    assert read_golden(path).questions == read_golden(SAMPLE).questions

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragtriage.golden.spelled import repeated_keys, respaced, spell

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=3),
    max_leaves=8,
)
OBJECTS = st.dictionaries(st.text(max_size=5), VALUES, max_size=5)


@given(OBJECTS, st.booleans(), st.sampled_from([(",", ":"), (", ", ": "), (" , ", " :\t")]))
def test_members_are_cut_where_they_stand(value: dict[str, object], escaped: bool, separators: tuple[str, str]) -> None:
    text = json.dumps(value, ensure_ascii=escaped, separators=separators)
    spelled = spell(text)
    assert [member.key for member in spelled.members] == list(value)
    assert repr(json.loads(str(spelled))) == repr(value)
    assert repr(spelled.value) == repr(value)
    assert all(member.name in text and member.value in text for member in spelled.members)
    assert respaced(text) == json.dumps(value, ensure_ascii=escaped)
    assert repeated_keys(text) == []


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("", "a JSON object is needed"),
        ("[1]", "a JSON object is needed"),
        ("{", "a key is needed"),
        ("{,}", "a key is needed"),
        ("{1:2}", "a key is needed"),
        ('{"a" 1}', "':' is needed at column 6"),
        ('{"a":1,}', "a key is needed at column 8"),
        ('{"a":1 "b":2}', "',' is needed"),
        ('{"a":1} {"b":2}', "more than one value"),
        ('{"a":}', "Expecting value"),
        ('{"a":1,"\\u0061":2}', "'a' stands twice"),
        ('{"a":[{"b":1,"b":2}]}', "'b' stands twice"),
        ('{"a":' + "[" * 100_000, "nested too deeply"),
    ],
)
def test_what_is_no_object_is_said(text: str, says: str) -> None:
    with pytest.raises(ValueError, match=says):
        spell(text)


def test_numbers_of_any_length_are_passed_over() -> None:
    text = '{"n": ' + "9" * 10_000 + ', "e": 1e400}'
    assert str(spell(text)) == text
    assert repeated_keys(text) == []


def test_repeated_keys_are_found_at_any_depth_each_once() -> None:
    assert repeated_keys('{"a": [{"b": 1, "b": 2, "b": 3}, {"b": 1, "b": 2}], "a": 1, "c": 2}') == ["b", "a"]
    assert repeated_keys('{"a": 1, "a"') == []


def test_identity_is_what_is_said_in_whatever_order() -> None:
    assert spell('{"a":[1, 2],"b":1}').identity == spell('{"b": 1, "a": [1,2]}').identity
    assert spell('{"a": 1}').identity != spell('{"a": 1.0}').identity

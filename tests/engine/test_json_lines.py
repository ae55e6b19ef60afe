"""JSON as users' files hold it, and as it is written."""

from __future__ import annotations

import json
import math
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragtriage.json_lines import dump_line, dump_pretty, dump_spaced, load_json
from ragtriage.surrogates import clean_text


def test_json_that_strict_readers_refuse() -> None:
    assert load_json(b'\xef\xbb\xbf{"a": 1}') == {"a": 1}
    assert load_json('\ufeff{"a": 1}') == {"a": 1}
    assert load_json(rb'{"a\ud800": ["\udfff", "\ud83d\ude42"]}') == {"a\ufffd": ["\ufffd", "🙂"]}
    assert math.isnan(load_json(b"NaN"))
    assert load_json(b'{"n": 1208925819614629174706176}', exact=True) == {"n": 2**80}
    assert load_json('{"n": 1208925819614629174706176, "s": "\\ud800"}', exact=True) == {"n": 2**80, "s": "\ufffd"}


@pytest.mark.parametrize(
    "data", [b"", b"{", b"\xff\xfe{}", b"{}{}", b"[" * 100_000, b'{"a":' * 100_000, b"9" * 5000 + b"x", b"\x00"]
)
def test_what_is_no_json_is_a_value_error(data: bytes) -> None:
    for exact in (False, True):
        with pytest.raises(ValueError, match=r"\S"):
            load_json(data, exact=exact)


_json = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**70), 2**70) | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)


@given(_json)
def test_a_written_line_is_one_line_and_reads_back(value: Any) -> None:
    for dump in (dump_line, dump_spaced):
        line = dump(value)
        assert line.count(b"\n") == 1
        assert line.endswith(b"\n")
        assert load_json(line, exact=True) == value


def test_a_lone_surrogate_is_written_as_its_escape() -> None:
    assert dump_line({"a": "x\ud800"}) == b'{"a": "x\\ud800"}\n'
    assert dump_spaced(["é", "\udfff"]) == '["é", "\\udfff"]\n'.encode()
    assert clean_text("a\ud800b🙂") == "a\ufffdb🙂"


def test_json_for_people_holds_what_json_can_hold() -> None:
    value = {"number": 10**30, "text": "\ud800 café"}
    written = dump_pretty(value)
    assert json.loads(written) == value
    assert "café".encode() in written

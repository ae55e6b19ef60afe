from __future__ import annotations

import contextlib
import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.engine.answers.judges import reply

from ragtriage.answers.judge_reply import BadReply, read_reply
from ragtriage.types import AXES

GOOD = reply("yes no ? yes no", ["It snows."])
VERDICTS = (True, False, None, True, False)


def grounded(**fields: Any) -> str:
    return reply(grounded={"reason": "", "verdict": "no", "unsupported_claims": [], **fields})


@pytest.mark.parametrize(
    "text",
    [
        GOOD,
        f"\n\n  {GOOD}\n",
        f"```json\n{GOOD}\n```",
        f"Here is what I think.\n\n```\n{GOOD}\n```\nI hope that helps {{really}}!",
        f"<think>If {{a}} then {reply('no no no no no')}, but no.</think>\n{GOOD}",
        f"The set {{x | x > 0}} is open. {GOOD}",
        "\ufeff" + GOOD,
        json.dumps(json.loads(GOOD), indent=4),
        json.dumps(dict(reversed(json.loads(GOOD).items()))),
        GOOD.replace('"yes"', '"Yes"').replace('"cannot tell"', '" CANNOT TELL "'),
    ],
)
def test_json_of_the_right_shape_is_read_whatever_stands_around_it(text: str) -> None:
    reading = read_reply(text)
    assert reading.verdicts == VERDICTS
    assert reading.claims == ("It snows.",)
    assert reading.on("grounded") is False


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("", "it is empty"),
        (" \n", "it is empty"),
        ("yes", "no JSON object"),
        ("[]", "no JSON object"),
        ("{}", "lacks addresses, cited, correct, grounded, honest"),
        ("null", "no JSON object"),
        (GOOD[:-40], "it is not JSON"),
        (GOOD.replace('"no"', "no", 1), "it is not JSON"),
        (reply(overall={"verdict": "yes"}), "the object has the unknown key 'overall'"),
        (reply(correct={"verdict": "yes"}), "correct lacks reason"),
        (reply(correct={"verdict": "yes", "reason": "", "score": 1}), "correct has the unknown key 'score'"),
        (reply(cited={"verdict": "yes", "reason": "", "unsupported_claims": []}), "cited has the unknown key"),
        (reply(correct={"verdict": "perhaps", "reason": ""}), 'correct.verdict must be "yes", "no" or "cannot tell"'),
        (reply(correct={"verdict": True, "reason": ""}), "correct.verdict must be"),
        (reply(correct={"verdict": ["yes"], "reason": ""}), "correct.verdict must be"),
        (reply(correct={"verdict": "yes", "reason": None}), "correct.reason must be a string"),
        (reply().replace('"so it is honest"', "NaN"), "NaN is not JSON"),
        (reply().replace('"so it is honest"', "-Infinity"), "-Infinity is not JSON"),
        (reply().replace('"so it is honest"', "9" * 5000), "not JSON of the shape"),
        (reply().replace('"so it is honest"', "[" * 5000 + "]" * 5000), "not JSON of the shape"),
        (reply().replace('"so it is honest"', '{"a":' * 5000), "not JSON of the shape"),
        (reply().replace('"honest"', '"correct"', 1), "a key occurs twice"),
        (grounded(verdict="yes", unsupported_claims=["It snows."]), "unsupported_claims is not empty"),
        (grounded(unsupported_claims="It snows."), "must be a list of strings"),
        (grounded(unsupported_claims=["It snows.", 3]), "must be a list of strings"),
        (grounded(unsupported_claims=None), "must be a list of strings"),
        (reply(grounded={"verdict": "yes", "reason": ""}), "grounded lacks unsupported_claims"),
        ("{" * 100_000, "it is not JSON"),
        ('{"correct":' * 100_000, "not JSON of the shape|it is not JSON"),
        ("x" * (5 << 20), "characters long"),
    ],
)
def test_anything_else_is_one_sentence(text: str, says: str) -> None:
    with pytest.raises(BadReply, match=says) as raised:
        read_reply(text)
    assert len(str(raised.value)) < 200
    with pytest.raises(BadReply, match="cut off before its end"):
        read_reply(text, cut=True) if "not empty" not in says else read_reply("{", cut=True)


def test_not_an_object_on_an_axis() -> None:
    values: list[Any] = ["yes", None, 1, [], True]
    for value in values:
        said = {**json.loads(reply()), "honest": value}
        with pytest.raises(BadReply, match="honest must be a JSON object"):
            read_reply(json.dumps(said))


def test_a_reply_that_was_cut_after_its_end_is_whole() -> None:
    assert read_reply(GOOD, cut=True).verdicts == VERDICTS


def test_claims_are_cut_in_number_and_length() -> None:
    many = read_reply(grounded(unsupported_claims=[f"claim {number}" for number in range(100_000)])).claims
    assert many == tuple(f"claim {number}" for number in range(20))
    long = read_reply(grounded(unsupported_claims=["x" * 1_000_000, "x" * 1_000_000, " ", "y"]))
    assert [len(claim) for claim in long.claims] == [300, 1]


def test_lone_surrogates_come_out_as_what_a_file_can_hold() -> None:
    reading = read_reply(grounded(unsupported_claims=["a \ud800 b"]))
    assert reading.claims == ("a \ufffd b",)
    with pytest.raises(BadReply) as raised:
        read_reply(json.dumps({**json.loads(reply()), "\ud800": 1}))
    str(raised.value).encode("utf-8")


JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.floats()
    | st.integers()
    | st.text(max_size=5)
    | st.sampled_from(["yes", "no", "cannot tell"]),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(["verdict", "reason", *AXES]), inner, max_size=5)
    ),
    max_leaves=20,
)


@settings(deadline=None)
@given(st.dictionaries(st.sampled_from(AXES), JSON), st.text(max_size=20), st.integers(0, 400))
def test_no_reply_is_a_crash(said: dict[str, Any], around: str, cut_at: int) -> None:
    whole = around + json.dumps({**json.loads(reply()), **said}) + around
    for text in (whole, whole[:cut_at], around):
        with contextlib.suppress(BadReply):
            assert len(read_reply(text).verdicts) == 5

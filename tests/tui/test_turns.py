"""While a job computes, turns of the interpreter are short, and as they were when the last one is over."""

from __future__ import annotations

import sys

import pytest

from ragtriage_tui.bridge.turns import short_turns


def test_turns_are_short_until_the_last_job_is_over() -> None:
    usual = sys.getswitchinterval()
    short_turns.__enter__()
    short = sys.getswitchinterval()
    assert short < usual
    short_turns.__enter__()
    short_turns.__exit__(None, None, None)
    assert sys.getswitchinterval() == short  # one of both still goes on
    short_turns.__exit__(None, None, None)
    assert sys.getswitchinterval() == usual


def test_a_job_that_fails_leaves_nothing_behind() -> None:
    usual = sys.getswitchinterval()
    with pytest.raises(ValueError, match="gone"), short_turns:
        raise ValueError("gone")
    assert sys.getswitchinterval() == usual

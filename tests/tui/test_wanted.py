"""Which sentence answers in kind."""

from __future__ import annotations

import pytest

from ragtriage_tui.bridge.wanted import holds_wanted

ASKED = "how long does an invite link live"


@pytest.mark.parametrize(
    ("question", "better", "worse"),
    [
        (ASKED, "The invitation is valid for 72 hours.", "A second invitation makes the first one invalid."),
        (ASKED, "It lives for ten days.", "It lives for days."),
        ("when do i get my money", "On the next business day, within 24 hours.", "It goes to your account."),
        ("what does a chargeback cost me", "The fee is €15.", "The bank informs us."),
        ("how many terminals may i have", "Up to two.", "All that you need."),
    ],
)
def test_what_is_asked_for_weighs_more(question: str, better: str, worse: str) -> None:
    assert holds_wanted(question, better) > holds_wanted(question, worse) >= 0


def test_where_no_number_is_asked_for_none_weighs() -> None:
    assert holds_wanted("who pays customs", "You pay 20 euros within 3 days.") == 0

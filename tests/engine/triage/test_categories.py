from __future__ import annotations

import pytest

from ragtriage.errors import UsageError
from ragtriage.triage.categories import CATEGORIES, category


def test_seven_keys_and_slugs() -> None:
    assert [(one.key, one.slug) for one in CATEGORIES] == [
        ("1", "not-retrieved"),
        ("2", "ranked-too-low"),
        ("3", "misused"),
        ("4", "made-up"),
        ("5", "should-have-refused"),
        ("6", "bad-label"),
        ("7", "refused-wrongly"),
    ]


@pytest.mark.parametrize("name", ["2", "ranked-too-low", "ranked too low", " Ranked-Too-Low "])
def test_a_category_goes_by_key_slug_and_name(name: str) -> None:
    assert category(name).slug == "ranked-too-low"


def test_another_name_gets_the_nearest_or_all() -> None:
    with pytest.raises(UsageError, match="did you mean bad-label"):
        category("bad-lable")
    with pytest.raises(UsageError, match="1 not-retrieved, 2 ranked-too-low"):
        category("9")

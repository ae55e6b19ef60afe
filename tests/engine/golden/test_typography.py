from __future__ import annotations

from ragtriage.golden.typography import DASHES, DOUBLE_QUOTES, SINGLE_QUOTES, fold


def test_fold() -> None:
    assert fold(" a\u00a0 b\n“c” – d’s ") == 'a b "c" - d\'s'
    assert fold(SINGLE_QUOTES) == "'" * len(SINGLE_QUOTES)
    assert fold(DOUBLE_QUOTES) == '"' * len(DOUBLE_QUOTES)
    assert fold(DASHES) == "-" * len(DASHES)

"""Safe text, its width, and how it is cut."""

from __future__ import annotations

import ast
import itertools
import random
import unicodedata
from pathlib import Path

import pytest
from tests.soak import rounds
from tests.tui.demo import HOSTILE

import ragtriage_tui
from ragtriage_tui.text import Extent, clip, clip_middle, fit, one_line, scrub, snippet, take, to_ascii, width, wrap

BIDI = "\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069"


def test_nothing_a_terminal_obeys_is_left() -> None:
    everything = "".join(map(chr, range(0x100))) + BIDI + "\ud800\udfff\u2028\u2029\U000e0041\ufeff"
    seen = scrub(everything)
    bad = [character for character in seen if character != "\n" and (unicodedata.category(character) in ("Cc", "Cs"))]
    assert bad == []
    assert not set(BIDI) & set(seen)
    seen.encode("utf-8")


def test_scrubbing_keeps_every_place_where_it_is() -> None:
    assert len(scrub(HOSTILE)) == len(HOSTILE)
    assert scrub("a\x1bb\x00c\td") == "a␛b␀c d"
    assert scrub(scrub(HOSTILE)) == scrub(HOSTILE)
    assert scrub("plain [red]text[/] ✗ 日本") == "plain [red]text[/] ✗ 日本"


@pytest.mark.parametrize(
    ("text", "cells"), [("", 0), ("abc", 3), ("日本", 4), ("e\u0301", 1), ("…✗●◐⋯", 5), (scrub("👩\u200d👧"), 4), ("\u200b", 0)]
)
def test_width_is_in_cells(text: str, cells: int) -> None:
    assert width(text) == cells


def test_clipping_shows_its_loss() -> None:
    assert clip("how long do i have to send", 20) == "how long do i have…"
    assert clip("how long", 8) == "how long"
    assert clip("日本語です", 6) == "日本…"
    assert clip("anything", 0) == ""
    assert clip("ab", 1) == "…"


def test_a_chunk_id_never_loses_its_number() -> None:
    assert clip_middle("faq-damaged-goods#1", 17) == "faq-damaged-go…#1"
    assert clip_middle("runbooks/payout-delay#12", 23) == "runbooks/payout-del…#12"
    assert clip_middle("short#1", 10) == "short#1"
    assert clip_middle("no-number-at-all", 8) == "no-numb…"
    assert clip_middle("a#123456789", 6) == "a#123…"


def test_fitting_pads_by_cells() -> None:
    assert fit("日本", 6) == "日本  "
    assert fit("12", 4, right=True) == "  12"
    assert width(fit("日本語", 4)) == 4


def test_a_snippet_begins_at_the_evidence() -> None:
    text = "## Time limits\n\nA return must be started within 30 days of delivery. The parcel then"
    at = text.index("within")
    shown, places = snippet(text, (Extent(at, at + 26),), 40)
    assert shown == "…within 30 days of delivery. The parcel…"
    assert [shown[start:end] for start, end in places] == ["within 30 days of delivery"]
    shown, places = snippet(text, (Extent(at, at + 26),), 14)
    assert shown == "…within 30 da…"
    assert [shown[start:end] for start, end in places] == ["within 30 da…"]


def test_a_snippet_that_fits_begins_at_the_beginning() -> None:
    assert snippet("within 30 days", (Extent(7, 9),), 40) == ("within 30 days", (Extent(7, 9),))
    assert snippet("one\n\n  two", (), 40) == ("one two", ())


def test_a_snippet_of_a_megabyte_looks_at_a_little_of_it() -> None:
    text = "x " * 500_000 + "needle" + " y" * 500_000
    shown, places = snippet(text, (Extent(1_000_000, 1_000_006),), 20)
    assert [shown[start:end] for start, end in places] == ["needle"]


def test_rows_of_wrapped_text_are_places_in_it() -> None:
    text = "can i send the terminal back if i just don't like it"
    assert [text[start:end] for start, end in wrap(text, 49)] == ["can i send the terminal back if i just don't like", "it"]
    assert [text[start:end] for start, end in wrap(text, 20, 2)] == ["can i send the", "terminal back if i"]
    assert wrap("", 10) == [Extent(0, 0)]
    assert ["a\n\nb"[start:end] for start, end in wrap("a\n\nb", 10)] == ["a", "", "b"]
    assert ["abcdef"[start:end] for start, end in wrap("abcdef", 4)] == ["abcd", "ef"]


def test_wrapping_loses_only_blanks_and_fits() -> None:
    draw = random.Random(1)
    for _ in range(rounds(300, 20_000)):
        text = "".join(draw.choice("ab  \n日é\u0301[]") for _ in range(draw.randrange(60)))
        cells = draw.randrange(2, 12)
        rows = wrap(text, cells)
        assert all(width(text[start:end]) <= cells for start, end in rows)
        assert all(before.end <= after.start for before, after in itertools.pairwise(rows))
        kept = "".join(text[start:end] for start, end in rows)
        assert "".join(kept.split()) == "".join(text.split())


def test_taking_never_exceeds_the_cells() -> None:
    draw = random.Random(2)
    for _ in range(rounds(300, 20_000)):
        text = "".join(draw.choice("a日é\u0301\u200b ") for _ in range(draw.randrange(30)))
        cells = draw.randrange(0, 12)
        assert width(take(text, cells)) <= cells
        assert text.startswith(take(text, cells))
        assert width(clip(text, cells)) <= cells


def test_ascii_keeps_every_cell() -> None:
    marks = "✗✓●◐↑↓■▸·…━─╌│┬├┤┼⋯–›"
    assert to_ascii(marks) == "xy@o^v#>.~=--|++++~->"
    for text in (marks, "café", "日本", one_line(scrub(HOSTILE)), "ﬁn", "½"):
        assert to_ascii(text, "ascii").isascii()
        assert len(to_ascii(text, "ascii")) == width(text)


def test_ascii_keeps_what_others_wrote_as_far_as_the_encoding_has_it() -> None:
    assert to_ascii("▸● €50 für 日本…") == ">@ €50 für 日本~"
    assert to_ascii("▸● €50 für 日本…", "iso8859-1") == ">@ ?50 für ????~"
    assert to_ascii("▸● €50 für 日本…", "iso8859-15") == ">@ €50 für ????~"
    assert to_ascii("▸● €50 für 日本…", "ascii") == ">@ ?50 fur ????~"


def test_every_character_of_our_own_has_its_ascii() -> None:
    folder = Path(ragtriage_tui.__file__).parent
    ours = {
        character
        for path in folder.rglob("*.py")
        if path.name != "text.py"  # speaks of all characters there are
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and "contract/§" not in node.value
        for character in node.value
    }
    assert {character for character in scrub("".join(ours)) if not to_ascii(character).isascii()} == set()


def test_what_is_cut_without_counting_has_one_cell_a_character() -> None:
    narrow = "".join(chr(code) for code in range(0x20, 0x2FFF) if take("é" + chr(code), 2) == "é" + chr(code))
    for start in range(0, len(narrow), 40):
        part = narrow[start : start + 40]
        assert width(take(part, 10)) <= 10
    for text in ("Größe der Übernachtung", "Ночь на реке", "Νύχτα στο ποτάμι", "“quoted” – €5"):
        assert [width(take(text, cells)) for cells in range(len(text))] == list(range(len(text)))
    assert take("e\u0301e\u0301", 1) == "e\u0301"


def test_one_line_folds_white_space() -> None:
    assert one_line(" a\n\n b\tc ") == "a b c"

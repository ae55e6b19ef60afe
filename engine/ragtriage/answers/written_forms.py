"""Ways of writing that are told apart by more than one word: dates, times of day, versions, fractions, grouped digits.

Each becomes one plain form before a text is cut into tokens: `January 5th, 2024` and `2024-01-05` read `5 january 2024`,
`5 p.m.` reads `17:00`, `v2.1` reads `version 2.1`, `2½` reads `2.5`.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable

__all__ = ["MONTHS", "plain_form"]

MONTHS = (
    "january", "february", "march", "april", "may", "june", "july", "august", "september", "october", "november", "december",
)  # fmt: skip
_FULL = {form: name for name in MONTHS for form in (name, name[:3])} | {"sept": "september"}
_MONTH = "|".join(sorted(_FULL, key=len, reverse=True))
_ORDINAL = r"(?:st|nd|rd|th)?"
_YEAR = r"[12]\d{3}(?!\d)"

_INVISIBLE = dict.fromkeys(map(ord, "\u00ad\u200b\u2060\ufeff"))
_FRACTIONS = {"½": ".5", "¼": ".25", "¾": ".75"}
_OF_TWO = {"1/2": ".5", "1/4": ".25", "3/4": ".75"}


def _from_iso(match: re.Match[str]) -> str:
    month = int(match[2])
    return f"{int(match[3])} {MONTHS[month - 1]} {match[1]}" if 1 <= month <= 12 else match[0]


def _from_words(match: re.Match[str]) -> str:
    """A month with its day, its year or both. `may 20 people` is no date: without a year the month has a capital."""
    month, day, year = match["month"] or match["after"], match["day"] or match["before"], match["year"] or ""
    if not (day or year) or (match["day"] and not year and month.islower()):
        return match[0]
    return " ".join(filter(None, (day, _FULL[month.casefold()], year)))


def _from_clock(match: re.Match[str]) -> str:
    hour = int(match[1])
    if hour > 12:
        return match[0]
    return f"{hour % 12 + (12 if match[3] in 'pP' else 0)}:{match[2] or '00'}"


_Step = tuple[tuple[str, ...], re.Pattern[str], str | Callable[[re.Match[str]], str]]
_STEPS: tuple[_Step, ...] = (
    # what a text in small letters must hold for a step to be worth its time, what is replaced, and by what
    # 1 000 000, 1’000; not the parts of a telephone number
    ((" ",), re.compile(r"(?<![\d.,+])(?<!\d )\d{1,3}(?: \d{3})+(?!\d|[ .,]\d)"), lambda match: match[0].replace(" ", "")),
    # 1.5M, $2B; a capital, since m is a metre
    (tuple(f"{digit}m" for digit in range(10)), re.compile(r"(?<![\w.,])(\d[\d.,]*)M(?!\w)"), r"\1 million"),
    (tuple(f"{digit}b" for digit in range(10)), re.compile(r"(?<![\w.,])(\d[\d.,]*)B(?!\w)"), r"\1 billion"),
    (
        ("1/2", "1/4", "3/4"),
        re.compile(r"(?<![\d.,/])(\d+)\s+(1/2|1/4|3/4)(?![\d/])"),
        lambda match: match[1] + _OF_TWO[match[2]],
    ),
    (tuple(f".{digit}" for digit in range(10)), re.compile(r"(?<![\w.,])\.(?=\d)"), "0."),
    (
        ("v", "ver"),
        re.compile(r"(?<![\w.])(?:v\.?|v\s(?=\d+\.\d)|ver\.?\s?)(?=\d)", re.IGNORECASE),
        "version ",
    ),
    # a 30- or 60-day window
    (("- ", "‐ ", "‑ "), re.compile(r"(\d)[-‐‑](?=\s+(?:or|and|to)\s+\d+[-‐‑]([a-z]+))", re.IGNORECASE), r"\1 \2"),
    # 20 to 30
    (("to",), re.compile(r"(\d)\s+to\s+(?=\d)"), r"\1-"),
    (("-0", "-1"), re.compile(r"(?<![\d-])([12]\d{3})-(\d\d)-(\d\d)(?![\d-])"), _from_iso),
    (
        tuple(name[:3] for name in MONTHS),
        re.compile(
            rf"(?<![\w.])(?:(?P<before>\d{{1,2}}){_ORDINAL}\s+(?:of\s+)?(?P<after>{_MONTH})\b|(?P<month>{_MONTH})\b\.?"
            rf"(?:\s+(?P<day>\d{{1,2}}){_ORDINAL}(?![\w:]|[.,/-]\d))?)(?:\.?,?\s+(?P<year>{_YEAR}))?",
            re.IGNORECASE,
        ),
        _from_words,
    ),
    (
        ("am", "pm", "a.m", "p.m"),
        re.compile(r"(?<![\d.,:])(\d{1,2})(?::(\d\d))?\s?([ap])(?:\.m\.|\.?m\b)", re.IGNORECASE),
        _from_clock,
    ),
    ((":",), re.compile(r"(?<![\d.,:])0(?=\d:\d\d(?![\d:]))"), ""),
)
_DIGIT = re.compile(r"\d")
_GROUPED = re.compile(r"(?<=\d)['’\u00a0\u2009\u202f](?=\d{3}(?!\d))")
_GLYPH = re.compile(r"(?<![\d.,])(\d+)([½¼¾])|(?<=\d)(?=[⅓⅔⅕⅖⅗⅘⅙⅚⅛⅜⅝⅞])")
_NON = re.compile(r"\b(non)[-‐‑](?=\w)", re.IGNORECASE)


def plain_form(text: str) -> str:
    """The text with each of these in its plain form, NFKC; anything else stays as it is."""
    if "&" in text:
        text = text.replace("&nbsp;", " ").replace("&amp;", "&")
    if not text.isascii():
        text = _GLYPH.sub(lambda match: match[1] + _FRACTIONS[match[2]] if match[1] else " ", text.translate(_INVISIBLE))
        text = unicodedata.normalize("NFKC", _GROUPED.sub("", text)).replace("\u2044", "/")
    elif "'" in text:
        text = _GROUPED.sub("", text)
    if "non" in text or "Non" in text or "NON" in text:
        text = _NON.sub(r"\1", text)  # what is non-refundable is not refundable
    if not _DIGIT.search(text):
        return text
    small = text.lower()
    for signs, pattern, plain in _STEPS:
        if any(sign in small for sign in signs):
            text = pattern.sub(plain, text)
    return text

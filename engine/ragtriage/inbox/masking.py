"""What is personal or secret in a report, put out of sight: e-mail addresses, tokens, card numbers, IBANs.

Part numbers, serial numbers, error codes, versions, hashes and UUIDs are what people ask about: none of them is touched. So a
number is a card's only with a network's first digits, its length, the usual groups and a right check digit (ISO/IEC 7812-1,
Luhn), an IBAN only with its country's length and a right check (ISO 13616, mod 97), and a token only with a maker's
prefix, or when it looks random behind a word such as `token=`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any, NamedTuple

from ragtriage.secret_tokens import TOKEN, token_spans
from ragtriage.types import Span

__all__ = ["KINDS", "Masked", "is_masked", "mask", "mask_value"]

KINDS: Mapping[str, str] = {"e-mail": "[e-mail]", "token": TOKEN, "card": "[card]", "iban": "[iban]"}
"""Each kind and what stands in its place."""

_PLACES = re.compile("|".join(map(re.escape, KINDS.values())))

_DOMAIN = re.compile(
    r"""@(?![1-4]x\.(?:avif|gif|jpe?g|png|svg|webp)\b)  # logo@2x.png
    (?:[^\W_](?:[\w-]{0,61}[^\W_])?\.){1,8}(?:xn--[a-z0-9-]{2,59}|[^\W\d_]{2,24})(?![^\W_])""",
    re.VERBOSE,
)
_LONGEST_LOCAL = 64

_BLANKS = " \u00a0\u2007\u2009\u202f"
_DIGITS = re.compile(rf"[0-9]+(?:[{_BLANKS}.\u2010-\u2013-][0-9]+)*")
_GROUP = re.compile(r"[0-9]+")
_CARD_WORD = re.compile(r"(?i)(?:visa|master|mastercard|amex|maestro|card|cc|pan|karte|carte)[-_/#.]?$")
_GROUPS: Mapping[int, tuple[tuple[int, ...], ...]] = {
    4: (
        *((4, 4, 4, 4, last) for last in (1, 2, 3)),
        (4, 4, 4, 4),
        (4, 6, 5),
        (4, 6, 4),
        *((4, 4, 4, last) for last in (3, 2, 1)),
    ),
    **{size: ((size,),) for size in range(13, 20)},
}
"""How many digits stand together in a card's number, by the size of the first group."""
_SIXTEEN_UP = frozenset(range(16, 20))
_THIRTEEN_UP = frozenset(range(13, 20))
_DINERS = frozenset((14, *_SIXTEEN_UP))
_NETWORKS: tuple[tuple[range, frozenset[int]], ...] = (
    (range(4000, 5000), frozenset((13, 16, 19))),  # Visa
    (range(5100, 5600), frozenset((16,))),  # Mastercard
    (range(2221, 2721), frozenset((16,))),
    (range(3400, 3500), frozenset((15,))),  # American Express
    (range(3700, 3800), frozenset((15,))),
    (range(3000, 3060), _DINERS),  # Diners Club
    (range(3095, 3096), _DINERS),
    (range(3600, 3700), _DINERS),
    (range(3800, 4000), _DINERS),
    (range(3528, 3590), _SIXTEEN_UP),  # JCB
    (range(2200, 2205), _SIXTEEN_UP),  # Mir
    (range(6000, 7000), _THIRTEEN_UP),  # Maestro, Discover, UnionPay, RuPay
    (range(5000, 5100), _THIRTEEN_UP),  # Maestro, Verve, Elo
    (range(5600, 6000), _THIRTEEN_UP),
    (range(8100, 8300), _SIXTEEN_UP),  # UnionPay, RuPay
    (range(9792, 9793), frozenset((16,))),  # Troy
)

_IBAN = re.compile(r"(?<![A-Za-z0-9])[A-Za-z]{2}\d{2}(?:[ \u00a0-]?[A-Za-z0-9]){11,40}", re.ASCII)
_IBAN_LENGTHS = {
    code: int(size)
    for size, codes in {
        "15": "NO", "16": "BE", "18": "DK FI FO GL NL FK", "19": "MK SI", "20": "AT BA EE KZ LT LU XK MN",
        "21": "CH HR LI LV", "22": "BG BH CR DE GB GE IE ME RS VA", "23": "AE GI IL IQ TL OM SO",
        "24": "AD CZ ES MD PK RO SA SE SK TN VG", "25": "LY PT ST", "26": "IS TR",
        "27": "BI DJ FR GR IT MC MR SM", "28": "AL AZ BY CY DO GT HU LB NI PL SV", "29": "BR EG PS QA UA",
        "30": "JO KW MU YE", "31": "MT SC", "32": "LC", "33": "RU",
    }.items()
    for code in codes.split()
}  # fmt: skip


class Masked(NamedTuple):
    """A text without what was masked, and the kind of each string that was, by kind."""

    text: str
    kinds: tuple[str, ...] = ()


def is_masked(text: str) -> bool:
    """Whether something in it was masked."""
    return _PLACES.search(text) is not None


def mask(text: str) -> Masked:
    """The text with every e-mail address, token, card number and IBAN replaced. Masking twice is masking once."""
    kinds: list[str] = []
    before = -1
    while before != len(kinds):  # what stood beside a card's number may look like a token without it
        before = len(kinds)
        for kind, find in _FINDERS.items():
            out, at = [], 0
            for start, end in sorted(find(text)):
                if start >= at:
                    out += [text[at:start], KINDS[kind]]
                    at = end
                    kinds.append(kind)
            if out:
                text = "".join([*out, text[at:]])
    return Masked(text, tuple(kinds))


def mask_value(value: Any, kinds: list[str]) -> Any:
    """Any JSON value with every string in it masked, names too; a whole number that is a card's becomes its mask."""
    if isinstance(value, str):
        masked = mask(value)
        kinds.extend(masked.kinds)
        return masked.text
    if isinstance(value, list | tuple):
        return [mask_value(item, kinds) for item in value]
    if isinstance(value, Mapping):
        return {mask_value(key, kinds): mask_value(item, kinds) for key, item in value.items()}
    if isinstance(value, int) and not isinstance(value, bool) and value > 10**12:
        masked = mask(str(value)) if value < 10**20 else Masked("")
        kinds.extend(masked.kinds)
        return masked.text if masked.kinds else value
    return value


def _emails(text: str) -> Iterator[Span]:
    for match in _DOMAIN.finditer(text):
        start = at = match.start()
        while start > 0 and at - start < _LONGEST_LOCAL and (text[start - 1].isalnum() or text[start - 1] in "._+-%'"):
            start -= 1
        while start < at and text[start] in "_.-'":
            start += 1
        if start < at:
            yield Span(start, match.end())


def _ibans(text: str) -> Iterator[Span]:
    match = _IBAN.search(text)
    while match is not None:
        size = _IBAN_LENGTHS.get(match[0][:2].upper(), 0)
        at = [place for place, character in enumerate(match[0]) if character.isalnum()]
        if size and len(at) >= size:
            end = match.start() + at[size - 1] + 1
            number = "".join(match[0][place] for place in at[:size]).upper()
            digits = "".join(str(int(character, 36)) for character in number[4:] + number[:4])
            gaps = {number for number in range(1, size) if at[number] - at[number - 1] > 1}
            usual = not gaps or gaps == set(range(4, size, 4))  # in one, or in groups of four
            if usual and not text[end : end + 1].isalnum() and int(digits) % 97 == 1:
                yield Span(match.start(), end)
                match = _IBAN.search(text, end)
                continue
        match = _IBAN.search(text, match.start() + 1)


def _cards(text: str) -> Iterator[Span]:
    for run in _DIGITS.finditer(text):
        groups = [Span(*group.span()) for group in _GROUP.finditer(text, *run.span())]
        if groups[-1].end - groups[0].start < 13 or _part_of_code(text, *run.span()):
            continue
        sizes = [group.end - group.start for group in groups]
        at = 0
        while at < len(groups):
            shapes = _GROUPS.get(sizes[at], ())
            size = next((len(shape) for shape in shapes if _is_card(text, groups, sizes, at, shape)), 0)
            if size:
                yield Span(groups[at].start, groups[at + size - 1].end)
            at += size or 1


def _part_of_code(text: str, start: int, end: int) -> bool:
    """Whether letters stand at a run of digits, or behind a dash at it: FO-4471093, 4471093A."""
    before, after = text[max(0, start - 12) : start], text[end : end + 2]
    if after[:1].isalnum() or (after[:1] in ("-", "_") and after[1:].isalnum()):
        return True
    if not before or not (before[-1].isalnum() or before[-1] in "-_/#"):
        return False
    joined = before[-1].isalnum() or before[-2:-1].isalnum()
    return joined and _CARD_WORD.search(before) is None


def _is_card(text: str, groups: list[Span], sizes: list[int], first: int, shape: tuple[int, ...]) -> bool:
    """Whether the groups from `first` have that shape and are one card's number, written as cards are."""
    last = first + len(shape)
    if tuple(sizes[first:last]) != shape:
        return False
    between = {text[one.end] for one in groups[first : last - 1]}
    around = {text[groups[first - 1].end]} if first else set()
    around |= {text[groups[last - 1].end]} if last < len(groups) else set()
    if len(between) > 1 or around - set(_BLANKS):  # a piece of a longer number
        return False
    number = "".join(text[group.start : group.end] for group in groups[first:last])
    first_digits = int(number[:4])
    known = any(first_digits in numbers and len(number) in lengths for numbers, lengths in _NETWORKS)
    return known and _luhn(number)


def _luhn(number: str) -> bool:
    """ISO/IEC 7812-1: every second digit from the right but one counts double, its own digits added; the sum ends in 0."""
    digits = [int(digit) for digit in reversed(number)]
    return (sum(digits[::2]) + sum(sum(divmod(2 * digit, 10)) for digit in digits[1::2])) % 10 == 0


_FINDERS: Mapping[str, Callable[[str], Iterator[Span]]] = {
    "token": token_spans,
    "e-mail": _emails,
    "iban": _ibans,
    "card": _cards,
}

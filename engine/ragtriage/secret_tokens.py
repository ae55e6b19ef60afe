"""Tokens and keys in a text, told by how they look."""

from __future__ import annotations

import re
from collections.abc import Iterator

from ragtriage.types import Span

__all__ = ["TOKEN", "token_spans"]

TOKEN = "[token]"
"""What stands in the place of a token."""

_A = "[A-Za-z0-9]"
_MADE = re.compile(
    rf"""(?<![A-Za-z0-9])(?:
      (?P<loose>sk-[A-Za-z0-9_-]{{16,500}})
    | (?:xox[abeprs]|xapp)-(?=[A-Za-z-]{{0,40}}[0-9])[A-Za-z0-9-]{{10,250}}
    | (?:sk|pk|rk)_(?:live|test)_{_A}{{10,250}} | whsec_[A-Za-z0-9+/=]{{16,250}}
    | gh[pousr]_{_A}{{20,255}} | github_pat_\w{{20,255}} | glpat-[\w-]{{20,100}}
    | (?:AKIA|ASIA|AGPA|AIDA|AROA)[A-Z0-9]{{16}}(?![A-Za-z0-9])
    | SG\.[\w-]{{16,32}}\.[\w-]{{32,64}} | do[opr]_v1_[a-f0-9]{{64}} | shp(?:at|ca|pa|ss)_[a-fA-F0-9]{{32}}
    | AIza[\w-]{{35}} | hf_{_A}{{30,100}} | npm_{_A}{{36}} | pypi-[\w-]{{50,300}}
    | eyJ[\w-]{{8,4000}}\.[\w-]{{8,8000}}(?:\.[\w-]{{0,4000}})?
    )""",
    re.VERBOSE,
)
_BEARER = re.compile(r"(?i)\b(?:bearer|basic)[ \t]+(?P<secret>[a-z0-9._~+/-]{16,4000}={0,2})")
_NAMED = re.compile(
    r"""(?ix)(?<![a-z])(?P<word>
      (?:api|access|auth|secret|private|account|client|shared|signing|session)[ _-]?(?:key|token|secret)
    | token | secret | passw(?:or)?d | pwd | key )
    ["'`]?\s{0,3}(?:=>|=|:|(?P<prose>\ (?:is|was)\b[ ,:]))\s{0,3}["'`]?(?P<secret>[a-z0-9._~+/=-]{16,500})"""
)
_PRIVATE = re.compile(r"-----(BEGIN|END) [A-Z ]{0,40}PRIVATE KEY(?: BLOCK)?-----")
_PRIVATE_LINES = re.compile(r"(?:\s{0,9}[A-Za-z0-9+/=]{20,200})*")
_UUID = re.compile(r"(?i)[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}")
_HEX = re.compile(r"(?i)[0-9a-f]+")
_RUN = re.compile(r"[A-Za-z0-9]+")
_TURN = re.compile(r"(?<=\d)[A-Za-z]|(?<=[A-Za-z])\d")


def token_spans(text: str) -> Iterator[Span]:
    """Where tokens and keys stand: by their maker's prefix, or as random text behind a word such as `token=`."""
    begun = -1
    for match in _PRIVATE.finditer(text):
        if match[1] == "BEGIN":
            begun = match.start() if begun < 0 else begun
        elif begun >= 0:
            yield Span(begun, match.end())
            begun = -1
        opened = match.end()
    if begun >= 0:  # cut off before its end
        yield Span(begun, _PRIVATE_LINES.match(text, opened).end())  # type: ignore[union-attr]  # it may match nothing
    for match in _MADE.finditer(text):
        if not match["loose"] or _random(match[0].partition("-")[2]):
            yield Span(*match.span())
    for match in _BEARER.finditer(text):
        if _random(match["secret"]):
            yield Span(*match.span("secret"))
    for match in _NAMED.finditer(text):
        secret = match["secret"].rstrip(".-")
        weak = match["word"].lower() == "key"  # of a table, of a keyboard, of a translation
        if weak and match["prose"]:
            continue
        plain = _UUID.fullmatch(secret) or _HEX.fullmatch(secret)
        if not (weak and plain) and _random(secret, turns=3 if weak else 1):
            yield Span(match.start("secret"), match.start("secret") + len(secret))


def _random(text: str, turns: int = 1) -> bool:
    """Whether letters and digits are mixed as nobody writes them: in capitals and small ones, or in one long run.

    `turns` is how often letters and digits must at least change places there.
    """
    runs = _RUN.findall(text)
    longest = max(runs, key=len, default="")
    if _UUID.fullmatch(text):
        return True
    if len(longest) >= 12 and len(text) >= 16 and len(_TURN.findall(longest)) >= turns:
        return True
    letters = [letter for letter in longest if letter.isalpha()]
    if len(letters) >= 20 and 0.3 <= sum(map(str.isupper, letters)) / len(letters) <= 0.7:  # NamesOfThings have fewer capitals
        return True
    mixed = any(map(str.isupper, text)) and any(map(str.islower, text)) and any(map(str.isdigit, text))
    return mixed and len(text) >= 20 and len(_TURN.findall(text)) >= max(turns, 4)

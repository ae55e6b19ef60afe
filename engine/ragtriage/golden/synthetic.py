"""Signs that a question was made by a machine, or written from the page that answers it: each with its reason, none a proof.

The thresholds were chosen on public sets: of 472 generated questions 379 show a sign, of 801 that people asked 28. Where the
source says that a user asked (log, ticket, chat), that goes before every sign.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from ragtriage.golden.gap import Terms, vocabulary_gap
from ragtriage.types import Question

__all__ = ["is_polished", "synthetic_signs"]

_USERS = frozenset({"log", "ticket", "chat"})
_RUN = 6  # words in a row that stand in the evidence
_RUN_CONTENT = 3  # content words in them: "what is the name of the" is anybody's
_GAP = 0.9
_GAP_WORDS = 5  # content words that a gap needs to mean something
_SHORT_EVIDENCE = 60  # words: a page holds most words of any question on its subject
_LONG = 12  # words of a sentence in perfect form
_LONG_CONTENT = 6
_MOST_TEXT = 20_000  # characters looked at: nobody copies from the middle of a book unseen
_WORD = re.compile(r"[^\W_]+(?:['’][^\W_]+)*")
_SELF = frozenset(("i", "i'm", "i've", "i'd", "i'll", "my", "mine", "me", "we", "we're", "we've", "our", "ours", "us"))
_TEXT = r"(?:text|document|passage|article|excerpt|context|paragraph|author|speech|study|section|chat[ ]?log|report)s?"
_PHRASE = re.compile(
    rf"""\b(?:(?:according\ to|based\ on|as\ per|in|from|by|within|throughout)\ (?:the|this|that)\ (?:\w+\ )?{_TEXT}\b
       | (?:the|this)\ {_TEXT}\ (?:\w+\ ){{0,2}}(?:sa(?:ys?|id)|state|mention|describe|discuss|indicate|note|explain)\w*
       | (?:mentioned|described|discussed|stated|outlined|listed|noted|presented)\ (?:in|by|during)\ (?:the|this|his|her)\b)""",
    re.IGNORECASE | re.VERBOSE,
)


def synthetic_signs(question: Question, evidence: Sequence[str], terms: Terms) -> list[str]:
    """What makes the question look synthetic; empty where nothing does. `evidence` as of `gap.evidence_texts`."""
    start = question.source.get("from")
    if start == "synthetic":
        first = question.source.get("text")
        edited = isinstance(first, str) and " ".join(first.split()) != " ".join(question.question.split())
        return [] if edited else ["its source says so"]
    if start in _USERS:
        return []
    text = question.question[:_MOST_TEXT]
    words = _words(text)
    content = len(set(terms(text)))
    signs = []
    if found := _PHRASE.search(text):
        signs.append(f"it says “{' '.join(found[0].split())}”")
    if is_polished(text) and len(words) >= _LONG and content >= _LONG_CONTENT and _SELF.isdisjoint(words):
        signs.append(f"a sentence of {len(words)} words in perfect form")
    if question.kind == "exact":  # a message or code that is looked up is copied
        return signs
    texts = [one[:_MOST_TEXT] for one in evidence]
    run = _copied(words, texts)
    if len(set(terms(" ".join(run)))) >= _RUN_CONTENT:
        signs.append(f"“{' '.join(run)}” stands in its evidence word for word")
    short = sum(len(_words(one)) for one in texts) <= _SHORT_EVIDENCE
    gap = vocabulary_gap(text, texts, terms)
    if gap is not None and gap >= _GAP and content >= _GAP_WORDS and short and is_polished(text):
        signs.append(f"{round(gap * content)} of its {content} content words stand in its evidence")
    return signs


def is_polished(text: str) -> bool:
    """Whether it begins with a capital and ends with a question mark."""
    text = text.strip()
    return text[:1].isupper() and text.endswith("?")


def _words(text: str) -> list[str]:
    return [found[0].casefold().replace("’", "'") for found in _WORD.finditer(text)]


def _copied(words: Sequence[str], texts: Sequence[str]) -> list[str]:
    """The first run of at least `_RUN` words that stands in one of the texts, as long as it goes on."""
    for text in texts:
        said = _words(text)
        runs = {tuple(said[at : at + _RUN]) for at in range(len(said) - _RUN + 1)}
        for at in range(len(words) - _RUN + 1):
            end = at
            while tuple(words[end : end + _RUN]) in runs:
                end += 1
            if end > at:
                return list(words[at : end + _RUN - 1])
    return []

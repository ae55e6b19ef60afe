"""Whether an answer refuses: says that it does not know, rather than something about the matter.

Phrases alone mislead in both directions ("the plan does not include SSO" answers, "I looked at the refund policy, but it says
nothing about this" does not), so sentences are read one by one: what the first that matters does decides, unless a later one
answers after all. The phrases are English: a refusal in another language counts as an answer.
"""

from __future__ import annotations

import re
from functools import lru_cache

from ragtriage.answers.citations import find_citations, without_citations
from ragtriage.answers.sentences import sentence_spans

__all__ = ["is_refusal"]

_NOT = r"(?:\s+not|n['’]t|not|\s+never)"
_HOW = (
    r"(?:\s+(?:actually|always|clearly|currently|directly|even|explicitly|really|specifically|yet|fully|(?:seem|appear)\s+to))*"
)
_SOURCE = (
    r"(?:passages?|contexts?|documents?|docs|documentation|sources?|excerpts?|snippets?|results|materials?|knowledge\s+base"
    r"|articles?|pages?|texts?|content|information|faqs?|references?|chunks?)"
)
_SAY = (
    r"(?:mention|say|state|specify|contain|provide|include|cover|address|describe|explain|indicate|answer|discuss|give|list"
    r"|name|reveal|tell|clarify|detail|offer|hold|have|touch\s+on|talk\s+about|go\s+into|refer\s+to)s?"
)
_SAID = (
    r"(?:mentioned|stated|specified|contained|provided|included|covered|addressed|described|explained|indicated|answered"
    r"|discussed|given|listed|found|available|present|documented)"
)
_STATE = r"(?:mention|say|state|specify|cover|address|describe|explain|indicate|discuss|clarify|reveal|answer)s?"
_KNOWLEDGE = r"(?:information|details?|answers?|mention|reference|knowledge|context|documentation|evidence|indication|idea)"
_FIND = (
    r"(?:find|answer|determine|tell|say|provide|confirm|locate|verify|give|help\s+with|assist|identify|see\s+(?:any|an)|respond"
    r"|state|offer|be\s+(?:sure|certain))"
)
_CANNOT = (
    r"(?:can['’]t|can\s?not|could(?:\s+not|n['’]t)|(?:am|was|are|were|['’]m|['’]re)\s+(?:not\s+able|unable)"
    r"|(?:was|are|were)n['’]t\s+able|would(?:\s+not|n['’]t)\s+be\s+able)(?:\s+to)?"
)
_WHICH = r"(?:the|these|those|this|your|our|my|any|available|provided|given|supplied|retrieved)"
_PART = r"(?:(?:menu|field|type|title|box|editor|window|number|message|size|format|header|footer|name)s?)"
_SOURCES = rf"(?:{_WHICH}\s+(?:[\w-]+\s+){{0,3}}?{_SOURCE}(?!\s+{_PART}\b)|passages?)"
_IS_NOT = rf"(?:is|are|was|were){_NOT}"

_REFUSES = re.compile(
    "|".join(
        (
            # the speaker does not know, or cannot say
            rf"\bI(?:\s+\w+ly)?\s+(?:do|did){_NOT}{_HOW}\s+(?:know|see\s+(?:any|an|where|that)|find|recall)\b",
            rf"\b(?:I|we)\s+(?:do|did){_NOT}{_HOW}\s+(?:have|find|possess|see)(?:\s+[\w-]+){{0,4}}?\s+{_KNOWLEDGE}\b",
            rf"\b(?:I|we)\s+have\s+no(?:\s+\w+)?\s+{_KNOWLEDGE}\b",
            rf"\bI\s*{_CANNOT}{_HOW}\s+{_FIND}\b",
            rf"\b(?:we|you|one)\s+{_CANNOT}{_HOW}\s+(?:answer|determine)\b.*\b(?:question|from|based|{_SOURCE})\b",
            rf"\bI\s*(?:am|['’]m){_HOW}\s+(?:not\s+(?:sure|certain|aware|familiar)|unsure)\b",
            r"\bI\s+(?:found|see|saw)\s+(?:nothing|no\s+\w+)\b",
            r"\bI\s+(?:searched|looked|checked|read|reviewed)\b.*\bfound\s+(?:nothing|no\s+\w+)\b",
            rf"\b(?:we|you|one)\s+(?:can['’]t|cannot|can\s+not)\s+(?:tell|say|know)\b.*\bfrom\s+{_SOURCES}",
            r"\bI\s*(?:would|['’]d|will|['’]ll)?\s+need\s+(?:more|additional|further)\s+(?:information|context|details?)\b",
            r"\bI\s+have\s+no\s+(?:way\s+of\s+(?:know|tell|say)ing|means\s+to)\b",
            # the sources do not say
            rf"\b{_SOURCES}(?:\s+(?!(?:says?|states?|that|which|who|explains?|notes?)\b)[\w,()'’-]+){{0,5}}?"
            rf"\s*(?:\b(?:do|does|did|can|could){_NOT}|\bcannot|\bfails?\s+to){_HOW}\s+{_SAY}\b",
            rf"\b(?:while|although|though)\b.*\b{_SOURCE}\b.*\b(?:it|they)\s+(?:do|does|did){_NOT}{_HOW}\s+{_SAY}\b",
            rf"\b(?:none|neither|not\s+one|nothing|nowhere)(?:\s+[\w-]+)?\s+(?:of|in|from)\s+{_SOURCES}",
            rf"\b(?:no|neither|none\s+of\s+the)\s+(?:\w+\s+)?{_SOURCE}\s+{_SAY}\b",
            rf"\b{_SOURCES}\s+(?:is|are|was|were)\s+(?:silent|insufficient|unrelated|not\s+(?:enough|sufficient))\b",
            rf"\b{_SOURCES}\s+(?:lacks?|omits?|(?:has|have|contains?|provides?|includes?|gives?|says?|makes?)\s+(?:no|nothing))\b",
            rf"\b{_SOURCES}\b.*?\b(?:and|but)\s+(?:they|it)\s+(?:do|does|did){_NOT}{_HOW}\s+{_STATE}\b",
            rf"\b{_SOURCES}(?:\s+[\w-]+){{0,3}}?\s+(?:never\s+{_STATE}|falls?\s+short)\b",
            rf"\b{_SOURCES}\s+(?:is|are|was|were)(?:\s+\w+ly)?\s+(?:irrelevant|(?:not|un)\s*(?:relevant|related|about))\b",
            rf"\b{_IS_NOT}\s+(?:something|a\s+\w+)\s+(?:that\s+)?{_SOURCES}\s+{_SAY}\b",
            rf"\b(?:outside|beyond)\s+(?:of\s+)?the\s+scope\s+of\s+{_SOURCES}",
            # it is not there
            rf"\bthere\s+(?:do|does|did){_NOT}\s+(?:seem|appear)\s+to\s+be\s+(?:any|an?|enough)(?:\s+\w+)?\s+{_KNOWLEDGE}\b",
            rf"\b(?:unclear|uncertain)\s+(?:from|in|based\s+on)\s+{_SOURCES}",
            rf"(?:^|,\s)\W*(?:the|its|their|this|that)\s+(?:[\w-]+\s+){{0,8}}?{_IS_NOT}{_HOW}\s+(?:mentioned|stated|specified|discussed)\W*$",
            rf"(?:^|,\s)\W*the\s+(?:exact|specific|precise)\s+(?:[\w-]+\s+){{1,8}}?{_IS_NOT}{_HOW}\s+(?:given|provided|known|clear)\W*$",
            rf"(?<!because\s)\bthere\s*(?:is|was|are|were|['’]s)(?:{_NOT})?\s+(?:no|any|enough|insufficient|sufficient)(?:\s+\w+)?\s+{_KNOWLEDGE}\b",
            rf"\bthere\s*(?:is|was|are|were|['’]s)\s+(?:no|nothing)\b.*\b(?:in|within|from|among)\s+{_SOURCES}",
            rf"(?:^|,\s)\W*no(?:\s+\w+)?\s+{_KNOWLEDGE}\b.*\b(?:is|was|are|were|could\s+be|can\s+be)\s+{_SAID}",
            rf"\b{_IS_NOT}{_HOW}\s+(?:{_SAID}|clear|evident|known)\s+(?:\w+\s+)?(?:in|by|within|from|here)\b.*\b{_SOURCE}",
            rf"\b(?:can['’]t|cannot|can\s+not|could{_NOT})\s+be\s+(?:\w+ed|found)\b.*\b(?:from|with|in|by|using)\b.*\b{_SOURCE}",
            rf"\bnot\s+possible\s+to\s+{_FIND}",
        )
    ),
    re.IGNORECASE,
)
_WHOLE = re.compile(
    rf"\W*(?:n/?a|unknown|unanswerable|unclear|no\s+idea|(?:do|does){_NOT}\s+(?:say|know)\b[^.,;]*"
    rf"|no\s+(?:\w+\s+)?(?:answer|information|results?|data)(?:\s+(?:(?:was|were|is)\s+)?{_SAID})?"
    rf"|no\s+(?:mention|reference|indication)\b[^.,;]*\b(?:in|within)\s+{_SOURCES}"
    rf"|not\s+{_SAID}(?:\s+(?:in|by|within)\b[^.]*)?|(?:not\s+enough|insufficient)\s+(?:\w+\s+)?(?:{_KNOWLEDGE}|data)\b[^.,;]*"
    rf"|(?:the\s+answer\s+is\s+)?not\s+(?:known|stated|in)\b[^.,;]*|{_KNOWLEDGE}\s+not\s+{_SAID}[^.,;]*"
    rf"|cannot\s+(?:answer|be\s+determined|determine|say)\b[^.,;]*)\W*",
    re.IGNORECASE,
)
"""An answer that is nothing but one of these."""

_ABOUT_SOURCES = re.compile(
    rf"\W*(?:while\s+)?(?:{_SOURCES}|they\b|it\b|only\b"
    r"|(?:I|we)\s+(?:only\s+)?(?:looked|searched|checked|reviewed|found|read|see|have\s+(?:only|information))\b)"
    r"(?:\s+[\w-]+){0,3}?\s*(?:only|mention(?:s|ed)?|discuss(?:es)?|covers?|describes?|focus(?:es)?|talks?|refers?|relates?"
    r"|deals?|contains?|about|at|through|for|lists?)\b",
    re.IGNORECASE,
)
"""What the sources do say, told by way of excuse."""

_NOR_THIS = re.compile(
    rf"\W*(?:(?:but|and|however|yet),?\s+)?(?:not\b|(?:they|it|none(?:\s+of\s+them)?|neither)?\s*"
    rf"(?:(?:do|does|did){_NOT}{_HOW}\s+{_SAY}\b|(?:says?|mentions?)\s+nothing\b))",
    re.IGNORECASE,
)
"""What follows that excuse: `but they do not say how long`."""

_FILLER = re.compile(
    r"\W*(?:(?:final\s+)?(?:answer|response)|(?:I|we)\s*(?:am|are|['’]m|['’]re)?\s*(?:(?:so|very|truly|really)\s+)?(?:sorry|apologi[sz]e|afraid)\b[^.,]*"
    r"|(?:sorry|(?:my\s+)?apologies)\b[^.,]*|unfortunately|(?:good|great)\s+question|thank(?:s|\s+you)\b.*|hello\b.*|hi\b.*"
    r"|(?:please|kindly|try|consider|check|contact|consult|refer|reach|visit|see|ask|feel\s+free|let\s+me\s+know)\b.*"
    r"|for\s+(?:more|further|additional)\b.*|(?:could|can|would)\s+you\b.*|(?:is\s+there\s+anything|do\s+you\s+have)\b.*"
    r"|(?:you|one|users?)\s+(?:may|might|can|could|should)\s+(?:(?:want|need|wish|try)\s+to\s+)?(?:to\s+)?"
    r"(?:contact|consult|check|refer|reach|ask|visit|look|provide|share|see|rephrase)\w*\b.*"
    r"|(?:if|should)\s+you\b.*\b(?:provide|share|give|rephrase|let\s+me\s+know|help|assist|ask|more|need|have|would\s+like)\b.*"
    r"|(?:I|we)(?:\s+(?:can|could|would|will|recommend|suggest|advise|am)|['’](?:d|ll|m))\b.*"
    r"\b(?:help|assist|recommend|suggest|advise|contact|check|consult|happy|refer|ask|look|question)\w*\b.*)\W*",
    re.IGNORECASE | re.DOTALL,
)
"""Apologies, offers and advice: no answer by themselves."""

_LABEL = re.compile(r"\W*(?:(?:final|short)\s+)?(?:answer|response)\s*:\s*(?=\w)", re.IGNORECASE)
_QUOTED = re.compile(r"[\"“„«][^\"“”„«»]{1,200}[\"”»]|(?<!\w)['‘][^'‘’\n]{1,200}(?:['’]\w[^'‘’\n]{0,200})*['’](?!\w)")
_CLAUSE = re.compile(r"(?<=[,:])\s+(?=(?:but|however|although|though|yet|so|as)\b)|;\s+|(?<!\s)\s+[—–]\s+", re.IGNORECASE)
_CONDITION = re.compile(r"\W*(?:if|when|whenever|in\s+case|unless|once|where)\b", re.IGNORECASE)
_TURN = re.compile(r"\W*(?:but|however|still|nevertheless|that\s+said)\b", re.IGNORECASE)
_LONGEST = 600  # characters of a clause; the patterns look ahead more than once, and nobody refuses at such length


@lru_cache(maxsize=4096)
def is_refusal(text: str) -> bool:
    """Whether `text` says that it cannot answer. An empty answer refuses; advice and apologies around a refusal are part of it.

    An answer to a part of the question is no refusal, whichever comes first, when what it answers carries a citation or
    follows a `but`.
    """
    if not text.strip():
        return True
    refused = excused = False
    for clause, cited in _clauses(text):
        says_no = _REFUSES.search(clause) and not _CONDITION.match(clause)
        if says_no or _WHOLE.fullmatch(clause) or (excused and _NOR_THIS.match(clause)):
            refused = True
        elif _ABOUT_SOURCES.match(clause):
            excused = True
        elif not _FILLER.fullmatch(clause) and (not refused or cited or _TURN.match(clause)):
            return False
    return refused


def _clauses(text: str) -> list[tuple[str, bool]]:
    """The clauses in order, citations and quoted words taken out, and whether a citation stood in each."""
    clauses = []
    for span in sentence_spans(text):
        for clause in _CLAUSE.split(text[span.start : span.end]):
            words = _QUOTED.sub(" ", without_citations(clause[:_LONGEST])).replace("*", "").split()
            plain = _LABEL.sub("", " ".join(words)).rstrip(",:")
            if any(map(str.isalnum, plain)):
                clauses.append((plain, bool(find_citations(clause))))
    return clauses

"""A golden set for Ragas and for promptfoo, in the forms that these tools load."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from ragtriage.golden.evidence import ResolvedItem
from ragtriage.golden.export import evidence_json
from ragtriage.json_lines import dump_line
from ragtriage.surrogates import clean_text
from ragtriage.types import Question

__all__ = ["as_promptfoo", "as_ragas", "named_documents"]

_TEMPLATE = re.compile(r"\{[{%#]|\A(?:file://|package:)")


def as_ragas(
    questions: Iterable[Question], texts: Mapping[str, Sequence[str]], items: Mapping[str, Sequence[ResolvedItem]]
) -> bytes:
    """A single-turn sample a line: `user_input`, `reference` (the expected answer), `reference_contexts` (what the labels say,
    `texts` by question id), `reference_context_ids` (their documents). Every line has every key, as data frames want it.
    """
    lines = []
    for question in questions:
        line = {
            "user_input": question.question,
            "reference": question.expected_answer,
            "reference_contexts": list(texts.get(question.qid, ())),
            "reference_context_ids": named_documents(items.get(question.qid, ())),
            "qid": question.qid,
            "kind": question.kind,
            "split": question.split,
            "answerable": question.answerable,
        }
        lines.append(dump_line(_clean(line)))
    return b"".join(lines)


def as_promptfoo(questions: Iterable[Question]) -> bytes:
    """A JSON list of tests: the question and the expected answer as variables `question` and `reference`; must-mentions,
    must-not-mentions, and that a question without an answer is refused, as assertions that need no model.

    promptfoo fills templates in variables and values, and reads files that they name: what would be taken for that is quoted.
    """
    tests = []
    for question in questions:
        test: dict[str, Any] = {"description": question.qid, "vars": {"question": _quoted(question.question)}}
        if question.expected_answer:
            test["vars"]["reference"] = _quoted(question.expected_answer)
        if asserts := _asserts(question):
            test["assert"] = asserts
        stated = {"kind": question.kind, "split": question.split, "tags": list(question.tags)}
        evidence = evidence_json(question.evidence)
        test["metadata"] = {"id": question.qid, **stated, "answerable": question.answerable, "evidence": evidence}
        tests.append(_clean(test))
    return json.dumps(tests, ensure_ascii=False, indent=2).encode() + b"\n"


def named_documents(items: Iterable[ResolvedItem]) -> list[str]:
    """The documents that labels lie in, each once; one that is not found goes by the name that the label gives it."""
    out: dict[str, None] = {}
    for item in items:
        for place in item.places:
            names = [located.doc_id for located in place.spans] or [place.place.doc or place.place.chunk.rpartition("#")[0]]
            out |= dict.fromkeys(name for name in names if name)
    return list(out)


def _asserts(question: Question) -> list[dict[str, Any]]:
    if not question.answerable:
        return [{"type": "is-refusal"}]
    out: list[dict[str, Any]] = []
    for forms in question.must_mention:
        if len(forms) == 1:
            out.append({"type": "icontains", "value": _quoted(forms[0])})
        else:
            out.append({"type": "icontains-any", "value": [_quoted(form) for form in forms]})
    return [*out, *({"type": "not-icontains", "value": _quoted(wrong)} for wrong in question.must_not_mention)]


def _quoted(text: str) -> str:
    return _TEMPLATE.sub(lambda found: f'{{{{ "{found[0]}" }}}}', text)


def _clean(value: Any) -> Any:
    if isinstance(value, str):
        return clean_text(value)
    if isinstance(value, Mapping):
        return {key: _clean(item) for key, item in value.items()}
    return [_clean(item) for item in value] if isinstance(value, list) else value

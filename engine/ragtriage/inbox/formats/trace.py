"""Trace exports: spans or runs with inputs and outputs, nested or flat (LangSmith, Langfuse), and OpenTelemetry's.

A trace is one report: what its root was asked and answered, and the texts of its last stage that had any: a reranker's, else
the retrievers'.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from ragtriage.errors import Problem
from ragtriage.inbox.fields import FIELDS
from ragtriage.inbox.formats.base import Content, Format, Found, Record, member
from ragtriage.inbox.formats.chat import is_messages, question_in, text_of
from ragtriage.json_lines import load_json

__all__ = ["FORMAT"]

_WRAPPERS = ("runs", "traces", "spans", "data", "items")
_CHILDREN = ("child_runs", "children", "observations", "spans", "child_spans")
_TRACE = ("trace_id", "traceId", "traceID")
_SPAN = ("id", "span_id", "spanId", "spanID")
_PARENT = ("parent_run_id", "parent_id", "parentSpanId", "parent_span_id", "parentObservationId")
_START = ("start_time", "startTime", "startTimeUnixNano", "timestamp", "start", "created_at")
_INPUTS, _OUTPUTS = ("inputs", "input"), ("outputs", "output")
_DOCUMENTS = (*FIELDS["passages"], "docs", "results", "matches")
_QUESTION = (*FIELDS["question"], "human_input", "message", "text", "value", "messages")
_ANSWER = (*FIELDS["answer"], "text", "content", "result", "value", "generations", "choices", "messages", "message")
_FEEDBACK = ("feedback", "feedback_stats", "scores", "user_feedback", "rating", "score")
_IN_ATTRIBUTES = ("input.value", "traceloop.entity.input", "gen_ai.prompt", "gen_ai.prompt.0.content", "question", "query")
_OUT_ATTRIBUTES = ("output.value", "traceloop.entity.output", "gen_ai.completion", "gen_ai.completion.0.content", "answer")
_RETRIEVED = re.compile(
    r"(?P<stage>retrieval\.documents|reranker\.output_documents|db\.query\.result|retrieval\.result)\.(?P<number>\d{1,4})\."
    r"(?:document\.)?(?P<name>[\w.]+)$"
)
_DEEPEST = 40


@dataclass(slots=True)
class _Span:
    """One span of a trace: `rest` is what is not understood."""

    line: int
    trace: str
    name: str
    parent: str
    start: str
    kind: str
    inputs: Any
    outputs: Any
    feedback: Any
    documents: Any
    rest: dict[str, Any] = field(default_factory=dict)


def _fits(content: Content) -> bool:
    items = content.items[0] if content.is_json else []
    return any(_is_span(value) for value in _roots([value for _, value in items[:20]]))


def _is_span(value: Any) -> bool:
    if not isinstance(value, Mapping):
        return False
    if "resourceSpans" in value or "scopeSpans" in value or "resource_spans" in value:
        return True
    named = member(value, *_TRACE, *_PARENT, "run_type", "spanId", "span_id", "observations", "child_runs") is not None
    asked = any(name in value for name in (*_INPUTS, *_OUTPUTS, "attributes"))
    return asked and (named or isinstance(value.get("inputs"), Mapping))


def _roots(values: Iterable[Any]) -> Iterator[Any]:
    """The spans of wrapped and unwrapped lists."""
    for value in values:
        inner = None
        if isinstance(value, Mapping) and not _is_span(value):
            inner = next((value[name] for name in _WRAPPERS if isinstance(value.get(name), list)), None)
        yield from inner if inner is not None else [value]


def _read(content: Content) -> Found:
    items, problems = content.items
    problems = list(problems)
    spans: dict[str, list[_Span]] = {}
    for number, (line, item) in enumerate(items, start=1):
        for value in _roots([item]):
            if not isinstance(value, Mapping):
                problems.append(Problem(content.where, line, "a span or a run is needed"))
                continue
            for span in _flat(value, line, f"{line}.{number}", 0):
                spans.setdefault(span.trace, []).append(span)
    return Found([_record(group) for group in spans.values()], problems)


def _flat(value: Mapping[str, Any], line: int, trace: str, depth: int) -> Iterator[_Span]:
    """A span and all below it."""
    if depth > _DEEPEST:
        return
    for name in ("resourceSpans", "resource_spans", "scopeSpans", "scope_spans", "instrumentationLibrarySpans"):
        if isinstance(value.get(name), list):
            for inner in (one for one in value[name] if isinstance(one, Mapping)):
                yield from _flat(inner, line, trace, depth + 1)
            return
    if isinstance(value.get("spans"), list) and not any(name in value for name in (*_INPUTS, *_OUTPUTS)):
        for inner in (one for one in value["spans"] if isinstance(one, Mapping)):
            yield from _flat(inner, line, str(member(value, *_TRACE, "id") or trace), depth + 1)
        return
    span = _span(value, line, trace)
    yield span
    for name in _CHILDREN:
        for inner in value[name] if isinstance(value.get(name), list) else ():
            if isinstance(inner, Mapping):
                yield from _below(inner, line, span, depth)


def _below(value: Mapping[str, Any], line: int, parent: _Span, depth: int) -> Iterator[_Span]:
    for span in _flat(value, line, parent.trace, depth + 1):
        span.trace = parent.trace
        span.parent = span.parent or parent.name or "-"
        yield span


def _span(value: Mapping[str, Any], line: int, trace: str) -> _Span:
    attributes = _attributes(value.get("attributes"))
    found = value.get("context")
    context: Mapping[str, Any] = found if isinstance(found, Mapping) else {}
    inputs = member(value, *_INPUTS)
    outputs = member(value, *_OUTPUTS)
    used = {*_INPUTS, *_OUTPUTS, *_TRACE, *_PARENT, *_START, *_CHILDREN, *_FEEDBACK, "attributes", "run_type", "type", "events"}
    rest = {key: one for key, one in value.items() if key not in used and one not in (None, "", [], {})}
    left = {
        key: one
        for key, one in attributes.items()
        if key not in (*_IN_ATTRIBUTES, *_OUT_ATTRIBUTES) and not _RETRIEVED.match(key)
    }
    if left:
        rest["attributes"] = left
    named = member(value, *_TRACE) or member(context, *_TRACE)
    own = str(member(value, *_SPAN) or member(context, *_SPAN) or "")
    parent = str(member(value, *_PARENT) or "")
    kind = member(attributes, "openinference.span.kind", "traceloop.span.kind", "gen_ai.operation.name")
    return _Span(
        line, str(named or (trace if not own or parent else own)), own, parent, str(member(value, *_START) or ""),
        str(member(value, "run_type", "type") or kind or member(value, "name") or "").lower(),
        _parsed(member(attributes, *_IN_ATTRIBUTES) if inputs is None else inputs),
        _parsed(member(attributes, *_OUT_ATTRIBUTES) if outputs is None else outputs),
        member(value, *_FEEDBACK) or member(attributes, *_FEEDBACK, "user.feedback"), _retrieved(attributes), rest,
    )  # fmt: skip


def _attributes(value: Any) -> dict[str, Any]:
    """OpenTelemetry's attributes, a list of keys with typed values or an object, as one flat object."""
    if isinstance(value, list):
        pairs = [(one.get("key"), one.get("value")) for one in value if isinstance(one, Mapping)]
        return {key: _typed(one) for key, one in pairs if isinstance(key, str)}
    out: dict[str, Any] = {}
    if isinstance(value, Mapping):
        _flatten(value, "", out, 0)
    return out


def _flatten(value: Mapping[str, Any], before: str, out: dict[str, Any], depth: int) -> None:
    for key, one in value.items():
        if isinstance(one, Mapping) and one and depth < _DEEPEST:
            _flatten(one, f"{before}{key}.", out, depth + 1)
        else:
            out[f"{before}{key}"] = one


def _typed(value: Any) -> Any:
    if not isinstance(value, Mapping) or len(value) != 1:
        return value
    ((kind, inner),) = value.items()
    if kind == "arrayValue" and isinstance(inner, Mapping) and isinstance(inner.get("values"), list):
        return [_typed(one) for one in inner["values"]]
    return inner if kind.endswith("Value") else value


def _retrieved(attributes: Mapping[str, Any]) -> list[dict[str, Any]]:
    """The documents among a span's attributes: `retrieval.documents.0.document.content`; a reranker's before a retriever's."""
    stages: dict[str, dict[int, dict[str, Any]]] = {}
    for key, value in attributes.items():
        if match := _RETRIEVED.match(key):
            name = match["name"].rpartition(".")[2]
            stages.setdefault(match["stage"], {}).setdefault(int(match["number"]), {})[name] = (
                _parsed(value) if name == "metadata" else value
            )
    found = stages.get("reranker.output_documents") or next(iter(stages.values()), {})
    return [found[number] for number in sorted(found)]


def _parsed(value: Any) -> Any:
    if isinstance(value, str) and value.lstrip()[:1] in ("{", "["):
        try:
            return load_json(value)
        except ValueError:
            return value
    return value


def _record(spans: Sequence[_Span]) -> Record:
    root = next((span for span in spans if not span.parent), spans[0])
    asked = [root, *(span for span in spans if span is not root)]
    answering = [root, *(span for span in asked[1:] if "llm" in span.kind or "generation" in span.kind)]
    said = {
        "question": next((text for span in asked if (text := _text(span.inputs, _QUESTION))), ""),
        "answer": next((text for span in answering if (text := _text(span.outputs, _ANSWER, last=True))), ""),
        "passages": _passages(root, spans),
        "feedback": next((span.feedback for span in asked if span.feedback is not None), None),
        "at": root.start,
    }
    known: dict[str, Any] = {}
    for name, found in said.items():
        if found not in (None, "", [], {}):
            known[name] = found
    named = member(root.rest, "ref", "reference")
    known["ref"] = named if isinstance(named, str) else (root.trace if "." not in root.trace or root.name else "")
    extra = {key: value for key, value in root.rest.items() if key not in (*_SPAN, "ref")}
    for name, value, names in (("inputs", root.inputs, _QUESTION), ("outputs", root.outputs, _ANSWER)):
        if isinstance(value, Mapping):
            used = {*names, *_DOCUMENTS}
            if more := {key: one for key, one in value.items() if key not in used}:
                extra[name] = more
    return Record(root.line, {}, {key: value for key, value in known.items() if value != ""}, extra, source="log")


def _passages(root: _Span, spans: Sequence[_Span]) -> Any:
    """What the model was given: what the root says, else the last reranker's texts, else those of all retrievers."""
    if (own := _documents(root)) is not None:
        return own
    having = [
        (span, found)
        for span in sorted(spans, key=lambda span: span.start)
        if span is not root and (found := _documents(span)) is not None
    ]
    reranked = [found for span, found in having if "rerank" in span.kind]
    if reranked:
        return reranked[-1]
    retrievers = [found for span, found in having if "retriev" in span.kind or span.documents] or [found for _, found in having]
    together = [one for found in retrievers for one in (found if isinstance(found, list) else [found])]
    return together or None


def _documents(span: _Span) -> Any:
    if span.documents:
        return span.documents
    if isinstance(span.outputs, Mapping):
        found = member(span.outputs, *_DOCUMENTS)
        if isinstance(found, list):
            return found
        inner = span.outputs.get("output")
        if isinstance(inner, list) and "retriev" in span.kind:
            return inner
    if isinstance(span.outputs, list) and ("retriev" in span.kind or "rerank" in span.kind):
        return span.outputs
    if isinstance(span.inputs, Mapping):
        found = member(span.inputs, *FIELDS["passages"])
        return found if isinstance(found, list) else None
    return None


def _text(value: Any, names: Sequence[str], *, last: bool = False, depth: int = 0) -> str:
    """The text in what a span was given or gave: itself, a named member's, or a message's."""
    if isinstance(value, str):
        return value
    if depth > 8:
        return ""
    if isinstance(value, list) and value:
        if is_messages(value):
            return text_of(value[-1]) if last else question_in(value)
        if last and all(isinstance(one, Mapping | list) for one in value):
            return _text(value[0], names, last=last, depth=depth + 1)
        return ""
    if isinstance(value, Mapping):
        for name in names:
            if name in value and (found := _text(value[name], names, last=last, depth=depth + 1)):
                return found
        lone = [one for one in value.values() if isinstance(one, str)]
        if len(value) == len(lone) == 1:
            return lone[0]
    return ""


FORMAT = Format("trace", "trace exports: spans or runs with inputs and outputs", _fits, _read)

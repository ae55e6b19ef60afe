"""Chat exports: conversations of messages with roles.

A report is an answer with feedback together with what the user asked before it. A conversation without feedback gives its last
question that was answered, or its last question.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ragtriage.errors import Problem
from ragtriage.inbox.fields import FIELDS
from ragtriage.inbox.formats.base import Content, Format, Found, Item, Record, member

__all__ = ["FORMAT", "is_messages", "question_in", "text_of"]

_LISTS = ("messages", "conversation", "conversations", "turns", "dialogue", "dialog", "chat", "history", "thread")
_ROLE = ("role", "from", "author", "sender", "type", "speaker")
_TEXT = ("content", "text", "value", "message", "body", "parts")
_USER = frozenset(("user", "human", "customer", "visitor", "client", "end-user", "enduser"))
_ANSWERS = frozenset(("assistant", "bot", "ai", "model", "agent", "gpt", "chatbot"))
_TOOLS = frozenset(("tool", "function", "retriever", "context"))
_CONVERSATION = ("conversation_id", "conversationId", "session_id", "thread_id", "chat_id")
_REF = (*_CONVERSATION, "id", "uuid", "ref")
_FEEDBACK = (*FIELDS["feedback"], "score")
_MOST_TURNS = 50


def _fits(content: Content) -> bool:
    items = content.items[0] if content.is_json else []
    values = [value for _, value in items[:50] if isinstance(value, Mapping)]
    return bool(values) and (
        all(_role(value) and text_of(value) for value in values) or any(_messages(value) or _wrapped(value) for value in values)
    )


def _read(content: Content) -> Found:
    items, problems = content.items
    records: list[Record] = []
    for item in _conversations(items):
        if isinstance(item.value, Mapping):
            records += _reports(item.line, item.value)
        else:
            problems = [*problems, Problem(content.where, item.line, "a conversation or a message is needed")]
    return Found(records, list(problems))


def _conversations(items: Sequence[Item]) -> list[Item]:
    """The conversations of a file; messages that stand there one by one are put together by the conversation they name."""
    out: list[Item] = []
    loose: dict[str, tuple[int, list[Any]]] = {}
    for line, value in items:
        if isinstance(value, Mapping) and (inner := _wrapped(value)):
            out += [Item(line, one) for one in inner]
        elif isinstance(value, Mapping) and _role(value) and not _messages(value):
            name = str(member(value, *_CONVERSATION) or "")
            loose.setdefault(name, (line, []))[1].append(value)
        else:
            out.append(Item(line, value))
    return [*out, *(Item(line, {"conversation_id": name, "messages": messages}) for name, (line, messages) in loose.items())]


def _messages(value: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    for name in _LISTS:
        found = value.get(name)
        if isinstance(found, list) and is_messages(found):
            return [one for one in found if isinstance(one, Mapping)]
    return []


def _wrapped(value: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """The conversations of an object that only holds them."""
    for name in ("conversations", "chats", "threads", "sessions", "data"):
        found = value.get(name)
        if isinstance(found, list) and found and all(isinstance(one, Mapping) and _messages(one) for one in found):
            return found
    return []


def is_messages(value: Any) -> bool:
    """Whether a value is a list of messages, each with a role."""
    return isinstance(value, list) and bool(value) and all(isinstance(one, Mapping) and _role(one) for one in value[:5])


def question_in(messages: Sequence[Mapping[str, Any]]) -> str:
    """The last message of a user, "" where there is none."""
    return next((text_of(one) for one in reversed(messages) if _role(one) == "user" and text_of(one)), "")


def _role(message: Mapping[str, Any]) -> str:
    for name in _ROLE:
        found = message.get(name)
        found = found.get("role") if isinstance(found, Mapping) else found
        word = found.strip().lower() if isinstance(found, str) else ""
        for role, words in (("user", _USER), ("answer", _ANSWERS), ("tool", _TOOLS), ("system", {"system", "developer"})):
            if word in words:
                return role
    return ""


def text_of(message: Mapping[str, Any]) -> str:
    """The text of a message, of its parts where it has several."""
    found = member(message, *_TEXT)
    if isinstance(found, Mapping):
        found = member(found, *_TEXT)
    if isinstance(found, list):
        parts = [part if isinstance(part, str) else part.get("text") for part in found if isinstance(part, str | Mapping)]
        found = "\n".join(part for part in parts if isinstance(part, str))
    return found if isinstance(found, str) else ""


def _reports(line: int, value: Mapping[str, Any]) -> list[Record]:
    messages = _messages(value)
    if not messages:
        return [Record(line, value, source="chat")]
    rest = {key: one for key, one in value.items() if not is_messages(one)}
    asked = [at for at, message in enumerate(messages) if _role(message) == "user" and text_of(message)]
    answered = [
        at for at, message in enumerate(messages) if _role(message) == "answer" and any(before < at for before in asked)
    ]
    rated = [at for at in answered if member(messages[at], *_FEEDBACK) is not None]
    if not asked:
        return [Record(line, rest, source="chat")]  # without a question: it is said
    if rated:
        return [
            _report(line, rest, messages, max(one for one in asked if one < at), at, several=len(rated) > 1) for at in rated
        ]
    last = answered[-1] if answered else None
    question = max(one for one in asked if last is None or one < last)
    return [_report(line, rest, messages, question, last, several=False)]


def _report(
    line: int,
    rest: Mapping[str, Any],
    messages: Sequence[Mapping[str, Any]],
    question: int,
    answer: int | None,
    *,
    several: bool,
) -> Record:
    asked = messages[question]
    said = dict(messages[answer]) if answer is not None else {}
    known: dict[str, Any] = {"question": text_of(asked)}
    if said:
        known["answer"] = text_of(said)
    if (feedback := member(said, *_FEEDBACK)) is not None:
        known["feedback"] = feedback
    ref = member(rest, *_REF)
    if ref is not None:
        known["ref"] = f"{ref}#{answer}" if several else ref
    if (at := member(asked, *FIELDS["at"])) is not None:
        known["at"] = at
    names = (*FIELDS["passages"], "sources", "citations")
    found = [member(said, *names), member(asked, *names)]
    found += [_tool(messages[at]) for at in range(question + 1, answer or 0) if _role(messages[at]) == "tool"]
    passages = next((one for one in found if one is not None), None)
    if passages is not None:
        known["passages"] = passages
    used = {*_ROLE, *_TEXT, *_FEEDBACK, *names}
    extra: dict[str, Any] = {}
    if more := {key: one for key, one in said.items() if key not in used}:
        extra["answer_message"] = more
    if more := {key: one for key, one in asked.items() if key not in used | set(FIELDS["at"])}:
        extra["question_message"] = more
    if question:
        extra["before"] = [f"{_role(one)}: {text_of(one)}" for one in messages[max(0, question - _MOST_TURNS) : question]]
    values = {key: one for key, one in rest.items() if not (ref is not None and one == ref and key in _REF)}
    return Record(line, values, known, extra, source="chat")


def _tool(message: Mapping[str, Any]) -> Any:
    """What a tool said, which may be passages."""
    found = member(message, *FIELDS["passages"], "sources", *_TEXT)
    return found if isinstance(found, str | list | Mapping) else None


FORMAT = Format("chat", "chat exports: messages with roles", _fits, _read)

"""Each format: told apart by its content, and all of it kept on the way into the inbox."""

from __future__ import annotations

import csv
import io
import json
import random
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest
import yaml  # type: ignore[import-untyped]  # it ships no types
from tests.soak import rounds

from ragtriage.errors import GoldenError, UsageError
from ragtriage.inbox.formats import NAMES
from ragtriage.inbox.log import InboxLog
from ragtriage.inbox.reading import Reading, read_reports
from ragtriage.inbox.reports import Report, ReportPassage


def read(text: str | bytes, **options: Any) -> Reading:
    return read_reports(text.encode() if isinstance(text, str) else text, "file", **options)


def one(text: str, **options: Any) -> Report:
    reading = read(text, **options)
    assert reading.problems == ()
    (report,) = reading.reports
    return report


# -- round trips: what a made record says is what the inbox says


class Made:
    """A record in words that no format mistakes for anything, with what must come back."""

    def __init__(self, rng: random.Random, number: int) -> None:
        def words(count: int) -> str:
            return " ".join(rng.choice(_WORDS) for _ in range(count))

        self.ref = f"R{number}"
        self.question = f"{words(4)} {number}?"
        self.text = f"{words(9)}, {words(3)} {number}"
        self.answer = words(6) + rng.choice(["", ' "quoted", and', "\nsecond line", "; semi | bar"])
        self.passages = [(f"page-{rng.randint(1, 9)}", words(8)) for _ in range(rng.randint(1, 3))]
        self.feedback = rng.choice(["up", "down"])
        self.expected = words(5)
        self.mentions = [f"{rng.randint(2, 90)} days", words(1)]
        self.extra = {"tenant": words(1), "odd key": words(2)}


_WORDS = (
    "refund",
    "parcel",
    "T210",
    "ERR_4024",
    "café",
    "über",
    "naïve",
    "«quote»",
    "付款",
    "late,",
    "never",
    "again:",
    "30 %",
)


def _jsonl(made: list[Made]) -> str:
    return "\n".join(json.dumps(_row(record), ensure_ascii=bool(number % 2)) for number, record in enumerate(made))


def _json(made: list[Made]) -> str:
    return json.dumps([_row(record) for record in made], indent=2)


def _row(record: Made) -> dict[str, Any]:
    return {
        "ref": record.ref, "text": record.text, "question": record.question, "answer": record.answer,
        "feedback": record.feedback,
        "passages": [{"doc": doc, "text": text} for doc, text in record.passages], **record.extra,
    }  # fmt: skip


def _csv(separator: str) -> Callable[[list[Made]], str]:
    def write(made: list[Made]) -> str:
        out = io.StringIO()
        writer = csv.writer(out, delimiter=separator)
        writer.writerow(["Ticket ID", "Text", "User Query", "Answer", "Feedback", "Contexts", *made[0].extra])
        for record in made:
            texts = json.dumps([text for _, text in record.passages])
            writer.writerow(
                [record.ref, record.text, record.question, record.answer, record.feedback, texts, *record.extra.values()]
            )
        return "\ufeff" + out.getvalue()

    return write


def _chat(made: list[Made]) -> str:
    return json.dumps(
        [
            {
                "conversation_id": record.ref,
                **record.extra,
                "messages": [
                    {"role": "system", "content": "be kind"},
                    {"role": "user", "content": record.question},
                    {
                        "role": "assistant",
                        "content": record.answer,
                        "contexts": [{"source": doc, "page_content": text} for doc, text in record.passages],
                        "feedback": record.feedback,
                    },
                ],
            }
            for record in made
        ]
    )


def _langsmith(made: list[Made]) -> str:
    return json.dumps(
        [
            {
                "id": record.ref,
                "run_type": "chain",
                "inputs": {"question": record.question},
                "outputs": {"answer": record.answer},
                "feedback": record.feedback,
                **record.extra,
                "child_runs": [
                    {
                        "id": f"{record.ref}-child",
                        "run_type": "retriever",
                        "inputs": {"query": "reworded"},
                        "outputs": {
                            "documents": [{"page_content": text, "metadata": {"source": doc}} for doc, text in record.passages]
                        },
                    }
                ],
            }
            for record in made
        ]
    )


def _opentelemetry(made: list[Made]) -> str:
    def attributes(values: Mapping[str, str]) -> list[dict[str, Any]]:
        return [{"key": key, "value": {"stringValue": value}} for key, value in values.items()]

    spans = []
    for record in made:
        documents = {}
        for number, (doc, text) in enumerate(record.passages):
            documents[f"retrieval.documents.{number}.document.content"] = text
            documents[f"retrieval.documents.{number}.document.id"] = doc
        root = {"input.value": record.question, "output.value": record.answer, "user.feedback": record.feedback, **record.extra}
        retriever = {"openinference.span.kind": "RETRIEVER", "input.value": "reworded", **documents}
        spans += [
            {"traceId": record.ref, "spanId": "b", "parentSpanId": "a", "attributes": attributes(retriever)},
            {"traceId": record.ref, "spanId": "a", "attributes": attributes(root)},
        ]
    return json.dumps({"resourceSpans": [{"scopeSpans": [{"spans": spans}]}]})


def _ragas(made: list[Made]) -> str:
    return json.dumps(
        [
            {
                "user_input": record.question,
                "retrieved_contexts": [text for _, text in record.passages],
                "response": record.answer,
                "reference": record.expected,
                "reference_contexts": [record.text],
                "id": record.ref,
                **record.extra,
            }
            for record in made
        ]
    )


def _old_ragas(made: list[Made]) -> str:
    out = io.StringIO()
    writer = csv.writer(out)
    writer.writerow(["question", "contexts", "answer", "ground_truth", "id", *made[0].extra])
    for record in made:
        texts = repr([text for _, text in record.passages])
        writer.writerow([record.question, texts, record.answer, record.expected, record.ref, *record.extra.values()])
    return out.getvalue()


def _tests(made: list[Made]) -> dict[str, Any]:
    return {
        "prompts": ["{{question}}"],
        "tests": [
            {
                "vars": {"question": record.question, "ref": record.ref, **record.extra},
                "assert": [
                    {"type": "contains", "value": record.mentions[0]},
                    {"type": "icontains-all", "value": [record.mentions[1]]},
                    {"type": "llm-rubric", "value": "is kind"},
                ],
            }
            for record in made
        ],
    }


def _trec(made: list[Made]) -> str:
    def topic(record: Made) -> str:
        title, text, tenant = map(_escaped, (record.question, record.text, record.extra["tenant"]))
        return f"<top>\n<num> Number: {record.ref}\n<title> {title}\n\n<desc> Description:\n{text}\n<tenant> {tenant}\n</top>"

    return "\n".join(map(topic, made))


def _trec_xml(made: list[Made]) -> str:
    topics = "".join(
        f'<topic number="{record.ref}"><query>{_escaped(record.question)}</query>'
        f"<description>{_escaped(record.text)}</description><tenant>{_escaped(record.extra['tenant'])}</tenant></topic>\n"
        for record in made
    )
    return f'<?xml version="1.0" encoding="UTF-8"?>\n<topics task="x">\n{topics}</topics>\n'


def _escaped(text: str) -> str:
    return text.replace("&", "&amp;").replace("<", "&lt;")


def _paragraphs(made: list[Made]) -> str:
    return "\n\n".join(record.text for record in made) + "\n"


FORMATS: dict[str, tuple[str, Callable[[list[Made]], str], set[str]]] = {
    "jsonl": ("jsonl", _jsonl, {"text", "question", "answer", "feedback", "docs", "ref", "extra"}),
    "json": ("jsonl", _json, {"text", "question", "answer", "feedback", "docs", "ref", "extra"}),
    "csv": ("csv", _csv(","), {"text", "question", "answer", "feedback", "texts", "ref", "extra"}),
    "tsv": ("csv", _csv("\t"), {"text", "question", "answer", "feedback", "texts", "ref", "extra"}),
    "semicolons": ("csv", _csv(";"), {"text", "question", "answer", "feedback", "texts", "ref", "extra"}),
    "chat": ("chat", _chat, {"question", "answer", "feedback", "docs", "ref", "extra"}),
    "langsmith": ("trace", _langsmith, {"question", "answer", "feedback", "docs", "ref", "extra"}),
    "opentelemetry": ("trace", _opentelemetry, {"question", "answer", "feedback", "ids", "ref", "attributes"}),
    "ragas": ("ragas", _ragas, {"question", "answer", "texts", "expected", "evidence", "ref", "extra"}),
    "ragas of once": ("csv", _old_ragas, {"question", "answer", "texts", "expected", "ref", "extra"}),
    "promptfoo json": ("promptfoo", lambda made: json.dumps(_tests(made)), {"question", "mentions", "ref", "extra", "assert"}),
    "promptfoo yaml": (
        "promptfoo",
        lambda made: yaml.safe_dump(_tests(made), allow_unicode=True),
        {"question", "mentions", "ref", "extra", "assert"},
    ),
    "trec": ("trec", _trec, {"question", "text", "ref", "tenant"}),
    "trec xml": ("trec", _trec_xml, {"question", "text", "ref", "tenant"}),
    "text": ("text", _paragraphs, {"text"}),
}


@pytest.mark.parametrize("name", FORMATS)
def test_round_trip(name: str, tmp_path: Path) -> None:
    kind, write, kept = FORMATS[name]
    rng = random.Random(name)
    for number in range(rounds(6, 200)):
        made = [Made(rng, 100 * number + at) for at in range(rng.randint(2, 6))]
        reading = read(write(made))
        assert (reading.format, reading.problems) == (kind, ())
        assert len(reading.reports) == len(made)
        inbox = InboxLog(tmp_path / f"{number}.jsonl")
        assert len(inbox.add(reading.reports).new) == len(made)
        stored = [item.report for item in inbox.current()]
        assert stored == list(reading.reports)
        assert len(inbox.add(read(write(made)).reports).known) == len(made)
        assert len(inbox.current()) == len(made)
        for record, report in zip(made, stored, strict=True):
            _same(record, report, kept)


def _same(record: Made, report: Report, kept: set[str]) -> None:
    for field in kept & {"text", "question", "answer", "feedback", "expected", "ref"}:
        assert getattr(report, field) == getattr(record, field).strip(), field
    if kept & {"docs", "texts", "ids"}:
        assert [one.text for one in report.passages] == [text for _, text in record.passages]
        assert [one.rank for one in report.passages] == list(range(1, len(record.passages) + 1))
    if "docs" in kept:
        assert [one.doc for one in report.passages] == [doc for doc, _ in record.passages]
    if "ids" in kept:
        assert [one.id for one in report.passages] == [doc for doc, _ in record.passages]
    if "mentions" in kept:
        assert [choice[0] for choice in report.mentions] == record.mentions
    if "evidence" in kept:
        assert [one.text for one in report.evidence] == [record.text]
    if "extra" in kept:
        assert {key: report.extra[key] for key in record.extra} == record.extra
    if "attributes" in kept:
        assert report.extra["attributes"].items() >= record.extra.items()
    if "tenant" in kept:
        assert report.extra["tenant"] == record.extra["tenant"]
    if "assert" in kept:
        assert report.extra["assert"] == [{"type": "llm-rubric", "value": "is kind"}]


# -- single shapes


def test_a_list_in_a_cell() -> None:
    for cell in ("['it''s one', \"two\"]".replace("''", "\\'"), '["it\'s one", "two"]', "['it\\'s one'\n 'two']"):
        out = io.StringIO()
        csv.writer(out).writerows([["question", "contexts"], ["why", cell]])
        assert [passage.text for passage in one(out.getvalue()).passages] == ["it's one", "two"]
    assert one('question,contexts\nwhy,"just [a] text"\n').passages == (ReportPassage(text="just [a] text", rank=1),)


def test_a_spreadsheets_own_line_and_one_column() -> None:
    assert one("sep=;\nquestion;ref\nwhy;1\n").ref == "1"
    assert [report.question for report in read("question\nwhy so\nand when\n").reports] == ["why so", "and when"]


def test_a_line_of_names_alone_is_no_complaint() -> None:
    with pytest.raises(GoldenError, match="nothing to import"):
        read("id,question\r\n")
    assert one("answer, please").text == "answer, please"


def test_quoted_line_ends_count_as_lines() -> None:
    reading = read('ref,question\n1,"two\nlines"\n2,x,y\n3,z\n')
    assert [report.ref for report in reading.reports] == ["1", "3"]
    assert [problem.line for problem in reading.problems] == [4]


def test_a_quote_that_nothing_closes_takes_one_row() -> None:
    reading = read('ref,question\n1,a\n2,"open\n3,c\n')
    assert [report.ref for report in reading.reports] == ["1", "3"]
    assert [problem.line for problem in reading.problems] == [3]


def test_a_row_of_two_columns_of_one_name_is_said() -> None:
    with pytest.raises(GoldenError, match="name of two columns"):
        read("question,a,a\n1,2,3\n", format="csv")


def test_every_rated_answer_of_a_chat_is_a_report() -> None:
    messages = [
        {"role": "user", "content": "first?"},
        {"role": "assistant", "content": "one", "rating": "up"},
        {"role": "user", "content": "second?"},
        {"role": "assistant", "content": "two"},
        {"role": "user", "content": "third?"},
        {"role": "tool", "content": '[{"content": "page", "source": "faq"}]'},
        {"role": "assistant", "content": [{"type": "text", "text": "three"}], "rating": 0},
    ]
    reports = read(json.dumps({"id": "c1", "messages": messages})).reports
    assert [(report.question, report.answer, report.ref) for report in reports] == [
        ("first?", "one", "c1#1"),
        ("third?", "three", "c1#6"),
    ]
    assert reports[1].passages == (ReportPassage("faq", "page", 1),)
    assert reports[1].extra["before"][0] == "user: first?"
    assert [report.source for report in reports] == ["chat", "chat"]


def test_messages_one_a_line_are_put_together() -> None:
    lines = [
        {"conversation_id": "x", "role": "user", "content": "hi, why?"},
        {"conversation_id": "y", "role": "human", "content": "and how?"},
        {"conversation_id": "x", "role": "bot", "content": "because"},
    ]
    reports = read("\n".join(map(json.dumps, lines))).reports
    assert [(report.ref, report.question, report.answer) for report in reports] == [
        ("x", "hi, why?", "because"),
        ("y", "and how?", ""),
    ]
    shared = {"conversations": [{"from": "human", "value": "q?"}, {"from": "gpt", "value": "a"}]}
    assert (one(json.dumps([shared])).question, one(json.dumps([shared])).answer) == ("q?", "a")


def test_a_reranker_has_the_last_word_in_a_trace() -> None:
    def run(name: str, start: str, kind: str, outputs: dict[str, Any], **more: Any) -> dict[str, Any]:
        return {
            "trace_id": "t",
            "id": name,
            "parent_run_id": "a",
            "start_time": start,
            "run_type": kind,
            "outputs": outputs,
            **more,
        }

    runs = [
        run("b", "1", "retriever", {"documents": [{"content": "r"}]}),
        run("c", "2", "rerank", {"documents": [{"content": "s", "rank": 3}]}),
        run("d", "3", "llm", {"choices": [{"message": {"role": "assistant", "content": "so"}}]}),
        run("a", "0", "chain", {"x": 1}, parent_run_id=None, inputs={"messages": [{"role": "user", "content": "why?"}]}),
    ]
    report = one("\n".join(map(json.dumps, runs)))
    assert (report.question, report.answer, report.passages) == ("why?", "so", (ReportPassage(text="s", rank=3),))


def test_ragas_testsets_are_synthetic() -> None:
    report = one(json.dumps([{"user_input": "q", "reference": "r", "synthesizer_name": "single_hop"}]))
    assert (report.synthetic, report.source) == (True, "synthetic")
    assert not one(json.dumps([{"user_input": "q", "reference": "r"}])).synthetic
    turns = [{"type": "human", "content": "a?"}, {"type": "ai", "content": "b"}, {"type": "human", "content": "c?"}]
    assert one(json.dumps([{"user_input": turns, "reference": "r"}])).question == "c?"
    assert one('{"question": "q"}', source="synthetic").synthetic


def test_promptfoo_shares_and_points_elsewhere() -> None:
    text = """
description: ours
defaultTest:
  assert: [{type: contains, value: days}]
  vars: {tenant: acme}
tests:
  - vars: {question: how long, when: 2024-02-03}
    assert:
      - {type: contains-any, value: [30 days, thirty days]}
      - {type: factuality, value: thirty days}
  - file://more.yaml
  - vars: nothing
"""
    reading = read(text)
    (report,) = reading.reports
    assert report.mentions == (("days",), ("30 days", "thirty days"))
    assert (report.expected, report.extra["tenant"], report.extra["when"]) == ("thirty days", "acme", "2024-02-03")
    assert [(problem.line, problem.key) for problem in reading.problems] == [(11, "tests[2]"), (12, "tests[3]")]


@pytest.mark.parametrize("value", ["2024-99-99", '!!int ""', "!!bool x", "!!float x", "!!timestamp x"])
def test_a_value_of_yaml_that_is_none_is_said_with_its_line(value: str) -> None:
    with pytest.raises(GoldenError, match=r":3: not YAML: .* is no (timestamp|int|bool|float); put it in quotes"):
        read(f"tests:\n- vars:\n    when: {value}\n    question: q\n")


def test_trec_is_read_by_its_tags_alone() -> None:
    text = '<!DOCTYPE x [<!ENTITY a "b">]><topics><topic number="1"><title>&amp; &a; why</title></topic></topics>'
    assert one(text).question == "& &a; why"
    reading = read("<top><num> Number: 7\n<title> no end\n")
    assert [report.ref for report in reading.reports] == ["7"]
    assert "never closed" in reading.problems[0].message


def test_paragraphs() -> None:
    reports = read("First one,\nstill first.\r\n\r\n---\r\n  \r\nSecond.\n").reports
    assert [report.text for report in reports] == ["First one,\nstill first.", "Second."]
    assert read("Comment, as you asked.\n\nThe terminal is broken, and nobody came.\nSo?\n").format == "text"


def test_what_may_be_said_as_format() -> None:
    assert {"csv", "tsv", "json", "jsonl", "trec", "text", "chat", "trace", "ragas", "promptfoo"} == set(NAMES)
    with pytest.raises(UsageError, match="known are"):
        read("x", format="xls")
    assert read('{"question": "a"}', format="text").reports[0].text == '{"question": "a"}'


# -- what is said of it


def test_all_problems_of_a_file_are_said_together() -> None:
    lines = [
        '{"question": "fine"}',
        "{broken",
        '{"question": ["a", "b"]}',
        "[1]",
        '{"note": "x"}',
        '{"question": "q", "passages": 3}',
    ]
    reading = read("\n".join(lines))
    assert [report.question for report in reading.reports] == ["fine"]
    assert [problem.line for problem in reading.problems] == [2, 3, 4, 5, 6]
    assert "--map question=note" in reading.problems[3].message
    assert [problem.key for problem in reading.problems] == ["", "question", "", "", "passages"]


def test_a_broken_list_is_no_paragraph() -> None:
    with pytest.raises(GoldenError, match="file:2: not JSON"):
        read('[\n{"question": "a",},\n')
    with pytest.raises(GoldenError, match="empty"):
        read(" \n")
    with pytest.raises(GoldenError, match="UTF-8"):
        read(b"\xff\xfe\xff")
    assert read('{"question": "a"}\n{\n"question": "b"}\n').reports[1].question == "b"
    assert read("[Ticket 1] it broke").format == "text"


def test_maps_go_before_the_table() -> None:
    row = '{"payload": {"said": "why"}, "question": "internal", "who": "me"}'
    report = one(row, maps={"question": "payload.said", "ref": "who"})
    assert (report.question, report.ref, report.extra) == ("why", "me", {"payload": {"said": "why"}, "question": "internal"})
    reading = read(row, maps={"text": "nowhere"})
    assert "no record has 'nowhere'" in reading.problems[0].message
    assert "payload, question, who" in reading.problems[0].message


def test_what_is_left_is_said() -> None:
    reading = read('{"question": "a", "x": 1, "query": "b"}\n{"question": "c", "x": null}\n')
    assert reading.left == {"x": 2, "query": 1}
    assert reading.reports[0].extra == {"x": 1, "query": "b"}
    assert read('{"q": "a", "passages": [{"text": "t", "score": 0.5}]}').reports[0].extra == {"passages_also": [{"score": 0.5}]}


def test_where_reports_come_from() -> None:
    assert one('{"question": "a", "channel": "Zendesk"}').source == "ticket"
    report = one('{"question": "a", "source": "docs/faq.md"}', source="owner")
    assert (report.source, report.extra) == ("owner", {"source": "docs/faq.md"})
    assert one('{"question": "a", "time": 1700000000000}').at == "2023-11-14T22:13:20Z"


def test_everything_is_masked_unless_told_otherwise() -> None:
    row = json.dumps(
        {
            "ref": "a@b.example", "text": "mail a@b.example", "question": "FO-1 of a@b.example", "answer": "a@b.example",
            "passages": [{"doc": "a@b.example", "text": "a@b.example"}],
            "other": {"x": ["4111111111111111"]}, "feedback": "a@b.example",
        }
    )  # fmt: skip
    report = one(row)
    assert "a@b" not in json.dumps(report.to_dict())
    assert report.question == "FO-1 of [e-mail]"
    assert sorted(report.masked) == ["card"] + ["e-mail"] * 7
    kept = one(row, keep_personal=True)
    assert (kept.masked, kept.ref, kept.id) == ((), "a@b.example", report.id)


BOMB = "".join(f"- vars: &{chr(98 + n)} {{a: [{', '.join([f'*{chr(97 + n)}'] * 9)}]}}\n" for n in range(20))
"""Aliases of aliases: nine to the twentieth values."""


@pytest.mark.parametrize(
    "text",
    [
        "[" * 100_000, '{"a":' * 100_000, "<top>" * 50_000, "<topic " * 50_000, "tests:\n- vars: " + "[" * 5_000, '"' * 100_000,
        "question,a\n" + '"' * 1001,
        "a,question\n" * 3 + "x," * 100_000, "\x00", "{" * 100_000, "tests: &a\n- vars: {q: *a}\n", "- " * 50_000,
        "question\n" + '"x\n' * 5_000, '{"messages": [{"role": "user"}]}', '[{"inputs": {}, "outputs": {}, "run_type": "x"}]',
        '{"resourceSpans": [{"scopeSpans": 3}]}', '{"tests": [3]}', '{"user_input": [1], "response": 2}', '{"question": NaN}',
        "tests:\n- vars: &a {question: x}\n" + BOMB, '{"question": "q", "x": ' + '{"a":' * 900 + "1" + "}" * 901,
        '{"tests": [{"vars": {"question": "q"}, "assert": [{"type": []}, {"type": {}}, 5]}]}',
    ],
)  # fmt: skip
def test_hostile_files_are_an_error_or_reports(text: str) -> None:
    for name in ("", *NAMES):
        try:
            found: Any = read(text, format=name).reports
        except GoldenError as error:
            found = str(error).startswith("file")
        assert found


def test_random_files_never_raise_anything_else() -> None:
    rng = random.Random(2)
    made = [Made(rng, number) for number in range(3)]
    texts = [write(made) for _, write, _ in FORMATS.values()]
    for _ in range(rounds(300, 20_000)):
        text = rng.choice(texts)
        for _ in range(rng.randint(1, 6)):
            at = rng.randrange(len(text))
            text = (
                text[:at]
                + rng.choice(["", '"', "{", "]", "\n", "<top>", ",", "null", "3", "\ud800", text[at : at + 20]])
                + text[at + rng.randint(0, 5) :]
            )
        try:
            read(text.encode("utf-8", "replace"), format=rng.choice(["", *NAMES]))
        except GoldenError:
            continue

"""Markup, escapes, bidi marks, megabyte lines, NUL and lone surrogates as corpus, question, id and answer: whole processes."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest
from tests.faults.conftest import MakeProject
from tests.faults.processes import Done, ragtriage
from tests.soak import rounds

HOSTILE = {
    "markup": "[bold red]owned[/bold red] [/path] [@click=app.quit]x[/] \\[ ]",
    "escape": "\x1b[31mred\x1b[0m \x1b]0;title\x07 \x1b[2J \x1bc \x1b]52;c;aGk=\x07",
    "c1": "\x9b31mred \x85 \x90q\x9c",
    "bidi": "\u202eabc\u202c \u2066x\u2069 \u200f \u061c",
    "nul": "before\x00after \x08\x7f \x0b\x0c \r carriage",
    "surrogate": "lone \ud800 and \udfff here",
    "invisible": "\ufeff\u200b\u200d\u2060 \U000e0041\U000e0042 \ufe0f",
    "combining": "e" + "\u0301" * 400 + " \u1100\u1161 \U0001f468\u200d\U0001f469\u200d\U0001f467",
    "separators": "one\u2028two\u2029three",
    "json": '{"qid": "q1"} \\u0000 " \' \\',
    "template": "{0} {name} %s %n ${HOME} `id` $(id) ; rm -rf /",
}

TYPED = sorted(HOSTILE.keys() - {"nul", "surrogate"}, key=lambda name: (name not in ("escape", "markup"), name))
"""What a command line can carry, the worst first."""


def _documents() -> list[dict[str, Any]]:
    out = [
        {"id": f"doc {text}", "title": text, "text": f"page about {name}: {text} and the end."}
        for name, text in HOSTILE.items()
    ]
    long = {"id": "long", "title": "long", "text": "x" * 1_000_000 + " needle behind a long line. "}
    return [*out, long]


def _questions() -> list[dict[str, Any]]:
    out = [
        {
            "qid": f"q {text}",
            "question": f"what about {name} {text}",
            "evidence": [{"doc": f"doc {text}", "quote": f"page about {name}"}],
            "answer_must_mention": [text],
            "expected_answer": text,
            "tags": [text],
        }
        for name, text in HOSTILE.items()
    ]
    unlabelled = {"qid": "unlabelled", "question": HOSTILE["escape"] + HOSTILE["markup"]}
    quoted = {"qid": "missing", "question": "?", "evidence": [{"doc": HOSTILE["escape"], "quote": HOSTILE["markup"]}]}
    long = {
        "qid": "long",
        "question": "needle " + "y" * 1_000_000,
        "evidence": [{"doc": "long", "quote": "needle behind a long line"}],
        "answer_must_mention": ["z" * 1_000_000],
    }
    return [*out, unlabelled, quoted, long]


def _seen(text: str) -> str:
    """A text as JSON output carries it: lone surrogates are no characters."""
    return "".join("\ufffd" if "\ud800" <= character <= "\udfff" else character for character in text)


@pytest.fixture
def project(make_project: MakeProject) -> Path:
    root = make_project({"real.md": "# Real\n\nA page like others.\n"}, _questions())
    (root / "docs" / "hostile.jsonl").write_text("".join(json.dumps(line) + "\n" for line in _documents()), encoding="utf-8")
    for number, text in enumerate(HOSTILE.values()):
        data = text.encode("utf-8", "surrogatepass")
        name = os.fsencode(root / "docs") + b"/" + data.replace(b"/", b"_").replace(b"\0", b"0")[:100] + b".md"
        Path(os.fsdecode(name)).write_bytes(b"# " + text.encode("utf-8", "replace") + b"\n\nfile number %d\n" % number)
    return root


def test_a_whole_evaluation_loses_no_question_and_no_document(project: Path, home: Path) -> None:
    done = ragtriage("eval", "--json", cwd=project, home=home)
    assert done.code in (0, 2)
    result = done.json
    assert [question["qid"] for question in result["per_question"]] == [_seen(q["qid"]) for q in _questions()]
    by_qid = {question["qid"]: question for question in result["per_question"]}
    for name, text in HOSTILE.items():
        question = by_qid[_seen(f"q {text}")]
        assert question["status"] in ("found", "missed", "partly"), (name, question["status"])
        assert question["ladder"][0]["how"] == "exact", (name, question["ladder"][0])
    assert by_qid["long"]["ladder"][0]["how"] == "exact"
    assert result["failed"] == 0
    # every JSONL document and every file, whatever its name; a file that holds NUL is no text, and is listed
    assert result["documents"] == len(_documents()) + len(HOSTILE)
    assert [item["reason"] for item in result["skipped"]] == ["binary"]


def test_every_reading_command_stays_calm(project: Path, home: Path) -> None:
    def run(*words: str) -> tuple[Done, Done]:
        plain = ragtriage(*words, "--plain", cwd=project, home=home)
        machine = ragtriage(*words, "--json", cwd=project, home=home)
        if machine.out:
            json.loads(machine.out)
        return plain, machine

    run("eval")
    run(str(project))
    run("failures")
    run("golden", "check")
    run("doctor")
    run("runs", "list")
    ragtriage("find", HOSTILE["surrogate"].encode("utf-8", "surrogatepass"), "--plain", cwd=project, home=home)
    for name in TYPED[: rounds(2, len(TYPED))]:
        text = HOSTILE[name]
        plain, machine = run("show", f"q {text}")
        assert (plain.code, machine.code) == (0, 0), (name, plain.err, machine.err)
        plain, machine = run("show", f"doc {text}")
        assert (plain.code, machine.code) == (0, 0), (name, plain.err, machine.err)
        ragtriage("show", f"doc {text}#1", "--plain", cwd=project, home=home)
        run("search", text)
        plain, machine = run("find", text)
        assert plain.code == 0, (name, plain.err)
        assert machine.json, name
    run("show", "long")
    ragtriage("find", "--regex", "(x+x+)+y", "--plain", cwd=project, home=home)


def test_hostile_words_are_added_and_labelled_as_they_are(project: Path, home: Path) -> None:
    ragtriage("eval", "--json", cwd=project, home=home)
    typed = TYPED[: rounds(2, len(TYPED))]
    for name in typed:
        text = HOSTILE[name]
        done = ragtriage("add", f"new {text}", "--unanswerable", "--json", cwd=project, home=home)
        assert done.code == 0, done.err
        done = ragtriage("verdict", f"q {text}", "1", "--note", text, "--json", cwd=project, home=home)
        assert done.code == 0, done.err
    lines = [json.loads(line) for line in (project / "evals" / "golden.jsonl").read_bytes().splitlines()]
    assert len(lines) == len(_questions()) + len(typed)
    assert lines[: len(_questions())] == _questions(), "no line that was there is changed"
    verdicts = [json.loads(line) for line in (project / "evals" / "verdicts.jsonl").read_bytes().splitlines()]
    assert [event["qid"] for event in verdicts] == [f"q {HOSTILE[name]}" for name in typed]

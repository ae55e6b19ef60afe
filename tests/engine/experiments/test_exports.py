"""The table written for others: a spreadsheet, a page of Markdown, a picture. Names come from files and may be hostile."""

from __future__ import annotations

import csv
import dataclasses
import io
import json
import re
from typing import Any
from xml.etree import ElementTree

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt
from tests.engine.experiments.tables import trial

from ragtriage.experiments.columns import columns_of
from ragtriage.experiments.document import to_csv, to_json
from ragtriage.experiments.grid import Unusable
from ragtriage.experiments.markdown import to_markdown
from ragtriage.experiments.svg import to_svg
from ragtriage.experiments.table import Table, table_of
from ragtriage.experiments.words import winner_sentence

HOSTILE = [
    '=HYPERLINK("http://x","y")', "+1+1", "-1", "@SUM(A1)", "\t=1", "\r=1", 'a "quoted", name', "two\nlines", "a|b|c",
    "`code` ``more``", "<script>alert(1)</script>", "</text></svg>", "]]>", "&amp;", "![x](http://x/y.png)", "\x1b[31mred",
    "\u202eright", "\x01\ufffe", "@somebody", "\ud800",
]  # fmt: skip


def table_with(name: str, **more: Any) -> Table:
    timings = {"query_ms": 1.5, "query_ms_p95": 2.0}
    return table_of(
        [
            trial("now", [9, 9], timings=timings),
            trial(name, [1, 1], {"chunking.size": 100}, timings=timings, **more),
            trial("dominated", [1, 9], {"chunking.size": 300}, texts=900, short=[4000], timings=timings),
        ]
    )


@pytest.mark.parametrize("name", HOSTILE)
def test_no_cell_is_a_formula(name: str) -> None:
    rows = list(csv.reader(io.StringIO(to_csv(table_with(name)), newline="")))
    assert len(rows) == 4
    assert {len(row) for row in rows} == {len(rows[0])}
    for row in rows[1:]:
        for place in (0, rows[0].index("dominated"), rows[0].index("notes")):
            assert row[place][:1] not in tuple("=+-@\t\r")
    flat = "".join(character if character.isprintable() else " " for character in name).strip()
    assert rows[2][0].removeprefix("'") == flat
    assert [row[rows[0].index("winner")] for row in rows[1:]] == ["", "yes", ""]


@pytest.mark.parametrize("words", HOSTILE)
def test_what_a_program_said_breaks_no_line(words: str) -> None:
    candidate, made = trial("broken", [1, "failed"], {"chunking.size": 100})
    questions = (made.questions[0], dataclasses.replace(made.questions[1], reason=words))
    table = table_of([trial("now", [9, 9]), (candidate, dataclasses.replace(made, questions=questions))])
    assert "1 not measured" in table.rows[1].notes[0]
    rows = list(csv.reader(io.StringIO(to_csv(table), newline="")))
    assert all(character.isprintable() for character in rows[2][-1])
    assert to_csv(table).count("\n") == 3
    shown = MarkdownIt("commonmark", {"html": True}).enable("table").render(to_markdown(table))
    assert shown.count("<tr>") == 3
    assert not any(tag in shown for tag in ("<script", "<img", "<a "))


@pytest.mark.parametrize("name", HOSTILE)
def test_a_picture_is_xml_and_runs_nothing(name: str) -> None:
    for axis in ("tokens", "latency"):
        root = ElementTree.fromstring(to_svg(table_with(name), axis).encode("utf-8", "replace"))  # type: ignore[arg-type]
        tags = {element.tag.rpartition("}")[2] for element in root.iter()}
        assert tags <= {"svg", "title", "rect", "text", "path", "circle"}
        assert not [key for element in root.iter() for key in element.attrib if key.startswith("on") or "href" in key]


@pytest.mark.parametrize("name", HOSTILE)
def test_markdown_keeps_its_table_whatever_a_row_is_called(name: str) -> None:
    shown = MarkdownIt("commonmark", {"html": True}).enable("table").render(to_markdown(table_with(name)))
    assert shown.count("<tr>") == 4
    assert len(re.findall("<t[dh][ >]", shown)) == 4 * len(re.findall("<th[ >]", shown))
    assert "<script" not in shown
    assert "<img" not in shown
    assert "<a " not in shown
    assert "**winner**" not in shown  # it is bold
    assert "<strong>winner</strong>" in shown
    if name == "a|b|c":
        assert "<code>a|b|c</code>" in shown


@given(st.text(max_size=60))
def test_any_name_in_any_form(name: str) -> None:
    table = table_with(name or "x")
    ElementTree.fromstring(to_svg(table).encode("utf-8", "replace"))
    to_markdown(table)
    assert len(list(csv.reader(io.StringIO(to_csv(table), newline="")))) == 4
    assert json.loads(json.dumps(to_json(table)))["winner"] == (name or "x")


def test_the_document() -> None:
    table = table_of(
        [trial("now", [9, 1]), trial("other", [1, 1], {"retrieval.mode": "dense"}, short=[2000, 4000])],
        [Unusable({"chunking.size": 1, "chunking.overlap": 2}, "2 is not smaller than size (1)")],
    )
    document = to_json(table)
    assert document["winner"] == "other"
    assert document["current"] == "now"
    assert document["by"] == "recall@5"
    assert document["confirmed"] is None
    assert document["unusable"][0]["settings"] == {"chunking.size": 1, "chunking.overlap": 2}
    now, other = document["rows"]
    assert now["versus_current"] is None
    assert other["versus_current"]["won"] == ["q0"]
    assert other["settings"] == {"retrieval.mode": "dense"}
    assert other["short"] == [2000, 4000]
    timed = {column.key for column in columns_of(table) if column.timed}
    assert set(other["timings"]) == timed
    assert not timed & set(other["metrics"])
    json.dumps(document, allow_nan=False)


def test_many_rows_are_cut_in_pictures_and_pages() -> None:
    trials = [trial("now", [9, 9])]
    trials += [trial(f"row{place}", [1, 9], {"retrieval.rrf_k": place}, mrr=place / 100, texts=place) for place in range(1, 80)]
    table = table_of(trials)
    text = to_markdown(table)
    assert sum(line.startswith("| `") for line in text.splitlines()) == 60
    assert text.endswith("and 20 more\n")
    svg = to_svg(table)
    assert "and 62 more" in svg
    assert svg.count('stroke-width="1.2"') + svg.count('stroke-width="2.5"') == 80
    assert to_csv(table).count("\n") == 81


def test_a_table_without_a_number() -> None:
    table = table_of([trial("now", []), trial("other", [], {"retrieval.mode": "dense"})])
    for axis in ("tokens", "latency"):
        ElementTree.fromstring(to_svg(table, axis))  # type: ignore[arg-type]
    assert "nan" not in to_svg(table)
    assert "–" in to_markdown(table)
    assert winner_sentence(table) in to_markdown(table).replace("\u2060", "")


def test_one_point_and_all_alike() -> None:
    table = table_of(
        [trial("now", [1], timings={"query_ms": 2.0}), trial("b", [1], {"retrieval.rrf_k": 1}, timings={"query_ms": 2.0})]
    )
    for axis in ("tokens", "latency"):
        root = ElementTree.fromstring(to_svg(table, axis))  # type: ignore[arg-type]
        for circle in root.iter("{http://www.w3.org/2000/svg}circle"):
            assert 0 <= float(circle.attrib["cx"]) <= 860
            assert 0 <= float(circle.attrib["cy"]) <= 460

from __future__ import annotations

import pytest
from tests.engine.golden.tiny import document

from ragtriage.golden.sections import find_section, page_span
from ragtriage.types import Span

GUIDE = document("guide", "# Guide\nintro\n## Fees & Costs\nfees\n### Late\nlate\n## Fees & Costs\nagain\n## 14.2 Term\nterm\n")
CONTRACT = document(
    "contract",
    "CONTRACT\n\n13. Fees\nfees\n\n14. Term\nterm\n14.1 Start\nstart\n14.2 End\nend of it:\n1. by notice\n2. by death\n"
    "14.2.1 Notice\nin writing\n14.3 Rest\nrest\n§ 15 Law\nlaw\n",
)


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("fees--costs", "## Fees & Costs\nfees\n### Late\nlate\n"),
        ("fees--costs-1", "## Fees & Costs\nagain\n"),
        ("#late", "### Late\nlate\n"),
        ("Late", "### Late\nlate\n"),
        ("§14.2", "## 14.2 Term\nterm\n"),
        ("14.2", "## 14.2 Term\nterm\n"),
        ("142-term", "## 14.2 Term\nterm\n"),
    ],
)
def test_a_heading_is_found_with_all_below_it(name: str, text: str) -> None:
    (span,) = find_section(GUIDE, name)
    assert GUIDE.text[span.start : span.end] == text


@pytest.mark.parametrize(
    ("name", "first", "last"),
    [("§14.2", "14.2 End", "in writing"), ("§14", "14. Term", "rest"), ("§ 15", "§ 15 Law", "law"), ("13", "13. Fees", "fees")],
)
def test_numbered_lines_make_sections_where_there_are_no_headings(name: str, first: str, last: str) -> None:
    (span,) = find_section(CONTRACT, name)
    lines = CONTRACT.text[span.start : span.end].strip().splitlines()
    assert (lines[0], lines[-1]) == (first, last)


@pytest.mark.parametrize("name", ["§14.9", "4", "nothing", "", "§", "🙂"])
def test_what_fits_nothing_is_nothing(name: str) -> None:
    assert find_section(CONTRACT, name) == ()


def test_a_number_that_opens_several_lines_is_several_places() -> None:
    contents = document("c", "1 Scope .... 2\n2 Terms .... 5\n\n1 Scope\nscope\n2 Terms\nterms\n")
    assert len(find_section(contents, "§1")) == 2


def test_pages_count_from_1() -> None:
    pages = document("p", "onetwo", pages=[(0, 3), (3, 6)])
    assert [page_span(pages, page) for page in (0, 1, 2, 3)] == [None, Span(0, 3), Span(3, 6), None]

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragtriage.corpus.base import Parsed
from ragtriage.corpus.markdown import headings, parse_markdown


def parsed(text: str, access_key: str = "") -> Parsed:
    return parse_markdown(text.encode("utf-8"), "page.md", access_key).documents[0]


def test_atx_and_setext_headings() -> None:
    text = "Title\n=====\n\nintro\n\nPart *one*\n---\n\n### A `code` [link](http://x) ###\nbody\n"
    found = headings(text)
    assert [(heading.level, heading.text, heading.anchor) for heading in found] == [
        (1, "Title", "title"),
        (2, "Part one", "part-one"),
        (3, "A code link", "a-code-link"),
    ]
    assert [text[heading.start :].split("\n")[0] for heading in found] == [
        "Title",
        "Part *one*",
        "### A `code` [link](http://x) ###",
    ]


def test_no_headings_inside_fences_and_a_rule_is_none() -> None:
    assert [heading.text for heading in headings("# A\n\n```sh\n# not one\n```\n\n***\n\n---\n\n    # code\n")] == ["A"]


def test_a_heading_in_a_quotation_numbers_anchors_but_makes_no_section() -> None:
    found = headings("> # Note\n\n# Note\n")
    assert [(heading.text, heading.anchor) for heading in found] == [("Note", "note-1")]


def test_the_text_starts_after_the_front_matter() -> None:
    document = parsed("---\ntitle: 'The  Title'\ndate: 2024-13-45\n---\n\n# Head\ntext\n")
    assert document.title == "The Title"
    assert document.text == "\n# Head\ntext\n"
    assert document.text[document.sections[0].span.start :].startswith("# Head")


def test_the_title_is_the_first_h1_where_front_matter_has_none() -> None:
    assert parsed("## Before\n# *First*\n# Second\n").title == "First"
    assert parsed("no heading").title == ""


def test_toml_front_matter() -> None:
    document = parsed('+++\ntitle = "T"\naccess = ["hr"]\n+++\nbody', "access")
    assert (document.title, document.access, document.text) == ("T", ("hr",), "body")


def test_a_first_rule_that_nothing_closes_is_text() -> None:
    assert parsed("---\n# A\n").text == "---\n# A\n"


@pytest.mark.parametrize(
    ("value", "groups"),
    [
        ("hr", ("hr",)),
        ("hr, legal", ("hr", "legal")),
        ("[hr, 'legal', hr]", ("hr", "legal")),
        ("[]", ()),
        ("\n  - hr\n  - it", ("hr", "it")),
        ("2024", ("2024",)),
    ],
)
def test_access_is_read(value: str, groups: tuple[str, ...]) -> None:
    result = parse_markdown(f"---\naccess: {value}\n---\nx".encode(), "page.md", "access")
    assert result.documents[0].access == groups
    assert not result.problems


@pytest.mark.parametrize("value", ["", "~", "null", "true", "{a: b}", "[[hr]]", "[hr, '']", "*", "[unclosed", "&a [*a]"])
def test_access_that_cannot_be_read_hides_the_document_and_is_reported(value: str) -> None:
    result = parse_markdown(f"---\naccess: {value}\n---\nx".encode(), "page.md", "access")
    assert result.documents[0].access == ()
    assert [problem.severity for problem in result.problems] == ["error"]
    assert "hidden" in result.problems[0].message


def test_front_matter_that_is_never_closed_hides_a_document_that_names_its_groups() -> None:
    result = parse_markdown(b"---\naccess: hr\n# A", "page.md", "access")
    assert result.documents[0].access == ()
    assert result.problems


def test_without_a_key_front_matter_restricts_nothing() -> None:
    result = parse_markdown(b"---\naccess: [hr\n---\nx", "page.md", "")
    assert result.documents[0].access is None
    assert [problem.severity for problem in result.problems] == ["warning"]


@given(st.text(st.sampled_from("#=-`~>*[]()|\\<!&\n\t ab1.:\x00\u2028é"), max_size=200))
def test_sections_of_any_text_ascend_and_start_lines(text: str) -> None:
    document = Parsed("", "", text)
    found = headings(text)
    starts = [heading.start for heading in found]
    assert starts == sorted(set(starts))
    assert all(start == 0 or document.text[start - 1] == "\n" for start in starts)
    assert len({heading.anchor for heading in found}) == len(found)

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragtriage.corpus.decoding import NotText
from ragtriage.corpus.html import parse_html

PAGE = b"""<!doctype html><html><head><title>Fees &amp;  limits</title><style>p {}</style></head><body>
<nav>Home</nav><h1 id="top">Fees</h1><p>We   charge <b>1.5&nbsp;%</b>,<br>never more.</p><script>alert(1)</script>
<ul><li>one</li><li><p>two</p></li></ul><p hidden>unseen</p><p aria-hidden="true">unseen</p>
<table><tr><th>Plan</th><th>Fee</th></tr><tr><td>Start</td><td>0</td></tr></table>
<h2>By card</h2><pre>
a
  b</pre><h2>By card</h2><div>first</div><div>second</div></body></html>"""


def test_the_text_is_what_a_reader_sees() -> None:
    document = parse_html(PAGE, "fees.html", "").documents[0]
    assert document.title == "Fees & limits"
    assert document.text == (
        "Fees\n\nWe charge 1.5 %,\nnever more.\n\n- one\n\n- two\n\n"
        "Plan | Fee\nStart | 0\n\nBy card\n\na\n  b\n\nBy card\n\nfirst\nsecond"
    )


def test_headings_make_sections_and_their_own_ids_are_anchors() -> None:
    document = parse_html(PAGE, "fees.html", "").documents[0]
    assert [(section.path, section.anchor) for section in document.sections] == [
        (("Fees",), "top"),
        (("Fees", "By card"), "by-card"),
        (("Fees", "By card"), "by-card-1"),
    ]
    assert [document.text[section.span.start :].split("\n")[0] for section in document.sections] == [
        "Fees",
        "By card",
        "By card",
    ]


def test_access_from_a_meta_tag() -> None:
    page = b'<meta name="Access" content="hr, it"><p>x'
    assert parse_html(page, "a.html", "access").documents[0].access == ("hr", "it")
    assert parse_html(page, "a.html", "").documents[0].access is None
    hidden = parse_html(b'<meta name="access"><p>x', "a.html", "access")
    assert hidden.documents[0].access == ()
    assert hidden.problems


def test_without_a_title_the_first_h1_is_one() -> None:
    assert parse_html(b"<h2>a</h2><h1>b</h1>", "a.html", "").documents[0].title == "b"


def test_a_heading_inside_a_heading_ends_it() -> None:
    def headings(page: bytes) -> list[tuple[tuple[str, ...], str]]:
        document = parse_html(page, "a.html", "").documents[0]
        return [(section.path, document.text[slice(*section.span)]) for section in document.sections]

    assert headings(b"x<h1><li><h1> a ") == [(("- a",), "- a")]
    assert headings(b"<h1>Fees<div><h2>By card</h2>low") == [
        (("Fees",), "Fees\n\nBy card\n\nlow"),
        (("Fees", "By card"), "By card\n\nlow"),
    ]


def test_nesting_that_would_take_minutes_is_refused_and_long_lists_are_not() -> None:
    with pytest.raises(NotText, match="nested"):
        parse_html(b"<div>" * 100_000, "a.html", "")
    assert len(parse_html(b"<p>x<br>" * 20_000, "a.html", "").documents[0].text) > 20_000


@given(
    st.lists(
        st.sampled_from(
            [
                "<h1>",
                "</h1>",
                "<p>",
                "<li>",
                "<pre>",
                "\n",
                " a ",
                "<td>",
                "<table>",
                "</table>",
                "<!--",
                "-->",
                "<b",
                "&#xD800;",
                "<svg>",
                "</div>",
                "<body>",
                "<h2 id=x>",
            ]
        ),
        max_size=30,
    )
)
def test_any_markup_gives_text_whose_sections_fit(parts: list[str]) -> None:
    document = parse_html("".join(["x", *parts]).encode(), "a.html", "").documents[0]
    document.text.encode("utf-8")
    for section in document.sections:
        assert 0 <= section.span.start < section.span.end <= len(document.text)
        assert " ".join(document.text[section.span.start :].split()).startswith(section.path[-1].split(" ")[0])
    assert len({section.anchor for section in document.sections}) == len(document.sections)

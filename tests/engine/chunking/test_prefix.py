from __future__ import annotations

from dataclasses import replace

from tests.engine.chunking.cutting import document_of, word_offsets

from ragtriage.chunking.prefix import MAX_PREFIX, cut_prefix, full_prefix


def test_title_and_headings_and_no_title_twice() -> None:
    document = document_of("intro\n\n# A\n\n## B\n\ntext")
    at = document.text.index("## B")
    assert full_prefix(document, 0) == "Title"
    assert full_prefix(document, at) == "Title > A > B"
    assert full_prefix(replace(document, title="A"), at) == "A > B"
    assert full_prefix(replace(document, title=""), at) == "A > B"
    assert full_prefix(replace(document, title="", sections=()), at) == ""


def test_a_long_prefix_loses_its_beginning() -> None:
    prefix = " > ".join(f"heading{number}" for number in range(60))
    cut, count = cut_prefix(prefix, word_offsets(prefix))
    assert count <= MAX_PREFIX
    assert prefix.endswith(cut)
    assert cut.startswith("heading")
    assert len(word_offsets(cut)) in (count, count - 1)
    assert cut_prefix("short", word_offsets("short")) == ("short", 1)

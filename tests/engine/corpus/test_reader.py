from __future__ import annotations

import json
import os
import random
import shutil
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.engine.corpus.reading import corpus_of, files
from tests.soak import rounds

from ragtriage.config import CorpusConfig
from ragtriage.corpus import parsers, reader
from ragtriage.corpus.base import Corpus, ParsedFile
from ragtriage.corpus.reader import read_beir_corpus, read_corpus
from ragtriage.errors import Cancelled, CorpusError

SMALL = {
    "refunds.md": "---\naccess: [hr]\n---\n# Refunds\n\n## Fees\n\ntext",
    "billing/webhooks.md": "# Webhooks\n",
    "notes.txt": "plain",
    "page.html": "<h1>Page</h1>x",
    "more.jsonl": '{"id": "j1", "text": "x"}\n{"chunk_id": "own", "doc_id": "j2", "text": "y"}\n',
}


@pytest.fixture
def parsed_sources(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The sources that went through a parser, as they do."""
    seen: list[str] = []
    real = parsers.parse

    def spy(kind: str, data: bytes, source: str, access_key: str) -> ParsedFile:
        seen.append(source)
        return real(kind, data, source, access_key)

    monkeypatch.setattr(parsers, "parse", spy)
    return seen


def age(root: Path) -> None:
    """Make every file older than the clock of any file system is coarse."""
    for path in root.rglob("*"):
        os.utime(path, ns=(10**18, 10**18))


def same(one: Corpus, two: Corpus) -> bool:
    return (one.documents, one.problems, one.skipped, one.fingerprint, one.digests) == (
        two.documents,
        two.problems,
        two.skipped,
        two.fingerprint,
        two.digests,
    )


def test_ids_titles_and_sources(tmp_path: Path) -> None:
    corpus = corpus_of(tmp_path, SMALL, access_key="access")
    assert [(item.doc_id, item.title, item.source, item.access) for item in corpus.documents] == [
        ("billing/webhooks", "Webhooks", "billing/webhooks.md", None),
        ("j1", "", "more.jsonl", None),
        ("j2", "", "more.jsonl", None),
        ("notes", "notes", "notes.txt", None),
        ("page", "Page", "page.html", None),
        ("refunds", "Refunds", "refunds.md", ("hr",)),
    ]
    assert corpus.document("billing/webhooks.md") is corpus.document("billing/webhooks")
    assert corpus.problems == ()


def test_two_files_of_one_name_both_keep_their_suffix(tmp_path: Path) -> None:
    corpus = corpus_of(tmp_path, {"faq.md": "a", "faq.html": "b", "x/faq.txt": "c"})
    assert [item.doc_id for item in corpus.documents] == ["faq.html", "faq.md", "x/faq"]
    with pytest.raises(CorpusError, match=r"faq\.html or faq\.md"):
        corpus.document("faq")
    assert corpus.get("faq") is None
    assert corpus.document("faq.md").text == "a"


def test_a_file_without_text_keeps_its_claim_on_the_name(tmp_path: Path) -> None:
    corpus = corpus_of(tmp_path, {"faq.md": "a", "faq.txt": ""})
    assert [item.doc_id for item in corpus.documents] == ["faq.md"]


def test_an_unknown_document_is_answered_with_the_nearest(tmp_path: Path) -> None:
    corpus = corpus_of(tmp_path, SMALL)
    with pytest.raises(CorpusError, match="did you mean refunds"):
        corpus.document("refund")
    with pytest.raises(CorpusError) as caught:  # a few letters in common are no likeness
        corpus_of(tmp_path / "others", {"sheds.md": "x"}).document("policy-refunds")
    assert "did you mean" not in str(caught.value)


def test_names_are_found_however_their_accents_are_made(tmp_path: Path) -> None:
    corpus = corpus_of(tmp_path, {"cafe\u0301.md": "x"})
    assert corpus.document("caf\u00e9").doc_id == "caf\u00e9"
    assert corpus.get("cafe\u0301") is corpus.documents[0]


def test_doubles_are_reported_and_the_first_counts(tmp_path: Path) -> None:
    lines = [
        {"id": "a", "text": "one"},
        {"id": "a", "text": "two"},
        {"chunk_id": "c", "doc_id": "x", "text": "1"},
        {"chunk_id": "c", "doc_id": "y", "text": "2"},
        {"chunk_id": "a#1", "doc_id": "y", "text": "3"},
    ]
    corpus = corpus_of(tmp_path, {"d.jsonl": "\n".join(map(json.dumps, lines)), "x.md": "m"})
    assert [(item.doc_id, item.text) for item in corpus.documents] == [("a", "one"), ("x", "1"), ("y", "2\n\n3")]
    assert corpus.documents[2].cuts == ()
    assert len(corpus.problems) == 4
    assert all("twice" in item.message or "left out" in item.message for item in corpus.problems)


def test_what_gave_no_text_is_listed(tmp_path: Path) -> None:
    corpus = corpus_of(
        tmp_path,
        {
            "a.md": "x",
            "empty.md": "",
            "blank.md": " \n",
            "bin.txt": b"\0\1",
            "latin.txt": b"caf\xe9",
            "b.png": b"x",
            "e.html": "<p></p>",
        },
    )
    assert {(item.source, item.reason) for item in corpus.skipped} == {
        ("empty.md", "empty"),
        ("blank.md", "no text"),
        ("bin.txt", "binary"),
        ("latin.txt", "encoding"),
        ("b.png", "unmatched"),
        ("e.html", "no text"),
    }
    assert len(corpus.documents) == 1


def test_a_missing_folder_and_patterns_that_take_nothing(tmp_path: Path) -> None:
    with pytest.raises(CorpusError, match="no such folder"):
        read_corpus(tmp_path / "nowhere", CorpusConfig(), cache=tmp_path / "cache")
    corpus = corpus_of(tmp_path, {"a.rst": "x"}, include=("../**/*.md",))
    assert len(corpus.problems) == 2


def test_files_that_are_no_documents_can_be_excluded(tmp_path: Path) -> None:
    root = files(tmp_path / "docs", {"a.md": "x", "golden.jsonl": '{"qid": "q"}'})
    corpus = read_corpus(root, CorpusConfig(), cache=tmp_path / "cache", exclude=[root / "golden.jsonl"])
    assert (len(corpus.documents), corpus.problems, corpus.skipped) == (1, (), ())


def test_unchanged_files_are_not_opened_again(tmp_path: Path, parsed_sources: list[str]) -> None:
    files(tmp_path / "docs", SMALL)
    age(tmp_path / "docs")
    cold = corpus_of(tmp_path, {})
    assert sorted(parsed_sources) == sorted(SMALL)
    for path in (tmp_path / "docs").rglob("*.*"):
        path.chmod(0)
    assert same(cold, corpus_of(tmp_path, {}))
    assert len(parsed_sources) == len(SMALL)


def test_a_large_file_of_lines_is_not_kept_a_second_time(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, parsed_sources: list[str]
) -> None:
    monkeypatch.setattr(reader, "_NO_SNAPSHOT", 40)
    lines = "".join(json.dumps({"id": f"d{number}", "text": f"a needle {number}"}) + "\n" for number in range(9))
    files(tmp_path / "docs", {"small.md": "# Small", "large.jsonl": lines, "large.md": "# Large\n" * 9})
    age(tmp_path / "docs")
    first = corpus_of(tmp_path, {})
    parsed_sources.clear()
    assert same(first, corpus_of(tmp_path, {}))
    assert parsed_sources == ["large.jsonl"]
    assert not [path for path in (tmp_path / "cache").rglob("*") if path.is_file() and b"needle" in path.read_bytes()]


def test_after_an_edit_one_file_is_parsed(tmp_path: Path, parsed_sources: list[str]) -> None:
    corpus_of(tmp_path, SMALL)
    parsed_sources.clear()
    edited = corpus_of(tmp_path, {"refunds.md": "# Refunds\n\nnew"})
    assert parsed_sources == ["refunds.md"]
    fresh = read_corpus(tmp_path / "docs", CorpusConfig(), cache=tmp_path / "other")
    assert same(edited, fresh)
    parsed_sources.clear()
    back = corpus_of(tmp_path, {"refunds.md": SMALL["refunds.md"]})
    assert parsed_sources == []
    assert back.fingerprint != edited.fingerprint


def test_a_change_within_one_tick_of_the_clock_is_seen(tmp_path: Path) -> None:
    root = files(tmp_path / "docs", {"a.md": "old"})
    corpus_of(tmp_path, {})
    before = (root / "a.md").stat()
    (root / "a.md").write_bytes(b"new")
    os.utime(root / "a.md", ns=(before.st_atime_ns, before.st_mtime_ns))
    assert corpus_of(tmp_path, {}).documents[0].text == "new"


def test_rehash_reads_what_looks_unchanged(tmp_path: Path) -> None:
    root = files(tmp_path / "docs", {"a.md": "old"})
    age(root)
    corpus_of(tmp_path, {})
    (root / "a.md").write_bytes(b"new")
    age(root)
    assert corpus_of(tmp_path, {}).documents[0].text == "old"
    again = read_corpus(root, CorpusConfig(), cache=tmp_path / "cache", rehash=True)
    assert again.documents[0].text == "new"


def test_removed_and_added_files(tmp_path: Path) -> None:
    corpus_of(tmp_path, SMALL)
    (tmp_path / "docs" / "notes.txt").unlink()
    changed = corpus_of(tmp_path, {"new.md": "x"})
    assert same(changed, read_corpus(tmp_path / "docs", CorpusConfig(), cache=tmp_path / "other"))
    assert "new" in {item.doc_id for item in changed.documents}


def test_another_folder_of_the_same_files_has_the_same_fingerprint_and_parses_nothing(
    tmp_path: Path, parsed_sources: list[str]
) -> None:
    one = corpus_of(tmp_path, SMALL)
    shutil.copytree(tmp_path / "docs", tmp_path / "copy")
    parsed_sources.clear()
    two = read_corpus(tmp_path / "copy", CorpusConfig(), cache=tmp_path / "cache")
    assert one.fingerprint == two.fingerprint
    assert set(parsed_sources) == {"notes.txt", "more.jsonl"}


def test_a_changed_byte_in_any_cache_file_is_a_silent_rebuild(tmp_path: Path) -> None:
    files(tmp_path / "docs", SMALL)
    age(tmp_path / "docs")
    whole = corpus_of(tmp_path, {})
    generator = random.Random(7)
    for _ in range(rounds(40, 400)):
        for path in sorted((tmp_path / "cache").rglob("*.*")):
            data = bytearray(path.read_bytes())
            data[generator.randrange(len(data))] ^= 1 << generator.randrange(8)
            path.write_bytes(data)
        assert same(whole, corpus_of(tmp_path, {}))


def test_a_cache_that_cannot_be_written_is_done_without(tmp_path: Path) -> None:
    root = files(tmp_path / "docs", SMALL)
    (tmp_path / "cache").write_bytes(b"a file where the folder should be")
    assert len(read_corpus(root, CorpusConfig(), cache=tmp_path / "cache").documents) == 6


def test_stopping_leaves_everything_usable(tmp_path: Path) -> None:
    root = files(tmp_path / "docs", SMALL)

    def stop(stage: str, done: int, total: int) -> None:
        if done:
            raise Cancelled("stopped")

    with pytest.raises(Cancelled):
        read_corpus(root, CorpusConfig(), cache=tmp_path / "cache", progress=stop)
    assert len(corpus_of(tmp_path, {}).documents) == 6


@settings(max_examples=rounds(60, 1000), suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(
    st.sampled_from(["a.md", "a.html", "a.txt", "a.pdf", "a.jsonl"]),
    st.one_of(st.binary(max_size=300), st.text(max_size=200).map(str.encode)),
)
def test_hostile_bytes_are_a_document_or_a_line(tmp_path: Path, name: str, data: bytes) -> None:
    shutil.rmtree(tmp_path / "docs", ignore_errors=True)
    corpus = corpus_of(tmp_path, {name: data})
    assert len(corpus.documents) + len(corpus.skipped) + len(corpus.problems) >= 1
    for document in corpus.documents:
        document.text.encode("utf-8")


def test_beir_corpus(tmp_path: Path) -> None:
    lines = [{"_id": "d1", "title": "T", "text": "x"}, {"_id": "d2", "title": "", "text": ""}, {"_id": "d1", "text": "z"}]
    files(
        tmp_path,
        {"corpus.jsonl": "\n".join(map(json.dumps, lines)), "queries.jsonl": '{"_id": "q", "text": "?", "references": []}'},
    )
    corpus = read_beir_corpus(tmp_path, cache=tmp_path / "cache")
    assert [(item.doc_id, item.title, item.text) for item in corpus.documents] == [("d1", "T", "x"), ("d2", "", "")]
    assert len(corpus.problems) == 1
    assert same(corpus, read_beir_corpus(tmp_path, cache=tmp_path / "cache"))


def test_beir_documents_where_the_queries_refer_to_offsets(tmp_path: Path) -> None:
    files(
        tmp_path,
        {
            "corpus.jsonl": '{"_id": "c", "text": "x"}',
            "documents.jsonl": '{"_id": "d", "text": "# A\\r\\nx"}',
            "queries.jsonl": '{"_id": "q", "text": "?", "references": [{"doc_id": "d", "start": 0, "end": 1}]}',
        },
    )
    corpus = read_beir_corpus(tmp_path, cache=tmp_path / "cache")
    assert [(item.doc_id, item.text, item.cuts) for item in corpus.documents] == [("d", "# A\r\nx", None)]


def test_a_folder_that_is_not_beir(tmp_path: Path) -> None:
    with pytest.raises(CorpusError, match=r"corpus\.jsonl"):
        read_beir_corpus(tmp_path, cache=tmp_path / "cache")

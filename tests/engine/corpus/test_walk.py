from __future__ import annotations

import os
from pathlib import Path

import pytest
from tests.engine.corpus.reading import files

from ragtriage.corpus.walk import matcher, walk


@pytest.mark.parametrize(
    ("pattern", "takes", "leaves"),
    [
        ("**/*.md", ["a.md", "x/a.md", "x/y/A.MD"], ["a.mdx", "a.md/b", "md"]),
        ("*.md", ["a.md"], ["x/a.md"]),
        ("guides/**", ["guides/a", "guides/x/y.pdf"], ["guides", "other/guides/a"]),
        ("**/v?/*.txt", ["v1/a.txt", "x/v2/a.txt"], ["v10/a.txt", "v/a.txt"]),
        ("[ab]*.md", ["a.md", "beta.md"], ["c.md"]),
        ("[!ab]*.md", ["c.md"], ["a.md"]),
        ("./docs/*.md", ["docs/a.md"], ["a.md"]),
        ("a+(b).md", ["a+(b).md"], ["aab.md"]),
        ("../**/*.md", [], ["a.md", "x/a.md"]),
    ],
)
def test_patterns(pattern: str, takes: list[str], leaves: list[str]) -> None:
    match = matcher([pattern])
    assert [name for name in takes if not match(name)] == []
    assert [name for name in leaves if match(name)] == []


def test_no_pattern_takes_nothing() -> None:
    assert not matcher([])("a.md")


def test_files_come_sorted_and_the_rest_is_listed(tmp_path: Path) -> None:
    root = files(
        tmp_path, {"b.md": "x", "a/z.md": "x", "a.md": "x", "pic.png": "x", ".git/c.md": "x", ".hidden.md": "x", "out.md": "x"}
    )
    hidden = frozenset([os.path.realpath(root / "out.md")])
    found, skipped = walk(root, matcher(["**/*.md"]), hidden)
    assert [item.source for item in found] == ["a.md", "a/z.md", "b.md"]
    assert [(item.source, item.reason) for item in skipped] == [("pic.png", "unmatched")]


def test_links_never_leave_the_root(tmp_path: Path) -> None:
    files(tmp_path, {"secret.md": "s", "other/x.md": "s", "docs/a.md": "x", "docs/sub/b.md": "x", "docs-2/y.md": "s"})
    root = tmp_path / "docs"
    (root / "out.md").symlink_to(tmp_path / "secret.md")
    (root / "up.md").symlink_to("../secret.md")
    (root / "beside.md").symlink_to(tmp_path / "docs-2" / "y.md")
    (root / "folder").symlink_to(tmp_path / "other")
    (root / "loop").symlink_to(root)
    (root / "again").symlink_to(root / "sub")
    (root / "inside.md").symlink_to("sub/b.md")
    (root / "nowhere.md").symlink_to(root / "missing.md")
    found, skipped = walk(root, matcher(["**/*"]), frozenset())
    assert [item.source for item in found] == ["a.md", "inside.md", "sub/b.md"]
    outside = {item.source for item in skipped if item.reason == "outside"}
    assert outside == {"out.md", "up.md", "beside.md", "folder"}
    assert {item.source for item in skipped if item.reason == "unreadable"} == {"nowhere.md"}


def test_a_root_that_is_a_link_is_entered(tmp_path: Path) -> None:
    files(tmp_path / "real", {"a.md": "x"})
    (tmp_path / "link").symlink_to(tmp_path / "real")
    assert [item.source for item in walk(tmp_path / "link", matcher(["**/*"]), frozenset())[0]] == ["a.md"]


def test_pipes_are_not_opened_and_odd_names_can_be_shown(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.md")
    with open(os.fsencode(tmp_path) + b"/caf\xe9.md", "wb") as handle:
        handle.write(b"x")
    (tmp_path / "e\u0301.md").write_text("x", encoding="utf-8")
    found, skipped = walk(tmp_path, matcher(["**/*.md"]), frozenset())
    assert [item.source for item in found] == ["caf\ufffd.md", "\u00e9.md"]
    assert [item.reason for item in skipped] == ["unreadable"]

"""A configuration written into the file: what else stands in it stays, and nobody's edit is overwritten."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

import pytest
from tests.engine.experiments.projects import make

from ragtriage.config_file import with_settings
from ragtriage.errors import ConfigError, StorageError, UsageError
from ragtriage.experiments.adopt import Proposal, proposed, put_back, write
from ragtriage.project import Project


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("RAGTRIAGE_HOME", str(tmp_path / "home"))
    make(tmp_path / "project")
    return tmp_path / "project"


def offer(root: Path, settings: dict[str, Any], *, overrides: tuple[str, ...] = ()) -> Proposal:
    project = Project.open(root, overrides=overrides)
    return proposed(project, with_settings(project.config, settings))


def save(root: Path, text: str) -> None:
    (root / "ragtriage.toml").write_bytes(text.encode())


def adopted(root: Path, text: str, settings: dict[str, Any]) -> str:
    save(root, text)
    proposal = offer(root, settings)
    write(proposal)
    out = (root / "ragtriage.toml").read_bytes().decode()
    assert Project.open(root).config.chunking == with_settings(Project.open(root).config, settings).chunking
    put_back(proposal)
    assert (root / "ragtriage.toml").read_bytes().decode() == text
    return out


SIZES = {"chunking.size": 256, "chunking.overlap": 32}


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        (  # the value alone, its comment stays; a new key behind its example, before what belongs to the next table
            "# ours\n[chunking]\nsize = 200   # tokens\n# overlap = 0\n\n# how it is searched\n[retrieval]\nk = 3\n",
            "# ours\n[chunking]\nsize = 256   # tokens\n# overlap = 0\noverlap = 32\n\n"
            "# how it is searched\n[retrieval]\nk = 3\n",
        ),
        (  # dotted keys stay dotted
            'chunking.size = 100 # a\nretrieval = {k = 3, mode = "bm25"}\n',
            'chunking.size = 256 # a\nchunking.overlap = 32\nretrieval = {k = 3, mode = "bm25"}\n',
        ),
        ("# nothing yet", "# nothing yet\n\n[chunking]\noverlap = 32\nsize = 256\n"),
        ("[run]\nkeep = 3", "[run]\nkeep = 3\n\n[chunking]\noverlap = 32\nsize = 256\n"),
        ("[chunking]\r\nsize = 100\r\n\r\n[run]\r\n", "[chunking]\r\nsize = 256\r\noverlap = 32\r\n\r\n[run]\r\n"),
        ("\ufeff[chunking]\nsize = 100\n", "\ufeff[chunking]\nsize = 256\noverlap = 32\n"),
        ("[chunking]\n# words\n\n# more\n[run]\n", "[chunking]\n# words\nsize = 256\noverlap = 32\n\n# more\n[run]\n"),
        (  # indented as what stands there is
            "[chunking]\n  size = 200\n  # overlap = 0\n\n[run]\n",
            "[chunking]\n  size = 256\n  # overlap = 0\n  overlap = 32\n\n[run]\n",
        ),
        ("[chunking]\n\tsize = 200 # a\n[run]\n", "[chunking]\n\tsize = 256 # a\n\toverlap = 32\n[run]\n"),
        ("  [chunking]\n    # words\n  [run]\n", "  [chunking]\n    # words\n    size = 256\n    overlap = 32\n  [run]\n"),
        ("  [run]\n    keep = 3\n", "  [run]\n    keep = 3\n\n  [chunking]\n    size = 256\n    overlap = 32\n"),
        ("[chunking]\n[run]\n", "[chunking]\nsize = 256\noverlap = 32\n[run]\n"),
    ],
)
def test_comments_order_and_all_other_keys_stay(root: Path, text: str, wanted: str) -> None:
    out = adopted(root, text, SIZES)
    assert sorted(out.splitlines()) == sorted(wanted.splitlines())
    assert [line for line in out.splitlines() if "overlap" not in line and "size" not in line] == [
        line for line in wanted.splitlines() if "overlap" not in line and "size" not in line
    ]
    assert out.count("\r\n") == wanted.count("\r\n")


def test_without_a_file_there_is_a_new_one_and_none_after_it_is_undone(root: Path) -> None:
    (root / "ragtriage.toml").unlink()
    proposal = offer(root, {"chunking.size": 256, "retrieval.rerank": "lexical"})
    assert proposal.before is None
    write(proposal)
    assert tomllib.loads((root / "ragtriage.toml").read_text()) == {
        "chunking": {"size": 256}, "retrieval": {"rerank": "lexical"},
    }  # fmt: skip
    put_back(proposal)
    assert not (root / "ragtriage.toml").exists()


def test_what_is_written_and_what_it_was_is_told(root: Path) -> None:
    save(root, "[chunking]\nsize = 100\n")
    proposal = offer(root, {**SIZES, "retrieval.mode": "dense"})
    assert proposal.settings == {"chunking.size": 256, "chunking.overlap": 32, "retrieval.mode": "dense"}
    assert proposal.was == {"chunking.size": 100, "chunking.overlap": 0, "retrieval.mode": "hybrid"}
    assert proposal.overridden == ()


def test_a_file_that_somebody_changed_is_left_alone(root: Path) -> None:
    proposal = offer(root, SIZES)
    save(root, "[run]\nkeep = 9\n")
    with pytest.raises(StorageError, match="changed meanwhile"):
        write(proposal)
    assert (root / "ragtriage.toml").read_text() == "[run]\nkeep = 9\n"
    proposal = offer(root, SIZES)
    write(proposal)
    save(root, proposal.after.decode() + "# mine\n")
    with pytest.raises(StorageError, match="changed meanwhile"):
        put_back(proposal)
    assert (root / "ragtriage.toml").read_text().endswith("# mine\n")


def test_a_file_that_came_or_went_is_a_change(root: Path) -> None:
    proposal = offer(root, SIZES)
    (root / "ragtriage.toml").unlink()
    with pytest.raises(StorageError, match="changed meanwhile"):
        write(proposal)
    proposal = offer(root, SIZES)
    save(root, "")
    with pytest.raises(StorageError, match="changed meanwhile"):
        write(proposal)


def test_what_the_file_says_already_is_not_written(root: Path) -> None:
    with pytest.raises(UsageError, match=r"ragtriage\.toml says that already"):
        offer(root, {})
    save(root, "[chunking]\nsize = 256\n")
    with pytest.raises(UsageError, match="says that already"):
        offer(root, {}, overrides=("embedding.batch_size=8",))


def test_what_the_command_line_overrides_is_named(root: Path) -> None:
    save(root, "[chunking]\nsize = 100\n")
    proposal = offer(root, {"chunking.size": 256}, overrides=("chunking.size=64",))
    assert proposal.overridden == ("chunking.size",)
    # what was swept under the command line's own value needs that value in the file
    proposal = offer(root, {"chunking.size": 256}, overrides=("retrieval.mode=bm25",))
    assert proposal.settings == {"chunking.size": 256, "retrieval.mode": "bm25"}
    assert proposal.overridden == ()


def test_keys_that_do_not_go_together_are_refused_before_anything_is_written(root: Path) -> None:
    save(root, "[chunking]\nsize = 300\noverlap = 200\n")
    project = Project.open(root, overrides=("chunking.overlap=10", "retrieval.mode=bm25"))
    wanted = with_settings(project.config, {"chunking.size": 100})
    save(root, "[chunking]\nsize = 300\noverlap = 10\n[retrieval]\nk = 60\npool = 70\ndepth = 80\n")
    with pytest.raises(ConfigError):
        proposed(Project.open(root, overrides=("retrieval.k=65",)), with_settings(wanted, {"retrieval.pool": 50}))
    assert "size = 300" in (root / "ragtriage.toml").read_text()


@pytest.mark.parametrize("text", ["[chunking\n", "[chunking]\nsize = 'a'\n", "\x00"])
def test_a_file_that_does_not_read_is_left_alone(root: Path, text: str) -> None:
    project = Project.open(root)
    wanted = with_settings(project.config, SIZES)
    save(root, text)
    with pytest.raises(ConfigError):
        proposed(project, wanted)


def test_a_folder_in_its_place_or_a_closed_file_is_an_error(root: Path) -> None:
    project = Project.open(root)
    wanted = with_settings(project.config, SIZES)
    (root / "ragtriage.toml").unlink()
    (root / "ragtriage.toml").mkdir()
    with pytest.raises(StorageError, match="cannot be read"):
        proposed(project, wanted)
    (root / "ragtriage.toml").rmdir()
    save(root, "")
    proposal = offer(root, SIZES)
    (root / "ragtriage.toml").chmod(0o444)
    with pytest.raises(StorageError, match="nothing was changed"):
        write(proposal)


def test_hostile_names_are_written_as_text(root: Path) -> None:
    name = 'a"b\n[run]\nkeep = 1\x1b'
    save(root, "[embedding]\nmodel = 'x' # ours\n")
    proposal = offer(root, {"embedding.model": name})
    write(proposal)
    data = tomllib.loads((root / "ragtriage.toml").read_text())
    assert data == {"embedding": {"model": name}, **({"retrieval": data["retrieval"]} if "retrieval" in data else {})}


def test_a_key_that_has_no_say_is_not_written(root: Path) -> None:
    wanted = {"retrieval.mode": "hybrid", "retrieval.fusion": "zscore", "retrieval.rrf_k": 5}
    assert not {"retrieval.rrf_k"} & offer(root, wanted).settings.keys()
    assert offer(root, wanted | {"retrieval.fusion": "rrf"}).settings["retrieval.rrf_k"] == 5

"""`ragtriage sweep`: options and the file, what it writes, what it refuses, and going on where it was."""

from __future__ import annotations

import csv
import io
import itertools
import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple
from xml.etree import ElementTree

import pytest
from tests.engine.experiments.projects import make

from ragtriage_tui.cli import main
from ragtriage_tui.short_names import short_names
from ragtriage_tui.text import width

CONFIG = '[retrieval]\nmode = "bm25"\nk = 3\npool = 20\n'


class Said(NamedTuple):
    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        return json.loads(self.out)


Run = Callable[..., Said]


@pytest.fixture
def root(tmp_path: Path) -> Path:
    folder = tmp_path / "pages"
    make(folder, config=CONFIG)
    return folder


@pytest.fixture
def run(root: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Run:
    monkeypatch.chdir(root)

    def run(*words: str) -> Said:
        code = main(["sweep", *words])
        streams = capsys.readouterr()
        return Said(code, streams.out, streams.err)

    return run


def without_times(document: Any) -> Any:
    return {**document, "rows": [{key: value for key, value in row.items() if key != "timings"} for row in document["rows"]]}


def test_the_document(run: Run) -> None:
    done = run("--size", "40,400", "--overlap", "0,16", "--json")
    assert (done.code, done.err) == (0, "")  # nobody watches
    document = done.json
    assert document.keys() == {"format", "by", "budget", "current", "winner", "winners", "rows", "unusable", "confirmed"}
    assert [row["settings"] for row in document["rows"][1:]] == [
        {"chunking.size": 400},
        {"chunking.size": 400, "chunking.overlap": 16},
        {"chunking.size": 40},
        {"chunking.size": 40, "chunking.overlap": 16},
    ]
    assert done.out.count("\n") == 1


def test_who_watches_is_told_each_row(run: Run) -> None:
    done = run("--size", "40,400", "--overlap", "0,16", "--verbose")
    assert "5 configurations, the one in use first." in done.err
    assert sum(" of 5  recall@3 " in line for line in done.err.splitlines()) == 5


def test_the_table_in_eighty_columns(run: Run) -> None:
    done = run("--size", "40,80,400", "--overlap", "0,16", "--rerank", "none,lexical", "--all")
    assert done.code == 0
    assert all(width(line) <= 80 for line in done.out.splitlines())
    assert sum(line.startswith("■ ") for line in done.out.splitlines()) == 1
    assert "the configuration in use" in done.out or "Against the one in use" in done.out
    fewer = run("--size", "40,80,400", "--overlap", "0,16", "--rerank", "none,lexical", "--verbose")
    assert len(fewer.out.splitlines()) < len(done.out.splitlines())
    assert "dominated: another finds no less and costs no more; --all shows them" in " ".join(fewer.out.split())
    assert fewer.err.count("measured before") == 13
    assert run("--size", "40", "--ascii").out.isascii()


@pytest.mark.parametrize(
    ("names", "shown"),
    [
        (["recursive(size=128) bm25", "whole"], ["recursive(size=128) bm25", "whole"]),
        (
            [f"small_to_big(size=200,child_size=50) {mode}" for mode in ("bm25", "dense")],
            ["small_to_big(200,50) bm25", "small_to_big(200,50) dense"],
        ),
        (
            [f"small_to_big(size={size},child_size=50) dense" for size in (100, 200)],
            ["small_to_big(100,50) dense", "small_to_big(200,50) dense"],
        ),
        (
            [f"small_to_big(size={size},child_size={child}) dense k=5" for size, child in ((100, 50), (200, 50), (200, 60))],
            ["small_to_big(100,50) dense k=5", "small_to_big(200,50) dense k=5", "small_to_big(200,60) dense k=5"],
        ),
        (  # what tells them apart is in the middle, and long
            [
                f"recursive(size=200) hybrid k={k} rrf rrf_k={rrf_k} depth={depth} pool=50"
                for k, rrf_k, depth in ((5, 20, 50), (10, 20, 50), (10, 20, 100), (10, 5, 100))
            ],
            ["k=5 rrf_k=20 depth=50", "k=10 rrf_k=20 depth=50", "k=10 rrf_k=20 depth=100", "k=10 rrf_k=5 depth=100"],
        ),
    ],
)
def test_names_that_are_cut_stay_apart(names: list[str], shown: list[str]) -> None:
    assert short_names(tuple(names), 30) == tuple(shown)


def test_one_setting_is_spelt_alike_in_all_rows() -> None:
    names = ("recursive(size=200) dense", "recursive(size=200) hybrid zscore")
    assert short_names(names, 30) == ("recursive(200) dense", "recursive(200) hybrid zscore")
    longer = (*names, "recursive(size=200) hybrid rrf rrf_k=60")
    assert short_names(longer, 30) == ("recursive dense", "recursive hybrid zscore", "recursive hybrid rrf rrf_k=60")
    assert short_names((), 30) == ()


def test_rows_that_differ_in_k_show_what_they_send(run: Run) -> None:
    done = run("--k", "1,5", "--all")
    assert done.out.splitlines()[0].split() == ["configuration", "recall@k", "change", "flips", "tokens", "@1k", "p50", "ms"]
    assert all(width(line) <= 80 for line in done.out.splitlines())
    assert "does not fill 4,000" not in done.out


def test_a_budget_that_a_pool_does_not_fill_has_a_sign_and_a_line_of_its_own(run: Run) -> None:
    done = run("--size", "40,400", "--pool", "3", "--all")
    assert "? the pool does not fill that budget: a larger one might find more" in done.out
    assert "*" not in done.out


def test_names_of_a_whole_grid_stay_apart() -> None:
    values = itertools.product((5, 10), (5, 20), (50, 100), (50, 100))
    names = tuple(f"recursive(size=200) hybrid k={k} rrf rrf_k={c} depth={depth} pool={pool}" for k, c, depth, pool in values)
    assert len(set(short_names(names, 30))) == len(names)
    assert all(width(name) <= 30 for name in short_names(names, 30))


def test_every_axis_can_be_named(run: Run) -> None:
    words = {
        "--strategy": "recursive,fixed,small_to_big,whole", "--size": "80", "--overlap": "0", "--child-size": "20",
        "--heading-prefix": "on,off", "--mode": "bm25", "--k": "3", "--fusion": "rrf", "--rrf-k": "60", "--depth": "100",
        "--pool": "20", "--rerank": "none", "--language": "en", "--dtype": "float32",
        "--model": "sentence-transformers/all-MiniLM-L6-v2",
    }  # fmt: skip
    document = run(*[word for pair in words.items() for word in pair], "--json").json
    assert {row["settings"].get("chunking.strategy", "recursive") for row in document["rows"]} == {
        "recursive", "fixed", "small_to_big", "whole",
    }  # fmt: skip
    assert len(document["rows"]) == 1 + 8


def test_the_grid_of_the_file(run: Run, root: Path) -> None:
    grid = '[sweep]\nsize = [40]\nheading_prefix = [true, false]\nrerank = ["none", "lexical"]\n'
    (root / "ragtriage.toml").write_text(CONFIG + grid, encoding="utf-8")
    assert len(run("--json").json["rows"]) == 5
    named = run("--size", "80", "--json").json  # the command line goes before all of it
    assert [row["settings"] for row in named["rows"]] == [{}, {"chunking.size": 80}]


@pytest.mark.parametrize(
    ("grid", "says"),
    [
        ('size = ["x"]', "sweep.size"),
        ("size = 40", "sweep.size"),
        ("sizes = [40]", "did you mean size"),
        ("size = [0]", "smallest"),
        ('mode = ["bm26"]', "bm25"),
        ("size = []", "name what to vary"),
    ],
)
def test_a_grid_of_the_file_that_is_wrong(run: Run, root: Path, grid: str, says: str) -> None:
    (root / "ragtriage.toml").write_text(f"{CONFIG}[sweep]\n{grid}\n", encoding="utf-8")
    done = run()
    assert (done.code, done.out) == (2, "")
    assert says in done.err


def test_all_problems_of_the_options_come_together(run: Run) -> None:
    done = run("--size", "x,0,40", "--mode", "bm26", "--heading-prefix", "maybe", "--overlap", ",", "--rrf-k", "-1")
    assert (done.code, done.out) == (2, "")
    said = done.err.splitlines()
    assert len(said) == 6
    for axis in ("size: ", "mode: ", "heading-prefix: ", "overlap: ", "rrf-k: "):
        assert any(axis in line for line in said)


@pytest.mark.parametrize(
    ("words", "says"),
    [
        ([], "name what to vary"),
        (["--size", "200"], "differs from the one in use"),
        (["--size", "40", "--overlap", "40"], "not smaller than size"),
        (["--size", "1" * 5000], "size: "),
        (["--size", "9" * 18], "largest"),
        (["--size", ",".join(map(str, range(10, 900))), "--pool", ",".join(map(str, range(3, 20)))], "too many"),
        (["--size", "40", "--out", "table.txt"], "must end in one of .csv, .json, .md, .svg"),
        (["--size", "40", "--out", "nowhere/table.csv"], "nowhere is no folder"),
        (["--size", "40", "--read-only"], "--read-only"),
        (["--size", "40", "--model", "no/such", "--mode", "dense"], "no/such"),
    ],
)
def test_what_is_refused(run: Run, words: list[str], says: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    done = run(*words)
    assert (done.code, done.out) == (2, "")
    assert says in done.err
    assert max(map(len, done.err.splitlines())) < 2000


def test_a_file_that_cannot_be_written_is_refused_before_anything_is_measured(run: Run, root: Path) -> None:
    (root / "folder.csv").mkdir()
    os.mkfifo(root / "pipe.json")
    (root / "loop.md").symlink_to("loop.md")
    (root / "device.csv").symlink_to(os.devnull)
    (root / "protected.svg").touch(0o444)
    (root / "closed").mkdir(0o555)
    for name in ("folder.csv", "pipe.json", "loop.md", "device.csv", "protected.svg", "closed/table.csv", f"{'a' * 300}.csv"):
        done = run("--size", "40", "--out", "good.csv", "--out", name)
        assert (done.code, done.out) == (2, ""), name
        assert done.err.count("\n") == 1, name
    assert not (root / ".ragtriage").exists()
    assert not (root / "good.csv").exists()


def test_a_file_is_named_from_the_folder_that_the_command_runs_in(
    root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(["-C", str(root), "sweep", "--size", "40", "--out", "table.csv"]) == 0
    assert (root / "table.csv").exists()
    assert not (tmp_path / "table.csv").exists()


def test_files_of_each_form(run: Run, root: Path) -> None:
    names = ["a.csv", "b.JSON", "c.md", "d.svg"]
    done = run("--size", "40,80", *[word for name in names for word in ("--out", name)], "--json")
    assert done.code == 0
    assert done.err.splitlines() == [f"wrote {name}" for name in names]
    rows = list(csv.reader(io.StringIO((root / "a.csv").read_text(encoding="utf-8"))))
    assert [row[0] for row in rows[1:]] == [row["config"] for row in done.json["rows"]]
    assert json.loads((root / "b.JSON").read_text(encoding="utf-8")) == done.json
    assert (root / "c.md").read_text(encoding="utf-8").count("\n| `") == 3
    tokens = (root / "d.svg").read_text(encoding="utf-8")
    ElementTree.fromstring(tokens)
    assert "tokens of context" in tokens
    assert run("--size", "40,80", "--out", "d.svg", "--chart", "latency").code == 0
    assert "search time" in (root / "d.svg").read_text(encoding="utf-8")


def test_the_holdout_is_left_alone_where_that_is_wanted(run: Run, root: Path) -> None:
    (root / "ragtriage.toml").write_text(
        '[chunking]\nsize = 6\nheading_prefix = false\n[retrieval]\nmode = "bm25"\nk = 1\npool = 20\n', encoding="utf-8"
    )
    alone = run("--size", "40", "--no-confirm", "--json").json
    assert alone["winner"] is not None
    assert alone["confirmed"] is None
    assert not (root / "evals" / "holdout.jsonl").exists()
    looked = run("--size", "40", "--json").json
    assert looked["confirmed"]["again"] is False
    assert len((root / "evals" / "holdout.jsonl").read_text(encoding="utf-8").splitlines()) == 2
    assert run("--size", "40", "--json").json["confirmed"]["again"] is True
    assert "This winner had been looked at there before." in " ".join(run("--size", "40").out.split())


def test_a_changed_file_measures_again_what_it_changes_and_nothing_else(run: Run, root: Path) -> None:
    first = run("--size", "40,80", "--json")
    config = root / "ragtriage.toml"
    config.write_text(CONFIG + "[gate]\ntolerance = 0.1\n[run]\nkeep = 9\n", encoding="utf-8")
    same = run("--size", "40,80", "--json", "--verbose")
    assert same.err.count("measured before") == 3
    assert without_times(same.json) == without_times(first.json)
    # another size in use: the rows are the same trials, and compared with another one
    config.write_text("[chunking]\nsize = 40\n" + CONFIG, encoding="utf-8")
    other = run("--size", "80,200", "--json", "--verbose")
    assert other.err.count("measured before") == 3
    assert other.json["current"].startswith("recursive(size=40)")
    assert {row["trial"] for row in other.json["rows"]} == {row["trial"] for row in first.json["rows"]}
    config.write_text(CONFIG.replace("k = 3", "k = 2"), encoding="utf-8")
    assert "measured before" not in run("--size", "40,80", "--verbose").err


def test_a_question_that_fails_says_so_by_the_exit_code(run: Run, root: Path) -> None:
    program = root / "rerank.py"
    program.write_text("import sys\nfor line in sys.stdin:\n    print('{}', flush=True)\n", encoding="utf-8")
    config = CONFIG + f'rerank_command = ["python3", "{program}"]\n'
    (root / "ragtriage.toml").write_text(config, encoding="utf-8")
    refused = run("--rerank", "command")
    assert refused.code == 2
    assert "trust" in refused.err


def test_refining(run: Run) -> None:
    document = run("--size", "6,400", "--k", "1", "--refine", "--json").json
    if document["winner"] is not None:
        assert len(document["rows"]) > 3


def test_passages_that_came_ready_made_are_said(run: Run, root: Path) -> None:
    said = "documents came as passages"
    assert said not in run("--size", "40").err
    passage = {"chunk_id": "made#1", "doc_id": "made", "text": "A passage that was cut elsewhere."}
    (root / "docs" / "made.jsonl").write_text(json.dumps(passage) + "\n", encoding="utf-8")
    assert f"1 of 9 {said}" in run("--size", "40").err
    assert said not in run("--heading-prefix", "off").err


def test_a_misspelt_model_or_reranker_is_said_before_anything_is_measured(
    run: Run, root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    done = run("--size", "40,80", "--model", "nope/nope", "--rerank", "none,./missing", "--verbose")
    assert done.code == 2
    assert "embedding.model: nope/nope is neither a folder" in done.err
    assert "retrieval.rerank: there is no folder './missing'" in done.err
    assert "recall@" not in done.err  # no row came
    assert not (root / ".ragtriage" / "sweeps").exists()

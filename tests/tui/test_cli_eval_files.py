from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from ragtriage_tui import cli

QRELS = "1 0 a 2\n1 0 b 1\n1 0 c 0\n2 0 a 1\n3 0 a 0\n"
RUN = "1 Q0 c 1 5 t\n1 Q0 b 2 4 t\n1 Q0 x 3 4 t\n1 Q0 a 4 3 t\n3 Q0 a 1 1 t\n9 Q0 a 1 1 t\n"


@pytest.fixture(autouse=True)
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "q").write_text(QRELS, encoding="utf-8")
    (tmp_path / "r").write_text(RUN, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def said(capsys: pytest.CaptureFixture[str], *words: str) -> str:
    assert cli.main(["eval", *words]) == 0
    out, err = capsys.readouterr()
    assert err == ""
    return out


def test_the_table_names_the_measures_of_trec_eval(capsys: pytest.CaptureFixture[str]) -> None:
    out = said(capsys, "--qrels", "q", "--run", "r", "--metrics", "mrr,ndcg_cut_3,mrr@10", "--per-query")
    assert out.splitlines() == [
        "2 questions · run: 6 lines (TREC) · judgements: 5 (TREC)",
        "1 judged question not in the run, left out; --complete counts them 0: 2",
        "1 question of the run without judgements, left out",
        "1 question without a relevant document, counting 0",
        "",
        "measure          value   trec_eval",
        "mrr             0.1667   recip_rank",
        "ndcg@3          0.0950   ndcg_cut_3",
        "mrr@10          0.1667   –",
        "",
        "qid  listed  relevant  found          mrr       ndcg@3       mrr@10",
        "1         4         2      2       0.3333       0.1900       0.3333",
        "3         1         0      0       0.0000       0.0000       0.0000",
    ]
    assert "recall@100" in said(capsys, "--qrels", "q", "--run", "r")


def test_json_has_everything(capsys: pytest.CaptureFixture[str], files: Path) -> None:
    words = ["--qrels", "q", "--run", "r", "--ties", "ours", "--complete", "--level", "2", "--depth", "4", "--json"]
    found = json.loads(said(capsys, *words, "--metrics", "mrr", "--per-query"))
    assert found["rules"] == {"ties": "ours", "complete": True, "level": 2, "depth": 4}
    assert found["metrics"] == {"mrr": {"value": 0.25 / 3, "n": 3, "trec_eval": "recip_rank"}}
    assert found["missing"] == ["2"]
    assert found["per_question"][0] == {"qid": "1", "retrieved": 4, "relevant": 1, "found": 1, "values": {"mrr": 0.25}}
    assert "per_question" not in json.loads(said(capsys, "-C", str(files), *words))


def test_bad_lines_are_said_and_the_others_scored(capsys: pytest.CaptureFixture[str], files: Path) -> None:
    (files / "r").write_text(RUN + "1 Q0 e\n1 Q0 a 9 nan t\n", encoding="utf-8")
    assert cli.main(["eval", "--qrels", "q", "--run", "r", "--metrics", "mrr"]) == 2
    out, err = capsys.readouterr()
    assert "0.1667" in out
    assert err.splitlines() == ["r:7: 6 columns are needed, this line has 3", "r:8: 'nan' is no finite number"]


def test_a_beir_folder_brings_its_judgements(capsys: pytest.CaptureFixture[str], files: Path) -> None:
    folder = files / "beir"
    folder.mkdir()
    (folder / "qrels.tsv").write_text("query-id\tcorpus-id\tscore\n1\ta\t1\n", encoding="utf-8")
    assert "mrr             0.2500" in said(capsys, "beir", "--run", "r")


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["--run", "r"], "against which judgements"),
        (["--qrels", "q", "--run", "r", "--run", "q"], "--run: given twice"),
        (["--qrels", "q", "--run", "r", "q"], "one run is scored at a time"),
        (["--qrels", "q", "--complete"], "--complete: is for scoring a file"),
        (["--qrels", "q", "--level", "0"], "--level: is for scoring a file"),
        (["--qrels", "q", "--run", "r", "--level", "0"], "at least 1"),
        (["--qrels", "q", "--run", "r", "--mode", "bm25"], "--mode: is for a project"),
        (["--qrels", "q", "--run", "r", "--split", "all"], "--split: is for a project"),
        (["--qrels", "q", "--run", "r", "--as", "x"], "--as: is for a project"),
        (
            ["--qrels", "q", "--run", "r", "--metrics", "map"],
            "each also @pool (all that the run lists), 'mrr', and trec_eval's 'recall_N', ",
        ),
        (["--qrels", "q", "--run", "r", "--k", "x"], "--k: a whole number"),
        (["--qrels", "q", "--run", "none"], "none: there is no such file"),
        (["--qrels", "q", "--run", "q"], "a run has six columns"),
    ],
)
def test_what_makes_no_sense_is_said(words: list[str], says: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["eval", *words]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert says in err
    assert "Traceback" not in err


def test_no_project_and_no_heavy_module_is_loaded(files: Path) -> None:
    code = (
        "import sys; from ragtriage_tui.cli import main; main(sys.argv[1:])\n"
        "heavy = {'numpy', 'rich', 'textual', 'tantivy', 'usearch', 'ragtriage.project', 'ragtriage.config'}\n"
        "sys.exit(' '.join(sorted(heavy & set(sys.modules))) or 0)"
    )
    words = ["eval", "--qrels", "q", "--run", "r"]
    done = subprocess.run([sys.executable, "-c", code, *words], cwd=files, capture_output=True, encoding="utf-8")
    assert (done.returncode, done.stderr) == (0, "")

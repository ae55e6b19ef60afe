"""`ragtriage init`: what it writes is what the configuration reads, and nothing that is there is overwritten."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

from ragtriage.config import Config
from ragtriage.config_file import load_config
from ragtriage.new_project import TEMPLATE
from ragtriage_tui import cli


def test_the_template_names_every_key_with_its_default(tmp_path: Path) -> None:
    text = TEMPLATE.format(path='"docs"')
    uncommented = re.sub(r"^# (\w+ = )", r"\1", text, flags=re.MULTILINE)
    assert tomllib.loads(uncommented) == Config().as_dict()


def test_as_written_it_is_all_defaults(tmp_path: Path) -> None:
    file = tmp_path / "ragtriage.toml"
    file.write_text(TEMPLATE.format(path='"docs"'), encoding="utf-8")
    assert load_config(file).as_dict() == Config().as_dict()


def test_a_new_project(tmp_path: Path) -> None:
    root = tmp_path / "new"
    (root / "content").mkdir(parents=True)
    assert cli.main(["init", str(root)]) == 0
    assert load_config(root / "ragtriage.toml").corpus.path == "content"
    assert (root / "evals" / "golden.jsonl").read_bytes() == b""
    rules = (root / ".gitattributes").read_text(encoding="utf-8").splitlines()
    assert "evals/verdicts.jsonl merge=union" in rules
    assert "evals/golden.jsonl merge=union" in rules


def test_what_is_there_stays(tmp_path: Path) -> None:
    (tmp_path / "evals").mkdir()
    kept = {"ragtriage.toml": "# mine\n", "evals/golden.jsonl": '{"qid": "q1", "question": "x"}\n'}
    for name, text in kept.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    (tmp_path / ".gitattributes").write_text("*.png binary", encoding="utf-8")
    for _ in range(2):
        assert cli.main(["-C", str(tmp_path), "init"]) == 0
    for name, text in kept.items():
        assert (tmp_path / name).read_text(encoding="utf-8") == text
    lines = (tmp_path / ".gitattributes").read_text(encoding="utf-8").splitlines()
    assert lines[0] == "*.png binary"
    assert len(lines) == len(set(lines)) == 7


def test_a_folder_name_with_quotes_and_backslashes_survives(tmp_path: Path) -> None:
    assert cli.main(["init", str(tmp_path), "--docs", 'my "docs" \\ é']) == 0
    assert load_config(tmp_path / "ragtriage.toml").corpus.path == 'my "docs" \\ é'


def test_read_only_writes_nothing(tmp_path: Path) -> None:
    assert cli.main(["init", str(tmp_path / "new"), "--read-only"]) == 2
    assert list(tmp_path.iterdir()) == []


def test_a_file_is_no_folder(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x", encoding="utf-8")
    assert cli.main(["init", str(tmp_path / "file")]) == 2

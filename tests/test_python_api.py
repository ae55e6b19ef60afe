"""The Python API: its names exist and cost nothing, and the page about it runs on a copy of the sample."""

from __future__ import annotations

import ast
import importlib
import inspect
import os
import re
import shutil
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest

import ragtriage
from ragtriage_tui.commands import COMMANDS

ROOT = Path(__file__).resolve().parent.parent
PAGE = (ROOT / "docs" / "python.md").read_text(encoding="utf-8")
ROWS = {
    name: functions
    for commands, functions in re.findall(r"^\| (`.+?) \| (.+) \|$", PAGE, re.MULTILINE)
    for name in re.findall(r"`([a-z-]+)`", commands)
}
BLOCKS = re.findall(r"^```python\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)


def seen_by_type_checkers() -> dict[str, tuple[str, str]]:
    """The name here, and the module and name it comes from, as the imports for type checkers say."""
    tree = ast.parse(Path(str(ragtriage.__file__)).read_text(encoding="utf-8"))
    (guarded,) = (node for node in tree.body if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING")
    return {
        alias.asname or alias.name: (str(node.module), alias.name)
        for node in guarded.body
        if isinstance(node, ast.ImportFrom)
        for alias in node.names
    }


def test_every_name_is_what_type_checkers_see() -> None:
    seen = seen_by_type_checkers()
    assert sorted(seen) == ragtriage.__all__ == sorted(ragtriage.__all__)
    for name, (module, there) in seen.items():
        assert getattr(ragtriage, name) is getattr(importlib.import_module(module), there), name
        assert inspect.getdoc(getattr(ragtriage, name)), name
    assert set(ragtriage.__all__) <= set(dir(ragtriage))


def test_no_name_is_that_of_a_module() -> None:
    modules = {path.stem for path in (ROOT / "engine" / "ragtriage").iterdir()}
    assert not modules & set(ragtriage.__all__)


def test_unknown_names_are_refused() -> None:
    with pytest.raises(AttributeError, match="no attribute 'evalute'"):
        ragtriage.evalute  # type: ignore[attr-defined]  # noqa: B018
    with pytest.raises(ImportError):
        exec("from ragtriage import evalute")


def test_a_project_is_opened_by_a_path_as_text(tmp_path: Path) -> None:
    (tmp_path / "ragtriage.toml").touch()
    with closing(ragtriage.Project.open(str(tmp_path))) as project:
        assert project.root == tmp_path


def test_importing_it_loads_nothing(tmp_path: Path) -> None:
    code = "import sys; before = set(sys.modules); import ragtriage; print(sorted(set(sys.modules) - before))"
    done = subprocess.run([sys.executable, "-c", code], cwd=tmp_path, capture_output=True, encoding="utf-8", check=True)
    assert done.stdout == "['ragtriage']\n"
    assert list(tmp_path.iterdir()) == []


def test_the_page_names_what_is_exported() -> None:
    named = set(re.findall(r"\w+", PAGE))
    assert set(ragtriage.__all__) - named <= {"Comparison", "Problem", "QuestionResult", "Run"}
    for target in re.findall(r"\]\(([^)#]+)", PAGE):
        assert (ROOT / "docs" / target).is_file(), target


def test_every_command_has_a_row() -> None:
    assert list(ROWS) == list(COMMANDS)
    for name, functions in ROWS.items():
        called = set(re.findall(r"`(\w+)[`(]", functions))
        assert called or "`project." in functions or functions.startswith("none: "), name
        assert called <= set(ragtriage.__all__), name


def test_the_page_runs(tmp_path: Path) -> None:
    folder = tmp_path / "sample"
    shutil.copytree(ROOT / "sample_corpus", folder, ignore=shutil.ignore_patterns(".*"))
    kept = {key: value for key, value in os.environ.items() if not key.startswith(("GIT_", "RAGTRIAGE_"))}
    who = {f"GIT_{role}_{what}": "x@example.org" for role in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")}
    env = {**kept, **who, "RAGTRIAGE_HOME": str(tmp_path / "home"), "HF_HUB_OFFLINE": "1", "GIT_CONFIG_GLOBAL": os.devnull}
    for words in (("init", "--quiet"), ("add", "--all"), ("commit", "--quiet", "--message=sample")):
        subprocess.run(["git", *words], cwd=folder, env=env, check=True, capture_output=True)
    script = tmp_path / "page.py"
    script.write_text("\n".join(BLOCKS), encoding="utf-8")
    done = subprocess.run(
        [sys.executable, "-W", "error", str(script)], cwd=folder, env=env, capture_output=True, encoding="utf-8", timeout=300
    )
    assert done.returncode == 0, done.stderr[-3000:]
    assert done.stdout.startswith("0.793 of n = 67, ")
    assert "('q001', 'fixed')" in done.stdout
    golden = subprocess.run(["git", "diff", "--", "evals/golden.jsonl"], cwd=folder, env=env, capture_output=True, check=True)
    assert golden.stdout == b""


def test_a_project_that_is_opened_with_with_is_closed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    closed: list[ragtriage.Project] = []

    def close(project: ragtriage.Project) -> None:
        closed.append(project)

    (tmp_path / "evals").mkdir()
    (tmp_path / "docs").mkdir()
    (tmp_path / "evals" / "golden.jsonl").write_text("", encoding="utf-8")
    monkeypatch.setattr(ragtriage.Project, "close", close)
    with ragtriage.Project.open(tmp_path) as project:
        assert not closed
    assert closed == [project]

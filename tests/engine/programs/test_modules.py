"""What Python would import is what is agreed to: found here by the rules, and held against what it does import."""

from __future__ import annotations

import importlib.machinery
import os
import py_compile
import subprocess
import sys
from pathlib import Path

import pytest

from ragtriage import trust
from ragtriage.config import AnswersConfig, Config, RetrievalConfig
from ragtriage.programs.identity import program_identity
from ragtriage.programs.modules import module_files

EXTENSION = importlib.machinery.EXTENSION_SUFFIXES[0]
PYTHON = Config(retrieval=RetrievalConfig(system="python", callable="app.rag:retrieve"))


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("RAGTRIAGE_HOME", str(tmp_path / "home"))
    folder = tmp_path / "project"
    (folder / "app").mkdir(parents=True)
    (folder / "app" / "rag.py").write_text("", encoding="utf-8")
    return folder


def put(root: Path, name: str) -> None:
    (root / name).parent.mkdir(parents=True, exist_ok=True)
    (root / name).write_bytes(b"\x00" * 4 + b"\x01" + b"\x00" * 11)


def taken(root: Path, module: str) -> str:
    """The file that this interpreter would take for the module."""
    code = f"import importlib.util as u; print(u.find_spec({module!r}).origin)"
    done = subprocess.run([sys.executable, "-c", code], cwd=root, capture_output=True, text=True, check=True)
    return os.path.relpath(done.stdout.strip(), root)


@pytest.mark.parametrize(
    "name",
    [
        f"app/rag{EXTENSION}", "app/rag.abi3.so", "app/rag.so", "app/rag/__init__.py", f"app/rag/__init__{EXTENSION}",
        "app/__init__.py", f"app/__init__{EXTENSION}", "app/__init__.pyc", f"app{EXTENSION}", "app.py", "app.pyc",
        "app/rag.pyc", "app/rag.cpython-27-other.so", "app/__pycache__/rag.cpython-311.pyc",
        "app/__pycache__/rag.cpython-311.opt-1.pyc", "app/__pycache__/__init__.cpython-311.pyc",
        "__pycache__/app.cpython-311.pyc",
    ],
)  # fmt: skip
@pytest.mark.parametrize(
    "config", [PYTHON, Config(answers=AnswersConfig(generator="command", command=("python3", "-m", "app.rag")))]
)
def test_what_may_be_taken_instead_asks_again(root: Path, name: str, config: Config) -> None:
    trust.agree(root, trust.settings(root, config))
    assert not trust.untrusted(root, config)
    before = program_identity(root, ("python3", "-m", "app.rag"))
    put(root, name)
    assert trust.untrusted(root, config)
    assert f'"{name}" is sha256 ' in trust.settings(root, config)[0].sentence
    assert program_identity(root, ("python3", "-m", "app.rag")) != before


@pytest.mark.parametrize(
    "name", ["app/ragged.py", "app/rag.txt", "app/rag.py.bak", "rag.py", "app/other.so", "app/rag", "app/__pycache__/rag.txt"]
)
def test_what_is_never_taken_for_it_does_not(root: Path, name: str) -> None:
    trust.agree(root, trust.settings(root, PYTHON))
    put(root, name)
    assert not trust.untrusted(root, PYTHON)


def test_code_that_is_compared_with_its_source_does_not(root: Path) -> None:
    trust.agree(root, trust.settings(root, PYTHON))
    for mode in (py_compile.PycInvalidationMode.TIMESTAMP, py_compile.PycInvalidationMode.CHECKED_HASH):
        py_compile.compile(str(root / "app" / "rag.py"), invalidation_mode=mode)
        assert not trust.untrusted(root, PYTHON)
    py_compile.compile(str(root / "app" / "rag.py"), invalidation_mode=py_compile.PycInvalidationMode.UNCHECKED_HASH)
    assert trust.untrusted(root, PYTHON)


@pytest.mark.parametrize(
    "names",
    [
        ["m.py"], ["m.pyc"], ["m.py", "m.pyc"], ["m.py", "m.so"], ["m.py", f"m{EXTENSION}", "m.so"],
        ["m.py", "m/__init__.py"], ["m.py", f"m{EXTENSION}", "m/__init__.pyc"], [f"m/__init__{EXTENSION}", "m/__init__.py"],
        ["m.py", "m/other.py"],
    ],
)  # fmt: skip
def test_this_interpreter_takes_one_of_them(tmp_path: Path, names: list[str]) -> None:
    for name in names:
        put(tmp_path, name)
    assert taken(tmp_path, "m") in module_files(tmp_path, ["m"])
    (tmp_path / "p").mkdir()
    for name in names:
        put(tmp_path / "p", name)
    assert taken(tmp_path, "p.m") in module_files(tmp_path, ["p/m"])


@pytest.mark.skipif(not Path("/dev/fd").is_dir(), reason="what is open is counted there")
def test_nothing_stays_open(tmp_path: Path) -> None:
    put(tmp_path, "__pycache__/m.cpython-311.pyc")
    (tmp_path / "__pycache__" / "m.cpython-312.pyc").mkdir()
    os.mkfifo(tmp_path / "__pycache__" / "m.cpython-313.pyc")
    before = len([*Path("/dev/fd").iterdir()])
    assert module_files(tmp_path, ["m"]) == ["__pycache__/m.cpython-311.pyc"]
    assert len([*Path("/dev/fd").iterdir()]) == before


def test_names_that_are_no_modules(tmp_path: Path) -> None:
    put(tmp_path, "x.py")
    assert module_files(tmp_path / "in", ["../x", str(tmp_path / "x"), "", "/", ".", "no/such"]) == []
    (tmp_path / "x").mkdir()
    (tmp_path / "x" / "__main__.py").mkdir()
    config = Config(answers=AnswersConfig(generator="command", command=("python3", "x")))
    assert "__main__" not in trust.settings(tmp_path, config)[0].sentence

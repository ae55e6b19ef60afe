"""Who may import what, when, and what importing does: nothing."""

from __future__ import annotations

import ast
import json
import os
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from functools import cache
from importlib.metadata import packages_distributions
from pathlib import Path
from typing import NamedTuple

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from ragtriage import errors

ROOT = Path(__file__).resolve().parent.parent
PACKAGES = {"ragtriage": ROOT / "engine" / "ragtriage", "ragtriage_tui": ROOT / "tui" / "ragtriage_tui"}

ONE_FILE_EACH = {
    "tantivy": {"search/lexical.py"},
    "usearch": {"search/dense.py"},
    "sentence_transformers": {"search/encoder.py", "search/rerank.py"},
    "tokenizers": {"chunking/tokens.py"},
    "sentencex": {"chunking/sentences.py"},
    "openai": {"remote/openai_client.py"},
    "anthropic": {"answers/models/anthropic_chat.py"},
    "httpx2": {"remote/exchange.py", "remote/transport.py"},
    "pypdf": {"corpus/pdf.py"},
    "selectolax": {"corpus/html.py"},
    "plotext": {"drawing/chart.py"},
    "tomlkit": {"experiments/adopt.py"},
    "qdrant_client": {"search/systems/qdrant_cluster.py"},
    "httpx": {"search/systems/qdrant_transport.py"},
}
COMMAND_LINE = (
    "cli.py",
    "__main__.py",
    "against.py",
    "adopt_text.py",
    "against_run.py",
    "agreeing.py",
    "answer_lines.py",
    "answer_text.py",
    "call.py",
    "compare_text.py",
    "sweep_text.py",
    "what_if_text.py",
    "crash.py",
    "demo_history.py",
    "figures.py",
    "judge_lines.py",
    "model_names.py",
    "naming.py",
    "newest_run.py",
    "opening.py",
    "output.py",
    "plain.py",
    "problems.py",
    "progress.py",
    "question_text.py",
    "rerank_text.py",
    "commands/",
    "review_text.py",
)
APP_DOOR = ("bridge.py", "bridge/")
WITHOUT_TEXTUAL = (*COMMAND_LINE, "text.py", "estimates.py", "actions.py", "keymap.py", "rows.py", "views.py", "session.py")


class Import(NamedTuple):
    """One import statement: the module that is named, and where."""

    name: str
    file: str
    line: int
    at_top: bool

    def of(self, package: str) -> bool:
        return self.name == package or self.name.startswith(f"{package}.")


@cache
def imports_of(package: str) -> tuple[Import, ...]:
    """Every import of a package, those inside functions too; not those that only type checkers see."""
    root = PACKAGES[package]
    trees = ((path, ast.parse(path.read_text(encoding="utf-8"))) for path in sorted(root.rglob("*.py")))
    return tuple(one for path, tree in trees for one in _walk(tree, path.relative_to(root).as_posix(), at_top=True))


def _walk(node: ast.AST, file: str, *, at_top: bool) -> Iterator[Import]:
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.Import):
            for alias in child.names:
                yield Import(alias.name, file, child.lineno, at_top)
        elif isinstance(child, ast.ImportFrom):
            assert child.level == 0, f"{file}:{child.lineno}: imports are absolute"
            yield Import(child.module or "", file, child.lineno, at_top)
        elif isinstance(child, ast.If) and "TYPE_CHECKING" in ast.unparse(child.test):
            continue
        else:
            inside = isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef)
            yield from _walk(child, file, at_top=at_top and not inside)


def modules_of(package: str) -> list[str]:
    root = PACKAGES[package]
    names = (path.relative_to(root.parent).with_suffix("").as_posix().replace("/", ".") for path in sorted(root.rglob("*.py")))
    return [name.removesuffix(".__init__") for name in names if not name.endswith("__main__")]


def fresh(code: str, *, cwd: Path, **env: str) -> subprocess.CompletedProcess[str]:
    """`code` in a new interpreter, warnings as errors where they are ours to avoid."""
    return subprocess.run(
        [sys.executable, "-c", code], cwd=cwd, capture_output=True, encoding="utf-8", env={**os.environ, **env}
    )


def test_the_engine_knows_nothing_of_the_terminal() -> None:
    wrong = [found for found in imports_of("ragtriage") if any(map(found.of, ("ragtriage_tui", "textual", "rich")))]
    assert wrong == []


def test_the_engine_is_imported_by_the_command_line_and_the_bridge_only() -> None:
    doors = (*COMMAND_LINE, *APP_DOOR)
    wrong = [found for found in imports_of("ragtriage_tui") if found.of("ragtriage") and not found.file.startswith(doors)]
    assert wrong == []


def test_the_command_line_and_the_view_state_know_nothing_of_textual() -> None:
    wrong = [found for found in imports_of("ragtriage_tui") if found.of("textual") and _without_textual(found.file)]
    assert wrong == []


@pytest.mark.parametrize("library", ONE_FILE_EACH)
def test_a_heavy_library_has_one_door(library: str) -> None:
    found = [one for package in PACKAGES for one in imports_of(package) if one.of(library)]
    assert {one.file for one in found} <= ONE_FILE_EACH[library]


def test_heavy_libraries_are_imported_inside_functions() -> None:
    heavy = [
        "torch", "transformers", "sentence_transformers", "sentencex", "tokenizers", "pypdf", "selectolax", "rapidfuzz",
        "markdown_it", "openai", "anthropic", "plotext", "tomlkit", "httpx", "qdrant_client",
    ]  # fmt: skip
    found = [one for package in PACKAGES for one in imports_of(package) if one.at_top and any(map(one.of, heavy))]
    assert found == []


def test_importing_everything_does_nothing(tmp_path: Path) -> None:
    modules = [name for package in PACKAGES for name in modules_of(package)]
    code = f"""
import importlib, json, logging, signal, sys, threading
handled = {{number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)}}
for name in {modules!r}:
    importlib.import_module(name)
    if name == {modules_of("ragtriage")[-1]!r}:
        engine = set(sys.modules)
print(json.dumps({{
    "handlers": len(logging.getLogger().handlers) + len(logging.getLogger("ragtriage").handlers),
    "threads": threading.active_count(),
    "signals": handled == {{number: signal.getsignal(number) for number in handled}},
    "engine": sorted(engine & {{"textual", "rich", "torch", "sentence_transformers", "transformers", "tokenizers"}}),
    "all": sorted(set(sys.modules) & {{"torch", "sentence_transformers", "transformers", "tokenizers"}}),
}}))
"""
    done = fresh(code, cwd=tmp_path, RAGTRIAGE_HOME=str(tmp_path / "home"), PYTHONDONTWRITEBYTECODE="1")
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""
    assert json.loads(done.stdout) == {"handlers": 0, "threads": 1, "signals": True, "engine": [], "all": []}
    assert list(tmp_path.iterdir()) == []


def test_the_command_line_loads_no_textual(tmp_path: Path) -> None:
    modules = [name for name in modules_of("ragtriage_tui") if _without_textual(_file_of(name))]
    assert len(modules) > 10
    code = f"import importlib, sys\nfor name in {modules!r}: importlib.import_module(name)\n"
    code += "print(sorted(set(sys.modules) & {'textual', 'rich', 'torch', 'numpy'}))"
    done = fresh(code, cwd=tmp_path)
    assert (done.returncode, done.stdout, done.stderr) == (0, "[]\n", "")


def _without_textual(file: str) -> bool:
    return file.startswith(WITHOUT_TEXTUAL) or file.endswith("state.py")


def _file_of(module: str) -> str:
    path = PACKAGES["ragtriage_tui"].parent / module.replace(".", "/")
    path = path / "__init__.py" if path.is_dir() else path.with_suffix(".py")
    return path.relative_to(PACKAGES["ragtriage_tui"]).as_posix()


def test_the_public_errors_are_these() -> None:
    assert {name: getattr(errors, name).exit_code for name in errors.__all__ if name != "Problem"} == {
        "Cancelled": 130,
        "ConfigError": 2,
        "CorpusError": 2,
        "EncoderFailed": 3,
        "GoldenError": 2,
        "InputError": 2,
        "MissingExtra": 2,
        "ModelFailed": 3,
        "RagtriageError": 2,
        "StorageError": 2,
        "SystemFailed": 3,
        "Untrusted": 2,
        "UsageError": 2,
    }
    assert issubclass(errors.UsageError, errors.InputError)
    assert issubclass(errors.Untrusted, errors.InputError)
    assert issubclass(errors.EncoderFailed, errors.SystemFailed)
    assert issubclass(errors.ModelFailed, errors.SystemFailed)


@pytest.mark.parametrize("package", PACKAGES)
def test_every_module_says_what_it_is(package: str) -> None:
    for path in PACKAGES[package].rglob("*.py"):
        assert ast.get_docstring(ast.parse(path.read_text(encoding="utf-8"))), f"{path}: a first line that says what is in it"


def test_every_package_that_is_imported_is_asked_for() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    optional = project["optional-dependencies"]
    lines = [*project["dependencies"], *optional["openai"], *optional["anthropic"], *optional["qdrant"]]
    declared = {canonicalize_name(Requirement(line).name) for line in lines}
    modules = {one.name.split(".")[0] for package in PACKAGES for one in imports_of(package)}
    foreign = modules - sys.stdlib_module_names - set(PACKAGES)
    providers = packages_distributions()
    missing = {name for name in foreign if not set(map(canonicalize_name, providers.get(name, [name]))) & declared}
    # torch is what sentence-transformers is made of: naming it here would fix which build of it people get
    assert missing - {"torch"} == set()

"""The recipes for build servers do what they say: their shell steps run, in clones of a repository with the sample in it."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

ROOT = Path(__file__).resolve().parent.parent
RECIPES = ROOT / "docs" / "ci"
WORKFLOW: dict[Any, Any] = yaml.safe_load((RECIPES / "ragtriage.yml").read_text(encoding="utf-8"))

pytestmark = pytest.mark.xdist_group("ci-recipes")  # what is embedded for one is known to the others


@pytest.fixture(scope="module")
def environment(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("RAGTRIAGE_", "GIT_", "GITHUB_"))}
    folder = tmp_path_factory.mktemp("ci")
    who = {f"GIT_{role}_{what}": "ci@example.org" for role in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")}
    return {
        **kept, **who,
        "PATH": os.pathsep.join([str(Path(sys.executable).parent), os.environ.get("PATH", "")]),
        "RAGTRIAGE_HOME": str(folder / "home"),
        "GITHUB_STEP_SUMMARY": str(folder / "summary.md"),
        "GITHUB_BASE_REF": "main",
        "RUNNER_TEMP": str(folder),
        "GIT_CONFIG_GLOBAL": os.devnull,
        "HF_HUB_OFFLINE": "1",
    }  # fmt: skip


def shell(words: list[str], where: Path, environment: dict[str, str]) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        words, cwd=where, env=environment, stdin=subprocess.DEVNULL, capture_output=True, encoding="utf-8", timeout=300
    )


def git(where: Path, environment: dict[str, str], *words: str) -> str:
    done = shell(["git", *words], where, environment)
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def repository(tmp_path_factory: pytest.TempPathFactory, environment: dict[str, str]) -> Path:
    """The sample with its baseline, committed on main."""
    root = tmp_path_factory.mktemp("upstream") / "project"
    shutil.copytree(ROOT / "sample_corpus", root)
    done = shell(["ragtriage", "baseline", "update"], root, environment)
    assert done.returncode == 0, done.stderr
    git(root, environment, "init", "--quiet", "--initial-branch=main")
    git(root, environment, "add", "--all")
    git(root, environment, "commit", "--quiet", "--message=sample")
    return root


@pytest.fixture
def clone(tmp_path: Path, repository: Path, environment: dict[str, str]) -> Path:
    git(tmp_path, environment, "clone", "--quiet", str(repository), "clone")
    return tmp_path / "clone"


def lose_documents(clone: Path, environment: dict[str, str]) -> None:
    """Commit a change that takes the evidence of many questions away."""
    for path in sorted((clone / "docs").rglob("*.md"))[::2]:
        path.unlink()
    git(clone, environment, "commit", "--quiet", "--all", "--message=fewer documents")


def steps(job: str) -> list[str]:
    """The shell steps of a job, as they are run, but for the installation of what is installed here."""
    scripts = [step["run"] for step in WORKFLOW["jobs"][job]["steps"] if "run" in step]
    assert scripts[0].startswith("python -m pip install ")
    return scripts[1:]


def test_the_workflow_looks_at_what_retrieval_depends_on() -> None:
    triggers = WORKFLOW[True]  # `on` is a boolean to YAML 1.1
    assert triggers["pull_request"]["paths"] == ["docs/**", "evals/**", "ragtriage.toml", "src/retrieval/**"]
    assert triggers["schedule"]
    for job in WORKFLOW["jobs"].values():
        uses = {step["uses"].split("@")[0]: step for step in job["steps"] if "uses" in step}
        assert uses["actions/cache"]["with"]["path"] == "~/.cache/ragtriage"
        assert "hashFiles" in uses["actions/cache"]["with"]["key"] or "run_id" in uses["actions/cache"]["with"]["key"]
    for job in ("retrieval", "review"):
        assert "secrets" not in str(WORKFLOW["jobs"][job])


def bash(script: str, clone: Path, environment: dict[str, str]) -> subprocess.CompletedProcess[str]:
    """A shell step as GitHub runs it."""
    return shell(["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", script], clone, environment)


@pytest.mark.parametrize("job", ["retrieval", "answers"])
def test_the_steps_of_the_workflow_run(job: str, clone: Path, environment: dict[str, str]) -> None:
    (script,) = steps(job)
    trusted = {"RAGTRIAGE_TRUST": "1"} if job == "answers" else {}
    done = bash(script, clone, {**environment, **trusted})
    assert (done.returncode, done.stdout.splitlines()[0][:3], done.stderr) == (0, "ok:", "")
    assert done.stdout in Path(environment["GITHUB_STEP_SUMMARY"]).read_text(encoding="utf-8")
    lose_documents(clone, environment)
    worse = bash(script, clone, {**environment, **trusted})
    assert (worse.returncode, worse.stdout[:11]) == (1, "regressed: ")


def test_the_review_is_on_the_summary_and_in_a_comment(clone: Path, environment: dict[str, str], tmp_path: Path) -> None:
    checkout = WORKFLOW["jobs"]["review"]["steps"][0]
    assert (checkout["uses"].split("@")[0], checkout["with"]["fetch-depth"]) == ("actions/checkout", 0)
    tools, said = tmp_path / "tools", tmp_path / "comment"
    tools.mkdir()
    (tools / "gh").write_text('#!/bin/sh\nfor last; do :; done\n{ echo "$@"; cat "$last"; } >"$SAID"\n', encoding="utf-8")
    (tools / "gh").chmod(0o755)
    environment = {
        **environment, "NUMBER": "7", "SAID": str(said), "PATH": f"{tools}{os.pathsep}{environment['PATH']}",
        "RUNNER_TEMP": str(tmp_path), "GITHUB_STEP_SUMMARY": str(tmp_path / "summary.md"),
    }  # fmt: skip
    review, comment = steps("review")
    git(clone, environment, "switch", "--quiet", "--detach")  # as a pull request is checked out: with the remote's branch alone
    git(clone, environment, "branch", "--quiet", "--delete", "--force", "main")
    lose_documents(clone, environment)
    done = bash(review, clone, environment)
    assert (done.returncode, done.stderr) == (0, "")
    summary = (tmp_path / "summary.md").read_text(encoding="utf-8")
    assert summary.startswith("This change was tried on ")
    assert "**regressed: " in summary
    assert "Base `origin/main " in summary
    assert bash(comment, clone, environment).returncode == 0
    words, _, told = said.read_text(encoding="utf-8").partition("\n")
    assert words.startswith("pr comment 7 --edit-last ")
    assert told == summary
    assert git(clone, environment, "status", "--porcelain") == ""
    assert bash(review, clone, {**environment, "GITHUB_BASE_REF": "nowhere"}).returncode == 2


def test_the_shell_recipe_runs(clone: Path, environment: dict[str, str]) -> None:
    shutil.copy(RECIPES / "gate.sh", clone)

    def recipe(*words: str) -> subprocess.CompletedProcess[str]:
        return shell(["sh", "gate.sh", *words], clone, environment)

    key = recipe("key").stdout
    assert len(key.strip()) >= 40
    unchanged = recipe("retrieval")
    assert (unchanged.stdout, unchanged.stderr) == ("nothing that retrieval depends on has changed\n", "")
    assert recipe("answers").stdout.startswith("ok: ")
    lose_documents(clone, environment)
    assert recipe("key").stdout != key
    worse = recipe("retrieval")
    assert (worse.returncode, worse.stdout[:11]) == (1, "regressed: ")
    assert recipe("nonsense").returncode == 2


def test_the_shell_recipe_runs_where_the_base_is_not_known(clone: Path, environment: dict[str, str]) -> None:
    shutil.copy(RECIPES / "gate.sh", clone)
    homeless = {name: value for name, value in environment.items() if name != "RAGTRIAGE_HOME"}
    done = shell(["sh", "gate.sh"], clone, {**homeless, "BASE": "origin/elsewhere"})
    assert (done.returncode, done.stdout[:4]) == (0, "ok: ")
    assert done.stderr.startswith("what has changed since origin/elsewhere is not known in this clone")
    assert git(clone, environment, "status", "--porcelain", "--untracked-files=all") == "?? gate.sh\n"


def test_the_example_for_pytest_runs(clone: Path, environment: dict[str, str]) -> None:
    text = (RECIPES / "test_retrieval.py").read_text(encoding="utf-8")
    assert len(text.splitlines()) == 9
    (clone / "tests").mkdir()
    shutil.copy(RECIPES / "test_retrieval.py", clone / "tests")
    words = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "tests"]
    fine = shell(words, clone, environment)
    assert fine.returncode == 0, fine.stdout
    lose_documents(clone, environment)
    worse = shell(words, clone, environment)
    assert worse.returncode == 1
    assert "regressed: recall@5" in worse.stdout

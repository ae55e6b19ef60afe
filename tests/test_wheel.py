"""The wheel, installed as a user would: no checkout, no development packages, and the sample with it.

As a rule the packages it asks for are linked from here, those and no others; `make soak` installs them for real.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import zipfile
from importlib.metadata import Distribution, distribution
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name
from tests.soak import rounds

pytestmark = pytest.mark.xdist_group("wheel")  # one worker builds and installs it once

ROOT = Path(__file__).resolve().parent.parent


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("dist")
    run(sys.executable, "-m", "hatchling", "build", "--target", "wheel", "--directory", folder, cwd=ROOT)
    (built,) = folder.glob("*.whl")
    return built


@pytest.fixture(scope="module")
def installed(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The `bin` folder of a clean venv that holds the wheel."""
    venv = tmp_path_factory.mktemp("user") / "venv"
    run(sys.executable, "-m", "venv", "--without-pip", venv)
    install = [
        sys.executable,
        "-m",
        "pip",
        "--python",
        venv / "bin" / "python",
        "--disable-pip-version-check",
        "install",
        "--quiet",
    ]
    if rounds(0, 1):
        run(*install, "-c", ROOT / "constraints.txt", wheel)
    else:
        run(*install, "--no-deps", "--no-index", wheel)
        (packages,) = (venv / "lib").glob("python*/site-packages")
        for dependency in needed_by("ragtriage"):
            link(dependency, packages)
    return venv / "bin"


def run(*command: str | Path, cwd: Path | None = None, env: dict[str, str] | None = None) -> str:
    done = subprocess.run(
        [str(word) for word in command], cwd=cwd, env=env, capture_output=True, encoding="utf-8", timeout=1200
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def needed_by(name: str) -> list[Distribution]:
    """What an installed package needs, and what that needs, without extras that nobody asked for."""
    found: dict[str, Distribution] = {}
    waiting = [(name, "")]
    done = set()
    while waiting:
        package, extra = waiting.pop()
        if (package, extra) in done:
            continue
        done.add((package, extra))
        here = distribution(package)
        if package != name:
            found[package] = here
        for line in here.requires or []:
            requirement = Requirement(line)
            if requirement.marker is None or requirement.marker.evaluate({"extra": extra}):
                wanted = canonicalize_name(requirement.name)
                waiting += [(wanted, asked) for asked in ("", *requirement.extras)]
    return list(found.values())


def link(package: Distribution, folder: Path) -> None:
    """Show an installed package in another site-packages folder."""
    for top in {file.parts[0] for file in package.files or [] if file.parts[0] not in ("..", "__pycache__")}:
        target = folder / top
        if not target.exists():
            target.symlink_to(Path(str(package.locate_file(top))))


def alone(home: Path) -> dict[str, str]:
    """An environment that knows nothing of the checkout."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("PYTHON", "RAGTRIAGE", "COV"))}
    return {**kept, "RAGTRIAGE_HOME": str(home)}


def test_the_wheel_holds_both_packages_and_the_whole_sample(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        names = set(archive.namelist())
        metadata = archive.read(next(name for name in names if name.endswith("METADATA"))).decode()
    assert {name.split("/")[0] for name in names if ".dist-info/" not in name} == {"ragtriage", "ragtriage_tui"}
    sample = {
        f"ragtriage_tui/{path.relative_to(ROOT).as_posix()}" for path in (ROOT / "sample_corpus").rglob("*") if path.is_file()
    }
    own = {name for name in sample if "/." not in name}  # what a person's own run left in the checkout is not part of it
    assert own <= names
    assert not [name for name in names if "/.ragtriage/" in name or name.endswith(".pyc")]
    required = [line for line in metadata.splitlines() if line.startswith("Requires-Dist") and "extra ==" not in line]
    assert not [line for line in required if "pytest" in line or "ruff" in line or "==" in line.replace("textual==", "")]


def test_an_installed_ragtriage_shows_the_sample(installed: Path, tmp_path: Path) -> None:
    env = alone(tmp_path / "home")
    report = run(installed / "ragtriage", "demo", "--plain", cwd=tmp_path, env=env)
    assert "recall@5" in report
    assert "holdout kept aside" in report
    again = json.loads(run(installed / "ragtriage", "demo", "--json", cwd=tmp_path, env=env))
    assert again["encoded"] == 0
    assert again["metrics"]["recall@5"]["n"] > 0


def test_no_development_package_came_along(installed: Path, tmp_path: Path) -> None:
    code = (
        "import importlib.util as u; print([n for n in ('pytest', 'ruff', 'mypy', 'bm25s', 'pytrec_eval') if u.find_spec(n)])"
    )
    assert run(installed / "python", "-c", code, cwd=tmp_path, env=alone(tmp_path / "home")) == "[]\n"


def test_ranges_in_the_metadata_allow_the_tested_set() -> None:
    pins = {}
    for line in (ROOT / "constraints.txt").read_text(encoding="utf-8").splitlines():
        if line and not line.startswith("#"):
            name, _, version = line.partition("==")
            pins[canonicalize_name(name)] = version
    for line in distribution("ragtriage").requires or []:
        requirement = Requirement(line)
        name = canonicalize_name(requirement.name)
        assert name in pins, f"{name} is not in constraints.txt"
        assert requirement.specifier.contains(pins[name]), f"{line}: constraints.txt has {pins[name]}"

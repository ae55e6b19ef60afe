from __future__ import annotations

import sys
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

import pytest

from ragtriage.versions import installed_version


@pytest.mark.parametrize("package", ["ragtriage", "tantivy", "usearch", "numpy", "sentence-transformers", "PyYAML"])
def test_the_version_is_what_the_metadata_say(package: str) -> None:
    assert installed_version(package) == version(package)


def test_the_first_place_on_the_path_counts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "numpy-99.dist-info").mkdir()
    (tmp_path / "numpy_extra-7.dist-info").mkdir()
    monkeypatch.setattr(sys, "path", [str(tmp_path / "absent"), str(tmp_path), *sys.path])
    assert installed_version("numpy") == "99"


def test_an_unknown_package_is_an_error() -> None:
    with pytest.raises(PackageNotFoundError):
        installed_version("no-such-package-at-all")

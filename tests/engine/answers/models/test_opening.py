"""What of a configuration decides whether a known reply is still what would be said."""

from __future__ import annotations

from pathlib import Path

from ragtriage.answers.models.opening import endpoint_of
from ragtriage.config import AnswersConfig, RunConfig


def spec(folder: Path, *command: str, generator: str = "command") -> str:
    config = AnswersConfig(generator=generator, command=command)  # type: ignore[arg-type]
    return endpoint_of(config.generator, config, RunConfig(), folder).spec  # type: ignore[arg-type]


def test_an_edited_program_is_another_one(tmp_path):
    program = tmp_path / "answer.py"
    program.write_text("print(1)\n")
    first = spec(tmp_path, "python3", "answer.py")
    assert spec(tmp_path, "python3", "answer.py") == first
    (tmp_path / "other.py").write_text("not named\n")
    assert spec(tmp_path, "python3", "answer.py") == first
    program.write_text("print(2)\n")
    assert spec(tmp_path, "python3", "answer.py") != first


def test_a_module_and_what_a_shell_runs_count_too(tmp_path):
    (tmp_path / "bot").mkdir()
    (tmp_path / "bot" / "__main__.py").write_text("print(1)\n")
    (tmp_path / "run.sh").write_text("echo 1\n")
    commands = (("python3", "-m", "bot"), ("sh", "-c", "sh run.sh | cat"))
    before = [spec(tmp_path, *command) for command in commands]
    (tmp_path / "bot" / "__main__.py").write_text("print(2)\n")
    (tmp_path / "run.sh").write_text("echo 2\n")
    assert all(spec(tmp_path, *command) != one for command, one in zip(commands, before, strict=True))


def test_files_elsewhere_do_not_count_and_the_folder_may_move(tmp_path):
    project, copy = tmp_path / "project", tmp_path / "copy"
    for folder in (project, copy):
        folder.mkdir()
        (folder / "answer.py").write_text("print(1)\n")
    (project / "out.py").symlink_to(tmp_path / "elsewhere.py")
    (tmp_path / "elsewhere.py").write_text("print(1)\n")
    assert spec(project, "python3", "answer.py") == spec(copy, "python3", "answer.py")
    outside = spec(project, "python3", "out.py", "../elsewhere.py")
    (tmp_path / "elsewhere.py").write_text("print(2)\n")
    assert spec(project, "python3", "out.py", "../elsewhere.py") == outside
    assert "program=" not in outside


def test_a_large_file_counts_by_its_size(tmp_path):
    weights = tmp_path / "weights.bin"
    weights.write_bytes(bytes(1 << 21))
    first = spec(tmp_path, "serve", "--model=weights.bin")
    weights.write_bytes(bytes([1]) * (1 << 21))
    assert spec(tmp_path, "serve", "--model=weights.bin") == first
    weights.write_bytes(bytes((1 << 21) + 1))
    assert spec(tmp_path, "serve", "--model=weights.bin") != first


def test_a_server_is_none_the_wiser(tmp_path):
    (tmp_path / "answer.py").write_text("print(1)\n")
    assert "program=" not in spec(tmp_path, "answer.py", generator="openai")

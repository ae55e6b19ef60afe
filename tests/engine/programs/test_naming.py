"""What a program is called."""

from __future__ import annotations

import pytest

from ragtriage.programs.naming import program_name


@pytest.mark.parametrize(
    ("command", "name"),
    [
        ("./search", "search"),
        ("/usr/local/bin/search --python x.py", "search"),
        ("python3 search.py", "search.py"),
        (".venv/bin/python3.12 -u tools/search.py --key s3cr3t", "search.py"),
        ("python -m myapp.rag serve", "myapp.rag"),
        ("env INDEX=a/b.py node --max-old-space-size=99 serve.mjs", "serve.mjs"),
        ("uv run search.py", "search.py"),
        ("uv run --with torch python search.py", "search.py"),
        ("java -cp lib -jar build/rag.jar", "rag.jar"),
        ("bash run_search", "run_search"),
        ("python3 -c pass", "python3"),
        ("node --token abcdef", "node"),
        ("python3", "python3"),
        ("", ""),
    ],
)
def test_by_what_is_run(command: str, name: str) -> None:
    assert program_name(command.split()) == name


def test_nothing_that_a_terminal_obeys() -> None:
    assert program_name(("python", "a\x1b[2J\nb.py")) == "python"

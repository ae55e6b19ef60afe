"""ragtriage.toml and overrides: what is wrong is said where somebody set it."""

from __future__ import annotations

import os
import re
from pathlib import Path

import pytest

from ragtriage.config_file import config_of, load_config
from ragtriage.errors import ConfigError


def problems(tmp_path: Path, text: str, *overrides: str) -> list[str]:
    """What is said about a configuration file and overrides, the file's path cut off."""
    file = tmp_path / "ragtriage.toml"
    file.write_text(text, encoding="utf-8")
    with pytest.raises(ConfigError) as caught:
        load_config(file, overrides)
    return [str(problem).removeprefix(f"{tmp_path}/") for problem in caught.value.problems]


@pytest.mark.parametrize(
    ("text", "overrides", "said"),
    [
        ("[retrieval]\nk = 60\n", (), "ragtriage.toml:2: retrieval.k: 60 is larger than retrieval.pool (50)"),
        ("[retrieval]\nk = 9\npool = 5\n", (), "ragtriage.toml:3: retrieval.pool: 5 is smaller than k (9)"),
        ("[retrieval]\npool = 50\n", ("retrieval.k=60",), "--set: retrieval.k: 60 is larger than retrieval.pool (50)"),
        ("[retrieval]\nk = 9\n", ("retrieval.pool=5",), "--set: retrieval.pool: 5 is smaller than k (9)"),
        ("[retrieval]\nk = 9\n", ("retrieval.depth=5",), "--set: retrieval.depth: 5 is smaller than k (9)"),
        ("[chunking]\noverlap = 300\n", (), "ragtriage.toml:2: chunking.overlap: 300 is not smaller than size (200)"),
        ("[chunking]\noverlap = 20\n", ("chunking.size=9",), "--set: chunking.size: 9 is not larger than overlap (20)"),
        (
            "[chunking]\nstrategy = 'small_to_big'\n",
            ("chunking.size=50",),
            "--set: chunking.size: 50 is smaller than child_size (64)",
        ),
        (
            "[chunking]\nstrategy = 'small_to_big'\nchild_size = 300\n",
            (),
            "ragtriage.toml:3: chunking.child_size: 300 is larger than size (200)",
        ),
        (
            "[chunking]\nbreak_at = 'absolute'\nstrategy = 'semantic'\n",
            (),
            "ragtriage.toml:2: chunking.break_at: absolute needs a chunking.threshold from 0 to 2",
        ),
        (
            "[chunking]\nbreak_at = 'absolute'\nstrategy = 'semantic'\n",
            ("chunking.threshold=3",),
            "--set: chunking.threshold: 3 is no cosine distance",
        ),
    ],
)
def test_of_two_keys_that_do_not_fit_the_one_that_was_set_is_named(
    tmp_path: Path, text: str, overrides: tuple[str, ...], said: str
) -> None:
    (problem,) = problems(tmp_path, text, *overrides)
    assert problem.startswith(said)


def test_a_larger_k_says_everything_that_has_to_grow_with_it(tmp_path: Path) -> None:
    said = problems(tmp_path, "", "retrieval.k=200")
    assert [line.partition("; ")[2] for line in said] == [
        "add --set retrieval.pool=200",
        "add --set retrieval.depth=200",
    ]
    raised = load_config(None, ("retrieval.k=200", "retrieval.pool=200", "retrieval.depth=200"))
    assert raised.retrieval.k == 200


def test_every_problem_comes_at_once_with_its_line_and_the_nearest_name(tmp_path: Path) -> None:
    text = "[retreival]\nk = 3\n[chunking]\nsize = true\nstrategy = 'recursiv'\n[run]\nkept = 3\n"
    assert problems(tmp_path, text, "retrieval.mod=bm25", "mode") == [
        "ragtriage.toml:1: retreival: unknown table; did you mean retrieval?",
        "ragtriage.toml:4: chunking.size: a whole number is needed, not true",
        "ragtriage.toml:5: chunking.strategy: 'recursiv' is not one of whole, fixed, recursive, semantic, small_to_big; "
        "did you mean recursive?",
        "ragtriage.toml:7: run.kept: unknown key; did you mean keep?",
        "--set: retrieval.mod: unknown key; did you mean mode?",
        "--set: mode: write it as table.key=value, for example retrieval.mode=bm25",
    ]


def test_numbers_too_long_to_read_and_brackets_too_deep_are_problems(tmp_path: Path) -> None:
    digits = "9" * 5000
    assert problems(tmp_path, "", f"retrieval.k={digits}") == [
        f"--set: retrieval.k: a whole number is needed, not '{digits[:198]}…"
    ]
    assert len(problems(tmp_path, "", "retrieval.mode=" + "[" * 5000)) == 1
    (tmp_path / "ragtriage.toml").write_text(f"[retrieval]\nk = {digits}\n", encoding="utf-8")
    with pytest.raises(ConfigError, match="not TOML: Exceeds the limit"):
        load_config(tmp_path / "ragtriage.toml")


@pytest.mark.parametrize("key", ["answers.temperature", "judge.temperature", "answers.input_price", "run.timeout_s"])
@pytest.mark.parametrize("value", ["nan", "-nan", "inf", "1e400", "1" + "0" * 400, "-1e400"])
def test_a_number_is_finite(tmp_path: Path, key: str, value: str) -> None:
    [problem] = problems(tmp_path, "", f"{key}={value}")
    assert problem.startswith(f"--set: {key}: ")


@pytest.mark.parametrize("table", ["answers", "judge"])
@pytest.mark.parametrize("key", ["model=' '", "model=''", "command=[]", "command=['']", "command=[' ', 'x']"])
def test_a_model_without_a_name_is_none(tmp_path: Path, table: str, key: str) -> None:
    kind = "openai" if key.startswith("model") else "command"
    chooser = "generator" if table == "answers" else "provider"
    config = f"[{table}]\n{chooser} = '{kind}'\n{key}\n"
    [problem] = problems(tmp_path, config)
    assert f"needs {table}.{kind if kind == 'command' else 'model'}" in problem or "needs one" in problem


@pytest.mark.parametrize("key", ["answers.generator", "answers.temperature", "run.keep", "judge.base_url"])
def test_a_message_shows_the_beginning_of_a_long_value(tmp_path: Path, key: str) -> None:
    [problem] = problems(tmp_path, "", f"{key}={'x' * 100_000}")
    assert len(problem) < 500


@pytest.mark.parametrize("url", ["https://me:s3cret@api.example/v1", "https://api.example/v1?key=s3cret", "http://h/#s3cret"])
def test_no_secret_stands_in_an_address(url):
    with pytest.raises(ConfigError) as raised:
        load_config(None, [f"judge.base_url={url}"])
    assert "api_key_env" in str(raised.value)
    assert "s3cret" not in str(raised.value)


@pytest.mark.parametrize(
    "url", ["http://127.0.0.1:8091/v1", "https://api.example", "http://[::1]:80/", "https://a-b.example/x/y"]
)
def test_addresses(url):
    assert load_config(None, [f"answers.base_url={url}"]).answers.base_url == url


@pytest.mark.parametrize(("written", "value"), [('"auto"', "auto"), ("0.05", 0.05), ("0", 0.0), ("1", 1.0)])
def test_a_tolerance_is_a_number_or_auto(tmp_path: Path, written: str, value: float | str) -> None:
    file = tmp_path / "ragtriage.toml"
    file.write_text(f"[gate]\ntolerance = {written}\n", encoding="utf-8")
    assert load_config(file).gate.tolerance == value
    assert load_config(None, [f"gate.tolerance={written}"]).gate.tolerance == value


@pytest.mark.parametrize(
    ("written", "says"),
    [
        ('"atuo"', "a number is needed, or auto, not 'atuo'"), ("-0.1", "below"), ("1.5", "above"), ("nan", "no number that"),
        ("true", "a number is needed, not true"), ("[]", "a number is needed"),
    ],
)  # fmt: skip
def test_any_other_tolerance_is_refused(tmp_path: Path, written: str, says: str) -> None:
    file = tmp_path / "ragtriage.toml"
    file.write_text(f"[gate]\ntolerance = {written}\n", encoding="utf-8")
    with pytest.raises(ConfigError, match=re.escape(says)):
        load_config(file)


@pytest.mark.parametrize("kind", ["folder", "fifo", "dangling", "device"])
def test_what_is_no_file_is_not_passed_over_for_the_defaults(tmp_path: Path, kind: str) -> None:
    path = tmp_path / "ragtriage.toml"
    assert config_of(tmp_path) is None
    if kind == "folder":
        path.mkdir()
    elif kind == "fifo":
        os.mkfifo(path)
    else:
        path.symlink_to("/dev/zero" if kind == "device" else tmp_path / "gone")
    with pytest.raises(ConfigError, match="mend or remove it"):
        config_of(tmp_path)
